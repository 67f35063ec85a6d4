/* picture.c -- see picture.h. */
#include "cli/reports/grid/picture.h"

#include "cli/reports/grid/grid.h"
#include "common/text.h"

/* Based on Okabe and Ito, "Color universal design", 2008; each has enough contrast on white and
 * black. */
static const char *const colors[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
				      "#b8860b", "#3fa0d8", "#7a8288", "#a05195" };

const char *gb_picture_color(size_t series)
{
	return colors[series % GB_COUNT(colors)];
}

const char *gb_picture_dashes(size_t series)
{
	return series < GB_COUNT(colors) ? "none" : "5 3";
}

void gb_picture_open(FILE *file, int height, const char *label)
{
	(void)fprintf(file,
		      "<figure><svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
		      "aria-label=\"",
		      GB_PICTURE_WIDTH, height, GB_PICTURE_WIDTH, height);
	gb_grid_print_text(file, label, GB_FORMAT_HTML);
	(void)fputs("\">\n", file);
}

void gb_picture_mark(FILE *file, size_t series, double x, double y, const char *title)
{
	/* Circle, square, triangle, diamond, with the same apparent size. */
	static const char *const shape[] = { "a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
					     "m.3-2.7h5.4v5.4h-5.4z", "m-.5 2.5h7l-3.5-6z",
					     "l3-3.8 3 3.8-3 3.8z" };

	(void)fprintf(file, "<path fill=\"%s\" d=\"M%.1f %.1f%s\"%s", gb_picture_color(series),
		      x - 3, y, shape[series % GB_COUNT(shape)], title ? "><title>" : "/>");
	if (!title)
		return;
	gb_grid_print_text(file, title, GB_FORMAT_HTML);
	(void)fputs("</title></path>", file);
}

void gb_picture_legend(FILE *file, size_t series, const char *name)
{
	(void)fprintf(file,
		      "<li><svg width=\"24\" height=\"10\" aria-hidden=\"true\"><line x1=\"0\" "
		      "x2=\"24\" y1=\"5\" y2=\"5\" stroke=\"%s\" stroke-width=\"1.6\" "
		      "stroke-dasharray=\"%s\"/>",
		      gb_picture_color(series), gb_picture_dashes(series));
	gb_picture_mark(file, series, 12, 5, NULL);
	(void)fputs("</svg> ", file);
	gb_grid_print_text(file, name, GB_FORMAT_HTML);
	(void)fputs("</li>\n", file);
}
