/* scale.c -- see scale.h. */
#include "cli/reports/grid/scale.h"

#include <math.h>
#include <string.h>

#include "common/text.h"

double gb_scale_at(const struct gb_scale *s, double value)
{
	return s->from +
	       (log(value) - log(s->low)) / (log(s->high) - log(s->low)) * (s->to - s->from);
}

void gb_scale_widen(struct gb_scale *s, double value)
{
	if (!(value > 0) || !isfinite(value))
		return;
	/* Ticks are powers of ten, which are exact to far beyond these. */
	value = fmin(fmax(value, 1e-100), 1e100);
	s->low = fmin(s->low, value);
	s->high = fmax(s->high, value);
}

void gb_scale_settle(struct gb_scale *s)
{
	const double air = fmax(pow(s->high / s->low, 0.04), 1.02);

	s->low /= air;
	s->high *= air;
}

struct gb_scale gb_scale_empty(double from, double to)
{
	return (struct gb_scale){ INFINITY, 0, from, to };
}

/* The next of 1, 2, 5, 10, 20, ... after value, or the power of ten `decades` further if that is
 * not 0. */
static double next_tick(double value, int decades)
{
	const double power = pow(10, floor(log10(value * (1 + 1e-9))));
	const double lead = value / power;

	if (decades)
		return power * pow(10, decades);
	return power * (lead < 2 - 1e-6 ? 2 : lead < 5 - 1e-6 ? 5 : 10);
}

/* Shorten "2.00 ms" to "2 ms". */
static void tidy(char text[GB_TEXT_MAX])
{
	char *end = strchr(text, ' ');
	char unit[GB_TEXT_MAX];

	if (!end)
		return;
	(void)snprintf(unit, sizeof unit, "%s", end);
	*end = '\0';
	while (strchr(text, '.') && (end[-1] == '0' || end[-1] == '.'))
		*--end = '\0';
	gb_text_append(text, GB_TEXT_MAX, "%s", unit);
}

bool gb_scale_tick(const struct gb_scale *s, double apart, double *tick)
{
	const double decade = fabs(s->to - s->from) * log(10) / log(s->high / s->low);
	const int decades = decade * log10(2) < apart ? (int)fmin(ceil(apart / decade), 300) : 0;

	if (*tick > 0)
		*tick = next_tick(*tick, decades);
	else
		*tick = pow(10, floor(log10(s->low)));
	while (*tick < s->low)
		*tick = next_tick(*tick, decades);
	return *tick <= s->high;
}

void gb_scale_print_axis(FILE *file, const struct gb_scale *s, bool vertical, bool is_time,
			 double other_from, double other_to)
{
	char text[GB_TEXT_MAX];
	double tick = 0;

	while (gb_scale_tick(s, vertical ? 14 : 48, &tick)) {
		const double p = gb_scale_at(s, tick);

		if (is_time)
			gb_text_time(text, tick);
		else
			gb_text_scaled(text, tick);
		tidy(text);
		if (vertical)
			(void)fprintf(file,
				      "<line class=\"rule\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
				      "y2=\"%.1f\"/><text class=\"soft\" x=\"%.1f\" y=\"%.1f\" "
				      "text-anchor=\"end\">%s</text>\n",
				      other_from, other_to, p, p, other_from - 6, p + 4, text);
		else
			(void)fprintf(file,
				      "<line class=\"rule\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
				      "y2=\"%.1f\"/><text class=\"soft\" x=\"%.1f\" y=\"%.1f\" "
				      "text-anchor=\"middle\">%s</text>\n",
				      p, p, other_from, other_to, p, other_to + 16, text);
	}
}
