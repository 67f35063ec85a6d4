/* test_evidence.c -- which results are overwritten before a run, and the waits of a batch. */
#include "cli/measuring/evidence.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <unistd.h>

#include "cli/measuring/sample.h"
#include "cli/plugins/remote.h"
#include "common/text.h"
#include "tests/cli/measuring/virtual.h"
#include "tests/cli/measuring/virtual_machine.h"

enum poisoned { NEVER, SOMETIMES, ALWAYS };

/* A half of the samples is a secret one: of a hundred draws, none are all equal. */
static enum poisoned poisoned(const struct gb_measurement *m, const struct gb_manner *how)
{
	size_t count = 0;

	for (size_t i = 0; i < 100; i++)
		count += gb_is_poisoned(m, how);
	return count == 0 ? NEVER : count == 100 ? ALWAYS : SOMETIMES;
}

Test(evidence, results_that_are_overwritten)
{
	static const struct {
		bool no_verify, cold, varies, overwrote;
		int64_t already; /* verified runs */
		bool verified, changed, delays;
		enum poisoned poisoned;
	} row[] = {
		/* --no-verify: only those that a caller verifies */
		{ true, true, true, false, 0, false, true, false, NEVER },
		{ true, false, false, false, 0, true, false, false, ALWAYS },
		/* cold: all */
		{ false, true, true, true, 9, false, false, false, ALWAYS },
		{ false, true, false, false, 0, true, true, false, ALWAYS },
		/* hot: those that are verified on the same input */
		{ false, false, true, true, 0, true, false, false, ALWAYS },
		{ false, false, false, true, 0, true, true, false, ALWAYS },
		/* ... a half of those on another input */
		{ false, false, true, true, 0, false, true, false, SOMETIMES },
		{ false, false, true, true, 9, true, true, false, SOMETIMES },
		{ false, false, true, false, 1, true, true, false, SOMETIMES },
		{ false, false, true, false, 9, false, true, false, SOMETIMES },
		/* ... and the third verified run, if none has been so far */
		{ false, false, true, false, 2, true, true, false, ALWAYS },
		/* ... but no others, and none whose times are compared */
		{ false, false, true, false, 9, false, false, false, NEVER },
		{ false, false, false, false, 9, false, true, false, NEVER },
		{ false, false, true, true, 9, true, true, true, NEVER },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_settings how = { .no_verify = row[i].no_verify };
		struct gb_result result = { .cold = row[i].cold, .verified = row[i].already };
		const struct gb_measurement m = {
			.how = &how,
			.result = &result,
			.evidence = { .varies = row[i].varies, .overwrote = row[i].overwrote },
		};

		const struct gb_manner manner = { .verified = row[i].verified,
						  .changed = row[i].changed,
						  .delays = row[i].delays };

		cr_expect(eq(int, (int)poisoned(&m, &manner), (int)row[i].poisoned), "row %zu", i);
	}
}

static bool drawn[256];

static enum gb_status note_byte(void *state, unsigned char byte, struct gb_error *err)
{
	(void)state;
	(void)err;
	drawn[byte] = true;
	return GB_OK;
}

/* Each time, results are overwritten with a secret one of 127 bytes.  A thousand draws miss each of
 * them with a chance of 0.04 %. */
Test(evidence, bytes_that_nobody_can_foresee)
{
	const struct gb_remote_ops remote = { .poison = note_byte };
	const struct gb_backend_ops backend = { .remote = &remote };
	struct gb_measurement m = { .backend = &backend };
	size_t used[2] = { 0 };

	for (int i = 0; i < 1000; i++)
		(void)gb_poison_result(&m);
	for (int byte = 0; byte < 256; byte++)
		used[byte >= 128] += drawn[byte];
	cr_expect(zero(sz, used[0]));
	cr_expect(used[1] > 100 && !drawn[255], "%zu", used[1]);
}

/* If changes take long, secret samples are on another input: in sixteen measurements, most places
 * of a series have some that are and some that are not. */
Test(evidence, samples_on_another_input_are_secret)
{
	enum { SAMPLES = 40, TRIALS = 16 };
	const struct virtual_machine machine = { .process = { .run_ns = 1e6 }, .vary_ns = 500e3 };
	const struct gb_settings how = { .samples = SAMPLES, .max_time_s = 1, .timeout_s = 1000 };
	int changed[SAMPLES] = { 0 };
	size_t mixed = 0;

	for (int trial = 0; trial < TRIALS; trial++) {
		struct gb_result r = virtual_measure(&machine, &how);
		size_t run = 0;

		for (const char *at = virtual_log(); *at && run < SAMPLES; at++) {
			changed[run] += strncmp(at, "vunp0", 5) == 0;
			run += *at == VIRTUAL_RUN;
		}
		gb_result_release(&r);
	}
	for (size_t i = 0; i < SAMPLES; i++)
		mixed += changed[i] > 1 && changed[i] < TRIALS - 1;
	cr_expect(mixed > 10, "%zu", mixed);
}

static double waited_ns; /* by the main thread */

static FILE *open_waits(const char *path)
{
	static char text[64];
	char main_thread[64];

	(void)snprintf(main_thread, sizeof main_thread, "/%d/schedstat", (int)getpid());
	(void)snprintf(text, sizeof text, "1 %.0f 1", strstr(path, main_thread) ? waited_ns : 0);
	return fmemopen(text, strlen(text), "r");
}

static void work(double ns)
{
	const double start_ns = gb_cpu_ns(0);

	while (gb_cpu_ns(0) < start_ns + ns)
		;
}

/* Waits and work of each of four runs by threads that have worked for 4 ms.  The CPU time of a
 * peer's threads tells nothing. */
Test(evidence, waits_and_work_of_a_batch)
{
	const struct gb_backend_ops backend = { .name = "cpu" };

	for (int k = 0; k < 3; k++) {
		const struct gb_variant variant = { .peer = k == 2 };
		const int threads = 1 + k % 2;
		struct gb_result result = { .variant = &variant, .threads = threads };
		struct gb_measurement m = { .backend = &backend, .result = &result };

		work(20e6);
		virtual_open = open_waits;
		waited_ns = 1e6;
		gb_use_begin(&m);
		work(4e6);
		waited_ns = 9e6;
		gb_use_end(&m, 4);
		virtual_open = NULL;
		cr_expect(eq(dbl, m.evidence.delay_ns, 2e6));
		if (!gb_cpu_time_tells(&m))
			cr_expect(eq(dbl, m.evidence.worked_ns, 0));
		else
			cr_expect(m.evidence.worked_ns >= 1e6 / threads &&
					  m.evidence.worked_ns < 1.5e6 / threads,
				  "%g", m.evidence.worked_ns);
	}
}

/* Ten samples are taken again because of lowered clocks, and two holds may fail. */
Test(evidence, samples_in_doubt)
{
	static const char lowered[] = "clocks were lowered because of power or heat in 11 samples";
	static const char launches[] = "these times include launches: the stream could not be held "
				       "back, because run() waits for the device or queues more "
				       "than fits";
	static const struct {
		int64_t throttled;
		int given_up;
		const char *reason;
	} row[] = { { 0, 0, "" },
		    { 10, 1, "" },
		    { 11, 1, lowered },
		    { 10, 2, launches },
		    { 11, 3, launches } };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_result r = { .throttled = row[i].throttled, .given_up = row[i].given_up };

		gb_doubt_samples(&r);
		cr_expect(eq(str, r.reason, (char *)row[i].reason));
	}
}
