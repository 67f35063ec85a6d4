/* fuzz_graph.c -- arbitrary bytes as a graph file of each kind; the verifier's reference searches
 * every accepted graph, so that each row and column is used.
 *
 * The first byte selects the ending of the name.  Memory is limited as by --memory: a few bytes may
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
	const char *ending = endings[size ? data[0] % GB_COUNT(endings) : 0];
	struct bfs_params params = { .sources = 3 };
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };
	uint8_t *bytes;
	void *input = NULL;

	if (size < 2)
		return 0;
	bytes = malloc(size - 1);
	memcpy(bytes, data + 1, size - 1);
	gb_memory_set_limit((size_t)4 << 20);
	params.file = fuzz_file(bytes, size - 1, ending);
	if (!gb_bfs_benchmark.prepare(&params, &input, &err)) {
		int32_t *dist = malloc(gb_bfs_benchmark.output_size(&params, input));

		if (!bfs_reference(input, bfs_source(input, 0), dist) ||
		    gb_bfs_benchmark.verify(&params, input, 0, dist, &metrics, &err))
			abort();
		free(dist);
		gb_bfs_benchmark.release(input);
	}
	(void)unlink(params.file);
	free(bytes);
	return 0;
}
