/* merge.c -- `gpubench merge FILE...`: the records of several files as one.
 *
 * Shards of a sweep, launches on several machines: all lines in the order of the files, each once.
 * A line is known by its run and number; the same line twice with different contents is an error.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/inputs.h"
#include "cli/records/json.h"
#include "common/text.h"

struct entry {
	const char *run;
	double seq; /* -1: the run line itself */
	size_t order;
};

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const int order = strcmp(x->run, y->run);

	if (order)
		return order;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Mark in `twice` the lines that an earlier one equals. */
static enum gb_status find_twice(const struct gb_records *list, bool *twice, struct gb_error *err)
{
	struct entry *entry = calloc(list->count + 1, sizeof *entry);

	if (!entry)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < list->count; i++) {
		const double seq = list->record[i]->seq;

		entry[i] =
			(struct entry){ list->record[i]->run_id,
					gb_is_record(list->record[i]) && !isnan(seq) ? seq : -1, i };
	}
	qsort(entry, list->count, sizeof *entry, by_name);
	for (size_t i = 1; i < list->count && !err->code; i++) {
		const struct entry *a = &entry[i - 1], *b = &entry[i];

		if (a->seq != b->seq || !gb_equal(a->run, b->run))
			continue;
		twice[b->order] = true;
		if (!cJSON_Compare(list->record[a->order], list->record[b->order], true))
			gb_fail(err, GB_EUSAGE,
				"line %.0f of run %.60s is there twice, and differs", b->seq,
				b->run);
	}
	free(entry);
	return err->code;
}

enum gb_status gb_cmd_merge(int argc, char **argv, struct gb_error *err)
{
	struct gb_records records = { 0 };
	bool *twice = NULL;
	char nothing;
	struct gb_arguments a = {
		.words = "FILE...",
		.summary =
			"Write the records of several files as one file of JSON lines, each once.",
		.target = &nothing,
		.target_size = sizeof nothing,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count == 0) {
		gb_fail(err, GB_EUSAGE, "merge needs a FILE (- for standard input)");
		goto out;
	}
	if (gb_read_files(&records, a.word, a.word_count, err))
		goto out;
	twice = calloc(records.count, sizeof *twice);
	if (!twice)
		gb_out_of_memory(err, NULL);
	else
		(void)find_twice(&records, twice, err);
	for (size_t i = 0; twice && i < records.count && !err->code; i++)
		if (!twice[i])
			(void)gb_record_write(stdout, records.line[i], err);
out:
	free(twice);
	gb_records_release(&records);
	gb_arguments_release(&a);
	return err->code;
}
