/* fuzz_graph.c -- arbitrary bytes as a graph file of each kind; the verifier's reference searches
 * every accepted graph, so that each row and column is used.
 *
 * The first byte selects the kind.  Numbers in text are cut to four digits after leading zeros: a
 * few bytes may legitimately ask for gigabytes, which is not a fault.  (The size of a .sg file
 * limits its graph.)
 */
#include <ctype.h>

#include "cli/benchmarks/bfs/bfs_reference.h"
#include "cli/benchmarks/registry.h"
#include "common/text.h"
#include "datasets/graph/graph.h"
#include "tests/fuzz/fuzz.h"

static const char *const endings[] = { ".mtx", ".el", ".gr", ".sg" };

/* Replace the fifth and further digits of a number, not counting leading zeros, by spaces. */
static void cut_numbers(uint8_t *text, size_t size)
{
	size_t digits = 0;

	for (size_t i = 0; i < size; i++) {
		digits = isdigit(text[i]) && (digits || text[i] != '0') ? digits + 1 : 0;
		if (digits > 4)
			text[i] = ' ';
	}
}

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
	if (!gb_equal(ending, ".sg"))
		cut_numbers(bytes, size - 1);
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
