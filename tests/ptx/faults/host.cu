/* host.cu -- runs one planted fault, or a correct kernel, by name.  This file has the faults in host
 * code.
 *
 * usage: faults NAME | --list.  Prints "result right", "result wrong" or "result cuda: ...".
 */
#include "tests/ptx/faults/case.h"

enum { WRONG = 1, LARGE = 60 << 10 };

KERNEL(copy)
{
	out[INDEX] = in[INDEX];
}

/* ---- memory ------------------------------------------------------------------------------ */

static uint32_t *extra;

static void allocate_extra(void)
{
	(void)cudaMalloc(&extra, sizeof case_in);
	(void)cudaMemcpy(extra, case_in, sizeof case_in, cudaMemcpyHostToDevice);
}

static void free_extra(void)
{
	(void)cudaDeviceSynchronize();
	(void)cudaFree(extra);
}

static void pass_host_pointer(void)
{
	case_device.in = case_in;
}

struct arrays {
	const uint32_t *in;
	uint32_t *out;
};

static __global__ void copy_arrays(struct arrays arrays)
{
	arrays.out[INDEX] = arrays.in[INDEX];
}

/* A launch does not see a pointer inside a struct. */
static void pass_struct(void)
{
	uint32_t *const heap = (uint32_t *)malloc(sizeof case_in);

	memcpy(heap, case_in, sizeof case_in);
	copy_arrays<<<BLOCKS, BLOCK>>>((struct arrays){ heap, case_device.out });
	(void)cudaDeviceSynchronize();
	free(heap);
}

static void read_device(void)
{
	case_in[3] = case_device.in[3];
}

static void write_device(void)
{
	case_device.in[3] = case_in[3];
}

static void use_freed(void)
{
	allocate_extra();
	free_extra();
	case_device.in = extra;
}

static void free_twice(void)
{
	allocate_extra();
	free_extra();
	free_extra();
}

static void copy_past_end(void)
{
	static const uint32_t larger[COUNT + 1] = {};

	(void)cudaMemcpy(case_device.in, larger, sizeof larger, cudaMemcpyHostToDevice);
}

KERNEL(add_words)
{
	out[INDEX] = in[INDEX] + (words[INDEX] & 1);
}

static void uninitialise(void)
{
	(void)cudaMalloc(&extra, sizeof case_in);
	case_device.words = extra;
}

/* The program reads its result from page-locked memory before it waits for the copy. */
static void read_too_early(void)
{
	uint32_t *pinned = NULL;

	(void)cudaHostAlloc(&pinned, sizeof case_in, 0);
	memset(pinned, 0, sizeof case_in);
	(void)cudaMemcpyAsync(pinned, case_device.out, sizeof case_in, cudaMemcpyDeviceToHost);
	memcpy(case_in, pinned, sizeof case_in);
	(void)cudaFreeHost(pinned);
}

static const struct kernel_case host_faults[] = {
	{ "host_pointer_argument", "reported", copy, NULL, {}, pass_host_pointer },
	{ "host_pointer_in_struct", "reported", NULL, NULL, {}, pass_struct },
	{ "host_reads_device", "protect", copy, NULL, {}, NULL, read_device },
	{ "host_writes_device", "protect", copy, NULL, {}, write_device },
	{ "use_after_free", "reported", copy, NULL, {}, use_freed },
	{ "double_free", "reported", copy, NULL, {}, free_twice },
	{ "leak", "reported", copy, NULL, {}, allocate_extra },
	{ "uninitialised_global", "uninitialised", add_words, NULL, {}, uninitialise, free_extra },
	{ "copy_past_end", "reported", copy, NULL, {}, copy_past_end },
	{ "missing_synchronisation", "wrong", copy, NULL, {}, NULL, read_too_early },
	{ "block_too_large", "refused", copy, NULL, { 1, 2048 } },
	{ "too_much_dynamic_shared", "refused", copy, NULL, { .shared = LARGE } },
	{ "grid_not_multiple_of_cluster", "refused", copy, NULL, { .cluster = 3 } },
	{ "cluster_too_large", "refused", copy, NULL, { 16, 64, 16 } },
	{ "cooperative_too_large", "refused", copy, NULL, { 100000, BLOCK, 1, 0, true } },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	const char *const name = argc == 2 ? argv[1] : "";
	const bool lists = strcmp(name, "--list") == 0;

	for (const struct kernel_case *table :
	     { right_kernels, block_faults, grid_faults, host_faults }) {
		for (const struct kernel_case *c = table; c->name; c++) {
			if (lists)
				printf("%s %s\n", c->name, c->found_by);
			if (strcmp(name, c->name) != 0)
				continue;
			const char *const wrong = case_run(c);
			const bool refused = wrong && strcmp(wrong, "wrong") != 0;

			printf("result %s%s\n", refused ? "cuda: " : "", wrong ? wrong : "right");
			return wrong ? WRONG : 0;
		}
	}
	return lists ? 0 : 2;
}
