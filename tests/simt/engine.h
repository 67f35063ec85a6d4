/* engine.h -- internals of the emulator: blocks, warps, workers, and the interfaces of its files.
 *
 *	fiber.cc           stacks and the switch between them; annotations for ASan
 *	sched.cc           which thread runs next; block and cluster barriers; deadlocks
 *	warp.cc            warp operations
 *	shared.cc          shared memory
 *	launch.cc          blocks, workers (OS threads), the life of one kernel
 *	report.cc          error messages, watchdog, faulting addresses
 *	reached.cc         which kernels were launched
 *	../cudart/         the CUDA runtime API, the environment, errors
 *	check*.cc          our checker; its entry points are weak, because few programs contain it
 *
 * These files are compiled without any sanitizer.  A thread that never waits needs no stack of its
 * own: its stack then runs the next fresh thread.  A block stays with the worker that loaded it, so
 * OS threads share nothing below except struct launch.
 */
#ifndef GPUBENCH_TESTS_SIMT_ENGINE_H
#define GPUBENCH_TESTS_SIMT_ENGINE_H

#include "tests/cudart/runtime.h"

enum {
	MAX_SLOTS = 512, /* shared variables in a program */
	ARENA_BYTES = 1 << 20,
	ANY_BUDGET = 1024, /* points between two preemptions */
};

/* ---- fibers (fiber.cc) ------------------------------------------------------------------- */

/* A stack and the thread that runs on it. */
struct simt_carrier {
	void *sp; /* saved stack pointer */
	char *stack;
	size_t size;
	void *asan_fake_stack;
	struct simt_carrier *next, *next_all;
};

struct simt_carrier *carrier_take(void);
void carrier_give(struct simt_carrier *carrier);
void carrier_reset_all(void); /* drop everything on this worker's stacks */
void carrier_switch(struct simt_carrier *to);
void carrier_describe_self(struct simt_carrier *carrier); /* the OS thread's own stack */
void *fresh_memory(size_t bytes);                   /* zeroed pages unknown to every checker */
void quiet_fill(void *to, int value, size_t bytes); /* memset that no sanitizer sees */
extern "C" void simt_carrier_main(struct simt_carrier *carrier); /* in launch.cc */

/* ---- warps, blocks, clusters ------------------------------------------------------------- */

/* A lane's contribution to a warp operation. */
struct request {
	enum simt_warp_op op;
	unsigned mask;
	uint64_t value;
	int source;
};

/* Sets of lanes.  A live lane is ready or at one of the three meeting points. */
struct warp {
	unsigned live, ready;
	unsigned fresh; /* ready but not started */
	unsigned at_barrier, at_cluster, at_warp;
	struct request request[LANES];
	uint64_t result[LANES];
};

struct shared_object {
	char *at;
	size_t bytes;
};

struct simt_block : simt_geometry {
	struct worker *worker;
	struct cluster *cluster;
	struct simt_thread *thread;
	struct warp *warp;
	unsigned count, warps; /* threads, warps */
	unsigned live;         /* threads that have not returned */
	unsigned ready_warps;  /* set of warps with a ready lane */
	unsigned turn;         /* its thread that yielded last */
	bool active, over;     /* over: all threads have returned, but not all of the cluster */
	uint64_t number;       /* in the grid */
	unsigned rank;         /* in the cluster */

	/* The block barrier: even and odd rounds have separate results. */
	unsigned arrived, rounds;
	enum simt_barrier_kind barrier_kind;
	const struct simt_site *barrier_site; /* site of the first thread to arrive; NULL: none */
	unsigned arriving_count;
	unsigned result_count[2];

	char *arena; /* shared memory */
	size_t arena_used, static_bytes;
	struct shared_object shared[MAX_SLOTS]; /* indexed by the variable's number */
	struct shared_object dynamic;

	struct block_check *check; /* state of our checker, NULL without it */
};

/* Blocks that are loaded and end together; a single block if clusters are not used. */
struct cluster {
	struct simt_block *block[MAX_CLUSTER];
	unsigned size;
	unsigned blocks_left, live; /* blocks, threads */
	unsigned arrived;
	bool active;
};

/* An OS thread that runs blocks. */
struct worker {
	int id;
	struct simt_carrier own, *running;
	struct simt_carrier *free, *all;
	/* Array of `room` clusters; this launch uses `clusters` of them, and `active` still run. */
	struct cluster *cluster;
	unsigned room, clusters, active, turn;
	struct simt_thread *next; /* first thread of a carrier that is about to start */
	uint64_t random;
	/* Number of barriers, warp operations and exits, for the watchdog. */
	uint64_t progress;
	uint64_t yields, yields_since_progress, last_progress;
	uint64_t schedule_hash;
	uint64_t switches;
	bool failed;
};

extern __thread struct worker *simt_worker;

/* The running kernel. */
struct launch : grid {
	struct simt_call *call; /* NULL: none */
};
extern struct launch simt_running;
extern struct worker *simt_workers[64];
extern int simt_worker_count;

void launch_fail(void) __attribute__((noreturn)); /* from a thread: abandon the kernel */
bool cluster_load(struct worker *w, struct cluster *cluster);
struct simt_thread *thread_exit(struct simt_thread *t); /* returns the thread that runs instead */

/* ---- scheduler (sched.cc) ---------------------------------------------------------------- */

struct simt_thread *sched_first(struct worker *w);
struct simt_thread *sched_next(struct simt_thread *after, bool yielding);
void sched_note(const struct simt_thread *t);
void sched_switch(struct simt_thread *to);       /* NULL: to the worker */
void sched_wait(struct simt_thread *t);          /* t is not ready: return when it is */
void sched_check_barriers(struct simt_block *b); /* after an exit: release complete barriers */
void sched_check_stuck(struct simt_block *b);    /* report a deadlock if there is one */
int sched_budget(void);
uint64_t sched_random(void);

static inline void set_ready(struct simt_block *b, unsigned warp, unsigned lanes)
{
	b->warp[warp].ready |= lanes;
	b->ready_warps |= 1u << warp;
}

static inline void clear_ready(struct simt_block *b, unsigned warp, unsigned lanes)
{
	if (!(b->warp[warp].ready &= ~lanes))
		b->ready_warps &= ~(1u << warp);
}

static inline bool is_fresh(const struct simt_thread *t)
{
	return t->block->warp[t->warp].fresh >> t->lane & 1;
}

/* Lanes that exist in warp w: the last warp of a block may be partial. */
static inline unsigned full_mask(const struct simt_block *b, unsigned w)
{
	return w == b->warps - 1 && b->count % LANES ? (1u << b->count % LANES) - 1 : ~0u;
}

/* ---- shared memory (shared.cc) ----------------------------------------------------------- */

void shared_reset(struct simt_block *b);  /* for the next block */
void shared_forbid(struct simt_block *b); /* the block has ended, its cluster has not */

/* ---- reports (report.cc) ----------------------------------------------------------------- */

void report_block(const struct simt_block *b); /* prints where each thread waits */
void watchdog_check(struct worker *w);         /* from a yield: report a livelock */
void watchdog_start(void);

/* ---- coverage (reached.cc) ----------------------------------------------------------------- */

void reached_note(const void *kernel);

/* ---- sanitizers and our checker: absent in most builds ------------------------------------- */

extern "C" {
void __sanitizer_finish_switch_fiber(void *fake, const void **stack, size_t *size) WEAK;
void __asan_unpoison_memory_region(const volatile void *at, size_t bytes) WEAK;
}

/* check.cc; kernels run on one OS thread if it is linked. */
void check_end(void) WEAK;
void check_block(struct simt_block *b) WEAK; /* loaded */
void check_block_end(struct simt_block *b) WEAK;
void check_shared(struct simt_block *b, void *at, size_t bytes) WEAK;
void check_barrier(struct simt_block *b) WEAK;
void check_cluster_barrier(struct cluster *c) WEAK;
void check_syncwarp(struct simt_thread *t, unsigned mask) WEAK;
void check_fence(struct simt_thread *t, bool acquire, bool release) WEAK;

#endif
