/* gate.h -- decides the keys of a gate: slower, faster, the same, or not yet known.
 *
 * All keys share one error rate: the chance that any key of an unchanged build is called slower is
 * at most `error`.  A key is
 *
 *	slower	if its ratio exceeds 1 + t and the test against a ratio of 1 (logrank.h) rejects at
 *		the error's share of this key and look: error / keys, divided among the looks in
 *		proportion to the launches since the look before.  This is a union bound.  It needs
 *		exchangeable launches and no other assumption.
 *	same	if its ratio is at most 1 + t and the test against 1 + 2 t rejects.  The levels are
 *		such that a key that is slower by 2 t is called the same at any look with a
 *		probability of at most 3 %.  It is `faster` if it is below 1 / (1 + t) and the test
 *		against 1 rejects at 2 %; that word is outside the bound of `error`.
 *
 * A gate either looks once, at all launches, or at fixed numbers of launches a side.  The first
 * look that decides counts, even if more launches follow.
 *
 * Stored launches of base, made before all others, are not exchangeable with new ones: the machine
 * may have drifted.  They never make a key slower.  They join base in the test against 1 + 2 t
 * unless the launches of base that were made with the new ones differ from them at 10 % in either
 * direction; then the new launches alone need reject at 2 % only.
 */
#ifndef GPUBENCH_CLI_REPORTS_COMPARE_GATE_H
#define GPUBENCH_CLI_REPORTS_COMPARE_GATE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/reports/verdict.h"
#include "common/logrank.h"

/* Launches a side after which a gate ends by default, and at most: then one p takes a second to
 * count. */
enum { GB_GATE_MOST = 160 };

struct gb_gate {
	double error;     /* 0.05 */
	size_t keys;      /* keys that are compared */
	size_t most;      /* launches a side after which it ends; 0: one look at all launches */
	double threshold; /* t as a fraction: 0.05 */
};

/* The distributions that were counted.  Start with { 0 }. */
struct gb_gate_tests {
	size_t count;
	struct gb_logrank **test;
};
void gb_gate_release(struct gb_gate_tests *tests);

/* The values of one key, one per launch, in order of time. */
struct gb_gate_values {
	const double *base, *other, *stored; /* stored: of earlier launches of base */
	size_t base_count, other_count, stored_count;
};

struct gb_gate_result {
	enum gb_verdict_word verdict; /* GB_SLOWER, GB_FASTER, GB_SAME or GB_UNSURE */
	bool drifted;                 /* stored values were left out */
	size_t base, other;           /* numbers of launches that decided, or all that could not */
	struct gb_ratio ratio;        /* with its interval at GB_LEVEL, of these launches alone */
	/* If unsure: the launches a side that would decide if they are like these ones, about, even
	 * if that is more than the gate makes; 0 if it is too far. */
	size_t needed;
};

/* The launches a side at look number i, from 0, of a gate with `most`; 0 if there is none. */
size_t gb_gate_look(const struct gb_gate *gate, size_t i);

/* The launches a side at the first look after `launches`; 0 if there is none. */
size_t gb_gate_next_look(const struct gb_gate *gate, size_t launches);

/* The side to launch next, 0 for base, after base and other have made so many launches.  All orders
 * up to the next look are equally likely, whatever `random` is drawn from.  So nothing that happens
 * to the machine can be in step with one side, except by the chance that the tests count. */
int gb_gate_next_side(const struct gb_gate *gate, size_t base, size_t other, uint64_t random);

/* The levels of the look at this many launches a side. */
double gb_gate_slower_level(const struct gb_gate *gate, size_t launches);
double gb_gate_same_level(const struct gb_gate *gate, size_t launches);

/* The fewest launches a side with which a key can be called slower.  If the gate makes too few,
 * those of a gate that looks once. */
size_t gb_gate_least(const struct gb_gate *gate);

/* Judge one key.  Sides without values are unsure.  GB_EMEMORY; GB_ERUNTIME for a value that is not
 * positive. */
enum gb_status gb_gate_judge(const struct gb_gate *gate, struct gb_gate_tests *tests,
			     const struct gb_gate_values *values, struct gb_gate_result *result,
			     struct gb_error *err);

#endif
