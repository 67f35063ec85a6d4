/* variants.c -- turns variants.def into a const table.
 *
 * A line of variants.def names what the variant needs in the build: HOST is always available; CUDA,
 * CUB, HWY ... are if the Makefile defines GB_HAVE_<name> as 1.  Only this file includes
 * variants.def, so that a new line does not rebuild other variants.
 *
 * A program that is linked without the hashes of scripts/code_hash.py finds NULL in their place.
 */
#include "common/variants.h"

#include <stdlib.h>
#include <string.h>

#include "build_info.h"
#include "common/text.h"

#define GB_HAVE_HOST 1

/* The reason why a variant is not in the build, by what it needs. */
#define ABSENT_HOST      NULL
#define ABSENT_CUDA      "built without CUDA: " GB_CUDA_ABSENT
#define ABSENT_CUB       ABSENT_CUDA
#define ABSENT_HWY       "built without Highway (Debian: libhwy-dev)"
#define ABSENT_EMBREE    "built without Embree (Debian: libembree-dev)"
#define ABSENT_BOOST     "built without Boost (Debian: libboost-dev)"
#define ABSENT_GRAPHBLAS "built without SuiteSparse:GraphBLAS (Debian: libgraphblas-dev)"
#define ABSENT_VULKAN    "built without Vulkan (Debian: libvulkan-dev)"

#define OPS_1(ops)                  &(ops)
#define OPS_0(ops)                  NULL
#define CODE_1(ops)                 ops##_code
#define CODE_0(ops)                 NULL
#define WHY_1(why)                  NULL
#define WHY_0(why)                  why
#define CHOOSE_(prefix, have, what) prefix##have(what)
#define CHOOSE(prefix, have, what)  CHOOSE_(prefix, have, what)

#define BACKEND_cpu    GB_CPU
#define BACKEND_cuda   GB_CUDA
#define BACKEND_vulkan GB_VULKAN

#define GB_VARIANT(backend, benchmark, symbol, name, kind, needs, summary)   \
	extern const struct gb_variant_ops benchmark##_##backend##_##symbol; \
	extern const char benchmark##_##backend##_##symbol##_code[] __attribute__((weak));
#include "common/variants.def"
#undef GB_VARIANT

#define GB_VARIANT(backend_, benchmark_, symbol_, name_, kind_, needs_, summary_)            \
	{ .benchmark = #benchmark_,                                                          \
	  .name = name_,                                                                     \
	  .backend = BACKEND_##backend_,                                                     \
	  .kind = GB_KIND_##kind_,                                                           \
	  .summary = summary_,                                                               \
	  .ops = CHOOSE(OPS_, GB_HAVE_##needs_, benchmark_##_##backend_##_##symbol_),        \
	  .code_hash = CHOOSE(CODE_, GB_HAVE_##needs_, benchmark_##_##backend_##_##symbol_), \
	  .absent = CHOOSE(WHY_, GB_HAVE_##needs_, ABSENT_##needs_) },

static const struct gb_variant ours[] = {
#include "common/variants.def"
};
const struct gb_variant *gb_variants = ours;
size_t gb_variant_count = GB_COUNT(ours);

enum gb_status gb_variants_add(const struct gb_variant *variant, struct gb_error *err)
{
	static struct gb_variant *all;
	struct gb_variant *more = realloc(all, (gb_variant_count + 1) * sizeof *all);

	if (!more)
		return gb_out_of_memory(err, "a plug-in");
	if (!all)
		memcpy(more, ours, sizeof ours);
	more[gb_variant_count++] = *variant;
	gb_variants = all = more;
	return GB_OK;
}
