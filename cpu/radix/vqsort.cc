/* vqsort.cc -- cpu/vqsort: the vectorised quicksort of Highway, one thread.
 *
 * hwy/contrib/sort is the peer that the field compares with; it picks the widest vectors of the
 * processor at run time.  Pairs are numbers of 64 or 128 bits with the key
 * above the value.
 */
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h> /* for its version */

#include "common/library.h"
#include "cpu/radix/shared/peer.h"

namespace
{
/* Members of hwy::Sorter, by their names in the library. */
template <class T> using sorts = void (*)(const void *, T *, size_t, hwy::SortAscending);
struct {
	void (*construct)(void *);
	void (*destroy)(void *);
	sorts<uint16_t> u16;
	sorts<uint32_t> u32;
	sorts<uint64_t> u64;
	sorts<hwy::uint128_t> u128;
	sorts<int32_t> i32;
	sorts<int64_t> i64;
	sorts<float> f32;
	sorts<double> f64;
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

	template <class T> void call(sorts<T> function, void *first, size_t bytes)
	{
		function(sorter, static_cast<T *>(first), bytes / sizeof(T), hwy::SortAscending());
	}

	template <class T> void sort(T *first, T *last)
	{
		const size_t bytes = (size_t)(last - first) * sizeof(T);

		if constexpr (std::is_same<T, uint16_t>())
			call(lib.u16, first, bytes);
		else if constexpr (std::is_same<T, uint32_t>())
			call(lib.u32, first, bytes);
		else if constexpr (std::is_same<T, uint64_t>())
			call(lib.u64, first, bytes);
		else if constexpr (std::is_same<T, radix_u128>())
			call(lib.u128, first, bytes);
		else if constexpr (std::is_same<T, int32_t>())
			call(lib.i32, first, bytes);
		else if constexpr (std::is_same<T, int64_t>())
			call(lib.i64, first, bytes);
		else if constexpr (std::is_same<T, float>())
			call(lib.f32, first, bytes);
		else if constexpr (std::is_same<T, double>())
			call(lib.f64, first, bytes);
	}
};
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_vqsort = radix_peer<vqsort>::ops;
