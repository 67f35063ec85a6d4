/* test_primitives.cu -- the reductions, prefix sums and stable sorts of cuda/primitives.h, each
 * compared with the host's.
 *
 * Every array on the device lies between guard bytes, aligned to its elements only if a case asks
 * for that, and temporary storage has exactly the bytes that were asked for, full of rubbish.  Each
 * case runs twice on one input, which has to stay as it was.  On a GPU or in the emulator;
 * where there is neither, all tests are skipped.
 *
 * The library's headers come first: the emulator has macros of names that they use.
 */
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <criterion/criterion.h>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <vector>

#include "common/backend.h"
#include "common/memory.h"
#include "common/radix.h"
#include "common/text.h"
#include "cuda/check.h"
#include "cuda/device.h"
#include "cuda/primitives.h"

enum {
	GUARD = 256, /* bytes before and after an array */
	FILL = 0xa5, /* what guards hold, and what is written to has held before */
	RUNS = 2,
	NAME_MAX_BYTES = 160,
	MANY = 20003,
	REDUCE_TILE = 2048, /* elements per block: see primitives.cu */
	SCAN_TILE = 4096,
};

/* Few elements, and the edges of warps and of blocks. */
static const size_t small_sizes[] = { 0, 1, 2, 3, 5, 31, 32, 33, 255, 256, 257 };

static void open_gpu(void)
{
	struct gb_error err = {};

	if (gb_cuda_backend.open(0, &err))
		cr_skip("%s", err.message);
}

static void close_gpu(void)
{
	cr_expect_eq(gb_memory_used(GB_DEVICE_MEMORY), 0);
	gb_cuda_backend.close();
}

/* ---- arrays ------------------------------------------------------------------------------ */

/* count elements on the device, `offset` elements behind an address aligned to 256 bytes. */
template <class T> struct array {
	unsigned char *memory;
	size_t count, before; /* before: bytes in front of the elements */
};

template <class T> static size_t whole_bytes(const struct array<T> *a)
{
	return a->before + a->count * sizeof(T) + GUARD;
}

template <class T> static T *elements(const struct array<T> *a)
{
	return (T *)(void *)(a->memory + a->before);
}

template <class T> static void clear_array(const struct array<T> *a)
{
	struct gb_error err = {};

	cr_assert(CUDA_OK(&err, cudaMemset(a->memory, FILL, whole_bytes(a))), "%s", err.message);
}

template <class T> static array<T> new_array(size_t count, size_t offset)
{
	array<T> a = { NULL, count, GUARD + offset * sizeof(T) };
	struct gb_error err = {};

	cr_assert_eq(gpu_alloc(&a.memory, whole_bytes(&a), 1, &err), GB_OK, "%s", err.message);
	clear_array(&a);
	return a;
}

template <class T> static array<T> new_array(const std::vector<T> &host, size_t offset)
{
	const struct array<T> a = new_array<T>(host.size(), offset);
	struct gb_error err = {};

	if (!host.empty())
		cr_assert(
			CUDA_OK(&err, cudaMemcpy(elements(&a), host.data(), host.size() * sizeof(T),
						 cudaMemcpyHostToDevice)),
			"%s", err.message);
	return a;
}

template <class T> static void free_array(const struct array<T> *a)
{
	gpu_free(a->memory);
}

static bool is_fill(unsigned char byte)
{
	return byte == FILL;
}

/* Wait, and see that a holds what is wanted, and that its guards are whole. */
template <class T>
static void expect_array(const struct array<T> *a, const std::vector<T> &want, const char *name,
			 const char *what)
{
	std::vector<unsigned char> bytes(whole_bytes(a));
	std::vector<T> got(a->count);
	struct gb_error err = {};
	const T *const first = want.data();
	size_t same = 0;

	cr_assert(CUDA_OK(&err, cudaMemcpy(bytes.data(), a->memory, bytes.size(),
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

/* Only the guards: of arrays that may hold anything. */
template <class T>
static void expect_guards(const struct array<T> *a, const char *name, const char *what)
{
	expect_array(a, std::vector<T>(), name, what);
}

/* Random bits (splitmix64), the same in every run. */
static uint64_t random64(uint64_t seed, uint64_t index)
{
	uint64_t word = (seed + 1) * UINT64_C(0xd1342543de82ef95) +
			(index + 1) * UINT64_C(0x9e3779b97f4a7c15);

	word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
	return word ^ word >> 31;
}

/* The small sizes, the edges of a tile and of half of it, and many. */
static std::vector<size_t> sizes_for(size_t tile)
{
	std::vector<size_t> sizes(small_sizes, small_sizes + GB_COUNT(small_sizes));

	for (const size_t edge : { tile / 2, tile })
		sizes.insert(sizes.end(), { edge - 1, edge, edge + 1 });
	sizes.push_back(MANY);
	return sizes;
}

/* ---- reduction --------------------------------------------------------------------------- */

static std::vector<uint32_t> random_words(size_t count, unsigned unused_bits)
{
	std::vector<uint32_t> words(count);

	for (size_t i = 0; i < count; i++)
		words[i] = (uint32_t)random64(count, i) >> unused_bits;
	return words;
}

static uint64_t host_reduce(enum gpu_reduce_op op, const std::vector<uint32_t> &in)
{
	uint64_t value = op == GPU_MIN ? UINT32_MAX : 0;

	for (const uint64_t item : in)
		value = op == GPU_SUM   ? value + item
			: op == GPU_MIN ? std::min(value, item)
					: std::max(value, item);
	return value;
}

static float host_reduce(enum gpu_reduce_op op, const std::vector<float> &in)
{
	float value = op == GPU_MIN ? INFINITY : -INFINITY;

	for (const float item : in)
		value = op == GPU_MIN ? fminf(value, item) : fmaxf(value, item);
	return value;
}

static enum gb_status reduce(enum gpu_reduce_op op, const uint32_t *in, size_t count,
			     uint64_t *result, void *temp, struct gb_error *err)
{
	return gpu_reduce_u32(op, in, count, result, temp, gpu_stream(), err);
}

static enum gb_status reduce(enum gpu_reduce_op op, const float *in, size_t count, float *result,
			     void *temp, struct gb_error *err)
{
	return gpu_reduce_f32(op, in, count, result, temp, gpu_stream(), err);
}

template <class T, class R>
static void check_reduce(enum gpu_reduce_op op, const std::vector<T> &host, size_t offset)
{
	const struct array<T> in = new_array(host, offset);
	const struct array<R> result = new_array<R>(1, 0);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_reduce_temp_bytes(), 0);
	char name[NAME_MAX_BYTES];

	(void)snprintf(name, sizeof name, "%s of %zu, offset %zu",
		       op == GPU_SUM   ? "sum"
		       : op == GPU_MIN ? "min"
				       : "max",
		       host.size(), offset);
	for (int run = 0; run < RUNS; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_array(&result);
		cr_assert_eq(reduce(op, elements(&in), host.size(), elements(&result),
				    elements(&temp), &err),
			     GB_OK, "%s: %s", name, err.message);
		expect_array(&result, std::vector<R>(1, host_reduce(op, host)), name, "result");
		expect_guards(&temp, name, "temporary storage");
	}
	expect_array(&in, host, name, "input");
	free_array(&in);
	free_array(&result);
	free_array(&temp);
}

static void check_reduce_u32(const std::vector<uint32_t> &in, size_t offset)
{
	for (const enum gpu_reduce_op op : { GPU_SUM, GPU_MIN, GPU_MAX })
		check_reduce<uint32_t, uint64_t>(op, in, offset);
}

static void check_reduce_f32(const std::vector<float> &in, size_t offset)
{
	for (const enum gpu_reduce_op op : { GPU_MIN, GPU_MAX })
		check_reduce<float, float>(op, in, offset);
}

TestSuite(primitives, .init = open_gpu, .fini = close_gpu, .timeout = 300);

Test(primitives, reduce_u32)
{
	for (const size_t count : sizes_for(REDUCE_TILE)) {
		check_reduce_u32(random_words(count, 0), count % 4);
		check_reduce_u32(std::vector<uint32_t>(count, UINT32_MAX), 0);
	}
	check_reduce_u32(std::vector<uint32_t>(MANY, 0), 1);
}

/* The least, and the greatest, at each place in turn. */
Test(primitives, reduce_finds_any_place)
{
	std::vector<uint32_t> in(67, 7);

	for (size_t i = 0; i < in.size(); i++) {
		in[i] = i % 2 ? 3 : 11;
		check_reduce_u32(in, i % 3);
		in[i] = 7;
	}
}

/* More than a grid covers in one step. */
Test(primitives, reduce_many)
{
	check_reduce<uint32_t, uint64_t>(GPU_SUM, random_words(((size_t)1 << 21) + 5, 0), 0);
}

/* NaNs are passed over. */
Test(primitives, reduce_f32)
{
	for (const size_t count : sizes_for(REDUCE_TILE)) {
		const std::vector<uint32_t> words = random_words(count, 0);
		std::vector<float> in(count);

		for (size_t i = 0; i < count; i++)
			in[i] = i % 5 == 1 ? NAN : (float)(int32_t)words[i];
		check_reduce_f32(in, count % 4);
		check_reduce_f32(std::vector<float>(count, NAN), 0);
	}
	check_reduce_f32({ -INFINITY, 1, INFINITY }, 0);
}

Test(primitives, reduce_has_no_sum_of_floats)
{
	const struct array<float> a = new_array<float>(8, 0);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_reduce_temp_bytes(), 0);
	struct gb_error err = {};

	cr_expect_eq(reduce(GPU_SUM, elements(&a), 4, elements(&a) + 4, elements(&temp), &err),
		     GB_ERUNTIME);
	cr_expect_neq(err.message[0], '\0');
	free_array(&a);
	free_array(&temp);
}

/* ---- exclusive prefix sum ---------------------------------------------------------------- */

static enum gb_status scan(const uint32_t *in, uint32_t *out, size_t count, uint64_t *total,
			   void *temp, struct gb_error *err)
{
	return gpu_scan_u32(in, out, count, total, temp, gpu_stream(), err);
}

static enum gb_status scan(const uint32_t *in, uint64_t *out, size_t count, uint64_t *total,
			   void *temp, struct gb_error *err)
{
	return gpu_scan_u32_u64(in, out, count, total, temp, gpu_stream(), err);
}

template <class T> static std::vector<T> host_scan(const std::vector<uint32_t> &in)
{
	std::vector<T> out(in.size());

	std::exclusive_scan(in.begin(), in.end(), out.begin(), (T)0);
	return out;
}

/* The last run does not ask for the total. */
template <class T>
static void check_scan(const std::vector<uint32_t> &host, size_t in_offset, size_t out_offset)
{
	const size_t count = host.size();
	const std::vector<uint64_t> sum(1, host_reduce(GPU_SUM, host));
	const struct array<uint32_t> in = new_array(host, in_offset);
	const struct array<T> out = new_array<T>(count, out_offset);
	const struct array<uint64_t> total = new_array<uint64_t>(1, 0);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_scan_temp_bytes(count), 0);
	char name[NAME_MAX_BYTES];

	(void)snprintf(name, sizeof name, "%zu to %zu bits, offsets %zu and %zu", count,
		       8 * sizeof(T), in_offset, out_offset);
	for (int run = 0; run < RUNS; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_array(&out);
		cr_assert_eq(scan(elements(&in), elements(&out), count,
				  run < RUNS - 1 ? elements(&total) : NULL, elements(&temp), &err),
			     GB_OK, "%s: %s", name, err.message);
		expect_array(&out, host_scan<T>(host), name, "output");
		expect_array(&total, sum, name, "total");
		expect_guards(&temp, name, "temporary storage");
	}
	expect_array(&in, host, name, "input");
	free_array(&in);
	free_array(&out);
	free_array(&total);
	free_array(&temp);
}

static void check_scan_in_place(const std::vector<uint32_t> &host, size_t offset)
{
	const struct array<uint32_t> data = new_array(host, offset);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_scan_temp_bytes(host.size()), 0);
	struct gb_error err = {};

	cr_assert_eq(
		scan(elements(&data), elements(&data), host.size(), NULL, elements(&temp), &err),
		GB_OK, "%s", err.message);
	expect_array(&data, host_scan<uint32_t>(host), "in place", "output");
	expect_guards(&temp, "in place", "temporary storage");
	free_array(&data);
	free_array(&temp);
}

Test(primitives, scan_u32)
{
	for (const size_t count : sizes_for(SCAN_TILE)) {
		const std::vector<uint32_t> in = random_words(count, 17);

		check_scan<uint32_t>(in, 0, 0);
		check_scan<uint32_t>(in, count % 4, 1);
		check_scan_in_place(in, 0);
		check_scan_in_place(in, 1 + count % 3);
	}
}

/* The sum is the greatest that 32 bits hold. */
Test(primitives, scan_u32_up_to_the_limit)
{
	std::vector<uint32_t> in = random_words(MANY, 17);

	in.back() += (uint32_t)(UINT32_MAX - host_reduce(GPU_SUM, in));
	check_scan<uint32_t>(in, 0, 0);
	std::swap(in.front(), in.back());
	check_scan<uint32_t>(in, 0, 0);
}

/* Sums beyond 32 bits, inside a tile and between tiles. */
Test(primitives, scan_u32_u64)
{
	for (const size_t count : sizes_for(SCAN_TILE)) {
		check_scan<uint64_t>(random_words(count, 0), 0, 0);
		check_scan<uint64_t>(std::vector<uint32_t>(count, UINT32_MAX), count % 4, 1);
	}
}

/* ---- stable sort ------------------------------------------------------------------------- */

enum pattern { UNIFORM, EQUAL, FEW, REVERSED };

static const char *const pattern_names[] = { "uniform", "equal", "few", "reversed" };

/* varied: bits that the pattern has a say in; the others are the same in all keys. */
struct sort_case {
	enum gpu_key key;
	bool values;
	int begin_bit, end_bit;
	enum pattern pattern;
	uint64_t varied;
	size_t count, offset;
	int runs;
};

static int key_bits(enum gpu_key key)
{
	return key == GPU_KEY_U64 ? 64 : 32;
}

static uint64_t pattern_key(enum pattern pattern, size_t count, size_t i)
{
	switch (pattern) {
	case EQUAL:
		return 0;
	case FEW:
		return random64(count, i) % 5 * UINT64_C(0x2b010d3b07250305);
	case REVERSED:
		return (count - i) * UINT64_C(0x0001000300010003);
	case UNIFORM:
	default:
		return random64(count, i);
	}
}

/* Of floats, every third is one of those that take care. */
template <class K> static std::vector<K> make_keys(const struct sort_case *c)
{
	static const uint32_t special[] = { 0x00000000, 0x80000000, 0x00000001, 0x80000001,
					    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
					    0x7f800001, 0xff7fffff, 0xffffffff };
	const uint64_t fixed = UINT64_C(0xdeadbeefcafe1234) & ~c->varied;
	std::vector<K> keys(c->count);

	for (size_t i = 0; i < c->count; i++) {
		keys[i] = (K)(fixed | (pattern_key(c->pattern, c->count, i) & c->varied));
		if (c->key == GPU_KEY_F32 && c->pattern == UNIFORM && i % 3 == 0)
			keys[i] = special[i / 3 % GB_COUNT(special)];
	}
	return keys;
}

/* The bits that the key is sorted by. */
template <class K> static uint64_t sorted_bits(const struct sort_case *c, K key)
{
	const uint64_t ordered = c->key == GPU_KEY_F32 ? radix_f32_order((uint32_t)key) : key;

	return ordered << (64 - c->end_bit) >> (64 - c->end_bit + c->begin_bit);
}

/* Where in the input each element of the output comes from. */
template <class K>
static std::vector<size_t> host_order(const struct sort_case *c, const std::vector<K> &keys)
{
	std::vector<size_t> order(keys.size());

	std::iota(order.begin(), order.end(), (size_t)0);
	std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
		return sorted_bits(c, keys[a]) < sorted_bits(c, keys[b]);
	});
	return order;
}

template <class T>
static std::vector<T> gather(const std::vector<T> &from, const std::vector<size_t> &order)
{
	std::vector<T> to(from.size());

	for (size_t i = 0; i < order.size(); i++)
		to[i] = from[order[i]];
	return to;
}

/* One kind of array of a sort: input, output and spare. */
template <class T> struct sort_arrays {
	struct array<T> in, out, spare;
};

template <class T> static sort_arrays<T> new_sort_arrays(const std::vector<T> &host, size_t offset)
{
	return { new_array(host, offset), new_array<T>(host.size(), offset),
		 new_array<T>(host.size(), offset) };
}

template <class T> static void clear_outputs(const struct sort_arrays<T> *a)
{
	clear_array(&a->out);
	clear_array(&a->spare);
}

template <class T>
static void expect_sorted(const struct sort_arrays<T> *a, const std::vector<T> &host,
			  const std::vector<size_t> &order, const char *name, const char *what)
{
	expect_array(&a->in, host, name, what);
	expect_array(&a->out, gather(host, order), name, what);
	expect_guards(&a->spare, name, what);
}

template <class T> static void free_sort_arrays(const struct sort_arrays<T> *a)
{
	free_array(&a->in);
	free_array(&a->out);
	free_array(&a->spare);
}

static const char *case_name(const struct sort_case *c, char *name)
{
	(void)snprintf(name, NAME_MAX_BYTES,
		       "%zu %s%d keys%s, bits %d to %d, %s, varied %#" PRIx64 ", offset %zu",
		       c->count, c->key == GPU_KEY_F32 ? "f" : "u", key_bits(c->key),
		       c->values ? " with values" : "", c->begin_bit, c->end_bit,
		       pattern_names[c->pattern], c->varied, c->offset);
	return name;
}

template <class K> static void check_sort_of(const struct sort_case *c, struct gb_timer *timer)
{
	const std::vector<K> keys = make_keys<K>(c);
	const std::vector<uint32_t> values = random_words(c->values ? c->count : 0, 0);
	const std::vector<size_t> order = host_order(c, keys);
	const struct sort_arrays<K> k = new_sort_arrays(keys, c->offset);
	const struct sort_arrays<uint32_t> v = new_sort_arrays(values, c->offset);
	const struct array<unsigned char> temp = new_array<unsigned char>(
		gpu_sort_temp_bytes(c->key, c->values, c->count, c->begin_bit, c->end_bit), 0);
	struct gpu_sort_args sort = {};
	char name[NAME_MAX_BYTES];

	sort.key = c->key;
	sort.count = c->count;
	sort.begin_bit = c->begin_bit;
	sort.end_bit = c->end_bit;
	sort.keys_in = elements(&k.in);
	sort.keys_out = elements(&k.out);
	sort.keys_spare = elements(&k.spare);
	if (c->values) {
		sort.values_in = elements(&v.in);
		sort.values_out = elements(&v.out);
		sort.values_spare = elements(&v.spare);
	}
	sort.temp = elements(&temp);
	sort.timer = timer;
	case_name(c, name);
	for (int run = 0; run < c->runs; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_outputs(&k);
		clear_outputs(&v);
		cr_assert_eq(gpu_sort(&sort, gpu_stream(), &err), GB_OK, "%s: %s", name,
			     err.message);
		expect_sorted(&k, keys, order, name, "keys");
		if (c->values)
			expect_sorted(&v, values, order, name, "values");
		expect_guards(&temp, name, "temporary storage");
	}
	free_sort_arrays(&k);
	free_sort_arrays(&v);
	free_array(&temp);
}

static void check_sort(const struct sort_case *c)
{
	if (c->key == GPU_KEY_U64)
		check_sort_of<uint64_t>(c, NULL);
	else
		check_sort_of<uint32_t>(c, NULL);
}

static struct sort_case uniform_case(enum gpu_key key, bool values, size_t count)
{
	return { key, values, 0, key_bits(key), UNIFORM, UINT64_MAX, count, 0, RUNS };
}

/* Elements of a large tile: see primitives_sort.cu.  Sorts of few tiles take half of that. */
static size_t large_tile(enum gpu_key key, bool values)
{
	return key == GPU_KEY_U64 ? 4096 : values ? 6144 : 8192;
}

static void check_sizes(enum gpu_key key, bool values)
{
	const size_t tile = large_tile(key, values);

	for (const size_t count : sizes_for(tile)) {
		const struct sort_case c = uniform_case(key, values, count);

		check_sort(&c);
	}
	for (const size_t count : { (size_t)257, tile / 2 + 1, tile + 3 }) {
		struct sort_case c = uniform_case(key, values, count);

		c.offset = 1 + count % 3;
		check_sort(&c);
	}
}

static void check_patterns(enum gpu_key key, bool values)
{
	for (const enum pattern pattern : { EQUAL, FEW, REVERSED }) {
		for (const size_t count : { (size_t)257, large_tile(key, values) + 1 }) {
			struct sort_case c = uniform_case(key, values, count);

			c.pattern = pattern;
			check_sort(&c);
		}
	}
}

static void check_ranges(enum gpu_key key, bool values)
{
	const int bits = key_bits(key);
	const int ranges[][2] = { { 0, 1 },  { 7, 8 },           { 5, 21 },   { 3, 11 },
				  { 0, 30 }, { bits - 9, bits }, { 1, bits }, { 8, bits - 1 } };

	for (const auto &range : ranges) {
		for (const size_t count : { 257, 4097 }) {
			struct sort_case c = uniform_case(key, values, count);

			c.begin_bit = range[0];
			c.end_bit = range[1];
			c.offset = (size_t)range[0] % 2;
			check_sort(&c);
		}
	}
}

static void check_sorts(enum gpu_key key, bool values)
{
	check_sizes(key, values);
	check_patterns(key, values);
	check_ranges(key, values);
}

Test(primitives, sort_u32)
{
	check_sorts(GPU_KEY_U32, false);
}

Test(primitives, sort_u32_with_values)
{
	check_sorts(GPU_KEY_U32, true);
}

Test(primitives, sort_u64)
{
	check_sorts(GPU_KEY_U64, false);
}

Test(primitives, sort_u64_with_values)
{
	check_sorts(GPU_KEY_U64, true);
}

Test(primitives, sort_f32)
{
	check_sorts(GPU_KEY_F32, false);
}

/* Any set of bytes may be the same in all keys: its passes have nothing to do, and what is left,
 * be it none, odd or even in number, has to end up in the output. */
Test(primitives, sort_where_bytes_are_the_same)
{
	for (unsigned set = 0; set < 16; set++) {
		struct sort_case c = uniform_case(GPU_KEY_U32, set % 3 == 0, 300);

		c.varied = 0;
		for (int byte = 0; byte < 4; byte++)
			c.varied |= (uint64_t)(set >> byte & 1 ? 0xff : 0) << 8 * byte;
		check_sort(&c);
		c.values = !c.values;
		check_sort(&c);
		c.key = GPU_KEY_U64;
		c.end_bit = 64;
		c.varied |= c.varied << 24;
		check_sort(&c);
	}
}

/* Both sides of the size from which tiles are large, which the number of multiprocessors decides:
 * by two digits below, by the whole key above. */
static void check_large(enum gpu_key key, bool values)
{
	const size_t most = (2 * (size_t)gpu_sm_count() - 1) * large_tile(key, values);
	struct sort_case c = uniform_case(key, values, most);

	c.runs = 1;
	c.begin_bit = c.end_bit - 9;
	check_sort(&c);
	c = uniform_case(key, values, most + 1);
	c.runs = 1;
	check_sort(&c);
}

Test(primitives, sort_in_large_tiles)
{
	for (const bool values : { false, true }) {
		check_large(GPU_KEY_U32, values);
		check_large(GPU_KEY_U64, values);
	}
}

Test(primitives, sort_tells_its_phases)
{
	const struct sort_case c = uniform_case(GPU_KEY_U32, true, 1000);
	struct gb_phase_time phase[GB_MAX_PHASES];
	size_t count = GB_MAX_PHASES;
	struct gb_error err = {};
	double ns = -1;
	static struct gb_timer timer;

	timer.ops = gb_cuda_backend.timer;
	timer.err = &err;
	timer.phases = true;
	cr_assert_eq(timer.ops->create(&timer.clock, &err), GB_OK, "%s", err.message);
	gb_timer_begin(&timer);
	check_sort_of<uint32_t>(&c, &timer);
	gb_timer_end(&timer);
	cr_assert_eq(gb_timer_read(&timer, &ns, phase, &count), GB_OK, "%s", err.message);
	cr_assert_eq(count, 2);
	cr_expect_str_eq(phase[0].name, "histogram");
	cr_expect_str_eq(phase[1].name, "pass");
	timer.ops->destroy(timer.clock);
}

/* Nothing is touched: there are no arrays. */
static void expect_refused(enum gpu_key key, int begin_bit, int end_bit, const uint32_t *values)
{
	struct gpu_sort_args sort = {};
	struct gb_error err = {};

	sort.key = key;
	sort.begin_bit = begin_bit;
	sort.end_bit = end_bit;
	sort.values_in = values;
	cr_expect_eq(gpu_sort(&sort, gpu_stream(), &err), GB_ERUNTIME, "bits %d to %d of %d",
		     begin_bit, end_bit, key_bits(key));
	cr_expect_neq(err.message[0], '\0');
}

Test(primitives, sort_refuses_bits_that_keys_have_not)
{
	expect_refused(GPU_KEY_U32, 0, 33, NULL);
	expect_refused(GPU_KEY_F32, 0, 64, NULL);
	expect_refused(GPU_KEY_U64, 0, 65, NULL);
	expect_refused(GPU_KEY_U64, -1, 8, NULL);
	expect_refused(GPU_KEY_U32, 8, 8, NULL);
	expect_refused(GPU_KEY_U32, 9, 8, NULL);
}
