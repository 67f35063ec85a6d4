/* vqsort.cc -- cpu/vqsort: the vectorised quicksort of Highway, one thread.
 *
 * hwy/contrib/sort is the peer that the field compares with; it picks the widest vectors of the
 * processor at run time.  Pairs are 64-bit numbers with the key above the value.
 */
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h> /* for its version */

#include "common/library.h"
#include "cpu/radix/shared/peer.h"

namespace
{
/* Members of hwy::Sorter, by their names in the library. */
struct {
	void (*construct)(void *);
	void (*destroy)(void *);
	void (*u32)(const void *, uint32_t *, size_t, hwy::SortAscending);
	void (*u64)(const void *, uint64_t *, size_t, hwy::SortAscending);
} lib;

const char *const name[] = {
	"_ZN3hwy6SorterC1Ev",
	"_ZN3hwy6Sorter6DeleteEv",
	"_ZNK3hwy6SorterclEPjmNS_13SortAscendingE",
	"_ZNK3hwy6SorterclEPmmNS_13SortAscendingE",
};
static_assert(sizeof lib == sizeof name);

struct vqsort {
	alignas(hwy::Sorter) unsigned char sorter[sizeof(hwy::Sorter)];

	static enum gb_status load(struct gb_error *err)
	{
		return gb_library_load("libhwy_contrib.so.1", name, sizeof name / sizeof *name,
				       &lib, err);
	}

	vqsort()
	{
		lib.construct(sorter);
	}
	~vqsort()
	{
		if (lib.destroy)
			lib.destroy(sorter);
	}

	/* The library reports no version at run time; this is the version of its headers. */
	static const char *library(void)
	{
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
		return "Highway " TEXT(HWY_MAJOR) "." TEXT(HWY_MINOR) "." TEXT(HWY_PATCH);
	}

	void sort(uint32_t *first, uint32_t *last, std::less<uint32_t>)
	{
		lib.u32(sorter, first, (size_t)(last - first), hwy::SortAscending());
	}

	void sort(uint64_t *first, uint64_t *last, std::less<uint64_t>)
	{
		lib.u64(sorter, first, (size_t)(last - first), hwy::SortAscending());
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_vqsort = radix_peer<vqsort>::ops;
