/* memory.h -- every array of a benchmark is allocated here, and counted.
 *
 * The counters make `memory` in the record exact, let --dry-run tell what a point would take,
 * and let a test make the k-th allocation fail.  Host allocations are checked against the
 * memory that is really free: with overcommit malloc() would say yes and the kernel would kill
 * the sweep later.  Not for strings and lists of the command line: those use malloc().
 */
#ifndef GPUBENCH_COMMON_MEMORY_H
#define GPUBENCH_COMMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gb_memory_kind { GB_HOST_MEMORY, GB_DEVICE_MEMORY };

/* count * size bytes on the host, aligned to 64 bytes (from 4 MiB on to 2 MiB, with huge pages
 * advised), contents undefined.  count == 0 gives a pointer that may be freed.  NULL on failure,
 * with GB_EUNAVAILABLE and what was needed and free in err. */
void *gb_host_alloc(size_t count, size_t size, struct gb_error *err);

/* The same, filled with zero bytes. */
void *gb_host_zalloc(size_t count, size_t size, struct gb_error *err);

/* Accepts NULL. */
void gb_host_free(void *pointer);

/* Bytes of that kind in use now, and the most since the last gb_memory_mark(). */
size_t gb_memory_used(enum gb_memory_kind kind);
size_t gb_memory_peak(enum gb_memory_kind kind);
void gb_memory_mark(void);

/* Whether an allocation has been refused for want of memory since the last gb_memory_mark(); an
 * allocator of another kind tells of its own refusals. */
bool gb_memory_refused(void);
void gb_memory_refuse(void);

/* Bookkeeping for an allocator of another kind (cuda/): ask before, then tell.
 * admit: false when this allocation is the one that a test wants to fail. */
bool gb_memory_admit(struct gb_error *err);
enum gb_status gb_memory_add(enum gb_memory_kind kind, void *pointer, size_t bytes,
			     struct gb_error *err);
void gb_memory_remove(void *pointer);

/* Make the k-th allocation from now (1: the next) fail; 0 turns that off. */
void gb_memory_fail_at(int64_t k);

/* Dry: allocations are counted, not limited, and take no memory until touched.
 * Whoever fills an array with generated data asks gb_memory_is_dry() first. */
void gb_memory_set_dry(bool dry);
bool gb_memory_is_dry(void);

/* Bytes that the host can still give: MemAvailable, lowered by the limits of the cgroup. */
uint64_t gb_host_available(void);

#ifdef __cplusplus
}
#endif
#endif
