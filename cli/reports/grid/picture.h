/* picture.h -- what the pictures of a page have in common: their width, the colours and marks of
 * series, and names for who does not see them.
 *
 * All are as wide as a phone, so that nothing has to be shrunk there; a desktop shows several beside
 * each other.
 */
#ifndef GPUBENCH_CLI_REPORTS_GRID_PICTURE_H
#define GPUBENCH_CLI_REPORTS_GRID_PICTURE_H

#include <stddef.h>
#include <stdio.h>

enum {
	GB_PICTURE_WIDTH = 356,
	GB_PICTURE_SERIES = 16, /* at most, of distinguishable look */
};

/* No two series have the same colour and dashes.  The colours are safe for the colour-blind, on white
 * and on black. */
const char *gb_picture_color(size_t series);
const char *gb_picture_dashes(size_t series); /* of stroke-dasharray */

/* <figure> and <svg>; label is read to who cannot see it. */
void gb_picture_open(FILE *file, int height, const char *label);

/* The mark of the series at x, y; title (NULL: none) is shown when the pointer is on it. */
void gb_picture_mark(FILE *file, size_t series, double x, double y, const char *title);

/* The entry of a series in the list below a picture, <ul class="legend">. */
void gb_picture_legend(FILE *file, size_t series, const char *name);

#endif
