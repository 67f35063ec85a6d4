/* faults.h -- kernels with one seeded fault each; the tables end with a NULL name. */
#ifndef GPUBENCH_TESTS_SIMT_FAULTS_H
#define GPUBENCH_TESTS_SIMT_FAULTS_H

#include "tests/simt/case.h"

extern const struct kernel_case block_faults[]; /* faults_block.cu */
extern const struct kernel_case grid_faults[];  /* faults_grid.cu */

#endif
