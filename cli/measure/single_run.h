/* single_run.h -- takes single runs of a measurement, times transfers, and verifies results. */
#ifndef GPUBENCH_CLI_MEASURE_SINGLE_RUN_H
#define GPUBENCH_CLI_MEASURE_SINGLE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/measure/result.h"
#include "cli/records/settings.h"
#include "common/backend.h"
#include "common/timer.h"

enum {
	GB_GUARD = 64,       /* bytes behind the output that download() must not write */
	GB_HOST_TIMES = 5,   /* at most */
	GB_MAX_GIVE_UPS = 2, /* failed holds after which no more are tried */
	GB_MAX_RETAKEN = 10, /* samples that are retaken because clocks were lowered */
};

/* A measurement under way. */
struct gb_measurement {
	struct gb_result *result;
	struct gb_record *record; /* the result's */
	const struct gb_settings *how;
	const struct gb_variant_ops *ops;
	const struct gb_backend_ops *backend;
	void *input, *state;
	unsigned char *output; /* output_size bytes, then GB_GUARD */
	size_t output_size;
	struct gb_timer timer;
	const char *clock; /* the name of the timer's, in the record */
	struct gb_error *err;
	int64_t runs;              /* runs or batches so far; the number passed to reset() */
	int64_t first;             /* number of the first sample */
	int64_t distinct;          /* inputs that the samples cycle through */
	int64_t batch;             /* runs per sample */
	int64_t verified;          /* runs that were */
	int64_t given_up;          /* holds that timed out; their samples are not counted */
	int64_t throttled;         /* samples with lowered clocks; the first ten are taken again */
	double paused_s;           /* before them */
	bool cold;                 /* flush the caches before each sample */
	bool counting;             /* the back end counts the first run */
	struct gb_metrics metrics; /* of the last verified run */
	double started_ns;
};

/* How a run or a batch is taken. */
struct gb_manner {
	int64_t batch;
	bool cold;     /* flush the caches before it */
	bool held;     /* queue it behind a hold, so that only device time is measured */
	bool phases;   /* mark the phases */
	bool verified; /* the caller verifies it */
	bool counts;   /* a sample: retake it if the GPU lowered its clocks */
};

double gb_spent_s(const struct gb_measurement *m);

/* False after an error or an interrupt. */
bool gb_goes_on(struct gb_measurement *m);

/* Overwrite the results if they are to be verified, reset, flush, and run.  *ns by the variant's
 * clock and *host_ns by the host's are per run of a batch.  A run is taken again if the hold failed
 * or, for a sample, if clocks were lowered meanwhile.  The first run is not held back, because it
 * loads modules. */
enum gb_status gb_take_run(struct gb_measurement *m, struct gb_manner how, double *ns,
			   double *host_ns);

/* Keep the host's time of a run that was not held back; on the CPU a few are enough, as they are
 * nearly the variant's. */
enum gb_status gb_keep_host_time(struct gb_measurement *m, double host_ns);

/* Time an upload or a download. */
enum gb_status gb_time_transfer(struct gb_measurement *m, bool uploads);

/* Download the result of the last run, and verify it.  GB_EVERIFY if it is wrong. */
enum gb_status gb_verify_run(struct gb_measurement *m);

#endif
