/* lbvh_kernels_plain.c -- the traversal kernels in portable C. */
#include "cpu/lbvh_kernels.h"

#include "cpu/lbvh_words_plain.h"

#define KERNELS      lbvh_kernels_plain
#define KERNELS_NAME "plain"
#include "cpu/lbvh_kernels_body.h"
