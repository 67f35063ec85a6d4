/* boost.cc -- cpu/boost-pdq, boost-spread, boost-block, boost-sample, boost-stable: Boost.Sort.
 *
 * boost-pdq and boost-spread use one thread: a quicksort without branches on the data that finds
 * patterns (Peters), and a hybrid of radix sort and quicksort (Ross).  block_indirect_sort is a
 * parallel quicksort and merge in blocks, in place but for those (Tapia).  sample_sort and
 * parallel_stable_sort are stable and take another array, of half the size in the latter.
 */
#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <boost/sort/parallel_stable_sort/parallel_stable_sort.hpp>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/sort/sample_sort/sample_sort.hpp>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <boost/version.hpp>
#include <cstdio>

#include "cpu/radix/parts/peer.h"

namespace
{
struct boost_sort {
	unsigned threads;

	explicit boost_sort(int threads_) : threads((unsigned)threads_)
	{
	}

	static const char *library(void)
	{
		static char text[32];

		(void)std::snprintf(text, sizeof text, "Boost %d.%d.%d", BOOST_VERSION / 100000,
				    BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
		return text;
	}
};

/* A class for radix_peer with this call in sort(). */
#define SORT(name, flags_, stable_, call)                                              \
	struct name : boost_sort {                                                     \
		static constexpr unsigned flags = flags_;                              \
		static constexpr bool stable = stable_;                                \
		using boost_sort::boost_sort;                                          \
		template <class T, class Less> void sort(T *first, T *last, Less less) \
		{                                                                      \
			boost::sort::call;                                             \
		}                                                                      \
	}

SORT(pdq, GB_SERIAL, false, pdqsort_branchless(first, last, less));
SORT(block, 0, false, block_indirect_sort(first, last, less, threads));
SORT(sample, 0, true, sample_sort(first, last, less, threads));
SORT(stable_sort, 0, true, parallel_stable_sort(first, last, less, threads));

/* The key of a pair without its `offset` lowest bits. */
struct shifted_key {
	uint32_t operator()(uint64_t pair, unsigned offset) const
	{
		return (uint32_t)(pair >> 32) >> offset;
	}
};

struct spread : boost_sort {
	static constexpr unsigned flags = GB_SERIAL;
	static constexpr bool stable = false;
	using boost_sort::boost_sort;

	template <class T> void sort(T *first, T *last, std::less<T>)
	{
		boost::sort::spreadsort::integer_sort(first, last);
	}

	void sort(uint64_t *first, uint64_t *last, radix_by_key less)
	{
		boost::sort::spreadsort::integer_sort(first, last, shifted_key(), less);
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_boost_pdq = radix_peer<pdq>::ops;
extern "C" const struct gb_variant_ops radix_cpu_boost_spread = radix_peer<spread>::ops;
extern "C" const struct gb_variant_ops radix_cpu_boost_block = radix_peer<block>::ops;
extern "C" const struct gb_variant_ops radix_cpu_boost_sample = radix_peer<sample>::ops;
extern "C" const struct gb_variant_ops radix_cpu_boost_stable = radix_peer<stable_sort>::ops;
