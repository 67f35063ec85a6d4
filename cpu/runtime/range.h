/* range.h -- divides a loop among threads. */
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

#endif
