#include "cli/compare_options.h"

const char *const gb_compare_stats[] = { "min", "median", NULL };
const char *const gb_compare_formats[] = { "table", "markdown", "json", NULL };

enum gb_status gb_compare_and_print(const struct gb_compare_options *options,
				    const struct gb_records *base, const struct gb_records *other,
				    struct gb_error *err)
{
	struct gb_comparison comparison = {
		.threshold = options->threshold_percent / 100,
		.floor_ns = options->floor_ns,
		.by_median = options->stat == 1,
		.in_cycles = options->cycles != 0,
	};
	enum gb_status status = GB_OK;

	if (!gb_compare(&comparison, base, other, err) &&
	    !gb_comparison_print(stdout, &comparison, options->all != 0, options->format == 2,
				 options->format == 1, err))
		status = gb_comparison_status(&comparison);
	gb_comparison_release(&comparison);
	return err->code ? err->code : status;
}
