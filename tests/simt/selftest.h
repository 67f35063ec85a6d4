/* selftest.h -- correct programs for every feature of the emulator; each checks its own result.
 *
 * They run plainly, under all checkers and under many seeds.  No checker may report them.
 */
#ifndef GPUBENCH_TESTS_SIMT_SELFTEST_H
#define GPUBENCH_TESTS_SIMT_SELFTEST_H

#include "tests/simt/case.h"

struct selftest {
	const char *name;
	bool (*run)(void); /* returns true if the result is right */
};

extern const struct kernel_case right_kernels[]; /* selftest_kernels.cu; ends with a NULL name */
extern const struct selftest runtime_tests[];    /* selftest_runtime.cu */

/* Called before and after each of runtime_tests. */
bool selftest_begin(void);
bool selftest_end(void);

/* Print the condition of a test that failed. */
bool selftest_fail(const char *file, int line, const char *condition);

#define EXPECT(condition)                                                     \
	do {                                                                  \
		if (!(condition))                                             \
			return selftest_fail(__FILE__, __LINE__, #condition); \
	} while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

#endif
