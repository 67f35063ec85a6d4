/* descent.h -- the paper's algorithms, shared by descent and libcbt.  cuda/cbt/descent.cu describes
 * them.
 */
#ifndef GPUBENCH_CUDA_CBT_PARTS_DESCENT_H
#define GPUBENCH_CUDA_CBT_PARTS_DESCENT_H

#include "cuda/cbt/parts/tree.h"

struct cbt_descent {
	struct cbt_arrays arrays;
	uint32_t *heap;
	uint32_t *start; /* update: the initial heap; otherwise, NULL */
	bool prepass;    /* sum the five lowest levels in one pass over the field */
};

/* Operations on a state that begins with struct cbt_descent. */
enum gb_status cbt_descent_create(struct cbt_descent *s, const void *params,
				  const struct cbt_input *input, struct gb_error *err);
enum gb_status cbt_descent_upload(const struct cbt_descent *s, struct gb_error *err);
/* Restore the initial heap; except for update, its field alone. */
enum gb_status cbt_descent_reset(const struct cbt_descent *s, int64_t sample, struct gb_error *err);
/* Queue all kernels of a run in gpu_stream(), always the same ones with the same arguments.
 * Phases: "update", "reduce" and "decode". */
enum gb_status cbt_descent_run(const struct cbt_descent *s, struct gb_timer *timer,
			       struct gb_error *err);
enum gb_status cbt_descent_download(const struct cbt_descent *s, void *output,
				    struct gb_error *err);
double cbt_descent_bytes(const void *params, const struct cbt_input *input);
double cbt_libcbt_bytes(const void *params, const struct cbt_input *input); /* with prepass */

#endif
