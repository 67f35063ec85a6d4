/* common.c -- box, keys, pool and output of the CPU builders of octrees. */
#include "cpu/octree/parts/common.h"

#include <omp.h>
#include <string.h>

#include "common/memory.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Rows that a thread takes at a time, at most. */
enum { CHUNK = 64 };

/* ---- memory ------------------------------------------------------------------------------ */

/* Threads lose less than a chunk each; together they must not lose more than the pool has beyond
 * the tree. */
static size_t chunk_for(const struct octree_input *in, int threads)
{
	const size_t spare = in->pool > in->tree.nodes ? in->pool - in->tree.nodes : 0;
	const size_t chunk = spare / (size_t)threads;

	return chunk < 1 ? 1 : chunk > CHUNK ? CHUNK : chunk;
}

enum gb_status octree_cpu_init(void *state, const void *params_, const void *input, unsigned wants,
			       struct gb_error *err)
{
	const struct octree_params *params = params_;
	const struct octree_input *in = input;
	struct octree_cpu *cpu = state;

	cpu->input = in;
	cpu->count = in->count;
	cpu->bucket = in->bucket;
	cpu->threads = wants & OCTREE_ONE_THREAD ? 1
		       : params->threads > 0     ? (int)params->threads
						 : omp_get_num_procs();
	cpu->simd = cpu_simd();
	cpu->pool = in->pool;
	cpu->chunk = chunk_for(in, cpu->threads);
	cpu->child = gb_host_alloc(cpu->pool, sizeof *cpu->child, err);
	cpu->next = gb_host_alloc(cpu->count, sizeof *cpu->next, err);
	gb_memory_result(cpu->child, GB_WHOLE, GB_POISON);
	gb_memory_result(cpu->next, GB_WHOLE, GB_POISON);
	if (wants & OCTREE_WANTS_KEYS)
		cpu->key = gb_host_alloc(cpu->count, sizeof *cpu->key, err);
	if (wants & OCTREE_WANTS_RANKS && cpu->bucket > 1)
		cpu->rank = gb_host_alloc(cpu->count, sizeof *cpu->rank, err);
	return err->code;
}

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
CPU_AVX512_TARGET
static void bounds_avx512(const float *position, size_t count, float *low, float *high)
{
	const size_t whole = count / 64 * 64;
	__m512 least[4], most[4];

	for (int k = 0; k < 4; k++) {
		least[k] = _mm512_set1_ps(*low);
		most[k] = _mm512_set1_ps(*high);
	}
	for (size_t i = 0; i < whole; i += 64)
		for (size_t k = 0; k < 4; k++) {
			const __m512 v = _mm512_loadu_ps(position + i + 16 * k);

			least[k] = _mm512_min_ps(least[k], v);
			most[k] = _mm512_max_ps(most[k], v);
		}
	*low = _mm512_reduce_min_ps(_mm512_min_ps(_mm512_min_ps(least[0], least[1]),
						  _mm512_min_ps(least[2], least[3])));
	*high = _mm512_reduce_max_ps(
		_mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3])));
	bounds_plain(position + whole, count - whole, low, high);
}
#endif

static void bounds(const struct octree_cpu *cpu, const float *position, size_t count, float *low,
		   float *high)
{
#if defined(__x86_64__)
	if (cpu->simd >= CPU_AVX512) {
		bounds_avx512(position, count, low, high);
		return;
	}
#endif
	bounds_plain(position, count, low, high);
}

void octree_cpu_box(struct octree_cpu *cpu, struct gb_timer *timer)
{
	const float *axis[] = { cpu->input->x, cpu->input->y, cpu->input->z };
	float low[3] = { 0 }, high[3] = { 0 };

	gb_phase(timer, "box");
	for (int d = 0; d < 3 && cpu->count; d++)
		low[d] = high[d] = axis[d][0];
#pragma omp parallel num_threads(cpu->threads) reduction(min : low[:3]) reduction(max : high[:3])
	{
		const struct octree_range r =
			octree_cpu_range(cpu->count, omp_get_thread_num(), omp_get_num_threads());

		for (int d = 0; d < 3 && r.begin < r.end; d++) {
			low[d] = high[d] = axis[d][r.begin];
			bounds(cpu, axis[d] + r.begin, r.end - r.begin, &low[d], &high[d]);
		}
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
/* octree_cells() and octree_spread() of eight bodies. */
CPU_AVX512_TARGET
static inline __m512i spread_avx512(const struct octree_box *box, int d, const float *position)
{
	const __m512d distance = _mm512_sub_pd(_mm512_cvtps_pd(_mm256_loadu_ps(position)),
					       _mm512_set1_pd(box->corner[d]));
	__m512i bits = _mm512_cvttpd_epi64(_mm512_mul_pd(distance, _mm512_set1_pd(box->scale)));

#define STEP(shift, mask)                                                                \
	bits = _mm512_and_si512(_mm512_or_si512(bits, _mm512_slli_epi64(bits, (shift))), \
				_mm512_set1_epi64(mask))
	STEP(32, 0x001f00000000ffff);
	STEP(16, 0x001f0000ff0000ff);
	STEP(8, 0x100f00f00f00f00f);
	STEP(4, 0x10c30c30c30c30c3);
	STEP(2, 0x1249249249249249);
#undef STEP
	return bits;
}

CPU_AVX512_TARGET
static void keys_avx512(const struct octree_cpu *cpu, size_t first, size_t count, uint64_t *key)
{
	const struct octree_input *in = cpu->input;
	const size_t whole = count / 8 * 8;

	for (size_t i = 0; i < whole; i += 8) {
		const __m512i x = spread_avx512(&cpu->box, 0, in->x + first + i);
		const __m512i y = spread_avx512(&cpu->box, 1, in->y + first + i);
		const __m512i z = spread_avx512(&cpu->box, 2, in->z + first + i);

		_mm512_storeu_si512(key + i,
				    _mm512_or_si512(_mm512_or_si512(x, _mm512_slli_epi64(y, 1)),
						    _mm512_slli_epi64(z, 2)));
	}
	keys_plain(cpu, first + whole, count - whole, key + whole);
}
#endif

void octree_cpu_keys_of(const struct octree_cpu *cpu, size_t first, size_t count, uint64_t *key)
{
#if defined(__x86_64__)
	if (cpu->simd >= CPU_AVX512) {
		keys_avx512(cpu, first, count, key);
		return;
	}
#endif
	keys_plain(cpu, first, count, key);
}

void octree_cpu_keys(struct octree_cpu *cpu, struct gb_timer *timer)
{
	gb_phase(timer, "keys");
#pragma omp parallel num_threads(cpu->threads)
	{
		const struct octree_range r =
			octree_cpu_range(cpu->count, omp_get_thread_num(), omp_get_num_threads());

		octree_cpu_keys_of(cpu, r.begin, r.end - r.begin, cpu->key + r.begin);
	}
}

/* ---- pool ---------------------------------------------------------------------------------- */

static void clear(struct octree_cpu *cpu, size_t first, size_t last)
{
	memset(cpu->child[first], 0xff, (last - first) * sizeof *cpu->child); /* OCTREE_FREE */
}

bool octree_cpu_refill(struct octree_cpu *cpu, struct octree_rows *rows)
{
	const size_t first = __atomic_fetch_add(&cpu->taken, cpu->chunk, __ATOMIC_RELAXED);
	const size_t last = first + cpu->chunk < cpu->pool ? first + cpu->chunk : cpu->pool;

	if (first >= cpu->pool) {
		__atomic_store_n(&cpu->exhausted, true, __ATOMIC_RELAXED);
		return false;
	}
	clear(cpu, first, last);
	rows->row = (int32_t)first;
	rows->end = (int32_t)last;
	return true;
}

size_t octree_cpu_rows(const struct octree_cpu *cpu)
{
	return cpu->taken < cpu->pool ? cpu->taken : cpu->pool;
}

/* ---- insertion ----------------------------------------------------------------------------- */

double octree_cpu_begin(struct octree_cpu *cpu, struct gb_timer *timer, const char *name)
{
	gb_phase(timer, name);
	cpu->taken = 1;
	cpu->exhausted = false;
	clear(cpu, 0, 1);
	return gb_now_ns();
}

enum gb_status octree_cpu_end(struct octree_cpu *cpu, double start_ns, struct gb_error *err)
{
	if (cpu->exhausted)
		return gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, cpu->pool, cpu->count);
	if (cpu->insert_runs++ == 1)
		cpu->insert_ns = 0;
	cpu->insert_ns += gb_now_ns() - start_ns;
	return GB_OK;
}

void octree_cpu_metrics(void *state, struct gb_metrics *metrics)
{
	const struct octree_cpu *cpu = state;
	const double runs = cpu->insert_runs > 1 ? (double)cpu->insert_runs - 1 : 1;

	if (cpu->insert_ns > 0)
		gb_metric(metrics, "insert_g_per_s", (double)cpu->count * runs / cpu->insert_ns);
}

enum gb_status octree_cpu_download(void *state, void *output, struct gb_error *err)
{
	const struct octree_cpu *cpu = state;
	struct octree_output *out = output;
	const size_t rows = octree_cpu_rows(cpu);

	out->rows = (int64_t)rows;
	memcpy(out->child, cpu->child, rows * sizeof *cpu->child);
	if (cpu->count)
		memcpy(octree_output_next(cpu->input, out), cpu->next,
		       cpu->count * sizeof *cpu->next);
	return GB_OK;
}

double octree_cpu_bytes(const void *params, const void *input)
{
	const struct octree_input *in = input;

	return (2 * 12 + 2 * 8 + 4) * (double)in->count + 32 * (double)in->tree.nodes;
}
