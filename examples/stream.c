/* @NAME@.c -- copy an array with one thread. */
#include <gpubench/plugin.h>

#include <string.h>

struct state {
	const struct stream_input *input; /* its words change between runs; its size does not */
	unsigned char *to;
};

/* Allocate everything. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct stream_input *)input;
	s->to = (unsigned char *)gb_host_alloc(s->input->count, 1, err);
	gb_memory_result(s->to, GB_WHOLE, GB_POISON); /* read by download() */
	return err->code;
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)timer;
	(void)err;
	memcpy(s->to, s->input->words, s->input->count);
	return GB_OK;
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;

	(void)err;
	memcpy(output, s->to, s->input->count);
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

GB_PLUGIN("@NAME@", "1", { "stream", "@NAME@", GB_CPU, "memcpy, one thread", &ops });
