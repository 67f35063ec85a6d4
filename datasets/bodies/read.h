/* read.h -- positions of bodies from files. */
#ifndef GPUBENCH_DATASETS_BODIES_READ_H
#define GPUBENCH_DATASETS_BODIES_READ_H

#include <stddef.h>

#include "common/status.h"

/* Read the positions of at most `limit` bodies, or all if it is 0, from
 *
 *	.csv           three numbers a line, separated by commas, semicolons, tabs or blanks;
 *	               further columns are ignored, as are empty lines, lines that start with
 *	               #, a byte order mark and a first line of names (which starts with a
 *	               letter, _ or ")
 *	.ply           ascii or binary of either byte order: x, y, z (any number type) of the
 *	               element vertex; other properties and elements are skipped
 *	anything else  raw little-endian float32, x y z of each body
 *
 * The arrays are from gb_host_alloc (in a dry run not filled) and the caller's to free.  GB_EUSAGE
 * if the file cannot be read, is malformed (FILE:LINE, or FILE: byte N), holds no bodies or more
 * than OCTREE_MAX_COUNT, or has a coordinate that is not a finite float (the message names the
 * body); GB_EMEMORY if memory does not suffice.  Then the pointers are NULL. */
enum gb_status gb_bodies_read(const char *path, size_t limit, float **x, float **y, float **z,
			      size_t *count, struct gb_error *err);

#endif
