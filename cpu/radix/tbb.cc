/* tbb.cc -- cpu/tbb: oneTBB's parallel_sort, a quicksort in place whose parts are tasks.
 *
 * The threads are the library's own.  They are started by the first run.
 */
#include <cstdio>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include "cpu/radix/parts/peer.h"

namespace
{
struct tbb_sort {
	static constexpr unsigned flags = 0;
	static constexpr bool stable = false;
	tbb::global_control most; /* for more threads than cores */
	tbb::task_arena arena;

	explicit tbb_sort(int threads)
	    : most(tbb::global_control::max_allowed_parallelism, (size_t)threads), arena(threads)
	{
	}

	/* The library that runs, which may be newer than the headers. */
	static const char *library(void)
	{
		static char text[48];

		(void)std::snprintf(text, sizeof text, "oneTBB %s", TBB_runtime_version());
		return text;
	}

	template <class T, class Less> void sort(T *first, T *last, Less less)
	{
		arena.execute([=] { tbb::parallel_sort(first, last, less); });
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_tbb = radix_peer<tbb_sort>::ops;
