/* vqsort.cc -- cpu/vqsort: the vectorised quicksort of Highway, one thread.
 *
 * hwy/contrib/sort is the peer that the field compares with; it picks the widest vectors of the
 * processor at run time.  Pairs are numbers of 64 or 128 bits with the key above the value.
 */
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h> /* for its version */

#include <bit>

#include "common/library.h"
#include "cpu/radix/shared/peer.h"

namespace
{
/* Members of hwy::Sorter, by their names in the library. */
struct {
	void (*construct)(void *);
	void (*destroy)(void *);
	void (*sort[8])(const void *, void *, size_t, hwy::SortAscending);
} lib;

#define SORT(type) "_ZNK3hwy6SorterclEP" type "mNS_13SortAscendingE"
const char *const name[] = {
	"_ZN3hwy6SorterC1Ev",
	"_ZN3hwy6Sorter6DeleteEv",
	SORT("t"),
	SORT("j"),
	SORT("m"),
	SORT("NS_9uint128_tE"),
	SORT("i"),
	SORT("l"),
	SORT("f"),
	SORT("d"),
};
static_assert(sizeof lib == sizeof name);

/* The place of a type in lib.sort. */
template <class T>
constexpr size_t place = std::is_floating_point<T>() ? 5 + sizeof(T) / 4
			 : std::is_signed<T>()       ? 3 + sizeof(T) / 4
						     : std::bit_width(sizeof(T)) - 2;
static_assert(place<uint16_t> == 0 && place<radix_u128> == 3);
static_assert(place<int32_t> == 4 && place<int64_t> == 5);
static_assert(place<float> == 6 && place<double> == 7);

struct vqsort {
	alignas(hwy::Sorter) unsigned char sorter[sizeof(hwy::Sorter)];

	static enum gb_status load(const struct radix_input *input, struct gb_error *err)
	{
		if (input->type == RADIX_U8 && !input->value_size)
			return gb_fail(err, GB_EUNAVAILABLE, "has no sort of u8 keys");
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

	template <class T> void sort(T *first, T *last)
	{
		if constexpr (sizeof(T) > 1)
			lib.sort[place<T>](sorter, first, (size_t)(last - first), {});
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_vqsort = radix_peer<vqsort>::ops;
