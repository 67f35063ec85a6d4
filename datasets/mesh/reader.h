/* reader.h -- what the mesh formats share: the file in memory, numbers, the place of an
 * error. */
#ifndef GPUBENCH_DATASETS_MESH_READER_H
#define GPUBENCH_DATASETS_MESH_READER_H

#include "datasets/mesh/scene.h"

struct gb_reader {
	const char *path;
	const char *begin, *at, *end; /* the file; *end is a readable 0 */
	size_t line;                  /* from 1; 0: the place is told in bytes */
	struct gb_error *err;
};

/* Fail with GB_EUSAGE, the file and the place before the message. */
enum gb_status gb_reader_fail(const struct gb_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Skip blanks (not the line's end); whether the line ends here. */
bool gb_reader_line_ends(struct gb_reader *r);
/* To the start of the next line. */
void gb_reader_next_line(struct gb_reader *r);
/* The number at r->at, which follows blanks and is followed by one of `stops` or the line's end.
 * GB_EUSAGE if there is none; `what` names it. */
enum gb_status gb_reader_number(struct gb_reader *r, const char *what, double *value);
/* The same for an integer of at most 18 digits, followed by a blank, the line's end or a slash. */
enum gb_status gb_reader_integer(struct gb_reader *r, const char *what, int64_t *value);

/* A coordinate: finite, not beyond LBVH_COORDINATE_MAX; -0 becomes 0. */
enum gb_status gb_reader_coordinate(const struct gb_reader *r, double value, float *out);

/* The arrays for so many vertices and triangles; GB_EUSAGE for none or more than can be numbered.
 */
enum gb_status gb_reader_alloc(const struct gb_reader *r, size_t vertices, size_t triangles,
			       struct gb_mesh *mesh);

/* The formats.  On failure what was allocated in *mesh is left to the caller. */
enum gb_status gb_mesh_read_obj(struct gb_reader *r, struct gb_mesh *mesh);
enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh);

#endif
