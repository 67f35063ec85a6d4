/* records.h -- what the CPU radix sorts share: records, buffers, the way in and out.
 *
 * A record is what is moved: the key itself (u32, f32: 4 bytes, u64: 8 bytes), or for pairs 8
 * bytes with the key in the upper half and the value in the lower.  Pairs are interleaved by
 * reset() and split again by download(), outside `time` (`excluded`): a program that sorts pairs on
 * a CPU keeps them together.  All variants, peers included, get this layout.
 *
 * Floats are sorted as unsigned numbers of the same order (common/radix.h); the way there and
 * back belongs to the algorithm and is timed.
 */
#ifndef GPUBENCH_CPU_RADIX_PARTS_RECORDS_H
#define GPUBENCH_CPU_RADIX_PARTS_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/radix.h"
#include "common/status.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct radix_cpu {
	const struct radix_input *input;
	size_t count;
	size_t width; /* bytes of a record: 4 or 8 */
	unsigned low; /* the key is bits low .. top - 1 of a record */
	unsigned top;
	bool is_float;
	int threads;
	void *record; /* count records: the input after reset(), the result after run() */
	void *spare;  /* as large, or NULL */
};

/* How many threads are asked for: all CPUs' if none are. */
int radix_cpu_threads(const void *params);

/* Allocate the buffers, the spare one only if asked for. */
enum gb_status radix_cpu_init(struct radix_cpu *cpu, const void *params, const void *input,
			      bool spare, struct gb_error *err);

/* For a variant whose state begins with its struct radix_cpu: what its ops share. */

/* The input into cpu->record. */
enum gb_status radix_cpu_reset(void *state, int64_t sample, struct gb_error *err);
/* cpu->record to the workload's output layout. */
enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err);
const char *radix_cpu_excluded(const void *params);

/* cpu->record between floats and unsigned numbers of their order, the phase "order" unless timer is
 * NULL; nothing for other types. */
void radix_cpu_to_order(struct radix_cpu *cpu, struct gb_timer *timer);
void radix_cpu_from_order(struct radix_cpu *cpu, struct gb_timer *timer);

/* The part of 0 .. count - 1 of a thread. */
struct radix_range {
	size_t begin, count;
};

static inline struct radix_range radix_share(size_t count, int thread, int threads)
{
	const size_t part = count / (size_t)threads, rest = count % (size_t)threads;
	const size_t t = (size_t)thread;

	return (struct radix_range){ part * t + (t < rest ? t : rest), part + (t < rest) };
}

/* Bytes of all records, once. */
double radix_cpu_size(const struct radix_input *input);
/* Bits of a key. */
unsigned radix_cpu_key_bits(const struct radix_input *input);
/* Bytes to turn floats into numbers and back: two passes of reading and writing, else 0. */
double radix_cpu_order_bytes(const struct radix_input *input);

#ifdef __cplusplus
}
#endif
#endif
