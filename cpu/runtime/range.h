/* range.h -- divides a loop among threads; places of a sample. */
#ifndef GPUBENCH_CPU_RUNTIME_RANGE_H
#define GPUBENCH_CPU_RUNTIME_RANGE_H

#include <stddef.h>
#include <stdint.h>

/* Part of 0 .. count - 1. */
struct cpu_range {
	size_t begin, end;
};

/* The part of a thread; the parts differ in size by at most 1. */
static inline struct cpu_range cpu_range_of(size_t count, int thread, int threads)
{
	const size_t t = (size_t)thread, share = count / (size_t)threads;
	const size_t rest = count % (size_t)threads;
	const size_t begin = share * t + (t < rest ? t : rest);

	return (struct cpu_range){ begin, begin + share + (t < rest) };
}

/* Place of sample i of a `count` of items, at least as many as samples: one in each of equal parts.
 * The distances differ, so that a sample of periodic items is not of one phase only. */
static inline size_t cpu_sample_at(size_t count, size_t samples, size_t i)
{
	const size_t step = count / samples;
	const uint32_t part = (uint32_t)i * 0x9e3779b9u; /* multiples of the golden ratio mod 1 */

	return i * step + (size_t)((uint64_t)part * step >> 32);
}

#endif
