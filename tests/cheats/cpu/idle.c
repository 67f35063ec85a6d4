/* idle.c -- cheats that work in some runs only. */
#include "tests/cheats/cheat.h"

/* idle: works in its first run, then returns at once.  Cold results are overwritten before every
 * run, so any run that is verified shows it. */
static enum gb_status idle(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->runs++ ? GB_OK : cheat_work(c, err);
}

/* sloppy: one run of four loses a key.  It gains nothing, but its result is wrong.  The verified
 * runs are drawn at random, and enough samples include such a run. */
static enum gb_status sloppy(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	if (cheat_work(c, err))
		return err->code;
	if (c->runs++ % 4 == 3)
		c->result[c->input->count - 1] = c->result[0];
	return GB_OK;
}

/* parity: works in every second run.  Random verified runs find it. */
static enum gb_status parity(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->runs++ % 2 ? GB_OK : cheat_work(c, err);
}

/* number: works in the warm-ups and the first sample, which are certain to be verified, and later
 * in one sample of five, by the argument of reset().  Samples that are verified at random, and the
 * last one, find it. */
static enum gb_status by_number(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->sample > 2 && c->sample % 5 ? GB_OK : cheat_work(c, err);
}

/* wake: works only if it was called later than usual, because the input is changed between two
 * runs.  It finds the runs that are verified, but samples on changed inputs take longer. */
static enum gb_status wake(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static double last_ns, usual_ns;
	struct cheat *c = state;
	const double pause_ns = gb_now_ns() - last_ns;
	enum gb_status status = GB_OK;

	if (c->runs++ < 3 || pause_ns > 1.5 * usual_ns)
		status = cheat_work(c, err);
	else
		usual_ns = pause_ns;
	if (usual_ns <= 0)
		usual_ns = pause_ns;
	last_ns = gb_now_ns();
	return status;
}

CHEAT(idle, .create = cheat_create, .reset = cheat_reset, .run = idle, .download = cheat_download);
CHEAT(sloppy, .create = cheat_create, .reset = cheat_reset, .run = sloppy,
      .download = cheat_download);
CHEAT(parity, .create = cheat_create, .reset = cheat_reset, .run = parity,
      .download = cheat_download);
CHEAT(number, .create = cheat_create, .reset = cheat_reset, .run = by_number,
      .download = cheat_download);
CHEAT(wake, .create = cheat_create, .reset = cheat_reset, .run = wake, .download = cheat_download);
