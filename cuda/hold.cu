/* hold.cu -- hold the stream while the host queues a whole run behind it.
 *
 * A launch costs the host some microseconds, more than a short kernel takes.  Behind a kernel that
 * spins until the host opens a gate in mapped memory, all launches of a run are queued before the
 * first one starts, and the events around them tell the GPU's time alone.
 *
 * It can never hang: the kernel gives up after HOLD_NS, and says so.  That happens when run() waits
 * for the device although its variant does not say GB_HOST_DECISIONS, or queues more than the
 * driver's queue holds (about a thousand launches); the sample is then one that was not held back.
 *
 * The gate counts.  A kernel waits for its own ticket, so one that was given up can neither be
 * confused by nor confuse a later one.
 */
#include "cuda/device.h"
#include "cuda/parts.h"

static const unsigned long long HOLD_NS = 100000000;

/* In host memory, the device's to use. */
struct gate {
	uint32_t open;     /* kernels up to this ticket are let go */
	uint32_t given_up; /* the last ticket whose kernel did not wait for that */
};

static struct {
	struct gate *gate;
	struct gate *mapped; /* the same, as the device sees it */
	uint32_t ticket;     /* of the kernel launched last */
} held;

/* One thread.  The gate is read as volatile because the host writes it meanwhile: that is a relaxed
 * load at system scope, past every cache.  The difference is signed, so that the count may wrap. */
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
	return GPU_RUN(err, hold, 1, 1, held.mapped, held.ticket, HOLD_NS);
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
