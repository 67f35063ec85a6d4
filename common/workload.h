/* workload.h -- the contract between the command line, the workloads and their variants.
 *
 * A workload names a problem (radix: sort n keys) and owns its parameters, its input and the
 * verification of a result.  A variant is one way to solve it on one back end.  The runner drives
 * them, for each point of a sweep:
 *
 *	prepare -> for each variant: create, upload, [reset, run] x (warm-ups + samples),
 *	           download, verify, destroy -> release
 *
 * The arrays that download() reads are named in create() (gb_memory_result()); before a run that is
 * verified they are poisoned, then reset.  What else a result hangs on, such as a library's handle,
 * reset() forgets.  download() copes with whatever is there.
 *
 * Only run() is timed as `time`; upload() and download() have times of their own.  Everything is
 * allocated in create(); nothing is allocated in run().
 */
#ifndef GPUBENCH_COMMON_WORKLOAD_H
#define GPUBENCH_COMMON_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/backend.h"
#include "common/status.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters -------------------------------------------------------------------------- */

enum gb_type {
	GB_INT,    /* int64_t */
	GB_FLOAT,  /* double */
	GB_CHOICE, /* int64_t: index into choices */
	GB_PATH,   /* const char *, NULL when not given: a file name or other text */
	GB_FLAG,   /* int64_t: 1 when given; takes no value */
};

/* The words of a GB_CHOICE: one for each value of an enum, whose last member is `count`. */
#define GB_WORDS(name, count, ...)                                   \
	static const char *const name[] = { __VA_ARGS__, NULL };     \
	_Static_assert(sizeof(name) / sizeof *(name) == (count) + 1, \
		       #name ": a word for each value")

/* One row per parameter: it drives parsing, --help, checks, sweeps, keys, JSON, man page. */
struct gb_param {
	const char *name;    /* --name on the command line, "name" in the record */
	size_t offset;       /* where the value lives in the workload's parameter struct */
	const char *initial; /* the default, as it would be typed; NULL for a path not given */
	/* The value that keys leave out (cli/records/key.h), for ever: what the benchmark did before
	 * it had the parameter, or, once `initial` is changed, the first default.  NULL: initial. */
	const char *keyed;
	int64_t min, max;           /* GB_INT */
	double low, high;           /* GB_FLOAT */
	const char *const *choices; /* GB_CHOICE: NULL terminated */
	enum gb_type type;
	bool written;  /* GB_PATH: a file that is written, not read */
	bool numbered; /* it may stand for several (gb_numbered_path()), from 0 on */
	bool hidden;   /* taken but not in the help: only `check`'s points and tests need it */
	/* Bits 1 << GB_CPU ... of the back ends to which it means something: the others are not swept
	 * over it, and have it not in their records; 0: all. */
	unsigned backends;
	char letter;           /* -o for --output; 0: none */
	const char *bare;      /* GB_CHOICE: what the option means without a value; or NULL */
	const char *yields_to; /* if that parameter is given and this is not, it is 0; or NULL */
	const char *unit;      /* "keys", or NULL */
	const char *help;
};

/* What a row says of where its value lives: in `member` of a struct. */
#define GB_AT(type_, struct_, member) .type = (type_), .offset = offsetof(struct_, member)

/* Every workload's table ends with these rows; its struct has int64_t threads, seed. */
#define GB_COMMON_PARAMS(type)                                                               \
	{ .name = "threads",                                                                 \
	  GB_AT(GB_INT, type, threads),                                                      \
	  .initial = "0",                                                                    \
	  .max = 1024,                                                                       \
	  .backends = 1U << GB_CPU,                                                          \
	  .help = "OpenMP threads of the cpu variants (0: one per core)" },                  \
	{                                                                                    \
		.name = "seed", GB_AT(GB_INT, type, seed), .initial = "1", .max = INT64_MAX, \
		.help = "seed of the generated input"                                        \
	}

/* ---- metrics ----------------------------------------------------------------------------- */

/* Named numbers of a workload's own (TEPS, depth, ...), filled by verify() and by the variant's
 * metrics(). */
enum { GB_MAX_METRICS = 24 };
struct gb_metrics {
	size_t count;
	struct {
		const char *name; /* a literal: the record's key, unit last */
		double value;     /* unless there is text */
		char text[24];    /* "" for a number; hashes, which no double holds */
	} item[GB_MAX_METRICS];
};

/* Set a metric; one of the same name is replaced. */
void gb_metric(struct gb_metrics *metrics, const char *name, double value);
/* 64 bits that are no quantity, as "0x" and 16 hex digits. */
void gb_metric_hash(struct gb_metrics *metrics, const char *name, uint64_t hash);

/* ---- variants ---------------------------------------------------------------------------- */

enum gb_variant_flags {
	GB_SERIAL = 1,         /* one thread, whatever --threads says */
	GB_REPEATABLE = 2,     /* run() leaves its input as it found it: may be run again without
				  reset(), so short ones can be batched */
	GB_HOST_DECISIONS = 4, /* run() waits for the device: it cannot be queued behind a hold */
};

/* Members that may be NULL: upload, reset, destroy, bytes, excluded, metrics, library. */
struct gb_variant_ops {
	size_t state_size; /* bytes of what `state` points to below */
	/* Allocate everything, on host and device.  The state arrives zeroed; it is freed by the
	 * caller, with all that create() and upload() have allocated through common/memory.h and
	 * cuda/device.h.  GB_EUNAVAILABLE, with the reason, when this variant cannot do what params
	 * ask for, and GB_EMEMORY: the point is skipped. */
	enum gb_status (*create)(void *state, const void *params, const void *input,
				 struct gb_error *err);
	/* Input to the device: timed as `upload`.  NULL on the CPU. */
	enum gb_status (*upload)(void *state, struct gb_error *err);
	/* Work buffers back to the start; not timed.  sample counts from 0 (warm-ups too). */
	enum gb_status (*reset)(void *state, int64_t sample, struct gb_error *err);
	/* The algorithm: timed as `time`. */
	enum gb_status (*run)(void *state, struct gb_timer *timer, struct gb_error *err);
	/* The result into output (workload.output_size bytes, poisoned): timed as `download`. */
	enum gb_status (*download)(void *state, void *output, struct gb_error *err);
	/* Give back what is not counted memory (a library's handles, pinned pages), of a state that
	 * may be half built. */
	void (*destroy)(void *state);
	/* Bytes that one run moves through main memory, by this variant's model (stated in its
	 * file).  NULL: the workload's own compulsory bytes, and what metrics() tells as
	 * touched_bytes, where only the run knows how much of its input it reads. */
	double (*bytes)(const void *params, const void *input);
	/* What it prepares before `time` that others do within theirs, besides allocating memory:
	 * for the record.  NULL: nothing. */
	const char *(*excluded)(const void *params);
	/* What the variant knows of its last run and the output does not tell (failed CAS, pool
	 * use, bytes touched); called after download().  May be NULL. */
	void (*metrics)(void *state, struct gb_metrics *metrics);
	/* Of a peer: the name and version of the library that runs, which need not be that of its
	 * headers, as "Embree 4.3.3".  NULL: there is none. */
	const char *(*library)(void);
	unsigned flags; /* enum gb_variant_flags */
};

/* A state of the variant, made by create(); gb_state_destroy() frees it and all that belongs to it.
 * On failure *state may be left set, for gb_state_destroy(), which accepts NULL. */
enum gb_status gb_state_create(const struct gb_variant_ops *ops, const void *params,
			       const void *input, void **state, struct gb_error *err);
enum gb_status gb_state_upload(const struct gb_variant_ops *ops, void *state, struct gb_error *err);
void gb_state_destroy(const struct gb_variant_ops *ops, void *state);

struct gb_variant {
	const char *workload;
	const char *name; /* without the back end: "onesweep" */
	enum gb_backend backend;
	const char *summary;
	const struct gb_variant_ops *ops; /* NULL: not in this build */
	const char *absent;               /* why ops is NULL */
	bool peer;                        /* a library of the field, measured beside ours */
};

/* ---- workloads --------------------------------------------------------------------------- */

/* What one run does, for rates. */
struct gb_work {
	double items;
	double bytes; /* compulsory: the input read once and the output written once */
};

enum gb_preset { GB_QUICK, GB_CI, GB_PAPER, GB_PRESETS };

struct gb_workload {
	const char *name;
	const char *summary;
	const char *paper; /* citation; NULL if there is none */
	const char *item;  /* unit of work.items, plural: "keys" */
	const struct gb_param *params;
	size_t param_count;
	size_t params_size;
	/* Words as typed after the benchmark's name: what `check` verifies, and the presets of
	 * `run`.  Each is one sweep. */
	const char *const *check; /* NULL terminated */
	const char *const *preset[GB_PRESETS];
	/* Make (or read) the input.  GB_EUSAGE for parameters that contradict each other and for
	 * malformed files (message: file:line or file and offset). */
	enum gb_status (*prepare)(const void *params, void **input, struct gb_error *err);
	size_t (*output_size)(const void *params, const void *input);
	/* Verify the output of sample `sample`: GB_OK, or GB_EVERIFY with what is wrong and where.
	 * The input was not changed.  metrics may be added. */
	enum gb_status (*verify)(const void *params, const void *input, int64_t sample,
				 const void *output, struct gb_metrics *metrics,
				 struct gb_error *err);
	const char *verify_method; /* one line, for `list` */
	/* Whether it is the copy that all others' bytes per second are set against. */
	bool yardstick;
	/* How many different inputs the samples cycle through (bfs: sources); NULL: one.
	 * The outputs of each different one are verified. */
	int64_t (*distinct)(const void *params, const void *input);
	struct gb_work (*work)(const void *params, const void *input);
	/* Items of sample `sample` where the distinct inputs are different work: the harmonic mean
	 * of the samples' rates is taken with these.  NULL: work().items each. */
	double (*items)(const void *params, const void *input, int64_t sample);
	/* Whether a run at this point may be repeated without reset() by variants that are
	 * GB_REPEATABLE; NULL: always. */
	bool (*repeatable)(const void *params);
	/* What is prepared for all variants alike, before `time`: as that of the variants. */
	const char *(*excluded)(const void *params);
	/* The record's "input.source": "generated" or "file"; NULL: "file" if the parameter of
	 * that name is given, else "generated". */
	const char *(*source)(const void *params);
	void (*release)(void *input); /* accepts NULL */
};

/* A zeroed input of prepare(), `size` bytes; NULL if there is no memory.  What is allocated through
 * common/memory.h until gb_input_end() belongs to it. */
void *gb_input_begin(size_t size, struct gb_error *err);
/* The end of prepare(): the input into *input, or, after a failure, NULL, and it is released.  Returns
 * err->code. */
enum gb_status gb_input_end(void *made, void **input, struct gb_error *err);
/* Free an input and all that belongs to it. */
void gb_input_release(void *input);

#ifdef __cplusplus
}
#endif
#endif
