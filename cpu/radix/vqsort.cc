/* vqsort.cc -- cpu/vqsort: the vectorised quicksort of Highway, one thread.
 *
 * hwy/contrib/sort is the peer that the field compares with; it picks the widest vectors of the
 * processor at run time.  Pairs are 64-bit numbers with the key above the value, or Highway's type
 * for pairs (K32V32), which is compared by key, where equal keys may come in any order.
 */
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h> /* for its version */

#include "cpu/radix/parts/peer.h"

namespace
{
struct vqsort {
	static constexpr unsigned flags = GB_SERIAL;
	static constexpr bool stable = false;
	hwy::Sorter sorter;

	explicit vqsort(int)
	{
	}

	/* The library reports no version at run time; this is the version of its headers. */
	static const char *library(void)
	{
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
		return "Highway " TEXT(HWY_MAJOR) "." TEXT(HWY_MINOR) "." TEXT(HWY_PATCH);
	}

	template <class T> void sort(T *first, T *last, std::less<T>)
	{
		sorter(first, (size_t)(last - first), hwy::SortAscending());
	}

	void sort(uint64_t *first, uint64_t *last, radix_by_key)
	{
		sorter(reinterpret_cast<hwy::K32V32 *>(first), (size_t)(last - first),
		       hwy::SortAscending());
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_vqsort = radix_peer<vqsort>::ops;
