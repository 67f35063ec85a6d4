/* radix_planted.c -- a sort that is wrong on purpose: its largest key comes out twice, the one
 * before it is lost.  Order alone would not notice. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "common/radix.h"
#include "common/workload.h"

struct state {
	const struct radix_input *input;
	uint32_t *keys;
};

static enum gb_status create(void **state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = calloc(1, sizeof *s);

	(void)params;
	*state = s;
	if (!s)
		return gb_fail(err, GB_EUNAVAILABLE, "out of memory");
	s->input = input;
	s->keys = gb_host_alloc(s->input->count, sizeof *s->keys, err);
	return err->code;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

	(void)sample;
	(void)err;
	memcpy(s->keys, s->input->keys, s->input->count * sizeof *s->keys);
	return GB_OK;
}

static int ascending(const void *a_, const void *b_)
{
	const uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;

	return (a > b) - (a < b);
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	const size_t n = s->input->count;

	(void)timer;
	(void)err;
	qsort(s->keys, n, sizeof *s->keys, ascending);
	if (n > 1)
		s->keys[n - 2] = s->keys[n - 1];
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;

	(void)err;
	memcpy(output, s->keys, s->input->count * sizeof *s->keys);
	return GB_OK;
}

static void destroy(void *state)
{
	struct state *s = state;

	if (s)
		gb_host_free(s->keys);
	free(s);
}

extern const struct gb_variant_ops radix_cpu_planted;
const struct gb_variant_ops radix_cpu_planted = {
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.flags = GB_SERIAL,
};
