/* test_primitives.h -- shared by the tests of cuda/primitives/primitives.h: guarded arrays on the
 * device, sizes and random bits.
 *
 * Every device array lies between guard bytes, aligned to its elements only if a case requests it.
 * Temporary storage has exactly the requested size and is filled with garbage.  Each case runs
 * twice on one input, which must not change.  Runs on a GPU or in the PTX executor; without
 * either, all tests are skipped.
 */
#ifndef GPUBENCH_TESTS_CUDA_TEST_PRIMITIVES_H
#define GPUBENCH_TESTS_CUDA_TEST_PRIMITIVES_H

#include <algorithm>
#include <cinttypes>
#include <criterion/criterion.h>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "common/radix_types.h"
#include "cuda/primitives/primitives.h"
#include "tests/cuda/gpu.h"

enum {
	GUARD = 256, /* bytes before and after an array */
	FILL = 0xa5, /* content of guards, and initial content of outputs */
	RUNS = 2,
	NAME_MAX_BYTES = 160,
	MANY = 20003,
};

/* Few elements, and the sizes around warps and blocks. */
static const size_t small_sizes[] = { 0, 1, 2, 3, 5, 31, 32, 33, 255, 256, 257 };

/* ---- arrays, owned by the case --------------------------------------------------------------- */

static inline void begin_case(void)
{
	gb_memory_own(small_sizes);
}

static inline void end_case(void)
{
	gb_memory_own(NULL);
	gb_memory_free_owned(small_sizes);
}

/* count elements on the device, at `offset` elements after an address aligned to 256 bytes. */
template <class T> struct array {
	unsigned char *memory;
	size_t count, before; /* before: bytes in front of the elements */
};

template <class T> static inline size_t whole_bytes(const struct array<T> *a)
{
	return a->before + a->count * sizeof(T) + GUARD;
}

template <class T> static inline T *elements(const struct array<T> *a)
{
	return (T *)(void *)(a->memory + a->before);
}

template <class T> static inline void clear_array(const struct array<T> *a)
{
	struct gb_error err = {};

	cr_assert(!CUDA_TRY(&err, cudaMemset(a->memory, FILL, whole_bytes(a))), "%s", err.message);
}

template <class T> static inline array<T> new_array(size_t count, size_t offset)
{
	array<T> a = { NULL, count, GUARD + offset * sizeof(T) };
	struct gb_error err = {};

	cr_assert_eq(gpu_alloc(&a.memory, whole_bytes(&a), &err), GB_OK, "%s", err.message);
	clear_array(&a);
	return a;
}

template <class T> static inline array<T> new_array(const std::vector<T> &host, size_t offset)
{
	const struct array<T> a = new_array<T>(host.size(), offset);
	struct gb_error err = {};

	if (!host.empty())
		cr_assert(!CUDA_TRY(&err,
				    cudaMemcpy(elements(&a), host.data(), host.size() * sizeof(T),
					       cudaMemcpyHostToDevice)),
			  "%s", err.message);
	return a;
}

static inline bool is_fill(unsigned char byte)
{
	return byte == FILL;
}

/* Wait, and check the elements of a and its guards. */
template <class T>
static inline void expect_array(const struct array<T> *a, const std::vector<T> &want,
				const char *name, const char *what)
{
	std::vector<unsigned char> bytes(whole_bytes(a));
	std::vector<T> got(a->count);
	struct gb_error err = {};
	const T *const first = want.data();
	size_t same = 0;

	cr_assert(!CUDA_TRY(&err, cudaMemcpy(bytes.data(), a->memory, bytes.size(),
					     cudaMemcpyDeviceToHost)),
		  "%s: %s", name, err.message);
	cr_expect(std::all_of(bytes.begin(), bytes.begin() + (ptrdiff_t)a->before, is_fill),
		  "%s: %s: written before the start", name, what);
	cr_expect(std::all_of(bytes.end() - GUARD, bytes.end(), is_fill),
		  "%s: %s: written behind the end", name, what);
	if (want.empty())
		return;
	memcpy(got.data(), bytes.data() + a->before, got.size() * sizeof(T));
	while (same < want.size() && memcmp(&first[same], &got[same], sizeof(T)) == 0)
		same++;
	cr_expect_eq(same, want.size(), "%s: %s: wrong from element %zu on", name, what, same);
}

/* Check only the guards, for arrays with arbitrary content. */
template <class T>
static inline void expect_guards(const struct array<T> *a, const char *name, const char *what)
{
	expect_array(a, std::vector<T>(), name, what);
}

/* Reproducible random bits (splitmix64). */
static inline uint64_t random64(uint64_t seed, uint64_t index)
{
	uint64_t word = (seed + 1) * UINT64_C(0xd1342543de82ef95) +
			(index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* The small sizes, those around a tile and half a tile, and large ones. */
static inline std::vector<size_t> sizes_for(size_t tile)
{
	std::vector<size_t> sizes(small_sizes, small_sizes + GB_COUNT(small_sizes));

	for (const size_t edge : { tile / 2, tile })
		sizes.insert(sizes.end(), { edge - 1, edge, edge + 1 });
	sizes.push_back(MANY);
	return sizes;
}

/* Numbers whose upper unused_bits are 0. */
static inline std::vector<uint32_t> random_words(size_t count, unsigned unused_bits)
{
	std::vector<uint32_t> words(count);

	for (size_t i = 0; i < count; i++)
		words[i] = (uint32_t)random64(count, i) >> unused_bits;
	return words;
}

#endif
