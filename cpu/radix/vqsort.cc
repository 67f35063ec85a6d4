/* vqsort.cc -- cpu/vqsort: the vectorised quicksort of Highway, one thread.
 *
 * hwy/contrib/sort is the peer that the field compares with; it picks the widest vectors of the
 * processor at run time.  Floats are sorted as unsigned numbers of the same order, so NaNs and
 * signed zeros end where common/radix.h wants them.  Pairs are 64-bit numbers with the key above
 * the value.  If the values ascend in the input, that is the stable order.  Other values are
 * replaced by positions, and fetched after the sort, because vqsort's own type for pairs (K32V32)
 * is not stable.
 */
#include <cstddef>
#include <new>
#include <type_traits>

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h> /* for its version */

#include "common/workload.h"
#include "cpu/radix/parts/records.h"

namespace
{
struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	hwy::Sorter sorter;
};
static_assert(std::is_standard_layout<state>::value, "a pointer to it points to its first member");

static_assert(alignof(state) <= alignof(std::max_align_t), "the caller's memory is calloc()'s");

enum gb_status create(void *memory, const void *params, const void *input, struct gb_error *err)
{
	struct state *s = new (memory) struct state();

	if (radix_cpu_init(&s->cpu, params, input, false, err))
		return err->code;
	s->cpu.threads = 1;
	return radix_cpu_init_words(&s->cpu, params, err);
}

enum gb_status run(void *state_in, struct gb_timer *, struct gb_error *)
{
	struct state *s = static_cast<struct state *>(state_in);
	struct radix_cpu *cpu = &s->cpu;

	if (!cpu->count)
		return GB_OK;
	radix_cpu_to_order(cpu, nullptr);
	radix_cpu_to_words(cpu);
	if (cpu->width == 8)
		s->sorter(static_cast<uint64_t *>(cpu->record), cpu->count, hwy::SortAscending());
	else
		s->sorter(static_cast<uint32_t *>(cpu->record), cpu->count, hwy::SortAscending());
	radix_cpu_from_words(cpu);
	radix_cpu_from_order(cpu, nullptr);
	return GB_OK;
}

void destroy(void *state_in)
{
	static_cast<struct state *>(state_in)->~state();
}

/* The library reports no version at run time; this is the version of its headers. */
const char *library(void)
{
#define TEXT_(number) #number
#define TEXT(number)  TEXT_(number)
	return "Highway " TEXT(HWY_MAJOR) "." TEXT(HWY_MINOR) "." TEXT(HWY_PATCH);
}
} // namespace

extern "C" const struct gb_variant_ops radix_cpu_vqsort = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.destroy = destroy,
	.excluded = radix_cpu_excluded,
	.library = library,
	.flags = GB_SERIAL,
};
