/* std.cc -- cpu/qsort: qsort(3), one thread; the default choice of a C program. */
#include <cstdio>
#include <cstdlib>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "cpu/radix/shared/peer.h"

namespace
{
struct by_qsort {
	/* musl has no version at run time. */
	static const char *library(void)
	{
		static char text[32] = "another libc than glibc";

#ifdef __GLIBC__
		(void)std::snprintf(text, sizeof text, "glibc %s", gnu_get_libc_version());
#endif
		return text;
	}

	template <class T> static int compare(const void *left, const void *right)
	{
		const T a = *static_cast<const T *>(left), b = *static_cast<const T *>(right);

		return (a > b) - (a < b);
	}

	template <class T> void sort(T *first, T *last)
	{
		std::qsort(first, (size_t)(last - first), sizeof *first, compare<T>);
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_qsort = radix_peer<by_qsort>::ops;
