/* done.c -- finds the measurements that a resumed sweep can skip or must repeat. */
#include "cli/records/done.h"

#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool to_be_made_again(const struct gb_record *record, enum gb_again again)
{
	return again != GB_AGAIN_NONE &&
	       (record->status == GB_STATUS_FAILED ||
		(again == GB_AGAIN_UNVERIFIED && gb_is_untrusted(record)));
}

enum gb_status gb_done_init(struct gb_done *done, const struct gb_records *records,
			    enum gb_again again, struct gb_error *err)
{
	const char **key = calloc(records->count + 1, sizeof *key);
	const struct gb_record **retry =
		calloc(records->count + 1, sizeof(const struct gb_record *));
	const char **hung = calloc(records->count + 1, sizeof *hung);

	*done = (struct gb_done){ .key = key, .again = retry, .hung = hung };
	if (!key || !retry || !hung) {
		gb_done_release(done);
		return gb_out_of_memory(err, NULL);
	}
	for (size_t i = 0; i < records->count; i++) {
		const struct gb_record *record = records->record[i];

		if (record->error && gb_equal(record->error, "hang"))
			done->hung[done->hung_count++] = record->key;
		else if (to_be_made_again(record, again))
			done->again[done->again_count++] = record;
		else
			done->key[done->count++] = record->key;
	}
	qsort(done->key, done->count, sizeof *done->key, by_text);
	return GB_OK;
}

bool gb_done_hung(const struct gb_done *done, const char *key)
{
	for (size_t i = 0; i < done->hung_count; i++)
		if (gb_equal(done->hung[i], key))
			return true;
	return false;
}

const struct gb_record *gb_done_again(const struct gb_done *done, const char *key)
{
	for (size_t i = 0; i < done->again_count; i++)
		if (gb_equal(done->again[i]->key, key))
			return done->again[i];
	return NULL;
}

void gb_done_remove(struct gb_done *done, const struct gb_record *record)
{
	size_t kept = 0;

	for (size_t i = 0; i < done->again_count; i++)
		if (done->again[i] != record)
			done->again[kept++] = done->again[i];
	done->again_count = kept;
}

/* The first place whose key is not below the given one, or, with `after`, is above it. */
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
	free(done->again);
	free(done->hung);
	*done = (struct gb_done){ 0 };
}
