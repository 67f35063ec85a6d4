/* idle.cu -- cheats that work in some runs only, or do a part of the work.  The verified runs are
 * drawn at random, and every result is overwritten before them. */
#include "tests/cheats/cuda/cheat.h"

/* idle: works in its first run. */
static enum gb_status idle(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return c->runs++ ? GB_OK : cheat_work(c, err);
}

/* parity: a counter on the device lets every second run work. */
static __global__ void copy_every_second(unsigned char *to, const unsigned char *from, size_t bytes,
					 const unsigned *calls)
{
	const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;

	if (i < bytes && *calls % 2 == 0)
		to[i] = from[i];
}

static __global__ void count(unsigned *calls)
{
	++*calls;
}

static enum gb_status parity(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	const size_t bytes = c->input->count;

	if (GPU_RUN(err, copy_every_second, gpu_blocks(bytes, BLOCK), BLOCK, c->result,
		    (const unsigned char *)c->from, bytes, (const unsigned *)c->calls))
		return err->code;
	return GPU_RUN(err, count, 1, 1, c->calls);
}

/* number: works in the warm-ups and the first sample, and later in one of five. */
static enum gb_status by_number(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return c->sample > 2 && c->sample % 5 ? GB_OK : cheat_work(c, err);
}

/* batch: works in the first run after reset(). */
static enum gb_status first_of_batch(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return c->since_reset++ ? GB_OK : cheat_work(c, err);
}

/* subset: copies the first half. */
static enum gb_status half(struct cheat *c, struct gb_timer *timer, struct gb_error *err)
{
	return cheat_copy(c, c->result, c->from, c->input->count / 2, err);
}

CHEAT(idle, cheat_upload, idle, cheat_download, 0);
CHEAT(parity, cheat_upload, parity, cheat_download, 0);
CHEAT(number, cheat_upload, by_number, cheat_download, 0);
CHEAT(batch, cheat_upload, first_of_batch, cheat_download, GB_REPEATABLE);
CHEAT(subset, cheat_upload, half, cheat_download, 0);
