/* compare_options.c -- reads the options of a comparison, prints it, and computes its status. */
#include "cli/commands/compare_options.h"

#include "cli/report/compare/compare_records.h"
#include "cli/report/compare/formats.h"
#include "common/text.h"

/* The words of enum gb_format, in its order, then those of printers[]. */
const char *const gb_compare_formats[] = { "table", "markdown", "html",   "csv",
					   "json",  "junit",    "github", NULL };
typedef enum gb_status print_comparison(FILE *file, const struct gb_comparison *comparison,
					struct gb_error *err);
static print_comparison *const printers[] = { gb_junit_print, gb_github_print };
_Static_assert(GB_COUNT(gb_compare_formats) == GB_FORMATS + GB_COUNT(printers) + 1,
	       "a word for each format");

/* The chance, at most, that any key of an unchanged build is called slower. */
static const double ERROR_RATE = 0.05;

void gb_compare_init(struct gb_comparison *comparison, const struct gb_compare_options *options)
{
	const double threshold = options->threshold_percent / 100;

	*comparison = (struct gb_comparison){
		.gate = { .error = ERROR_RATE, .threshold = threshold },
		.counts = options->counts != 0,
		.allow_missing = options->allow_missing != 0,
	};
}

static enum gb_status check_setups(const struct gb_comparison *c, const char *base_name,
				   const char *other_name, struct gb_error *err)
{
	const struct gb_setup_part *part = gb_setups_refused(&c->setups);

	if (!part)
		return GB_OK;
	return gb_fail(err, GB_EUSAGE,
		       "%.80s and %.80s do not have the same %s: %s and %s (--across compares them "
		       "anyway)",
		       base_name, other_name, part->name, part->base, part->new_);
}

static enum gb_status print(const struct gb_compare_options *options, const struct gb_comparison *c,
			    struct gb_error *err)
{
	if (options->format >= GB_FORMATS)
		return printers[options->format - GB_FORMATS](stdout, c, err);
	return gb_comparison_print(stdout, c, options->all != 0, (enum gb_format)options->format,
				   err);
}

enum gb_status gb_compare_and_print(const struct gb_compare_options *options,
				    struct gb_comparison *comparison, const struct gb_records *base,
				    const char *base_name, const struct gb_records *other,
				    const char *other_name, struct gb_error *err)
{
	struct gb_comparison *c = comparison;
	enum gb_status status = GB_OK;
	char reason[GB_REASON_MAX];

	if (gb_compare(c, base, other, err) ||
	    (!options->across && check_setups(c, base_name, other_name, err)))
		goto out;
	(void)print(options, c, err);
	status = gb_comparison_status(c, reason);
out:
	gb_comparison_release(c);
	return err->code ? err->code : status;
}
