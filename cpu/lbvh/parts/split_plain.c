/* split_plain.c -- the operations of split_ways.h in portable C, or in SSE2. */
#include "cpu/lbvh/parts/split_words_plain.h"

#define SPLIT_WAYS lbvh_split_plain
#include "cpu/lbvh/parts/split_body.h"
