/* drive.c -- runs the project's own CUDA variants at the points of sweeps and verifies the results.
 *
 * usage: drive [--once] [--cold] [--wide] [--tiles] [--processors N] [--only VARIANT]...
 *	["WORKLOAD [OPTION...]"]...
 *
 * Every linked cuda variant of variants.def runs at each point, and the workload's verifier checks
 * its output.  A workload without options runs at the points of its `check` list, as do all
 * workloads if none is named.
 *
 *	--once          each point runs once; otherwise several times on one state, as in timing
 *	--cold          caches are flushed before a run
 *	--wide          sorts use 64-bit counters, which otherwise need 2^30 keys
 *	--tiles         octree's morton links a tile at a time, as with millions of bodies
 *	--processors N  sorts size their grids for at most N multiprocessors.  With 1, a block sorts
 *	                several tiles from 21000 keys on; with the 132 of an H100, from 2.7 million
 *
 * The program has no other part of the command line than the sweeps.  Only the variants, which are
 * linked next to this object, are instrumented by a checker.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/measure/measure.h"
#include "cli/measure/sweep.h"
#include "cli/workloads/registry.h"
#include "common/text.h"
#include "cuda/primitives/limits.h"

/* Variants that need only CUDA.  One whose file is not linked is NULL. */
#define DRIVE_NONE(workload, symbol, name)
#define DRIVE_CUDA(workload, symbol, name) \
	extern const struct gb_variant_ops workload##_cuda_##symbol __attribute__((weak));
#define NEEDS_CUDA       DRIVE_CUDA
#define NEEDS_CUB        DRIVE_NONE
#define ON_cpu(needs)    DRIVE_NONE
#define ON_cuda(needs)   NEEDS_##needs
#define ON_vulkan(needs) DRIVE_NONE
#define GB_VARIANT(backend, workload, symbol, name, kind, needs, summary) \
	ON_##backend(needs)(workload, symbol, name)
#include "common/variants.def"
#undef DRIVE_CUDA

#define DRIVE_CUDA(workload_, symbol, name_) \
	{ .workload = #workload_,            \
	  .name = name_,                     \
	  .backend = GB_CUDA,                \
	  .ops = &workload_##_cuda_##symbol, \
	  .absent = "not linked" },
static const struct gb_variant variants[] = {
#include "common/variants.def"
};

enum { MAX_ONLY = 16 };

static struct {
	bool once, cold;
	size_t only_count;
	const char *only[MAX_ONLY];
	int passed, failed, skipped;
} drive;

static bool is_wanted(const struct gb_variant *v)
{
	for (size_t i = 0; i < drive.only_count; i++)
		if (gb_equal(drive.only[i], v->name))
			return true;
	return drive.only_count == 0;
}

static void try_point(const struct gb_variant *v, const struct gb_workload *workload,
		      const void *params, const char *words, size_t point)
{
	const struct gb_settings how = {
		.samples = 1, .warmup = 1, .hot = !drive.cold, .no_phases = 1, .timeout_s = 900
	};
	struct gb_result r = { .workload = workload, .variant = v, .params = params };
	struct gb_error err = { 0 };
	void *input = NULL;

	if (workload->prepare(params, &input, &err) ||
	    gb_measure(&r, input, &how, !drive.once, &err)) {
		drive.failed++;
		printf("%s/%s: %s\n", v->workload, v->name, err.message);
	} else if (r.record.status == GB_STATUS_SKIPPED) {
		drive.skipped++;
	} else if (r.record.status == GB_STATUS_OK) {
		drive.passed++;
	} else {
		drive.failed++;
		printf("%s/%s, point %zu of %s: %s: %s\n", v->workload, v->name, point, words,
		       r.code == GB_EVERIFY ? "wrong" : "failed", r.record.reason);
	}
	gb_result_release(&r);
	workload->release(input);
}

/* Stop at the first error: after it every CUDA call fails. */
static void try_sweep(const struct gb_workload *workload, const char *words)
{
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	void *params = malloc(workload->params_size);

	if (!params || gb_sweep_words(&sweep, workload, words, &err)) {
		printf("%s: %s\n", words, err.message);
		drive.failed++;
	}
	for (size_t i = 0; i < GB_COUNT(variants) && !drive.failed; i++) {
		const struct gb_variant *v = &variants[i];

		if (!v->ops || !gb_equal(v->workload, workload->name) || !is_wanted(v))
			continue;
		for (size_t p = 0; p < sweep.count && !drive.failed; p++) {
			gb_sweep_point(&sweep, p, params);
			if (gb_sweep_wants(&sweep, p, v))
				try_point(v, workload, params, words, p);
		}
	}
	gb_sweep_release(&sweep);
	free(params);
}

static void try_check_list(const struct gb_workload *workload)
{
	for (const char *const *words = workload->check; *words; words++)
		try_sweep(workload, *words);
}

/* line is "radix --count=33 --type=pairs", or "radix" for its check list. */
static void try_line(const char *line)
{
	const size_t length = strcspn(line, " ");
	const struct gb_workload *workload;
	char name[32];

	(void)snprintf(name, sizeof name, "%.*s", (int)length, line);
	workload = gb_workload_find(name);
	if (!workload) {
		printf("no workload '%s'\n", name);
		drive.failed++;
	} else if (line[length]) {
		try_sweep(workload, line + length);
	} else {
		try_check_list(workload);
	}
}

int main(int argc, char **argv)
{
	struct gb_error err = { 0 };
	int lines = 0;

	if (gb_backends[GB_CUDA]->open(0, &err)) {
		printf("cannot open the device: %s\n", err.message);
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		if (gb_equal(argv[i], "--only") && i + 1 < argc && drive.only_count < MAX_ONLY)
			drive.only[drive.only_count++] = argv[++i];
		else if (gb_equal(argv[i], "--once"))
			drive.once = true;
		else if (gb_equal(argv[i], "--cold"))
			drive.cold = true;
		else if (gb_equal(argv[i], "--wide"))
			gpu_sort_limits.words = 0;
		else if (gb_equal(argv[i], "--tiles"))
			gpu_sort_limits.tiles = 0;
		else if (gb_equal(argv[i], "--processors") && i + 1 < argc)
			gpu_sort_limits.processors = strtoul(argv[++i], NULL, 10);
		else
			argv[1 + lines++] = argv[i];
	}
	for (int i = 1; i <= lines; i++)
		try_line(argv[i]);
	for (size_t w = 0; !lines && w < gb_workload_count; w++)
		try_check_list(gb_workloads[w]);
	gb_backends[GB_CUDA]->close();
	printf("%d passed, %d failed, %d skipped\n", drive.passed, drive.failed, drive.skipped);
	return drive.failed != 0;
}
