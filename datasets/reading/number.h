/* number.h -- numbers in binary files: of kind 'f', 'i' or 'u', 1 to 8 bytes, either byte order. */
#ifndef GPUBENCH_DATASETS_READING_NUMBER_H
#define GPUBENCH_DATASETS_READING_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bits of a number, sign-extended to 64. */
static inline uint64_t gb_number_bits(const void *at, char kind, unsigned size, bool big)
{
	const unsigned char *byte = at;
	const unsigned spare = (64 - 8 * size) & 63;
	uint64_t bits = 0;

	for (unsigned i = 0; i < size; i++)
		bits |= (uint64_t)byte[big ? size - 1 - i : i] << 8 * i;
	return kind == 'i' ? (uint64_t)((int64_t)(bits << spare) >> spare) : bits;
}

static inline double gb_number_value(const void *at, char kind, unsigned size, bool big)
{
	const uint64_t bits = gb_number_bits(at, kind, size, big);
	const uint32_t low = (uint32_t)bits;
	float single;
	double wide;

	memcpy(&single, &low, sizeof single);
	memcpy(&wide, &bits, sizeof wide);
	if (kind == 'f')
		return size == 4 ? (double)single : wide;
	return kind == 'i' ? (double)(int64_t)bits : (double)bits;
}

#endif
