/* runtime.h -- a CUDA runtime without a GPU, for the executor in tests/ptx.
 *
 *	device.cc    the device, its attributes, errors, occupancy
 *	memory.cc    allocations: exact size, filled, leaks
 *	stream.cc    streams, events, copies, launches
 *	cache.cc     the L2: access windows, persisting lines
 *	grid.cc      a launch's blocks: their order, and the OS threads that run them
 *	option.cc    the environment
 *	report.cc    errors of the program under test
 *
 * The executor runs the kernels: it provides the functions of the section "provided by the executor".
 */
#ifndef GPUBENCH_TESTS_CUDART_RUNTIME_H
#define GPUBENCH_TESTS_CUDART_RUNTIME_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <vector>

#include <cuda_runtime_api.h>

enum {
	LANES = 32,
	MAX_THREADS = 1024,
	MAX_WARPS = MAX_THREADS / LANES,
	MAX_CLUSTER = 16,
	STATIC_SHARED_LIMIT = 48 << 10,
	SHARED_LIMIT = 227 << 10, /* after cudaFuncSetAttribute, on sm_90 */
};

/* ---- provided by the executor ----------------------------------------------------------------- */

/* Memory whose lines persist in the L2 after the kernel. */
struct gpu_window {
	uintptr_t begin;
	size_t bytes; /* 0: none */
};

/* A kernel launch queued in a stream. */
struct gpu_call {
	const char *name;
	const void *kernel; /* the address by which the host launches it */
	dim3 grid, block, cluster;
	size_t dynamic_bytes;
	bool cooperative, overlapped;
	struct gpu_window persisting; /* access window of the stream at the launch */
	struct kernel *code;          /* the executor's */
	uint8_t *parameters;          /* allocated by malloc() */
	bool counted;
};

/* Facts that the compiler knows about a kernel; all 0 if unknown. */
struct kernel_facts {
	int max_threads; /* __launch_bounds__; 0: MAX_THREADS */
	int registers;   /* per thread */
	size_t shared_bytes, local_bytes;
};

int executor_capability(void); /* that its code is for: 90 */
cudaError_t executor_facts(const void *kernel, struct kernel_facts *facts);
cudaError_t executor_run(const struct gpu_call *call); /* until it ends */
void executor_forget(void);    /* restart numbering of launches, so that schedules repeat */
void executor_say_where(void); /* print a line about the running thread, if there is one */

/* ---- options (option.cc) --------------------------------------------------------------------- */

enum order { ORDER_FORWARD, ORDER_REVERSE, ORDER_SHUFFLE };

/* The environment: GPUBENCH_PTX_<NAME>, described in tests/ptx/README.md. */
struct options {
	int threads;       /* OS threads */
	int resident;      /* blocks that take turns on one OS thread */
	uint64_t seed;     /* 0: no random schedule */
	enum order order;  /* order of lanes and warps; never ORDER_SHUFFLE */
	enum order blocks; /* order in which blocks start */
	bool strict;       /* report barriers after exits and shuffles from outside the mask */
	bool protect;      /* the host must not touch device memory */
	bool clusters;     /* the device supports clusters */
	bool persisting;   /* the device supports persisting lines in the L2, from sm_80 on */
	bool leaks;        /* report memory that was not freed */
	size_t memory;
	int processors, devices;
	int sm_blocks;           /* most resident blocks per multiprocessor */
	unsigned cluster_blocks; /* most blocks of a cluster */
	double timeout_s;
	const char *pci; /* PCI address of the device, for a fake NVML; or NULL */
	int capability;  /* of the device; 0: that of the executor's code */
	bool weak;       /* memory as weak as the model allows */
	bool check;      /* find races and uninitialised reads */
};
extern struct options runtime_options;
void options_read(void); /* reads once, until options_forget() by cudaDeviceReset() */
void options_forget(void);
/* Append what print() prints to the file of option REACHED, if it is set.  It is one write: tests
 * run in parallel and append to the same file. */
void reached_append(void (*print)(FILE *out));

/* ---- grids (grid.cc) ------------------------------------------------------------------------- */

/* The running launch.  Clusters are loaded in ascending order by default; without clusters each
 * block is a cluster of one. */
struct grid {
	uint64_t number;         /* number of the launch; a reset to 0 makes schedules repeat */
	uint64_t clusters, next; /* next: the next one to load */
	std::vector<uint32_t> permutation; /* order of clusters; empty: ascending */
	unsigned cluster_size;
	unsigned resident; /* clusters that take turns on each OS thread */
	int workers;       /* OS threads that participate */
	bool failed;
};
void grid_begin(struct grid *g, const struct gpu_call *call);
/* Get the first block of the next cluster.  False: none is left, or the launch has failed. */
bool grid_next(struct grid *g, const struct gpu_call *call, uint3 *first);
uint3 grid_block(uint3 first, dim3 cluster, unsigned rank); /* the block of this rank */
uint64_t grid_random(const struct grid *g, int id); /* initial state of worker `id`; never 0 */
/* Call work(id) on each worker, with id 0 on this thread.  Return when all have finished. */
void grid_run(const struct grid *g, void (*work)(int id));

/* ---- reports (report.cc) --------------------------------------------------------------------- */

enum { EXIT_ERRORS = 86 };

/* Report an error of the program under test: print it with kernel, block and thread, and make the
 * launch fail. */
void report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *report_first(void); /* the first error since the last reset, or NULL */
int report_count(void);
void report_forget(void);
void catch_faults(void); /* explain a SIGSEGV, unless a sanitizer does */
double now_s(void);

/* ---- internals of the runtime ---------------------------------------------------------------- */

enum memory_kind { MEMORY_UNKNOWN, MEMORY_DEVICE, MEMORY_HOST, MEMORY_FREED };
/* The kind of memory at a pointer.  *begin and *bytes are set if it is in an allocation. */
enum memory_kind memory_find(const void *pointer, uintptr_t *begin, size_t *bytes);
void memory_open(bool open); /* under PROTECT: allow or forbid access by the host */
void memory_release_all(void);
void memory_report_leaks(void);

void streams_drop_all(void);
void cache_forget(void); /* no line persists; the limit is 0 */
cudaError_t streams_drain_all(void);
/* Check the launch and enqueue it.  The call is destroyed after it ran, or at once on an error. */
cudaError_t runtime_launch(struct gpu_call *call, cudaStream_t stream);

cudaError_t device_error(cudaError_t error); /* store it for cudaGetLastError() */
cudaError_t device_sticky(void);
void device_set_sticky(cudaError_t error);
int function_dynamic_limit(const void *kernel);
unsigned function_most_cluster_blocks(const void *kernel);

/* ---- checks and counts (tests/ptx) ----------------------------------------------------------- */

/* Under the option CHECK, what is known of device memory. */
void check_allocated(void *at, size_t bytes, bool initialised);
void check_freed(void *at);
void check_written(void *at, size_t bytes); /* by a copy or a memset */
void check_forgotten(void *at, size_t bytes);

/* Count a copy that was queued. */
enum copy_kind { COPY_TO_DEVICE, COPY_TO_HOST, COPY_ON_DEVICE, COPY_SET };
void count_copy(enum copy_kind kind, size_t bytes);

#endif
