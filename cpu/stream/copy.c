/* copy.c -- copy an array as fast as the machine's memory allows.
 *
 * Each thread copies one contiguous range.  Large arrays go around the caches with non-temporal
 * stores, which save reading each line before it is overwritten.  A range is taken in groups of
 * eight pages, two lines of each page in turn: eight streams keep more DRAM banks and more of the
 * prefetcher busy than one, and the next group is asked for on the way.
 *
 * AVX-512 and AVX2 are chosen at run time; without them, and for small arrays, memcpy() does what
 * it can.
 */
#include <omp.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "common/stream_types.h"
#include "cpu/runtime/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
	PAGE = 4096,
	PAGES = 8, /* streams */
	GROUP = PAGES * PAGE,
	STEP = 128, /* bytes of a page at a time */
	/* Below, a copy that is repeated finds its data in a core's own cache. */
	LARGE = 1 << 20,
};

/* Copy `groups` groups; both pointers are aligned to 64 bytes. */
typedef void copy_groups(unsigned char *to, const unsigned char *from, size_t groups);

struct state {
	const struct stream_input *input;
	unsigned char *to; /* input->count bytes */
	copy_groups *copy;
	int threads;
};

static void copy_plain(unsigned char *to, const unsigned char *from, size_t groups)
{
	memcpy(to, from, groups * GROUP);
}

#if defined(__x86_64__)

/* The prefetches run past the end of the last group; they cannot fault. */
CPU_AVX512_TARGET static void copy_avx512(unsigned char *to, const unsigned char *from,
					  size_t groups)
{
	for (size_t g = 0; g < groups; g++, to += GROUP, from += GROUP) {
		for (size_t at = 0; at < GROUP / PAGES; at += STEP) {
			for (size_t i = at; i < GROUP; i += PAGE) {
				const __m512i a = _mm512_load_si512((const void *)(from + i));
				const __m512i b = _mm512_load_si512((const void *)(from + i + 64));

				__builtin_prefetch(from + i + GROUP);
				__builtin_prefetch(from + i + GROUP + 64);
				_mm512_stream_si512((void *)(to + i), a);
				_mm512_stream_si512((void *)(to + i + 64), b);
			}
		}
	}
	_mm_sfence();
}

CPU_AVX2_TARGET static void copy_avx2(unsigned char *to, const unsigned char *from, size_t groups)
{
	for (size_t g = 0; g < groups; g++, to += GROUP, from += GROUP) {
		for (size_t at = 0; at < GROUP / PAGES; at += STEP) {
			for (size_t i = at; i < GROUP; i += PAGE) {
				const __m256i *source = (const void *)(from + i);
				__m256i *target = (void *)(to + i);
				const __m256i a = _mm256_load_si256(source);
				const __m256i b = _mm256_load_si256(source + 1);
				const __m256i c = _mm256_load_si256(source + 2);
				const __m256i d = _mm256_load_si256(source + 3);

				__builtin_prefetch(from + i + GROUP);
				__builtin_prefetch(from + i + GROUP + 64);
				_mm256_stream_si256(target, a);
				_mm256_stream_si256(target + 1, b);
				_mm256_stream_si256(target + 2, c);
				_mm256_stream_si256(target + 3, d);
			}
		}
	}
	_mm_sfence();
}

#endif

static copy_groups *choose(size_t count)
{
#if defined(__x86_64__)
	if (count >= LARGE && cpu_simd() >= CPU_AVX512)
		return copy_avx512;
	if (count >= LARGE && cpu_simd() >= CPU_AVX2)
		return copy_avx2;
#endif
	return copy_plain;
}

/* Thread `rank`'s range of whole groups: *first, and how many. */
static size_t share(const struct state *s, int rank, int ranks, size_t *first)
{
	const size_t groups = s->input->count / GROUP;
	const size_t each = groups / (size_t)ranks, more = groups % (size_t)ranks;
	const size_t r = (size_t)rank;

	*first = r * each + (r < more ? r : more);
	return each + (r < more ? 1 : 0);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct state *s = state;
	const unsigned char *from = (const unsigned char *)s->input->words;
	const size_t whole = s->input->count / GROUP * GROUP;

#pragma omp parallel num_threads(s->threads) if (whole > GROUP)
	{
		size_t first;
		const size_t groups = share(s, omp_get_thread_num(), omp_get_num_threads(), &first);

		s->copy(s->to + first * GROUP, from + first * GROUP, groups);
	}
	memcpy(s->to + whole, from + whole, s->input->count - whole);
	return GB_OK;
}

/* Each thread writes its range first, so that its pages lie near it. */
static void touch(const struct state *s)
{
#pragma omp parallel num_threads(s->threads)
	{
		size_t first;
		const size_t groups = share(s, omp_get_thread_num(), omp_get_num_threads(), &first);

		memset(s->to + first * GROUP, 0, groups * GROUP);
	}
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct stream_params *p = params;
	struct state *s = state;

	s->input = input;
	s->threads = p->threads > 0 ? (int)p->threads : omp_get_num_procs();
	s->copy = choose(s->input->count);
	s->to = gb_host_alloc(s->input->count, 1, err);
	gb_memory_result(s->to, GB_WHOLE, GB_POISON);
	if (s->to && !gb_memory_is_dry())
		touch(s);
	return err->code;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;

	memcpy(output, s->to, s->input->count);
	return GB_OK;
}

const struct gb_variant_ops stream_cpu_copy = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_REPEATABLE,
};
