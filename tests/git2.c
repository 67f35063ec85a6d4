/* git2.c -- stands between Criterion and libgit2, which it prints the differences of strings with.
 *
 * Criterion starts a process per test.  Each would load libgit2 with twelve libraries that it
 * needs, and read the system's certificates, which takes longer than a small test.  This library
 * has the name of libgit2, and loads LIBGIT2 when the first difference is printed.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef int diff_buffers(const void *, size_t, const char *, const void *, size_t, const char *,
			 const void *, void *, void *, void *, void *, void *);

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
diff_buffers git_diff_buffers;

int git_libgit2_init(void)
{
	return 1;
}

int git_libgit2_shutdown(void)
{
	return 0;
}

/* The reports of all tests end if this fails, so that the whole run does. */
int git_diff_buffers(const void *old, size_t old_size, const char *old_path, const void *new,
		     size_t new_size, const char *new_path, const void *options, void *on_file,
		     void *on_binary, void *on_hunk, void *on_line, void *payload)
{
	void *real = dlopen(LIBGIT2, RTLD_NOW);
	int (*init)(void) = real ? (int (*)(void))dlsym(real, "git_libgit2_init") : NULL;
	diff_buffers *diff = real ? (diff_buffers *)dlsym(real, "git_diff_buffers") : NULL;

	if (!init || !diff || init() < 0) {
		(void)fputs("cannot load " LIBGIT2 "\n", stderr);
		abort();
	}
	return diff(old, old_size, old_path, new, new_size, new_path, options, on_file, on_binary,
		    on_hunk, on_line, payload);
}
