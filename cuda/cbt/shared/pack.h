/* pack.h -- packs sums into words of a heap, the lowest seven levels by a warp.
 *
 * Level D - n of a heap is an array of sums of n + 1 bits without gaps.  There are two ways to make
 * its words.  One thread gathers a word from the sums whose bits it holds, here from pieces of 20
 * bits, of which the second is cut:
 *	pieces   |0         |1         |2         |3
 *	words    |0               |1              |2                pack_word(), heap_word()
 *
 * Or a thread has the bits of the field and sums them in place, all fields of a word at once, and
 * then closes the gaps by shifting neighbours together in pairs (sums_of_word()).  For level D - 2,
 * eight sums of four bits each, a to h:
 *	0hhh0ggg 0fff0eee 0ddd0ccc 0bbb0aaa    sums
 *	00hhhggg 00fffeee 00dddccc 00bbbaaa    pairs are closed up: h one bit down, g stays
 *	0000hhhgggfffeee  0000dddcccbbbaaa     the same for pairs
 *	00000000hhhgggfffeeedddcccbbbaaa       24 bits
 *
 * reduce_strip() makes levels D - 1 to D - 7 of 4096 bits, the lowest three in the second way.  For
 * the other levels, a lane has only parts of words.  They go through shared memory, in as few and
 * as wide pieces as possible, and pack_word() assembles them.
 */
#ifndef GPUBENCH_CUDA_CBT_SHARED_PACK_H
#define GPUBENCH_CUDA_CBT_SHARED_PACK_H

#include "cuda/cbt/shared/tree.h"
#include "cuda/primitives/device.h"

enum {
	QUAD_LEVELS = 7,   /* a lane owns 2^7 bits */
	STRIP_LEVELS = 12, /* a warp owns 2^12 bits */
	TRIPLES = 3 * WARP /* words of level D - 2 in a strip */
};

/* ---- words from sums ----------------------------------------------------------------------- */

/* Word `o` of a group of 32 (or 64, ...) nodes of a level, from their sums or from pieces of
 * `width` bits that hold several sums each. */
static __device__ __forceinline__ uint32_t pack_word(const uint32_t *count, unsigned width,
						     uint32_t o)
{
	uint32_t i = o * 32 / width, word;
	int at = (int)(i * width) - (int)(o * 32); /* of sum i in the word; may be negative */

	word = count[i] >> -at;
	for (at += (int)width; at < 32; at += (int)width)
		word |= count[++i] << at;
	return word;
}

/* Word `o` of the heap: the bits of the depth marker and of the levels below `levels`, to which at
 * least part of the word must belong.  count: the sums, by node number. */
static __device__ __forceinline__ uint32_t heap_word(const uint32_t *count, unsigned depth,
						     unsigned levels, uint32_t o)
{
	const uint32_t first = o * 32;
	uint32_t word = o == 0 ? 1u << depth : 0, bit, i = 0;
	unsigned d = 0, width;

	while (d + 1 < levels && (uint32_t)cbt_level_bit(depth, d + 1) <= first)
		d++;
	bit = (uint32_t)cbt_level_bit(depth, d);
	width = cbt_width(depth, d);
	if (first > bit)
		i = (first - bit) / width;
	bit += i * width;
	while (d < levels && bit < first + 32) {
		const uint32_t sum = count[(1u << d) + i];

		word |= bit >= first ? sum << (bit - first) : sum >> (first - bit);
		bit += width;
		if (++i == 1u << d) { /* the next level follows without a gap */
			i = 0;
			d++;
			width--;
		}
	}
	return word;
}

/* ---- the lowest levels --------------------------------------------------------------------- */

/* A warp's buffer for packing its 4096 bits: the lanes' packed sums of each level, in pieces of the
 * given number of bits, and the words of level D - 2, of which each lane makes three. */
struct strip {
	alignas(8) uint32_t by16[2 * WARP]; /* 20 bits: four sums of 5 */
	uint32_t by32[WARP];                /* 24: four of 6 */
	uint32_t by64[WARP];                /* 14: two of 7 */
	uint32_t by128[WARP];               /* 8 */
	uint32_t by4[TRIPLES];
};

/* Sums of a word's bits: by 2, a word; by 4, packed into 24 bits; by 8, into 16 bits; the two by
 * 16, one in each half. */
struct word_sums {
	uint32_t by2, by4, by8, by16;
};

static __device__ __forceinline__ word_sums sums_of_word(uint32_t x)
{
	word_sums s;
	uint32_t y;

	x = (x & 0x55555555u) + (x >> 1 & 0x55555555u);
	s.by2 = x; /* 16 sums of 2 bits: no gaps */
	x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
	y = (x & 0x07070707u) | (x >> 1 & 0x38383838u);
	y = (y & 0x003f003fu) | (y >> 2 & 0x0fc00fc0u);
	s.by4 = (y & 0x00000fffu) | (y >> 4 & 0x00fff000u);
	x = (x + (x >> 4)) & 0x0f0f0f0fu;
	y = (x | x >> 4) & 0x00ff00ffu; /* four sums of 4 bits, 8 apart */
	s.by8 = (y | y >> 8) & 0xffffu;
	s.by16 = (x + (x >> 8)) & 0x001f001fu;
	return s;
}

/* By a warp: write the words of level D - N of strip number `strip` from pieces of PIECE bits. */
template <int N, int PIECE>
static __device__ __forceinline__ void write_level(uint32_t *heap, unsigned depth, uint32_t strip,
						   const uint32_t *piece)
{
	constexpr unsigned WORDS = (1u << (STRIP_LEVELS - N)) * (N + 1) / 32;
	uint32_t *const to = heap + cbt_level_word(depth, depth - N) + (size_t)strip * WORDS;

	for (unsigned o = threadIdx.x % WARP; o < WORDS; o += WARP)
		to[o] = pack_word(piece, PIECE, o);
}

/* Four sums of `width` bits as one piece. */
static __device__ __forceinline__ uint32_t concatenate(uint4 sum, int width)
{
	return sum.x | sum.y << width | sum.z << 2 * width | sum.w << 3 * width;
}

/* By a warp: write levels D - 1 to D - 7 of strip number `strip`.  quad: the lane's bits, whose sum
 * is returned. */
static __device__ __forceinline__ uint32_t reduce_strip(uint32_t *heap, unsigned depth,
							uint32_t strip, uint4 quad, struct strip *s)
{
	const unsigned lane = threadIdx.x % WARP;
	const word_sums a = sums_of_word(quad.x), b = sums_of_word(quad.y);
	const word_sums c = sums_of_word(quad.z), d = sums_of_word(quad.w);
	const uint4 low = make_uint4(a.by16 & 31, a.by16 >> 16, b.by16 & 31, b.by16 >> 16);
	const uint4 high = make_uint4(c.by16 & 31, c.by16 >> 16, d.by16 & 31, d.by16 >> 16);
	const uint4 by32 =
		make_uint4(low.x + low.y, low.z + low.w, high.x + high.y, high.z + high.w);
	const uint2 by64 = make_uint2(by32.x + by32.y, by32.z + by32.w);
	const size_t at = (size_t)strip * WARP + lane;
	uint4 *const by2 = (uint4 *)(void *)(heap + cbt_level_word(depth, depth - 1));
	uint32_t *const by4 = heap + cbt_level_word(depth, depth - 2) + (size_t)strip * TRIPLES;
	uint2 *const by8 = (uint2 *)(void *)(heap + cbt_level_word(depth, depth - 3));

	by2[at] = make_uint4(a.by2, b.by2, c.by2, d.by2);
	by8[at] = make_uint2(a.by8 | b.by8 << 16, c.by8 | d.by8 << 16);
	/* Four pieces of 24 bits are three words: aaab bbcc cddd, 8 bits a letter, lowest first. */
	s->by4[3 * lane] = a.by4 | b.by4 << 24;
	s->by4[3 * lane + 1] = b.by4 >> 8 | c.by4 << 16;
	s->by4[3 * lane + 2] = c.by4 >> 16 | d.by4 << 8;
	((uint2 *)(void *)s->by16)[lane] = make_uint2(concatenate(low, 5), concatenate(high, 5));
	s->by32[lane] = concatenate(by32, 6);
	s->by64[lane] = by64.x | by64.y << 7;
	s->by128[lane] = by64.x + by64.y;
	__syncwarp();
	for (unsigned o = lane; o < TRIPLES; o += WARP)
		by4[o] = s->by4[o];
	write_level<4, 20>(heap, depth, strip, s->by16);
	write_level<5, 24>(heap, depth, strip, s->by32);
	write_level<6, 14>(heap, depth, strip, s->by64);
	write_level<7, 8>(heap, depth, strip, s->by128);
	__syncwarp();
	return by64.x + by64.y;
}

/* 128 bits of the field, whose depth must be at least 7. */
static __device__ __forceinline__ uint4 quad_of_field(const cbt_field &field, size_t i)
{
	return ((const uint4 *)(const void *)field.word)[i];
}

static __device__ __forceinline__ uint32_t quad_leaves(uint4 quad)
{
	return (uint32_t)(__popc(quad.x) + __popc(quad.y) + __popc(quad.z) + __popc(quad.w));
}

/* ---- the last block of a group ------------------------------------------------------------- */

/* True if this is the last of `count` blocks to take the ticket; it then sees everything that the
 * others wrote before.  Ends with a barrier.  The ticket is 0 before and after. */
static __device__ __forceinline__ bool last_of(uint32_t *ticket, uint32_t count, uint32_t *shared)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		const uint32_t old = gpu_add(ticket, 1u);

		*shared = old == count - 1;
		if (old == count - 1)
			gpu_st_relaxed(ticket, 0u);
	}
	__syncthreads();
	return *shared;
}

#endif
