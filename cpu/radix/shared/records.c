/* records.c -- buffers, input and output of the CPU radix sorts. */
#include "cpu/radix/shared/records.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

int radix_cpu_threads(const void *params)
{
	const struct radix_params *p = params;

	return p->threads > 0 ? (int)p->threads : omp_get_num_procs();
}

enum gb_status radix_cpu_init(struct radix_cpu *cpu, const void *params, const void *input,
			      bool spare, struct gb_error *err)
{
	const struct radix_input *keys = input;
	bool pairs = keys->value_size > 0;

	if (!radix_is_basic(keys))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts " RADIX_BASIC);
	cpu->input = keys;
	cpu->count = keys->count;
	cpu->width = pairs ? 8 : keys->key_size;
	cpu->low = pairs ? 32 : 0;
	cpu->top = (unsigned)(8 * cpu->width);
	cpu->is_float = keys->type == RADIX_F32;
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

	if (cpu->low && p->values != RADIX_INDEX_VALUES)
		cpu->value = gb_host_alloc(cpu->count, sizeof *cpu->value, err);
	return err->code;
}

enum gb_status radix_cpu_reset(void *state, int64_t sample, struct gb_error *err)
{
	const struct radix_cpu *cpu = state;
	const struct radix_input *input = cpu->input;
	const uint32_t *key = input->keys;
	const uint32_t *value = input->values;
	uint64_t *pair = cpu->record;

	if (!cpu->count)
		return GB_OK;
	if (!input->value_size) {
		memcpy(cpu->record, input->keys, cpu->count * cpu->width);
		return GB_OK;
	}
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < cpu->count; i++)
		pair[i] = (uint64_t)key[i] << 32 | value[i];
	return GB_OK;
}

enum gb_status radix_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct radix_cpu *cpu = state;
	const struct radix_input *input = cpu->input;
	const uint64_t *pair = cpu->record;
	uint32_t *key = output;

	if (!cpu->count)
		return GB_OK;
	if (!input->value_size) {
		memcpy(output, cpu->record, cpu->count * cpu->width);
		return GB_OK;
	}
	uint32_t *value = radix_output_values(input, output);
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < cpu->count; i++) {
		key[i] = (uint32_t)(pair[i] >> 32);
		value[i] = (uint32_t)pair[i];
	}
	return GB_OK;
}

const char *radix_cpu_excluded(const void *params)
{
	const bool pairs = ((const struct radix_params *)params)->values != RADIX_NO_VALUES;

	return pairs ? "interleaving of keys and values" : NULL;
}

void radix_cpu_to_order(struct radix_cpu *cpu, struct gb_timer *timer)
{
	uint32_t *key = cpu->record;

	if (!cpu->is_float)
		return;
	gb_phase(timer, "order");
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < cpu->count; i++)
		key[i] = (uint32_t)radix_order(RADIX_F32, key[i]);
}

void radix_cpu_from_order(struct radix_cpu *cpu, struct gb_timer *timer)
{
	uint32_t *key = cpu->record;

	if (!cpu->is_float)
		return;
	gb_phase(timer, "order");
#pragma omp parallel for num_threads(cpu->threads) schedule(static)
	for (size_t i = 0; i < cpu->count; i++)
		key[i] = (uint32_t)radix_bits(RADIX_F32, key[i]);
}

enum { MANY = 1 << 14 }; /* records that are worth the start of threads */

static const uint64_t key_bits = UINT64_MAX << 32;

void radix_cpu_to_words(struct radix_cpu *cpu)
{
	uint64_t *word = cpu->record;

	if (!cpu->value)
		return;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->count >= MANY)
	for (size_t i = 0; i < cpu->count; i++) {
		cpu->value[i] = (uint32_t)word[i];
		word[i] = (word[i] & key_bits) | i;
	}
}

void radix_cpu_from_words(struct radix_cpu *cpu)
{
	uint64_t *word = cpu->record;

	if (!cpu->value)
		return;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->count >= MANY)
	for (size_t i = 0; i < cpu->count; i++)
		word[i] = (word[i] & key_bits) | cpu->value[(uint32_t)word[i]];
}
