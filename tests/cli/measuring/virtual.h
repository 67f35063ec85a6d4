/* virtual.h -- a simulated machine: a back end, a workload and a variant that run on a virtual
 * clock.
 *
 * The machine is a CPU or a device with a stream.  Each run takes a time that is drawn from a
 * process, so a test knows the true median, and a thousand measurements take a second.  Every call
 * of the runner is logged as a letter.  The variant may cheat.  All is a function of the seed.
 */
#ifndef GPUBENCH_TESTS_CLI_MEASURING_VIRTUAL_H
#define GPUBENCH_TESTS_CLI_MEASURING_VIRTUAL_H

#include <math.h>

#include "cli/measuring/runner.h"
#include "common/rng.h"

/* How the variant saves time.  It then takes a VIRTUAL_GAIN-th of the time. */
enum virtual_cheat {
	VIRTUAL_HONEST,
	VIRTUAL_OTHER_STREAM,   /* works in a stream that the timer does not see */
	VIRTUAL_ON_HOST,        /* works on the host behind the hold */
	VIRTUAL_REMEMBERS,      /* copies the last result if the input is the same */
	VIRTUAL_MIXES,          /* the same, but works in one run of four nevertheless */
	VIRTUAL_LEAVES,         /* does nothing if the input and the result are the same */
	VIRTUAL_SEEKS_POISON,   /* does nothing unless the result was overwritten */
	VIRTUAL_ONCE,           /* does nothing unless reset() was called before */
	VIRTUAL_IN_RESET,       /* works in reset() */
	VIRTUAL_RESET_MOSTLY,   /* the same in three runs of four */
	VIRTUAL_IN_UPLOAD,      /* works in upload() */
	VIRTUAL_IN_DOWNLOAD,    /* works in download(), on a copy of the input */
	VIRTUAL_IN_SHOW,        /* works while its process copies the input */
	VIRTUAL_IN_FLUSH,       /* works while its process flushes its caches */
	VIRTUAL_BEHIND_FLUSH,   /* works while the runner flushes caches, unseen */
	VIRTUAL_RESET_THREAD,   /* starts a thread in reset(), for which run() waits */
	VIRTUAL_RUN_THREAD,     /* starts a thread in run(), for which download() waits */
	VIRTUAL_UNDERSTATES,    /* as VIRTUAL_REMEMBERS, but states the same short time for all */
	VIRTUAL_SHAVES,         /* takes a quarter off the time */
	VIRTUAL_RESTARTS_TIMER, /* takes the first mark again when the work is done */
	VIRTUAL_REPLACES_TIMER, /* replaces the function that reads the timer */
	VIRTUAL_CHEATS
};

enum { VIRTUAL_GAIN = 20 };

/* The times of runs: a median times the exponential of normal noise. */
struct virtual_process {
	double run_ns;      /* median of a cold run */
	double hot;         /* a run takes this share of it with hot caches; 0: all of it */
	double noise;       /* standard deviation of the logarithm */
	double correlation; /* between the noise of neighbours */
	double drift;       /* growth of the logarithm per run */
	double tail;        /* share of the runs that are delayed: most by little, few by far */
	double throttled;   /* chance that the clock falls to 70 % for the next eight runs */
	double first_ns;    /* added to the first run */
	double late_ns;     /* the runner waits so long before the first mark of the first run */
	double load;        /* on the CPU, threads wait so many times as long as they work */
	double tick_ns;     /* marks are multiples of this; 0: exact */
};

struct virtual_machine {
	bool device;
	bool remote;        /* the variant runs in another process */
	bool emulated;      /* its times mean nothing */
	bool no_variations; /* the input cannot be changed */
	bool waits;         /* run() waits for the device, without saying so in its flags */
	bool marks;         /* run() marks two phases */
	bool queues;        /* reset() and upload() return before the device is done */
	struct virtual_process process;
	enum virtual_cheat cheat;
	unsigned flags;   /* the variant's */
	int64_t distinct; /* inputs; input i has (1 + i) times the items and the time; 0: one */
	int64_t threads;
	long children;               /* that the variant's process has started */
	double bytes;                /* size of the input */
	double touched_bytes;        /* the variant's metric; 0: none */
	double model_bytes;          /* moved by a run by the variant's model; 0: it has none */
	uint64_t cache_bytes;        /* 0: unknown */
	double vary_ns;              /* duration of a change of the input; 0: a short one */
	double upload_ns;            /* duration of an upload, but for a short copy */
	double flush_ns;             /* duration of a flush; 0: a short one */
	double verify_ns;            /* duration of a verification; 0: a short one */
	double lingers_ns;           /* a thread of a peer looks for work so long after a run */
	double copy_ns;              /* time to copy the input to another process; 0: short */
	double lost_ns;              /* neither process has a processor for so long in a request */
	size_t fails_at;             /* the number of the call that fails, from 1; 0: none */
	bool interrupts;             /* a signal comes in that call, which does not fail */
	const char *(*counts)(void); /* a device counts; NULL: it cannot */
	uint64_t seed;
};

/* Events, in the order of the log. */
enum virtual_event {
	VIRTUAL_VARY = 'v',
	VIRTUAL_UPLOAD = 'u',
	VIRTUAL_POISON = 'p', /* on the CPU, logged by the reset() that finds it */
	VIRTUAL_RESET = '0',
	VIRTUAL_FLUSH = 'f',
	VIRTUAL_SYNCHRONIZE = 's',
	VIRTUAL_CLOCK = 'n', /* the runner reads the host's clock */
	VIRTUAL_HOLD = 'h',
	VIRTUAL_BEGIN = 'b', /* the first mark */
	VIRTUAL_RUN = 'R',
	VIRTUAL_MARK = 'm',
	VIRTUAL_LET_GO = 'l',
	VIRTUAL_HELD = 'q', /* has_held() */
	VIRTUAL_READ = 't', /* the runner reads the timer */
	VIRTUAL_DOWNLOAD = 'd',
	VIRTUAL_VERIFY = 'c',
	VIRTUAL_PAUSE = 'z', /* the runner sleeps */
	VIRTUAL_COUNT = '(', /* counting starts */
	VIRTUAL_COUNTED = ')',
	/* Requests to another process. */
	VIRTUAL_ASK = '?', /* runs, or a result to be overwritten */
	VIRTUAL_SHOW = 'w',
	VIRTUAL_FLUSH_THERE = 'F',
};

/* The bytes that the other process states. */
enum { VIRTUAL_HOST_PEAK = 7000, VIRTUAL_DEVICE_PEAK = 9000 };

/* Measure the toy variant on a new machine.  The result must be released. */
struct gb_result virtual_measure(const struct virtual_machine *machine,
				 const struct gb_settings *how);

/* The number of calls of the last measurement that could fail, and the one that did. */
size_t virtual_calls(void);
enum virtual_event virtual_failed(void);

/* The number of calls that came after a failure. */
size_t virtual_late(void);

/* The events of the last measurement, as letters; the first 64 Ki of them. */
const char *virtual_log(void);

/* A sequence of random numbers that starts at seed. */
struct virtual_random {
	uint64_t seed, drawn;
};

/* From 0 to 1. */
static inline double virtual_uniform(struct virtual_random *random)
{
	return gb_random_unit_stream(random->seed, 7, random->drawn++);
}

static inline double virtual_normal(struct virtual_random *random)
{
	const double radius = sqrt(-2 * log1p(-virtual_uniform(random)));

	return radius * cos(2 * M_PI * virtual_uniform(random));
}

/* The options' defaults, but for the time. */
static inline struct gb_settings virtual_settings(const struct virtual_machine *machine,
						  bool is_hot)
{
	return (struct gb_settings){ .warmup = 3,
				     .min_samples = 10,
				     .rel_ci = 0.02,
				     .max_time_s = machine->process.run_ns * 300e-9,
				     .timeout_s = 1e6,
				     .hot = is_hot };
}

#endif
