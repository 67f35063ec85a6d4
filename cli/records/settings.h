/* settings.h -- how a measurement is made: what the command line sets and a run line states. */
#ifndef GPUBENCH_CLI_RECORDS_SETTINGS_H
#define GPUBENCH_CLI_RECORDS_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* The samples that are verified: the first, the last and one between; all; none. */
enum gb_verify { GB_VERIFY_SOME, GB_VERIFY_ALL, GB_VERIFY_NONE };

struct gb_settings {
	int64_t samples;      /* exact number of samples; 0: use the stopping rule */
	int64_t warmup;       /* runs before the first sample */
	double warmup_time_s; /* and at least this long; see is_warm() */
	int64_t min_samples;  /* the stopping rule: take at least this many samples ... */
	double rel_ci;        /* ... until half the interval / median is at most this ... */
	double max_time_s;    /* ... or this much time has passed */
	double timeout_s;     /* for one variant at one point, warm-ups included */
	double hang_s;        /* for a single run; 0: no limit */
	int64_t hot;          /* do not flush the caches before a run */
	int64_t verify;       /* an enum gb_verify */
	int64_t no_phases;    /* skip the phases, for a quick look */
	int64_t profile;      /* one run per point for a profiler, without times */
	int64_t device;
	bool for_paper; /* measure phases as often as time, since a figure may be of one */
};

#endif
