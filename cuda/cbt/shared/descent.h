/* descent.h -- the paper's algorithms, shared by descent and libcbt.  cuda/cbt/descent.cu describes
 * them.
 */
#ifndef GPUBENCH_CUDA_CBT_SHARED_DESCENT_H
#define GPUBENCH_CUDA_CBT_SHARED_DESCENT_H

#include "cuda/cbt/shared/tree.h"

struct cbt_descent {
	cbt_arrays arrays;
	uint32_t *heap;
	uint32_t *start; /* update: the initial heap; otherwise, NULL */
	bool prepass;    /* sum the five lowest levels in one pass over the field */
};

/* Operations on a state that begins with struct cbt_descent. */
gb_status cbt_descent_create(cbt_descent *s, const void *params, const cbt_input *input,
			     gb_error *err);
gb_status cbt_descent_upload(const cbt_descent *s, gb_error *err);
/* Restore the initial heap; except for update, its field alone. */
gb_status cbt_descent_reset(const cbt_descent *s, int64_t sample, gb_error *err);
/* Queue all kernels of a run in gpu_stream(), always the same ones with the same arguments.
 * Phases: "update", "reduce" and "decode". */
gb_status cbt_descent_run(const cbt_descent *s, gb_timer *timer, gb_error *err);
gb_status cbt_descent_download(const cbt_descent *s, void *output, gb_error *err);
double cbt_descent_bytes(const void *params, const cbt_input *input);
double cbt_libcbt_bytes(const void *params, const cbt_input *input); /* with prepass */

#endif
