/* test_primitives_sort.cu -- the stable sort of cuda/primitives/primitives.h, compared with the
 * host's.
 */
#include "tests/cuda/test_primitives.h"

#include <criterion/parameterized.h>

#include "cuda/primitives/limits.h"

TestSuite(primitives_sort, .init = open_gpu, .fini = close_gpu);

enum pattern { UNIFORM, EQUAL, FEW, REVERSED };

static const char *const pattern_names[] = { "uniform", "equal", "few", "reversed" };

/* Bytes of keys and values, and the order of keys. */
struct sort_kind {
	size_t key_size, value_size;
	enum gpu_order order;
};

/* varied: bits that depend on the pattern; the others are the same in all keys. */
struct sort_case {
	struct sort_kind kind;
	int begin_bit, end_bit;
	enum pattern pattern;
	uint64_t varied;
	size_t count, offset;
	int runs;
};

static int key_bits(const struct sort_kind *kind)
{
	return 8 * (int)kind->key_size;
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

/* Every third float is a special value. */
template <class K> static std::vector<K> make_keys(const struct sort_case *c)
{
	static const uint32_t special[] = { 0x00000000, 0x80000000, 0x00000001, 0x80000001,
					    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
					    0x7f800001, 0xff7fffff, 0xffffffff };
	const uint64_t fixed = UINT64_C(0xdeadbeefcafe1234) & ~c->varied;
	std::vector<K> keys(c->count);

	for (size_t i = 0; i < c->count; i++) {
		keys[i] = (K)(fixed | (pattern_key(c->pattern, c->count, i) & c->varied));
		if (c->kind.order == GPU_FLOAT && c->pattern == UNIFORM && i % 3 == 0)
			keys[i] = (K)((uint64_t)special[i / 3 % GB_COUNT(special)]
				      << (key_bits(&c->kind) - 32));
	}
	return keys;
}

/* The bits by which the key is sorted. */
template <class K> static uint64_t sorted_bits(const struct sort_case *c, K key)
{
	const K sign = (K)((K)1 << (8 * sizeof key - 1));
	const uint64_t ordered = c->kind.order == GPU_UNSIGNED                ? key
				 : c->kind.order == GPU_FLOAT && (key & sign) ? (K)~key
									      : (K)(key ^ sign);

	return ordered << (64 - c->end_bit) >> (64 - c->end_bit + c->begin_bit);
}

/* The input index of each output element. */
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

/* The output of a sort is `keys`, then `values` at values_offset(). */
template <class K, class V>
static void expect_output(const struct array<unsigned char> *out, const std::vector<K> &keys,
			  const std::vector<V> &values, const char *name)
{
	std::vector<unsigned char> got(out->count);
	const unsigned char *const bytes = got.data();
	struct gb_error err = {};

	expect_guards(out, name, "output");
	if (keys.empty())
		return;
	cr_assert(!CUDA_TRY(&err, cudaMemcpy(got.data(), elements(out), got.size(),
					     cudaMemcpyDeviceToHost)),
		  "%s: %s", name, err.message);
	cr_expect(memcmp(bytes, keys.data(), keys.size() * sizeof(K)) == 0, "%s: keys", name);
	if (!values.empty())
		cr_expect(memcmp(bytes + values_offset(keys.size(), sizeof(K)), values.data(),
				 values.size() * sizeof(V)) == 0,
			  "%s: values", name);
}

static const char *case_name(const struct sort_case *c, char *name)
{
	(void)snprintf(name, NAME_MAX_BYTES,
		       "%zu %c%d keys, values of %zu bytes, bits %d to %d, %s, varied %#" PRIx64
		       ", offset %zu",
		       c->count, "uif"[c->kind.order], key_bits(&c->kind), c -> kind.value_size,
		       c->begin_bit, c->end_bit, pattern_names[c->pattern], c->varied, c->offset);
	return name;
}

template <class K, class V> static void check_sort_of(const struct sort_case *c)
{
	begin_case();

	const std::vector<K> keys = make_keys<K>(c);
	std::vector<V> values(c->kind.value_size ? c->count : 0);

	for (size_t i = 0; i < values.size(); i++)
		values[i] = (V)random64(c->count, i);

	const std::vector<size_t> order = host_order(c, keys);
	const size_t bytes = gpu_sort_bytes(c->count, sizeof(K), c->kind.value_size);
	const size_t offset = c->offset * (c->kind.value_size ? 16 : sizeof(K));
	const struct array<K> keys_in = new_array(keys, c->offset);
	const struct array<V> values_in = new_array(values, c->offset);
	const struct array<unsigned char> out = new_array<unsigned char>(bytes, offset);
	const struct array<unsigned char> spare = new_array<unsigned char>(bytes, offset);
	struct gpu_sort_args sort = {};
	char name[NAME_MAX_BYTES];

	sort.count = c->count;
	sort.key_size = sizeof(K);
	sort.value_size = c->kind.value_size;
	sort.order = c->kind.order;
	sort.begin_bit = c->begin_bit;
	sort.end_bit = c->end_bit;
	sort.keys_in = elements(&keys_in);
	sort.values_in = elements(&values_in);
	sort.out = elements(&out);
	sort.spare = elements(&spare);
	sort.staged = gpu_sort_can_stage(&sort);

	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_sort_temp_bytes(&sort), 0);

	sort.temp = elements(&temp);
	case_name(c, name);
	for (int run = 0; run < c->runs; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_array(&out);
		clear_array(&spare);
		cr_assert_eq(gpu_sort(&sort, NULL, &err), GB_OK, "%s: %s", name, err.message);
		expect_array(&keys_in, keys, name, "keys");
		expect_array(&values_in, values, name, "values");
		expect_output(&out, gather(keys, order),
			      values.empty() ? values : gather(values, order), name);
		expect_guards(&spare, name, "spare");
		expect_guards(&temp, name, "temporary storage");
	}
	end_case();
}

template <class K> static void check_sort_by_value(const struct sort_case *c)
{
	if (c->kind.value_size == 8)
		check_sort_of<K, uint64_t>(c);
	else
		check_sort_of<K, uint32_t>(c);
}

static void check_sort(const struct sort_case *c)
{
	if (c->kind.key_size == 8)
		check_sort_by_value<uint64_t>(c);
	else if (c->kind.key_size == 4)
		check_sort_by_value<uint32_t>(c);
	else if (c->kind.key_size == 2)
		check_sort_by_value<uint16_t>(c);
	else
		check_sort_by_value<uint8_t>(c);
}

static struct sort_case uniform_case(const struct sort_kind *kind, size_t count)
{
	return { *kind, 0, key_bits(kind), UNIFORM, UINT64_MAX, count, 0, RUNS };
}

/* The most words that one block sorts, and tile sizes for the smallest and for small counts: see
 * primitives/sort.cu. */
enum { ALONE = 4096 };

static size_t word_size(const struct sort_kind *kind)
{
	return word_size_of(kind->key_size, kind->value_size);
}

static size_t least_tile(const struct sort_kind *kind)
{
	return word_size(kind) > 8 ? 2048 : 4096;
}

static size_t few_tile(const struct sort_kind *kind)
{
	return word_size(kind) == 4 ? 9216 : 47104 / word_size(kind);
}

static void check_sizes(const struct sort_kind *kind)
{
	const size_t tile = least_tile(kind), alone = word_size(kind) > 8 ? ALONE / 2 : ALONE;

	for (const size_t count : sizes_for(alone)) {
		const struct sort_case c = uniform_case(kind, count);

		check_sort(&c);
	}
	for (const size_t count : { (size_t)257, 2 * tile + 1, 3 * tile }) {
		struct sort_case c = uniform_case(kind, count);

		c.offset = 1 + count % 3;
		check_sort(&c);
	}
}

static void check_patterns(const struct sort_kind *kind)
{
	const int bits = key_bits(kind);
	const struct {
		enum pattern pattern;
		int begin, end;
	} cases[] = { { EQUAL, 0, bits },      { FEW, 0, bits },   { REVERSED, 0, bits },
		      { UNIFORM, 0, 1 },       { UNIFORM, 7, 8 },  { UNIFORM, 5, 21 },
		      { UNIFORM, 3, 11 },      { UNIFORM, 0, 30 }, { UNIFORM, bits - 9, bits },
		      { UNIFORM, 8, bits - 1 } };

	for (const auto &i : cases) {
		for (const size_t count : { 257, ALONE + 1 }) {
			struct sort_case c = uniform_case(kind, count);

			if (i.begin < 0 || i.end > bits || i.begin >= i.end)
				continue;
			c.pattern = i.pattern;
			c.begin_bit = i.begin;
			c.end_bit = i.end;
			c.offset = (size_t)i.begin % 2;
			check_sort(&c);
		}
	}
}

static const struct sort_kind u32 = { 4, 0, GPU_UNSIGNED }, u32_pairs = { 4, 4, GPU_UNSIGNED },
			      u64 = { 8, 0, GPU_UNSIGNED }, u64_pairs = { 8, 4, GPU_UNSIGNED },
			      f32 = { 4, 0, GPU_FLOAT };

ParameterizedTestParameters(primitives_sort, sorts)
{
	static struct sort_kind kinds[] = { u32,
					    u32_pairs,
					    u64,
					    u64_pairs,
					    { 1, 0, GPU_UNSIGNED },
					    { 2, 0, GPU_SIGNED },
					    { 4, 0, GPU_FLOAT },
					    { 8, 0, GPU_SIGNED },
					    { 1, 8, GPU_SIGNED },
					    { 2, 4, GPU_UNSIGNED },
					    { 4, 4, GPU_FLOAT },
					    { 4, 8, GPU_FLOAT },
					    { 8, 8, GPU_FLOAT } };

	return criterion_test_params(kinds);
}

ParameterizedTest(const struct sort_kind *kind, primitives_sort, sorts)
{
	check_sizes(kind);
	check_patterns(kind);
}

/* For any set of bytes that is equal in all keys, the passes over it are skipped.  After any number
 * of passes the result must be in the output. */
Test(primitives_sort, equal_bytes)
{
	gpu_sort_limits.words = 0; /* passes, as for many keys */
	for (unsigned set = 0; set < 16; set++) {
		struct sort_case c = uniform_case(set % 3 ? &u32 : &u32_pairs, 300);

		c.varied = 0;
		for (int byte = 0; byte < 4; byte++)
			c.varied |= (uint64_t)(set >> byte & 1 ? 0xff : 0) << 8 * byte;
		check_sort(&c);
		c.kind = set % 3 ? u32_pairs : u32;
		check_sort(&c);
		c.kind = set % 3 ? u64_pairs : u64;
		c.end_bit = 64;
		c.varied |= c.varied << 24;
		check_sort(&c);
	}
}

/* Sizes on both sides of the limits at which the shape of blocks changes.  They depend on the
 * number of multiprocessors.  The sort uses two digits below a limit and the whole key above. */
static void check_around(const struct sort_kind *kind, size_t most)
{
	struct sort_case c = uniform_case(kind, most);

	c.runs = 1;
	c.begin_bit = c.end_bit - 9;
	check_sort(&c);
	c = uniform_case(kind, most + 1);
	c.runs = 1;
	check_sort(&c);
}

Test(primitives_sort, by_blocks_of_each_shape)
{
	const size_t processors = (size_t)gpu_sm_count();

	for (const struct sort_kind *kind : { &u32, &f32, &u32_pairs, &u64, &u64_pairs }) {
		check_around(kind, processors * least_tile(kind));
		check_around(kind, processors * few_tile(kind));
	}
}

/* The tile size for large counts. */
static size_t many_tile(const struct sort_kind *kind)
{
	return word_size(kind) == 4 ? 10240 : word_size(kind) == 8 ? 5760 : 2688;
}

/* More tiles than the device has resident blocks, two per multiprocessor: each block gets several
 * tiles.  Reversed keys have tiles with one digit; keys not aligned to 16 bytes are not copied
 * ahead. */
static void check_many(const struct sort_kind *kind)
{
	const size_t tiles = 2 * (size_t)gpu_sm_count() + 3, tile = many_tile(kind);

	for (const size_t beyond : { (size_t)0, (size_t)1, tile - 1 }) {
		struct sort_case c = uniform_case(kind, tiles * tile + beyond);

		c.runs = 1;
		c.begin_bit = c.end_bit - 17;
		c.pattern = beyond == 1 ? UNIFORM : REVERSED;
		c.offset = beyond == 1 ? 0 : beyond % 2;
		check_sort(&c);
		c.begin_bit = 8;
		c.end_bit = 24;
		c.pattern = beyond == 1 ? FEW : UNIFORM;
		c.offset = beyond == 0;
		check_sort(&c);
	}
}

Test(primitives_sort, by_blocks_of_several_tiles)
{
	for (const struct sort_kind *kind : { &u32, &u32_pairs, &u64, &u64_pairs, &f32 })
		check_many(kind);
}
