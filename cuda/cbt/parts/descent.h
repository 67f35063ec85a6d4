/* descent.h -- the paper's algorithms, for descent, which launches their kernels one after the other,
 * and descent-graph, which launches a graph of the same.  cuda/cbt/descent.cu says what they do.
 */
#ifndef GPUBENCH_CUDA_CBT_PARTS_DESCENT_H
#define GPUBENCH_CUDA_CBT_PARTS_DESCENT_H

#include "cuda/cbt/parts/tree.h"

struct cbt_descent {
	struct cbt_arrays arrays;
	uint32_t *heap;
	uint32_t *start; /* what update starts from; else NULL */
};

/* Operations of a state that begins with it. */
enum gb_status cbt_descent_create(struct cbt_descent *s, const void *params,
				  const struct cbt_input *input, struct gb_error *err);
enum gb_status cbt_descent_upload(const struct cbt_descent *s, struct gb_error *err);
/* For update: the heap as it was. */
enum gb_status cbt_descent_reset(const struct cbt_descent *s, int64_t sample, struct gb_error *err);
/* All kernels of a run into gpu_stream(), always the same ones with the same arguments; phases
 * "update", "reduce" and "decode". */
enum gb_status cbt_descent_run(const struct cbt_descent *s, struct gb_timer *timer,
			       struct gb_error *err);
enum gb_status cbt_descent_download(const struct cbt_descent *s, void *output,
				    struct gb_error *err);
double cbt_descent_bytes(const void *params, const struct cbt_input *input);

#endif
