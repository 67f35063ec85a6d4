/* exchange.h -- variations of an array that exchange neighbouring items, about half of them.
 *
 * Item i is paired with item i ^ apart, `apart` a power of two; an item without a partner stays.
 * The key draws the pairs that are exchanged.  An exchange is its own inverse, so any variation
 * follows from any other in one pass, without memory: a pair is exchanged if the two keys disagree
 * on it.  Key 0 is the original.  Every other key exchanges the first pair, so that short arrays
 * change as well.
 */
#ifndef GPUBENCH_CLI_WORKLOADS_EXCHANGE_H
#define GPUBENCH_CLI_WORKLOADS_EXCHANGE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/rng.h"

enum { GB_EXCHANGE_PAIRS = 64, GB_EXCHANGE_STREAM = 900, GB_EXCHANGE_ITEM_MAX = 32 };

/* Bit b is set if pair 64 word + b is exchanged. */
static inline uint64_t gb_exchange_bits(uint64_t key, size_t word)
{
	return key ? gb_random64_stream(key, GB_EXCHANGE_STREAM, word) | (word == 0) : 0;
}

/* The place in the original of item i of `count` of a variation, and the other way round. */
static inline size_t gb_exchange_source(uint64_t key, size_t i, size_t count, size_t apart)
{
	const size_t other = i ^ apart, pair = i / (2 * apart) * apart + i % apart;
	const size_t word = pair / GB_EXCHANGE_PAIRS, bit = pair % GB_EXCHANGE_PAIRS;

	return other < count && gb_exchange_bits(key, word) >> bit & 1 ? other : i;
}

/* Turn variation `from` of an array of `count` items of `size` bytes into variation `to`. */
static inline void gb_exchange_items(void *items, size_t size, size_t count, size_t apart,
				     uint64_t from, uint64_t to)
{
	const size_t pairs = (count + 2 * apart - 1) / (2 * apart) * apart;
	const size_t words = (pairs + GB_EXCHANGE_PAIRS - 1) / GB_EXCHANGE_PAIRS;
	unsigned char *first = items;

#pragma omp parallel for schedule(static)
	for (size_t word = 0; word < words; word++) {
		uint64_t bits = gb_exchange_bits(from, word) ^ gb_exchange_bits(to, word);

		for (; bits; bits &= bits - 1) {
			const size_t pair =
				word * GB_EXCHANGE_PAIRS + (size_t)__builtin_ctzll(bits);
			const size_t i = pair / apart * 2 * apart + pair % apart, j = i + apart;
			unsigned char spare[GB_EXCHANGE_ITEM_MAX];

			if (j >= count)
				continue;
			memcpy(spare, first + i * size, size);
			memcpy(first + i * size, first + j * size, size);
			memcpy(first + j * size, spare, size);
		}
	}
}

#endif
