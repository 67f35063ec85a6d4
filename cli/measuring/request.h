/* request.h -- what a command line asks for: what to measure, how, and where the records go. */
#ifndef GPUBENCH_CLI_MEASURING_REQUEST_H
#define GPUBENCH_CLI_MEASURING_REQUEST_H

#include "cli/measuring/choice.h"
#include "cli/records/output.h"
#include "cli/records/result.h"

/* --resume: not, with records of this very setup only, with any. */
enum gb_resume { GB_RESUME_NOT, GB_RESUME_SAME, GB_RESUME_ANY };

struct gb_request {
	struct gb_settings how;
	const char *device;      /* "0", or "all"; see all_devices */
	bool all_devices;        /* the command is launched on each; else on how.device */
	bool shared;             /* launches on other devices write the output, too */
	bool untimed;            /* only verify: others may use the GPU meanwhile */
	const char *backend;     /* "cpu", "cuda", "vulkan" or several: "cpu,cuda"; NULL: all */
	struct gb_choice choice; /* its backends are set by gb_options_parse() */
	const char *output;      /* -o; NULL: the table on stdout only */
	const char *preset;      /* see options.h */
	const char *threads;     /* for what runs several benchmarks; see gb_sweep_threads() */
	int64_t quiet, verbose, require_gpu, dry_run;
	int64_t list, format; /* of repro; an enum gb_repro_format (options.h) */
	int64_t json;         /* of env */
	const char *set;      /* of repro; see gb_repro_set() */
	const char *from;     /* of repro: a file of stored records */
	const char *meshes;   /* of repro: a folder */
	int64_t runs;         /* launches of the whole command; see launches.h */
	int64_t launch;       /* which of them this is, from 0 */
	const char *shard;    /* "2/8"; see gb_session_open() */
	int64_t resume;       /* an enum gb_resume */
	int64_t overwrite;    /* files that exist */
	int output_file;      /* of the parent that started this launch; 0: none */
	size_t word_count;    /* words that are not options */
	const char *word[GB_MAX_WORDS];
	bool done; /* --help or --version was answered */
};

/* What the request wants to become of an output that exists. */
static inline enum gb_existing gb_existing(const struct gb_request *request)
{
	return request->resume ? GB_RESUME : request->overwrite ? GB_OVERWRITE : GB_REFUSE;
}

#endif
