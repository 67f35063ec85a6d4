/* steps.c -- a plug-in whose metrics state what was asked of it, for test_worker.c, which also
 * changes its table. */
#include <string.h>
#include <sys/mman.h>

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

static const struct lbvh_input *mesh;

static const char *excluded(const void *params)
{
	static char text[2];

	(void)params;
	text[0] = (char)mesh->triangle[2];
	return text;
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

/* States the last corner of the first triangle as a letter. */
static const struct gb_variant_ops corner = {
	.state_size = 1,
	.create = create_nothing,
	.run = run,
	.download = download,
	.excluded = excluded,
};

struct gb_plugin_variant variants[] = {
	{ "stream", "steps", GB_CPU, "states its steps", &steps },
	{ "lbvh", "corner", GB_CPU, "states a corner", &corner },
};

GB_PLUGIN_TABLE struct gb_plugin gpubench_plugin = {
	GB_PLUGIN_ABI, sizeof(struct gb_variant_ops), "steps", "2.1", variants, 2,
};
