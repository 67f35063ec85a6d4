/* plan.h -- --dry-run: estimates the memory and time that a sweep would take.
 *
 * A measurement is tried: its input is made, and few samples are taken (estimate.h).  One whose
 * trial would take long is not: its time is that of a smaller trial of the same variant and
 * operation, times the ratio of the memory that both need.  The first trial of a variant is of a
 * smaller point if this one needs much memory.  So a plan takes seconds.
 * Those that cannot run here are listed as skipped.  --dry-run=keys tries nothing and opens no
 * device: it counts memory by allocating everything without touching it.
 */
#ifndef GPUBENCH_CLI_MEASURING_PLAN_H
#define GPUBENCH_CLI_MEASURING_PLAN_H

#include "cli/measuring/estimate.h"
#include "cli/measuring/session.h"

/* The costs of a trial. */
struct gb_plan_trial {
	const struct gb_variant *variant;
	int64_t op, threads; /* parameters; 0 if there is none */
	double bytes;        /* host and device, the input included */
	double input_s;
	struct gb_tried tried;
};

/* No point if params is NULL. */
struct gb_plan_point {
	const struct gb_workload *workload;
	void *params; /* owned */
};

/* All members but session start as zero. */
struct gb_plan {
	struct gb_session session; /* gb_session_plan() */
	size_t measurements, skipped;
	size_t scaled;                   /* measurements that were not tried */
	size_t host_bytes, device_bytes; /* the largest */
	double seconds;                  /* sum, inputs and copy bandwidth included */
	/* The rest is plan.c's. */
	size_t trials;
	struct gb_plan_trial trial[256];
	double tried_s;             /* spent on trials that had a similar one */
	unsigned copied;            /* back ends whose copy bandwidth is in `seconds` */
	struct gb_plan_point point; /* of the last measurement */
	struct gb_plan_point made;  /* of the last trial */
	void *input;                /* of that point; owned */
	struct gb_error no_input;   /* why there is none */
	double made_s;              /* making it */
};

/* True if a measurement that needs `bytes` is tried.  `near` is the most similar trial, NULL if
 * there is none; spent_s were spent on trials that had one. */
bool gb_plan_tries(const struct gb_plan_trial *near, double bytes, int64_t threads, double spent_s);

/* Print a line for each measurement of the sweep to standard output. */
enum gb_status gb_plan_sweep(struct gb_plan *plan, const struct gb_sweep *sweep,
			     const struct gb_choice *choice, struct gb_error *err);

/* Print the totals. */
void gb_plan_total(const struct gb_plan *plan);

/* Release everything, the session included. */
void gb_plan_release(struct gb_plan *plan);

#endif
