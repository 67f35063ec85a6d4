/* reading.h -- bodies while a file of them is read. */
#ifndef GPUBENCH_DATASETS_BODIES_READING_H
#define GPUBENCH_DATASETS_BODIES_READING_H

#include "datasets/reading/reader.h"

struct gb_bodies {
	size_t limit;       /* bodies wanted; 0: all */
	size_t found;       /* bodies of the file; of text, those read */
	size_t room, count; /* bodies allocated, bodies read */
	float *xyz[3];
	double low[3], high[3]; /* the coordinates, before they are rounded */
	bool rounded[3];
};

/* Allocate the arrays for at most that many bodies of the file, or for the limit if that is less. */
enum gb_status gb_bodies_alloc(struct gb_bodies *b, const struct gb_reader *r, size_t bodies);

/* Store coordinate d of body i, which must be a finite float. */
enum gb_status gb_bodies_set(struct gb_bodies *b, const struct gb_reader *r, size_t i, int d,
			     double position);

/* Read text: a body per line. */
enum gb_status gb_bodies_read_text(struct gb_bodies *b, struct gb_reader *r);

#endif
