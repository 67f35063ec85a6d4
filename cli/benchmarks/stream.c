/* stream.c -- the stream benchmark: copy an array of bytes. */
#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/memory.h"
#include "common/rng.h"
#include "common/stream_types.h"
#include "common/text.h"

static const struct gb_param params[] = {
	{ .name = "count",
	  GB_AT(GB_INT, struct stream_params, count),
	  .initial = "256Mi",
	  .max = INT64_C(1) << 40,
	  .unit = "bytes",
	  .help = "bytes to copy; each byte is read once and written once" },
	GB_COMMON_PARAMS(struct stream_params),
};

static enum gb_status prepare(const void *params_, void **input, struct gb_error *err)
{
	const struct stream_params *p = params_;
	const size_t words = stream_words((size_t)p->count);
	struct stream_input *in = gb_input_begin(sizeof *in, err);

	if (in) {
		in->count = (size_t)p->count;
		in->words = gb_host_alloc(words, sizeof *in->words, err);
	}
	if (!err->code && !gb_memory_is_dry()) {
#pragma omp parallel for schedule(static)
		for (size_t i = 0; i < words; i += 2) {
			const struct gb_random_block random =
				gb_random_block((uint64_t)p->seed, 0, i / 2);

			in->words[i] = gb_random_half(random, 0);
			if (i + 1 < words)
				in->words[i + 1] = gb_random_half(random, 1);
		}
	}
	return gb_input_end(in, input, err);
}

static size_t output_size(const void *params_, const void *input)
{
	const struct stream_input *in = input;

	return in->count;
}

static enum gb_status verify(const void *params_, const void *input, int64_t sample,
			     const void *output, struct gb_metrics *metrics, struct gb_error *err)
{
	const struct stream_input *in = input;
	const unsigned char *want = (const unsigned char *)in->words;
	const unsigned char *got = output;
	size_t at = 0;

	if (in->count == 0 || memcmp(got, want, in->count) == 0)
		return GB_OK;
	while (got[at] == want[at])
		at++;
	return gb_fail(err, GB_EVERIFY, "byte %zu of %zu is 0x%02x, the input's is 0x%02x", at,
		       in->count, got[at], want[at]);
}

static struct gb_work work(const void *params_, const void *input)
{
	const struct stream_input *in = input;
	const double moved = 2.0 * (double)in->count;

	return (struct gb_work){ .items = moved, .bytes = moved, .read = moved / 2 };
}

/* Sizes around a byte, a word, a cache line and a block's tile; then one shared by many threads. */
static const char *const check[] = { "--count=0,1,7,8,9,63,64,65,4095,16383,16384,16385,1048579",
				     NULL };
static const char *const quick[] = { "--count=64Mi", NULL };
static const char *const ci[] = { "--count=64Mi", NULL };
static const char *const paper[] = { "--count=64Ki:1Gi:x4", NULL };

const struct gb_benchmark gb_stream_benchmark = {
	.name = "stream",
	.summary = "copy an array to measure the bandwidth used as a yardstick",
	.paper = "McCalpin, Memory bandwidth and machine balance in current high performance "
		 "computers, IEEE TCCA Newsletter, 1995",
	.item = "bytes",
	.params = params,
	.param_count = GB_COUNT(params),
	.params_size = sizeof(struct stream_params),
	.check = check,
	.preset = { [GB_QUICK] = quick, [GB_CI] = ci, [GB_PAPER] = paper },
	.prepare = prepare,
	.output_size = output_size,
	.verify = verify,
	.verify_method = "every byte equals the input's",
	.yardstick = true,
	.work = work,
	.release = gb_input_release,
};
