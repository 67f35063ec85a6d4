/* steps.c -- a plug-in whose metrics state what was asked of it, for test_worker.c, which also
 * changes its table; and variants with a fault each, for tests/cli/commands/test_judge.c. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/plugin.h"

struct state {
	const struct stream_input *input;
	unsigned char *result;
	int64_t uploads, resets, runs;
	unsigned char seen; /* the first byte of the result at the last reset() */
	bool fails;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	const struct stream_params *p = params;
	struct state *s = state;

	s->input = input;
	s->fails = p->seed == 13;
	s->result = gb_host_alloc(s->input->count + (size_t)p->threads, 1, err);
	gb_memory_result(s->result, GB_WHOLE, GB_POISON);
	if (p->seed == 14 &&
	    mmap(NULL, 64 << 20, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
		return gb_fail(err, GB_EMEMORY, "no address space");
	return p->seed == 12 ? gb_fail(err, GB_EUNAVAILABLE, "not 12") : err->code;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = state;

	(void)err;
	s->uploads++;
	return GB_OK;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	(void)err;
	s->resets += sample;
	s->seen = s->result[0];
	return GB_OK;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	s->runs++;
	gb_phase(timer, "copy");
	memcpy(s->result, s->input->words, s->input->count);
	gb_phase(timer, "rest");
	return s->fails ? gb_fail(err, GB_ERUNTIME, "run %d fails", (int)s->runs) : GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	if (s->fails)
		return gb_fail(err, GB_ERUNTIME, "no result");
	memcpy(output, s->result, s->input->count);
	return GB_OK;
}

static void metrics(void *state, struct gb_metrics *metrics)
{
	const struct state *s = state;

	gb_metric(metrics, "uploads", (double)s->uploads);
	gb_metric(metrics, "resets", (double)s->resets);
	gb_metric(metrics, "runs", (double)s->runs);
	gb_metric(metrics, "seen", s->seen);
	gb_metric_hash(metrics, "hash", 31);
}

/* Its mark in the output's file, descriptor 6. */
static void destroy(void *state)
{
	char *output = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, 6, 0);

	(void)state;
	if (output != MAP_FAILED)
		output[0] = 'e';
}

/* ---- faults -------------------------------------------------------------------------------- */

static enum gb_status run_wrong(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;

	(void)run(state, timer, err);
	s->result[0] ^= s->input->count > 0;
	return err->code;
}

/* Right at sizes that `check` lists. */
static enum gb_status run_tuned(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static const size_t listed[] = { 5,  7,   8,    9,     16,    63,    64,
					 65, 600, 4095, 16383, 16384, 16385, 1048579 };
	const struct state *s = state;

	for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
		if (s->input->count < 2 || s->input->count == listed[i])
			return run(state, timer, err);
	return run_wrong(state, timer, err);
}

static enum gb_status run_crash(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	(void)err;
	abort();
}

static enum gb_status run_hang(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	(void)pause();
	return err->code;
}

/* ---- texts --------------------------------------------------------------------------------- */

static const struct lbvh_input *mesh;

static const char *excluded(const void *params)
{
	static char text[64];
	const struct lbvh_params *p = params;
	const char corner = (char)mesh->triangle[2];

	(void)strncat(text, p->scene, 20);
	(void)strncat(text, p->image ? p->image : "-", 20);
	return strncat(text, &corner, 1);
}

static const struct gb_variant_ops steps = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.metrics = metrics,
	.flags = GB_SERIAL,
};

static enum gb_status create_nothing(void *state, const void *params, const void *input,
				     struct gb_error *err)
{
	(void)state;
	(void)params;
	mesh = input;
	return err->code;
}

/* States the texts of its parameters and, as a letter, the last corner of the first triangle. */
static const struct gb_variant_ops texts = {
	.state_size = 1,
	.create = create_nothing,
	.run = run,
	.download = download,
	.excluded = excluded,
};

/* Sorts nothing. */
static enum gb_status create_empty(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	const struct radix_input *in = input;

	(void)state;
	(void)params;
	return in->count ? gb_fail(err, GB_EUNAVAILABLE, "sorts nothing") : err->code;
}

static enum gb_status do_nothing(void *state, struct gb_timer *timer, struct gb_error *err)
{
	(void)state;
	(void)timer;
	return err->code;
}

static enum gb_status download_nothing(void *state, void *output, struct gb_error *err)
{
	(void)state;
	(void)output;
	return err->code;
}

static const struct gb_variant_ops empty = {
	.state_size = 1, .create = create_empty, .run = do_nothing, .download = download_nothing
};

#define FAULTY(name)                                                                    \
	static const struct gb_variant_ops name = { .state_size = sizeof(struct state), \
						    .create = create,                   \
						    .upload = upload,                   \
						    .run = run_##name,                  \
						    .download = download,               \
						    .flags = GB_SERIAL }
FAULTY(wrong);
FAULTY(tuned);
FAULTY(crash);
FAULTY(hang);

struct gb_plugin_variant variants[] = {
	{ "stream", "steps", GB_CPU, "states its steps", &steps },
	{ "lbvh", "texts", GB_CPU, "states its texts", &texts },
	{ "stream", "wrong", GB_CPU, "flips a bit", &wrong },
	{ "stream", "tuned", GB_CPU, "flips it at other sizes", &tuned },
	{ "stream", "crash", GB_CPU, "aborts", &crash },
	{ "stream", "hang", GB_CPU, "waits for ever", &hang },
	{ "stream", "device", GB_CUDA, "runs on a GPU", &steps },
	{ "radix", "empty", GB_CPU, "sorts nothing", &empty },
};

GB_PLUGIN_TABLE struct gb_plugin gpubench_plugin = {
	GB_PLUGIN_ABI, sizeof(struct gb_variant_ops), "steps", "2.1", variants, 8,
};
