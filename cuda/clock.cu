/* clock.cu -- the SM clock, measured by a kernel.
 *
 * One thread counts its SM's cycles (clock64) over an interval of globaltimer, whose frequency is
 * fixed.  The interval begins and ends at a step of globaltimer, so that its resolution (32 ns to
 * 1 us, by GPU) does not matter: what remains is one turn of the polling loop in INTERVAL_NS,
 * below 0.1 %.  NVML's clock is a mean over longer than a sample.
 */
#include <math.h>

#include "cuda/device.h"
#include "cuda/parts.h"

static const unsigned long long INTERVAL_NS = 100000;

/* What the kernel found. */
struct ticks {
	long long cycles;
	unsigned long long ns;
};

static struct ticks *device_ticks;

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

enum gb_status gpu_clock_create(struct gb_error *err)
{
	if (CUDA_TRY(err, cudaMalloc(&device_ticks, sizeof *device_ticks))) {
		device_ticks = NULL;
		return err->code;
	}
	return GB_OK;
}

double gpu_clock_hz(void)
{
	struct gb_error err = {};
	struct ticks ticks = {};

	/* Nothing in the emulator has a clock rate. */
	if (GPU_EMULATED || !device_ticks ||
	    GPU_RUN(&err, count_cycles, 1, 1, device_ticks, INTERVAL_NS) ||
	    gpu_download(&ticks, device_ticks, sizeof ticks, &err))
		return NAN;
	return ticks.ns ? (double)ticks.cycles * 1e9 / (double)ticks.ns : NAN;
}

void gpu_clock_destroy(void)
{
	(void)cudaFree(device_ticks);
	device_ticks = NULL;
}
