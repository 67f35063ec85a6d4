/* ply.h -- PLY files (Turk 1994): a header that declares elements and their properties, then the
 * rows of the elements, as text or binary of either byte order.
 *
 * A caller reads the elements in order and passes a callback that receives the properties of their
 * rows.  Other elements and blank lines are skipped, and so are values and bytes beyond those that
 * the header declares.  Keywords and names may be in capitals.
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
	int axis;                                /* 0, 1, 2 for x, y, z; else -1 */
};

struct gb_ply_element {
	char name[GB_PLY_NAME];
	size_t count;
	const struct gb_ply_property *property;
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

/* Skip a byte order mark and read the header of such a file.  Errors have a line number until gb_ply_rewind() goes to the rows. */
enum gb_status gb_ply_read_header(struct gb_ply *p, struct gb_reader *r);

/* Go to the first row. */
void gb_ply_rewind(struct gb_ply *p);

/* A callback for property q of a row.  It must read the property or call gb_ply_skip(). */
typedef enum gb_status gb_ply_take(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				   void *to);

/* Read the next `rows` rows, which belong to element e, and call `take` for each property of each
 * row.  If `take` is NULL, skip the rows. */
enum gb_status gb_ply_read_rows(struct gb_ply *p, const struct gb_ply_element *e, size_t rows,
				gb_ply_take *take, void *to);

/* For `take`: read a number of that type (`what` names it in errors) or the length of a list (1 for a
 * scalar); skip so many values, or a property. */
enum gb_status gb_ply_read_value(struct gb_ply *p, const struct gb_ply_type *type, const char *what,
				 double *value);
enum gb_status gb_ply_read_length(struct gb_ply *p, const struct gb_ply_property *q,
				  uint32_t *length);
enum gb_status gb_ply_skip_values(struct gb_ply *p, const struct gb_ply_property *q,
				  uint32_t count);
enum gb_status gb_ply_skip(struct gb_ply *p, const struct gb_ply_property *q);

/* After the last element: note what the file has beyond what its header declares. */
void gb_ply_note_end(struct gb_ply *p);

#endif
