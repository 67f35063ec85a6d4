#include "cli/commands/compare_options.h"

#include "cli/records/json.h"
#include "cli/reports/compare_print.h"
#include "common/text.h"

const char *const gb_compare_stats[] = { "min", "median", NULL };
const char *const gb_compare_formats[] = { "table", "markdown", "json", NULL };

enum gb_status gb_compare_check(const struct gb_compare_options *options,
				const struct gb_records *records, const char *name,
				struct gb_error *err)
{
	for (size_t i = 0; i < records->count && !options->unverified; i++)
		if (gb_is_record(records->line[i]) && gb_is_unverified(records->line[i]))
			return gb_fail(err, GB_EUSAGE,
				       "%.100s: %.200s was not verified (--unverified compares it "
				       "all the same)",
				       name, gb_json_text(records->line[i], "key"));
	return GB_OK;
}

enum gb_status gb_compare_and_print(const struct gb_compare_options *options,
				    const struct gb_records *base, const struct gb_records *other,
				    struct gb_error *err)
{
	struct gb_comparison comparison = {
		.threshold = options->threshold_percent / 100,
		.floor_ns = options->floor_ns,
		.by_median = options->stat == 1,
		.in_cycles = options->cycles != 0,
		.judge_counts = options->counts != 0,
	};
	enum gb_status status = GB_OK;

	if (gb_compare(&comparison, base, other, err))
		goto out;
	if (gb_equal(gb_compare_formats[options->format], "json"))
		(void)gb_comparison_print_json(stdout, &comparison, err);
	else
		(void)gb_comparison_print(stdout, &comparison, options->all != 0,
					  gb_equal(gb_compare_formats[options->format], "markdown")
						  ? GB_MARKUP_MARKDOWN
						  : GB_MARKUP_NONE,
					  err);
	status = gb_comparison_status(&comparison);
out:
	gb_comparison_release(&comparison);
	return err->code ? err->code : status;
}
