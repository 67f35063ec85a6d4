/* measurement.h -- the state of a measurement, and what is known about it besides its result. */
#ifndef GPUBENCH_CLI_MEASURING_MEASUREMENT_H
#define GPUBENCH_CLI_MEASURING_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/measuring/resident.h"
#include "cli/records/result.h"
#include "common/backend.h"
#include "common/timer.h"

/* Steps of a sample besides run(). */
enum gb_step {
	GB_STEP_UPLOAD,
	GB_STEP_POISON,
	GB_STEP_RESET,
	GB_STEP_FLUSH,
	GB_STEP_DOWNLOAD,
	GB_STEPS
};

/* Evidence that the times are those of the work (evidence.h). */
struct gb_evidence {
	uint64_t variation; /* of the input that the next run works on; 0: the original */
	uint64_t in_memory; /* variation that the host's input is now */
	bool poisoned;      /* results were overwritten before the last run */
	bool overwrote;     /* so they were before a verified sample */
	bool stale;         /* upload() has not seen what is in memory */
	bool far;           /* the next variation may have another order */
	bool varies;        /* the input has variations */
	double verify_ns;   /* duration of all verifications so far */
	double flush_ns;    /* least time of a flush */
	size_t state_bytes; /* memory of the variant's state, on host and device */
	struct gb_resident resident;
	double once_ns;      /* least time of a verified run that was none of a batch */
	double queue_cpu_ns; /* most CPU time that run() took behind a hold, per run */
	double vary_ns;      /* duration of the last change of the input */
	/* Times of samples: verified; on another input; on the same input.  Samples of different
	 * work are scaled to the work of the first. */
	struct gb_series verified, changed, same;
	struct gb_series alone, between;    /* the same (struct gb_manner); samples between those */
	struct gb_series watched[GB_STEPS]; /* CPU time of a plug-in's process */
	double seen_ns; /* its clock at the end of what it was asked to do last; 0: unknown */
	/* In the last sample with `delays`, per run: */
	double delay_ns;  /* threads waited so long for a processor, all together */
	double worked_ns; /* CPU time of each of its threads; 0 if it says nothing about the work */
	double lost_ns;   /* part of delay_ns that the runner's clock does not count */
	struct gb_series worked[2]; /* worked_ns of samples that are not verified, and of others */
	/* Runs that were not held back: time by the host's clock less that by the device's. */
	struct gb_series unseen;
	struct gb_series fill;       /* CPU time to fill the output's memory */
	struct gb_series whole, cpu; /* reset, run and download together; their CPU time */
	/* Times of these steps, on the CPU of its threads together; the least of upload(). */
	double upload_ns;
	struct gb_series reset, run, download; /* of whole runs, until threads sleep */
	struct gb_series running;              /* the time of run() in these, by the clock */
	double unflushed_ns;   /* the least of these, without waits for a processor */
	struct gb_series show; /* for a plug-in to read the input, beyond what copying may take */
	double between_ns;     /* the least CPU time in the pauses of a broken run */
	long children_before;  /* gb_children() at the start */
	bool children;         /* the variant has started processes */
	size_t busy;           /* threads that worked in the last whole run */
};

/* The state of a measurement. */
struct gb_measurement {
	struct gb_result *result;
	const struct gb_settings *how;
	const struct gb_variant_ops *ops;
	const struct gb_backend_ops *backend;
	void *input;
	void *state;
	void *output;
	size_t output_size;
	struct gb_timer timer;
	struct gb_error *err; /* the error that stopped the measurement */
	struct gb_evidence evidence;
	int64_t runs;  /* runs so far; the number passed to reset() */
	bool has_held; /* the last runs were held back until all were queued */
	bool counting; /* the counter counts the first run */
	int64_t distinct;
	int64_t first; /* number of the run that was the first sample */
	double started_ns;
};

/* How a sample is taken. */
struct gb_manner {
	int64_t batch;
	bool held;     /* queue behind a hold, so that only device time is measured */
	bool phases;   /* mark the phases */
	bool verified; /* the caller verifies afterwards */
	bool changed;  /* on another input than the sample before it */
	bool delays;   /* find out how long threads wait for a processor, and work */
	bool warm;     /* its time is not used: leave the caches as they are */
	bool alone;    /* only the runner flushes, not also a plug-in's process */
	bool counts;   /* a real sample: retake it if the GPU lowered its clocks */
};

#endif
