/* radix_planted.c -- a faulty sort: its largest key is duplicated and the one before it is lost.  A
 * check of order alone would not detect it.
 */
#include <stdlib.h>
#include <string.h>

#include "common/benchmark.h"
#include "common/memory.h"
#include "common/radix_types.h"

struct state {
	const struct radix_input *input;
	uint32_t *keys;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	s->input = input;
	if (s->input->type != RADIX_U32 || s->input->value_size || !radix_is_basic(s->input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts u32 keys only");
	s->keys = gb_host_alloc(s->input->count, sizeof *s->keys, err);
	return err->code;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = state;

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

	qsort(s->keys, n, sizeof *s->keys, ascending);
	if (n > 1)
		s->keys[n - 2] = s->keys[n - 1];
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;

	memcpy(output, s->keys, s->input->count * sizeof *s->keys);
	return GB_OK;
}

extern const struct gb_variant_ops radix_cpu_planted;
const struct gb_variant_ops radix_cpu_planted = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.flags = GB_SERIAL,
};
