/* fuzz_graph.c -- any bytes as a graph file of each kind; a graph that is read is searched by the
 * verifier's reference, so that every row and column is used.
 *
 * The first byte chooses the kind.  Of text, numbers are cut after four digits behind their zeros:
 * a few bytes may ask for gigabytes, rightly, but that is not what is looked for.  (A .sg file is
 * as long as it says.)
 */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/workloads/bfs/reference.h"
#include "cli/workloads/registry.h"
#include "common/text.h"
#include "datasets/graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const endings[] = { ".mtx", ".el", ".gr", ".sg" };

/* Replace every fifth and further digit of a number, but for zeros in front, by a space. */
static void cut_numbers(uint8_t *text, size_t size)
{
	size_t digits = 0;

	for (size_t i = 0; i < size; i++) {
		digits = isdigit(text[i]) && (digits || text[i] != '0') ? digits + 1 : 0;
		if (digits > 4)
			text[i] = ' ';
	}
}

/* The path of a file in memory that holds the bytes; its descriptor to *file. */
static bool make_file(char path[64], const uint8_t *bytes, size_t size, const char *ending,
		      int *file)
{
	char target[64];

	*file = memfd_create("graph", 0);
	if (*file < 0 || write(*file, bytes, size) != (ssize_t)size)
		return false;
	(void)snprintf(target, sizeof target, "/proc/self/fd/%d", *file);
	(void)snprintf(path, 64, "/tmp/gpubench-fuzz-%d%s", getpid(), ending);
	(void)unlink(path);
	return symlink(target, path) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *ending = endings[size ? data[0] % GB_COUNT(endings) : 0];
	struct bfs_params params = { .sources = 3 };
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };
	uint8_t *bytes;
	void *input = NULL;
	char path[64];
	int file = -1;

	if (size < 2)
		return 0;
	bytes = malloc(size - 1);
	memcpy(bytes, data + 1, size - 1);
	if (!gb_equal(ending, ".sg"))
		cut_numbers(bytes, size - 1);
	params.file = path;
	if (make_file(path, bytes, size - 1, ending, &file) &&
	    !gb_bfs_workload.prepare(&params, &input, &err)) {
		int32_t *dist = malloc(gb_bfs_workload.output_size(&params, input));

		if (!bfs_reference(input, bfs_source(input, 0), dist) ||
		    gb_bfs_workload.verify(&params, input, 0, dist, &metrics, &err))
			abort();
		free(dist);
		gb_bfs_workload.release(input);
	}
	(void)unlink(path);
	if (file >= 0)
		(void)close(file);
	free(bytes);
	return 0;
}
