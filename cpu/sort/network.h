/* network.h -- a sorting network for up to 16 vectors, for vectors and lanes of any width.
 * vector*.c include it once per width, so it has no include guard.
 *
 * The includer defines NAME(x), a name with the width in it; VECTOR, the type of a vector; LANES,
 * its number of lanes; ATTRIBUTES of functions; MIN and MAX of two vectors; MAX_AT(low, c, a, b),
 * the larger of a and b in the lanes whose number has c's highest bit, and low elsewhere;
 * XOR_LANES(v, c), whose lane i is v's lane i ^ c.
 *
 * The vectors are rows of a matrix.  First a network sorts its columns without any movement between
 * lanes.  Then columns are merged: pairs, fours, and so on up to the whole.  After the step with
 * groups of g columns, each group's elements ascend row by row.  A merge of two neighbours of g / 2
 * columns is bitonic: element k of the left is compared with element N - 1 - k of the right, and
 * the smaller one goes up.  In the matrix, this compares row i with row rows - 1 - i, the lanes
 * of each group mirrored.  Both halves of the rows follow in the same way, until each row holds the
 * right elements; then the lanes of each row are compared with each other.
 */

static inline ATTRIBUTES void NAME(exchange_rows)(VECTOR *low, VECTOR *high)
{
	VECTOR a = *low, b = *high;

	*low = MIN(a, b);
	*high = MAX(a, b);
}

/* Compare lanes i and i ^ c; the smaller goes to the lane that lacks c's highest bit. */
static inline ATTRIBUTES VECTOR NAME(exchange_lanes)(VECTOR v, unsigned c)
{
	VECTOR other = XOR_LANES(v, c);

	return MAX_AT(MIN(v, other), c, v, other);
}

#define X(i, j)                                            \
	do {                                               \
		if ((j) < rows)                            \
			NAME(exchange_rows)(&v[i], &v[j]); \
	} while (0)

/* The smallest known networks for 2, 4, 8 and 16 rows: 1, 5, 19 and 60 comparators.  Missing rows
 * would hold the largest keys, so comparators that touch them are left out. */
static inline ATTRIBUTES void NAME(sort_columns)(VECTOR *v, unsigned rows)
{
	/* clang-format off */
	if (rows == 2) {
		X(0, 1);
	} else if (rows > 2 && rows <= 4) {
		X(0, 2); X(1, 3);
		X(0, 1); X(2, 3);
		X(1, 2);
	} else if (rows > 4 && rows <= 8) {
		X(0, 2); X(1, 3); X(4, 6); X(5, 7);
		X(0, 4); X(1, 5); X(2, 6); X(3, 7);
		X(0, 1); X(2, 3); X(4, 5); X(6, 7);
		X(2, 4); X(3, 5);
		X(1, 4); X(3, 6);
		X(1, 2); X(3, 4); X(5, 6);
	} else if (rows > 8) {
		X(0, 13); X(1, 12); X(2, 15); X(3, 14); X(4, 8); X(5, 6); X(7, 11); X(9, 10);
		X(0, 5); X(1, 7); X(2, 9); X(3, 4); X(6, 13); X(8, 14); X(10, 15); X(11, 12);
		X(0, 1); X(2, 3); X(4, 5); X(6, 8); X(7, 9); X(10, 11); X(12, 13); X(14, 15);
		X(0, 2); X(1, 3); X(4, 10); X(5, 11); X(6, 7); X(8, 9); X(12, 14); X(13, 15);
		X(1, 2); X(3, 12); X(4, 6); X(5, 7); X(8, 10); X(9, 11); X(13, 14);
		X(1, 4); X(2, 6); X(5, 8); X(7, 10); X(9, 13); X(11, 14);
		X(2, 4); X(3, 6); X(9, 12); X(11, 13);
		X(3, 5); X(6, 8); X(7, 9); X(10, 12);
		X(3, 4); X(5, 6); X(7, 8); X(9, 10); X(11, 12);
		X(6, 7); X(8, 9);
	}
	/* clang-format on */
}

#undef X

/* Compare row i with row block - 1 - i in all blocks of rows, lanes mirrored in groups of c + 1. */
static inline ATTRIBUTES void NAME(exchange_blocks)(VECTOR *v, unsigned rows, unsigned block,
						    unsigned c)
{
	if (rows <= block / 2)
		return;
#pragma GCC unroll 16
	for (unsigned i = 0; i < 8; i++) {
		unsigned base = i / (block / 2) * block, k = i % (block / 2);
		unsigned low = base + k, high = base + block - 1 - k;

		if (high >= rows)
			continue;
		v[high] = XOR_LANES(v[high], c);
		NAME(exchange_rows)(&v[low], &v[high]);
	}
}

static inline ATTRIBUTES void NAME(exchange_all)(VECTOR *v, unsigned rows, unsigned c)
{
#pragma GCC unroll 16
	for (unsigned i = 0; i < rows; i++)
		v[i] = NAME(exchange_lanes)(v[i], c);
}

/* Merge neighbours into groups of `group` columns. */
static inline ATTRIBUTES void NAME(merge_columns)(VECTOR *v, unsigned rows, unsigned group)
{
	NAME(exchange_blocks)(v, rows, 16, group - 1);
	NAME(exchange_blocks)(v, rows, 8, group - 1);
	NAME(exchange_blocks)(v, rows, 4, group - 1);
	NAME(exchange_blocks)(v, rows, 2, group - 1);
	NAME(exchange_all)(v, rows, group - 1);
	if (group >= 32)
		NAME(exchange_all)(v, rows, 8);
	if (group >= 16)
		NAME(exchange_all)(v, rows, 4);
	if (group >= 8)
		NAME(exchange_all)(v, rows, 2);
	if (group >= 4)
		NAME(exchange_all)(v, rows, 1);
}

/* Sort rows * LANES elements, row by row; rows <= 16 is known at compile time. */
static inline ATTRIBUTES void NAME(sort_matrix)(VECTOR *v, unsigned rows)
{
	NAME(sort_columns)(v, rows);
	NAME(merge_columns)(v, rows, 2);
	if (LANES >= 4)
		NAME(merge_columns)(v, rows, 4);
	if (LANES >= 8)
		NAME(merge_columns)(v, rows, 8);
	if (LANES >= 16)
		NAME(merge_columns)(v, rows, 16);
	if (LANES >= 32)
		NAME(merge_columns)(v, rows, 32);
}

/* Merge two rows, each of which ascends. */
static inline ATTRIBUTES void NAME(merge_rows)(VECTOR *low, VECTOR *high)
{
	*low = XOR_LANES(*low, LANES - 1);
	NAME(exchange_rows)(low, high);
#pragma GCC unroll 8
	for (unsigned c = LANES / 2; c; c /= 2) {
		*low = NAME(exchange_lanes)(*low, c);
		*high = NAME(exchange_lanes)(*high, c);
	}
}

#undef NAME
#undef VECTOR
#undef LANES
#undef ATTRIBUTES
#undef MIN
#undef MAX
#undef MAX_AT
#undef XOR_LANES
