/* nomemory.c -- preloaded: allocations fail from the NOMEMORY-th one after main() has begun. main()
 * has begun when it calls setlocale().
 *
 * As in a real process, freed memory can be reused: an allocation neither counts nor fails as long
 * as it does not exceed the peak so far.  Constructors of a library that main() loads have memory:
 * in C++ they end the process without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *old);

static long left = -1; /* -1: memory is available */
static _Atomic long used, most;

static int refused(size_t more)
{
	if (left < 0 || used + (long)more <= most)
		return 0;
	if (left > 0 && --left > 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

static void *taken(void *new)
{
	used += (long)malloc_usable_size(new);
	if (used > most)
		most = used;
	return new;
}

void *malloc(size_t size)
{
	return refused(size) ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return refused(count * size) ? NULL : taken(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
	const long before = (long)malloc_usable_size(old);
	void *new;

	if (refused(size)) /* the old block stays valid until a new one exists */
		return NULL;
	new = __libc_realloc(old, size);
	used -= new ? before : 0;
	return taken(new);
}

void free(void *old)
{
	used -= (long)malloc_usable_size(old);
	__libc_free(old);
}

char *setlocale(int category, const char *locale)
{
	char *(*next)(int, const char *) =
		(char *(*)(int, const char *))dlsym(RTLD_NEXT, "setlocale");
	char *result = next(category, locale);
	const char *text = getenv("NOMEMORY");

	if (text)
		left = atol(text);
	return result;
}

void *dlopen(const char *file, int flags)
{
	void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
	const long before = left;
	void *result;

	left = -1;
	result = next(file, flags);
	left = before;
	return result;
}
