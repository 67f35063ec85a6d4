/* charts.c -- the charts of a history's page: the launches of each series in order.
 *
 * A dot is a launch or, if there are more than DOTS, the median of consecutive launches of one
 * level; its title has the commit and the date.  A horizontal line is the median of a level, a
 * vertical line a shift.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/grid/picture.h"
#include "cli/reports/history/charts.h"
#include "common/text.h"

enum {
	WIDTH = GB_PICTURE_WIDTH,
	HEIGHT = 200,
	LEFT = 64,
	RIGHT = 8,
	TOP = 16,
	BOTTOM = 36,
	DOTS = 400,
	TICKS = 5,
	NAME = 640,
};

enum { LEVELS, SHIFTS }; /* colours of gb_picture_color() */

struct chart {
	FILE *file;
	const struct gb_history *history;
	const struct gb_trend *trend;
	double low, high; /* range of the axis, ns */
};

static void put_text(const struct chart *c, const char *text)
{
	gb_grid_print_text(c->file, text, GB_FORMAT_HTML);
}

static double x_of(const struct chart *c, double launch)
{
	const double most = fmax((double)(c->trend->count - 1), 1);

	return LEFT + launch / most * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct chart *c, double ns)
{
	return HEIGHT - BOTTOM - (ns - c->low) / (c->high - c->low) * (HEIGHT - BOTTOM - TOP);
}

/* The largest of 1, 2, 5 times a power of ten with at least TICKS steps in the range. */
static double step_of(double range)
{
	const double power = pow(10, floor(log10(range / TICKS)));
	const double lead = range / TICKS / power;

	return power * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

static void put_axes(const struct chart *c)
{
	const struct gb_trend *t = c->trend;
	const double step = step_of(c->high - c->low);
	char text[GB_TEXT_MAX], date[GB_DATE_MAX];
	double tick = ceil(c->low / step) * step;

	while (tick <= c->high) {
		(void)fprintf(c->file,
			      "<line class=\"rule\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
			      "<text class=\"soft\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s"
			      "</text>\n",
			      LEFT, WIDTH - RIGHT, y_of(c, tick), y_of(c, tick), LEFT - 6,
			      y_of(c, tick) + 4, gb_text_time(text, tick));
		tick += step;
	}
	(void)fprintf(c->file, "<text class=\"soft\" x=\"%d\" y=\"%d\">%.10s</text>\n", LEFT,
		      HEIGHT - 12, gb_date_text(date, t->run[0]->started));
	(void)fprintf(c->file,
		      "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%.10s</text>\n",
		      WIDTH - RIGHT, HEIGHT - 12,
		      gb_date_text(date, t->run[t->count - 1]->started));
}

/* "commit bf01ff7d3bf2, 2026-11-22T08:25:38Z, nightly/3.jsonl". */
static void put_place(const struct chart *c, size_t launch)
{
	const struct gb_stored_run *run = c->trend->run[launch];
	char date[GB_DATE_MAX];

	if (run->commit[0]) {
		(void)fputs("commit ", c->file);
		put_text(c, run->commit);
		(void)fputs(", ", c->file);
	}
	(void)fprintf(c->file, "%s, ", gb_date_text(date, run->started));
	put_text(c, c->history->store->file[run->file].path);
}

static void put_dot(const struct chart *c, size_t from, size_t to, double *room)
{
	const double ns = gb_median_of(c->trend->value + from, to - from, room);
	char text[GB_TEXT_MAX];

	(void)fprintf(c->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>%s",
		      x_of(c, (double)(from + to - 1) / 2), y_of(c, ns), gb_picture_color(LEVELS),
		      gb_text_time(text, ns));
	if (to - from > 1)
		(void)fprintf(c->file, ", median of %zu launches, the first: ", to - from);
	else
		(void)fputs(", ", c->file);
	put_place(c, from);
	(void)fputs("</title></circle>\n", c->file);
}

/* Draw the dots and the median of launches from .. to, which belong to one level. */
static void put_level(const struct chart *c, size_t from, size_t to, double *room)
{
	const size_t stride = (c->trend->count + DOTS - 1) / DOTS;
	const double level = gb_median_of(c->trend->value + from, to - from, room);

	(void)fprintf(c->file,
		      "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		      "stroke-width=\"1.6\"/>\n",
		      x_of(c, (double)from), x_of(c, (double)(to - 1)), y_of(c, level),
		      y_of(c, level), gb_picture_color(LEVELS));
	for (size_t i = from; i < to; i += stride)
		put_dot(c, i, i + stride < to ? i + stride : to, room);
}

static void put_shift(const struct chart *c, const struct gb_shift *shift)
{
	const double x = x_of(c, (double)shift->at - 0.5);
	char text[GB_SHIFT_TEXT];

	gb_shift_text(text, shift);
	(void)fprintf(c->file,
		      "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"%s\" "
		      "stroke-width=\"2\" stroke-dasharray=\"4 3\"><title>%s, from ",
		      x, x, TOP, HEIGHT - BOTTOM, gb_picture_color(SHIFTS), text);
	put_place(c, shift->at);
	(void)fprintf(c->file,
		      "</title></line><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" "
		      "style=\"fill:%s\">%.*s</text>\n",
		      fmin(fmax(x, LEFT + 24), WIDTH - RIGHT - 24), TOP - 4,
		      gb_picture_color(SHIFTS), (int)strcspn(text, ","), text);
}

static void set_range(struct chart *c)
{
	const struct gb_trend *t = c->trend;
	double air;

	c->low = INFINITY;
	c->high = 0;
	for (size_t i = 0; i < t->count; i++) {
		c->low = fmin(c->low, t->value[i]);
		c->high = fmax(c->high, t->value[i]);
	}
	air = fmax((c->high - c->low) / 20, c->high / 1000);
	c->low -= air;
	c->high += air;
}

/* "radix/cpu/best count=10000, AMD EPYC, hot caches: slower" */
static void name_series(const struct gb_trend *t, char name[NAME])
{
	(void)snprintf(name, NAME, "%.400s, %.160s, %s caches: %s", t->series->key,
		       gb_series_machine(t->series), t->series->cold ? "cold" : "hot",
		       gb_verdict_text(t->verdict));
}

static void put_chart(struct gb_sheet *sheet, const struct gb_history *h, const struct gb_trend *t)
{
	FILE *file = sheet->file;
	struct chart c = { .file = file, .history = h, .trend = t };
	double *room = malloc((t->count + 1) * sizeof *room);
	char name[NAME];

	if (!room) {
		sheet->failed = true;
		return;
	}
	set_range(&c);
	name_series(t, name);
	gb_picture_open(file, HEIGHT, name);
	put_axes(&c);
	for (size_t i = 0; i <= t->shifts; i++)
		put_level(&c, i ? t->shift[i - 1].at : 0, i < t->shifts ? t->shift[i].at : t->count,
			  room);
	for (size_t i = 0; i < t->shifts; i++)
		put_shift(&c, &t->shift[i]);
	(void)fputs("</svg><figcaption>", file);
	put_text(&c, name);
	(void)fputs("</figcaption></figure>\n", file);
	free(room);
}

char *gb_shift_text(char text[GB_SHIFT_TEXT], const struct gb_shift *shift)
{
	const struct gb_ratio *r = &shift->ratio;

	(void)snprintf(text, GB_SHIFT_TEXT, "%+.1f %%", 100 * (r->estimate - 1));
	if (!isnan(r->interval.low))
		gb_text_append(text, GB_SHIFT_TEXT, ", %+.1f to %+.1f", 100 * (r->interval.low - 1),
			       100 * (r->interval.high - 1));
	return text;
}

void gb_history_print_charts(struct gb_sheet *sheet, const struct gb_history *history)
{
	gb_sheet_begin(sheet, GB_PICTURE);
	for (size_t i = 0; i < history->count; i++)
		if (history->trend[i].count)
			put_chart(sheet, history, &history->trend[i]);
}
