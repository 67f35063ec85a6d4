/* parts.h -- the parts that backend.cu combines into gb_cuda_backend.
 *
 * Variants use device.h instead.  open() creates each part and, after a failure or for another
 * device, destroys it; destroying a part that was never created is allowed.
 */
#ifndef GPUBENCH_CUDA_RUNTIME_PARTS_H
#define GPUBENCH_CUDA_RUNTIME_PARTS_H

#include "common/status.h"
#include "common/timer.h"
#include "cuda/runtime/gpu.h"

/* device.cu: the device of device.h, from start to stop.  Its number is -1 if there is none. */
enum gb_status gpu_device_start(int number, bool can_overlap, struct gb_error *err);
void gpu_device_stop(void);
int gpu_device_number(void);
/* Fill device memory and wait. */
enum gb_status gpu_fill(void *array, unsigned char byte, size_t bytes, struct gb_error *err);
/* An attribute of any device; 0 if unknown. */
int gpu_attribute_of(enum cudaDeviceAttr attribute, int device);

/* timer.cu: events in the stream. */
extern const struct gb_timer_ops gb_cuda_timer;

/* flush.cu: evict a sample's data from the L2, persisting lines too.  Waits for earlier work, so it
 * must not follow gpu_hold(), and queues its own in gpu_stream(). */
enum gb_status gpu_flush_create(struct gb_error *err);
enum gb_status gpu_flush(struct gb_error *err);
size_t gpu_flush_bytes(void);
void gpu_flush_destroy(void);

/* hold.cu: block the stream from gpu_hold() to gpu_let_go(). */
enum gb_status gpu_hold_create(struct gb_error *err);
enum gb_status gpu_hold(struct gb_error *err);
enum gb_status gpu_let_go(struct gb_error *err);
/* Call after waiting for the stream: false if the last hold timed out. */
bool gpu_has_held(void);
void gpu_hold_destroy(void);

/* profile.cu: gb_backend_ops.range. */
void gpu_range(const char *name);

/* Nanoseconds of the device's clock; it advances in steps of up to a microsecond. */
static __device__ __forceinline__ unsigned long long gpu_global_timer_ns(void)
{
	unsigned long long ns;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}

/* clock.cu: the SM clock in Hz, measured now; waits for the stream.  NAN if unknown. */
enum gb_status gpu_clock_create(struct gb_error *err);
double gpu_clock_hz(void);
void gpu_clock_destroy(void);

#endif
