/* benchmark.h -- the interface between the command line, the benchmarks and their variants.
 *
 * A benchmark is a problem (radix: sort n keys) with its parameters, its input and the verification
 * of a result.  A variant is one way to solve it on one back end.  For each point of a sweep the
 * runner calls:
 *
 *	prepare -> for each variant: create, upload, [reset, run] x (warm-ups + samples),
 *	           download, verify, destroy -> release
 *
 * create() declares the arrays that download() reads (gb_memory_result()).  Before a verified run
 * they are poisoned, then reset() is called.  reset() must also clear any other state that a result
 * depends on, such as a library's handle.  download() must cope with any contents of the arrays.
 *
 * On a device, run() and reset() read the input only as upload() has copied it.
 *
 * Only run() is timed as `time`; upload() and download() are timed separately.  Everything is
 * allocated in create(), nothing in run().
 */
#ifndef GPUBENCH_COMMON_BENCHMARK_H
#define GPUBENCH_COMMON_BENCHMARK_H

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
	GB_PATH,   /* const char *, NULL if not given: a file name or other text */
	GB_FLAG,   /* int64_t: 1 if given; takes no value */
};

/* The words of a GB_CHOICE, one for each value of an enum whose last member is `count`. */
#define GB_WORDS(name, count, ...)                                   \
	static const char *const name[] = { __VA_ARGS__, NULL };     \
	_Static_assert(sizeof(name) / sizeof *(name) == (count) + 1, \
		       #name ": a word for each value")

/* One row per parameter.  Drives parsing, --help, checks, sweeps, keys and JSON. */
struct gb_param {
	const char *name;    /* --name on the command line, "name" in the record */
	size_t offset;       /* offset of the value in the benchmark's parameter struct */
	const char *initial; /* the default, as it would be typed; NULL for a path not given */
	/* The value that keys leave out (cli/records/key.h).  It must never change: it is what the
	 * benchmark did before it had the parameter or, once `initial` has changed, the first
	 * default.  NULL: initial. */
	const char *keyed;
	int64_t min, max;           /* GB_INT */
	double low, high;           /* GB_FLOAT */
	const char *const *choices; /* GB_CHOICE: NULL terminated */
	enum gb_type type;
	bool written; /* GB_PATH: a file that is written, not read */
	/* The back ends that use the parameter, as bits 1 << GB_CPU ...; 0: all.  The others are
	 * not swept over it and do not record it. */
	unsigned backends;
	const char *variant; /* the same for variants of other names; or NULL */
	char letter;         /* -o for --output; 0: none */
	const char *bare;    /* the value of the option without "=VALUE"; or NULL */
	/* "type=pairs": only points with this choice of another parameter use it; "!file": only
	 * those without a file, and others do not record it.  The others have the value `keyed` and
	 * are not swept over it; or NULL. */
	const char *only;
	const char *yields_to; /* 0 instead of the default if this parameter is given; or NULL */
	const char *unit;      /* "keys", or NULL */
	const char *help;
};

/* The type of a row's value and its place, `member` of a struct. */
#define GB_AT(type_, struct_, member) .type = (type_), .offset = offsetof(struct_, member)

/* Every benchmark's table ends with these rows; its struct has int64_t threads, seed. */
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

/* Named numbers specific to a benchmark (TEPS, depth, ...), set by verify() and by the variant's
 * metrics(). */
enum { GB_MAX_METRICS = 24 };
struct gb_metrics {
	size_t count;
	struct {
		const char *name; /* a literal: the record's key, unit last */
		double value;     /* used if text is "" */
		char text[24];    /* for hashes, which a double cannot hold */
	} item[GB_MAX_METRICS];
};

/* Set a metric, replacing one of the same name. */
void gb_metric(struct gb_metrics *metrics, const char *name, double value);
/* Set a metric to 64 bits that are not a quantity, as "0x" and 16 hex digits. */
void gb_metric_hash(struct gb_metrics *metrics, const char *name, uint64_t hash);

/* ---- variants ---------------------------------------------------------------------------- */

enum gb_variant_flags {
	GB_SERIAL = 1,         /* uses one thread, whatever --threads is */
	GB_REPEATABLE = 2,     /* run() does not change its input: it may run again without
				  reset(), so short runs can be batched */
	GB_HOST_DECISIONS = 4, /* run() waits for the device: it cannot be queued behind a hold */
};

/* Members that may be NULL: upload, reset, destroy, bytes, excluded, metrics, library. */
struct gb_variant_ops {
	size_t state_size; /* bytes of the state passed below */
	/* Allocate everything, on host and device.  The state is zeroed.  The caller frees it with
	 * everything that create() and upload() allocate through common/memory.h and cuda/runtime/device.h.
	 * The point is skipped on GB_EMEMORY and on GB_EUNAVAILABLE, which means, with a reason,
	 * that the variant does not support params. */
	enum gb_status (*create)(void *state, const void *params, const void *input,
				 struct gb_error *err);
	/* Copy the input to the device, and derive from it what run() uses (a byte matrix, a tree).
	 * Called before the first run and, on a device, again to be timed as `upload`; must not
	 * change the results of the last run.  On the CPU it is a part of `create`. */
	enum gb_status (*upload)(void *state, struct gb_error *err);
	/* Reset the work buffers; not timed.  sample counts from 0, including warm-ups. */
	enum gb_status (*reset)(void *state, int64_t sample, struct gb_error *err);
	/* Run the algorithm; timed as `time`. */
	enum gb_status (*run)(void *state, struct gb_timer *timer, struct gb_error *err);
	/* Copy the result to output (benchmark.output_size bytes, poisoned); timed as `download`. */
	enum gb_status (*download)(void *state, void *output, struct gb_error *err);
	/* Release everything but counted memory (a library's handles, pinned pages).  The state may
	 * be half built. */
	void (*destroy)(void *state);
	/* Bytes that one run moves through main memory by this variant's model, which its file
	 * states.  NULL: the benchmark's compulsory bytes plus touched_bytes of metrics(), which a
	 * variant sets if only the run knows how much of its input it reads. */
	double (*bytes)(const void *params, const void *input);
	/* The work, besides allocation, that this variant does before `time` and others do within
	 * it, for the record.  NULL: none. */
	const char *(*excluded)(const void *params);
	/* Add metrics of the last run that are not in the output (failed CAS, pool use, bytes
	 * touched); called after download(). */
	void (*metrics)(void *state, struct gb_metrics *metrics);
	/* For a peer: the name and version of the library at run time, which may differ from that
	 * of its headers: "Embree 4.3.3".  NULL: there is none. */
	const char *(*library)(void);
	unsigned flags; /* enum gb_variant_flags */
};

/* Allocate a state and call create(); gb_state_destroy() frees it and all that belongs to it.  On
 * failure *state may be set and must be destroyed; gb_state_destroy() accepts NULL. */
enum gb_status gb_state_create(const struct gb_variant_ops *ops, const void *params,
			       const void *input, void **state, struct gb_error *err);
enum gb_status gb_state_upload(const struct gb_variant_ops *ops, void *state, struct gb_error *err);
void gb_state_destroy(const struct gb_variant_ops *ops, void *state);

/* The role of a variant in a comparison: the paper's algorithm, a step from it to the best, the fastest
 * of ours somewhere, a match of another one on the CPU or an older method, a library. */
enum gb_kind { GB_KIND_PUBLISHED, GB_KIND_STEP, GB_KIND_BEST, GB_KIND_BASELINE, GB_KIND_LIBRARY };

struct gb_variant {
	const char *benchmark;
	const char *name; /* without the back end: "onesweep" */
	enum gb_backend backend;
	const char *summary;
	const struct gb_variant_ops *ops; /* NULL: not in this build */
	const char *absent;               /* the reason why ops is NULL */
	const char *code_hash;            /* scripts/code_hash.py; NULL: unknown */
	enum gb_kind kind;
	const struct gb_plugin_file *plugin; /* common/variants.h; NULL: this program's */
};

/* ---- benchmarks --------------------------------------------------------------------------- */

/* The work of one run, for rates. */
struct gb_work {
	double items;
	const char *unit; /* of the items, if it depends on parameters; NULL: the benchmark's */
	double bytes;     /* compulsory: the input read once and the output written once */
	double read;      /* bytes of the input that every run must read; 0 if that is not known */
};

enum gb_preset { GB_QUICK, GB_CI, GB_PAPER, GB_LARGE, GB_PRESETS };

struct gb_benchmark {
	const char *name;
	const char *summary;
	const char *paper; /* citation; NULL if there is none */
	const char *item;  /* unit of work.items, plural: "keys" */
	const struct gb_param *params;
	size_t param_count;
	size_t params_size;
	/* Words as typed after the benchmark's name, for `check` and for the presets of `run`.
	 * Each string is one sweep.  Names of variants, such as "cpu/best" or "!cpu/x", come first
	 * and count unless the command line names some. */
	const char *const *check; /* NULL terminated */
	const char *const *preset[GB_PRESETS];
	/* Generate or read the input.  GB_EUSAGE for parameters that contradict each other and for
	 * malformed files; the message has file:line or file and offset. */
	enum gb_status (*prepare)(const void *params, void **input, struct gb_error *err);
	size_t (*output_size)(const void *params, const void *input);
	/* Verify the output of sample `sample`.  GB_EVERIFY, with what is wrong and where, if it is
	 * wrong.  The run has not changed the input.  May add metrics. */
	enum gb_status (*verify)(const void *params, const void *input, int64_t sample,
				 const void *output, struct gb_metrics *metrics,
				 struct gb_error *err);
	const char *verify_method; /* one line, for `list` */
	/* True for the copy benchmark that other benchmarks' bytes per second are compared with. */
	bool yardstick;
	/* Number of different inputs that the samples cycle through (bfs: sources); NULL: one.  An
	 * output of each is verified. */
	int64_t (*distinct)(const void *params, const void *input);
	struct gb_work (*work)(const void *params, const void *input);
	/* Items of sample `sample` if distinct inputs are different work; the harmonic mean of the
	 * samples' rates uses them.  NULL: work().items for each sample. */
	double (*items)(const void *params, const void *input, int64_t sample);
	/* True if variants with GB_REPEATABLE may repeat a run at this point without reset(); NULL:
	 * always. */
	bool (*repeatable)(const void *params);
	/* As `excluded` of a variant, for work done before `time` for all variants. */
	const char *(*excluded)(const void *params);
	void (*release)(void *input); /* accepts NULL */
};

/* Begin prepare(): return a zeroed input of `size` bytes, or NULL if there is no memory.  Memory
 * allocated through common/memory.h until gb_input_end() belongs to it. */
void *gb_input_begin(size_t size, struct gb_error *err);
/* End prepare(): store the input in *input.  After a failure, release the input and store NULL.
 * Returns err->code. */
enum gb_status gb_input_end(void *made, void **input, struct gb_error *err);
/* Free an input and all that belongs to it. */
void gb_input_release(void *input);

#ifdef __cplusplus
}
#endif
#endif
