/* split_omp.c -- cpu/split-omp: the one-bit split of split.c with OpenMP.
 *
 * Each thread owns a contiguous chunk.  Per bit it counts its keys whose bit is 0; the counts of
 * all threads give the places of its zeros and ones; then it moves them.  Within a chunk the scan
 * of the predicate is a running pair of output positions, which replaces the paper's two arrays and
 * leaves two passes over memory: one counts, one moves.
 *
 * With AVX-512 a vector of keys is split by two compressions, which replaces a hard-to-predict
 * branch per key; the plain path has no branch either.  The bound is memory: 12 bytes per u32 key
 * and bit.
 */
#include <omp.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/radix/shared/records.h"
#include "cpu/runtime/simd.h"

/* Work on one chunk, records begin .. end - 1 of src. */
struct kernels {
	/* Return how many records of the chunk have a 0 at `bit`. */
	size_t (*zeros)(const void *src, size_t begin, size_t end, unsigned bit);
	/* Move the chunk: zeros from out[zero] on, ones from out[one] on. */
	void (*scatter)(const void *src, size_t begin, size_t end, unsigned bit, void *out,
			size_t zero, size_t one);
};

/* One thread's count, in a cache line of its own. */
struct count {
	_Alignas(64) size_t zeros;
};

struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	struct count *count;  /* one per thread */
	const struct kernels *kernels;
};

#define DEFINE_PLAIN(type, suffix)                                                           \
	static size_t plain_zeros_##suffix(const void *src, size_t begin, size_t end,        \
					   unsigned bit)                                     \
	{                                                                                    \
		const type *key = src;                                                       \
		size_t ones = 0;                                                             \
                                                                                             \
		for (size_t i = begin; i < end; i++)                                         \
			ones += (size_t)(key[i] >> bit & 1);                                 \
		return end - begin - ones;                                                   \
	}                                                                                    \
                                                                                             \
	static void plain_scatter_##suffix(const void *src, size_t begin, size_t end,        \
					   unsigned bit, void *out, size_t zero, size_t one) \
	{                                                                                    \
		const type *key = src;                                                       \
		type *to = out;                                                              \
		size_t next[2] = { zero, one };                                              \
                                                                                             \
		for (size_t i = begin; i < end; i++)                                         \
			to[next[key[i] >> bit & 1]++] = key[i];                              \
	}                                                                                    \
                                                                                             \
	static const struct kernels plain_##suffix = { plain_zeros_##suffix,                 \
						       plain_scatter_##suffix };

DEFINE_PLAIN(uint8_t, u8)
DEFINE_PLAIN(uint16_t, u16)
DEFINE_PLAIN(uint32_t, u32)
DEFINE_PLAIN(uint64_t, u64)
DEFINE_PLAIN(radix_u128, u128)

#if defined(__x86_64__)
/* The same for vectors of `lanes` records; the plain path takes the rest of the chunk.  Stores are
 * masked, because the places behind a thread's last zero belong to another thread. */
#define DEFINE_AVX512(type, suffix, lanes, mask, bits)                                         \
	CPU_AVX512_TARGET                                                                      \
	static size_t avx512_zeros_##suffix(const void *src, size_t begin, size_t end,         \
					    unsigned bit)                                      \
	{                                                                                      \
		const type *key = src;                                                         \
		const __m512i test = _mm512_set1_epi##bits((int##bits##_t)((type)1 << bit));   \
		size_t ones = 0, i = begin;                                                    \
                                                                                               \
		for (; i + (lanes) <= end; i += (lanes)) {                                     \
			__m512i v = _mm512_loadu_si512(key + i);                               \
                                                                                               \
			ones += (size_t)_mm_popcnt_u32(_mm512_test_epi##bits##_mask(v, test)); \
		}                                                                              \
		return (i - begin - ones) + plain_zeros_##suffix(src, i, end, bit);            \
	}                                                                                      \
                                                                                               \
	CPU_AVX512_TARGET                                                                      \
	static void avx512_scatter_##suffix(const void *src, size_t begin, size_t end,         \
					    unsigned bit, void *out, size_t zero, size_t one)  \
	{                                                                                      \
		const type *key = src;                                                         \
		type *to = out;                                                                \
		const __m512i test = _mm512_set1_epi##bits((int##bits##_t)((type)1 << bit));   \
		const unsigned all = (mask)-1;                                                 \
		size_t i = begin;                                                              \
                                                                                               \
		for (; i + (lanes) <= end; i += (lanes)) {                                     \
			__m512i v = _mm512_loadu_si512(key + i);                               \
			mask m = _mm512_test_epi##bits##_mask(v, test);                        \
			unsigned ones = (unsigned)_mm_popcnt_u32(m);                           \
			unsigned zeros = (lanes)-ones;                                         \
                                                                                               \
			_mm512_mask_storeu_epi##bits(                                          \
				to + zero, (mask)_bzhi_u32(all, zeros),                        \
				_mm512_maskz_compress_epi##bits((mask)~m, v));                 \
			_mm512_mask_storeu_epi##bits(to + one, (mask)_bzhi_u32(all, ones),     \
						     _mm512_maskz_compress_epi##bits(m, v));   \
			zero += zeros;                                                         \
			one += ones;                                                           \
		}                                                                              \
		plain_scatter_##suffix(src, i, end, bit, out, zero, one);                      \
	}                                                                                      \
                                                                                               \
	static const struct kernels avx512_##suffix = { avx512_zeros_##suffix,                 \
							avx512_scatter_##suffix };

DEFINE_AVX512(uint32_t, u32, 16, __mmask16, 32)
DEFINE_AVX512(uint64_t, u64, 8, __mmask8, 64)
#endif

/* The fastest kernels that this processor has for a width. */
static const struct kernels *choose(size_t width)
{
	static const struct kernels *const plain[RADIX_CPU_WIDTHS] = { &plain_u8, &plain_u16,
								       &plain_u32, &plain_u64,
								       &plain_u128 };
#if defined(__x86_64__)
	static const struct kernels *const avx512[RADIX_CPU_WIDTHS] = { &plain_u8, &plain_u16,
									&avx512_u32, &avx512_u64,
									&plain_u128 };

	if (cpu_simd() >= CPU_AVX512)
		return avx512[width];
#endif
	return plain[width];
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	if (radix_cpu_refuse_segments(input, err) ||
	    radix_cpu_init(&s->cpu, params, input, true, err))
		return err->code;
	s->kernels = choose(radix_cpu_width(&s->cpu));
	s->count = gb_host_alloc((size_t)s->cpu.threads, sizeof *s->count, err);
	return err->code;
}

/* All passes, as one thread of `threads` runs them.  The first thread names the phases. */
static void passes(const struct state *s, int thread, int threads, struct gb_timer *timer)
{
	const struct radix_cpu *cpu = &s->cpu;
	const struct cpu_range share = cpu_range_of(cpu->count, thread, threads);
	const size_t begin = share.begin, end = share.end;
	void *src = cpu->record, *out = cpu->spare;

	for (unsigned bit = cpu->low; bit < cpu->top; bit++) {
		size_t before = 0, total = 0;

		if (thread == 0)
			gb_phase(timer, "count");
		s->count[thread].zeros = s->kernels->zeros(src, begin, end, bit);
#pragma omp barrier
		for (int i = 0; i < threads; i++) {
			total += s->count[i].zeros;
			before += i < thread ? s->count[i].zeros : 0;
		}
		if (thread == 0)
			gb_phase(timer, "scatter");
		s->kernels->scatter(src, begin, end, bit, out, before, total + (begin - before));
#pragma omp barrier
		void *swap = src;
		src = out;
		out = swap;
	}
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	radix_cpu_flip(&s->cpu, false, timer);
#pragma omp parallel num_threads(s->cpu.threads)
	passes(s, omp_get_thread_num(), omp_get_num_threads(), timer);
	if ((s->cpu.top - s->cpu.low) % 2)
		radix_cpu_swap(&s->cpu);
	radix_cpu_flip(&s->cpu, true, timer);
	return GB_OK;
}

const struct gb_variant_ops radix_cpu_split_omp = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
};
