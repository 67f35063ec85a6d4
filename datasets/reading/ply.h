/* ply.h -- PLY files (Turk 1994): a header that declares elements and their properties, then the
 * rows of the elements, as text or binary of either byte order.
 *
 * A callback receives the wanted properties row by row.  Others and blank lines are skipped, and so
 * are values and bytes beyond those that the header declares.  Keywords and names may be in capitals.
 */
#ifndef GPUBENCH_DATASETS_READING_PLY_H
#define GPUBENCH_DATASETS_READING_PLY_H

#include "datasets/reading/reader.h"

enum { GB_PLY_ELEMENTS = 16, GB_PLY_PROPERTIES = 256, GB_PLY_NAME = 64 };

struct gb_ply_type {
	const char *name, *other; /* two spellings */
	char kind;                /* 'f', 'i' or 'u' */
	unsigned size;            /* in bytes */
};

struct gb_ply_property {
	char name[GB_PLY_NAME];
	const struct gb_ply_type *type, *length; /* of values, and of a list's length or NULL */
	int axis;                                /* of the vertex: 0, 1, 2 for x, y, z; else -1 */
	bool wanted;                             /* x, y, z, and what the caller adds */
};

struct gb_ply_element {
	char name[GB_PLY_NAME];
	size_t count;
	struct gb_ply_property *property;
	size_t properties; /* without any, there are no rows to read */
};

struct gb_ply {
	struct gb_reader *r;
	enum { GB_PLY_ASCII, GB_PLY_LITTLE, GB_PLY_BIG, GB_PLY_FORMATS } format;
	struct gb_ply_element element[GB_PLY_ELEMENTS];
	size_t elements;
	const struct gb_ply_element *vertex; /* has one x, one y and one z */
	size_t header_lines, longer_rows;    /* text rows with more values than declared, so far */
	const char *rows;                    /* start of the first row */
	struct gb_ply_property property[GB_PLY_PROPERTIES]; /* those of all elements */
	size_t properties;
};

/* True if the reader is at the first line of a PLY file. */
bool gb_is_ply(const struct gb_reader *r);

/* Skip a byte order mark and read the header of such a file. */
enum gb_status gb_ply_read_header(struct gb_ply *p, struct gb_reader *r);

/* A callback for a wanted property of a row, which has so many values (1 unless it is a list).  It
 * reads or skips all of them. */
typedef enum gb_status gb_ply_take(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				   uint32_t values, void *to);

/* Read the elements: so many vertices and, unless there are more of them, all of the others.  Note
 * what the file has beyond what its header declares, unless the reader is quiet. */
enum gb_status gb_ply_read(struct gb_ply *p, size_t vertices, gb_ply_take *take, void *to);

/* For the callback: read a value of a property, or skip so many. */
enum gb_status gb_ply_value(struct gb_ply *p, const struct gb_ply_property *q, double *value);
enum gb_status gb_ply_skip(struct gb_ply *p, const struct gb_ply_property *q, uint32_t values);

#endif
