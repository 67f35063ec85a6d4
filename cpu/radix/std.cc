/* std.cc -- cpu/qsort and cpu/std-sort: qsort(3) and std::sort(), one thread; the default choices
 * of a C and of a C++ program.
 */
#include <algorithm>
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

struct by_std_sort {
	static const char *library(void)
	{
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
		return "libstdc++ " TEXT(_GLIBCXX_RELEASE);
	}

	template <class T> void sort(T *first, T *last)
	{
		std::sort(first, last);
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_qsort = radix_peer<by_qsort>::ops;
extern "C" const struct gb_variant_ops radix_cpu_std_sort = radix_peer<by_std_sort>::ops;
