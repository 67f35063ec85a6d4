/* partial.c -- cheats that do a part of the work, right on some inputs only. */
#include "tests/cheats/cheat.h"

/* precision: sorts by the upper 16 bits, half of the passes.  The order of equal upper halves is
 * wrong. */
static enum gb_status upper_half(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint32_t *key = c->input->keys;
	uint32_t *place = c->own;

	memset(place, 0, sizeof *place << 16);
	for (size_t i = 0; i < c->input->count; i++)
		place[key[i] >> 16]++;
	for (uint32_t i = 0, sum = 0; i < 1U << 16; i++) {
		const uint32_t count = place[i];

		place[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < c->input->count; i++)
		c->result[place[key[i] >> 16]++] = key[i];
	return GB_OK;
}

static enum gb_status create_upper(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	struct cheat *c = state;

	if (cheat_create(state, params, input, err))
		return err->code;
	c->own = gb_host_alloc(c->input->count + (1U << 16), sizeof *c->own, err);
	return err->code;
}

/* subset: sorts only as many keys as it was given first.  It is right at the first size of a sweep
 * and wrong at the next. */
static enum gb_status first_size(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static size_t first;
	struct cheat *c = state;

	if (!first)
		first = c->input->count;
	if (first == c->input->count)
		return cheat_work(c, err);
	memcpy(c->result, c->input->keys, c->bytes);
	return GB_OK;
}

/* spread: puts each key where it would be if keys were spread evenly, and loses those that share a
 * place.  The order or the digest of the input's records finds it. */
static enum gb_status spread(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const size_t n = c->input->count;
	const uint32_t *key = c->input->keys;

	for (size_t i = 0; i < n; i++)
		c->result[(uint64_t)key[i] * n >> 32] = key[i];
	return GB_OK;
}

/* made-up: hands out n evenly spaced keys, a sorted answer that looks right, without reading the
 * input.  The digest of the input's records finds it. */
static enum gb_status made_up(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint32_t step = (uint32_t)(UINT32_MAX / c->input->count);

	for (size_t i = 0; i < c->input->count; i++)
		c->result[i] = (uint32_t)i * step;
	return GB_OK;
}

CHEAT(precision, .create = create_upper, .run = upper_half, .download = cheat_download);
CHEAT(subset, .create = cheat_create, .run = first_size, .download = cheat_download);
CHEAT(spread, .create = cheat_create, .run = spread, .download = cheat_download);
CHEAT(made_up, .create = cheat_create, .run = made_up, .download = cheat_download);
