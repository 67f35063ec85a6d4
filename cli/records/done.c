#include "cli/records/done.h"

#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum gb_status gb_done_init(struct gb_done *done, const struct gb_records *records,
			    struct gb_error *err)
{
	done->count = 0;
	done->key = calloc(records->count + 1, sizeof *done->key);
	if (!done->key)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < records->count; i++)
		if (gb_is_record(records->line[i]))
			done->key[done->count++] = gb_json_text(records->line[i], "key");
	if (done->count)
		qsort(done->key, done->count, sizeof *done->key, by_text);
	return GB_OK;
}

/* The first place whose key is not below (after: above) the given one. */
static size_t bound(const struct gb_done *done, const char *key, bool after)
{
	size_t low = 0, high = done->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(done->key[middle], key);

		if (order < 0 || (after && order == 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t gb_done_times(const struct gb_done *done, const char *key)
{
	return (int64_t)(bound(done, key, true) - bound(done, key, false));
}

void gb_done_release(struct gb_done *done)
{
	free(done->key);
	*done = (struct gb_done){ 0 };
}
