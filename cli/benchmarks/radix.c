/* radix.c -- the radix benchmark: sort keys, or pairs by key.
 *
 * A result is right if it is in ascending order, holds exactly the records of the input and, for
 * pairs, keeps equal keys in their input order.  Order and stability are
 * checked key by key, and the records by a digest that does not depend on their order.  Both checks
 * run in parallel and need no memory.
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

GB_WORDS(types, RADIX_TYPES, "u32", "u64", "f32", "pairs");
GB_WORDS(distributions, RADIX_DISTRIBUTIONS, "uniform", "sorted", "reverse", "constant", "few",
	 "zipf", "entropy0", "entropy1", "entropy2", "entropy3", "entropy4", "entropy5", "nearly");
GB_WORDS(values, RADIX_VALUES, "index", "random");

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
	  .help = "key type; pairs: u32 keys with u32 values" },
	{ .name = "distribution",
	  AT(GB_CHOICE, distribution),
	  .initial = "uniform",
	  .choices = distributions,
	  .only = "!file",
	  .help = "distribution of generated keys; few: 256 distinct keys; entropyK: bitwise AND "
		  "of K uniform words; nearly: sorted but for about sqrt(count) keys" },
	{ .name = "file",
	  AT(GB_PATH, file),
	  .help = "read the keys from this file: raw, text, .npy or SOSD" },
	{ .name = "values",
	  AT(GB_CHOICE, values),
	  .initial = "random",
	  .keyed = "index",
	  .choices = values,
	  .only = "type=pairs",
	  .help = "values of pairs: the position of the key, or random numbers that all differ" },
	GB_COMMON_PARAMS(struct radix_params),
};
#undef AT

/* ---- sweeps: each line holds the arguments of `gpubench radix` ---------------------------- */

/* Sizes around those of warps, blocks and tiles; then every distribution at an odd size. */
static const char *const check[] = {
	"--count=0,1,2,31,32,33,255,256,257,4095,4096,4097 --type=u32,u64,f32,pairs",
	"--count=65537 --type=u64,f32,pairs",
	"--count=10007 --type=u32,u64,f32,pairs --distribution=sorted,reverse,constant,few,zipf",
	("--count=10007 --type=u32,pairs "
	 "--distribution=entropy0,entropy1,entropy2,entropy3,entropy4,entropy5"),
	"--count=2051 --type=u32,u64,f32,pairs --distribution=nearly",
	"--count=33,4097 --type=pairs --values=index",
	NULL,
};

#define QUICK "cpu/split-omp cpu/best cpu/vqsort cuda/split cuda/small cuda/onesweep cuda/cub "
static const char *const quick[] = {
	QUICK "--count=64k,1M",
	QUICK "--count=100k --type=pairs",
	NULL,
};

/* Sizes in cache and in memory; every type; distributions that are hard for a radix sort. */
static const char *const ci[] = {
	"--count=64k,1M,4M",
	"--count=1M --type=u64,f32,pairs",
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
	"--count=16Mi,64Mi --type=u32,u64,pairs",
	"--count=16Mi --type=u32,pairs --distribution=few,zipf,sorted,nearly",
	"--count=16Mi --type=pairs --values=index",
	("!cpu/* --count=64Mi --type=u32,pairs --distribution=sorted,reverse,constant,few,zipf,"
	 "entropy0,entropy1,entropy2,entropy3,entropy4,entropy5,nearly"),
	"!cpu/* --count=256Mi,1Gi --type=u32,u64,f32,pairs --distribution=uniform,few",
	NULL,
};

/* ---- input ------------------------------------------------------------------------------- */

/* Read or generate the keys.  A dry run only allocates them. */
static enum gb_status make_keys(struct radix_input *in, const struct radix_params *p,
				struct gb_error *err)
{
	if (p->file)
		return gb_keys_read(p->file, in->type, (size_t)p->count, &in->keys, &in->count,
				    err);
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

	if (in->count > most)
		return gb_fail(err, GB_EUSAGE,
			       "--type=pairs numbers its values in 32 bits: %zu keys are more than "
			       "%" PRIu64,
			       in->count, most);
	in->values = gb_host_alloc(in->count, sizeof *in->values, err);
	if (in->values && !gb_memory_is_dry())
		gb_keys_number(in->values, in->count, (enum radix_values)p->values,
			       (uint64_t)p->seed);
	return err->code;
}

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct radix_params *p = params_;
	struct radix_input *in = gb_input_begin(sizeof *in, err);

	if (in) {
		in->type = (enum radix_type)p->type;
		in->key_size = gb_keys_size(in->type);
		if (!make_keys(in, p, err) && in->type == RADIX_PAIRS)
			(void)make_values(in, p, err);
	}
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	return radix_output_size(input);
}

/* ---- verification ------------------------------------------------------------------------ */

/* The records of an input or an output. */
struct records {
	enum radix_type type;
	size_t count, key_size;
	const void *keys;
	const uint32_t *values; /* NULL unless pairs */
	enum radix_values
		kind; /* of the values; with the seed, value and place determine each other */
	uint64_t seed;
};

static struct records input_records(const struct radix_params *p, const struct radix_input *in)
{
	return (struct records){ in->type,         in->count,  in->key_size,
				 in->keys,         in->values, (enum radix_values)p->values,
				 (uint64_t)p->seed };
}

static struct records output_records(const struct records *in, const void *output)
{
	const unsigned char *bytes = output;
	struct records r = *in;

	r.keys = output;
	if (in->values)
		r.values = (const uint32_t *)(const void *)(bytes + in->count * in->key_size);
	return r;
}

/* Key i as an unsigned number in the order of the keys, -0 before +0. */
static uint64_t order_of(const struct records *r, size_t i)
{
	const uint32_t *key32 = r->keys;
	const uint64_t *key64 = r->keys;

	if (r->type == RADIX_U64)
		return key64[i];
	return r->type == RADIX_F32 ? radix_f32_order(key32[i]) : key32[i];
}

/* The same with -0 and +0 equal. */
static uint64_t rank_of(const struct records *r, size_t i)
{
	const uint32_t minus_zero = radix_f32_order(UINT32_C(1) << 31);
	uint64_t order = order_of(r, i);

	return r->type == RADIX_F32 && order == minus_zero ? order + 1 : order;
}

/* Format key i for a message: "7", "-0.5 (0xbf000000)".  Returns text. */
static char *key_text(char text[48], const struct records *r, size_t i)
{
	const uint32_t *key32 = r->keys;
	const uint64_t *key64 = r->keys;
	float real;

	if (r->type == RADIX_U64) {
		(void)snprintf(text, 48, "%" PRIu64, key64[i]);
	} else if (r->type == RADIX_F32) {
		memcpy(&real, &key32[i], sizeof real);
		(void)snprintf(text, 48, "%.9g (0x%08" PRIx32 ")", (double)real, key32[i]);
	} else {
		(void)snprintf(text, 48, "%" PRIu32, key32[i]);
	}
	return text;
}

/* The place in the input that has the record with the value of record i. */
static uint32_t place_of(const struct records *r, size_t i)
{
	return gb_keys_place(r->values[i], r->kind, r->seed);
}

/* True if record i must not follow record i - 1. */
static bool misplaced(const struct records *r, size_t i)
{
	uint64_t before = rank_of(r, i - 1), here = rank_of(r, i);

	return before > here ||
	       (r->values && before == here && place_of(r, i - 1) > place_of(r, i));
}

/* The first record that must not follow its predecessor; count if there is none. */
static size_t first_misplaced(const struct records *r)
{
	size_t first = r->count;

#pragma omp parallel for schedule(static) reduction(min : first)
	for (size_t i = 1; i < r->count; i++)
		if (i < first && misplaced(r, i))
			first = i;
	return first;
}

static enum gb_status report_misplaced(const struct records *r, size_t i, struct gb_error *err)
{
	char before[48], here[48];

	key_text(before, r, i - 1);
	key_text(here, r, i);
	if (!r->values || rank_of(r, i - 1) > rank_of(r, i))
		return gb_fail(err, GB_EVERIFY,
			       "key %zu is out of order: %s comes after %s at %zu of %zu", i, here,
			       before, i - 1, r->count);
	return gb_fail(err, GB_EVERIFY,
		       "the sort is not stable: of two keys %s, value %" PRIu32
		       " at %zu comes after value %" PRIu32 " at %zu",
		       here, r->values[i], i, r->values[i - 1], i - 1);
}

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct records in = input_records(params_, input), out = output_records(&in, output);
	const uint64_t salt = gb_secret();
	size_t bad = first_misplaced(&out);

	if (bad < out.count)
		return report_misplaced(&out, bad, err);
	if (gb_keys_digest(in.keys, in.key_size, in.values, in.count, salt) !=
	    gb_keys_digest(out.keys, out.key_size, out.values, out.count, salt))
		return gb_fail(err, GB_EVERIFY,
			       "not a permutation of the input: the digests of the %zu records "
			       "differ",
			       in.count);
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
			 "stability of pairs",
	.work = work,
	.release = gb_input_release,
};
