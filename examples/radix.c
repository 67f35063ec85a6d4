/* radix.c -- a plug-in for the CPU: radix sort of u32 keys, one thread, 8 bits a pass.
 *
 *	gcc -std=c11 -O3 -fPIC -shared -I. -Ibuild/release/generated examples/radix.c -o mine.so
 *	./gpubench check radix cpu/mine --plugin=mine.so
 *	./gpubench radix cpu/mine cpu/best --plugin=mine.so
 */
#include <string.h>

#include "common/plugin.h"

struct state {
	const struct radix_input *input;
	uint32_t *keys, *other;
};

/* Allocate everything.  A point whose parameters the variant does not support is skipped. */
static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	(void)params;
	s->input = (const struct radix_input *)input;
	if (s->input->type != RADIX_U32 || s->input->value_size || !radix_is_basic(s->input))
		return gb_fail(err, GB_EUNAVAILABLE, "sorts u32 keys only");
	s->keys = (uint32_t *)gb_host_alloc(s->input->count, sizeof *s->keys, err);
	s->other = (uint32_t *)gb_host_alloc(s->input->count, sizeof *s->other, err);
	gb_memory_result(s->keys, GB_WHOLE, GB_POISON); /* read by download() */
	return err->code;
}

/* Sort stably by the byte at `shift`. */
static void pass(uint32_t *to, const uint32_t *from, size_t count, int shift)
{
	size_t place[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		place[(from[i] >> shift & 255) + 1]++;
	for (int digit = 0; digit < 256; digit++)
		place[digit + 1] += place[digit];
	for (size_t i = 0; i < count; i++)
		to[place[from[i] >> shift & 255]++] = from[i];
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t count = s->input->count;

	(void)timer;
	(void)err;
	pass(s->other, (const uint32_t *)s->input->keys, count, 0);
	pass(s->keys, s->other, count, 8);
	pass(s->other, s->keys, count, 16);
	pass(s->keys, s->other, count, 24);
	return GB_OK;
}

/* Copy the result to `output`. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = (const struct state *)state;

	(void)err;
	memcpy(output, s->keys, s->input->count * sizeof *s->keys);
	return GB_OK;
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_SERIAL | GB_REPEATABLE,
};

GB_PLUGIN("mine", "1", { "radix", "mine", GB_CPU, "radix sort, one thread", &ops });
