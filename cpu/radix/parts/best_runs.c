/* best_runs.c -- see best_runs.h.
 *
 * Runs are merged two at a time, neighbours first.  The left one is moved to a buffer, and both are
 * merged into their common place.  If it exceeds the buffer, or several threads share the work, it
 * is halved, the right one is cut where the second half begins, and the inner parts change places:
 * the outer pairs are then merged independently.  So any buffer is sufficient, and a larger one
 * saves moves.
 */
#include "cpu/radix/parts/best_runs.h"

#include <omp.h>
#include <string.h>

#include "cpu/sort/leaf.h"
#include "cpu/sort/order.h"

enum { FEW = 256 }; /* times as many records, beside which others are inserted one by one */

/* merge_suffix(): merge records left .. left_end - 1 with right .. right_end - 1, into `to`, where
 * the latter may end.
 * merge_halves_suffix(): merge the `lefts` records of `buffer`, which has room for all, with the
 * `rights` ones at to + lefts, into `to`: both halves of the result in turns, because each record
 * waits for the one before it.
 * No branch could predict which record comes next. */
#define DEFINE_MERGE(type, suffix)                                                                 \
	static inline type next_##suffix(const type **left, const type **right, unsigned low)      \
	{                                                                                          \
		const type a = **left, b = **right, is_right = b >> low < a >> low;                \
                                                                                                   \
		*right += is_right;                                                                \
		*left += 1 - is_right;                                                             \
		return a ^ ((a ^ b) & (0 - is_right));                                             \
	}                                                                                          \
                                                                                                   \
	static void merge_##suffix(type *to, const type *left, const type *left_end,               \
				   const type *right, const type *right_end, unsigned low)         \
	{                                                                                          \
		while (left < left_end && right < right_end)                                       \
			*to++ = next_##suffix(&left, &right, low);                                 \
		memcpy(to, left, (size_t)(left_end - left) * sizeof *left);                        \
		memmove(to, right, (size_t)(right_end - right) * sizeof *right);                   \
	}                                                                                          \
                                                                                                   \
	static void merge_halves_##suffix(type *to, type *buffer, size_t lefts, size_t rights,     \
					  unsigned low)                                            \
	{                                                                                          \
		const size_t half = (lefts + rights) / 2;                                          \
		size_t i = half > rights ? half - rights : 0, end = half < lefts ? half : lefts;   \
		const type *left[2], *left_end[2], *right[2], *right_end[2];                       \
		type *out[2] = { to, to + half };                                                  \
                                                                                                   \
		while (i < end) {                                                                  \
			const size_t middle = i + (end - i) / 2;                                   \
                                                                                                   \
			if (buffer[middle] >> low <= to[lefts + half - 1 - middle] >> low)         \
				i = middle + 1;                                                    \
			else                                                                       \
				end = middle;                                                      \
		}                                                                                  \
		memcpy(buffer + lefts, to + lefts, (half - i) * sizeof *to);                       \
		left[0] = buffer;                                                                  \
		left[1] = left_end[0] = buffer + i;                                                \
		right[0] = left_end[1] = buffer + lefts;                                           \
		right_end[0] = right[0] + (half - i);                                              \
		right[1] = to + lefts + (half - i);                                                \
		right_end[1] = to + lefts + rights;                                                \
		for (;;) {                                                                         \
			size_t steps = (size_t)(left_end[0] - left[0]);                            \
                                                                                                   \
			steps = LESS(steps, (size_t)(left_end[1] - left[1]));                      \
			steps = LESS(steps, (size_t)(right_end[0] - right[0]));                    \
			steps = LESS(steps, (size_t)(right_end[1] - right[1]));                    \
			if (!steps)                                                                \
				break;                                                             \
			for (size_t k = 0; k < steps; k++) {                                       \
				*out[0]++ = next_##suffix(&left[0], &right[0], low);               \
				*out[1]++ = next_##suffix(&left[1], &right[1], low);               \
			}                                                                          \
		}                                                                                  \
		for (int k = 0; k < 2; k++)                                                        \
			merge_##suffix(out[k], left[k], left_end[k], right[k], right_end[k], low); \
	}

#define LESS(a, b) ((a) < (b) ? (a) : (b))

DEFINE_MERGE(uint32_t, u32)
DEFINE_MERGE(uint64_t, u64)

static unsigned low_of(const struct radix_runs *r)
{
	return r->words ? 0 : r->cpu->low;
}

static uint64_t key_at(const struct radix_runs *r, const char *record, size_t i)
{
	return r->cpu->width == 8 ? ((const uint64_t *)(const void *)record)[i] >> low_of(r)
				  : ((const uint32_t *)(const void *)record)[i];
}

/* How many of n ascending records have keys below `key`, or with `equal` up to it. */
static size_t lower(const struct radix_runs *r, const char *record, size_t n, uint64_t key,
		    bool equal)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const uint64_t here = key_at(r, record, middle);

		if (here < key || (equal && here == key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Exchange the first `lefts` records with the `rights` behind them. */
static void exchange(char *record, size_t lefts, size_t rights, size_t width)
{
	radix_mirror(record, lefts + rights, width, 0, (lefts + rights) / 2);
	radix_mirror(record, rights, width, 0, rights / 2);
	radix_mirror(record + rights * width, lefts, width, 0, lefts / 2);
}

/* Records in the calling thread's part of the buffer. */
static size_t room_of(const struct radix_runs *r)
{
	return r->room / (size_t)r->threads;
}

static char *buffer_of(const struct radix_runs *r)
{
	return (char *)r->buffer + (size_t)omp_get_thread_num() * room_of(r) * r->cpu->width;
}

/* Insert the `rights` records behind the first `lefts`, the last one first. */
static void insert(const struct radix_runs *r, char *record, size_t lefts, size_t rights)
{
	const size_t width = r->cpu->width;
	char *const buffer = buffer_of(r);

	memcpy(buffer, record + lefts * width, rights * width);
	for (; rights; rights--) {
		const size_t before = lower(r, record, lefts, key_at(r, buffer, rights - 1), true);
		char *const to = record + (before + rights) * width;

		memmove(to, record + before * width, (lefts - before) * width);
		memcpy(to - width, buffer + (rights - 1) * width, width);
		lefts = before;
	}
}

/* Merge by the calling thread, in its part of the buffer. */
static void merge_here(const struct radix_runs *r, char *record, size_t lefts, size_t rights)
{
	const size_t width = r->cpu->width, room = room_of(r);
	char *const buffer = buffer_of(r);
	uint64_t *const words = (uint64_t *)(void *)record, *const kept =
								    (uint64_t *)(void *)buffer;
	uint32_t *const to = (uint32_t *)(void *)record, *const left = (uint32_t *)(void *)buffer;

	memcpy(buffer, record, lefts * width);
	if (r->words)
		radix_merge_vectors(record, buffer, lefts, rights, width, r->simd);
	else if (room < lefts + rights && width == 8)
		merge_u64(words, kept, kept + lefts, words + lefts, words + lefts + rights,
			  r->cpu->low);
	else if (width == 8)
		merge_halves_u64(words, kept, lefts, rights, r->cpu->low);
	else if (room < lefts + rights)
		merge_u32(to, left, left + lefts, to + lefts, to + lefts + rights, 0);
	else
		merge_halves_u32(to, left, lefts, rights, 0);
}

/* Merge the first `left` of n records with the others. */
static void merge(const struct radix_runs *r, char *record, size_t left, size_t n)
{
	const size_t width = r->cpu->width, threads = (size_t)r->threads;
	const size_t piece = threads > 1 ? r->cpu->count / (2 * threads) : n;
	size_t skipped, middle, rights;

	if (!left || left == n)
		return;
	skipped = lower(r, record, left, key_at(r, record, left), true);
	if (skipped == left)
		return;
	record += skipped * width;
	left -= skipped;
	n -= skipped;
	rights = lower(r, record + left * width, n - left, key_at(r, record, left - 1), false);
	if (rights < left / FEW && rights <= room_of(r)) {
		insert(r, record, left, rights);
		return;
	}
	if (left <= room_of(r) && left + rights <= piece) {
		merge_here(r, record, left, rights);
		return;
	}
	middle = left / 2;
	n = left + rights;
	rights = lower(r, record + left * width, rights, key_at(r, record, middle), false);
	exchange(record + middle * width, left - middle, rights, width);
#pragma omp task if (threads > 1)
	merge(r, record, middle, middle + rights);
	merge(r, record + (middle + rights) * width, left - middle, n - middle - rights);
#pragma omp taskwait
}

/* Merge runs first .. end - 1. */
static void merge_all(const struct radix_runs *r, size_t first, size_t end)
{
	const size_t middle = first + (end - first) / 2, begin = r->begin[first];

	if (end - first < 2)
		return;
#pragma omp task if (r->threads > 1)
	merge_all(r, first, middle);
	merge_all(r, middle, end);
#pragma omp taskwait
	merge(r, (char *)r->cpu->record + begin * r->cpu->width, r->begin[middle] - begin,
	      r->begin[end] - begin);
}

void radix_merge_runs(const struct radix_runs *runs)
{
	if (runs->threads == 1) {
		merge_all(runs, 0, runs->count);
		return;
	}
#pragma omp parallel num_threads(runs->threads)
#pragma omp single nowait
	merge_all(runs, 0, runs->count);
}
