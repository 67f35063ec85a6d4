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
	uint64_t *word = cpu->record;

	if (!cpu->first && cpu->count)
		memcpy(cpu->record, in->keys, cpu->count * cpu->width);
	if (!cpu->first)
		return GB_OK;
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < cpu->count; i++) {
		const uint64_t key = radix_load(in->keys, in->key_size, i);
		const uint64_t value = radix_load(in->values, in->value_size, i);

		if (cpu->width == 8) {
			word[i] = key << 32 | value;
		} else {
			word[2 * i] = value;
			word[2 * i + 1] = key;
		}
	}
	return GB_OK;
}

enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct radix_cpu *cpu = state;
	const struct radix_input *in = cpu->input;
	const uint64_t *word = cpu->record;
	void *values = radix_output_values(in, output);

	if (!cpu->first && cpu->count)
		memcpy(output, cpu->record, cpu->count * cpu->width);
	if (!cpu->first)
		return GB_OK;
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < cpu->count; i++) {
		const bool is_narrow = cpu->width == 8;

		radix_store(output, in->key_size, i, is_narrow ? word[i] >> 32 : word[2 * i + 1]);
		radix_store(values, in->value_size, i, is_narrow ? word[i] : word[2 * i]);
	}
	return GB_OK;
}

const char *radix_cpu_excluded(const void *params)
{
	const bool pairs = ((const struct radix_params *)params)->values != RADIX_NO_VALUES;

	return pairs ? "interleaving of keys and values" : NULL;
}

/* ---- order of keys ------------------------------------------------------------------------- */

/* Flip every `stride`-th word.  Bit `top` tells negative numbers: it is 1, or 0 if `is_order`. */
#define DEFINE_FLIP(type)                                                                    \
	static void flip_##type(type *word, size_t count, size_t stride, unsigned top,       \
				struct radix_flips flips, bool is_order)                     \
	{                                                                                    \
		const type positive = (type)flips.positive;                                  \
		const type other = (type)(flips.positive ^ flips.negative);                  \
                                                                                             \
		for (size_t i = 0; i < count; i++) {                                         \
			const type x = word[i * stride];                                     \
			const type is_negative = (type)((x >> top & 1) ^ is_order);          \
                                                                                             \
			word[i * stride] = x ^ positive ^ ((type)(0 - is_negative) & other); \
		}                                                                            \
	}

DEFINE_FLIP(uint32_t)
DEFINE_FLIP(uint64_t)

static void flip(struct radix_cpu *cpu, bool is_order, struct gb_timer *timer)
{
	const unsigned shift = cpu->first % 64;
	const struct radix_flips flips = radix_cpu_flips(cpu, shift);
	const unsigned top = shift + 8 * (unsigned)cpu->input->key_size - 1;
	const int threads = cpu->count >= MANY ? cpu->threads : 1;
	const size_t stride = cpu->width == 16 ? 2 : 1;

	if (!flips.positive)
		return;
	gb_phase(timer, "order");
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(cpu->count, t, threads);
		void *record = radix_cpu_at(cpu, cpu->record, r.begin);

		if (cpu->width == 4)
			flip_uint32_t(record, r.end - r.begin, 1, top, flips, is_order);
		else
			flip_uint64_t((uint64_t *)record + stride - 1, r.end - r.begin, stride, top,
				      flips, is_order);
	}
}

void radix_cpu_to_order(struct radix_cpu *cpu, struct gb_timer *timer)
{
	flip(cpu, false, timer);
}

void radix_cpu_from_order(struct radix_cpu *cpu, struct gb_timer *timer)
{
	flip(cpu, true, timer);
}

/* ---- values that do not ascend -------------------------------------------------------------- */

void radix_cpu_to_words(struct radix_cpu *cpu)
{
	uint64_t *word = cpu->record, *wide = cpu->value;
	uint32_t *narrow = cpu->value;

	if (!cpu->value)
		return;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->count >= MANY)
	for (size_t i = 0; i < cpu->count; i++)
		if (cpu->width == 8) {
			narrow[i] = (uint32_t)word[i];
			word[i] = word[i] >> 32 << 32 | i;
		} else {
			wide[i] = word[2 * i];
			word[2 * i] = i;
		}
}

void radix_cpu_from_words(struct radix_cpu *cpu)
{
	uint64_t *word = cpu->record;
	const uint64_t *wide = cpu->value;
	const uint32_t *narrow = cpu->value;

	if (!cpu->value)
		return;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->count >= MANY)
	for (size_t i = 0; i < cpu->count; i++)
		if (cpu->width == 8)
			word[i] = word[i] >> 32 << 32 | narrow[(uint32_t)word[i]];
		else
			word[2 * i] = wide[word[2 * i]];
}

void radix_cpu_to_peer(struct radix_cpu *cpu)
{
	if (!cpu->is_native)
		radix_cpu_to_order(cpu, NULL);
	radix_cpu_to_words(cpu);
}

void radix_cpu_from_peer(struct radix_cpu *cpu)
{
	radix_cpu_from_words(cpu);
	if (!cpu->is_native)
		radix_cpu_from_order(cpu, NULL);
}
