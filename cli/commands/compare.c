/* compare.c -- `gpubench compare BASE NEW`: compares stored records key by key; the exit status is
 * meant for a build server. */
#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare_options.h"
#include "cli/commands/inputs.h"
#include "common/text.h"

static const struct gb_param rows[] = { GB_COMPARE_ROWS };

/* GB_EUSAGE if both files hold the same run. */
static enum gb_status check_apart(const struct gb_records *base, const struct gb_records *other,
				  const char *const *path, struct gb_error *err)
{
	for (size_t i = 0; i < base->run_count; i++)
		for (size_t k = 0; k < other->run_count; k++)
			if (gb_equal(base->run[i]->run_id, other->run[k]->run_id))
				return gb_fail(err, GB_EUSAGE,
					       "%.150s and %.150s hold the same run, %.20s",
					       path[0], path[1], base->run[i]->run_id);
	return GB_OK;
}

enum gb_status gb_cmd_compare(int argc, char **argv, struct gb_error *err)
{
	struct gb_compare_options options;
	struct gb_comparison comparison;
	struct gb_records base = { 0 }, other = { 0 };
	enum gb_status status = GB_OK;
	struct gb_arguments a = {
		.words = "BASE NEW",
		.summary = "Compare two record files key by key: exit status 1 if something became "
			   "slower or failed, 6 if too little could be compared.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &options,
		.target_size = sizeof options,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count != 2)
		gb_fail(err, GB_EUSAGE, "compare needs two files, BASE and NEW");
	else if (!gb_compare_init(&comparison, &options, err) &&
		 !gb_read_whole(&base, a.word[0], err) && !gb_read_whole(&other, a.word[1], err) &&
		 !check_apart(&base, &other, a.word, err))
		status = gb_compare_and_print(&options, &comparison, &base, a.word[0], &other,
					      a.word[1], err);
out:
	gb_records_release(&base);
	gb_records_release(&other);
	gb_arguments_release(&a);
	return err->code ? err->code : status;
}
