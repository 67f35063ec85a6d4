/* op_warp.cc -- what lanes of a warp tell each other: shuffles, votes, matches, reductions.
 *
 * They run when all lanes of the mask, the last operand, have come to the instruction (warp.cc).
 * Lanes of several masks may come together: each sees those of its own.
 */
#include <string.h>

#include "tests/ptx/machine.h"

enum shuffle_mode { UP, DOWN, BUTTERFLY, INDEX };

/* The lane that lane l reads, and whether it lies in range, as the PTX manual's table has it. */
template <enum shuffle_mode mode>
static inline bool shuffle_source(unsigned l, uint32_t b, uint32_t c, unsigned *from)
{
	const unsigned segment = c >> 8 & 31, clamp = c & 31, by = b & 31;
	const unsigned most = (l & segment) | (clamp & ~segment), least = l & segment;
	const int j = mode == UP          ? (int)l - (int)by
		      : mode == DOWN      ? (int)(l + by)
		      : mode == BUTTERFLY ? (int)(l ^ by)
					  : (int)(least | (by & ~segment));
	const bool inside = mode == UP ? j >= (int)most : j <= (int)most;

	*from = inside ? (unsigned)j : l;
	return inside;
}

template <enum shuffle_mode mode>
static void shuffle(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const a = lanes<uint32_t>(w, i.in[0]), *const b =
								       lanes<uint32_t>(w, i.in[1]);
	const uint32_t *const c = lanes<uint32_t>(w, i.in[2]);
	const uint32_t *const members = lanes<uint32_t>(w, i.in[3]);
	uint32_t result[LANES], inside = 0;

	each_active(mask, [&](unsigned l) {
		unsigned from;

		if (shuffle_source<mode>(l, b[l], c[l], &from))
			inside |= 1u << l;
		if (runtime_options.strict && !(members[l] & mask & 1u << from))
			fault(w, i, l, "it reads lane %u, which is not there (mask %08x)", from,
			      members[l]);
		result[l] = a[from];
	});
	each(mask, lanes<uint32_t>(w, i.out[0]), [&](unsigned l) { return result[l]; });
	if (i.outs > 1)
		set_predicate(w, i.out[1], inside, mask);
}

static void ballot(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t p = predicate(w, i.in[0]) & mask;
	const uint32_t *const members = lanes<uint32_t>(w, i.in[1]);

	each(mask, lanes<uint32_t>(w, i.out[0]), [=](unsigned l) { return p & members[l]; });
}

enum vote { ANY, ALL, SAME };

template <enum vote mode>
static void vote(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t p = predicate(w, i.in[0]);
	const uint32_t *const members = lanes<uint32_t>(w, i.in[1]);
	uint32_t result = 0;

	each_active(mask, [&](unsigned l) {
		const uint32_t there = members[l] & mask, yes = p & there;

		if (mode == ANY ? yes != 0 : yes == there || (mode == SAME && !yes))
			result |= 1u << l;
	});
	set_predicate(w, i.out[0], result, mask);
}

/* The lanes that have the same value. */
template <class T> static void match(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]);
	const uint32_t *const members = lanes<uint32_t>(w, i.in[1]);
	uint32_t result[LANES] = {};

	each_active(mask, [&](unsigned l) {
		each_active(mask & members[l],
			    [&](unsigned j) { result[l] |= (uint32_t)(a[j] == a[l]) << j; });
	});
	each(mask, lanes<uint32_t>(w, i.out[0]), [&](unsigned l) { return result[l]; });
}

template <class T> static T sum(T a, T b)
{
	return (T)((uint32_t)a + (uint32_t)b);
}

template <class T> static T least(T a, T b)
{
	return a < b ? a : b;
}

template <class T> static T greatest(T a, T b)
{
	return a > b ? a : b;
}

template <class T> static T both(T a, T b)
{
	return a & b;
}

template <class T> static T either(T a, T b)
{
	return a | b;
}

template <class T> static T differ(T a, T b)
{
	return a ^ b;
}

template <class T, T (*f)(T, T)>
static void reduce(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]);
	const uint32_t *const members = lanes<uint32_t>(w, i.in[1]);
	T result[LANES] = {};

	each_active(mask, [&](unsigned l) {
		const uint32_t there = mask & members[l];

		result[l] = a[__builtin_ctz(there)];
		each_active(there & (there - 1),
			    [&](unsigned j) { result[l] = f(result[l], a[j]); });
	});
	each(mask, lanes<T>(w, i.out[0]), [&](unsigned l) { return result[l]; });
}

/* A product of bit matrices, M x K by K x 8: of each row and column how many bits both have, or how many
 * differ, added to c.  Which lane has what is of the manual's pictures: eight rows, or columns, of four
 * lanes each, 32 bits a register; further rows first, then further bits in further registers. */
template <unsigned M, unsigned K, bool AND>
static void multiply(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const struct operand *const a = i.in, *const b = a + M * K / 1024, *const c = b + K / 128;
	int32_t result[M / 4][LANES];

	if (mask != ~0u)
		fault(w, i, (unsigned)__builtin_ctz(mask), "it takes a whole warp (mask %08x)",
		      mask);
	for (unsigned row = 0; row < M; row++)
		for (unsigned column = 0; column < 8; column++) {
			const unsigned to = row % 8 * 4 + column / 2,
				       number = row / 8 * 2 + column % 2;
			int32_t sum = lanes<int32_t>(w, c[number])[to];

			for (unsigned k = 0; k < K / 32; k++) {
				const uint32_t x = lanes<uint32_t>(
					w, a[row / 8 + k / 4 * (M / 8)])[row % 8 * 4 + k % 4];
				const uint32_t y = lanes<uint32_t>(w, b[k / 4])[column * 4 + k % 4];

				sum += __builtin_popcount(AND ? x & y : x ^ y);
			}
			result[number][to] = sum;
		}
	for (unsigned number = 0; number < M / 4; number++)
		memcpy(lanes<int32_t>(w, i.out[number]), result[number], sizeof result[number]);
}

/* bar.warp.sync has nothing to do once the lanes are there, a label or a branch neither. */
static void nothing(struct warp &, const struct instruction &, uint32_t)
{
}

/* griddepcontrol.wait: launches follow each other here, so the one before has ended. */
static void launch_wait(struct warp &w, const struct instruction &, uint32_t mask)
{
	w.begun |= mask;
}

/* ---- which handler ----------------------------------------------------------------------- */

handler nothing_handler(void)
{
	return nothing;
}

handler launch_wait_handler(void)
{
	return launch_wait;
}

handler shuffle_handler(std::string_view mode)
{
	return mode == "up"     ? shuffle<UP>
	       : mode == "down" ? shuffle<DOWN>
	       : mode == "bfly" ? shuffle<BUTTERFLY>
	       : mode == "idx"  ? shuffle<INDEX>
				: nullptr;
}

handler vote_handler(std::string_view mode)
{
	return mode == "ballot" ? ballot
	       : mode == "any"  ? vote<ANY>
	       : mode == "all"  ? vote<ALL>
	       : mode == "uni"  ? vote<SAME>
				: nullptr;
}

handler mma_handler(bool large)
{
	return large ? multiply<16, 256, true> : multiply<8, 128, false>;
}

handler match_handler(enum type type)
{
	return type == B32 ? match<uint32_t> : type == B64 ? match<uint64_t> : nullptr;
}

template <class T> static handler reduce_numbers(std::string_view operation)
{
	return operation == "add"   ? reduce<T, sum<T>>
	       : operation == "min" ? reduce<T, least<T>>
	       : operation == "max" ? reduce<T, greatest<T>>
				    : nullptr;
}

handler reduce_handler(enum type type, std::string_view operation)
{
	if (type == U32)
		return reduce_numbers<uint32_t>(operation);
	if (type == S32)
		return reduce_numbers<int32_t>(operation);
	if (type != B32)
		return nullptr;
	return operation == "and"   ? reduce<uint32_t, both<uint32_t>>
	       : operation == "or"  ? reduce<uint32_t, either<uint32_t>>
	       : operation == "xor" ? reduce<uint32_t, differ<uint32_t>>
				    : nullptr;
}
