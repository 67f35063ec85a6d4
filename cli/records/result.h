/* result.h -- the settings of a measurement, and its result: a record under way.
 *
 * The command line fills struct gb_settings, and gb_measure() the record.
 */
#ifndef GPUBENCH_CLI_RECORDS_RESULT_H
#define GPUBENCH_CLI_RECORDS_RESULT_H

#include <stdbool.h>

#include "cli/records/record.h"
#include "common/benchmark.h"

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

/* The parts of a measurement that share its time. */
enum gb_share {
	GB_SETTING_UP,
	GB_WARMING_UP,
	GB_SAMPLING,
	GB_TIMING_EXTRAS, /* phases, transfers, launches */
	GB_VERIFYING,
	GB_SHARES
};

struct gb_result {
	const struct gb_benchmark *benchmark;
	const struct gb_variant *variant;
	const void *params;
	struct gb_record record;   /* what is known so far */
	enum gb_status code;       /* why it was skipped or failed; else GB_OK */
	bool doubtful;             /* faster than the memory: see gb_doubt_rate() */
	double resolution_ns;      /* resolution of the variant's clock, per run */
	double read_bytes;         /* of the input, by the benchmark's model */
	double elapsed_s;          /* duration of the whole measurement ... */
	double share_s[GB_SHARES]; /* ... and of its parts */

	/* Called between samples with half the width of the median's interval as a fraction of the
	 * median.  May be NULL. */
	void (*watch)(const struct gb_result *result, double half_width);
	void *watcher;
};

/* Begin the record: variant, parameters, key, source of the input.  GB_EMEMORY. */
enum gb_status gb_result_begin(struct gb_result *result, struct gb_error *err);

/* Set the record's remark. */
void gb_result_remark(struct gb_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The measurement ended with an error: a failed or skipped one reports no time. */
void gb_result_fail(struct gb_result *result, const struct gb_error *why);

void gb_result_release(struct gb_result *result);

#endif
