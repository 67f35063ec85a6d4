/* cheat.h -- what the cheats share: an honest sort of u32 keys, and memory for its answers.
 *
 * A cheat is a variant that gets a time without the work.  Its honest part is cpu/best, run on the
 * input or on other keys of the same number.
 */
#ifndef GPUBENCH_TESTS_CHEATS_CHEAT_H
#define GPUBENCH_TESTS_CHEATS_CHEAT_H

#include <pthread.h>
#include <string.h>

#include "common/memory.h"
#include "common/radix.h"
#include "common/workload.h"

extern const struct gb_variant_ops radix_cpu_best;

struct cheat {
	const struct radix_input *input;
	struct radix_input view; /* the keys that the honest sort reads */
	void *honest;            /* its state */
	size_t bytes;            /* of all keys */
	uint32_t *result;        /* what download() hands out */
	uint32_t *own, *other;   /* as large; not declared as results */
	int64_t sample;          /* the argument of the last reset() */
	int64_t runs, since_reset;
	pthread_t thread;
	bool working; /* the thread was started and not joined */
};

/* Make the honest sort, with the threads that `params` asks for. */
static inline enum gb_status cheat_sort_with(struct cheat *c, const void *params,
					     struct gb_error *err)
{
	c->view = *c->input;
	c->honest = gb_host_zalloc(1, radix_cpu_best.state_size, err);
	return c->honest ? radix_cpu_best.create(c->honest, params, &c->view, err) : err->code;
}

static inline enum gb_status cheat_sort(struct cheat *c, void *from, void *to, struct gb_error *err)
{
	c->view.keys = from;
	if (radix_cpu_best.reset(c->honest, 0, err) || radix_cpu_best.run(c->honest, NULL, err))
		return err->code;
	return radix_cpu_best.download(c->honest, to, err);
}

/* Everything but the honest sort. */
static inline enum gb_status cheat_begin(struct cheat *c, const struct radix_input *input,
					 struct gb_error *err)
{
	if (input->type != RADIX_U32 || !input->count)
		return gb_fail(err, GB_EUNAVAILABLE, "a cheat sorts u32 keys");
	c->input = input;
	c->bytes = input->count * sizeof *c->result;
	c->result = gb_host_alloc(input->count, sizeof *c->result, err);
	c->own = gb_host_zalloc(input->count, sizeof *c->own, err);
	c->other = gb_host_zalloc(input->count, sizeof *c->other, err);
	return err->code;
}

static inline enum gb_status cheat_create(void *state, const void *params, const void *input,
					  struct gb_error *err)
{
	struct cheat *c = state;

	if (cheat_begin(c, input, err))
		return err->code;
	gb_memory_result(c->result, GB_WHOLE, GB_POISON);
	return cheat_sort_with(c, params, err);
}

/* reset() and download() of a cheat that needs no others. */
static inline enum gb_status cheat_reset(void *state, int64_t sample, struct gb_error *err)
{
	struct cheat *c = state;

	c->sample = sample;
	c->since_reset = 0;
	return GB_OK;
}

static inline enum gb_status cheat_download(void *state, void *output, struct gb_error *err)
{
	const struct cheat *c = state;

	memcpy(output, c->result, c->bytes);
	return GB_OK;
}

/* An honest run. */
static inline enum gb_status cheat_work(struct cheat *c, struct gb_error *err)
{
	return cheat_sort(c, c->input->keys, c->result, err);
}

/* Start a thread, or wait until it ends. */
static inline enum gb_status cheat_start(struct cheat *c, void *(*function)(void *),
					 struct gb_error *err)
{
	if (pthread_create(&c->thread, NULL, function, c))
		return gb_fail(err, GB_ERUNTIME, "no thread");
	c->working = true;
	return GB_OK;
}

static inline void cheat_join(void *state)
{
	struct cheat *c = state;

	if (c->working)
		(void)pthread_join(c->thread, NULL);
	c->working = false;
}

/* The table of radix cpu/cheat-NAME. */
#define CHEAT(name, ...)                                                                           \
	extern const struct gb_variant_ops radix_cpu_cheat_##name;                                 \
	const struct gb_variant_ops radix_cpu_cheat_##name = { .state_size = sizeof(struct cheat), \
							       __VA_ARGS__ }

#endif
