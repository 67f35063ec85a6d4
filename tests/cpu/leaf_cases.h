/* leaf_cases.h -- tests of leaf sorts with vectors: every size around those of vectors and
 * networks, keys that defeat most pivots, and the fallback by middles, which sampled pivots rarely
 * need.
 *
 * Included by a test after the file under test, whose static functions are called here.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

enum { MOST = 5000, GUARD = 16 }; /* keys; guard keys on either side */
static const uint64_t guard = UINT64_C(0x5a5a5a5a5a5a5a5a);

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Key i of n: uniform, few values, few bits set, all equal but one, all equal, the largest,
 * descending, most equal to a middle, the least or the largest key. */
static uint64_t key_of(int kind, size_t i, size_t n, uint64_t *state)
{
	const uint64_t word = next(state), last = i + 1 == n;

	switch (kind) {
	case 0:
		return word;
	case 1:
		return word % 5 * UINT64_C(0x3333333333333333);
	case 2:
		return word & next(state) & next(state) & next(state) & next(state);
	case 3:
		return 7 - last;
	case 4:
		return UINT64_C(1) << 63 | UINT64_C(1) << 31;
	case 5:
		return UINT64_MAX - (word & 1);
	case 6:
		return n - i;
	default:
		return word >> 60 == 0 ? next(state)
		       : kind == 7     ? UINT64_C(0x8000000080000000)
		       : kind == 8     ? 0
				       : UINT64_MAX;
	}
}
enum { KINDS = 10 };

static int compare_64(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void put(void *array, size_t width, size_t i, uint64_t key)
{
	if (width == 8)
		((uint64_t *)array)[i] = key;
	else
		((uint32_t *)array)[i] = (uint32_t)key;
}

static uint64_t get(const void *array, size_t width, size_t i)
{
	return width == 8 ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

/* How the leaf is sorted: as a caller does, in either array; by middles alone; or cut first. */
enum way { IN_PLACE, IN_SPARE, BY_MIDDLES, CUT, WAYS };

static void sort_leaf(const struct radix_leaf *leaf)
{
	if (leaf->width == 8)
		sort_leaf_64(leaf);
	else
		sort_leaf_32(leaf);
}

static void sort_by_middles(const struct radix_leaf *leaf)
{
	if (leaf->width == 8)
		sort_64(leaf->record, leaf->count, 0, false);
	else
		sort_32(leaf->record, leaf->count, 0, false);
}

static void sort_cut(const struct radix_leaf *leaf)
{
	const struct radix_cut cut = leaf->width == 8 ? cut_leaf_64(leaf) : cut_leaf_32(leaf);
	struct radix_leaf part[2] = { *leaf, *leaf };

	cr_assert(cut.low <= cut.high && cut.low < leaf->count && cut.high > 0);
	part[0].count = cut.low;
	part[1].count -= cut.high;
	part[1].record = (char *)leaf->record + cut.high * leaf->width;
	for (int i = 0; i < 2; i++)
		sort_leaf(&part[i]);
}

static void sort_one(size_t width, int kind, size_t n, enum way way)
{
	const bool in_spare = way == IN_SPARE;
	static uint64_t array[2][MOST + 2 * GUARD], wanted[MOST];
	const uint64_t around = width == 8 ? guard : (uint32_t)guard;
	uint64_t state = 88172645463325252U + n;
	unsigned char *record = (unsigned char *)array[0] + GUARD * width;
	unsigned char *spare = (unsigned char *)array[1] + GUARD * width;
	void *key = in_spare ? spare : record;
	const struct radix_leaf leaf = { .record = record,
					 .spare = spare,
					 .count = n,
					 .width = width,
					 .top = (unsigned)(8 * width),
					 .in_spare = in_spare };

	for (size_t i = 0; i < n + 2 * GUARD; i++) {
		put(array[0], width, i, guard);
		put(array[1], width, i, guard);
	}
	for (size_t i = 0; i < n; i++) {
		put(key, width, i, key_of(kind, i, n, &state));
		wanted[i] = get(key, width, i);
	}
	qsort(wanted, n, sizeof *wanted, compare_64);
	if (way == CUT)
		sort_cut(&leaf);
	else if (way == BY_MIDDLES)
		sort_by_middles(&leaf);
	else
		sort_leaf(&leaf);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(record, width, i), wanted[i],
			     "width %zu kind %d way %d, key %zu of %zu", width, kind, (int)way, i,
			     n);
	for (size_t i = 0; i < GUARD; i++)
		for (int a = 0; a < 2; a++) {
			cr_assert_eq(get(array[a], width, i), around, "before %zu keys", n);
			cr_assert_eq(get(array[a], width, GUARD + n + i), around, "behind %zu keys",
				     n);
		}
}

static void sort_all(size_t n)
{
	for (size_t width = 4; width <= 8; width += 4)
		for (int kind = 0; kind < KINDS; kind++)
			for (enum way way = IN_PLACE; way < (n < RADIX_CUT_MIN ? CUT : WAYS); way++)
				sort_one(width, kind, n, way);
}

/* All sizes around those of vectors and networks, up to `every`, and those at which the choice of
 * pivot changes. */
static void sort_sizes(size_t every)
{
	const size_t other[] = { 2 * RADIX_EVEN, 4 * RADIX_EVEN, 8 * RADIX_EVEN, RADIX_MANY };

	for (size_t n = 0; n <= every; n++)
		sort_all(n);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		for (size_t n = other[i] - 1; n <= other[i] + 1; n++)
			sort_all(n);
	sort_all(MOST);
}

/* Merge `lefts` and `rights` keys, of which many are equal if `bits` is low. */
static void merge_one(size_t width, unsigned bits, size_t lefts, size_t rights)
{
	static uint64_t left[MOST], to[2 * MOST + 1], wanted[2 * MOST];
	const size_t n = lefts + rights;
	uint64_t state = n + 1;

	for (size_t i = 0; i < n; i++)
		wanted[i] = next(&state) >> (64 - bits);
	qsort(wanted, lefts, sizeof *wanted, compare_64);
	qsort(wanted + lefts, rights, sizeof *wanted, compare_64);
	for (size_t i = 0; i < n; i++)
		put(i < lefts ? left : to, width, i, wanted[i]);
	put(to, width, n, guard);
	if (width == 8)
		merge_64(to, left, lefts, rights);
	else
		merge_32((uint32_t *)to, (uint32_t *)left, lefts, rights);
	qsort(wanted, n, sizeof *wanted, compare_64);
	for (size_t i = 0; i < n; i++)
		cr_assert_eq(get(to, width, i), wanted[i], "width %zu, %zu and %zu: key %zu", width,
			     lefts, rights, i);
	cr_assert_eq(get(to, width, n), width == 8 ? guard : (uint32_t)guard);
}

/* Lengths around those of vectors; one of them much longer. */
static void merge_sizes(void)
{
	static const size_t length[] = { 0,  1,  3,  4,  5,  7,  8,  9,   15,
					 16, 17, 31, 32, 33, 48, 63, 150, 701 };
	const size_t lengths = sizeof length / sizeof *length;

	for (size_t c = 0; c < lengths * lengths * 4; c++)
		merge_one(c & 1 ? 8 : 4, c & 2 ? 32 : 4, length[c / 4 % lengths],
			  length[c / 4 / lengths]);
}
