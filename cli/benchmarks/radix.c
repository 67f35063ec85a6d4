/* radix.c -- the radix benchmark: sort keys, with or without values.
 *
 * A result is right if each segment is in ascending order, holds exactly the records of the input and
 * keeps keys that are equal, or equal in the bits to sort by, in their input order.  Order and
 * stability are checked key by key, and the records by a digest that does not depend on their order.
 * Both checks run in parallel and need no memory, except for a sort by some of the bits without
 * values.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/memory.h"
#include "common/radix_types.h"
#include "common/secret.h"
#include "common/text.h"
#include "datasets/keys/keys.h"

/* ---- parameters -------------------------------------------------------------------------- */

GB_WORDS(types, RADIX_TYPES, "u8", "u16", "u32", "u64", "i32", "i64", "f32", "f64");
GB_WORDS(distributions, RADIX_DISTRIBUTIONS, "uniform", "sorted", "reverse", "constant", "few",
	 "zipf", "entropy0", "entropy1", "entropy2", "entropy3", "entropy4", "entropy5", "nearly",
	 "special");
GB_WORDS(values, RADIX_VALUES, "none", "index", "u32", "u64");
GB_WORDS(lengths, RADIX_LENGTHS, "equal", "uniform", "zipf");

#define AT(type, member) GB_AT(type, struct radix_params, member)
static const struct gb_param params[] = {
	{ .name = "count",
	  AT(GB_INT, count),
	  .initial = "1M",
	  .max = INT64_C(1) << 33,
	  .yields_to = "file",
	  .unit = "keys",
	  .help = "number of keys to sort; with --file, read at most this many (all if not "
		  "given or 0)" },
	{ .name = "type",
	  AT(GB_CHOICE, type),
	  .initial = "u32",
	  .choices = types,
	  .help = "key type" },
	{ .name = "distribution",
	  AT(GB_CHOICE, distribution),
	  .initial = "uniform",
	  .choices = distributions,
	  .only = "!file",
	  .help = "distribution of generated keys; few: 256 distinct keys; entropyK: bitwise AND "
		  "of K uniform words; nearly: sorted but for about sqrt(count) keys; special: "
		  "zeros, denormals, "
		  "infinities and NaNs" },
	{ .name = "file",
	  AT(GB_PATH, file),
	  .help = "read the keys from this file: raw, text, .npy or SOSD" },
	{ .name = "values",
	  AT(GB_CHOICE, values),
	  .initial = "none",
	  .keyed = "none",
	  .choices = values,
	  .help = "value of each key: its position as u32, or a random u32 or u64 that no other "
		  "key has" },
	{ .name = "bits",
	  AT(GB_PATH, bits),
	  .unit = "LOW:HIGH",
	  .help = "sort by bits LOW to HIGH - 1 of the keys' order only (all if not given)" },
	{ .name = "segments",
	  AT(GB_INT, segments),
	  .initial = "1",
	  .keyed = "1",
	  .min = 1,
	  .max = INT64_C(1) << 32,
	  .help = "number of segments, each of which is sorted on its own" },
	{ .name = "lengths",
	  AT(GB_CHOICE, lengths),
	  .initial = "equal",
	  .keyed = "equal",
	  .choices = lengths,
	  .help = "lengths of the segments" },
	GB_COMMON_PARAMS(struct radix_params),
};
#undef AT

/* ---- sweeps: each line holds the arguments of `gpubench radix` ---------------------------- */

/* Sizes around those of warps, blocks and tiles; every distribution at an odd size; then every type
 * with each kind of value, by some of the bits, and in segments. */
static const char *const check[] = {
	"--count=0,1,2,31,32,33,255,256,257,4095,4096,4097 --type=u32,u64,f32",
	"--count=0,1,2,31,32,33,255,256,257,4095,4096,4097 --values=u32",
	"--count=65537 --type=u64,f32",
	"--count=65537 --values=u32",
	("--count=10007 --values=none,u32 --distribution=sorted,reverse,constant,few,zipf,"
	 "entropy0,entropy1,entropy2,entropy3,entropy4,entropy5,nearly"),
	"--count=1,2051 --type=u8,u16,u64,i32,i64,f32,f64 --values=none,index,u32,u64",
	"--count=4099 --type=u8,u16,i32,i64,f32,f64 --distribution=special --values=none,u64",
	"--count=2051 --type=u8,f32,f64,i64 --bits=3:8 --values=none,u32 --distribution=special",
	"--count=2051 --type=u32,u64,f32 --bits=7:30 --values=none,u64",
	"--count=3001 --type=u16,u32,f64 --segments=5,700 --lengths=equal,zipf --values=none,u32",
	"--count=20011 --segments=9 --lengths=uniform --values=none,u64 --bits=4:20",
	NULL,
};

#define QUICK "cpu/split-omp cpu/best cpu/vqsort cuda/split cuda/small cuda/onesweep cuda/cub "
static const char *const quick[] = {
	QUICK "--count=64k,1M",
	QUICK "--count=100k --values=u32",
	NULL,
};

/* Sizes in cache and in memory; every type; distributions that are hard for a radix sort. */
static const char *const ci[] = {
	"--count=64k,1M,4M",
	"--count=1M --type=u64,f32",
	"--count=1M --values=u32",
	"--count=1M --distribution=sorted,few,zipf,entropy3",
	NULL,
};

/* The sizes of the paper's Table 1. */
static const char *const paper[] = {
	"--count=10k,50k,100k,1M,10M,50M,100M,150M,200M,210M",
	NULL,
};

/* Every distribution, and sizes up to what a GPU with 80 GB holds. */
static const char *const large[] = {
	"--count=16Mi,64Mi --type=u32,u64",
	"--count=16Mi,64Mi --values=u32",
	"--count=16Mi --values=none,u32 --distribution=few,zipf,sorted,nearly",
	"--count=16Mi --values=index",
	("!cpu/* --count=64Mi --values=none,u32 --distribution=sorted,reverse,constant,few,zipf,"
	 "entropy0,entropy1,entropy2,entropy3,entropy4,entropy5,nearly"),
	"!cpu/* --count=256Mi,1Gi --type=u32,u64,f32 --distribution=uniform,few",
	"!cpu/* --count=256Mi,1Gi --values=u32 --distribution=uniform,few",
	"--count=16Mi --segments=1k,1M --lengths=uniform,zipf --values=u32",
	NULL,
};

/* ---- input ------------------------------------------------------------------------------- */

/* Read or generate the keys.  A dry run only allocates them. */
static enum gb_status make_keys(struct radix_input *in, const struct radix_params *p,
				struct gb_error *err)
{
	if (p->file)
		return gb_keys_read(p->file, (size_t)p->count, in, err);
	in->count = (size_t)p->count;
	in->keys = gb_host_alloc(in->count, in->key_size, err);
	if (in->keys && !gb_memory_is_dry())
		gb_keys_fill(in->keys, in->type, (enum radix_distribution)p->distribution,
			     in->count, (uint64_t)p->seed);
	return err->code;
}

static enum gb_status make_values(struct radix_input *in, const struct radix_params *p,
				  struct gb_error *err)
{
	const uint64_t most = UINT64_C(1) << 32;

	if (!in->value_size)
		return GB_OK;
	if (in->value_size == 4 && in->count > most)
		return gb_fail(err, GB_EUSAGE,
			       "--values=%s numbers keys in 32 bits: %zu keys are more than "
			       "%" PRIu64,
			       values[p->values], in->count, most);
	in->values = gb_host_alloc(in->count, in->value_size, err);
	if (in->values && !gb_memory_is_dry())
		gb_keys_number(in->values, in->count, (enum radix_values)p->values,
			       (uint64_t)p->seed);
	return err->code;
}

static enum gb_status make_segments(struct radix_input *in, const struct radix_params *p,
				    struct gb_error *err)
{
	in->segments = p->segments > 1 ? (size_t)p->segments : 1;
	if (in->segments == 1)
		return GB_OK;
	in->offsets = gb_host_alloc(in->segments + 1, sizeof *in->offsets, err);
	if (in->offsets && !gb_memory_is_dry())
		gb_keys_segments(in->offsets, in->segments, (enum radix_lengths)p->lengths,
				 in->count, (uint64_t)p->seed);
	return err->code;
}

/* Read "LOW:HIGH". */
static enum gb_status choose_bits(struct radix_input *in, const char *text, struct gb_error *err)
{
	int length = 0;

	in->begin_bit = 0;
	in->end_bit = 8 * (int)in->key_size;
	if (!text)
		return GB_OK;
	if (sscanf(text, "%2d:%2d%n", &in->begin_bit, &in->end_bit, &length) < 2 || text[length] ||
	    in->begin_bit < 0 || in->begin_bit >= in->end_bit ||
	    in->end_bit > 8 * (int)in->key_size)
		return gb_fail(err, GB_EUSAGE,
			       "--bits=%s: not LOW:HIGH with 0 <= LOW < HIGH <= %zu, the bits of "
			       "%s keys",
			       text, 8 * in->key_size, types[in->type]);
	return GB_OK;
}

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct radix_params *p = params_;
	struct radix_input *in = gb_input_begin(sizeof *in, err);

	if (in) {
		in->type = (enum radix_type)p->type;
		in->key_size = radix_key_size(in->type);
		in->value_size = p->values == RADIX_NO_VALUES    ? 0
				 : p->values == RADIX_U64_VALUES ? 8
								 : 4;
		if (!choose_bits(in, p->bits, err) && !make_keys(in, p, err) &&
		    !make_values(in, p, err))
			(void)make_segments(in, p, err);
	}
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	return radix_output_size(input);
}

/* ---- verification ------------------------------------------------------------------------ */

/* The records of an output, and what they are sorted by. */
struct records {
	const struct radix_input *in;
	const struct radix_params *params;
	const void *keys, *values;
	bool equal_zeros; /* -0 is sorted as +0 */
};

/* The bits of a key that it is sorted by, as a number. */
static uint64_t rank_of(const struct records *r, uint64_t key)
{
	const struct radix_input *in = r->in;
	const uint64_t sign = UINT64_C(1) << (8 * in->key_size - 1);
	const uint64_t order = radix_order(in->type, r->equal_zeros && key == sign ? 0 : key);

	return (order >> in->begin_bit) & (UINT64_MAX >> (64 - (in->end_bit - in->begin_bit)));
}

static uint64_t rank_at(const struct records *r, size_t i)
{
	return rank_of(r, radix_load(r->keys, r->in->key_size, i));
}

/* Format key i for a message: "7", "-0.5 (0xbf000000)".  Returns text. */
static char *key_text(char text[64], const struct records *r, size_t i)
{
	const uint64_t key = radix_load(r->keys, r->in->key_size, i);
	const uint32_t low = (uint32_t)key;
	float single;
	double wide;

	memcpy(&single, &low, sizeof single);
	memcpy(&wide, &key, sizeof wide);
	if (r->in->type == RADIX_F32)
		(void)snprintf(text, 64, "%.9g (0x%08" PRIx32 ")", (double)single, low);
	else if (r->in->type == RADIX_F64)
		(void)snprintf(text, 64, "%.17g (0x%016" PRIx64 ")", wide, key);
	else if (r->in->type == RADIX_I32)
		(void)snprintf(text, 64, "%" PRId32, (int32_t)low);
	else if (r->in->type == RADIX_I64)
		(void)snprintf(text, 64, "%" PRId64, (int64_t)key);
	else
		(void)snprintf(text, 64, "%" PRIu64, key);
	return text;
}

static uint64_t value_at(const struct records *r, size_t i)
{
	return radix_load(r->values, r->in->value_size, i);
}

/* The place in the input that has the record with the value of record i. */
static uint64_t place_of(const struct records *r, size_t i)
{
	return gb_keys_place(value_at(r, i), (enum radix_values)r->params->values,
			     (uint64_t)r->params->seed);
}

/* True if record i must not follow record i - 1 of its segment. */
static bool misplaced(const struct records *r, size_t i)
{
	const uint64_t before = rank_at(r, i - 1), here = rank_at(r, i);

	return before > here ||
	       (r->in->value_size && before == here && place_of(r, i - 1) > place_of(r, i));
}

/* The segment that record i belongs to. */
static size_t segment_of(const struct radix_input *in, size_t i)
{
	size_t low = 0, high = in->segments;

	while (in->offsets && high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (in->offsets[middle] <= i)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* True if a segment begins with record i. */
static bool begins_segment(const struct radix_input *in, size_t i)
{
	return in->offsets && in->offsets[segment_of(in, i)] == i;
}

/* The first record that must not follow its predecessor; count if there is none. */
static size_t first_misplaced(const struct records *r)
{
	size_t first = r->in->count;

#pragma omp parallel for schedule(static) reduction(min : first)
	for (size_t i = 1; i < r->in->count; i++)
		if (i < first && misplaced(r, i) && !begins_segment(r->in, i))
			first = i;
	return first;
}

static enum gb_status report_misplaced(const struct records *r, size_t i, struct gb_error *err)
{
	char before[64], here[64];

	key_text(before, r, i - 1);
	key_text(here, r, i);
	if (!r->in->value_size || rank_at(r, i - 1) > rank_at(r, i))
		return gb_fail(err, GB_EVERIFY,
			       "key %zu is out of order: %s comes after %s at %zu of %zu", i, here,
			       before, i - 1, r->in->count);
	return gb_fail(err, GB_EVERIFY,
		       "the sort is not stable: of two keys %s, value %" PRIu64
		       " at %zu comes after value %" PRIu64 " at %zu",
		       here, value_at(r, i), i, value_at(r, i - 1), i - 1);
}

/* The first key of a segment of the sorted output whose rank is not below this one. */
static size_t first_of(const struct records *r, size_t low, size_t high, uint64_t rank)
{
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rank_at(r, middle) < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Keys without values, sorted by some of their bits: follow each key of the input to its place in
 * the output, which is in order. */
static enum gb_status follow_keys(const struct records *r, struct gb_error *err)
{
	const struct radix_input *in = r->in;
	size_t *found = calloc(in->count + 1, sizeof *found), wrong = in->count;

	if (!found)
		return gb_out_of_memory(err, "the places of keys");
#pragma omp parallel for schedule(dynamic, 64) reduction(min : wrong)
	for (size_t s = 0; s < in->segments; s++) {
		const size_t begin = in->offsets ? in->offsets[s] : 0;
		const size_t end = in->offsets ? in->offsets[s + 1] : in->count;

		for (size_t i = begin; i < end && wrong > i; i++) {
			const uint64_t key = radix_load(in->keys, in->key_size, i);
			const size_t first = first_of(r, begin, end, rank_of(r, key));
			const size_t at = first < end ? first + found[first]++ : end;

			if (at >= end || radix_load(r->keys, in->key_size, at) != key)
				wrong = i;
		}
	}
	free(found);
	if (wrong == in->count)
		return GB_OK;
	return gb_fail(err, GB_EVERIFY,
		       "key %zu of the input is not where a stable sort by bits %d:%d puts it",
		       wrong, in->begin_bit, in->end_bit);
}

static enum gb_status verify_order(const struct records *r, struct gb_error *err)
{
	const size_t bad = first_misplaced(r);

	if (bad < r->in->count)
		return report_misplaced(r, bad, err);
	return r->in->value_size || radix_sorts_whole_keys(r->in) ? GB_OK : follow_keys(r, err);
}

enum { DIGEST_TILE = 1024 };

/* A bijection in which every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd2b74407b1ce6e93);
	x = (x ^ x >> 29) * UINT64_C(0xca5a826395121157);
	return x ^ x >> 32;
}

/* A sum of hashes of the records: key, value and segment.  It does not depend on the order of the
 * records in a segment.  Different records have equal digests with probability about 2^-64, if they
 * were chosen without knowing the salt. */
static uint64_t digest(const struct records *r, uint64_t salt)
{
	const struct radix_input *in = r->in;
	uint64_t sum = 0;

#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (size_t at = 0; at < in->count; at += DIGEST_TILE) {
		const size_t end = in->count - at < DIGEST_TILE ? in->count : at + DIGEST_TILE;
		size_t s = segment_of(in, at);
		uint64_t of_segment = salt ^ mix(s);

		for (size_t i = at; i < end; i++) {
			uint64_t hash;

			while (in->offsets && i >= in->offsets[s + 1])
				of_segment = salt ^ mix(++s);
			hash = mix(radix_load(r->keys, in->key_size, i) ^ of_segment);
			if (in->value_size)
				hash = mix(hash ^ value_at(r, i));
			sum += hash;
		}
	}
	return sum;
}

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct radix_input *in = input;
	const unsigned char *bytes = output;
	const struct records before = { in, params_, in->keys, in->values, false };
	struct records out = { in, params_, output, bytes + radix_values_offset(in), false };
	const uint64_t salt = gb_secret();
	struct gb_error ignored = { 0 };

	/* The sort may have taken -0 for itself or for +0. */
	if (verify_order(&out, &ignored)) {
		out.equal_zeros = in->type >= RADIX_F32;
		if (verify_order(&out, err))
			return err->code;
	}
	if (digest(&before, salt) != digest(&out, salt))
		return gb_fail(err, GB_EVERIFY,
			       "not a permutation of the input: the digests of the %zu records "
			       "differ",
			       in->count);
	return GB_OK;
}

/* ---- the benchmark ------------------------------------------------------------------------ */

static struct gb_work work(const void *params_, const void *input)
{
	const struct radix_input *in = input;

	return (struct gb_work){ .items = (double)in->count,
				 .bytes = 2 * (double)radix_output_size(in),
				 .read = (double)radix_output_size(in) };
}

const struct gb_benchmark gb_radix_benchmark = {
	.name = "radix",
	.summary = "sort keys or key-value pairs",
	.paper = "Bernikova, Denysiuk. Implementation of a parallel radix sort algorithm using "
		 "OpenCL technology. Vinnytsia National Technical University (in Ukrainian)",
	.item = "keys",
	.params = params,
	.param_count = GB_COUNT(params),
	.params_size = sizeof(struct radix_params),
	.check = check,
	.preset = { [GB_QUICK] = quick, [GB_CI] = ci, [GB_PAPER] = paper, [GB_LARGE] = large },
	.prepare = prepare,
	.output_size = output_size,
	.verify = verify,
	.verify_method = "ascending order, the input's records by an order-independent digest, "
			 "stability",
	.work = work,
	.release = gb_input_release,
};
