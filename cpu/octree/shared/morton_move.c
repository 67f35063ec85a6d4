/* morton_move.c -- cpu/morton: move all bodies to their cells.
 *
 * Keys are computed twice instead of being written and read.  The first time, each body's part is
 * looked up and stored.  The second time, records are moved: those of a part are collected in a
 * cache line, which is streamed to memory once it is full, because there are more parts than a core
 * can follow as streams.
 */
#include <string.h>

#include "cpu/octree/shared/morton.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TABLE_BITS = 3 * OCTREE_TABLE_LEVELS, FIRST_SHIFT = 63 - TABLE_BITS };

/* ---- lookup of parts ----------------------------------------------------------------------- */

static void find_plain(const struct octree_morton *m, const uint64_t *key, size_t n, int32_t *part)
{
	for (size_t i = 0; i < n; i++) {
		int32_t entry = -1;

		for (int shift = FIRST_SHIFT; entry < 0; shift -= TABLE_BITS)
			entry = m->table[-1 - entry][key[i] >> shift & (OCTREE_TABLE_SIZE - 1)];
		part[i] = entry;
	}
}

#if defined(__x86_64__)
/* Eight bodies at a time; each step leads one table down. */
CPU_AVX512_TARGET
static void find_avx512(const struct octree_morton *m, const uint64_t *key, size_t n, int32_t *part)
{
	const __m512i low = _mm512_set1_epi64(OCTREE_TABLE_SIZE - 1);
	const __m256i ones = _mm256_set1_epi32(-1);
	const size_t whole = n / 8 * 8;

	for (size_t i = 0; i < whole; i += 8) {
		const __m512i k = _mm512_loadu_si512(key + i);
		unsigned shift = FIRST_SHIFT;
		__mmask8 open = 0xff;
		__m256i entry = ones;

		for (; open; shift -= TABLE_BITS) {
			const __m512i table = _mm512_cvtepi32_epi64(_mm256_xor_si256(entry, ones));
			const __m512i digit = _mm512_and_si512(_mm512_srli_epi64(k, shift), low);
			const __m512i at =
				_mm512_add_epi64(_mm512_slli_epi64(table, TABLE_BITS), digit);

			entry = _mm512_mask_i64gather_epi32(entry, open, at, m->table, 4);
			open = _mm256_movepi32_mask(entry);
		}
		_mm256_storeu_si256((__m256i *)(void *)(part + i), entry);
	}
	find_plain(m, key + whole, n - whole, part + whole);
}
#endif

static void find(const struct octree_morton *m, const uint64_t *key, size_t n, int32_t *part)
{
#if defined(__x86_64__)
	if (m->cpu.simd >= CPU_AVX512) {
		find_avx512(m, key, n, part);
		return;
	}
#endif
	find_plain(m, key, n, part);
}

void octree_count(struct octree_morton *m, int thread, int threads)
{
	const struct cpu_range r = cpu_range_of(m->cpu.count, thread, threads);
	uint32_t *count = m->worker[thread].count;
	uint64_t key[OCTREE_TILE];

	if (m->part_count == 1) {
		count[0] = (uint32_t)(r.end - r.begin);
		return;
	}
	memset(count, 0, m->part_count * sizeof *count);
	for (size_t first = r.begin; first < r.end; first += OCTREE_TILE) {
		const size_t n = r.end - first < OCTREE_TILE ? r.end - first : OCTREE_TILE;
		int32_t *part = m->cpu.next + first;

		octree_cpu_keys_of(&m->cpu, first, n, key);
		find(m, key, n, part);
		for (size_t i = 0; i < n; i++)
			count[part[i]]++;
	}
}

void octree_place(struct octree_morton *m, int threads)
{
	size_t sum = 0;

	for (size_t p = 0; p < m->part_count; p++) {
		m->part[p].begin = sum;
		for (int t = 0; t < threads; t++) {
			m->worker[t].position[p] = sum;
			sum += m->worker[t].count[p];
		}
		m->part[p].count = sum - m->part[p].begin;
	}
}

/* ---- moving -------------------------------------------------------------------------------- */

/* Move bodies first .. first + n - 1, whose keys and parts are given. */
static void move_plain(struct octree_morton *m, struct octree_worker *w, size_t first, size_t n,
		       const uint64_t *key)
{
	const int32_t *part = m->cpu.next + first;

	for (size_t i = 0; i < n; i++) {
		struct octree_record *to = m->record + w->position[part[i]]++;

		to->key = key[i];
		to->body = (uint32_t)(first + i);
	}
}

/* The same if there is only one part. */
static void move_all(struct octree_morton *m, size_t first, size_t n, const uint64_t *key)
{
	for (size_t i = 0; i < n; i++) {
		m->record[first + i].key = key[i];
		m->record[first + i].body = (uint32_t)(first + i);
	}
}

#if defined(__x86_64__)
/* Copy records first .. last - 1, which lie in one cache line, from the thread's copy of the
 * line. */
static inline void store(struct octree_record *record, const struct octree_record *line,
			 size_t first, size_t last)
{
	memcpy(record + first, line + first % OCTREE_LINE, (last - first) * sizeof *record);
}

/* Move bodies as move_plain() does, through the thread's lines; full ones are streamed.  A thread's
 * first line of a part may begin with records of another thread or part. */
CPU_AVX512_TARGET
static void move_avx512(struct octree_morton *m, struct octree_worker *w, size_t first, size_t n,
			const uint64_t *key)
{
	const int32_t *part = m->cpu.next + first;

	for (size_t i = 0; i < n; i++) {
		const size_t p = (size_t)part[i];
		const size_t at = w->position[p]++;
		struct octree_record *line = w->line + OCTREE_LINE * p;

		_mm_store_si128((__m128i *)(void *)(line + at % OCTREE_LINE),
				_mm_set_epi64x((long long)first + (long long)i, (long long)key[i]));
		if ((at + 1) % OCTREE_LINE)
			continue;
		if (at + 1 - OCTREE_LINE >= w->start[p])
			_mm512_stream_si512((__m512i *)(void *)(m->record + at + 1 - OCTREE_LINE),
					    _mm512_load_si512(line));
		else
			store(m->record, line, w->start[p], at + 1);
	}
}

/* Write the records that are left in the lines. */
static void flush(struct octree_morton *m, struct octree_worker *w)
{
	for (size_t p = 0; p < m->part_count; p++) {
		const size_t last = w->position[p], whole = last - last % OCTREE_LINE;
		const size_t first = whole > w->start[p] ? whole : w->start[p];

		if (first < last)
			store(m->record, w->line + OCTREE_LINE * p, first, last);
	}
	_mm_sfence();
}
#endif

void octree_move(struct octree_morton *m, int thread, int threads)
{
	const struct cpu_range r = cpu_range_of(m->cpu.count, thread, threads);
	struct octree_worker *w = &m->worker[thread];
	const bool streams = m->cpu.simd >= CPU_AVX512 && m->part_count > 1;
	uint64_t key[OCTREE_TILE];

	memcpy(w->start, w->position, m->part_count * sizeof *w->start);
	for (size_t first = r.begin; first < r.end; first += OCTREE_TILE) {
		const size_t n = r.end - first < OCTREE_TILE ? r.end - first : OCTREE_TILE;

		octree_cpu_keys_of(&m->cpu, first, n, key);
		if (m->part_count == 1) {
			move_all(m, first, n, key);
			continue;
		}
#if defined(__x86_64__)
		if (streams) {
			move_avx512(m, w, first, n, key);
			continue;
		}
#endif
		move_plain(m, w, first, n, key);
	}
#if defined(__x86_64__)
	if (streams)
		flush(m, w);
#else
	(void)streams;
#endif
}
