/* request.h -- what a command line asks of a session: what to measure, how, and where the records go.
 *
 * A command that takes more has a struct of its own, which begins with this one.
 */
#ifndef GPUBENCH_CLI_MEASURING_REQUEST_H
#define GPUBENCH_CLI_MEASURING_REQUEST_H

#include "cli/measuring/choice.h"
#include "cli/records/output.h"
#include "cli/records/result.h"

/* --resume: not, with records of this very setup only, with any. */
enum gb_resume { GB_RESUME_NOT, GB_RESUME_SAME, GB_RESUME_ANY };

/* Where the records go. */
struct gb_target {
	const char *path;  /* -o; NULL: the table on stdout only */
	int64_t resume;    /* an enum gb_resume */
	int64_t overwrite; /* files that exist */
	int file;          /* of the parent that started this launch; 0: none */
	bool shared;       /* launches on other devices write there, too */
};

/* Of several launches of the command (launches.h), and of its shards. */
struct gb_repeats {
	int64_t runs;       /* launches of the whole command */
	int64_t launch;     /* which of them this is, from 0 */
	const char *device; /* "0", or "all" */
	bool all_devices;   /* the command is launched on each; else on how.device */
	const char *shard;  /* "2/8"; see gb_session_open() */
};

struct gb_request {
	struct gb_settings how;
	const char *backend; /* "cpu", "cuda", "vulkan" or several: "cpu,cuda"; NULL: all */
	struct gb_choice choice;
	struct gb_target target;
	struct gb_repeats repeats;
	const char *preset;  /* see options.h */
	const char *threads; /* for what runs several benchmarks; see gb_sweep_threads() */
	int64_t require_gpu, quiet, verbose;
	bool untimed; /* only verify: others may use the GPU meanwhile */
};

/* What the request wants to become of an output that exists. */
static inline enum gb_existing gb_existing(const struct gb_target *target)
{
	return target->resume ? GB_RESUME : target->overwrite ? GB_OVERWRITE : GB_REFUSE;
}

#endif
