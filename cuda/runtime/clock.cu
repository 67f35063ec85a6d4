/* clock.cu -- the SM clock, measured by a kernel.
 *
 * One thread counts its SM's cycles (clock64) over an interval of globaltimer, whose frequency is
 * fixed.  The interval begins and ends at a step of globaltimer, so its resolution, which differs
 * between GPUs, does not matter.  The remaining error is one turn of the polling loop in
 * INTERVAL_NS.  NVML's clock is no substitute: it averages over more time than a sample takes.
 */
#include <math.h>

#include "cuda/runtime/device.h"
#include "cuda/runtime/parts.h"

static const unsigned long long INTERVAL_NS = 100000;

/* Written by the kernel. */
struct ticks {
	long long cycles;
	unsigned long long ns;
};

static ticks *device_ticks;

/* One thread. */
static __global__ void count_cycles(struct ticks *ticks, unsigned long long interval_ns)
{
	unsigned long long before, start_ns, end_ns;
	long long start;

	before = gpu_global_timer_ns();
	while ((start_ns = gpu_global_timer_ns()) == before)
		;
	start = clock64();
	do
		before = gpu_global_timer_ns();
	while (before - start_ns < interval_ns);
	while ((end_ns = gpu_global_timer_ns()) == before)
		;
	ticks->cycles = clock64() - start;
	ticks->ns = end_ns - start_ns;
}

gb_status gpu_clock_create(gb_error *err)
{
	if (CUDA_TRY(err, cudaMalloc(&device_ticks, sizeof *device_ticks))) {
		device_ticks = NULL;
		return err->code;
	}
	return GB_OK;
}

double gpu_clock_hz(void)
{
	gb_error err = {};
	struct ticks ticks = {};

	if (!device_ticks)
		return NAN;
	count_cycles<<<1, 1, 0, gpu_stream()>>>(device_ticks, INTERVAL_NS);
	if (CUDA_TRY(&err, cudaGetLastError()) ||
	    gpu_download(&ticks, device_ticks, sizeof ticks, &err))
		return NAN;
	return ticks.ns ? (double)ticks.cycles * 1e9 / (double)ticks.ns : NAN;
}

void gpu_clock_destroy(void)
{
	(void)cudaFree(device_ticks);
	device_ticks = NULL;
}
