/* codes.c -- boxes of the primitives, and the Morton codes of their centres.
 *
 * The three axes of a box lie side by side in a vector of four floats, two boxes in one of eight.
 * The same shifts and masks spread all cells to every third bit before they are joined.  Codes
 * equal those of lbvh_code_30() bit for bit.  The bound is these operations.
 */
#include "cpu/lbvh/parts/frame.h"

#include <float.h>

#include "cpu/lbvh/parts/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- boxes -------------------------------------------------------------------------------- */

/* Compute the boxes of primitives begin .. end - 1 and the box around them all. */
static void bound_part(struct lbvh_cpu *cpu, size_t begin, size_t end, LANES *all_lo, LANES *all_hi)
{
	const uint32_t *corner = cpu->input->triangle + 3 * begin;
	const float *vertex = cpu->input->vertex;
	LANES lowest = lanes_all(FLT_MAX), highest = lanes_all(-FLT_MAX);

	for (size_t p = begin; p < end; p++, corner += 3) {
		const LANES a = lanes_load(vertex + 3 * (size_t)corner[0]);
		const LANES b = lanes_load(vertex + 3 * (size_t)corner[1]);
		const LANES c = lanes_load(vertex + 3 * (size_t)corner[2]);
		const LANES lo = lanes_min(lanes_min(a, b), c);
		const LANES hi = lanes_max(lanes_max(a, b), c);

		lanes_store(cpu->box[p].lo, lo);
		lanes_store(cpu->box[p].hi, hi);
		lowest = lanes_min(lowest, lo);
		highest = lanes_max(highest, hi);
	}
	*all_lo = lowest;
	*all_hi = highest;
}

void lbvh_cpu_bounds(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	LANES lo, hi;

	lbvh_cpu_phase(timer, "bounds");
#pragma omp single
	{
		lanes_store(cpu->lo, lanes_all(FLT_MAX));
		lanes_store(cpu->hi, lanes_all(-FLT_MAX));
	}
	bound_part(cpu, cpu->count * t / threads, cpu->count * (t + 1) / threads, &lo, &hi);
#pragma omp critical(lbvh_cpu_bounds)
	{
		lanes_store(cpu->lo, lanes_min(lanes_load(cpu->lo), lo));
		lanes_store(cpu->hi, lanes_max(lanes_load(cpu->hi), hi));
	}
#pragma omp barrier
}

/* ---- codes -------------------------------------------------------------------------------- */

#if defined(__x86_64__)

/* Compute the packed codes of primitives begin .. end - 1, an even number. */
CPU_AVX2_TARGET static void codes_avx2(struct lbvh_cpu *cpu, const struct lbvh_grid *grid,
				       size_t begin, size_t end)
{
	const __m256 most = _mm256_set1_ps((1 << LBVH_BITS_30) - 1), zero = _mm256_setzero_ps();
	const __m256 origin = _mm256_setr_ps(grid->origin[0], grid->origin[1], grid->origin[2], 0,
					     grid->origin[0], grid->origin[1], grid->origin[2], 0);
	const __m256 scale = _mm256_setr_ps(grid->scale[0], grid->scale[1], grid->scale[2], 0,
					    grid->scale[0], grid->scale[1], grid->scale[2], 0);
	const __m256i keep[4] = { _mm256_set1_epi32(0x030000ff), _mm256_set1_epi32(0x0300f00f),
				  _mm256_set1_epi32(0x030c30c3), _mm256_set1_epi32(0x09249249) };
	__m256i number = _mm256_setr_epi32((int)begin, 0, 0, 0, (int)begin + 1, 0, 0, 0);

	for (size_t p = begin; p < end; p += 2) {
		const __m256 a = _mm256_loadu_ps(cpu->box[p].lo);
		const __m256 b = _mm256_loadu_ps(cpu->box[p + 1].lo);
		const __m256 sum = _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20),
						 _mm256_permute2f128_ps(a, b, 0x31));
		const __m256 place = _mm256_mul_ps(_mm256_sub_ps(sum, origin), scale);
		/* For NaN, max() and min() return the second operand. */
		__m256i v = _mm256_cvttps_epi32(_mm256_min_ps(_mm256_max_ps(place, zero), most));

		for (int i = 0; i < 4; i++)
			v = _mm256_and_si256(_mm256_or_si256(v, _mm256_slli_epi32(v, 16 >> i)),
					     keep[i]);
		/* x << 2 | y << 1 | z, and the primitive's number below it */
		v = _mm256_or_si256(
			_mm256_or_si256(_mm256_slli_epi32(v, 2),
					_mm256_slli_epi32(_mm256_shuffle_epi32(v, 1), 1)),
			_mm256_shuffle_epi32(v, 2));
		v = _mm256_permute4x64_epi64(_mm256_unpacklo_epi32(number, v), 0x08);
		_mm_storeu_si128((void *)(cpu->pair + p), _mm256_castsi256_si128(v));
		number = _mm256_add_epi32(number, _mm256_set1_epi32(2));
	}
}

#endif

static void codes_30(struct lbvh_cpu *cpu)
{
	const struct lbvh_grid grid = lbvh_grid_over(cpu->lo, cpu->hi, LBVH_BITS_30);
	const size_t t = (size_t)omp_get_thread_num(), threads = (size_t)omp_get_num_threads();
	const size_t end = cpu->count * (t + 1) / threads;
	size_t p = cpu->count * t / threads;

#if defined(__x86_64__)
	if (cpu->simd >= CPU_AVX2) {
		const size_t even = p + (end - p) / 2 * 2;

		codes_avx2(cpu, &grid, p, even);
		p = even;
	}
#endif
	for (; p < end; p++)
		cpu->pair[p] = (uint64_t)lbvh_code_30(&grid, &cpu->box[p]) << 32 | p;
#pragma omp barrier
}

static void codes_63(struct lbvh_cpu *cpu)
{
	const struct lbvh_grid grid = lbvh_grid_over(cpu->lo, cpu->hi, LBVH_BITS_63);

#pragma omp for schedule(static)
	for (size_t p = 0; p < cpu->count; p++) {
		cpu->pair[p] = lbvh_code_63(&grid, &cpu->box[p]);
		cpu->index[p] = (uint32_t)p;
	}
}

void lbvh_cpu_codes(struct lbvh_cpu *cpu, struct gb_timer *timer)
{
	lbvh_cpu_phase(timer, "codes");
	if (cpu->needs & LBVH_CPU_CODES_63)
		codes_63(cpu);
	else
		codes_30(cpu);
}
