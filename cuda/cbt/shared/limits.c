#include "cuda/cbt/shared/limits.h"

struct cbt_cuda_limits cbt_cuda_limits = { CBT_WIDE_LEVELS, CBT_BLOCK_FAN, CBT_OCBT_FAN };
