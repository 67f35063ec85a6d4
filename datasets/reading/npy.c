/* npy.c -- read NumPy's .npy files.  The header is the text of a Python dictionary, such as
 * {'descr': '<f4', 'fortran_order': False, 'shape': (100, 3), }. */
#include "datasets/reading/npy.h"

#include <string.h>

#include "datasets/reading/number.h"

static const char magic[] = "\x93NUMPY";
enum { MAGIC = 6, MOST_HEADER = 4096, MOST_DIMENSIONS = 2 };

bool gb_is_npy(const struct gb_reader *r)
{
	return (size_t)(r->end - r->begin) >= MAGIC && memcmp(r->begin, magic, MAGIC) == 0;
}

/* Copy the text of the header, and end it; it stays empty if it is longer than the file. */
static void copy_header(struct gb_npy *n, const struct gb_reader *r, char text[MOST_HEADER + 1])
{
	const unsigned char *byte = (const unsigned char *)r->begin;
	const size_t size = (size_t)(r->end - r->begin);
	const size_t head = size > MAGIC && byte[MAGIC] > 1 ? 12 : 10;
	size_t length = 0;

	for (size_t i = head - 1; i >= 8 && head <= size; i--)
		length = length << 8 | byte[i];
	if (head > size || length > size - head || length > MOST_HEADER)
		return;
	memcpy(text, byte + head, length);
	text[length] = 0;
	n->data = byte + head + length;
}

/* The value of a key; an empty text if there is none. */
static const char *find(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) + strspn(at + strlen(key), " :") : "";
}

/* Read a type such as '<f4'. */
static bool read_type(struct gb_npy *n, const char *at)
{
	if (strlen(at) < 5 || !strchr("'\"", at[0]) || !strchr("<>|=", at[1]) ||
	    !strchr("fiu", at[2]) || !strchr("1248", at[3]) || at[4] != at[0])
		return false;
	n->big = at[1] == '>';
	n->kind = at[2];
	n->size = (unsigned)(at[3] - '0');
	return n->kind != 'f' || n->size >= 4;
}

/* Read a shape such as (100, 3) or (100,). */
static bool read_shape(struct gb_npy *n, const char *at)
{
	uint64_t length[MOST_DIMENSIONS] = { 0, 1 };

	if (*at++ != '(')
		return false;
	for (; gb_is_digit(*at); at += strspn(at, ", L"))
		if (n->dimensions < MOST_DIMENSIONS)
			at = gb_read_natural(at, &length[n->dimensions++]);
		else
			return false;
	n->rows = length[0];
	n->columns = length[1];
	return *at == ')' && n->dimensions;
}

enum gb_status gb_npy_open(struct gb_npy *n, struct gb_reader *r)
{
	char text[MOST_HEADER + 1] = "";
	const char *order;
	size_t numbers, bytes, room;

	*n = (struct gb_npy){ .big = false };
	r->line = 0;
	copy_header(n, r, text);
	order = find(text, "'fortran_order'");
	if (!*order)
		return gb_reader_reject(r, ": the header of the NumPy array is damaged");
	if (!read_type(n, find(text, "'descr'")))
		return gb_reader_reject(
			r, ": a NumPy array of another type than float32, float64 or integers");
	if (!read_shape(n, find(text, "'shape'")))
		return gb_reader_reject(r, ": a NumPy array that has not one or two dimensions");
	n->fortran = *order == 'T';
	room = (size_t)(r->end - (const char *)n->data);
	if (__builtin_mul_overflow(n->rows, n->columns, &numbers) ||
	    __builtin_mul_overflow(numbers, n->size, &bytes) || bytes > room)
		return gb_reader_reject(
			r,
			": a NumPy array of %zu x %zu numbers of %u bytes, in a file of "
			"%zu bytes",
			n->rows, n->columns, n->size, (size_t)(r->end - r->begin));
	if (bytes < room)
		gb_reader_note("bytes after the array ignored: %zu", room - bytes);
	return GB_OK;
}

static const unsigned char *number_at(const struct gb_npy *n, size_t row, size_t column)
{
	return n->data +
	       (n->fortran ? column * n->rows + row : row * n->columns + column) * n->size;
}

uint64_t gb_npy_bits(const struct gb_npy *n, size_t row, size_t column)
{
	return gb_number_bits(number_at(n, row, column), n->kind, n->size, n->big);
}

double gb_npy_value(const struct gb_npy *n, size_t row, size_t column)
{
	return gb_number_value(number_at(n, row, column), n->kind, n->size, n->big);
}
