/* keys.c -- the root box and the keys of the bodies, the first phases of all CPU octree builders.
 *
 * Both read positions once, so memory is the bound if a core keeps up, a vector of bodies at a
 * time.  Vector code takes the same steps as octree_key(), each exact or rounded as there, so box
 * and keys are the same at every level of cpu/runtime/simd.h.
 */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "cpu/octree/shared/builder.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- box ----------------------------------------------------------------------------------- */

static void bounds_plain(const float *position, size_t count, float *low, float *high)
{
	float least = *low, most = *high;

	for (size_t i = 0; i < count; i++) {
		least = position[i] < least ? position[i] : least;
		most = position[i] > most ? position[i] : most;
	}
	*low = least;
	*high = most;
}

#if defined(__x86_64__)
/* Wider vectors are no faster: the bound is memory. */
CPU_AVX2_TARGET
static void bounds_avx2(const float *position, size_t count, float *low, float *high)
{
	const size_t whole = count / 32 * 32;
	__m256 least[4], most[4];
	float lane[2][8];

	for (int k = 0; k < 4; k++) {
		least[k] = _mm256_set1_ps(*low);
		most[k] = _mm256_set1_ps(*high);
	}
	for (size_t i = 0; i < whole; i += 32)
		for (size_t k = 0; k < 4; k++) {
			const __m256 v = _mm256_loadu_ps(position + i + 8 * k);

			least[k] = _mm256_min_ps(least[k], v);
			most[k] = _mm256_max_ps(most[k], v);
		}
	_mm256_storeu_ps(lane[0], _mm256_min_ps(_mm256_min_ps(least[0], least[1]),
						_mm256_min_ps(least[2], least[3])));
	_mm256_storeu_ps(lane[1], _mm256_max_ps(_mm256_max_ps(most[0], most[1]),
						_mm256_max_ps(most[2], most[3])));
	bounds_plain(lane[0], 8, low, high);
	bounds_plain(lane[1], 8, low, high);
	bounds_plain(position + whole, count - whole, low, high);
}
#endif

static void bounds(const struct octree_cpu *cpu, const float *position, size_t count, float *low,
		   float *high)
{
#if defined(__x86_64__)
	if (cpu->simd >= CPU_AVX2) {
		bounds_avx2(position, count, low, high);
		return;
	}
#endif
	bounds_plain(position, count, low, high);
}

enum { ALONE = 8192 }; /* up to so many bodies, two threads gain nothing */

bool octree_cpu_is_alone(const struct octree_cpu *cpu)
{
	return cpu->threads == 1 || cpu->count <= ALONE;
}

/* The least and the greatest coordinates of some bodies; left as they are if there are none. */
static void bounds_of(const struct octree_cpu *cpu, struct cpu_range r, float low[3], float high[3])
{
	const float *axis[] = { cpu->input->x, cpu->input->y, cpu->input->z };

	for (int d = 0; d < 3 && r.begin < r.end; d++) {
		low[d] = high[d] = axis[d][r.begin];
		bounds(cpu, axis[d] + r.begin, r.end - r.begin, &low[d], &high[d]);
	}
}

void octree_cpu_box(struct octree_cpu *cpu, struct gb_timer *timer)
{
	float low[3] = { 0 }, high[3] = { 0 };

	gb_phase(timer, "box");
	if (octree_cpu_is_alone(cpu)) {
		bounds_of(cpu, cpu_range_of(cpu->count, 0, 1), low, high);
	} else {
		/* A thread without bodies keeps the coordinates of the first. */
		bounds_of(cpu, (struct cpu_range){ 0, 1 }, low, high);
#pragma omp parallel num_threads(cpu->threads) reduction(min : low[:3]) reduction(max : high[:3])
		bounds_of(cpu,
			  cpu_range_of(cpu->count, omp_get_thread_num(), omp_get_num_threads()),
			  low, high);
	}
	cpu->box = octree_box_of(low, high);
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void keys_plain(const struct octree_cpu *cpu, size_t first, size_t count, uint64_t *key)
{
	const struct octree_input *in = cpu->input;

	for (size_t i = 0; i < count; i++)
		key[i] =
			octree_key(&cpu->box, in->x[first + i], in->y[first + i], in->z[first + i]);
}

#if defined(__x86_64__)
/* octree_cells() along an axis, one lane per body. */
CPU_AVX2_TARGET
static inline __m256i cells_avx2(const struct octree_box *box, int d, const float *position)
{
	const __m256d distance = _mm256_sub_pd(_mm256_cvtps_pd(_mm_loadu_ps(position)),
					       _mm256_set1_pd(box->corner[d]));

	return _mm256_cvtepi32_epi64(
		_mm256_cvttpd_epi32(_mm256_mul_pd(distance, _mm256_set1_pd(box->scale))));
}

CPU_AVX512_TARGET
static inline __m512i cells_avx512(const struct octree_box *box, int d, const float *position)
{
	const __m512d distance = _mm512_sub_pd(_mm512_cvtps_pd(_mm256_loadu_ps(position)),
					       _mm512_set1_pd(box->corner[d]));

	return _mm512_cvttpd_epi64(_mm512_mul_pd(distance, _mm512_set1_pd(box->scale)));
}

/* spread_suffix() is octree_spread() for the lanes of a vector. */
#define DEFINE_KEYS(VECTOR, suffix, TARGET)                                                       \
	TARGET                                                                                    \
	static inline VECTOR spread_##suffix(VECTOR bits)                                         \
	{                                                                                         \
		bits = (bits | bits << 32) & 0x001f00000000ffff;                                  \
		bits = (bits | bits << 16) & 0x001f0000ff0000ff;                                  \
		bits = (bits | bits << 8) & 0x100f00f00f00f00f;                                   \
		bits = (bits | bits << 4) & 0x10c30c30c30c30c3;                                   \
		return (bits | bits << 2) & 0x1249249249249249;                                   \
	}                                                                                         \
                                                                                                  \
	TARGET                                                                                    \
	static void keys_##suffix(const struct octree_cpu *cpu, size_t first, size_t count,       \
				  uint64_t *key)                                                  \
	{                                                                                         \
		const struct octree_input *in = cpu->input;                                       \
		const size_t lanes = sizeof(VECTOR) / sizeof *key, whole = count / lanes * lanes; \
                                                                                                  \
		for (size_t i = 0; i < whole; i += lanes) {                                       \
			const VECTOR x = cells_##suffix(&cpu->box, 0, in->x + first + i);         \
			const VECTOR y = cells_##suffix(&cpu->box, 1, in->y + first + i);         \
			const VECTOR z = cells_##suffix(&cpu->box, 2, in->z + first + i);         \
			const VECTOR all = spread_##suffix(x) | spread_##suffix(y) << 1 |         \
					   spread_##suffix(z) << 2;                               \
                                                                                                  \
			memcpy(key + i, &all, sizeof all);                                        \
		}                                                                                 \
		keys_plain(cpu, first + whole, count - whole, key + whole);                       \
	}

DEFINE_KEYS(__m256i, avx2, CPU_AVX2_TARGET)
DEFINE_KEYS(__m512i, avx512, CPU_AVX512_TARGET)
#endif

void octree_cpu_keys_of(const struct octree_cpu *cpu, size_t first, size_t count, uint64_t *key)
{
#if defined(__x86_64__)
	if (cpu->simd >= CPU_AVX512) {
		keys_avx512(cpu, first, count, key);
		return;
	}
	if (cpu->simd >= CPU_AVX2) {
		keys_avx2(cpu, first, count, key);
		return;
	}
#endif
	keys_plain(cpu, first, count, key);
}

void octree_cpu_keys(struct octree_cpu *cpu, struct gb_timer *timer)
{
	gb_phase(timer, "keys");
	if (octree_cpu_is_alone(cpu)) {
		octree_cpu_keys_of(cpu, 0, cpu->count, cpu->key);
		return;
	}
#pragma omp parallel num_threads(cpu->threads)
	{
		const struct cpu_range r =
			cpu_range_of(cpu->count, omp_get_thread_num(), omp_get_num_threads());

		octree_cpu_keys_of(cpu, r.begin, r.end - r.begin, cpu->key + r.begin);
	}
}

/* ---- layout -------------------------------------------------------------------------------- */

bool octree_cpu_is_even(const struct octree_cpu *cpu)
{
	enum { FEWEST = 16, SAMPLES = 64, PER_SAMPLE = 512 };
	enum { BODIES = 4 }; /* bodies per sample, as many as the shortest vector holds */
	/* Few bodies get fewer samples, which would otherwise take a large part of the build. */
	const size_t count = cpu->count, wanted = FEWEST + count / PER_SAMPLE;
	const size_t step = count / (wanted < SAMPLES ? wanted : SAMPLES) + 1;
	uint64_t key[SAMPLES][BODIES], opposite[SAMPLES][BODIES];
	int near = 0, far = 0, depth = 0, square = 0, n = 0;

	for (size_t i = 0; i + BODIES <= count; i += step, n++) {
		octree_cpu_keys_of(cpu, i, BODIES, key[n]);
		octree_cpu_keys_of(cpu, count - BODIES - i, BODIES, opposite[n]);
	}
	for (int k = 0; k < n; k++) {
		const int before = octree_shared(key[k][0], key[k][1]);
		const int after = octree_shared(key[k][1], key[k][2]);
		const int most = before > after ? before : after;

		near += before;
		far += octree_shared(key[k][1], opposite[k][1]);
		depth += most;
		square += most * most;
	}
	/* The deepest cell that a body shares with a neighbour is the parent of its leaf, or near
	 * it.  The layout is even if its level is the same for all bodies, within a variance of
	 * one. */
	return near >= far + n && depth < (log2((double)count) / 3 + 2) * n &&
	       square * n - depth * depth < n * n;
}
