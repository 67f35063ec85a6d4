/* split.c -- cpu/split: one-bit least-significant-digit radix sort, sequential.
 *
 * The paper's CPU baseline, step by step (Bernikova & Denysiuk).  For each bit, from the lowest:
 *
 *	predicate	e[i] = 1 where the bit of key i is 0
 *	scan		f[i] = e[0] + ... + e[i - 1], and their total
 *	scatter		key i goes to f[i] if its bit is 0, else to total + i - f[i]
 *
 * Each pass is stable, so after the last one the keys are in order.  The predicates and the scan
 * are separate arrays, as on the GPU; the other variants fuse these steps.
 *
 * The bound is memory: 32 bytes per u32 key and bit, 1 KiB per key in all.
 */
#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/radix/shared/records.h"

struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	uint32_t *predicate;  /* count */
	uint32_t *scan;       /* count */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	if (radix_cpu_refuse_segments(input, err) ||
	    radix_cpu_init(&s->cpu, params, input, true, err))
		return err->code;
	s->cpu.threads = 1;
	if (s->cpu.count > UINT32_MAX)
		return gb_fail(err, GB_EUNAVAILABLE, "the 32-bit scan is limited to %u keys",
			       UINT32_MAX);
	s->predicate = gb_host_alloc(s->cpu.count, sizeof *s->predicate, err);
	s->scan = gb_host_alloc(s->cpu.count, sizeof *s->scan, err);
	return err->code;
}

/* Exclusive prefix sum of the predicates; return their total, the number of keys whose bit is 0. */
static uint32_t scan(const struct state *s)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < s->cpu.count; i++) {
		s->scan[i] = sum;
		sum += s->predicate[i];
	}
	return sum;
}

#define DEFINE_STEPS(type, suffix)                                           \
	static void predicate_##suffix(const struct state *s, unsigned bit)  \
	{                                                                    \
		const type *key = s->cpu.record;                             \
                                                                             \
		for (size_t i = 0; i < s->cpu.count; i++)                    \
			s->predicate[i] = !(key[i] >> bit & 1);              \
	}                                                                    \
                                                                             \
	static void scatter_##suffix(const struct state *s, uint32_t zeros)  \
	{                                                                    \
		const type *key = s->cpu.record;                             \
		type *out = s->cpu.spare;                                    \
                                                                             \
		for (size_t i = 0; i < s->cpu.count; i++) {                  \
			size_t f = s->scan[i];                               \
                                                                             \
			out[s->predicate[i] ? f : zeros + (i - f)] = key[i]; \
		}                                                            \
	}

DEFINE_STEPS(uint8_t, u8)
DEFINE_STEPS(uint16_t, u16)
DEFINE_STEPS(uint32_t, u32)
DEFINE_STEPS(uint64_t, u64)
DEFINE_STEPS(radix_u128, u128)

static const struct {
	void (*predicate)(const struct state *s, unsigned bit);
	void (*scatter)(const struct state *s, uint32_t zeros);
} steps[RADIX_CPU_WIDTHS] = {
	{ predicate_u8, scatter_u8 },     { predicate_u16, scatter_u16 },
	{ predicate_u32, scatter_u32 },   { predicate_u64, scatter_u64 },
	{ predicate_u128, scatter_u128 },
};

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	const size_t width = radix_cpu_width(&s->cpu);

	radix_cpu_flip(&s->cpu, false, timer);
	for (unsigned bit = s->cpu.low; bit < s->cpu.top; bit++) {
		gb_phase(timer, "predicate");
		steps[width].predicate(s, bit);
		gb_phase(timer, "scan");
		uint32_t zeros = scan(s);
		gb_phase(timer, "scatter");
		steps[width].scatter(s, zeros);
		radix_cpu_swap(&s->cpu);
	}
	radix_cpu_flip(&s->cpu, true, timer);
	return GB_OK;
}

const struct gb_variant_ops radix_cpu_split = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
	.flags = GB_SERIAL,
};
