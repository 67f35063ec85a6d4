/* outside.c -- cheats that work outside run(): in upload(), reset() or download(). */
#include "tests/cheats/cheat.h"

static enum gb_status nothing(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return GB_OK;
}

/* Copy the input. */
static enum gb_status take(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	memcpy(c->own, c->input->keys, c->bytes);
	return GB_OK;
}

/* Copy an answer. */
static enum gb_status recall(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	memcpy(c->result, c->own, c->bytes);
	return GB_OK;
}

/* lazy: run() does nothing, download() sorts the input.  The input is another one by then, so the
 * result is wrong. */
static enum gb_status sort_input(void *state, void *output, struct gb_error *err)
{
	struct cheat *c = state;

	return cheat_sort(c, c->input->keys, output, err);
}

/* lazy-copy: run() copies the input, download() sorts the copy.  download() takes longer than
 * copies of the result. */
static enum gb_status sort_copy(void *state, void *output, struct gb_error *err)
{
	struct cheat *c = state;

	return cheat_sort(c, c->own, output, err);
}

/* lazy-reset: reset() copies the input, run() does nothing, download() sorts.  Its rate exceeds the
 * memory's. */
static enum gb_status take_early(void *state, int64_t sample, struct gb_error *err)
{
	return take(state, NULL, err);
}

/* lazy-padded: as lazy-copy, with memory that it never uses, in case copies of all its memory are
 * granted to reset() and download(). */
static enum gb_status create_padded(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	if (cheat_create(state, params, input, err))
		return err->code;
	(void)gb_host_alloc(100, ((struct cheat *)state)->bytes, err);
	return err->code;
}

/* early: reset() sorts, run() does nothing.  Its rate exceeds the memory's. */
static enum gb_status sort_result(void *state, int64_t sample, struct gb_error *err)
{
	return cheat_work(state, err);
}

/* early-copy: reset() sorts, run() copies the answer.  reset() takes too long. */
static enum gb_status sort_own(void *state, int64_t sample, struct gb_error *err)
{
	struct cheat *c = state;

	return cheat_sort(c, c->input->keys, c->own, err);
}

/* early-mostly: as early-copy in three samples of four; in the others run() sorts as well.  Found
 * as lazy-copy is: the fastest whole run is as long as an honest one. */
static enum gb_status sort_mostly(void *state, int64_t sample, struct gb_error *err)
{
	struct cheat *c = state;

	c->sample = sample;
	return sample % 4 ? cheat_sort(c, c->input->keys, c->own, err) : GB_OK;
}

static enum gb_status recall_mostly(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->sample % 4 ? recall(state, timer, err) : cheat_work(c, err);
}

/* create: create() sorts, run() copies the answer.  It is wrong for another input. */
static enum gb_status create_sorted(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	struct cheat *c = state;

	return cheat_create(c, params, input, err) ? err->code
						   : cheat_sort(c, c->input->keys, c->own, err);
}

/* upload: upload() sorts each input, run() copies the answer.  upload() takes longer than copies of
 * the input. */
static enum gb_status upload_sorted(void *state, struct gb_error *err)
{
	return sort_own(state, 0, err);
}

CHEAT(lazy, .create = cheat_create, .run = nothing, .download = sort_input);
CHEAT(lazy_copy, .create = cheat_create, .run = take, .download = sort_copy);
CHEAT(lazy_reset, .create = cheat_create, .reset = take_early, .run = nothing,
      .download = sort_copy);
CHEAT(lazy_padded, .create = create_padded, .run = take, .download = sort_copy);
CHEAT(early, .create = cheat_create, .reset = sort_result, .run = nothing,
      .download = cheat_download);
CHEAT(early_copy, .create = cheat_create, .reset = sort_own, .run = recall,
      .download = cheat_download);
CHEAT(early_mostly, .create = cheat_create, .reset = sort_mostly, .run = recall_mostly,
      .download = cheat_download);
CHEAT(create, .create = create_sorted, .run = recall, .download = cheat_download);
CHEAT(upload, .create = cheat_create, .upload = upload_sorted, .run = recall,
      .download = cheat_download);
