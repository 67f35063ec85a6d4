/* karras.c -- cpu/karras-bitonic, karras-radix, karras32: the paper's build, phase by phase
 * (section 4): bounds, codes, sort, leaves by flags and a scan, Karras' hierarchy, boxes.
 *
 * karras-bitonic sorts 30-bit codes with a bitonic network over the next power of two, and computes
 * boxes pass by pass until the root has one.  It differs from the listings in two ways: the scene's
 * box starts at +-FLT_MAX instead of +-10000, and refit stops when the root is done, however many
 * passes that takes; the paper launches 32.  A sort record holds the primitive below the code, so
 * that equal codes come out in order, too.
 *
 * karras-radix sorts n pairs by radix in three passes instead of log2(n) (log2(n) + 1) / 2 passes
 * over the next power of two.  karras32 also computes boxes in one pass over atomic flags instead
 * of up to 32, as does Hippie, with which the paper compares itself on CUDA (section 5.2).
 */
#include "cpu/lbvh/shared/builder.h"

/* ---- cpu/karras-bitonic ------------------------------------------------------------------- */

static enum gb_status create_bitonic(void *state, const void *params, const void *input,
				     struct gb_error *err)
{
	return lbvh_builder_create(state, params, input,
				   LBVH_CPU_LEAVES | LBVH_CPU_MARKS | LBVH_CPU_POWER, err);
}

const struct gb_variant_ops lbvh_cpu_karras_bitonic = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create_bitonic,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.flags = GB_REPEATABLE,
};

/* ---- cpu/karras-radix, cpu/karras32 ------------------------------------------------------- */

static enum gb_status create_radix(void *state, const void *params, const void *input,
				   struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_LEAVES | LBVH_CPU_MARKS, err);
}

static enum gb_status create_32(void *state, const void *params, const void *input,
				struct gb_error *err)
{
	return lbvh_builder_create(state, params, input, LBVH_CPU_LEAVES | LBVH_CPU_PARENTS, err);
}

const struct gb_variant_ops lbvh_cpu_karras_radix = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create_radix,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.flags = GB_REPEATABLE,
};

const struct gb_variant_ops lbvh_cpu_karras32 = {
	.state_size = sizeof(struct lbvh_cpu),
	.create = create_32,
	.run = lbvh_builder_run,
	.download = lbvh_builder_download,
	.flags = GB_REPEATABLE,
};
