/* cmd_report.c -- `gpubench report`: stored records as a table, Markdown, CSV or one document. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/table.h"
#include "cli/version.h"
#include "common/text.h"

struct request {
	enum gb_format format;
	struct gb_records records;
	size_t file_count;
	bool done; /* --help or --version was answered */
	struct gb_error *err;
};

static const struct argp_option options[] = {
	{ .name = "format",
	  .key = 'f',
	  .arg = "table|markdown|csv|json",
	  .doc = "what to print (default: table)" },
	{ .name = "help", .key = 'h', .doc = "print this help" },
	{ .name = "version", .key = 'V', .doc = "print the version" },
	{ 0 },
};

static const char summary[] =
	"Print the records of one or more files (- for standard input) as the run printed them.";

static void read_file(struct request *r, const char *path)
{
	const bool truncated = r->records.truncated;

	r->records.truncated = false;
	if (gb_records_read(path, &r->records, r->err))
		return;
	r->file_count++;
	if (r->records.truncated)
		(void)fprintf(stderr,
			      "gpubench: %s: the last line has no end (its writer was killed?) and "
			      "is left out\n",
			      path);
	r->records.truncated |= truncated;
}

static error_t on_key(int key, char *text, struct argp_state *state)
{
	struct request *r = state->input;

	if (r->err->code || r->done)
		return 0;
	switch (key) {
	case 'f':
		if (!gb_format_find(text, &r->format))
			gb_fail(r->err, GB_EUSAGE,
				"--format=%.80s: not one of table|markdown|csv|json", text);
		return 0;
	case 'h':
		/* argp_state_help() would be silent, too, under ARGP_NO_ERRS. */
		argp_help(state->root_argp, stdout,
			  ARGP_HELP_LONG | ARGP_HELP_USAGE | ARGP_HELP_DOC, state->name);
		r->done = true;
		return 0;
	case 'V':
		(void)puts(GB_VERSION_LINE);
		r->done = true;
		return 0;
	case ARGP_KEY_ARG:
		read_file(r, text);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Why getopt refused `word`. */
static void explain(const char *word, struct gb_error *err)
{
	const size_t length = strcspn(word, "=");

	if (gb_equal(word, "-f") || (length > 2 && strncmp(word, "--format", length) == 0))
		gb_fail(err, GB_EUSAGE, "%.80s needs a value: table|markdown|csv|json", word);
	else if (word[length] && length > 2 &&
		 (strncmp(word, "--help", length) == 0 || strncmp(word, "--version", length) == 0))
		gb_fail(err, GB_EUSAGE, "%.80s: takes no value", word);
	else
		gb_fail(err, GB_EUSAGE, "report has no option %.80s (try gpubench report --help)",
			word);
}

static enum gb_status parse(struct request *r, int argc, char **argv)
{
	const struct argp argp = {
		.options = options, .parser = on_key, .args_doc = "FILE...", .doc = summary
	};
	char full[] = "gpubench report";
	char *name = argv[0];
	int next = 0;
	error_t status;

	argv[0] = full;
	status =
		argp_parse(&argp, argc, argv, ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP, &next, r);
	argv[0] = name;
	if (status && !r->err->code && !r->done)
		explain(argv[next > 1 ? next - 1 : argc - 1], r->err);
	if (!r->err->code && !r->done && r->file_count == 0)
		gb_fail(r->err, GB_EUSAGE, "report needs a FILE (- for standard input)");
	return r->err->code;
}

enum gb_status gb_cmd_report(int argc, char **argv, struct gb_error *err)
{
	struct request request = { .format = GB_FORMAT_TABLE, .err = err };

	if (parse(&request, argc, argv) == GB_OK && !request.done) {
		const struct gb_style style = gb_style_for(stdout, request.format);

		(void)gb_table_print(stdout, &request.records, &style, err);
	}
	gb_records_release(&request.records);
	return err->code;
}
