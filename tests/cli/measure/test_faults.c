/* test_faults.c -- the plain faults that every measurement finds. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "cli/measure/measure.h"
#include "common/memory.h"
#include "common/text.h"

/* The toy workload: output i is input i plus 1. */
enum { COUNT = 1003 };

enum fault {
	NONE,
	WRONG,       /* a wrong result */
	ONE_ELEMENT, /* wrong at one element */
	IDLE,        /* never does anything */
	RUN_BEFORE,  /* gives the result of the run before */
	UNTOUCHED,   /* works once, then leaves the result of then */
	BEYOND,      /* download() writes beyond the output */
	REMAINDER,   /* leaves out the elements behind the last multiple of 32 */
	SECOND,      /* wrong from the second call on, because nothing is reset */
	FAULTS
};

static const char *const names[] = { "none",   "wrong",      "one element",
				     "idle",   "run before", "untouched",
				     "beyond", "remainder",  "second call" };
_Static_assert(sizeof names / sizeof *names == FAULTS, "a name for each fault");

struct params {
	int64_t threads, seed;
};

static const struct gb_param rows[] = { GB_COMMON_PARAMS(struct params) };

static struct {
	enum fault fault;
	size_t count;
	int64_t runs;
} toy;

static uint32_t input[COUNT];

struct state {
	uint32_t *out[2]; /* RUN_BEFORE uses both in turn */
};

static enum gb_status create(void *state, const void *params, const void *in, struct gb_error *err)
{
	struct state *s = state;

	for (int i = 0; i < 2; i++) {
		s->out[i] = gb_host_zalloc(COUNT + 1, sizeof *s->out[i], err);
		gb_memory_result(s->out[i], GB_WHOLE, GB_POISON);
	}
	return err->code;
}

static void work(uint32_t *out, size_t count, uint32_t add)
{
	for (size_t i = 0; i < count; i++)
		out[i] = input[i] + add;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	uint32_t *out = s->out[toy.fault == RUN_BEFORE ? toy.runs % 2 : 0];
	const bool is_first = toy.runs++ == 0;

	if (toy.fault == IDLE || (toy.fault == UNTOUCHED && !is_first))
		return GB_OK;
	work(out, toy.fault == REMAINDER ? toy.count / 32 * 32 : toy.count,
	     toy.fault == WRONG ? 2 : 1);
	if (toy.fault == ONE_ELEMENT)
		out[toy.count / 2]++;
	if (toy.fault == SECOND && !is_first)
		out[0]++;
	return GB_OK;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = state;

	memcpy(output, s->out[toy.fault == RUN_BEFORE ? toy.runs % 2 : 0],
	       (toy.count + (toy.fault == BEYOND)) * sizeof *input);
	return GB_OK;
}

static size_t output_size(const void *params, const void *in)
{
	return toy.count * sizeof *input;
}

static enum gb_status verify(const void *params, const void *in, int64_t sample, const void *output,
			     struct gb_metrics *metrics, struct gb_error *err)
{
	for (size_t i = 0; i < toy.count; i++) {
		uint32_t value;

		memcpy(&value, (const char *)output + i * sizeof value, sizeof value);
		if (value != input[i] + 1)
			return gb_fail(err, GB_EVERIFY, "element %zu is wrong", i);
	}
	return GB_OK;
}

static struct gb_work work_of(const void *params, const void *in)
{
	return (struct gb_work){ .items = COUNT, .bytes = 2 * sizeof input };
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.run = run,
	.download = download,
	.flags = GB_REPEATABLE,
};
static const struct gb_variant variant = { .workload = "toy", .name = "toy", .ops = &ops };
static const struct gb_workload workload = { .name = "toy",
					     .params = rows,
					     .param_count = GB_COUNT(rows),
					     .params_size = sizeof(struct params),
					     .output_size = output_size,
					     .verify = verify,
					     .work = work_of };

/* Measure, or only verify if not `timed`. */
static struct gb_result go(enum fault fault, size_t count, bool timed, bool is_hot)
{
	const struct gb_settings how = {
		.samples = 6, .warmup = 1, .timeout_s = 60, .hot = is_hot
	};
	const struct params params = { .threads = 1 };
	struct gb_result r = { .workload = &workload, .variant = &variant, .params = &params };
	struct gb_error err = { 0 };

	toy.fault = fault;
	toy.count = count;
	toy.runs = 0;
	for (size_t i = 0; i < COUNT; i++)
		input[i] = (uint32_t)(i * i);
	cr_assert(zero(int, (int)gb_measure(&r, NULL, &how, timed, &err)), "%s", err.message);
	return r;
}

/* With cold caches and with hot ones, where runs are batched. */
Test(faults, are_found)
{
	for (int fault = NONE; fault < FAULTS; fault++)
		for (int is_hot = 0; is_hot < 2; is_hot++) {
			struct gb_result r = go((enum fault)fault, COUNT, true, is_hot);
			const bool is_right = fault == NONE;

			cr_expect(eq(int, (int)r.record.status,
				     is_right ? GB_STATUS_OK : GB_STATUS_FAILED),
				  "%s: %s", names[fault], r.record.reason);
			cr_expect(eq(int, (int)r.code, is_right ? GB_OK : GB_EVERIFY), "%s: %s",
				  names[fault], r.record.reason);
			cr_expect(is_right ? r.record.time.count == 6 : r.record.time.count == 0,
				  "%s", names[fault]);
			gb_result_release(&r);
		}
}

/* `check` runs once, and finds what one run shows. */
Test(faults, that_one_run_shows)
{
	for (int fault = NONE; fault < FAULTS; fault++) {
		const bool is_right = fault == NONE || fault == UNTOUCHED || fault == SECOND;
		struct gb_result r = go((enum fault)fault, COUNT, false, false);

		cr_expect(eq(int, (int)r.record.status, is_right ? GB_STATUS_OK : GB_STATUS_FAILED),
			  "%s: %s", names[fault], r.record.reason);
		gb_result_release(&r);
	}
}

/* A fault at some sizes needs such a size. */
Test(faults, that_a_size_hides)
{
	struct gb_result r = go(REMAINDER, COUNT / 32 * 32, true, false);

	cr_expect(eq(int, (int)r.record.status, GB_STATUS_OK), "%s", r.record.reason);
	gb_result_release(&r);
}

Test(faults, leave_a_reason)
{
	struct gb_result r = go(BEYOND, COUNT, true, false);

	cr_expect(eq(str, (char *)r.record.reason,
		     "download() writes beyond the output of 4012 bytes"));
	gb_result_release(&r);
	r = go(ONE_ELEMENT, COUNT, true, false);
	cr_expect(eq(str, (char *)r.record.reason, "element 501 is wrong"));
	gb_result_release(&r);
}
