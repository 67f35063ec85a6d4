/* digit.h -- counting and moving records by an 8-bit digit: the step of a radix sort.
 *
 * The digit of a record is (record >> shift) & 255.  Moving is a plain scatter: one load of a
 * position, one store of the record.  Each store asks for the line behind it as well, since the
 * hardware follows only some 32 of the 256 output streams: without that a thread waits for a miss
 * per line (measured: 6.9 ns per key instead of 1.8), and where all is in the cache it costs nothing.
 * Outputs far beyond the cache are collected in a few lines per digit and streamed to memory,
 * which saves reading what is overwritten.
 */
#ifndef GPUBENCH_CPU_SORT_DIGIT_H
#define GPUBENCH_CPU_SORT_DIGIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What to prefetch when something was stored at `to`. */
#define RADIX_NEXT_LINE(to) ((const char *)(to) + 64)

enum { RADIX_DIGITS = 256, RADIX_DIGIT_BITS = 8 };

/* Adds to count[d] the records of key[0 .. n - 1] whose digit is d. */
void radix_digit_count_u32(const uint32_t *key, size_t n, unsigned shift,
			   size_t count[RADIX_DIGITS]);
void radix_digit_count_u64(const uint64_t *key, size_t n, unsigned shift,
			   size_t count[RADIX_DIGITS]);

/* Records to out[position[digit]++], in order.  out and key must not overlap. */
void radix_digit_scatter_u32(const uint32_t *key, size_t n, unsigned shift, uint32_t *out,
			     size_t position[RADIX_DIGITS]);
void radix_digit_scatter_u64(const uint64_t *key, size_t n, unsigned shift, uint64_t *out,
			     size_t position[RADIX_DIGITS]);

/* The same for bits of floats, which leave as numbers of their order. */
void radix_digit_count_f32(const uint32_t *key, size_t n, unsigned shift,
			   size_t count[RADIX_DIGITS]);
void radix_digit_scatter_f32(const uint32_t *key, size_t n, unsigned shift, uint32_t *out,
			     size_t position[RADIX_DIGITS]);

/* Where thread `thread` of `threads` writes its records of each digit, from what each counted:
 * digit by digit, and within a digit thread by thread, so that the move is stable.  The counts of
 * thread t begin at count[t * stride].  Also fills first[d] (unless NULL) with where digit d
 * begins; first[RADIX_DIGITS] is the number of records. */
void radix_digit_positions(const size_t *count, size_t stride, int threads, int thread,
			   size_t position[RADIX_DIGITS], size_t first[RADIX_DIGITS + 1]);

#endif
