#include "cuda/primitives/limits.h"

#include <stdint.h>

struct gpu_sort_limits gpu_sort_limits = {
	.words = (size_t)1 << 30,
	.offsets = (size_t)INT32_MAX + 1,
	.processors = SIZE_MAX,
	.tiles = (size_t)1 << 21,
};
