/* compare.c -- `gpubench compare BASE NEW`: compares stored records key by key; the exit status is
 * meant for a build server.  --by=machine and --by=library print sides beside each other. */
#include "cli/commands/compare.h"
#include "cli/records/lines.h"

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/report/compare/sides.h"
#include "common/text.h"

/* The words of enum gb_format, in its order, then those of printers[]. */
const char *const gb_compare_formats[] = { "table", "markdown", "html",   "csv",
					   "json",  "junit",    "github", NULL };
typedef void print_comparison(FILE *file, const struct gb_comparison *comparison);
static print_comparison *const printers[] = { gb_junit_print, gb_github_print };
_Static_assert(GB_COUNT(gb_compare_formats) == GB_FORMATS + GB_COUNT(printers) + 1,
	       "a word for each format");

/* The chance, at most, that any key of an unchanged build is called slower. */
static const double ERROR_RATE = 0.05;

void gb_compare_init(struct gb_comparison *comparison, const struct gb_compare_options *options,
		     size_t looks)
{
	const double threshold = options->threshold_percent / 100;

	*comparison = (struct gb_comparison){
		.gate = { .error = ERROR_RATE, .threshold = threshold, .looks = looks },
		.all = options->all != 0,
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

enum gb_status gb_compare_and_print(const struct gb_compare_options *options, size_t looks,
				    const struct gb_records *base, const char *base_name,
				    const struct gb_records *other, const char *other_name,
				    struct gb_error *err)
{
	const enum gb_format format = (enum gb_format)options->format;
	struct gb_comparison c;
	enum gb_status status = GB_OK;
	char reason[GB_REASON_MAX];

	gb_compare_init(&c, options, looks);
	if (gb_compare(&c, base, other, err) ||
	    (!options->across && check_setups(&c, base_name, other_name, err)))
		goto out;
	if (options->format < GB_FORMATS)
		(void)gb_comparison_print(stdout, &c, options->all != 0, format, err);
	else
		printers[options->format - GB_FORMATS](stdout, &c);
	status = gb_comparison_status(&c, reason);
out:
	gb_comparison_release(&c);
	return err->code ? err->code : status;
}

struct request {
	struct gb_compare_options compare; /* first: see GB_COMPARE_ROWS */
	int64_t by;                        /* index into bys */
};
static const char *const bys[] = { "build", "machine", "library", NULL };
enum { BY_BUILD, BY_MACHINE, BY_LIBRARY };

static const struct gb_param rows[] = {
	{ .name = "by",
	  GB_AT(GB_CHOICE, struct request, by),
	  .initial = "build",
	  .choices = bys,
	  .help = "machine: print the machines of all FILEs side by side, with speed-ups; library: "
		  "our fastest variant beside each library; only --format applies" },
	GB_COMPARE_ROWS,
};

/* GB_EUSAGE if both files hold the same run. */
static enum gb_status check_apart(const struct gb_records *base, const struct gb_records *other,
				  const char *const *path, struct gb_error *err)
{
	for (size_t i = 0; i < base->context_count; i++)
		for (size_t k = 0; k < other->context_count; k++)
			if (gb_equal(base->context[i]->run_id, other->context[k]->run_id))
				return gb_fail(err, GB_EUSAGE,
					       "%.150s and %.150s hold the same run, %.20s",
					       path[0], path[1], base->context[i]->run_id);
	return GB_OK;
}

/* --by=machine, --by=library */
static enum gb_status compare_sides(const struct gb_arguments *a, const struct request *request,
				    struct gb_error *err)
{
	const struct gb_compare_options *options = &request->compare;
	const char *by = bys[request->by];
	struct gb_records records = { 0 };

	for (size_t i = 0; i < a->given_count; i++)
		if (!gb_equal(a->given[i]->name, "by") && !gb_equal(a->given[i]->name, "format"))
			return gb_fail(err, GB_EUSAGE,
				       "--by=%s judges nothing, so --%s has no effect", by,
				       a->given[i]->name);
	if (options->format >= GB_FORMATS)
		return gb_fail(err, GB_EUSAGE, "--by=%s cannot print --format=%s", by,
			       gb_compare_formats[options->format]);
	if (a->word_count == 0)
		return gb_fail(err, GB_EUSAGE, "compare needs a FILE (- for standard input)");
	if (!gb_read_files(&records, a->word, a->word_count, false, err))
		(void)gb_sides_print(stdout, &records, request->by == BY_LIBRARY,
				     (enum gb_format)options->format, err);
	gb_records_release(&records);
	return err->code;
}

enum gb_status gb_cmd_compare(int argc, char **argv, struct gb_error *err)
{
	struct request request;
	struct gb_records base = { 0 }, other = { 0 };
	enum gb_status status = GB_OK;
	struct gb_arguments a = {
		.words = "BASE NEW | --by=machine|library FILE...",
		.summary = "Compare two record files key by key: exit status 1 if something became "
			   "slower or failed, 6 if too little could be compared.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &request,
		.target_size = sizeof request,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (request.by != BY_BUILD)
		(void)compare_sides(&a, &request, err);
	else if (a.word_count != 2)
		gb_fail(err, GB_EUSAGE, "compare needs two files, BASE and NEW");
	else if (!gb_read_files(&base, a.word, 1, true, err) &&
		 !gb_read_files(&other, a.word + 1, 1, true, err) &&
		 !check_apart(&base, &other, a.word, err))
		status = gb_compare_and_print(&request.compare, 0, &base, a.word[0], &other,
					      a.word[1], err);
out:
	gb_records_release(&base);
	gb_records_release(&other);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
