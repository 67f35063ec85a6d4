/* records.c -- buffers, input and output of the CPU radix sorts. */
#include "cpu/radix/shared/records.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

enum { MANY = 1 << 14 }; /* records that are worth the start of threads */

int radix_cpu_threads(const void *params)
{
	const struct radix_params *p = params;

	return p->threads > 0 ? (int)p->threads : omp_get_num_procs();
}

enum gb_status radix_cpu_init(struct radix_cpu *cpu, const void *params, const void *input,
			      bool spare, struct gb_error *err)
{
	const struct radix_input *in = input;
	const bool narrow = in->value_size == 4 && in->key_size <= 4;

	cpu->input = in;
	cpu->count = in->count;
	cpu->width = !in->value_size ? in->key_size : narrow ? 8 : 16;
	cpu->first = !in->value_size ? 0 : narrow ? 32 : 64;
	cpu->low = cpu->first + (unsigned)in->begin_bit;
	cpu->top = cpu->first + (unsigned)in->end_bit;
	cpu->threads = radix_cpu_threads(params);
	if (cpu->width == 4 || cpu->width == 8)
		cpu->vectors = radix_vectors(cpu->width, in->type >= RADIX_I32, cpu_simd());
	cpu->record = gb_host_alloc(cpu->count, cpu->width, err);
	gb_memory_result(cpu->record, GB_WHOLE, GB_POISON);
	if (spare)
		cpu->spare = gb_host_alloc(cpu->count, cpu->width, err);
	return err->code;
}

enum gb_status radix_cpu_init_words(struct radix_cpu *cpu, const void *params, struct gb_error *err)
{
	const struct radix_params *p = params;

	if (cpu->first && p->values != RADIX_INDEX_VALUES)
		cpu->value = gb_host_alloc(cpu->count, cpu->width / 2, err);
	return err->code;
}

enum gb_status radix_cpu_refuse_segments(const struct radix_input *input, struct gb_error *err)
{
	return input->segments == 1 ? GB_OK
				    : gb_fail(err, GB_EUNAVAILABLE, "sorts a single segment");
}

static bool has_nans(const struct radix_input *input)
{
	const uint64_t infinity =
		input->type == RADIX_F32 ? UINT64_C(0x7f800000) : UINT64_C(0x7ff) << 52;
	const uint64_t magnitude = UINT64_MAX >> (65 - 8 * input->key_size);

	for (size_t i = 0; i < input->count && input->type >= RADIX_F32; i++)
		if ((radix_load(input->keys, input->key_size, i) & magnitude) > infinity)
			return true;
	return false;
}

enum gb_status radix_cpu_init_peer(struct radix_cpu *cpu, const void *params, const void *input,
				   struct gb_error *err)
{
	if (!radix_sorts_whole_keys(input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts by all bits of a key");
	if (radix_cpu_init(cpu, params, input, false, err))
		return err->code;
	cpu->threads = 1;
	cpu->is_native = !cpu->first && !has_nans(input);
	return radix_cpu_init_words(cpu, params, err);
}

enum gb_status radix_cpu_reset(void *state, int64_t sample, struct gb_error *err)
{
	const struct radix_cpu *cpu = state;
	const struct radix_input *in = cpu->input;

	if (!cpu->first && cpu->count)
		memcpy(cpu->record, in->keys, cpu->count * cpu->width);
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->first)
	for (size_t i = 0; i < (cpu->first ? cpu->count : 0); i++) {
		radix_cpu_set_value(cpu, i, radix_load(in->values, in->value_size, i));
		radix_cpu_set_key(cpu, i, radix_load(in->keys, in->key_size, i));
	}
	return GB_OK;
}

enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct radix_cpu *cpu = state;
	const struct radix_input *in = cpu->input;
	void *values = radix_output_values(in, output);

	if (!cpu->first && cpu->count)
		memcpy(output, cpu->record, cpu->count * cpu->width);
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->first)
	for (size_t i = 0; i < (cpu->first ? cpu->count : 0); i++) {
		radix_store(output, in->key_size, i, radix_cpu_key(cpu, i));
		radix_store(values, in->value_size, i, radix_cpu_value(cpu, i));
	}
	return GB_OK;
}

const char *radix_cpu_excluded(const void *params)
{
	const bool pairs = ((const struct radix_params *)params)->values != RADIX_NO_VALUES;

	return pairs ? "interleaving of keys and values" : NULL;
}

void radix_cpu_flip(struct radix_cpu *cpu, bool is_order, struct gb_timer *timer)
{
	const enum radix_type type = cpu->input->type;
	const int threads = cpu->count >= MANY ? cpu->threads : 1;

	if (type < RADIX_I32 || cpu->is_native)
		return;
	gb_phase(timer, "order");
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(cpu->count, t, threads);

		if (cpu->vectors)
			cpu->vectors->flip(radix_at(cpu->record, cpu->width, r.begin),
					   r.end - r.begin, radix_cpu_real(cpu), is_order);
		for (size_t i = cpu->vectors ? r.end : r.begin; i < r.end; i++)
			radix_cpu_set_key(
				cpu, i,
				(is_order ? radix_bits : radix_order)(type, radix_cpu_key(cpu, i)));
	}
}

void radix_cpu_to_words(struct radix_cpu *cpu)
{
	if (!cpu->value)
		return;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->count >= MANY)
	for (size_t i = 0; i < cpu->count; i++) {
		radix_store(cpu->value, cpu->width / 2, i, radix_cpu_value(cpu, i));
		radix_cpu_set_value(cpu, i, i);
	}
}

void radix_cpu_from_words(struct radix_cpu *cpu)
{
	if (!cpu->value)
		return;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->count >= MANY)
	for (size_t i = 0; i < cpu->count; i++)
		radix_cpu_set_value(
			cpu, i, radix_load(cpu->value, cpu->width / 2, radix_cpu_value(cpu, i)));
}
