/* plugin.c -- the cheats as a plug-in, with an honest sort in place of cpu/best. */
#include <semaphore.h>
#include <stdio.h>

#include "common/plugin.h"
#include "tests/cheats/cheat.h"

struct sort {
	const struct radix_input *view;
	uint32_t *keys[2];
	int threads;
	pthread_t worker; /* the honest sort's: the main thread only waits and copies */
	sem_t begin, end;
	bool stop;
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct sort *s = state;

	s->view = input;
	s->threads = (int)((const struct radix_params *)params)->threads;
	if (s->view->type != RADIX_U32)
		return gb_fail(err, GB_EUNAVAILABLE, "sorts u32 keys");
	for (int i = 0; i < 2; i++)
		s->keys[i] = gb_host_alloc(s->view->count, sizeof **s->keys, err);
	return err->code;
}

static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	return GB_OK;
}

void cheat_lsd(uint32_t *key, uint32_t *other, size_t n);

void cheat_lsd(uint32_t *key, uint32_t *other, size_t n)
{
	for (unsigned shift = 0; shift < 32; shift += 8) {
		size_t at[257] = { 0 };
		uint32_t *const from = shift / 8 % 2 ? other : key;
		uint32_t *const to = shift / 8 % 2 ? key : other;

		for (size_t i = 0; i < n; i++)
			at[(from[i] >> shift & 255) + 1]++;
		for (int i = 1; i < 257; i++)
			at[i] += at[i - 1];
		for (size_t i = 0; i < n; i++)
			to[at[from[i] >> shift & 255]++] = from[i];
	}
}

static void merge(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint32_t *to)
{
	while (n || m) {
		const bool left = n && (!m || *a <= *b);

		*to++ = left ? *a++ : *b++;
		n -= left;
		m -= !left;
	}
}

/* Two threads sort a half each, unless the input is small. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct sort *s = state;
	const size_t n = s->view->count, half = s->threads > 1 && n > 65536 ? n / 2 : n;

	memcpy(s->keys[0], s->view->keys, n * sizeof **s->keys);
#pragma omp parallel for num_threads(2) if (half < n)
	for (int i = 0; i < 2; i++) {
		const size_t first = i ? half : 0;

		cheat_lsd(s->keys[0] + first, s->keys[1] + first, i ? n - half : half);
	}
	if (half < n) {
		merge(s->keys[0], half, s->keys[0] + half, n - half, s->keys[1]);
		memcpy(s->keys[0], s->keys[1], n * sizeof **s->keys);
	}
	return GB_OK;
}

static void *work(void *state)
{
	struct sort *s = state;
	struct gb_error err = { 0 };

	while (!sem_wait(&s->begin) && !s->stop) {
		(void)run(s, NULL, &err);
		(void)sem_post(&s->end);
	}
	return NULL;
}

/* The cheats' sorts are not poisoned, because some work at any time. */
static enum gb_status create_honest(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	struct sort *s = state;

	if (create(s, params, input, err))
		return err->code;
	gb_memory_result(s->keys[0], GB_WHOLE, GB_POISON);
	if (sem_init(&s->begin, 0, 0) || sem_init(&s->end, 0, 0) ||
	    pthread_create(&s->worker, NULL, work, s))
		return gb_fail(err, GB_ERUNTIME, "no thread");
	return GB_OK;
}

static enum gb_status run_honest(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct sort *s = state;

	(void)sem_post(&s->begin);
	while (sem_wait(&s->end))
		;
	return GB_OK;
}

static void destroy_honest(void *state)
{
	struct sort *s = state;

	s->stop = true;
	(void)sem_post(&s->begin);
	if (s->worker)
		(void)pthread_join(s->worker, NULL);
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct sort *s = state;

	memcpy(output, s->keys[0], s->view->count * sizeof **s->keys);
	return GB_OK;
}

const struct gb_variant_ops radix_cpu_best = { .state_size = sizeof(struct sort),
					       .create = create,
					       .reset = reset,
					       .run = run,
					       .download = download,
					       .flags = GB_REPEATABLE };

static const struct gb_variant_ops honest = { .state_size = sizeof(struct sort),
					      .create = create_honest,
					      .run = run_honest,
					      .download = download,
					      .destroy = destroy_honest,
					      .flags = GB_REPEATABLE };

#undef CHEAT
#define GB_PLUGIN_CHEATS
#define GB_VARIANT(backend, workload, symbol, name, ...) \
	extern const struct gb_variant_ops workload##_##backend##_##symbol;
#include "tests/cheats/common/variants.def"
#undef GB_VARIANT
#define GB_VARIANT(backend, workload, symbol, name, ...) \
	{ #workload, name, GB_CPU, "a cheat", &workload##_##backend##_##symbol },
static const struct gb_plugin_variant variants[] = {
	{ "radix", "honest", GB_CPU, "an honest sort", &honest },
#include "tests/cheats/common/variants.def"
};

GB_PLUGIN_TABLE const struct gb_plugin gpubench_plugin = {
	GB_PLUGIN_ABI, sizeof(struct gb_variant_ops),     "cheats", "1",
	variants,      sizeof variants / sizeof *variants
};
