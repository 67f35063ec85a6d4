/* tamper.c -- cheats that change what belongs to the harness. */
#include <time.h>

#include "tests/cheats/cheat.h"

/* timer: moves the first mark of its clock to the end of the run.  The runner's own clock shows
 * more. */
static enum gb_status move_mark(void *state, struct gb_timer *timer, struct gb_error *err)
{
	if (cheat_work(state, err))
		return err->code;
	if (timer)
		*(double *)timer->clock = gb_now_ns() - 1000;
	return GB_OK;
}

/* ops: gives the timer a clock of its own, a hundred times slower.  Found as timer is. */
static enum gb_status slow_elapsed(void *clock, size_t first, size_t last, double *ns,
				   struct gb_error *err)
{
	if (gb_cpu_timer.elapsed(clock, first, last, ns, err))
		return err->code;
	*ns /= 100;
	return GB_OK;
}

static enum gb_status swap_timer(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static struct gb_timer_ops slow;

	if (cheat_work(state, err))
		return err->code;
	slow = gb_cpu_timer;
	slow.elapsed = slow_elapsed;
	if (timer)
		timer->ops = &slow;
	return GB_OK;
}

/* input: replaces the input by zeros, which are sorted.  The verifier must not compare the result
 * with what the variant has left of the input. */
static enum gb_status clear_input(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	memset(c->input->keys, 0, c->bytes);
	memset(c->result, 0, c->bytes);
	return GB_OK;
}

/* in-place: sorts the input itself, if it is not sorted, and copies it.  Only samples on changed
 * inputs sort, and they take longer; a variation of what is left is not that of the original. */
static enum gb_status sort_in_place(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint32_t *key = c->input->keys;
	size_t i = 1;

	while (i < c->input->count && key[i - 1] <= key[i])
		i++;
	if (i < c->input->count && cheat_sort(c, c->input->keys, c->input->keys, err))
		return err->code;
	memcpy(c->result, c->input->keys, c->bytes);
	return GB_OK;
}

CHEAT(timer, .create = cheat_create, .run = move_mark, .download = cheat_download);
CHEAT(ops, .create = cheat_create, .run = swap_timer, .download = cheat_download);
CHEAT(input, .create = cheat_create, .run = clear_input, .download = cheat_download);
CHEAT(in_place, .create = cheat_create, .run = sort_in_place, .download = cheat_download);
