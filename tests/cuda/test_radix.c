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
	run_points("radix", "onesweep", "--type=u32,u64,f32 --count=33,20000");
	run_points("radix", "onesweep", "--values=u32 --count=33,20000");
	run_points("radix", "onesweep", "--type=u8,u16,f64 --values=none,u64 --count=33,20000");
	run_points("lbvh", "apetrei", "--scene=soup --count=5001");
	run_points("lbvh", "ploc", "--scene=soup --count=5001");
	run_points("octree", "morton", "--count=5001 --distribution=plummer");
	run_points("octree", "lf-shared", "--count=5001 --distribution=plummer");
}

/* A block sorts several tiles from 11521 keys of 64 bits on, or 20481 of 32 bits. */
Test(variants_radix, one_multiprocessor)
{
	gpu_sort_limits.words = SIZE_MAX;
	gpu_sort_limits.processors = 1;
	run_points("radix", "onesweep",
		   "--type=u32,u64,f32,i64 --count=12000,21000 --distribution=uniform,few");
	run_points("radix", "onesweep",
		   "--values=u32 --count=12000,21000 --distribution=uniform,few");
	run_points("octree", "morton", "--count=6500 --distribution=plummer");
	run_points("octree", "lf-shared", "--count=6500 --distribution=plummer");
}

/* If emulated, on a device with small clusters. */
Test(variants_radix_clusters, small)
{
	(void)setenv("GPUBENCH_PTX_CLUSTER_BLOCKS", "4", 1);
	open_gpu();
	run_points("radix", "small",
		   "--type=u32,u64,f32 --count=1025:1029,3000,5000,9000,17000,33000");
	run_points("radix", "small", "--values=u32 --count=1025:1029,3000,5000,9000,17000,33000");
}

Test(variants_radix, wide_cub)
{
	run_points("radix", "cub", "--type=u32,u64,f32 --count=33,20000");
	run_points("radix", "cub", "--values=u32 --count=33,20000");
}

#endif
