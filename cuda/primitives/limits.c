#include "cuda/primitives/limits.h"

#include <stdint.h>

struct gpu_sort_limits gpu_sort_limits = { (size_t)1 << 30, (size_t)INT32_MAX + 1, SIZE_MAX };
