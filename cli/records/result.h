/* result.h -- how to measure, and what came of one measurement.
 *
 * The command line fills struct gb_settings, the runner struct gb_result; record.c writes the
 * result as a line of the record file.
 */
#ifndef GPUBENCH_CLI_RECORDS_RESULT_H
#define GPUBENCH_CLI_RECORDS_RESULT_H

#include <stdbool.h>

#include "common/workload.h"

struct gb_settings {
	int64_t samples;     /* exactly this many; 0: by the stopping rule */
	int64_t warmup;      /* runs before the first sample */
	int64_t min_samples; /* the stopping rule: at least these ... */
	double rel_ci;       /* ... until half the interval of the median is this share of it ... */
	double max_time_s;   /* ... or this long */
	double timeout_s;    /* one variant at one point, warm-ups included */
	int64_t hot, cold;   /* flags; neither: cold */
	int64_t no_verify;
	int64_t verify_all; /* every sample, not only the first, the last and one between */
	int64_t no_phases;  /* for those who only want to see it run */
	int64_t device;
};

enum gb_outcome { GB_RESULT_OK, GB_SKIPPED, GB_FAILED };
enum gb_stop { GB_CONVERGED, GB_LIMIT, GB_FIXED };
enum gb_verdict { GB_NOT_VERIFIED, GB_PASS, GB_FAIL };

/* count values in ns; value is owned. */
struct gb_series {
	size_t count, room;
	double *value;
};

struct gb_result {
	const struct gb_workload *workload;
	const struct gb_variant *variant;
	const void *params;
	int threads; /* that the variant used; 0 on CUDA */

	enum gb_outcome outcome;
	enum gb_status code; /* why it is skipped or failed; GB_OK otherwise */
	char reason[480];    /* the same in words; of a result that is ok a remark, or "" */
	enum gb_verdict verdict;
	int64_t verified; /* runs that were */

	/* The rest holds only if outcome is ok. */
	enum gb_stop stop;
	bool cold;
	bool emulated;
	int64_t batch;              /* runs per sample; the values are per run */
	struct gb_series time;      /* by the variant's own clock */
	double resolution_ns;       /* of that clock, per run */
	struct gb_series host_time; /* of runs that were not held back */
	int64_t given_up;           /* holds that ended by themselves; their samples do not count */
	int64_t throttled;          /* samples with lowered clocks: ten are taken again */
	struct gb_series sm_clock_hz; /* one per sample; empty if unknown */
	size_t phase_count;
	struct { /* of samples of their own, which are not in `time` */
		const char *name;
		struct gb_series time;
	} phase[GB_MAX_PHASES];
	double upload_ns, download_ns; /* NAN if the variant has none */
	double create_ns;              /* create(): memory and preparation */
	double first_ns;               /* the first call of run(), by the host's clock */
	struct gb_work work;           /* bytes by the variant's model */
	double harmonic_items_per_s;   /* NAN unless the samples are different work */
	double copy_bytes_per_s; /* of this back end, threads and cache state; NAN if unknown */
	struct gb_gpu_state before, after; /* the samples */
	bool has_gpu_state;
	size_t host_bytes, device_bytes; /* the most in use at once, the input included */
	size_t flush_bytes;              /* of the back end, besides: to flush the caches */
	struct gb_metrics metrics;
	char *counts;     /* of the first run, JSON, owned; NULL: the device cannot count */
	double elapsed_s; /* of the whole measurement */

	/* Called between samples with half the width of the median's interval as a share of the
	 * median; may be NULL. */
	void (*watch)(const struct gb_result *result, double half_width);
	void *watcher; /* for watch() */
};

enum gb_status gb_series_push(struct gb_series *series, double value, struct gb_error *err);

/* A failed or skipped measurement leaves no time behind: free all series, as if none was taken. */
void gb_result_forget(struct gb_result *result);
void gb_result_release(struct gb_result *result);

#endif
