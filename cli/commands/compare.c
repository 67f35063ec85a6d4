/* compare.c -- `gpubench compare BASE NEW`: stored records, key by key, and an exit status that
 * a build server can act on. */
#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/commands/inputs.h"
#include "common/text.h"

static const struct gb_param rows[] = { GB_COMPARE_ROWS };

enum gb_status gb_cmd_compare(int argc, char **argv, struct gb_error *err)
{
	struct gb_compare_options options;
	struct gb_records base = { 0 }, other = { 0 };
	enum gb_status status = GB_OK;
	struct gb_arguments a = {
		.words = "BASE NEW",
		.summary = "Compare two record files key by key: exit status 1 if something became "
			   "slower or failed.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &options,
		.target_size = sizeof options,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count != 2)
		gb_fail(err, GB_EUSAGE, "compare needs two files, BASE and NEW");
	else if (!gb_read_files(&base, &a.word[0], 1, err) &&
		 !gb_read_files(&other, &a.word[1], 1, err) &&
		 !gb_compare_check(&options, &base, a.word[0], err) &&
		 !gb_compare_check(&options, &other, a.word[1], err))
		status = gb_compare_and_print(&options, &base, &other, err);
out:
	gb_records_release(&base);
	gb_records_release(&other);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
