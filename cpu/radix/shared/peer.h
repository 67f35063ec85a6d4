/* peer.h -- makes a variant of a C++ library's sort, which uses one thread and is not stable (C++
 * only).
 *
 * A class Sort has
 *
 *	library()                 its name and version
 *	load(err)                 loads it, if it is not linked
 *	sort(first, last, less)   of uint32_t or uint64_t
 *
 * Floats are sorted as unsigned numbers of the same order, so NaNs and signed zeros end where
 * common/radix_types.h wants them.  Whole pairs are compared, with positions for values that do not ascend
 * (radix_cpu_to_words()).
 *
 * A library allocates while it sorts, which a program that calls it cannot avoid: it is timed.
 */
#ifndef GPUBENCH_CPU_RADIX_SHARED_PEER_H
#define GPUBENCH_CPU_RADIX_SHARED_PEER_H

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <type_traits>

#include "common/benchmark.h"
#include "cpu/radix/shared/records.h"

template <class Sort> struct radix_peer {
	struct state {
		struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
		Sort sorter;
	};

	static enum gb_status create(void *memory, const void *params, const void *input,
				     struct gb_error *err)
	{
		static_assert(std::is_standard_layout<state>::value,
			      "a pointer to it points to its first member");
		static_assert(alignof(state) <= alignof(std::max_align_t),
			      "the caller's memory is calloc()'s");
		struct state *s;

		if constexpr (requires { Sort::load(err); })
			if (Sort::load(err))
				return err->code;
		s = new (memory) state{ {}, {} };
		if (radix_cpu_init(&s->cpu, params, input, false, err))
			return err->code;
		s->cpu.threads = 1;
		return radix_cpu_init_words(&s->cpu, params, err);
	}

	template <class T, class Less> static void sort(struct state *s, Less less)
	{
		T *first = static_cast<T *>(s->cpu.record);

		s->sorter.sort(first, first + s->cpu.count, less);
	}

	static void sort_words(struct state *s)
	{
		radix_cpu_to_words(&s->cpu);
		sort<uint64_t>(s, std::less<uint64_t>());
		radix_cpu_from_words(&s->cpu);
	}

	static enum gb_status run(void *state_in, struct gb_timer *, struct gb_error *err)
	{
		struct state *s = static_cast<struct state *>(state_in);

		if (!s->cpu.count)
			return GB_OK;
		radix_cpu_to_order(&s->cpu, nullptr);
		try {
			if (s->cpu.width == 8)
				sort_words(s);
			else
				sort<uint32_t>(s, std::less<uint32_t>());
		} catch (const std::bad_alloc &) {
			return gb_out_of_memory(err, Sort::library());
		} catch (const std::exception &e) {
			return gb_fail(err, GB_ERUNTIME, "%s: %s", Sort::library(), e.what());
		}
		radix_cpu_from_order(&s->cpu, nullptr);
		return GB_OK;
	}

	static void destroy(void *state_in)
	{
		static_cast<struct state *>(state_in)->~state();
	}

	static constexpr struct gb_variant_ops ops = {
		.state_size = sizeof(struct state),
		.create = create,
		.reset = radix_cpu_reset,
		.run = run,
		.download = radix_cpu_download,
		.destroy = destroy,
		.excluded = radix_cpu_excluded,
		.library = Sort::library,
		.flags = GB_SERIAL,
	};
};

#endif
