/* selftest.h -- right programs for every feature of the emulator, each with its own judge.
 *
 * They are run plainly, under all checkers and under many seeds: no checker may report them.
 */
#ifndef GPUBENCH_TESTS_SIMT_SELFTEST_H
#define GPUBENCH_TESTS_SIMT_SELFTEST_H

#include "tests/simt/case.h"

struct selftest {
	const char *name;
	bool (*run)(void); /* true: its result is right */
};

extern const struct kernel_case right_kernels[]; /* selftest_kernels.cu; ends with a NULL name */
extern const struct selftest runtime_tests[];    /* selftest_runtime.cu */

/* Around each of runtime_tests. */
bool selftest_begin(void);
bool selftest_end(void);

/* Say which condition of a case failed. */
bool selftest_fail(const char *file, int line, const char *condition);

#define EXPECT(condition)                                                     \
	do {                                                                  \
		if (!(condition))                                             \
			return selftest_fail(__FILE__, __LINE__, #condition); \
	} while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

#endif
