/* picture.h -- elements shared by the pictures of a page: width, colours and marks of series,
 * labels.
 *
 * All pictures are as wide as a phone, so none is scaled down there; a desktop shows several side
 * by side.
 */
#ifndef GPUBENCH_CLI_REPORTS_GRID_PICTURE_H
#define GPUBENCH_CLI_REPORTS_GRID_PICTURE_H

#include <stddef.h>
#include <stdio.h>

enum {
	GB_PICTURE_WIDTH = 356,
	GB_PICTURE_SERIES = 16, /* maximum, so that all look different */
};

/* No two series have both the same colour and the same dashes.  The colours are safe for the
 * colour-blind, on white and on black. */
const char *gb_picture_color(size_t series);
const char *gb_picture_dashes(size_t series); /* value of stroke-dasharray */

/* Open a <figure> and an <svg>. label is the text for screen readers. */
void gb_picture_open(FILE *file, int height, const char *label);

/* Draw the series' mark at x, y.  title, which may be NULL, is its tooltip. */
void gb_picture_mark(FILE *file, size_t series, double x, double y, const char *title);

/* Print the series' entry in the list below a picture, <ul class="legend">. */
void gb_picture_legend(FILE *file, size_t series, const char *name);

#endif
