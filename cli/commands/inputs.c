#include "cli/commands/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/records/json.h"
#include "common/text.h"

/* What is printed would be read again, or has taken the place of what was there. */
static bool is_standard_output(const char *path)
{
	struct stat in, out;

	return !stat(path, &in) && !fstat(STDOUT_FILENO, &out) && S_ISREG(in.st_mode) &&
	       in.st_ino == out.st_ino && in.st_dev == out.st_dev;
}

/* ---- lines that are there twice ------------------------------------------------------------ */

/* A line is known by its run and its number there. */
struct place {
	const char *run;
	double seq; /* -1: the run line itself */
	size_t at;
};

static int by_name(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int order = strcmp(x->run, y->run);

	if (order)
		return order;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The places of all lines, in the order of their names; those without a number are left out. */
static struct place *sort_places(const struct gb_records *list, size_t *count)
{
	struct place *place = calloc(list->count + 1, sizeof *place);

	*count = 0;
	for (size_t i = 0; place && i < list->count; i++) {
		const cJSON *line = list->line[i];
		const double seq = gb_is_record(line) ? gb_json_number(line, "seq") : -1;

		if (!isnan(seq))
			place[(*count)++] = (struct place){ gb_json_text(line, "run_id"), seq, i };
	}
	if (*count)
		qsort(place, *count, sizeof *place, by_name);
	return place;
}

/* Remove the lines from `first` on that an earlier one equals; *dropped is how many. */
static enum gb_status drop_repeated(struct gb_records *list, size_t first, const char *path,
				    size_t *dropped, struct gb_error *err)
{
	bool *twice = calloc(list->count + 1, sizeof *twice);
	size_t count;
	struct place *place = sort_places(list, &count);

	*dropped = 0;
	if (!twice || !place)
		gb_out_of_memory(err, NULL);
	for (size_t i = 1; i < count && !err->code; i++) {
		const struct place *a = &place[i - 1], *b = &place[i];

		if (b->at < first || a->seq != b->seq || !gb_equal(a->run, b->run))
			continue;
		twice[b->at] = true;
		if (!cJSON_Compare(list->line[a->at], list->line[b->at], true))
			gb_fail(err, GB_EUSAGE,
				"%.200s: line %.0f of run %.60s is there twice, and differs", path,
				b->seq, b->run);
	}
	for (size_t i = list->count; !err->code && i-- > first;)
		if (twice[i]) {
			gb_records_remove(list, i);
			++*dropped;
		}
	free(twice);
	free(place);
	return err->code;
}

/* ---- files -------------------------------------------------------------------------------- */

static void warn(const char *path, const char *what)
{
	(void)fputs("gpubench: ", stderr);
	gb_text_print(stderr, path);
	(void)fputs(what, stderr);
}

/* One file.  records->truncated tells whether it was cut off. */
static enum gb_status read_file(struct gb_records *records, const char *path, struct gb_error *err)
{
	const size_t before = records->count;
	char text[96];
	size_t dropped;

	records->truncated = false;
	if (is_standard_output(path))
		return gb_fail(err, GB_EUSAGE, "%s is standard output, too", path);
	if (gb_records_read(path, records, err) ||
	    drop_repeated(records, before, path, &dropped, err))
		return err->code;
	(void)snprintf(text, sizeof text, ": read twice, counted once: %zu lines\n", dropped);
	if (dropped)
		warn(path, text);
	return GB_OK;
}

enum gb_status gb_read_files(struct gb_records *records, const char *const *path, size_t count,
			     struct gb_error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (read_file(records, path[i], err))
			return err->code;
		if (records->truncated)
			warn(path[i], ": the last line has no end (its writer was killed?) and is "
				      "left out\n");
	}
	return GB_OK;
}

enum gb_status gb_read_whole(struct gb_records *records, const char *path, struct gb_error *err)
{
	if (read_file(records, path, err) || !records->truncated)
		return err->code;
	return gb_fail(err, GB_EUSAGE, "%s: the last line has no end (its writer was killed?)",
		       path);
}
