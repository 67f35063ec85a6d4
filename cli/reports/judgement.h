/* judgement.h -- the verdict on a variant of a plug-in: is it correct, is it honest, how fast.
 *
 * A verdict collects the results of a check and the records of launches, in which other variants
 * were measured beside it.  It is printed as one JSON object,
 * results/gpubench-verdict-1.schema.json.
 */
#ifndef GPUBENCH_CLI_REPORTS_JUDGEMENT_H
#define GPUBENCH_CLI_REPORTS_JUDGEMENT_H

#include <cjson/cJSON.h>

#include "cli/records/lines.h"
#include "cli/records/result.h"

enum { GB_REASONS = 8 }; /* that are kept */

struct gb_judgement {
	const struct gb_variant *variant;
	int64_t seed;                   /* for the inputs of the check */
	size_t planned, points_planned; /* points of the check; timed points */
	size_t passed, failed, skipped; /* of the check */
	size_t timed;                   /* points with a time */
	bool wrong, crashed;            /* a result is; a run failed for another reason */
	bool dishonest, doubtful;       /* a time is */
	size_t reasons;
	char reason[GB_REASONS][640];
	char machine[128], commit[64]; /* "": nothing was measured */
	cJSON *points;                 /* owned; NULL: none */
	/* From the source: the check in the emulator, exact counts; owned; NULL: none. */
	cJSON *emulator, *counts;
};

void gb_judgement_release(struct gb_judgement *judgement);

/* Add the result of a point of the check. */
void gb_judge_check(struct gb_judgement *judgement, const struct gb_result *result);

/* Add the result of the emulator, the object of the schema, owned: a fault there is a fault. */
void gb_judge_emulated(struct gb_judgement *judgement, cJSON *result);

/* True if the check was complete and found no fault; if it has found none so far. */
bool gb_judged_correct(const struct gb_judgement *judgement);
bool gb_judged_correct_so_far(const struct gb_judgement *judgement);

/* The fastest other variant at the record's point, of the same back end and from the program
 * itself; of libraries if `peer`.  NULL if none has a trusted time. */
const struct gb_record *gb_fastest_rival(const struct gb_records *records,
					 const struct gb_record *record, bool peer);

/* True if a launch of a plug-in's variant is doubtful or broke a rule that rests on times alone. */
bool gb_judge_suspects(const struct gb_records *launches);

/* Add the points of the variants.  `scout` chooses the rivals; times and ratios are those of the
 * launches, which are pooled.  A point that failed in any launch has failed, but one stall of the
 * machine can make times contradict each other: a point with one suspected launch is doubtful if no
 * other launch has a time, and else its status is that of the other launches. */
enum gb_status gb_judge_points(struct gb_judgement *judgement, size_t count,
			       const struct gb_records *scout, struct gb_records *launches,
			       struct gb_error *err);

/* GB_EVERIFY if a result was wrong or a time dishonest, GB_ERUNTIME if a run failed, GB_EUNDECIDED
 * if the check is incomplete or no time can be trusted, else GB_OK. */
enum gb_status gb_judgement_status(const struct gb_judgement *judgement);

/* The JSON object, for cJSON_Delete().  Takes what is owned.  NULL if memory ran out. */
cJSON *gb_judgement_format(struct gb_judgement *judgement);

#endif
