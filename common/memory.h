/* memory.h -- allocates and counts every array of a benchmark.
 *
 * The counters make `memory` in the record exact, give --dry-run the memory that a point would
 * take, and let a test make the k-th allocation fail.  Host allocations are checked against the
 * memory that is actually free: with overcommit, malloc() would succeed and the kernel would kill
 * the sweep later.  Strings and lists of the command line use malloc() instead.
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

/* Allocate count * size bytes on the host with undefined contents, aligned to 64 bytes; from 4 MiB
 * on aligned to 2 MiB, with huge pages advised.  count == 0 returns a pointer that may be freed.
 * On failure, return NULL with GB_EMEMORY; the message has the bytes needed and free.  Also return
 * NULL if err already holds a failure: of several allocations, only the last needs a check. */
void *gb_host_alloc(size_t count, size_t size, struct gb_error *err);

/* As gb_host_alloc(), filled with zero bytes. */
void *gb_host_zalloc(size_t count, size_t size, struct gb_error *err);

/* Accepts NULL. */
void gb_host_free(void *pointer);

/* Bytes of that kind in use now, and the peak since the last gb_memory_mark(). */
size_t gb_memory_used(enum gb_memory_kind kind);
size_t gb_memory_peak(enum gb_memory_kind kind);
void gb_memory_mark(void);

/* Allocations from now on belong to `owner`, an address that is only compared; NULL, the initial
 * value, means no owner.  gb_memory_free_owned() frees all blocks that still belong to an owner. */
void gb_memory_own(const void *owner);
void gb_memory_free_owned(const void *owner);

/* Declare the first `bytes` bytes (GB_WHOLE: all) of a host or device array to be a result: run(),
 * or reset() before it, writes them every time, and download() reads them.  poison is GB_POISON, or
 * 0 if run() relies on bits that it does not write.  `array` may be NULL. */
#define GB_WHOLE SIZE_MAX
enum { GB_POISON = 0xa5 };
void gb_memory_result(const void *array, size_t bytes, unsigned char poison);

/* Overwrite each result of an owner with `byte`, or with 0 if that is its poison; `fill` is used
 * for device arrays.  `byte` is 128 to 254, so that no correct result consists of it. */
typedef enum gb_status gb_fill_fn(void *array, unsigned char byte, size_t bytes,
				  struct gb_error *err);
enum gb_status gb_memory_poison(const void *owner, unsigned char byte, gb_fill_fn *fill,
				struct gb_error *err);

/* Bookkeeping for other allocators (cuda/): call admit before an allocation and add after it.
 * gb_memory_admit() is false if a test wants this allocation to fail.  `release` frees the
 * pointer. */
bool gb_memory_admit(struct gb_error *err);
enum gb_status gb_memory_add(enum gb_memory_kind kind, void *pointer, size_t bytes,
			     void (*release)(void *pointer), struct gb_error *err);

/* Limit the host memory in use to `bytes`; 0, the initial value: only to what is free. */
void gb_memory_set_limit(size_t bytes);
size_t gb_memory_limit(void);
/* The bytes that gb_host_alloc() can still give: what is free and within the limit. */
uint64_t gb_memory_available(void);

/* Make the k-th allocation from now (1: the next) fail; 0: none.  Dry allocations do not count. */
void gb_memory_fail_at(int64_t k);

/* In dry mode, allocations are counted but not limited, and take no memory until touched.  Code
 * that fills an array with generated data must check gb_memory_is_dry() first. */
void gb_memory_set_dry(bool dry);
bool gb_memory_is_dry(void);

#ifdef __cplusplus
}
#endif
#endif
