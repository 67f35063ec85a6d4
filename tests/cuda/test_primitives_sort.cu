/* test_primitives_sort.cu -- the stable sort of cuda/primitives/primitives.h, compared with the
 * host's.
 */
#include "tests/cuda/test_primitives.h"

#include <criterion/parameterized.h>

#include "cuda/primitives/limits.h"

TestSuite(primitives_sort, .init = open_gpu, .fini = close_gpu);

enum pattern { UNIFORM, EQUAL, FEW, REVERSED };

static const char *const pattern_names[] = { "uniform", "equal", "few", "reversed" };

/* varied: bits that depend on the pattern; the others are the same in all keys. */
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
		if (c->key == GPU_KEY_F32 && c->pattern == UNIFORM && i % 3 == 0)
			keys[i] = special[i / 3 % GB_COUNT(special)];
	}
	return keys;
}

/* The bits by which the key is sorted. */
template <class K> static uint64_t sorted_bits(const struct sort_case *c, K key)
{
	const uint64_t ordered = c->key == GPU_KEY_F32 ? radix_order(RADIX_F32, key) : key;

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

/* The arrays of a sort: input, output and spare. */
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

static const char *case_name(const struct sort_case *c, char *name)
{
	(void)snprintf(name, NAME_MAX_BYTES,
		       "%zu %s%d keys%s, bits %d to %d, %s, varied %#" PRIx64 ", offset %zu",
		       c->count, c->key == GPU_KEY_F32 ? "f" : "u", key_bits(c->key),
		       c->values ? " with values" : "", c->begin_bit, c->end_bit,
		       pattern_names[c->pattern], c->varied, c->offset);
	return name;
}

template <class K> static void check_sort_of(const struct sort_case *c)
{
	begin_case();

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
	sort.staged = gpu_sort_can_stage(c->key, c->count);
	case_name(c, name);
	for (int run = 0; run < c->runs; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_outputs(&k);
		clear_outputs(&v);
		cr_assert_eq(gpu_sort(&sort, &err), GB_OK, "%s: %s", name, err.message);
		expect_sorted(&k, keys, order, name, "keys");
		if (c->values)
			expect_sorted(&v, values, order, name, "values");
		expect_guards(&temp, name, "temporary storage");
	}
	end_case();
}

static void check_sort(const struct sort_case *c)
{
	if (c->key == GPU_KEY_U64)
		check_sort_of<uint64_t>(c);
	else
		check_sort_of<uint32_t>(c);
}

static struct sort_case uniform_case(enum gpu_key key, bool values, size_t count)
{
	return { key, values, 0, key_bits(key), UNIFORM, UINT64_MAX, count, 0, RUNS };
}

/* The most keys that one block sorts, and tile sizes for the smallest and for small counts: see
 * primitives/sort.cu. */
enum { ALONE = 4096 };

static size_t least_tile(enum gpu_key key)
{
	return key == GPU_KEY_U64 ? 2048 : 4096;
}

static size_t few_tile(enum gpu_key key)
{
	return key == GPU_KEY_U64 ? 5888 : 9216;
}

static void check_sizes(enum gpu_key key, bool values)
{
	const size_t tile = least_tile(key);

	for (const size_t count : sizes_for(ALONE)) {
		const struct sort_case c = uniform_case(key, values, count);

		check_sort(&c);
	}
	for (const size_t count : { (size_t)257, 2 * tile + 1, 3 * tile }) {
		struct sort_case c = uniform_case(key, values, count);

		c.offset = 1 + count % 3;
		check_sort(&c);
	}
}

static void check_patterns(enum gpu_key key, bool values)
{
	const int bits = key_bits(key);
	const struct {
		enum pattern pattern;
		int begin, end;
	} cases[] = { { EQUAL, 0, bits },      { FEW, 0, bits },   { REVERSED, 0, bits },
		      { UNIFORM, 0, 1 },       { UNIFORM, 7, 8 },  { UNIFORM, 5, 21 },
		      { UNIFORM, 3, 11 },      { UNIFORM, 0, 30 }, { UNIFORM, bits - 9, bits },
		      { UNIFORM, 8, bits - 1 } };

	for (const auto &i : cases) {
		for (const size_t count : { 257, ALONE + 1 }) {
			struct sort_case c = uniform_case(key, values, count);

			c.pattern = i.pattern;
			c.begin_bit = i.begin;
			c.end_bit = i.end;
			c.offset = (size_t)i.begin % 2;
			check_sort(&c);
		}
	}
}

struct sort_kind {
	enum gpu_key key;
	bool values;
};

ParameterizedTestParameters(primitives_sort, sorts)
{
	static struct sort_kind kinds[] = { { GPU_KEY_U32, false },
					    { GPU_KEY_U32, true },
					    { GPU_KEY_U64, false },
					    { GPU_KEY_U64, true },
					    { GPU_KEY_F32, false } };

	return criterion_test_params(kinds);
}

ParameterizedTest(const struct sort_kind *kind, primitives_sort, sorts)
{
	check_sizes(kind->key, kind->values);
	check_patterns(kind->key, kind->values);
}

/* For any set of bytes that is equal in all keys, the passes over it are skipped.  After any number
 * of passes the result must be in the output. */
Test(primitives_sort, equal_bytes)
{
	gpu_sort_limits.words = 0; /* passes, as for many keys */
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

/* Sizes on both sides of the limits at which the shape of blocks changes.  They depend on the
 * number of multiprocessors.  The sort uses two digits below a limit and the whole key above. */
static void check_around(enum gpu_key key, bool values, size_t most)
{
	struct sort_case c = uniform_case(key, values, most);

	c.runs = 1;
	c.begin_bit = c.end_bit - 9;
	check_sort(&c);
	c = uniform_case(key, values, most + 1);
	c.runs = 1;
	check_sort(&c);
}

Test(primitives_sort, by_blocks_of_each_shape)
{
	const size_t processors = (size_t)gpu_sm_count();

	for (const enum gpu_key key : { GPU_KEY_U32, GPU_KEY_U64 }) {
		for (const bool values : { false, true }) {
			check_around(key, values, processors * least_tile(key));
			check_around(key, values, processors * few_tile(key));
		}
	}
}

/* The tile size for large counts. */
static size_t many_tile(enum gpu_key key, bool values)
{
	return key == GPU_KEY_U64 ? 5760 : values ? 8832 : 10240;
}

/* More tiles than the device has resident blocks, two per multiprocessor: each block gets several
 * tiles.  Reversed keys have tiles with one digit; keys not aligned to 16 bytes are not copied
 * ahead. */
static void check_many(enum gpu_key key, bool values)
{
	const size_t tiles = 2 * (size_t)gpu_sm_count() + 3, tile = many_tile(key, values);

	for (const size_t beyond : { (size_t)0, (size_t)1, tile - 1 }) {
		struct sort_case c = uniform_case(key, values, tiles * tile + beyond);

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
	for (const enum gpu_key key : { GPU_KEY_U32, GPU_KEY_U64 })
		for (const bool values : { false, true })
			check_many(key, values);
	check_many(GPU_KEY_F32, false);
}
