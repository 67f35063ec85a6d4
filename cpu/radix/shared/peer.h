/* peer.h -- makes a variant of a C++ library's sort, which uses one thread and is not stable (C++
 * only).
 *
 * A class Sort has
 *
 *	library()                 its name and version
 *	load(input, err)          loads it, if it is not linked, and refuses keys
 *	sort(first, last)         of any type of key; and of radix_u128
 *
 * Real keys are sorted as what they are if none is a NaN, otherwise as unsigned numbers of the same
 * order, so that NaNs end where common/radix_types.h wants them.  Whole pairs are compared, with
 * positions for values that do not ascend (radix_cpu_to_words()).
 *
 * A library allocates while it sorts, which a program that calls it cannot avoid: it is timed.
 */
#ifndef GPUBENCH_CPU_RADIX_SHARED_PEER_H
#define GPUBENCH_CPU_RADIX_SHARED_PEER_H

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>

#include "common/benchmark.h"
#include "cpu/radix/shared/records.h"

template <class Sort> struct radix_peer {
	struct state {
		struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
		Sort sorter;
	};

	static enum gb_status create(void *memory, const void *params, const void *input_in,
				     struct gb_error *err)
	{
		const struct radix_input *input = static_cast<const struct radix_input *>(input_in);

		static_assert(std::is_standard_layout<state>::value,
			      "a pointer to it points to its first member");
		static_assert(alignof(state) <= alignof(std::max_align_t),
			      "the caller's memory is calloc()'s");
		struct state *s;

		if constexpr (requires { Sort::load(input, err); })
			if (Sort::load(input, err))
				return err->code;
		s = new (memory) state{ {}, {} };
		return radix_cpu_init_peer(&s->cpu, params, input, err);
	}

	template <class T> static void sort(struct state *s)
	{
		const struct radix_cpu *cpu = &s->cpu;
		T *first = static_cast<T *>(cpu->record);

		for (size_t i = 0; i < cpu->input->segments; i++)
			s->sorter.sort(first + radix_cpu_segment(cpu, i),
				       first + radix_cpu_segment(cpu, i + 1));
	}

	static void sort_records(struct state *s)
	{
		static void (*const by_type[RADIX_TYPES])(struct state *) = {
			sort<uint8_t>, sort<uint16_t>, sort<uint32_t>, sort<uint64_t>,
			sort<int32_t>, sort<int64_t>,  sort<float>,    sort<double>
		};
		static void (*const by_width[RADIX_CPU_WIDTHS])(
			struct state *) = { sort<uint8_t>, sort<uint16_t>, sort<uint32_t>,
					    sort<uint64_t>, sort<radix_u128> };

		(s->cpu.is_native ? by_type[s->cpu.input->type]
				  : by_width[radix_cpu_width(&s->cpu)])(s);
	}

	static enum gb_status run(void *state_in, struct gb_timer *, struct gb_error *err)
	{
		struct state *s = static_cast<struct state *>(state_in);

		radix_cpu_flip(&s->cpu, false, nullptr);
		radix_cpu_to_words(&s->cpu);
		try {
			sort_records(s);
		} catch (const std::bad_alloc &) {
			return gb_out_of_memory(err, Sort::library());
		} catch (const std::exception &e) {
			return gb_fail(err, GB_ERUNTIME, "%s: %s", Sort::library(), e.what());
		}
		radix_cpu_from_words(&s->cpu);
		radix_cpu_flip(&s->cpu, true, nullptr);
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
