/* nomemory.c -- preloaded: from the NOMEMORY-th allocation on after main() has begun, there is no
 * memory.  main() has begun when it calls setlocale(). */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static long left = -1; /* -1: there is memory */

static int refused(void)
{
	if (left < 0)
		return 0;
	if (left > 0 && --left > 0)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return refused() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return refused() ? NULL : __libc_realloc(old, size);
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
