/* digit.h -- counts and moves records by an 8-bit digit: the step of a radix sort.
 *
 * The digit of a record is (record >> shift) & 255.  Moving is a plain scatter: one load of a
 * position, one store of the record.  Each store also prefetches the next line.  The hardware
 * follows only some of the 256 output streams, so a thread would otherwise wait for a miss per
 * line; where everything is in the cache, the prefetch costs nothing.  Outputs far larger than the
 * cache are collected in a few lines per digit and streamed to memory, which saves reading what is
 * overwritten.
 */
#ifndef GPUBENCH_CPU_SORT_DIGIT_H
#define GPUBENCH_CPU_SORT_DIGIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Address to prefetch after a store to `to`. */
#define RADIX_NEXT_LINE(to) ((const char *)(to) + 64)

enum { RADIX_DIGITS = 256, RADIX_DIGIT_BITS = 8 };

/* Add to count[d] the records of key[0 .. n - 1] whose digit is d. */
void radix_digit_count_u32(const uint32_t *key, size_t n, unsigned shift,
			   size_t count[RADIX_DIGITS]);
void radix_digit_count_u64(const uint64_t *key, size_t n, unsigned shift,
			   size_t count[RADIX_DIGITS]);

/* Move records to out[position[digit]++], in order.  out and key must not overlap. */
void radix_digit_scatter_u32(const uint32_t *key, size_t n, unsigned shift, uint32_t *out,
			     size_t position[RADIX_DIGITS]);
void radix_digit_scatter_u64(const uint64_t *key, size_t n, unsigned shift, uint64_t *out,
			     size_t position[RADIX_DIGITS]);

/* The same for the bits of floats, which are written as numbers of their order. */
void radix_digit_count_f32(const uint32_t *key, size_t n, unsigned shift,
			   size_t count[RADIX_DIGITS]);
void radix_digit_scatter_f32(const uint32_t *key, size_t n, unsigned shift, uint32_t *out,
			     size_t position[RADIX_DIGITS]);

/* Compute where thread `thread` of `threads` writes its records of each digit: digit by digit, and
 * thread by thread within a digit, so the move is stable.  The counts of thread t begin at
 * count[t * stride].  Unless first is NULL, first[d] becomes the place where digit d begins, and
 * first[RADIX_DIGITS] the number of records. */
void radix_digit_positions(const size_t *count, size_t stride, int threads, int thread,
			   size_t position[RADIX_DIGITS], size_t first[RADIX_DIGITS + 1]);

#endif
