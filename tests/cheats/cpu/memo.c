/* memo.c -- cheats that remember answers.  A copy of an answer takes a fraction of the sort. */
#include "tests/cheats/cheat.h"

enum { PEEKS = 16, ANSWERS = 6 };

/* Sort, and keep the answer in own. */
static enum gb_status learn(struct cheat *c, struct gb_error *err)
{
	if (cheat_work(c, err))
		return err->code;
	memcpy(c->own, c->result, c->bytes);
	return GB_OK;
}

static enum gb_status recall(struct cheat *c)
{
	memcpy(c->result, c->own, c->bytes);
	return GB_OK;
}

/* A hash of a few keys. */
static uint64_t peek(const struct cheat *c)
{
	const uint32_t *key = c->input->keys;
	uint64_t hash = 1;

	for (size_t i = 0; i < PEEKS; i++)
		hash = hash * 31 + key[c->input->count / PEEKS * i];
	return hash;
}

/* True if the keys are those of the last call, which are kept in other. */
static bool same(struct cheat *c)
{
	const bool yes = c->runs++ && memcmp(c->other, c->input->keys, c->bytes) == 0;

	if (!yes)
		memcpy(c->other, c->input->keys, c->bytes);
	return yes;
}

/* memo: sorts once and copies that answer afterwards.  It is wrong for another input. */
static enum gb_status memo(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return c->runs++ ? recall(c) : learn(c, err);
}

/* memo-compare: compares the input with a copy and sorts only if it has changed.  Samples on
 * changed inputs take longer than the others. */
static enum gb_status compare(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return same(c) ? recall(c) : learn(c, err);
}

/* memo-hash: remembers several inputs by a hash of a few keys.  An input never comes back, so the
 * times show it as those of memo-compare do. */
static enum gb_status by_hash(void *state, struct gb_timer *timer, struct gb_error *err)
{
	static struct {
		const struct cheat *owner;
		uint64_t hash;
		uint32_t *answer;
	} known[ANSWERS];
	struct cheat *c = state;
	const uint64_t hash = peek(c);
	const size_t next = (size_t)(c->runs % ANSWERS);

	for (size_t i = 0; i < ANSWERS; i++)
		if (known[i].owner == c && known[i].hash == hash && c->runs > (int64_t)i) {
			memcpy(c->result, known[i].answer, c->bytes);
			return GB_OK;
		}
	known[next].owner = c;
	known[next].hash = hash;
	known[next].answer = c->own + (next * c->input->count);
	c->runs++;
	if (cheat_work(c, err))
		return err->code;
	memcpy(known[next].answer, c->result, c->bytes);
	return GB_OK;
}

static enum gb_status create_many(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	struct cheat *c = state;

	if (cheat_create(state, params, input, err))
		return err->code;
	gb_host_free(c->own);
	c->own = gb_host_alloc(ANSWERS * c->input->count, sizeof *c->own, err);
	return err->code;
}

/* memo-mixed: as memo-compare, but one run of four sorts although it knows the answer, so that the
 * slowest samples on unchanged inputs are as slow as those on changed ones.  The middle of both
 * tells them apart. */
static enum gb_status mixed(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	return same(c) && c->runs % 4 ? recall(c) : learn(c, err);
}

/* undeclared: names no result, so nothing is overwritten, and does nothing if a few keys are those
 * of the last run.  Samples on changed inputs take longer. */
static enum gb_status undeclared(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint64_t hash = peek(c);

	if (c->runs++ && hash == (uint64_t)c->since_reset)
		return GB_OK;
	c->since_reset = (int64_t)hash;
	return cheat_work(c, err);
}

static enum gb_status create_undeclared(void *state, const void *params, const void *input,
					struct gb_error *err)
{
	struct cheat *c = state;

	return cheat_begin(c, input, err) ? err->code : cheat_sort_with(c, params, err);
}

/* poison: sorts only if its result ends in equal bytes, as the harness leaves it.  Cold results are
 * always overwritten, so that it works in every run and its time is honest; when hot, those are
 * that will be verified or are on a changed input. */
static enum gb_status poisoned(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;
	const uint32_t last = c->result[c->input->count - 1];

	if (c->runs++ && last != (last & 255) * UINT32_C(0x01010101))
		return GB_OK;
	return cheat_work(c, err);
}

CHEAT(memo, .create = cheat_create, .run = memo, .download = cheat_download);
CHEAT(memo_compare, .create = cheat_create, .run = compare, .download = cheat_download);
CHEAT(memo_hash, .create = create_many, .run = by_hash, .download = cheat_download);
CHEAT(memo_mixed, .create = cheat_create, .run = mixed, .download = cheat_download);
CHEAT(undeclared, .create = create_undeclared, .run = undeclared, .download = cheat_download);
CHEAT(poison, .create = cheat_create, .run = poisoned, .download = cheat_download);
