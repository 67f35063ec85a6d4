/* ply.h -- PLY (Turk 1994): a header that declares elements and their properties, then the rows of
 * the elements, as text or binary of either byte order.
 *
 * A reader of PLY files goes through the elements in their order and names the function that takes
 * the properties of its rows; what else the header declares is skipped.  Blank lines between the
 * rows of a text file are, too.
 */
#ifndef GPUBENCH_DATASETS_READING_PLY_H
#define GPUBENCH_DATASETS_READING_PLY_H

#include "datasets/reading/reader.h"

enum { GB_PLY_ELEMENTS = 16, GB_PLY_PROPERTIES = 256, GB_PLY_NAME = 32 };

enum gb_ply_type {
	GB_PLY_I8,
	GB_PLY_U8,
	GB_PLY_I16,
	GB_PLY_U16,
	GB_PLY_I32,
	GB_PLY_U32,
	GB_PLY_F32,
	GB_PLY_F64,
	GB_PLY_TYPES,
	GB_PLY_NO_LIST = GB_PLY_TYPES,
};

struct gb_ply_property {
	char name[GB_PLY_NAME];
	enum gb_ply_type type;
	enum gb_ply_type length; /* of a list: the type of its length; else GB_PLY_NO_LIST */
	int axis;                /* of x, y, z: 0, 1, 2; else -1 */
};

struct gb_ply_element {
	char name[GB_PLY_NAME];
	size_t count;
	const struct gb_ply_property *property;
	size_t properties; /* at least one */
};

struct gb_ply {
	struct gb_reader *r;
	enum { GB_PLY_ASCII, GB_PLY_LITTLE, GB_PLY_BIG, GB_PLY_FORMATS } format;
	struct gb_ply_element element[GB_PLY_ELEMENTS];
	size_t elements;
	const struct gb_ply_element *vertex; /* has one x, one y and one z */
	size_t header_lines;
	const char *rows;                                   /* the first one */
	struct gb_ply_property property[GB_PLY_PROPERTIES]; /* of all elements */
	size_t properties;
};

/* Read the header.  Errors are reported by line until gb_ply_rewind() starts on the rows. */
enum gb_status gb_ply_read_header(struct gb_ply *p, struct gb_reader *r);

/* To the first row. */
void gb_ply_rewind(struct gb_ply *p);

/* The most rows of the element that the bytes after the header can hold. */
size_t gb_ply_most_rows(const struct gb_ply *p, const struct gb_ply_element *e);

/* Takes property q of a row: reads it, or calls gb_ply_skip(). */
typedef enum gb_status gb_ply_take(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				   void *to);

/* Read the next `rows` rows, which are of element e; `take` is called for each property of each
 * row; NULL skips them. */
enum gb_status gb_ply_read_rows(struct gb_ply *p, const struct gb_ply_element *e, size_t rows,
				gb_ply_take *take, void *to);

/* For `take`: a number of that type, which `what` names; the property, whatever its type. */
enum gb_status gb_ply_read_value(struct gb_ply *p, enum gb_ply_type type, const char *what,
				 double *value);
enum gb_status gb_ply_skip(struct gb_ply *p, const struct gb_ply_property *q);

/* Fail if the file goes on. */
enum gb_status gb_ply_read_end(struct gb_ply *p);

#endif
