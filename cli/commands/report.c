/* report.c -- `gpubench report`: prints stored records as a table, Markdown, HTML, CSV or JSON. */
#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/records/lines.h"
#include "cli/report/keys.h"
#include "cli/report/print_report.h"
#include "cli/report/section.h"
#include "common/text.h"

struct request {
	int64_t format;
	const char *columns;
};

static const struct gb_param rows[] = {
	GB_FORMAT_ROW(offsetof(struct request, format), gb_formats),
	{ .name = "columns",
	  GB_AT(GB_PATH, struct request, columns),
	  .unit = "WORD,...",
	  .help = "show these columns of the GPU's state in any case, such as clock, power or "
		  "energy; a wrong word lists them" },
};

enum gb_status gb_cmd_report(int argc, char **argv, struct gb_error *err)
{
	struct request request;
	unsigned columns = 0;
	struct gb_records records = { 0 };
	struct gb_arguments a = {
		.words = "FILE...",
		.summary = "Print the records of one or more files (- for standard input): csv and "
			   "json as they are, tables and pages with all repetitions in a row.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &request,
		.target_size = sizeof request,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done ||
	    gb_columns_read(request.columns, &columns, err))
		goto out;
	if (a.word_count == 0) {
		gb_fail(err, GB_EUSAGE, "report needs a FILE (- for standard input)");
		goto out;
	}
	if (!gb_read_files(&records, a.word, a.word_count, false, err) &&
	    !(request.format < GB_FORMAT_CSV && gb_pool_repetitions(&records, err)))
		(void)gb_report_print(stdout, &records, (enum gb_format)request.format, columns,
				      err);
out:
	gb_records_release(&records);
	gb_arguments_release(&a);
	return err->code;
}
