/* batch.c -- cheats in batches of short runs, which only hot measurements take. */
#include "tests/cheats/cheat.h"

/* batch: the first run after reset() works, the others of the batch return.  After a batch that is
 * verified, the result is overwritten and another run without reset() is verified. */
static enum gb_status first_of_batch(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->since_reset++ ? GB_OK : cheat_work(c, err);
}

/* batch-every: each eighth run works.  The run that is verified is drawn at random. */
static enum gb_status every_eighth(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->since_reset++ % 8 ? GB_OK : cheat_work(c, err);
}

/* batch-poison: as batch, but a run also works if it finds its result overwritten.  The check
 * that would find it is a verified run without reset() on a changed input. */
static enum gb_status unless_poisoned(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint32_t last = c->result[c->input->count - 1];

	if (c->since_reset++ && last != (last & 255) * UINT32_C(0x01010101))
		return GB_OK;
	return cheat_work(c, err);
}

CHEAT(batch, .create = cheat_create, .reset = cheat_reset, .run = first_of_batch,
      .download = cheat_download, .flags = GB_REPEATABLE);
CHEAT(batch_every, .create = cheat_create, .reset = cheat_reset, .run = every_eighth,
      .download = cheat_download, .flags = GB_REPEATABLE);
CHEAT(batch_poison, .create = cheat_create, .reset = cheat_reset, .run = unless_poisoned,
      .download = cheat_download, .flags = GB_REPEATABLE);
