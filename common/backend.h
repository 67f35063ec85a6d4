/* backend.h -- what the runner needs of a back end besides its variants.
 *
 * gb_backends (backends.c) is the one way to reach them: the CPU is cpu/backend.c, CUDA is
 * cuda/backend.cu (on a GPU or in the emulator), Vulkan is vulkan/backend.c.
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

/* A GPU as the record's run line describes it.  Unknown: 0, "" or -1 for the flags. */
struct gb_gpu_info {
	int id;
	char name[128];
	char uuid[64]; /* GPU-xxxxxxxx-xxxx-... */
	char pci[32];  /* 0000:01:00.0 */
	int cc_major, cc_minor;
	int sm_count;
	int64_t memory_bytes, l2_bytes;
	int bus_bits;
	int64_t memory_clock_khz, sm_clock_khz;
	int ecc, mig, persistence; /* 1, 0 or -1 */
	double power_limit_w;
	bool emulated;
	/* As Vulkan knows it; "" if it does not. */
	struct {
		char driver[128], api[24]; /* "NVIDIA 580.95.05", "1.4.303" */
	} vulkan;
	/* What a back end calls it, and one; 0: it does not find it.  Set by gb_devices_find(). */
	int number[GB_BACKENDS];
};

/* "13.0" each; driver is the kernel module's version, from NVML. */
struct gb_cuda_info {
	char runtime[16], driver_api[16], driver[32];
};

/* What a GPU was doing around a sample; NAN where it cannot be told. */
struct gb_gpu_state {
	double temperature_c, power_w, sm_clock_hz;
	double energy_j, throttled_ns; /* since the driver was loaded; see throttled_ns() below */
	uint64_t throttle;             /* NVML's bits of the reasons clocks are lowered */
	bool throttle_known;
};

/* Exact counts, where the device is an executor that can count. */
struct gb_counter {
	/* Count what is queued from now on, from zero; or no longer. */
	void (*count)(bool on);
	/* What was counted and has run, as a JSON object (`counts` of the record schema); valid until
	 * counting begins again. */
	const char *(*counts)(void);
};

struct gb_backend_ops {
	const char *name; /* "cpu", "cuda", "vulkan" */
	/* Whether the times of the device that is open say nothing about a GPU.  NULL: they do. */
	bool (*is_emulated)(void);
	/* From now on, devices that are programs of the CPU, which any machine may have, are devices,
	 * too.  NULL: there are none such. */
	void (*allow_software)(void);
	/* Get device `device` ready; once.  GB_EUNAVAILABLE, with one sentence that says what is
	 * missing (driver, device, code for this architecture, that number), if it cannot be. */
	enum gb_status (*open)(int device, struct gb_error *err);
	/* Evict the caches that would keep a run's data: the GPU's L2, twice the CPU's last level.
	 */
	enum gb_status (*flush)(struct gb_error *err);
	/* The last-level caches that flush() goes by, together, in bytes; *from: who says so, or
	 * "assumed".  NULL for a GPU, whose description has its L2. */
	uint64_t (*cache_bytes)(const char **from);
	/* Bytes of the buffer, on the host or the device, that flush() uses now. */
	size_t (*flush_bytes)(void);
	/* Fill device memory, and wait for it.  NULL on the CPU. */
	gb_fill_fn *fill;
	/* Hold back what is queued next until let_go(), so that the launches of a whole run are
	 * queued before the first one starts.  NULL on the CPU. */
	enum gb_status (*hold)(struct gb_error *err);
	enum gb_status (*let_go)(struct gb_error *err);
	/* After synchronize(): whether the last hold lasted until let_go(), as one does not whose
	 * work was waited for, or did not fit the queue. */
	bool (*has_held)(void);
	/* Wait until everything is done, and report what failed on the way. */
	enum gb_status (*synchronize)(struct gb_error *err);
	/* The SM clock in Hz now, by a small kernel; NAN if unknown.  NULL on the CPU. */
	double (*sm_clock_hz)(void);
	void (*state)(struct gb_gpu_state *state); /* NULL on the CPU */
	/* How long clocks were lowered, in all, because of power, heat or the board's limits; NAN if
	 * unknown.  NULL on the CPU. */
	double (*throttled_ns)(void);
	/* Describe up to `room` devices; *count is how many there are.  GB_EUNAVAILABLE as open().
	 * NULL on the CPU. */
	enum gb_status (*devices)(struct gb_gpu_info *gpu, size_t room, size_t *count,
				  struct gb_cuda_info *cuda, struct gb_error *err);
	const struct gb_counter *counter; /* NULL: cannot count, as the CPU and every GPU */
	const struct gb_timer_ops *timer;
	void (*close)(void);
};

extern const struct gb_backend_ops *const gb_backends[GB_BACKENDS];

/* The back end of that name; GB_BACKENDS: there is none. */
enum gb_backend gb_backend_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif
