/* backend.h -- the interface of a back end: everything the runner needs besides its variants.
 *
 * Back ends are reached only through gb_backends (backends.c): the CPU is cpu/runtime/backend.c, CUDA is
 * cuda/runtime/backend.cu (on a GPU or in the emulator), Vulkan is vulkan/runtime/backend.c.
 */
#ifndef GPUBENCH_COMMON_BACKEND_H
#define GPUBENCH_COMMON_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/memory.h"
#include "common/status.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gb_backend { GB_CPU, GB_CUDA, GB_VULKAN, GB_BACKENDS };

/* A GPU as the record's run line describes it.  Unknown values are 0 or "", unknown flags -1. */
struct gb_gpu_info {
	int id;
	char name[128];
	char uuid[64]; /* GPU-xxxxxxxx-xxxx-... */
	char pci[32];  /* 0000:01:00.0 */
	int cc_major, cc_minor;
	char code[40]; /* of CUDA kernels, if it is open: "sm_90", "compute_80 by the driver" */
	int sm_count;
	int64_t memory_bytes, l2_bytes;
	int bus_bits;
	int64_t memory_clock_khz, sm_clock_khz;
	int ecc, mig, persistence; /* 1, 0 or -1 */
	bool mps;                  /* the process shares the GPU through MPS */
	char compute_mode[20];     /* "default", "exclusive process", "prohibited" */
	double power_limit_w;
	bool emulated;
	/* As Vulkan reports them; "" if it does not know the GPU. */
	struct {
		char driver[128], api[24]; /* "NVIDIA 580.95.05", "1.4.303" */
	} vulkan;
	/* 1 + each back end's own number for this GPU, or 0.  Set by gb_devices_find(). */
	int number[GB_BACKENDS];
};

/* runtime and driver_api are like "13.0"; driver is the kernel module's version, from NVML. */
struct gb_cuda_info {
	char runtime[16], driver_api[16], driver[32];
};

/* The state of a GPU around a sample; NAN for unknown values. */
struct gb_gpu_state {
	double temperature_c, power_w, sm_clock_hz;
	double energy_j, throttled_ns; /* since the driver was loaded; see throttled_ns() below */
	uint64_t throttle;             /* NVML's bit mask of reasons why clocks are lowered */
	bool throttle_known;
};

/* Exact counts of instructions and the like, for an executor that can count. */
struct gb_counter {
	/* Start counting, from zero, the work queued from now on; or stop. */
	void (*count)(bool on);
	/* The counts of the work that has run, as a JSON object (`counts` of the record schema).
	 * Valid until counting starts again. */
	const char *(*counts)(void);
	/* The active lanes of all warp instructions, as a share of their lanes; NAN if none ran. */
	double (*warp_efficiency)(void);
};

struct gb_backend_ops {
	const char *name;   /* "cpu", "cuda", "vulkan" */
	const char *absent; /* what this build lacks; nothing else is set then; or NULL */
	/* True if the open device is emulated: its times say nothing about a GPU.  NULL: never. */
	bool (*is_emulated)(void);
	/* From now on, include devices implemented in software on the CPU, which any machine may
	 * have.  NULL: there are none. */
	void (*allow_software)(void);
	/* Initialise device `device`; only the first call does so.  GB_EUNAVAILABLE, with one
	 * sentence that names what is missing (driver, device, code for this architecture, that
	 * number), or GB_EUSAGE for a variable of the environment, on failure. */
	enum gb_status (*open)(int device, struct gb_error *err);
	/* Evict the caches that would keep a run's data: the GPU's L2, or the CPU's last-level
	 * caches. */
	enum gb_status (*flush)(struct gb_error *err);
	/* Total bytes of the last-level caches that flush() assumes; *from is the source of the
	 * number, or "assumed".  NULL for a GPU, whose description has its L2. */
	uint64_t (*cache_bytes)(const char **from);
	/* Size in bytes of flush()'s buffer, on the host or the device. */
	size_t (*flush_bytes)(void);
	/* Fill device memory and wait until that is done.  NULL on the CPU. */
	gb_fill_fn *fill;
	/* Hold back work that is queued from now on until let_go(), so that all launches of a run
	 * are queued before the first one starts.  NULL on the CPU. */
	enum gb_status (*hold)(struct gb_error *err);
	enum gb_status (*let_go)(struct gb_error *err);
	/* After synchronize(): true if the last hold lasted until let_go().  It ends early if the
	 * run waited for the work or queued more than fits. */
	bool (*has_held)(void);
	/* Start a range of that name for a profiler, or end the last one (NULL); the profiler
	 * collects within the outermost one.  NULL: there is none. */
	void (*range)(const char *name);
	/* Wait until all work is done and report any failure in it. */
	enum gb_status (*synchronize)(struct gb_error *err);
	/* The current SM clock in Hz, by a small kernel; NAN if unknown.  NULL on the CPU. */
	double (*sm_clock_hz)(void);
	void (*state)(struct gb_gpu_state *state); /* NULL on the CPU */
	/* Total time that clocks were lowered because of power, heat or the board's limits; NAN if
	 * unknown.  NULL on the CPU. */
	double (*throttled_ns)(void);
	/* Describe up to `room` devices; *count is the number that exists.  GB_EUNAVAILABLE as in
	 * open().  NULL on the CPU. */
	enum gb_status (*devices)(struct gb_gpu_info *gpu, size_t room, size_t *count,
				  struct gb_cuda_info *cuda, struct gb_error *err);
	const struct gb_counter *counter; /* NULL: cannot count, as on the CPU and all GPUs */
	const struct gb_timer_ops *timer;
	/* The stream that runs are queued in, and counted device memory.  NULL on the CPU. */
	void *(*stream)(void);
	void *(*alloc)(size_t count, size_t size, struct gb_error *err);
};

extern const struct gb_backend_ops *const gb_backends[GB_BACKENDS];

/* True if the devices of the back end are emulated: their times say nothing. */
bool gb_is_emulated(enum gb_backend backend);

/* The back end of that name; GB_BACKENDS if there is none. */
enum gb_backend gb_backend_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif
