/* machine.h -- the machine that executes a kernel: warps, blocks, clusters, workers.
 *
 *	warp.cc      steps of a warp: divergence, convergence, warp synchronisation
 *	block.cc     barriers of blocks and clusters
 *	launch.cc    workers (OS threads), the life of one launch
 *	counts.cc    exact counts, if enabled
 *	weak.cc      visibility of stores between threads, if memory is weak
 *	check*.cc    races and uninitialised reads; see check.h
 *	fatbin.cc    registration by nvcc's objects: modules, kernels, variables
 *	cudart.cc    entry points of the CUDA runtime that nvcc's objects call
 *	fault.cc     locates errors of the program under test
 *
 * A warp is a list of splits: sets of lanes at the same instruction.  The split furthest behind in
 * the text runs; splits that reach the same instruction merge.  A block stays with the worker that
 * loaded it, so OS threads share only struct launch and memory.  Shared memory is one arena: an
 * address in it is a shared address for every block.
 */
#ifndef GPUBENCH_TESTS_PTX_MACHINE_H
#define GPUBENCH_TESTS_PTX_MACHINE_H

#include "tests/cudart/runtime.h"
#include "tests/ptx/ptx.h"

enum {
	BARRIERS = 16,         /* per block */
	SHARED_SLOT = 1 << 18, /* arena bytes per block; a power of two */
	RANGES = 256,          /* allocations that a worker caches, by instruction */
};

/* ---- warps ------------------------------------------------------------------------------- */

enum split_state : uint8_t { READY, AT_MEETING, AT_BARRIER, AT_CLUSTER };

struct split {
	uint32_t mask, pc;
	enum split_state state;
};

struct warp {
	uint8_t *base[2]; /* base of operands, by kind: registers, constants */
	struct block *block;
	const struct kernel *kernel;
	uint8_t *local; /* local memory of lane 0 */
	uint32_t live;  /* lanes that have not returned */
	uint32_t phase; /* phase of the cluster barrier at each lane's arrival */
	uint32_t begun; /* lanes for which the previous launch has ended */
	unsigned number;
	unsigned count; /* number of splits */
	unsigned current;
	int patience; /* left until another split runs */
	struct split split[LANES];
	uint32_t *depth;        /* when counting: a chain of loads per lane of each register */
	uint32_t chain;         /* when counting: the longest chain of global loads up to here */
	uint32_t load;          /* the chain of the current load */
	uint32_t arrived_chain; /* in lockstep: the longest when the warp's turn began */
	uint32_t barrier_chain; /* that at the last barrier, on which later loads depend */
	uint32_t round;         /* the grid's barrier; see counts.cc */
	bool waits;             /* for the grid */
	uint32_t groups[LANES]; /* groups of copies that the lane has committed */
	std::vector<struct late_copy> *copies; /* pending copies */
	uint32_t settled, met[LANES];          /* for checks; see check.h */
};

/* A pending cp.async of 16 bytes. */
struct late_copy {
	const struct instruction *at;
	uint64_t from, to;
	uint32_t group;
	unsigned lane;
};

/* ---- counts ------------------------------------------------------------------------------ */

enum access { LOADS, STORES, UPDATES, ACCESSES };

/* Requests of warps to one memory: the parts that they took and the least that their bytes need. */
struct traffic_count {
	uint64_t requests, parts, least; /* parts: sectors of 32 bytes, or wavefronts */
	uint64_t turns;                  /* for atomics: the most lanes at one address */
};

/* Counts while the CUDA back end counts (struct gb_counter of common/backend.h). */
struct counts {
	uint64_t launches, blocks, threads;
	uint64_t instructions[CLASSES], lanes[CLASSES];
	uint64_t branches, divergent;
	uint64_t barriers; /* block and cluster barriers, one per warp that waited */
	uint64_t grid_barriers;
	struct traffic_count global[ACCESSES], shared[ACCESSES];
	/* Global loads that depend on one another: the most of each launch, summed over launches. */
	uint64_t chain;
};

/* ---- blocks ------------------------------------------------------------------------------ */

/* The checks' knowledge of a piece of memory; see check.h. */
struct shadow {
	uintptr_t begin;
	size_t bytes;
	struct cell *cells; /* NULL in local memory */
	uint8_t *written;   /* per 4 bytes, a mask of those that are written */
	size_t room;        /* of a block's memory: number of cells */
	bool shared;
	uint32_t visited; /* of shared memory: the time of the last access by another block */
};

struct barrier {
	unsigned arrived, expected; /* expected 0: all live threads */
	unsigned count;             /* true predicates */
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
	/* For weak memory: the number of this block among all ever loaded, how often it sees old
	 * values, and its last fence.sc. */
	uint32_t instance;
	uint8_t laziness;
	uint64_t sequential;
	struct weak_warp *weak; /* MAX_WARPS */
	/* For checks: its number in the grid. */
	uint16_t mark;
	struct shadow shared_shadow, local_shadow;
	struct block_order *order; /* NULL: no thread has acquired or released */
};

/* Blocks that are loaded and end together; a single block if clusters are not used. */
struct cluster {
	struct block *block[MAX_CLUSTER];
	unsigned size;
	unsigned live, arrived; /* threads */
	uint32_t phase;
	uint32_t settled; /* for checks: the time of the last barrier */
	bool active;
};

/* ---- workers ----------------------------------------------------------------------------- */

struct range {
	uintptr_t begin, end;
	const struct shadow *shadow; /* NULL: without checks */
};

struct worker {
	int id;
	struct cluster *cluster;
	unsigned room, clusters, active;
	uint64_t random;
	uint64_t progress; /* number of stores, barriers and returns, for the watchdog */
	bool failed;
	struct range range[RANGES];
	uint32_t time; /* for checks */
	struct counts counts;
	/* The current instruction, for reports. */
	const struct warp *warp;
	const struct instruction *at;
	unsigned lane;
};
extern __thread struct worker *ptx_worker;

struct launch : grid {
	const struct gpu_call *call; /* NULL: none */
	const struct kernel *kernel;
	bool counting, weak, checking;
	/* When counting: all blocks that the device holds run.  A warp's turn ends at an
	 * instruction that needs a load of the turn, so each turn is a trip to memory. */
	bool lockstep;
	uint32_t begun; /* for checks: stamps up to here are of earlier launches */
	bool backwards; /* lanes store and add from the last to the first */
	/* When counting: the address of the grid barrier's word, how often it has opened, and the
	 * longest chains up to the last opening and to the next. */
	uint64_t barrier;
	uint32_t round;
	uint32_t opened, arrived;
};
extern struct launch ptx_running;

/* Run at most `budget` instructions.  False: no split of the warp can run. */
bool warp_run(struct warp *w, int budget);
/* Lanes have returned or a barrier has opened: check the waiting warps. */
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
/* Detect arrivals at gpu_grid_sync() by the atomic addition. */
void count_addition(struct warp &w, uint64_t at, uint32_t old, uint32_t addend);
/* Warps meet at a barrier of the block or cluster: call with each of them, then again. */
void count_meeting(struct warp &w, uint32_t *longest);
/* A load from global memory, which lengthens the chain of its results. */
void count_load(struct warp &w, const struct instruction &i, uint32_t mask);
/* Count an instruction that is about to run.  A postponed one cannot run yet and is counted
 * later. */
void count_instruction(struct warp &w, const struct instruction &i, uint32_t mask);
void count_postponed(struct warp &w, const struct instruction &i, uint32_t mask);
/* In lockstep: the instruction needs a load that has not arrived. */
bool count_stalls(const struct warp &w, const struct instruction &i, uint32_t mask);
bool counts_on(void);
/* Select the one schedule under which counts are reproducible. */
void counts_fix_schedule(const struct gpu_call *call);
/* Add a worker's counts at the end of a launch. */
void counts_collect(const struct kernel *k, const struct counts *counts);

/* weak.cc: for launches with ptx_running.weak, on one OS thread. weak_load() returns the value.
 * weak_store() is called before memory is written, and returns false if memory must not change.
 * weak_update() is called before an atomic changes memory; stored: it stores a value. */
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

/* check_race.cc: for launches with ptx_running.checking.  An access is checked before it happens;
 * a compare and swap as a load, and then, in the lanes in which it has stored, as exchanged.  The
 * target of a copy is unwritten until the copy is done. */
void check_access(struct warp &w, const struct instruction &i, enum access access, uint32_t mask,
		  const uint64_t at[LANES], unsigned bytes);
void check_exchanged(struct warp &w, const struct instruction &i, uint32_t mask,
		     const uint64_t at[LANES]);
/* The last threads of a block leave at this instruction. */
void check_end(struct warp &w, const struct instruction &i, unsigned lane);
void check_copy(struct warp &w, const struct instruction &i, enum access access, unsigned lane,
		uint64_t at, unsigned bytes, bool done);
/* check_order.cc: release before a store or an atomic, which has then released; acquire after a
 * load or an atomic. */
void check_release(struct warp &w, const struct instruction &i, uint32_t mask,
		   const uint64_t at[LANES]);
void check_released(struct warp &w, const struct instruction &i);
void check_acquire(struct warp &w, const struct instruction &i, uint32_t mask,
		   const uint64_t at[LANES]);
void check_fence(struct warp &w, const struct instruction &i, uint32_t mask);
void check_meeting(struct warp &w, uint32_t mask);
void check_barrier(struct block *b, const uint32_t waiting[MAX_WARPS]);
void check_cluster(struct cluster *c);
/* check.cc */
const struct shadow *check_find(uint64_t at); /* NULL: no device memory */
void check_block(struct block *b);
void check_skipped(void);      /* a launch without checks may write anything */
void check_forget_times(void); /* of accesses to device memory */
void order_launch(void);       /* forget all clocks */

/* fault.cc */
struct abandoned {
}; /* thrown: the launch has failed */
[[noreturn]] void fault(const struct warp &w, const struct instruction &i, unsigned lane,
			const char *format, ...) __attribute__((format(printf, 4, 5)));
void report_stuck(struct worker *w); /* prints where each warp waits */
/* The source line, "radix.cu:33".  A line of gpu.h is that of its caller. */
std::string instruction_place(const struct kernel *k, const struct instruction &i);

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

/* d[l] = f(l) for the lanes of the mask. f has no side effects: it may be called for other
 * lanes. */
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

/* Call f(l) for the lanes of the mask in ascending order. */
template <class F> static inline void each_active(uint32_t mask, F f)
{
	for (; mask; mask &= mask - 1)
		f((unsigned)__builtin_ctz(mask));
}

/* The handler of instructions that only the scheduler executes. */
void run_nothing(struct warp &w, const struct instruction &i, uint32_t mask);

/* instruction.detail of a block barrier and of an atomic. */
enum { BARRIER_SYNC, BARRIER_COUNT, BARRIER_OR, BARRIER_AND };
enum { ADDITION = 1 };

#endif
