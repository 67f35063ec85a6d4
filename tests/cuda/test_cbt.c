/* The CUDA variants of cbt where only large trees take them: reductions by tiles, and groups of
 * groups of tiles.  Limits lowered for the test bring these to trees of 2^16 to 2^19 bits.  On a
 * GPU or in the emulator; where there is neither, the tests are skipped.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measuring/runner.h"
#include "cli/measuring/sweep.h"
#include "cli/workloads/registry.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/variants.h"
#include "cuda/cbt/parts/limits.h"

#if GB_HAVE_CUDA

static const struct gb_settings how = { .timeout_s = 600 };

static const struct gb_variant *find(const char *name)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (v->backend == GB_CUDA && gb_equal(v->workload, "cbt") &&
		    gb_equal(v->name, name))
			return v;
	}
	cr_fatal("no variant %s", name);
	return NULL;
}

/* Every point of the sweep must pass. */
static void run(const char *name, const char *words)
{
	const struct gb_workload *workload = gb_workload_find("cbt");
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params = malloc(workload->params_size);

	cr_assert(eq(int, (int)gb_sweep_words(&sweep, workload, words, &err), GB_OK), "%s",
		  err.message);
	for (size_t p = 0; p < sweep.count; p++) {
		struct gb_result r = { .workload = workload, .variant = find(name) };
		void *input = NULL;

		r.params = params;
		gb_sweep_point(&sweep, p, params);
		cr_assert(eq(int, (int)workload->prepare(params, &input, &err), GB_OK), "%s",
			  err.message);
		gb_run(&r, input, &how, false, &err);
		cr_assert(eq(int, (int)err.code, GB_OK), "%s", err.message);
		if (r.outcome == GB_SKIPPED)
			cr_skip("%s", r.reason);
		cr_expect(r.outcome == GB_RESULT_OK && r.verdict == GB_PASS,
			  "cuda/%s, point %zu of %s: %s", name, p, words, r.reason);
		gb_result_release(&r);
		workload->release(input);
	}
	gb_sweep_release(&sweep);
	free(params);
}

/* Groups of 2, 4 and 128 tiles; of 19 - 15 = 4 levels those of 8 leave one. */
Test(variants_cbt, tiles)
{
	cbt_cuda_limits.wide = 15;
	for (unsigned fan = 1; fan <= 3; fan++) {
		cbt_cuda_limits.block_fan = fan;
		run("block", "--op=reduce,cycle --depth=16,17,19 --shape=random --fill=0.2");
		run("block", "--op=update --depth=16,17 --shape=random --fill=0.01 --frames=3");
	}
	cbt_cuda_limits.block_fan = CBT_BLOCK_FAN;
	run("block", "--op=reduce --depth=16,17,19 --shape=random --fill=0.2,1");
	cbt_cuda_limits.wide = CBT_WIDE_LEVELS;
}

Test(variants_cbt, groups_above_1024_bits)
{
	for (unsigned fan = 1; fan <= 3; fan++) {
		cbt_cuda_limits.ocbt_fan = fan;
		run("ocbt", "--op=reduce,cycle --depth=15,16,17,19 --shape=random --fill=0.2");
		run("ocbt", "--op=update --depth=16,17 --shape=random --fill=0.01 --frames=3");
	}
	cbt_cuda_limits.ocbt_fan = CBT_OCBT_FAN;
}

/* One leaf, two leaves: the root itself, and leaves that span many chunks of 1024 bits. */
Test(variants_cbt, few_leaves)
{
	static const char *const names[] = { "descent", "descent-graph", "block", "ocbt" };
	static const struct {
		const char *words, *frames;
	} trees[] = {
		{ "--op=decode,cycle --depth=4,10,11,16 --shape=uniform --fill=0.0625",
		  "--op=update --depth=4,10,11,16 --shape=uniform --fill=0.0625 --frames=6" },
		{ "--op=decode,cycle --depth=12 --shape=random --fill=0.00025,0.0005",
		  "--op=update --depth=12 --shape=random --fill=0.00025,0.0005 --frames=8" },
		{ "--op=decode,cycle --depth=18 --shape=random --fill=0.000004,0.0001",
		  "--op=update --depth=18 --shape=random --fill=0.000004,0.0001 --frames=8" },
	};

	for (size_t i = 0; i < GB_COUNT(names); i++)
		for (size_t j = 0; j < GB_COUNT(trees); j++) {
			run(names[i], trees[j].words);
			run(names[i], trees[j].frames);
		}
	run("block", "--op=bitfield --depth=4 --shape=uniform --fill=0.0625");
	run("block", "--op=bitfield --depth=18 --shape=random --fill=0.000004,0.0001");
}

/* A heap that frames go to is not the one they come from: the input's stays for the next run. */
Test(variants_cbt, frames_odd_and_even)
{
	run("block", "--op=update --depth=9,13 --shape=random --fill=0.3 --frames=1,2,3");
	run("ocbt", "--op=update --depth=9,13 --shape=random --fill=0.3 --frames=1,2,3");
	run("descent", "--op=update --depth=9,13 --shape=random --fill=0.3 --frames=1,2,3");
	run("descent-graph", "--op=update --depth=9,13 --shape=random --fill=0.3 --frames=1,2,3");
}

#endif
