/* test_virtual_failures.c -- the runner on a simulated machine in which calls or allocations fail,
 * or signals come.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "common/memory.h"
#include "common/text.h"
#include "tests/cli/measuring/virtual.h"

static const struct gb_settings few = {
	.warmup = 2, .samples = 3, .rel_ci = 0.02, .max_time_s = 0.3, .timeout_s = 1000
};

enum { KINDS = 16 };

/* They make the runner take more samples. */
static const enum virtual_cheat cheats[] = { VIRTUAL_REMEMBERS, VIRTUAL_RESTARTS_TIMER,
					     VIRTUAL_IN_FLUSH };

/* With kind from 0 to 15: cold or hot; the CPU or a device; this process or another one; one run or
 * batches.  From 16 on: a variant that cheats. */
static struct virtual_machine machine_of(int kind)
{
	if (kind >= KINDS)
		return (struct virtual_machine){ .cheat = cheats[kind - KINDS],
						 .remote = cheats[kind - KINDS] == VIRTUAL_IN_FLUSH,
						 .vary_ns = 90e3,
						 .process = { .run_ns = 1e6 } };
	return (struct virtual_machine){ .device = kind & 2,
					 .remote = kind & 4,
					 .flags = kind & 8 ? GB_REPEATABLE : 0,
					 .process = { .run_ns = kind & 8 ? 8000 : 1e6 } };
}

static struct gb_settings how_of(int kind, bool phases)
{
	struct gb_settings how = few;

	how.hot = kind < KINDS && kind & 1;
	how.samples = kind < KINDS ? few.samples : 12;
	how.no_phases = !phases;
	return how;
}

/* On each kind of machine, each call fails or is interrupted, in turn. */
static void each_call(int kinds, bool interrupts,
		      void (*expect)(const struct gb_result *r, size_t after))
{
	for (size_t k = 0; k < (size_t)kinds + GB_COUNT(cheats); k++) {
		const int kind = (int)k < kinds ? (int)k : KINDS + (int)k - kinds;
		const struct gb_settings how = how_of(kind, false);
		struct virtual_machine machine = machine_of(kind);
		struct gb_result r = virtual_measure(&machine, &how);
		const size_t calls = virtual_calls();

		cr_assert(eq(int, (int)r.outcome, kind < KINDS ? GB_RESULT_OK : GB_FAILED), "%s",
			  r.reason);
		gb_result_release(&r);
		machine.interrupts = interrupts;
		for (machine.fails_at = 1; machine.fails_at <= calls; machine.fails_at++) {
			r = virtual_measure(&machine, &how);
			gb_interrupted = 0;
			if (virtual_calls() >= machine.fails_at)
				expect(&r, virtual_calls() - machine.fails_at);
			gb_result_release(&r);
		}
	}
}

/* A call that fails is the last but for the end of a hold.  A mark is taken before a step and after
 * it, and its failure is seen when the timer is read. */
static void expect_failure(const struct gb_result *r, size_t after)
{
	const enum virtual_event failed = virtual_failed();
	const bool is_mark = failed == VIRTUAL_BEGIN || failed == VIRTUAL_MARK;

	cr_expect(eq(int, (int)r->outcome, GB_FAILED), "%c: %s", (char)failed, virtual_log());
	cr_expect(eq(str, (char *)r->reason, "a call fails"));
	cr_expect(zero(sz, r->time.count));
	cr_expect(le(sz, after, is_mark ? 6 : failed == VIRTUAL_RUN), "%c: %s", (char)failed,
		  virtual_log());
}

Test(virtual, calls_that_fail)
{
	each_call(KINDS, false, expect_failure);
}

/* A signal ends it with the run that was begun, and its verification. */
static void expect_interrupt(const struct gb_result *r, size_t after)
{
	cr_expect(le(sz, after, 32), "%s", virtual_log());
	cr_expect(eq(int, (int)r->outcome, GB_RESULT_OK));
}

Test(virtual, calls_in_which_a_signal_comes)
{
	each_call(KINDS / 2, true, expect_interrupt);
}

/* Each allocation of the runner fails, in turn.  No call follows. */
Test(virtual, allocations_that_fail)
{
	for (int kind = 0; kind < KINDS; kind++) {
		const struct gb_settings how = how_of(kind, true);
		struct virtual_machine machine = machine_of(kind);
		int64_t k = 0;
		struct gb_result r;

		machine.marks = true;
		do {
			gb_memory_fail_at(++k);
			r = virtual_measure(&machine, &how);
			gb_memory_fail_at(0);
			if (r.code)
				cr_expect(eq(str, r.reason, "injected allocation failure"));
			cr_expect(eq(int, (int)r.outcome, r.code ? GB_SKIPPED : GB_RESULT_OK));
			cr_expect(zero(sz, virtual_late()), "kind %d, allocation %d: %s", kind,
				  (int)k, virtual_log());
			gb_result_release(&r);
			cr_assert(zero(sz, gb_memory_used(GB_HOST_MEMORY)));
		} while (r.code && k < 100);
		cr_expect(k > 10 && k < 100, "%d allocations", (int)k);
	}
}
