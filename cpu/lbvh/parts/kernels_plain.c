/* kernels_plain.c -- the traversal kernels in portable C. */
#include "cpu/lbvh/parts/kernels.h"

#include "cpu/lbvh/parts/words_plain.h"

#define KERNELS lbvh_kernels_plain
#include "cpu/lbvh/parts/kernels_body.h"
