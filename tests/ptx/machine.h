/* machine.h -- what executes a kernel: warps, blocks, clusters and the workers that run them.
 *
 *	warp.cc      steps of a warp: divergence, convergence, meetings of lanes
 *	block.cc     barriers of blocks and clusters
 *	launch.cc    workers (OS threads), the life of one launch
 *	counts.cc    exact counts, where they are wanted
 *	weak.cc      what threads see of each other's stores, where memory is to be weak
 *	fatbin.cc    what nvcc's objects register: modules, kernels, variables
 *	cudart.cc    the functions of the CUDA runtime that tests/cudart has under other names
 *	fault.cc     errors of the program under test: where they happened
 *
 * A warp is a list of splits: sets of lanes that are at the same instruction.  The one furthest
 * behind in the text runs; splits that come to the same instruction become one.  A block stays with
 * the worker that loaded it, so that nothing but struct launch and memory is shared between OS
 * threads.  Shared memory lies in one arena: an address in it is a shared one, whoever uses it.
 */
#ifndef GPUBENCH_TESTS_PTX_MACHINE_H
#define GPUBENCH_TESTS_PTX_MACHINE_H

#include "tests/cudart/runtime.h"
#include "tests/ptx/ptx.h"

enum {
	BARRIERS = 16,         /* of a block */
	SHARED_SLOT = 1 << 18, /* a block's part of the arena; a power of two */
	RANGES = 256,          /* allocations that a worker remembers, by instruction */
};

/* ---- warps ------------------------------------------------------------------------------- */

enum split_state : uint8_t { READY, AT_MEETING, AT_BARRIER, AT_CLUSTER };

struct split {
	uint32_t mask, pc;
	enum split_state state;
};

struct warp {
	uint8_t *base[2]; /* of operands, by their kind: registers, constants */
	struct block *block;
	const struct kernel *kernel;
	uint8_t *local; /* of lane 0 */
	uint32_t live;  /* lanes that have not returned */
	uint32_t phase; /* of the cluster barrier when each lane arrived */
	uint32_t begun; /* lanes for which the launch before this one has ended */
	unsigned number;
	unsigned count; /* of splits */
	unsigned current;
	int patience; /* until another split gets its turn */
	struct split split[LANES];
	uint32_t *depth;        /* of each register, when counting: dependent loads behind it */
	uint32_t groups[LANES]; /* of copies that the lane has ended */
	std::vector<struct late_copy> *copies; /* that have not come */
};

/* Of cp.async: 16 bytes, not yet copied. */
struct late_copy {
	const struct instruction *at;
	uint64_t from, to;
	uint32_t group;
	unsigned lane;
};

/* ---- counts ------------------------------------------------------------------------------ */

enum access { LOADS, STORES, UPDATES, ACCESSES };

/* Requests of warps to one memory: how they spread, and the least that so many bytes need. */
struct traffic_count {
	uint64_t requests, parts, least; /* parts: sectors of 32 bytes, or wavefronts */
	uint64_t turns;                  /* of atomics: the most lanes at one address */
};

/* Of what runs while the CUDA back end counts (struct gb_counter of common/backend.h). */
struct counts {
	uint64_t launches, blocks, threads;
	uint64_t instructions[CLASSES], lanes[CLASSES];
	uint64_t branches, divergent;
	uint64_t barriers; /* of blocks and clusters, times the warps that waited there */
	uint64_t grid_barriers;
	struct traffic_count global[ACCESSES], shared[ACCESSES];
	uint64_t chain; /* the longest of dependent global loads; summed over launches */
};

/* ---- blocks ------------------------------------------------------------------------------ */

struct barrier {
	unsigned arrived, expected; /* expected 0: all live threads */
	unsigned count;             /* of true predicates */
};

struct block {
	struct worker *worker;
	struct cluster *cluster;
	uint8_t *shared;
	size_t shared_bytes;
	uint3 index;
	unsigned rank; /* in the cluster */
	unsigned threads, live, warps;
	bool exited_early; /* a thread has returned */
	struct barrier barrier[BARRIERS];
	struct warp *warp; /* MAX_WARPS */
	uint8_t *registers, *local;
	size_t registers_room, local_room;
	uint32_t *depth;
	size_t depth_room;
	/* Of weak memory: which block this is of all that were ever loaded; the last fence.sc in it;
	 * how often it sees what is old. */
	uint32_t instance;
	uint8_t laziness;
	uint64_t sequential;
	struct weak_warp *weak; /* MAX_WARPS */
};

/* Blocks that are loaded together and end together; of one block where there are no clusters. */
struct cluster {
	struct block *block[MAX_CLUSTER];
	unsigned size;
	unsigned live, arrived; /* threads */
	uint32_t phase;
	bool active;
};

/* ---- workers ----------------------------------------------------------------------------- */

struct range {
	uintptr_t begin, end;
};

struct worker {
	int id;
	struct cluster *cluster;
	unsigned room, clusters, active;
	uint64_t random;
	uint64_t progress; /* stores, barriers and returns: something moved */
	bool failed;
	struct range range[RANGES];
	struct counts counts;
	/* What runs now, for reports. */
	const struct warp *warp;
	const struct instruction *at;
	unsigned lane;
};
extern __thread struct worker *ptx_worker;

struct launch : grid {
	const struct ptx_call *call; /* NULL: none */
	const struct kernel *kernel;
	bool counting, weak;
	bool backwards; /* lanes store and add from the last to the first */
};
extern struct launch ptx_running;

/* A launch that waits in a stream. */
struct ptx_call : gpu_call {
	struct kernel *code;
	uint8_t *parameters;
	bool counted, overlapped;
};

/* Run at most `budget` instructions; false: nothing of the warp can run now. */
bool warp_run(struct warp *w, int budget);
/* Lanes have returned or a barrier has opened: look again at those that wait. */
void barriers_check(struct block *b);
void cluster_check(struct cluster *c);
/* The warp's lanes in mask arrive at a block barrier. */
void barrier_arrive(struct warp *w, const struct instruction *i, uint32_t mask);
uint64_t ptx_random(struct worker *w);

/* counts.cc */
/* A request of the lanes in mask, each for `bytes` at its address. */
void count_global(struct warp &w, enum access access, uint32_t mask, const uint64_t at[LANES],
		  unsigned bytes);
void count_shared(struct warp &w, enum access access, uint32_t mask, const uint64_t at[LANES],
		  unsigned bytes);
/* An atomic addition: is it that of block 0 in gpu_grid_sync()? */
void count_addition(struct warp &w, uint32_t addend);
/* An instruction is about to run; it cannot yet, and will be counted when it does. */
void count_instruction(struct warp &w, const struct instruction &i, uint32_t mask);
void count_postponed(struct warp &w, const struct instruction &i, uint32_t mask);
bool counts_on(void);
/* The only schedule under which counts are the same every time. */
void counts_fix_schedule(void);
/* The launch is over: add what its worker counted. */
void counts_collect(const struct kernel *k, const struct counts *counts);

/* weak.cc: for launches with ptx_running.weak, on one OS thread.  weak_load() returns the value; weak_store()
 * is called before memory is written and returns false if memory stays as it is; an update (stored: it
 * has changed something) likewise, and always changes memory. */
uint64_t weak_load(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
		   unsigned bytes);
bool weak_store(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
		unsigned bytes, uint64_t value);
void weak_update(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
		 unsigned bytes, uint64_t value, bool stored);
void weak_fence(struct warp &w, const struct instruction &i, uint32_t mask);
void weak_meeting(struct warp &w, uint32_t mask);
void weak_barrier(struct block *b, const uint32_t waiting[MAX_WARPS]);
void weak_cluster(struct cluster *c);
void weak_block(struct block *b);
void weak_launch(void);

/* fault.cc */
struct abandoned {
}; /* thrown: the launch has failed */
[[noreturn]] void fault(const struct warp &w, const struct instruction &i, unsigned lane,
			const char *format, ...) __attribute__((format(printf, 4, 5)));
void report_stuck(struct worker *w); /* who waits where */

/* fatbin.cc: registration, by nvcc's objects and by the self-test. */
struct module *module_from_text(const std::string &text);
struct module *module_register(const void *fat_binary);
void function_register(struct module *module, const void *host, const char *name);
struct kernel *kernel_find(const void *host_function);

/* Shared memory of all blocks (launch.cc). */
extern uint8_t *ptx_arena;
extern size_t ptx_arena_bytes;

/* ---- lanes ------------------------------------------------------------------------------- */

template <class T> static inline T *lanes(const struct warp &w, const struct operand &o)
{
	return (T *)(void *)(w.base[o.kind] + o.at);
}

static inline uint32_t predicate(const struct warp &w, const struct operand &o)
{
	const uint32_t value = *lanes<uint32_t>(w, o);

	return o.negated ? ~value : value;
}

static inline void set_predicate(const struct warp &w, const struct operand &o, uint32_t value,
				 uint32_t mask)
{
	uint32_t *const p = lanes<uint32_t>(w, o);

	*p = (*p & ~mask) | (value & mask);
}

/* d[l] = f(l) for the lanes of the mask; f has no side effects, and may be called for others. */
template <class T, class F> static inline void each(uint32_t mask, T *d, F f)
{
	if (mask == ~0u) {
#pragma GCC ivdep
		for (unsigned l = 0; l < LANES; l++)
			d[l] = f(l);
	} else {
#pragma GCC ivdep
		for (unsigned l = 0; l < LANES; l++)
			d[l] = mask >> l & 1 ? f(l) : d[l];
	}
}

/* f(l) for the lanes of the mask, one after the other. */
template <class F> static inline void each_active(uint32_t mask, F f)
{
	for (; mask; mask &= mask - 1)
		f((unsigned)__builtin_ctz(mask));
}

/* A handler of instructions that only the scheduler does something for. */
void run_nothing(struct warp &w, const struct instruction &i, uint32_t mask);

/* instruction.detail of a block barrier, and of an atomic. */
enum { BARRIER_SYNC, BARRIER_COUNT, BARRIER_OR };
enum { ADDITION = 1 };

#endif
