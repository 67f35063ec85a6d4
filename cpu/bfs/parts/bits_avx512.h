/* bits_avx512.h -- rows of bits, 512 at a time. */
#ifndef GPUBENCH_CPU_BFS_PARTS_BITS_AVX512_H
#define GPUBENCH_CPU_BFS_PARTS_BITS_AVX512_H

#include "cpu/bfs/parts/bits.h"

#if defined(__x86_64__)
extern const struct bfs_bits_ops bfs_bits_avx512;
#endif

#endif
