/* gnu.cc -- cpu/gnu, gnu-stable: std::sort and std::stable_sort of libstdc++'s parallel mode.
 *
 * Each thread sorts a part, then all merge, through a second array (multiway mergesort, the default
 * of the library).  With one thread they are the std::sort and std::stable_sort of any program.
 */
#include <parallel/algorithm>

#include "cpu/radix/parts/peer.h"

namespace
{
template <bool keeps_order> struct gnu_sort {
	static constexpr unsigned flags = 0;
	static constexpr bool stable = keeps_order;
	unsigned threads;

	explicit gnu_sort(int threads_) : threads((unsigned)threads_)
	{
	}

	static const char *library(void)
	{
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
		return "libstdc++ " TEXT(_GLIBCXX_RELEASE);
	}

	template <class T, class Less> void sort(T *first, T *last, Less less)
	{
		const __gnu_parallel::multiway_mergesort_tag all(threads);

		if (threads == 1 && stable)
			std::stable_sort(first, last, less);
		else if (threads == 1)
			std::sort(first, last, less);
		else if (stable)
			__gnu_parallel::stable_sort(first, last, less, all);
		else
			__gnu_parallel::sort(first, last, less, all);
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_gnu = radix_peer<gnu_sort<false>>::ops;
extern "C" const struct gb_variant_ops radix_cpu_gnu_stable = radix_peer<gnu_sort<true>>::ops;
