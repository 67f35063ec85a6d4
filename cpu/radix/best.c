/* best.c -- cpu/best: the fastest CPU sort of this project.
 *
 * Against lsd8: most passes run in a core's own cache.
 *
 * The bits and what is moved decide how records are sorted:
 *
 *	counts     u8 and u16 keys without values are counted, and written in order
 *	digits     up to 16 bits otherwise: a stable counting sort, one or two passes
 *	in place   keys of 4 and 8 bytes, and pairs of 8 bytes, whose values are replaced by places
 *	           unless they ascend, so that comparing them, too, makes the sort stable
 *	words      everything else: words of the bits above the place of the record are sorted,
 *	           ties in the bits that did not fit are sorted again, and the records fetched
 *
 * In place and by words, a quicksort by vectors (cpu/primitives/quicksort.h) sorts, whatever the
 * distribution.  With a few threads, one cuts the array in two, two cut the halves, and so on.
 * Segments are sorted side by side in the same way.  Short ones are never counted nor sorted by
 * digits, because clearing the counts would take longer.
 *
 * Many threads, vectors of few words, and processors without vectors first split a single segment by
 * the highest digit into 256 parts, from one array to another: one pass counts, one moves.  Each part
 * is then sorted by one thread, or by several if it is large, by the quicksort or, without vectors,
 * by digits.
 *
 * Before that, vectors recognise records that ascend, descend or nearly ascend.
 *
 * The quicksort takes at most twice the levels of perfect medians and then one level per bit, so
 * the work is bounded for every input.  The bound is memory: a level whose parts exceed the cache
 * reads and writes the records once, as do all levels below it together.
 */
#include <omp.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "cpu/primitives/sort.h"
#include "cpu/radix/shared/records.h"

enum {
	SMALL = 1 << 14, /* records that are not split */
	WORTH = 1 << 14, /* records that make another thread worth its start */
	/* Most threads that cut the records; one makes the first cut.  A split by digits would move
	 * the records between cores in short pieces, which takes longer. */
	FEW_THREADS = 4,
	LONG = 1 << 11,     /* records of an average segment that are sorted by digits */
	LONG_U16 = 1 << 14, /* and by counts of u16 keys */
	DIGITS_BITS = 16,   /* most bits that are sorted by digits */
};

enum method { COUNTS, DIGITS, IN_PLACE, WORDS };

/* What is sorted: records, or words that stand for them. */
struct array {
	size_t count, width;
	unsigned low, top; /* the bits to sort by, for digits */
	void *at, *spare;
};

struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	enum method method;
	struct array array;
	const struct radix_vector_ops *vectors; /* NULL: sorted by digits alone */
	void *few;                              /* radix_few_of() records, for vectors */
	bool is_split;                          /* by digits before */
	size_t share;                           /* parts of more words may go to another thread */
	size_t (*count)[RADIX_DIGITS];          /* one per thread: words by their digit */
	/* counts */
	size_t bins;
	uint32_t *table; /* per thread, `bins` counts */
	size_t *written; /* per thread, keys that it writes; for words, where its ties begin */
	/* words: the lowest bits are the place; above are the bits of ranks in rank_mask, from
	 * rank_shift on, as far as they fit */
	unsigned place_bits, rank_shift;
	uint64_t rank_mask;
};

static enum method method_for(const struct radix_input *in)
{
	const bool is_whole = radix_sorts_whole_keys(in);
	const size_t length = in->count / in->segments;

	if (cpu_simd() == CPU_PLAIN)
		return DIGITS;
	if (in->end_bit - in->begin_bit <= DIGITS_BITS) {
		if (is_whole && !in->value_size && in->count <= UINT32_MAX &&
		    length >= (in->key_size == 1 ? LONG : LONG_U16))
			return COUNTS;
		if (length >= LONG && (in->value_size || !is_whole))
			return DIGITS;
	}
	if (is_whole &&
	    (in->value_size ? in->key_size <= 4 && in->value_size == 4 : in->key_size >= 4))
		return IN_PLACE;
	return in->count <= UINT32_MAX ? WORDS : DIGITS;
}

/* Number of threads: no more than the records are worth. */
static int threads_for(const struct radix_params *p, const struct radix_input *input)
{
	const size_t worth = 1 + input->count / WORTH;
	const int threads = radix_cpu_threads(p);

	return (size_t)threads > worth ? (int)worth : threads;
}

/* True if a sort by this method first splits the words. */
static bool is_split(enum method method, const struct radix_input *input, int threads)
{
	const bool wide = method == WORDS || input->value_size || input->key_size == 8;
	const enum cpu_simd simd = cpu_simd();

	if (input->count <= SMALL || input->segments > 1 || method == COUNTS)
		return false;
	return simd < CPU_AVX2 || (method == DIGITS && threads > 1) ||
	       (method != DIGITS && simd < CPU_AVX512 && wide) || threads > FEW_THREADS;
}

static void *at(const struct array *a, void *from, size_t index)
{
	return (char *)from + index * a->width;
}

/* ---- split by digits ----------------------------------------------------------------------- */

/* Move the words to `spare` by the highest digit in which they differ.  Digit d then begins at
 * first[d].  Returns the digit's lowest bit. */
static unsigned split(const struct state *s, size_t first[RADIX_DIGITS + 1])
{
	const struct array *a = &s->array;
	const size_t n = a->count;
	const int threads = s->cpu.threads;
	size_t position[RADIX_DIGITS], most = n;
	struct radix_digit digit = { 0, 0 };
	unsigned top = a->top;

	while (most == n && top > a->low) {
		const unsigned low =
			top - a->low > RADIX_DIGIT_BITS ? top - RADIX_DIGIT_BITS : a->low;

		digit = radix_digit_from(low, top);
		top = low;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
		for (int t = 0; t < threads; t++) {
			const struct cpu_range r = cpu_range_of(n, t, threads);

			memset(s->count[t], 0, sizeof s->count[t]);
			radix_digit_count(at(a, a->at, r.begin), r.end - r.begin, a->width, digit,
					  s->count[t]);
		}
		radix_digit_positions(s->count, threads, 0, first);
		first[RADIX_DIGITS] = n;
		most = 0;
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			most = first[d + 1] - first[d] > most ? first[d + 1] - first[d] : most;
	}
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) private(position)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, threads);

		radix_digit_positions(s->count, threads, t, position);
		radix_digit_scatter(at(a, a->at, r.begin), r.end - r.begin, a->width, digit,
				    a->spare, position);
	}
	return top;
}

/* Sort n words from number `begin` on, which lie in `spare` and agree from bit `top` on. */
static void sort_part(const struct state *s, size_t begin, size_t n, unsigned top)
{
	const struct array *a = &s->array;
	void *word = at(a, a->at, begin), *spare = at(a, a->spare, begin);

	if (!s->vectors) {
		radix_sort_digits(word, spare, true, n, a->width, a->low, top);
		return;
	}
	memcpy(word, spare, n * a->width);
	s->vectors->sort(word, n, radix_medians_for(n), s->share);
}

/* ---- any words ----------------------------------------------------------------------------- */

static void sort_segment(const struct state *s, size_t begin, size_t n)
{
	const struct array *a = &s->array;

	if (s->vectors)
		s->vectors->sort(at(a, a->at, begin), n, radix_medians_for(n), s->share);
	else
		radix_sort_digits(at(a, a->at, begin), at(a, a->spare, begin), false, n, a->width,
				  a->low, a->top);
}

static void sort(const struct state *s, struct gb_timer *timer)
{
	const int threads = s->cpu.threads;
	const size_t segments = s->cpu.input->segments;
	size_t first[RADIX_DIGITS + 1];
	unsigned top;

	if (s->is_split) {
		gb_phase(timer, "split");
		top = split(s, first);
		gb_phase(timer, "leaves");
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			sort_part(s, first[d], first[d + 1] - first[d], top);
		return;
	}
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (threads > 1)
	for (size_t i = 0; i < segments; i++) {
		const size_t begin = radix_cpu_segment(&s->cpu, i);

		sort_segment(s, begin, radix_cpu_segment(&s->cpu, i + 1) - begin);
	}
}

/* True if a single segment is sorted now: its keys ascended, or each was below the one before it. */
static bool sort_ordered(const struct state *s)
{
	const struct array *a = &s->array;
	const size_t n = a->count, width = a->width;
	const int threads = s->cpu.threads;
	const struct radix_flips flips = radix_cpu_flips(&s->cpu, s->cpu.first);
	uint64_t *wide = a->at;
	uint32_t *narrow = a->at;
	unsigned order = RADIX_ASCENDS | RADIX_DESCENDS;

	/* Shares overlap by one record. */
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) \
	reduction(& : order)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, threads);
		const size_t begin = r.begin - (r.begin > 0);

		order &= s->vectors->order(at(a, a->at, begin), r.end - begin, s->cpu.first, flips);
	}
	if (order != RADIX_DESCENDS)
		return order != 0;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
	for (size_t i = 0; i < n / 2; i++) {
		const size_t k = n - 1 - i;
		const uint64_t last = width == 8 ? wide[k] : narrow[k];

		if (width == 8) {
			wide[k] = wide[i];
			wide[i] = last;
		} else {
			narrow[k] = narrow[i];
			narrow[i] = (uint32_t)last;
		}
	}
	return true;
}

/* Turn keys into orders, or orders into keys. */
static void flip(struct state *s, bool is_order)
{
	const struct array *a = &s->array;
	const int threads = s->cpu.threads;
	const struct radix_flips flips = radix_cpu_flips(&s->cpu, s->cpu.first);

	if (!s->vectors && is_order)
		radix_cpu_from_order(&s->cpu, NULL);
	else if (!s->vectors)
		radix_cpu_to_order(&s->cpu, NULL);
	if (!s->vectors || !flips.positive)
		return;
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(a->count, t, threads);

		s->vectors->flip(at(a, a->at, r.begin), r.end - r.begin, flips, is_order);
	}
}

static void sort_records(struct state *s, struct gb_timer *timer)
{
	const bool is_single = s->cpu.input->segments == 1;

	if (s->vectors && is_single && sort_ordered(s))
		return;
	flip(s, false);
	radix_cpu_to_words(&s->cpu);
	if (!s->vectors || !is_single ||
	    !s->vectors->sort_nearly(s->array.at, s->array.count, s->few))
		sort(s, timer);
	radix_cpu_from_words(&s->cpu);
	flip(s, true);
}

/* ---- counts -------------------------------------------------------------------------------- */

/* Count keys begin .. end - 1 into a thread's table. */
static void count_keys(const struct state *s, struct cpu_range r, uint32_t *table)
{
	const uint16_t *key = s->cpu.record;
	size_t count[RADIX_DIGITS] = { 0 };

	if (s->cpu.width == 1) {
		radix_digit_count((const char *)s->cpu.record + r.begin, r.end - r.begin, 1,
				  radix_digit_from(0, 8), count);
		for (size_t d = 0; d < RADIX_DIGITS; d++)
			table[d] = (uint32_t)count[d];
		return;
	}
	memset(table, 0, s->bins * sizeof *table);
	for (size_t i = r.begin; i < r.end; i++)
		table[key[i]]++;
}

/* Write count copies of a key.  While `room` allows, whole blocks are written; later keys overwrite
 * what lies behind the copies. */
static void write_keys(uint16_t *out, size_t count, size_t room, uint16_t key)
{
	enum { BLOCK = 32 };

	for (; room >= BLOCK; out += BLOCK, room -= BLOCK) {
		for (size_t k = 0; k < BLOCK; k++)
			out[k] = key;
		if (count <= BLOCK)
			return;
		count -= BLOCK;
	}
	for (size_t k = 0; k < count; k++)
		out[k] = key;
}

/* One thread of `threads`: count its keys, add up the counts of its part of the values, and write
 * these. */
static void sort_counts(const struct state *s, int thread, int threads)
{
	const struct cpu_range values = cpu_range_of(s->bins, thread, threads);
	uint32_t *const sum = s->table;
	size_t before = 0, end;

	count_keys(s, cpu_range_of(s->cpu.count, thread, threads),
		   s->table + (size_t)thread * s->bins);
#pragma omp barrier
	s->written[thread] = 0;
	for (size_t v = values.begin; v < values.end; v++) {
		for (int t = 1; t < threads; t++)
			sum[v] += s->table[(size_t)t * s->bins + v];
		s->written[thread] += sum[v];
	}
#pragma omp barrier
	for (int t = 0; t < thread; t++)
		before += s->written[t];
	end = before + s->written[thread];
	for (size_t v = values.begin; v < values.end; before += sum[v], v++)
		if (s->cpu.width == 1)
			memset((char *)s->cpu.record + before, (int)v, sum[v]);
		else
			write_keys((uint16_t *)s->cpu.record + before, sum[v], end - before,
				   (uint16_t)v);
}

/* ---- words --------------------------------------------------------------------------------- */

static inline uint64_t key_at(const struct radix_cpu *cpu, size_t i)
{
	const uint64_t *word = cpu->record;

	return !cpu->first       ? radix_load(cpu->record, cpu->width, i)
	       : cpu->width == 8 ? word[i] >> 32
				 : word[2 * i + 1];
}

/* The bits of record i to sort by. */
static inline uint64_t rank_at(const struct state *s, struct radix_flips flips, size_t i)
{
	const struct radix_input *in = s->cpu.input;
	const uint64_t key = key_at(&s->cpu, i);
	const uint64_t is_negative = key >> (8 * in->key_size - 1) & 1;
	const uint64_t order =
		key ^ flips.positive ^ ((0 - is_negative) & (flips.positive ^ flips.negative));

	return order << (64 - in->end_bit) >> (64 - in->end_bit + in->begin_bit);
}

/* Make words of the bits in which ranks differ, above the places of the records.  Returns how many
 * of the lowest bits did not fit. */
static unsigned make_words(struct state *s)
{
	const struct radix_cpu *cpu = &s->cpu;
	const struct radix_flips flips = radix_cpu_flips(cpu, 0);
	const unsigned room = 64 - s->place_bits;
	unsigned bits = cpu->top - cpu->low;
	uint64_t *word = s->array.at, differing = 0;

	s->rank_shift = 0;
	if (bits > room) {
		const uint64_t first = rank_at(s, flips, 0);

#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->threads > 1) \
	reduction(|                                                                       \
		  : differing)
		for (size_t i = 0; i < cpu->count; i++)
			differing |= first ^ rank_at(s, flips, i);
		s->rank_shift = differing ? (unsigned)__builtin_ctzl(differing) : 0;
		bits = 64 - (unsigned)__builtin_clzl(differing | 1) - s->rank_shift;
	}
	s->rank_mask = UINT64_MAX >> (64 - bits);

	const unsigned rest = bits > room ? bits - room : 0;
#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->threads > 1)
	for (size_t i = 0; i < cpu->count; i++) {
		const uint64_t rank = rank_at(s, flips, i) >> s->rank_shift & s->rank_mask;

		word[i] = rank >> rest << s->place_bits | i;
	}
	return rest;
}

/* Sort words that agree above the place by the lowest `rest` bits of the ranks. */
static void sort_tie(const struct state *s, uint64_t *word, size_t n, unsigned rest)
{
	const struct radix_flips flips = radix_cpu_flips(&s->cpu, 0);
	const uint64_t places = (UINT64_C(1) << s->place_bits) - 1;
	bool ascends = true;

	for (size_t i = 0; i < n; i++) {
		const uint64_t place = word[i] & places;
		const uint64_t rank = rank_at(s, flips, place) >> s->rank_shift;

		word[i] = (rank & (UINT64_MAX >> (64 - rest))) << s->place_bits | place;
		ascends &= i == 0 || word[i - 1] <= word[i];
	}
	if (!ascends)
		s->vectors->sort(word, n, radix_medians_for(n), SIZE_MAX);
}

/* The end of the words that agree with the first one above the place. */
static size_t end_of_tie(const struct state *s, size_t begin, size_t end)
{
	const uint64_t *word = s->array.at;
	size_t i = begin + 1;

	while (i < end && (word[i] ^ word[begin]) >> s->place_bits == 0)
		i++;
	return i < end ? i : end;
}

static void sort_ties(const struct state *s, size_t begin, size_t end, unsigned rest)
{
	uint64_t *word = s->array.at;

	while (begin < end) {
		const size_t next = end_of_tie(s, begin, end);

		if (next > begin + 1)
			sort_tie(s, word + begin, next - begin, rest);
		begin = next;
	}
}

/* Sort all ties.  Each thread has whole ties; a single segment is cut where none is cut. */
static void sort_all_ties(const struct state *s, unsigned rest)
{
	const struct radix_cpu *cpu = &s->cpu;
	const size_t segments = cpu->input->segments;
	const int threads = cpu->threads;
	size_t *const cut = s->written;

	for (int t = 0; t < threads && segments == 1; t++) {
		const size_t begin = cpu_range_of(cpu->count, t, threads).begin;

		cut[t] = begin ? end_of_tie(s, begin - 1, cpu->count) : 0;
	}
	cut[threads] = cpu->count;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (threads > 1)
	for (size_t i = 0; i < segments; i++)
		if (segments > 1)
			sort_ties(s, cpu->input->offsets[i], cpu->input->offsets[i + 1], rest);
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++)
		if (segments == 1)
			sort_ties(s, cut[t], cut[t + 1], rest);
}

/* Fetch the records into `spare`, in the order of the words. */
static void fetch(struct radix_cpu *cpu, const uint64_t *word, uint64_t places)
{
	const radix_u128 *pair = cpu->record;
	radix_u128 *out = cpu->spare;

#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->threads > 1)
	for (size_t i = 0; i < cpu->count; i++)
		if (cpu->width == 16)
			out[i] = pair[word[i] & places];
		else
			radix_store(cpu->spare, cpu->width, i,
				    radix_load(cpu->record, cpu->width, word[i] & places));
	radix_cpu_swap(cpu);
}

static void sort_words(struct state *s, struct gb_timer *timer)
{
	const struct array *a = &s->array;
	const unsigned rest = make_words(s);

	if (s->cpu.input->segments > 1 || !s->vectors->sort_nearly(a->at, a->count, s->few))
		sort(s, timer);
	if (rest)
		sort_all_ties(s, rest);
	fetch(&s->cpu, a->at, (UINT64_C(1) << s->place_bits) - 1);
}

/* ---- the variant --------------------------------------------------------------------------- */

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (!s->cpu.count)
		return GB_OK;
	if (s->method == COUNTS) {
#pragma omp parallel num_threads(s->cpu.threads)
		sort_counts(s, omp_get_thread_num(), omp_get_num_threads());
	} else if (s->method == WORDS) {
		sort_words(s, timer);
	} else {
		sort_records(s, timer);
	}
	return GB_OK;
}

static enum gb_status create(void *state, const void *params, const void *input_,
			     struct gb_error *err)
{
	const struct radix_input *input = input_;
	const int threads = threads_for(params, input);
	struct state *s = state;
	struct radix_cpu *cpu = &s->cpu;
	struct array *a = &s->array;

	s->method = method_for(input);
	s->is_split = is_split(s->method, input, threads);
	if (radix_cpu_init(cpu, params, input,
			   s->method == DIGITS || s->method == WORDS || s->is_split, err))
		return err->code;
	cpu->threads = threads;
	*a = (struct array){ cpu->count, cpu->width, cpu->low, cpu->top, cpu->record, cpu->spare };
	if (s->method == WORDS) {
		*a = (struct array){ .count = cpu->count, .width = 8, .top = 64 };
		a->at = gb_host_alloc(cpu->count, 8, err);
		if (s->is_split)
			a->spare = gb_host_alloc(cpu->count, 8, err);
		s->place_bits = 64 - (unsigned)__builtin_clzl((cpu->count - (cpu->count > 0)) | 1);
	}
	if (s->method == IN_PLACE)
		(void)radix_cpu_init_words(cpu, params, err);
	if (s->method == IN_PLACE || s->method == WORDS) {
		s->vectors = radix_vectors(a->width, cpu_simd());
		s->few = gb_host_alloc(radix_few_of(cpu->count), a->width, err);
	}
	if (s->method == COUNTS) {
		s->bins = (size_t)1 << 8 * cpu->width;
		s->table = gb_host_alloc((size_t)threads * s->bins, sizeof *s->table, err);
	}
	s->written = gb_host_alloc((size_t)threads + 1, sizeof *s->written, err);
	s->share = threads > 1 ? cpu->count / (4 * (size_t)threads) : SIZE_MAX;
	if (s->share < SMALL)
		s->share = SMALL;
	s->count = gb_host_alloc((size_t)threads, sizeof *s->count, err);
	return err->code;
}

const struct gb_variant_ops radix_cpu_best = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = radix_cpu_reset,
	.run = run,
	.download = radix_cpu_download,
	.excluded = radix_cpu_excluded,
};
