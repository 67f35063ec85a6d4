/* records.h -- shared by the CPU radix sorts: records, buffers, input and output.
 *
 * A record is the unit that is moved: the key itself (u32, f32: 4 bytes; u64: 8 bytes), or for
 * pairs 8 bytes with the key in the upper half and the value in the lower.  reset() interleaves
 * pairs and download() splits them again, outside `time` (`excluded`), because a program that sorts
 * pairs on a CPU keeps them together.  All variants, peers included, get this layout.
 *
 * Floats are sorted as unsigned numbers of the same order (common/radix_types.h).  Both conversions
 * belong to the algorithm and are timed.
 */
#ifndef GPUBENCH_CPU_RADIX_SHARED_RECORDS_H
#define GPUBENCH_CPU_RADIX_SHARED_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/radix_types.h"
#include "common/status.h"
#include "common/timer.h"
#include "cpu/runtime/range.h"

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
	void *record;    /* count records: the input after reset(), the result after run() */
	void *spare;     /* as large as `record`, or NULL */
	uint32_t *value; /* count values, if radix_cpu_to_words() is to replace them; else NULL */
};

/* Number of threads asked for; all CPUs by default. */
int radix_cpu_threads(const void *params);

/* Allocate the buffers, the spare one only if asked for. */
enum gb_status radix_cpu_init(struct radix_cpu *cpu, const void *params, const void *input,
			      bool spare, struct gb_error *err);

/* Allocate `value` for pairs whose values do not ascend. */
enum gb_status radix_cpu_init_words(struct radix_cpu *cpu, const void *params,
				    struct gb_error *err);

/* Operations for every variant whose state begins with a struct radix_cpu. */

/* Copy the input into cpu->record. */
enum gb_status radix_cpu_reset(void *state, int64_t sample, struct gb_error *err);
/* Copy cpu->record to the benchmark's output layout. */
enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err);
const char *radix_cpu_excluded(const void *params);

/* Convert cpu->record between floats and unsigned numbers of the same order, in phase "order"
 * unless timer is NULL.  Other types stay as they are. */
void radix_cpu_to_order(struct radix_cpu *cpu, struct gb_timer *timer);
void radix_cpu_from_order(struct radix_cpu *cpu, struct gb_timer *timer);

/* For sorts that are not stable or compare whole words: replace values that do not ascend by
 * positions, and fetch the values of sorted records. */
void radix_cpu_to_words(struct radix_cpu *cpu);
void radix_cpu_from_words(struct radix_cpu *cpu);

#ifdef __cplusplus
}
#endif
#endif
