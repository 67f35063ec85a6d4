/* ips4o.cc -- cpu/ips4o: In-place Parallel Super Scalar Samplesort (Axtmann, Witt, Ferizovic and
 * Sanders, "In-place Parallel Super Scalar Samplesort", ESA 2017), not stable.  With few keys per
 * thread it uses one.  Its headers have no version.
 */
#include <ips4o.hpp>

#include "cpu/radix/parts/peer.h"

namespace
{
struct ips4o_sort {
	static constexpr unsigned flags = 0;
	static constexpr bool stable = false;
	int threads;

	explicit ips4o_sort(int threads_) : threads(threads_)
	{
	}

	static const char *library(void)
	{
		return "ips4o";
	}

	template <class T, class Less> void sort(T *first, T *last, Less less)
	{
		ips4o::parallel::sort(first, last, less, threads);
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_ips4o = radix_peer<ips4o_sort>::ops;
