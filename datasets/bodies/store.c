/* store.c -- arrays of bodies, which the readers of files fill. */
#include <math.h>

#include "common/memory.h"
#include "common/octree_types.h"
#include "datasets/bodies/reading.h"

enum gb_status gb_bodies_alloc(struct gb_bodies *b, const struct gb_reader *r, size_t bodies)
{
	struct gb_error memory = { 0 };

	b->found = bodies;
	if (b->limit && b->limit < bodies)
		bodies = b->limit;
	if (!bodies)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	if (bodies > OCTREE_MAX_COUNT)
		return gb_fail(r->err, GB_EUSAGE, "%s holds %zu bodies, more than %d: see --count",
			       r->path, bodies, OCTREE_MAX_COUNT);
	if (gb_reader_claim(r, 12.0 * (double)bodies, "%zu bodies", bodies))
		return r->err->code;
	for (int d = 0; d < 3; d++) {
		b->xyz[d] = gb_host_alloc(bodies, sizeof *b->xyz[d], &memory);
		if (!b->xyz[d])
			return gb_fail(r->err, memory.code, "%s, %zu bodies: %s", r->path, bodies,
				       memory.message);
		b->low[d] = INFINITY;
		b->high[d] = -INFINITY;
	}
	b->room = bodies;
	return GB_OK;
}

/* A double beyond the range of float becomes an infinite float. */
enum gb_status gb_bodies_set(struct gb_bodies *b, const struct gb_reader *r, size_t i, int d,
			     double position)
{
	const float value = (float)position;

	if (!isfinite(value))
		return gb_fail(r->err, GB_EUSAGE, "%s: %c of body %zu is %g, not a finite float32",
			       r->path, "xyz"[d], i, position);
	b->low[d] = position < b->low[d] ? position : b->low[d];
	b->high[d] = position > b->high[d] ? position : b->high[d];
	b->rounded[d] |= (double)value < position || (double)value > position;
	b->xyz[d][i] = value;
	return GB_OK;
}

void gb_bodies_note_rounding(const struct gb_bodies *b)
{
	for (int d = 0; d < 3; d++) {
		const double most = fmax(fabs(b->low[d]), fabs(b->high[d]));
		const double span = b->high[d] - b->low[d], step = ldexp(1, ilogb(most) - 23);

		if (b->rounded[d] && span > 0 && span < 1024 * step) {
			gb_reader_note("%c, which spans %g, rounded to steps of %g", "xyz"[d], span,
				       step);
			return;
		}
	}
}
