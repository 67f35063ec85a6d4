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
 * with GB_EMEMORY and what was needed and free in err; and NULL at once if err holds a failure
 * already, so that a series of allocations needs one look at err, after the last. */
void *gb_host_alloc(size_t count, size_t size, struct gb_error *err);

/* The same, filled with zero bytes. */
void *gb_host_zalloc(size_t count, size_t size, struct gb_error *err);

/* Accepts NULL. */
void gb_host_free(void *pointer);

/* Bytes of that kind in use now, and the most since the last gb_memory_mark(). */
size_t gb_memory_used(enum gb_memory_kind kind);
size_t gb_memory_peak(enum gb_memory_kind kind);
void gb_memory_mark(void);

/* What is allocated from now on belongs to `owner`, which stands for itself alone; NULL, as at the
 * start: to nobody.  free_owned() frees all that belongs to an owner and was not freed before. */
void gb_memory_own(const void *owner);
void gb_memory_free_owned(const void *owner);

/* The first `bytes` bytes of an array of the host or a device are a result: what run() writes anew
 * each time it is called, or reset() before it, and download() reads.  GB_WHOLE: all of it.  poison:
 * a byte that no right result consists of, GB_POISON or, where run() relies on bits that it does
 * not write, 0.  `array` may be NULL. */
#define GB_WHOLE SIZE_MAX
enum { GB_POISON = 0xa5 };
void gb_memory_result(const void *array, size_t bytes, unsigned char poison);

/* Write its poison over each result of an owner, those of a device by `fill`. */
typedef enum gb_status gb_fill_fn(void *array, unsigned char byte, size_t bytes,
				  struct gb_error *err);
enum gb_status gb_memory_poison(const void *owner, gb_fill_fn *fill, struct gb_error *err);

/* Bookkeeping for an allocator of another kind (cuda/): ask before, then add, and remove when it is
 * freed.  admit: false when this allocation is the one that a test wants to fail.  release: frees
 * the pointer, after it was removed. */
bool gb_memory_admit(struct gb_error *err);
enum gb_status gb_memory_add(enum gb_memory_kind kind, void *pointer, size_t bytes,
			     void (*release)(void *pointer), struct gb_error *err);
void gb_memory_remove(void *pointer);

/* Make the k-th allocation from now (1: the next) fail; 0 turns that off.  Dry ones do not count. */
void gb_memory_fail_at(int64_t k);

/* Dry: allocations are counted, not limited, and take no memory until touched.
 * Whoever fills an array with generated data asks gb_memory_is_dry() first. */
void gb_memory_set_dry(bool dry);
bool gb_memory_is_dry(void);

#ifdef __cplusplus
}
#endif
#endif
