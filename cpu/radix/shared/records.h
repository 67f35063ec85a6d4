/* records.h -- shared by the CPU radix sorts: records, buffers, input and output.
 *
 * A record is the unit that is moved: a key alone, or a key above its value, because a program that
 * sorts pairs on a CPU keeps them together.  reset() interleaves keys and values and download()
 * separates them again, outside `time` (`excluded`).  All variants, peers included, get this layout:
 *
 *	bytes of the key    of the value    of the record    the key begins at bit
 *	1, 2, 4 or 8        0               as the key       0
 *	1, 2 or 4           4               8                32
 *	otherwise                           16               64
 *
 * Signed and real keys are sorted as unsigned numbers of the same order (common/radix_types.h).
 * Both conversions belong to the algorithm and are timed.
 */
#ifndef GPUBENCH_CPU_RADIX_SHARED_RECORDS_H
#define GPUBENCH_CPU_RADIX_SHARED_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/radix_types.h"
#include "common/status.h"
#include "common/timer.h"
#include "cpu/primitives/sort.h"
#include "cpu/runtime/range.h"

#ifdef __cplusplus
extern "C" {
#endif

__extension__ typedef unsigned __int128 radix_u128;

struct radix_cpu {
	const struct radix_input *input;
	size_t count;
	size_t width;      /* bytes of a record: 1, 2, 4, 8 or 16 */
	unsigned first;    /* the lowest bit of the key in a record */
	unsigned low, top; /* sort by bits low .. top - 1 of a record */
	int threads;
	const struct radix_vector_ops *vectors; /* for keys in records of 4 and 8 bytes, or NULL */
	void *record;   /* count records: the input after reset(), the result after run() */
	void *spare;    /* as large as `record`, or NULL */
	bool is_native; /* sorts keys as what they are, not by their order */
	void *value;    /* count values, if radix_cpu_to_words() is to replace them; else NULL */
};

/* Number of threads asked for; all CPUs by default. */
int radix_cpu_threads(const void *params);

/* Allocate the buffers, the spare one only if asked for. */
enum gb_status radix_cpu_init(struct radix_cpu *cpu, const void *params, const void *input,
			      bool spare, struct gb_error *err);

/* GB_EUNAVAILABLE if the input has segments. */
enum gb_status radix_cpu_refuse_segments(const struct radix_input *input, struct gb_error *err);

/* Allocate `value` for records whose values do not ascend. */
enum gb_status radix_cpu_init_words(struct radix_cpu *cpu, const void *params,
				    struct gb_error *err);
/* The same for sorts of whole records by a library, with one thread; refuses a sort by some of the
 * bits. */
enum gb_status radix_cpu_init_peer(struct radix_cpu *cpu, const void *params, const void *input,
				   struct gb_error *err);

/* The first record of a segment; segment input->segments begins behind the last record. */
static inline size_t radix_cpu_segment(const struct radix_cpu *cpu, size_t segment)
{
	return cpu->input->offsets ? cpu->input->offsets[segment] : segment * cpu->count;
}

/* Record `index` of an array. */
static inline void *radix_at(void *array, size_t width, size_t index)
{
	return (char *)array + index * width;
}

/* The widths of records in ascending order, and the number of one. */
enum { RADIX_CPU_WIDTHS = 5 };
static inline size_t radix_cpu_width(const struct radix_cpu *cpu)
{
	return (size_t)__builtin_ctzl(cpu->width);
}

/* `real` of struct radix_vector_ops. */
static inline uint64_t radix_cpu_real(const struct radix_cpu *cpu)
{
	const struct radix_input *in = cpu->input;

	return in->type < RADIX_F32 ? 0 : UINT64_MAX >> (65 - 8 * in->key_size) << cpu->first;
}

/* The key and the value of record i.  With values, each has half of the record. */
static inline uint64_t radix_cpu_key(const struct radix_cpu *cpu, size_t i)
{
	return cpu->first ? radix_load(cpu->record, cpu->width / 2, 2 * i + 1)
			  : radix_load(cpu->record, cpu->width, i);
}

static inline void radix_cpu_set_key(const struct radix_cpu *cpu, size_t i, uint64_t key)
{
	if (cpu->first)
		radix_store(cpu->record, cpu->width / 2, 2 * i + 1, key);
	else
		radix_store(cpu->record, cpu->width, i, key);
}

static inline uint64_t radix_cpu_value(const struct radix_cpu *cpu, size_t i)
{
	return radix_load(cpu->record, cpu->width / 2, 2 * i);
}

static inline void radix_cpu_set_value(const struct radix_cpu *cpu, size_t i, uint64_t value)
{
	radix_store(cpu->record, cpu->width / 2, 2 * i, value);
}

/* Exchange `record` and `spare`. */
static inline void radix_cpu_swap(struct radix_cpu *cpu)
{
	void *const record = cpu->record;

	cpu->record = cpu->spare;
	cpu->spare = record;
}

/* Operations for every variant whose state begins with a struct radix_cpu. */

/* Copy the input into cpu->record. */
enum gb_status radix_cpu_reset(void *state, int64_t sample, struct gb_error *err);
/* Copy cpu->record to the benchmark's output layout. */
enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err);
const char *radix_cpu_excluded(const void *params);

/* Convert the keys of cpu->record to their order or, if they are orders, back, in phase "order" unless
 * timer is NULL.  Unsigned keys stay as they are, and those of a peer that sorts them so. */
void radix_cpu_flip(struct radix_cpu *cpu, bool is_order, struct gb_timer *timer);

/* For sorts that are not stable or compare whole records: replace values that do not ascend by
 * positions, and fetch the values of sorted records. */
void radix_cpu_to_words(struct radix_cpu *cpu);
void radix_cpu_from_words(struct radix_cpu *cpu);

#ifdef __cplusplus
}
#endif
#endif
