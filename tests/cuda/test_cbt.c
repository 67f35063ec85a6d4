/* test_cbt.c -- the CUDA variants of cbt on paths that only large trees take: reductions by tiles,
 * and groups of groups of tiles.  The tests lower limits so that trees of 2^16 to 2^19 bits take
 * them.  Runs on a GPU or in the PTX executor; without either, the tests are skipped.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "cuda/cbt/shared/limits.h"
#include "tests/cuda/points.h"

#if GB_HAVE_CUDA

static const char *const names[] = { "descent", "libcbt", "block", "ocbt" };

/* Groups of 2, 4 and 128 tiles; with groups of 8, one of the 19 - 15 = 4 levels is left over. */
Test(variants_cbt, tiles)
{
	cbt_cuda_limits.wide = 15;
	for (unsigned fan = 1; fan <= 3; fan++) {
		cbt_cuda_limits.block_fan = fan;
		run_points("cbt", "block",
			   "--op=reduce,cycle --depth=16,17,19 --shape=random --fill=0.2");
		run_points("cbt", "block",
			   "--op=update --depth=16,17 --shape=random --fill=0.01 --frames=3");
	}
	cbt_cuda_limits.block_fan = CBT_BLOCK_FAN;
	run_points("cbt", "block", "--op=reduce --depth=16,17,19 --shape=random --fill=0.2,1");
	cbt_cuda_limits.wide = CBT_WIDE_LEVELS;
}

Test(variants_cbt, groups_above_1024_bits)
{
	for (unsigned fan = 1; fan <= 3; fan++) {
		cbt_cuda_limits.ocbt_fan = fan;
		run_points("cbt", "ocbt",
			   "--op=reduce,cycle --depth=15,16,17,19 --shape=random --fill=0.2");
		run_points("cbt", "ocbt",
			   "--op=update --depth=16,17 --shape=random --fill=0.01 --frames=3");
	}
	cbt_cuda_limits.ocbt_fan = CBT_OCBT_FAN;
}

/* Chunks of 1024 bits whose leaves have one size, from one bit to two chunks, and chunks that have
 * as many leaves of several sizes. */
Test(variants_cbt, chunks_of_equal_leaves)
{
	static const char *const trees[] = {
		"--depth=4,9,11,12 --shape=uniform --fill=1,0.5,0.125,0.0625",
		"--depth=12 --shape=uniform --fill=0.03125,0.0078125,0.001953125,0.00048828125",
		"--depth=10 --shape=random --fill=0.5,0.25,0.0625,0.0078125 --seed=1,2",
	};
	char words[120];

	for (size_t i = 0; i < GB_COUNT(trees); i++) {
		snprintf(words, sizeof words, "--op=decode --ids=store,sum %s", trees[i]);
		run_points("cbt", "block", words);
		run_points("cbt", "ocbt", words);
	}
}

/* One leaf, two leaves: the root itself, and leaves that span many chunks of 1024 bits. */
Test(variants_cbt, few_leaves)
{
	static const char *const trees[] = {
		"--depth=4,10,11,16 --shape=uniform --fill=0.0625",
		"--depth=12 --shape=random --fill=0.00025,0.0005",
		"--depth=18 --shape=random --fill=0.000004,0.0001",
	};
	char words[100];

	for (size_t i = 0; i < GB_COUNT(names); i++)
		for (size_t j = 0; j < GB_COUNT(trees); j++) {
			snprintf(words, sizeof words, "--op=decode,cycle %s", trees[j]);
			run_points("cbt", names[i], words);
			snprintf(words, sizeof words, "--op=update %s --frames=8", trees[j]);
			run_points("cbt", names[i], words);
		}
	run_points("cbt", "block", "--op=bitfield --depth=4 --shape=uniform --fill=0.0625");
	run_points("cbt", "block",
		   "--op=bitfield --depth=18 --shape=random --fill=0.000004,0.0001");
}

/* Frames write to another heap than they read, so the input is intact for the next run. */
Test(variants_cbt, frames_odd_and_even)
{
	for (size_t i = 0; i < GB_COUNT(names); i++)
		run_points("cbt", names[i],
			   "--op=update --depth=9,13 --shape=random --fill=0.3 --frames=1,2,3");
}

#endif
