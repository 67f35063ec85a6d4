/* request.h -- what a command line asks of a session: what to measure, how, and where to write.
 *
 * A command with more options has its own struct, which begins with this one.
 */
#ifndef GPUBENCH_CLI_MEASURE_REQUEST_H
#define GPUBENCH_CLI_MEASURE_REQUEST_H

#include "cli/measure/sweep.h"
#include "cli/records/output.h"
#include "cli/records/settings.h"

/* --resume: no; only records of the same setup; records of any setup. */
enum gb_resume { GB_RESUME_NOT, GB_RESUME_SAME, GB_RESUME_ANY };

/* The destination of the records. */
struct gb_target {
	const char *path;  /* -o; NULL: only the table on standard output */
	int64_t resume;    /* an enum gb_resume */
	int64_t overwrite; /* replace existing files */
	int file;          /* descriptor inherited from the parent of this repetition; 0: none */
	bool shared;       /* repetitions on other devices write to it, too */
};

/* The repetitions of the command (repetitions.h) and its shard. */
struct gb_repeats {
	int64_t runs;                /* repetitions of the whole command */
	int64_t repetition;          /* number of this repetition, from 0 */
	const char *device;          /* "0", "0,2", a UUID or "all" */
	uint64_t devices;            /* launch on these, a bit each; 0: only on how.device */
	const char *shard;           /* "2/8": shard_index 1 of 8 shards */
	int64_t shard_index, shards; /* measure only every shards-th, from that one; 0: all */
};

struct gb_request {
	struct gb_settings how;
	const char *backend; /* one or several of cpu, cuda, vulkan: "cpu,cuda"; NULL: all */
	struct gb_choice choice;
	struct gb_target target;
	struct gb_repeats repeats;
	const char *plugin;            /* files, separated by commas */
	const char *preset;            /* see options.h */
	const char *threads;           /* used by commands that run several benchmarks */
	struct gb_overrides overrides; /* of `run` */
	const char *budget;            /* the time for all measurements; NULL: no limit */
	double budget_s;
	int64_t quiet, verbose;
	const char *lock_clocks; /* "base", "max" or MHz; NULL: leave the GPU's clocks alone */
	unsigned lock_mhz;       /* the same, as in nvml.h */
	int64_t memory;          /* bytes of host memory at most; 0: what is free */
	int64_t strict;          /* refuse files that are not taken as they are */
	bool once;               /* measure a key once, although several sweeps name it */
	bool untimed;            /* only verify, so that others may use the GPU */
	int64_t dry;             /* list the keys, with the memory that each needs */
};

/* How to treat an output that exists. */
static inline enum gb_existing gb_existing(const struct gb_target *target)
{
	return target->resume ? GB_RESUME : target->overwrite ? GB_OVERWRITE : GB_REFUSE;
}

#endif
