/* test_benchmark.c -- metrics of a result, and the life of a variant's state. */
#include "common/benchmark.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "common/memory.h"
#include "common/text.h"

Test(benchmark, metrics)
{
	static char name[GB_MAX_METRICS + 1][8];
	struct gb_metrics m = { 0 };

	gb_metric(&m, "a", 1);
	gb_metric_hash(&m, "b", 0xbeef);
	cr_expect(eq(str, m.item[1].text, "0x000000000000beef"));
	gb_metric(&m, "b", 2); /* replaces the hash */
	gb_metric(&m, "a", 3);
	cr_expect(eq(sz, m.count, 2));
	cr_expect(m.item[0].value == 3 && m.item[1].value == 2 && !m.item[1].text[0]);
	gb_metric_hash(&m, "a", 1);
	cr_expect(eq(str, m.item[0].text, "0x0000000000000001"));
	for (int i = 0; i <= GB_MAX_METRICS; i++) {
		(void)snprintf(name[i], sizeof name[i], "%d", i);
		gb_metric(&m, name[i], i);
	}
	gb_metric_hash(&m, name[GB_MAX_METRICS], 1);
	cr_expect(eq(sz, m.count, GB_MAX_METRICS), "there is no room for more");
	cr_expect(m.item[GB_MAX_METRICS - 1].value == GB_MAX_METRICS - 3);
	gb_metric(&m, "b", 4);
	cr_expect(m.item[1].value == 4, "but for known ones");
}

struct state {
	unsigned char *bytes;
};

static size_t destroyed;

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;
	const bool *fails = params;

	(void)input;
	s->bytes = gb_host_alloc(100, 1, err);
	return *fails ? gb_fail(err, GB_EUNAVAILABLE, "no") : err->code;
}

static enum gb_status upload(void *state, struct gb_error *err)
{
	return gb_host_alloc(50, 1, err) && state ? GB_OK : err->code;
}

static void destroy(void *state)
{
	(void)state;
	destroyed++;
}

/* The state owns what create() and upload() allocate, also if create() fails. */
Test(benchmark, states)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);
	struct gb_variant_ops ops = { .state_size = sizeof(struct state), .create = create };

	for (int k = 0; k < 4; k++) {
		const bool fails = k & 1;
		struct gb_error err = { 0 }, none = { 0 };
		void *state;

		ops.upload = k & 2 ? upload : NULL;
		ops.destroy = k & 2 ? destroy : NULL;
		cr_expect(eq(int, (int)gb_state_create(&ops, &fails, NULL, &state, &err),
			     fails ? GB_EUNAVAILABLE : GB_OK));
		cr_expect(zero(int, (int)gb_state_upload(&ops, state, &none)));
		cr_expect(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + (k & 2 ? 150 : 100)));
		gb_state_destroy(&ops, state);
		cr_expect(eq(sz, gb_memory_used(GB_HOST_MEMORY), before));
	}
	gb_state_destroy(&ops, NULL);
	cr_expect(eq(sz, destroyed, 2));
}

Test(benchmark, inputs)
{
	const size_t before = gb_memory_used(GB_HOST_MEMORY);

	for (int fails = 0; fails < 2; fails++) {
		struct gb_error err = { 0 };
		unsigned char *made = gb_input_begin(8, &err);
		void *input;

		cr_assert(made && !made[7] && gb_host_alloc(10, 1, &err));
		if (fails)
			gb_fail(&err, GB_EUSAGE, "bad");
		cr_expect(
			eq(int, (int)gb_input_end(made, &input, &err), fails ? GB_EUSAGE : GB_OK));
		cr_expect(eq(ptr, input, fails ? NULL : made));
		cr_expect(eq(sz, gb_memory_used(GB_HOST_MEMORY), before + (fails ? 0 : 10)));
		gb_input_release(input);
		cr_expect(eq(sz, gb_memory_used(GB_HOST_MEMORY), before));
	}
}
