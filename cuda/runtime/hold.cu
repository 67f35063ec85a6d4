/* hold.cu -- hold the stream while the host queues a whole run behind it.
 *
 * A launch costs the host more time than a short kernel takes.  A kernel therefore spins until the
 * host opens a gate in mapped memory.  Meanwhile the host queues all launches of a run behind it,
 * so the events around them measure GPU time only.
 *
 * It can never hang: the kernel gives up after HOLD_NS and records that.  This happens if run()
 * waits for the device although its variant does not set GB_HOST_DECISIONS, or queues more launches
 * than the driver's queue holds.  Such a sample counts as not held.
 *
 * The gate is a counter.  Each kernel waits for its own ticket, so a kernel that gave up and a
 * later one cannot be confused.
 */
#include "cuda/runtime/device.h"
#include "cuda/runtime/parts.h"

static const unsigned long long HOLD_NS = 100000000;

/* Host memory mapped for the device. */
struct gate {
	uint32_t open;     /* kernels up to this ticket may proceed */
	uint32_t given_up; /* the last ticket whose kernel timed out */
};

static struct {
	struct gate *gate;
	struct gate *mapped; /* device address of the gate */
	uint32_t ticket;     /* ticket of the last kernel launched */
} held;

/* One thread.  The gate is volatile because the host writes it concurrently; each read is a
 * relaxed load at system scope, past every cache.  The difference is signed so that the counter
 * may wrap. */
static __global__ void hold(volatile struct gate *gate, uint32_t ticket,
			    unsigned long long limit_ns)
{
	const unsigned long long start_ns = gpu_global_timer_ns();

	while ((int32_t)(gate->open - ticket) < 0) {
		if (gpu_global_timer_ns() - start_ns >= limit_ns) {
			gate->given_up = ticket;
			return;
		}
		__nanosleep(200);
	}
}

static void open_gate(void)
{
	__atomic_store_n(&held.gate->open, held.ticket, __ATOMIC_RELEASE);
}

enum gb_status gpu_hold_create(struct gb_error *err)
{
	void *gate = NULL, *mapped = NULL;

	if (CUDA_TRY(err, cudaHostAlloc(&gate, sizeof *held.gate, cudaHostAllocMapped)))
		return err->code;
	if (CUDA_TRY(err, cudaHostGetDevicePointer(&mapped, gate, 0))) {
		(void)cudaFreeHost(gate);
		return err->code;
	}
	held.gate = (struct gate *)gate;
	held.mapped = (struct gate *)mapped;
	held.ticket = 0;
	held.gate->given_up = 0;
	open_gate();
	return GB_OK;
}

enum gb_status gpu_hold(struct gb_error *err)
{
	held.ticket++;
	hold<<<1, 1, 0, gpu_stream()>>>(held.mapped, held.ticket, HOLD_NS);
	return CUDA_TRY(err, cudaGetLastError());
}

enum gb_status gpu_let_go(struct gb_error *err)
{
	(void)err;
	open_gate();
	return GB_OK;
}

bool gpu_has_held(void)
{
	return __atomic_load_n(&held.gate->given_up, __ATOMIC_ACQUIRE) != held.ticket;
}

void gpu_hold_destroy(void)
{
	if (!held.gate)
		return;
	open_gate();
	(void)cudaFreeHost(held.gate);
	held.gate = held.mapped = NULL;
}
