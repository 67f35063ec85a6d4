/* test_radix.c -- sorts with 64-bit counters, which otherwise need 2^30 keys.  Runs on a GPU or in
 * an executor; without either, the tests are skipped.
 */
#include "cuda/primitives/limits.h"
#include "tests/cuda/points.h"

#if GB_HAVE_CUDA

static void lower_limits(void)
{
	open_gpu();
	gpu_sort_limits.words = gpu_sort_limits.offsets = 0;
}

TestSuite(variants_radix, .init = lower_limits);

Test(variants_radix, wide)
{
	run_points("radix", "onesweep", "--type=u32,u64,f32,pairs --count=33,20000");
	run_points("lbvh", "apetrei", "--scene=soup --count=5001");
	run_points("lbvh", "ploc", "--scene=soup --count=5001");
	run_points("octree", "morton", "--count=5001 --distribution=plummer");
	run_points("octree", "lf-shared", "--count=5001 --distribution=plummer");
}

Test(variants_radix, wide_cub)
{
	run_points("radix", "cub", "--type=u32,u64,f32,pairs --count=33,20000");
}

#endif
