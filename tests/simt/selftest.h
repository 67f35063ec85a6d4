/* selftest.h -- right kernels for every feature of the emulator, each with its own judge.
 *
 * A case returns true if its result is right.  They are run plainly, under all checkers and under
 * many seeds: no checker may report them.
 */
#ifndef GPUBENCH_TESTS_SIMT_SELFTEST_H
#define GPUBENCH_TESTS_SIMT_SELFTEST_H

#include <stdbool.h>

struct selftest {
	const char *name;
	bool (*run)(void);
};

extern const struct selftest block_tests[];   /* selftest_block.cu; ends with a NULL name */
extern const struct selftest grid_tests[];    /* selftest_grid.cu */
extern const struct selftest runtime_tests[]; /* selftest_runtime.cu */
extern const struct selftest graph_tests[];   /* selftest_graph.cu */

/* Say which condition of a case failed. */
bool selftest_fail(const char *file, int line, const char *condition);

#define EXPECT(condition)                                                     \
	do {                                                                  \
		if (!(condition))                                             \
			return selftest_fail(__FILE__, __LINE__, #condition); \
	} while (0)

#endif
