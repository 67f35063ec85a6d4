/* libcbt.cu -- step 3 of 5: the lowest five levels of sums in one pass over the field.
 *
 * This is descent.cu with the reduction of Dupuy's library, which implements the same tree
 * (glsl/cbt_SumReductionPrepass.glsl).  The first launch gives each 32-bit word of the field a
 * thread, which makes levels D - 1 to D - 5 in registers.  It stores the word of level D - 1, which
 * has no other writer, and packs the word's sums of each further level into one atomicAnd and one
 * atomicOr per word that they touch.  The levels above take a launch each, as in descent.  So a
 * reduction has D - 4 launches instead of D, and 31 sums take 4 to 7 pairs of atomics instead of 31
 * or more.  Trees of depth below 5 are reduced as in descent; the library does not support them.
 *
 * Bound: the field is read once and all sums are written; in small trees, the D - 4 launches.
 */
#include "cuda/cbt/shared/descent.h"

static gb_status create(cbt_descent *s, const void *params, const cbt_input *input, gb_error *err)
{
	s->prepass = true;
	return cbt_descent_create(s, params, input, err);
}

extern "C" const gb_variant_ops cbt_cuda_libcbt = {
	.state_size = sizeof(cbt_descent),
	.create = op<create>,
	.upload = op<cbt_descent_upload>,
	.reset = op<cbt_descent_reset>,
	.run = op<cbt_descent_run>,
	.download = op<cbt_descent_download>,
	.bytes = op<cbt_libcbt_bytes>,
	.flags = GB_REPEATABLE,
};
