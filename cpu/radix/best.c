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
 *	words      everything else: words of the bits above the place of the record are sorted, and
 *	           the records fetched.  If the lowest bits did not fit, keys that they order are
 *	           inserted, or sorted by digits if these are many
 *
 * In place, signed and real keys are sorted as signed numbers.  The negative real ones are then in
 * reversed order, and turned round.  If the words are split by digits before, and for pairs with real
 * keys, whose equal keys must stay in order, keys are converted to unsigned numbers instead.
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
	LONG = 1 << 11,    /* records of an average segment that are sorted by digits */
	COUNTED = 1 << 13, /* keys of a segment that are counted, not sorted by digits */
	DIGITS_BITS = 16,  /* most bits that are sorted by digits */
};

enum method { COUNTS, DIGITS, IN_PLACE, WORDS };

/* The array to sort: records, or words that stand for them. */
struct array {
	size_t count, width;
	unsigned low, top; /* the bits to sort by, for digits */
	void *at, *spare;
};

struct state {
	struct radix_cpu cpu; /* first member: see radix_cpu_reset() */
	enum method method;
	struct array array;
	const struct radix_vector_ops *vectors; /* NULL: sorted by digits or counts alone */
	void *few;                              /* radix_few_of() records, for vectors */
	bool is_split;                          /* by digits before */
	size_t share;                           /* parts of more words may go to another thread */
	size_t (*count)[RADIX_DIGITS];          /* one per thread: words by their digit */
	size_t (*key_count)[1 << 16];           /* one per thread, for counts */
	unsigned place_bits;                    /* the lowest ones of words */
};

static enum method method_for(const struct radix_input *in, unsigned place_bits)
{
	const bool is_whole = radix_sorts_whole_keys(in);
	const unsigned bits = (unsigned)(in->end_bit - in->begin_bit);

	if (cpu_simd() == CPU_PLAIN)
		return DIGITS;
	if (bits <= DIGITS_BITS && in->count / in->segments >= LONG)
		return is_whole && !in->value_size ? COUNTS : DIGITS;
	if (is_whole &&
	    (in->value_size ? in->key_size <= 4 && in->value_size == 4 : in->key_size >= 4))
		return IN_PLACE;
	return place_bits > 32 || (!in->value_size && bits + place_bits > 64) ? DIGITS : WORDS;
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
			radix_digit_count(radix_at(a->at, a->width, r.begin), r.end - r.begin,
					  a->width, digit, s->count[t]);
		}
		most = radix_digit_positions(s->count, threads, 0, first);
		first[RADIX_DIGITS] = n;
	}
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) private(position)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, threads);

		(void)radix_digit_positions(s->count, threads, t, position);
		radix_digit_scatter(radix_at(a->at, a->width, r.begin), r.end - r.begin, a->width,
				    digit, a->spare, position);
	}
	return top;
}

/* Sort n words from number `begin` on, which agree from bit `top` on.  They lie in `spare` if
 * in_spare. */
static void sort_part(const struct state *s, size_t begin, size_t n, unsigned top, bool in_spare)
{
	const struct array *a = &s->array;
	void *word = radix_at(a->at, a->width, begin);

	if (s->method == COUNTS && n >= COUNTED) {
		radix_sort_counts(word, n, a->width, s->key_count[omp_get_thread_num()]);
	} else if (!s->vectors) {
		radix_sort_digits(word, radix_at(a->spare, a->width, begin), in_spare, n, a->width,
				  a->low, top);
	} else {
		if (in_spare)
			memcpy(word, radix_at(a->spare, a->width, begin), n * a->width);
		s->vectors->sort(word, n, radix_medians_for(n), s->share);
	}
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
			sort_part(s, first[d], first[d + 1] - first[d], top, true);
		return;
	}
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (threads > 1)
	for (size_t i = 0; i < segments; i++) {
		const size_t begin = radix_cpu_segment(&s->cpu, i);

		sort_part(s, begin, radix_cpu_segment(&s->cpu, i + 1) - begin, s->array.top, false);
	}
}

static void reverse(const struct state *s, void *record, size_t n)
{
	const int threads = s->cpu.threads;

#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(n / 2, t, threads);

		s->vectors->reverse(record, n, r.begin, r.end);
	}
}

/* Turn the negative real keys of each segment round, which descend. */
static void reverse_negatives(const struct state *s)
{
	const struct array *a = &s->array;
	const size_t segments = s->cpu.input->segments;
	const int threads = s->cpu.threads;

	if (segments == 1) {
		reverse(s, a->at, s->vectors->negatives(a->at, a->count));
		return;
	}
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (threads > 1)
	for (size_t i = 0; i < segments; i++) {
		const size_t begin = radix_cpu_segment(&s->cpu, i);
		void *record = radix_at(a->at, a->width, begin);
		const size_t n =
			s->vectors->negatives(record, radix_cpu_segment(&s->cpu, i + 1) - begin);

		s->vectors->reverse(record, n, 0, n / 2);
	}
}

/* True if a single segment is sorted now: its keys ascended, or each was below the one before it. */
static bool sort_ordered(const struct state *s)
{
	const struct array *a = &s->array;
	const size_t n = a->count;
	const int threads = s->cpu.threads;
	const struct radix_cpu *cpu = &s->cpu;
	unsigned order = RADIX_ASCENDS | RADIX_DESCENDS;

	/* Shares overlap by one record. */
#pragma omp parallel for num_threads(threads) schedule(static, 1) if (threads > 1) \
	reduction(& : order)
	for (int t = 0; t < threads; t++) {
		const struct cpu_range r = cpu_range_of(n, t, threads);
		const size_t begin = r.begin - (r.begin > 0);

		order &= cpu->vectors->order(radix_at(a->at, a->width, begin), r.end - begin,
					     (int)cpu->first, radix_cpu_real(cpu));
	}
	if (order == RADIX_DESCENDS)
		reverse(s, a->at, n);
	return order != 0;
}

static void sort_records(struct state *s, struct gb_timer *timer)
{
	const bool is_single = s->cpu.input->segments == 1;
	const uint64_t real = s->cpu.is_native ? radix_cpu_real(&s->cpu) : 0;

	if (s->vectors && is_single && sort_ordered(s))
		return;
	radix_cpu_flip(&s->cpu, false, NULL);
	radix_cpu_to_words(&s->cpu);
	if (!s->vectors || !is_single ||
	    !s->vectors->sort_nearly(s->array.at, s->array.count, s->few, real)) {
		sort(s, timer);
		if (real)
			reverse_negatives(s);
	}
	radix_cpu_from_words(&s->cpu);
	radix_cpu_flip(&s->cpu, true, NULL);
}

/* ---- words --------------------------------------------------------------------------------- */

/* The bits of record i to sort by. */
static inline uint64_t rank_at(const struct radix_cpu *cpu, size_t i)
{
	const struct radix_input *in = cpu->input;
	const uint64_t order = radix_order(in->type, radix_cpu_key(cpu, i));

	return order << (64 - in->end_bit) >> (64 - in->end_bit + in->begin_bit);
}

/* Make words, of ranks without the lowest `rest` bits. */
static void make_words(const struct state *s, unsigned rest)
{
	const struct radix_cpu *cpu = &s->cpu;
	uint64_t *word = s->array.at;

#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->threads > 1)
	for (size_t i = 0; i < cpu->count; i++)
		word[i] = rank_at(cpu, i) >> rest << s->place_bits | i;
}

/* Fetch the records into `spare`, in the order of the words. */
static void fetch(const struct state *s)
{
	const struct radix_cpu *cpu = &s->cpu;
	const uint64_t *word = s->array.at, places = (UINT64_C(1) << s->place_bits) - 1;
	const radix_u128 *pair = cpu->record;
	radix_u128 *out = cpu->spare;

#pragma omp parallel for num_threads(cpu->threads) schedule(static) if (cpu->threads > 1)
	for (size_t i = 0; i < cpu->count; i++)
		if (cpu->width == 16)
			out[i] = pair[word[i] & places];
		else
			radix_store(cpu->spare, cpu->width, i,
				    radix_load(cpu->record, cpu->width, word[i] & places));
}

/* Sort records begin .. end - 1, which are sorted but for the lowest bits. */
static void insert(const struct radix_cpu *cpu, size_t begin, size_t end)
{
	enum { MOST = 2 }; /* moves per record on average */
	const enum radix_type type = cpu->input->type;
	radix_u128 *record = cpu->record;
	size_t moves = MOST * (end - begin);

	for (size_t i = begin + 1; i < end; i++) {
		const radix_u128 x = record[i];
		const uint64_t rank = rank_at(cpu, i);
		size_t k = i;

		for (; k > begin && moves && rank_at(cpu, k - 1) > rank; k--, moves--)
			record[k] = record[k - 1];
		record[k] = x;
	}
	if (moves)
		return;
	for (size_t i = begin; i < end; i++)
		radix_cpu_set_key(cpu, i, radix_order(type, radix_cpu_key(cpu, i)));
	radix_sort_digits(record + begin, (radix_u128 *)cpu->spare + begin, false, end - begin,
			  sizeof *record, cpu->low, cpu->top);
	for (size_t i = begin; i < end; i++)
		radix_cpu_set_key(cpu, i, radix_bits(type, radix_cpu_key(cpu, i)));
}

static void sort_words(struct state *s, struct gb_timer *timer)
{
	struct radix_cpu *cpu = &s->cpu;
	const size_t segments = cpu->input->segments;
	const unsigned bits = cpu->top - cpu->low, room = 64 - s->place_bits;
	const unsigned rest = bits > room ? bits - room : 0;

	make_words(s, rest);
	if (segments > 1 || !s->vectors->sort_nearly(s->array.at, cpu->count, s->few, 0))
		sort(s, timer);
	fetch(s);
	radix_cpu_swap(cpu);
#pragma omp parallel for num_threads(cpu->threads) schedule(dynamic, 16)
	for (size_t i = 0; i < (rest ? segments : 0); i++)
		insert(cpu, radix_cpu_segment(cpu, i), radix_cpu_segment(cpu, i + 1));
}

/* ---- the variant --------------------------------------------------------------------------- */

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	if (s->cpu.count)
		(s->method == WORDS ? sort_words : sort_records)(s, timer);
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

	s->place_bits = 64 - (unsigned)__builtin_clzl(input->count | 1);
	s->method = method_for(input, s->place_bits);
	s->is_split = is_split(s->method, input, threads);
	if (radix_cpu_init(cpu, params, input, s->method != IN_PLACE || s->is_split, err))
		return err->code;
	cpu->threads = threads;
	*a = (struct array){ cpu->count, cpu->width, cpu->low, cpu->top, cpu->record, cpu->spare };
	if (s->method == WORDS) {
		*a = (struct array){ .count = cpu->count, .width = 8, .top = 64 };
		a->at = gb_host_alloc(cpu->count, 8, err);
		a->spare = gb_host_alloc(s->is_split ? cpu->count : 0, 8, err);
	}
	if (s->method == IN_PLACE)
		(void)radix_cpu_init_words(cpu, params, err);
	/* Reversing real keys would reverse the values of equal ones, and digits are unsigned. */
	cpu->is_native = s->method == IN_PLACE && !s->is_split &&
			 !(input->value_size && input->type >= RADIX_F32);
	if (s->method == IN_PLACE || s->method == WORDS) {
		s->vectors =
			cpu->is_native ? cpu->vectors : radix_vectors(a->width, false, cpu_simd());
		s->few = gb_host_alloc(radix_few_of(cpu->count), a->width, err);
	}
	if (s->method == COUNTS)
		s->key_count = gb_host_alloc((size_t)threads, sizeof *s->key_count, err);
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
