/* memory.c -- counted allocation with a list of live blocks.
 *
 * A benchmark holds a few dozen arrays, so a linked list behind a mutex is enough.  Pointers are
 * those of the system allocator, so that AddressSanitizer sees the true bounds.
 */
#include "common/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/available.h"
#include "common/text.h"

enum { LINE = 64, KINDS = 2 };
#define HUGE_PAGE ((size_t)2 << 20)

struct block {
	struct block *next;
	void *pointer;
	size_t bytes;
	enum gb_memory_kind kind;
	bool mapped; /* by mmap, in a dry run */
	const void *owner;
	void (*release)(void *pointer); /* NULL: use gb_host_free() */
	size_t result;                  /* the first bytes, which are a run's result */
	unsigned char poison;           /* see gb_memory_result() */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static size_t used[KINDS], peak[KINDS];
static int64_t fail_at;
static const void *current_owner;
static bool dry;
static size_t limit;

bool gb_memory_admit(struct gb_error *err)
{
	bool yes = true;

	(void)pthread_mutex_lock(&lock);
	if (!dry && fail_at > 0 && --fail_at == 0)
		yes = false;
	(void)pthread_mutex_unlock(&lock);
	if (!yes)
		gb_fail(err, GB_EMEMORY, "injected allocation failure");
	return yes;
}

enum gb_status gb_memory_add(enum gb_memory_kind kind, void *pointer, size_t bytes,
			     void (*release)(void *pointer), struct gb_error *err)
{
	const bool mapped = dry && kind == GB_HOST_MEMORY;
	struct block *b = malloc(sizeof *b);

	if (!b)
		return gb_out_of_memory(err, NULL);
	(void)pthread_mutex_lock(&lock);
	*b = (struct block){ blocks, pointer, bytes, kind, mapped, current_owner, release, 0, 0 };
	blocks = b;
	used[kind] += bytes;
	if (used[kind] > peak[kind])
		peak[kind] = used[kind];
	(void)pthread_mutex_unlock(&lock);
	return GB_OK;
}

/* Unlink the block of `pointer`; NULL if there is none. */
static struct block *take(const void *pointer)
{
	struct block **link = &blocks;
	struct block *b;

	(void)pthread_mutex_lock(&lock);
	while (*link && (*link)->pointer != pointer)
		link = &(*link)->next;
	b = *link;
	if (b) {
		*link = b->next;
		used[b->kind] -= b->bytes;
	}
	(void)pthread_mutex_unlock(&lock);
	return b;
}

/* Memory for a dry run: address space without pages. */
static void *map_dry(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	(void)madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

static void give_back(void *pointer, size_t bytes, bool mapped)
{
	if (mapped)
		(void)munmap(pointer, bytes);
	else
		free(pointer);
}

static void *allocate(size_t bytes)
{
	const size_t alignment = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : LINE;
	void *p = NULL;

	if (posix_memalign(&p, alignment, bytes))
		return NULL;
	if (alignment == HUGE_PAGE)
		(void)madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	return p;
}

void gb_memory_set_limit(size_t bytes)
{
	limit = bytes;
}

size_t gb_memory_limit(void)
{
	return limit;
}

uint64_t gb_memory_available(void)
{
	const uint64_t free_bytes = gb_host_available();
	const size_t taken = used[GB_HOST_MEMORY];
	const uint64_t left = !limit ? UINT64_MAX : limit > taken ? limit - taken : 0;

	return left < free_bytes ? left : free_bytes;
}

void *gb_host_alloc(size_t count, size_t size, struct gb_error *err)
{
	char need[GB_TEXT_MAX], have[GB_TEXT_MAX];
	size_t bytes;
	uint64_t available;
	void *p;

	if (err->code)
		return NULL;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 2 * HUGE_PAGE) {
		gb_fail(err, GB_EMEMORY, "%zu x %zu bytes cannot be addressed", count, size);
		return NULL;
	}
	if (!gb_memory_admit(err))
		return NULL;
	if (bytes == 0)
		bytes = 1;
	available = dry || bytes < HUGE_PAGE ? UINT64_MAX : gb_memory_available();
	p = bytes > available ? NULL : dry ? map_dry(bytes) : allocate(bytes);
	if (!p) {
		gb_fail(err, GB_EMEMORY, "needs %s of host memory, %s free",
			gb_text_bytes(need, (double)bytes),
			gb_text_bytes(have, (double)gb_memory_available()));
		return NULL;
	}
	if (!gb_memory_add(GB_HOST_MEMORY, p, bytes, NULL, err))
		return p;
	give_back(p, bytes, dry);
	return NULL;
}

/* Fill an array in parallel, so that its pages are first touched as in a run. */
static void fill_host(unsigned char *array, unsigned char byte, size_t bytes)
{
	const size_t page = 4096, worth = (size_t)1 << 20;

#pragma omp parallel for schedule(static) if (bytes > worth)
	for (size_t at = 0; at < bytes; at += page)
		memset(array + at, byte, bytes - at < page ? bytes - at : page);
}

void *gb_host_zalloc(size_t count, size_t size, struct gb_error *err)
{
	void *p = gb_host_alloc(count, size, err);

	if (p && !dry)
		fill_host(p, 0, count * size);
	return p;
}

void gb_host_free(void *pointer)
{
	struct block *b;

	if (!pointer)
		return;
	b = take(pointer);
	give_back(pointer, b ? b->bytes : 0, b && b->mapped);
	free(b);
}

size_t gb_memory_used(enum gb_memory_kind kind)
{
	return used[kind];
}

size_t gb_memory_peak(enum gb_memory_kind kind)
{
	return peak[kind];
}

void gb_memory_mark(void)
{
	(void)pthread_mutex_lock(&lock);
	memcpy(peak, used, sizeof peak);
	(void)pthread_mutex_unlock(&lock);
}

void gb_memory_own(const void *owner)
{
	(void)pthread_mutex_lock(&lock);
	current_owner = owner;
	(void)pthread_mutex_unlock(&lock);
}

/* The most recent block of an owner; NULL if there is none. */
static struct block *newest_of(const void *owner)
{
	struct block *b;

	(void)pthread_mutex_lock(&lock);
	for (b = blocks; b && b->owner != owner; b = b->next)
		;
	(void)pthread_mutex_unlock(&lock);
	return b;
}

void gb_memory_free_owned(const void *owner)
{
	struct block *b;

	while ((b = newest_of(owner)) != NULL) {
		void *const pointer = b->pointer;
		void (*const release)(void *) = b->release;

		if (!release) {
			gb_host_free(pointer);
			continue;
		}
		free(take(pointer));
		release(pointer);
	}
}

void gb_memory_result(const void *array, size_t bytes, unsigned char poison)
{
	(void)pthread_mutex_lock(&lock);
	for (struct block *b = blocks; b; b = b->next) {
		if (b->pointer != array)
			continue;
		b->result = bytes < b->bytes ? bytes : b->bytes;
		b->poison = poison;
	}
	(void)pthread_mutex_unlock(&lock);
}

enum gb_status gb_memory_poison(const void *owner, unsigned char byte, gb_fill_fn *fill,
				struct gb_error *err)
{
	for (const struct block *b = blocks; b && !err->code; b = b->next) {
		const unsigned char with = b->poison ? byte : 0;

		if (b->owner != owner || !b->result)
			continue;
		if (b->kind == GB_DEVICE_MEMORY)
			(void)fill(b->pointer, with, b->result, err);
		else
			fill_host(b->pointer, with, b->result);
	}
	return err->code;
}

void gb_memory_fail_at(int64_t k)
{
	(void)pthread_mutex_lock(&lock);
	fail_at = k;
	(void)pthread_mutex_unlock(&lock);
}

void gb_memory_set_dry(bool dry_run)
{
	dry = dry_run;
}

bool gb_memory_is_dry(void)
{
	return dry;
}
