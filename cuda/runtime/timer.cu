/* timer.cu -- the CUDA clock: a mark is an event in the stream of the work. */
#include <stdlib.h>

#include "cuda/runtime/device.h"
#include "cuda/runtime/parts.h"

/* All events are created before the first mark, never inside a timed run. */
struct marks {
	cudaEvent_t event[GB_MAX_MARKS];
	size_t count;
};

static void destroy(void *clock_)
{
	marks *c = (marks *)clock_;

	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		(void)cudaEventDestroy(c->event[i]);
	free(c);
}

static gb_status create(void **clock, gb_error *err)
{
	marks *c = (marks *)calloc(1, sizeof *c);

	if (!c)
		return gb_out_of_memory(err, NULL);
	for (; c->count < GB_MAX_MARKS; c->count++) {
		if (CUDA_TRY(err, cudaEventCreate(&c->event[c->count]))) {
			destroy(c);
			return err->code;
		}
	}
	*clock = c;
	return GB_OK;
}

static gb_status mark(void *clock_, size_t index, gb_error *err)
{
	marks *c = (marks *)clock_;

	return CUDA_TRY(err, cudaEventRecord(c->event[index], gpu_stream()));
}

static gb_status elapsed(void *clock_, size_t first, size_t last, double *ns, gb_error *err)
{
	marks *c = (marks *)clock_;
	float ms = 0;

	if (CUDA_TRY(err, cudaEventSynchronize(c->event[last])) ||
	    CUDA_TRY(err, cudaEventElapsedTime(&ms, c->event[first], c->event[last])))
		return err->code;
	*ns = (double)ms * 1e6;
	return GB_OK;
}

const gb_timer_ops gb_cuda_timer = {
	.name = "cuda_event",
	.create = create,
	.mark = mark,
	.elapsed = elapsed,
	.destroy = destroy,
};
