/* fuzz_graph.c -- arbitrary bytes as a graph file of each kind; the verifier's reference searches
 * every accepted graph, so that each row and column is used.
 *
 * The size selects the ending of the name.  Memory is limited as by --memory: a few bytes may
 * legitimately ask for the 64 MiB that any file may take.
 */
#include "cli/benchmarks/bfs/bfs_reference.h"
#include "cli/benchmarks/registry.h"
#include "common/memory.h"
#include "common/text.h"
#include "datasets/graph/graph.h"
#include "tests/fuzz/fuzz.h"

static const char *const endings[] = { ".mtx", ".txt", ".gr", ".sg", ".graph" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bfs_params params = { .sources = 3 };
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };
	void *input = NULL;

	gb_memory_set_limit((size_t)4 << 20);
	params.file = fuzz_file(data, size, endings[size % GB_COUNT(endings)]);
	if (!gb_bfs_benchmark.prepare(&params, &input, &err)) {
		int32_t *dist = malloc(gb_bfs_benchmark.output_size(&params, input));

		if (!bfs_reference(input, bfs_source(input, 0), dist) ||
		    gb_bfs_benchmark.verify(&params, input, 0, dist, &metrics, &err))
			abort();
		free(dist);
		gb_bfs_benchmark.release(input);
	}
	(void)unlink(params.file);
	return 0;
}
