/* remote.h -- runs a variant of a plug-in in a process of its own, for the runner.
 *
 * The operations and the back end of such a variant send requests to that process (worker.h), which
 * starts in create() and is killed in destroy().  If it crashes, exits or does not answer in time,
 * the request fails with the reason.
 */
#ifndef GPUBENCH_CLI_PLUGINS_REMOTE_H
#define GPUBENCH_CLI_PLUGINS_REMOTE_H

#include "common/backend.h"
#include "common/variants.h"

struct gb_remote_limits {
	int device;
	double timeout_s;     /* for each request */
	int64_t memory_bytes; /* 0: none */
};

/* The runner asks this of a remote back end instead of doing it in its own process. */
struct gb_remote_ops {
	/* `count` runs between two marks, behind a hold if `held`; *ns is the time of all.  Phases
	 * as gb_timer_read() returns them if *marked, which becomes true if there are any.  *held
	 * becomes false if the stream was not held; *queue_ns is the CPU time of queueing,
	 * *lost_ns the time that either process waited for a processor meanwhile. */
	enum gb_status (*runs)(void *state, int64_t count, bool *held, bool *marked, double *ns,
			       double *queue_ns, double *lost_ns, struct gb_phase_time *phase,
			       size_t *phases, struct gb_error *err);
	enum gb_status (*poison)(void *state, unsigned char byte, struct gb_error *err);
	/* Show the changed input to the process.  It copies it before it answers. */
	enum gb_status (*show)(void *state, struct gb_error *err);
	/* Flush the caches in that process. */
	enum gb_status (*flush)(void *state, struct gb_error *err);
	int (*process)(const void *state);
	long (*children)(void *state, struct gb_error *err);
	double (*copy_ns)(const void *state);     /* the judge's part of show() */
	size_t (*peak)(enum gb_memory_kind kind); /* memory of the last process */
};

/* The counter of that back end, if the process has one. */
extern const struct gb_counter gb_remote_counter;

/* The back end for the next measurement of an isolated variant, which create() then starts. */
const struct gb_backend_ops *gb_remote_backend(const struct gb_variant *variant,
					       const struct gb_remote_limits *limits);

/* List the variants of a plug-in in a process of its own, and add them.  GB_EUSAGE if it cannot be
 * loaded, GB_EINTERRUPTED. */
enum gb_status gb_remote_add(struct gb_plugin_file *file, struct gb_error *err);

#endif
