/* result.h -- the settings of a measurement, and its result.
 *
 * The command line fills struct gb_settings, the runner struct gb_result; describe.c formats the
 * result as a line of the record file.
 */
#ifndef GPUBENCH_CLI_RECORDS_RESULT_H
#define GPUBENCH_CLI_RECORDS_RESULT_H

#include <stdbool.h>

#include "common/workload.h"

/* The samples that are verified: the first, the last and one between; all; none. */
enum gb_verify { GB_VERIFY_SOME, GB_VERIFY_ALL, GB_VERIFY_NONE };

struct gb_settings {
	int64_t samples;     /* exact number of samples; 0: use the stopping rule */
	int64_t warmup;      /* runs before the first sample */
	int64_t min_samples; /* the stopping rule: take at least this many samples ... */
	double rel_ci;       /* ... until half the interval / median is at most this ... */
	double max_time_s;   /* ... or this much time has passed */
	double timeout_s;    /* for one variant at one point, warm-ups included */
	double hang_s;       /* for a single run; 0: no limit */
	int64_t hot;         /* do not flush the caches before a run */
	int64_t verify;      /* an enum gb_verify */
	int64_t no_phases;   /* skip the phases, for a quick look */
	int64_t device;
	bool for_paper; /* measure phases as often as time, since a figure may be of one */
};

enum gb_outcome { GB_RESULT_OK, GB_SKIPPED, GB_FAILED };
enum gb_stop { GB_CONVERGED, GB_LIMIT, GB_FIXED };
/* The parts of a measurement that share its time. */
enum gb_share {
	GB_SETTING_UP,
	GB_WARMING_UP,
	GB_SAMPLING,
	GB_TIMING_EXTRAS, /* phases, transfers, launches */
	GB_VERIFYING,
	GB_SHARES
};

enum gb_verdict { GB_NOT_VERIFIED, GB_PASS, GB_FAIL };

/* `count` values in ns; value is owned. */
struct gb_series {
	size_t count, room;
	double *value;
};

struct gb_result {
	const struct gb_workload *workload;
	const struct gb_variant *variant;
	const void *params;
	int threads; /* threads that the variant used; 0 on CUDA */

	enum gb_outcome outcome;
	enum gb_status code; /* why it was skipped or failed; else GB_OK */
	char reason[480];    /* the same in words; if the outcome is ok, a remark or "" */
	enum gb_verdict verdict;
	int64_t verified; /* number of verified runs */
	bool hung;        /* a run did not end within --hang */
	bool doubtful;    /* faster than the memory: see gb_doubt_rate() */

	/* The rest is valid only if the outcome is ok. */
	enum gb_stop stop;
	bool cold;
	bool emulated;
	int64_t batch;              /* runs per sample; values are per run */
	struct gb_series time;      /* measured by the variant's own clock */
	double resolution_ns;       /* resolution of that clock, per run */
	struct gb_series host_time; /* host clock, of runs that were not held back */
	int64_t given_up;           /* holds that timed out; their samples are not counted */
	int64_t throttled;          /* samples with lowered clocks; the first ten are taken again */
	struct gb_series sm_clock_hz; /* one per sample; empty if unknown */
	size_t phase_count;
	struct { /* measured in separate samples, which are not in `time` */
		const char *name;
		struct gb_series time;
	} phase[GB_MAX_PHASES];
	struct gb_series upload, download; /* on a device, of runs of their own */
	double create_ns;                  /* create(): allocation and preparation */
	double first_ns;                   /* the first call of run(), by the host's clock */
	struct gb_work work;               /* bytes according to the variant's model */
	double harmonic_items_per_s;       /* NAN unless the samples are different work */
	double copy_bytes_per_s;           /* copy bandwidth of this back end; NAN if unknown */
	struct gb_gpu_state before, after; /* before and after the samples */
	bool has_gpu_state;
	size_t host_bytes, device_bytes; /* peak use, the input included */
	double resident_bytes; /* added to the process by create() and run(); NAN: unknown */
	size_t flush_bytes;    /* additional memory for flushing the caches */
	struct gb_metrics metrics;
	char *counts;              /* counts of the first run as JSON, owned; NULL if unsupported */
	double elapsed_s;          /* duration of the whole measurement ... */
	double share_s[GB_SHARES]; /* ... and of its parts */

	/* Called between samples with half the width of the median's interval as a fraction of the
	 * median.  May be NULL. */
	void (*watch)(const struct gb_result *result, double half_width);
	void *watcher;
};

enum gb_status gb_series_push(struct gb_series *series, double value, struct gb_error *err);

/* NAN if the series is empty or memory ran out. */
double gb_series_quantile(const struct gb_series *series, double q);

/* Set the outcome of a measurement that ended with an error, if it did. */
void gb_result_settle(struct gb_result *result, const struct gb_error *err);

/* Free all series and reset the values: a failed or skipped measurement reports no time. */
void gb_result_forget(struct gb_result *result);
void gb_result_release(struct gb_result *result);

#endif
