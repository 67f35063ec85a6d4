/* boost.cc -- cpu/boost-pdq: pdqsort_branchless() of Boost.Sort, one thread: a quicksort without
 * branches on the data that finds patterns (Peters).
 */
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/version.hpp>
#include <cstdio>
#include <functional>

#include "cpu/radix/shared/peer.h"

namespace
{
struct pdqsort {
	static const char *library(void)
	{
		static char text[32];

		(void)std::snprintf(text, sizeof text, "Boost %d.%d.%d", BOOST_VERSION / 100000,
				    BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100);
		return text;
	}

	template <class T> void sort(T *first, T *last)
	{
		boost::sort::pdqsort_branchless(first, last, std::less<T>());
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_boost_pdq = radix_peer<pdqsort>::ops;
