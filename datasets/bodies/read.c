/* read.c -- read the positions of bodies from files.
 *
 * The contents tell the format, if not the name of a text.  Each reader first computes an upper bound
 * on the number of bodies (text: the number of lines), then allocates the arrays and fills them.
 */
#include "datasets/bodies/bodies.h"

#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/bodies/reading.h"
#include "datasets/reading/npy.h"
#include "datasets/reading/ply.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "raw files are little-endian, and are read without conversion"
#endif

/* ---- arrays ------------------------------------------------------------------------------ */

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

/* Note an axis on which rounding leaves less than ten bits of the bodies' places. */
static void note_rounding(const struct gb_bodies *b)
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

/* ---- ply, npy and raw -------------------------------------------------------------------- */

static enum gb_status take_vertex(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				  void *to)
{
	double value = 0;

	if (q->axis < 0)
		return gb_ply_skip(p, q);
	if (gb_ply_read_value(p, q->type, "a coordinate", &value))
		return p->r->err->code;
	return gb_bodies_set(to, p->r, row, q->axis, value);
}

/* Check the elements after the vertices, up to the end of the file. */
static enum gb_status read_rest(struct gb_ply *p)
{
	for (const struct gb_ply_element *e = p->vertex + 1; e < p->element + p->elements; e++)
		if (gb_ply_read_rows(p, e, e->count, NULL, NULL))
			return p->r->err->code;
	gb_ply_note_end(p);
	return GB_OK;
}

static enum gb_status read_ply(struct gb_bodies *b, struct gb_reader *r)
{
	struct gb_ply p;

	if (gb_ply_read_header(&p, r) || gb_bodies_alloc(b, r, p.vertex->count))
		return r->err->code;
	gb_ply_rewind(&p);
	p.shown = true;
	for (const struct gb_ply_element *e = p.element; e < p.vertex; e++)
		if (gb_ply_read_rows(&p, e, e->count, NULL, NULL))
			return r->err->code;
	b->count = b->room;
	if (gb_ply_read_rows(&p, p.vertex, b->room, take_vertex, b))
		return r->err->code;
	return b->room == p.vertex->count ? read_rest(&p) : GB_OK;
}

static enum gb_status read_npy(struct gb_bodies *b, struct gb_reader *r)
{
	struct gb_npy n;

	if (gb_npy_open(&n, r))
		return r->err->code;
	if (n.columns < 3 || (n.rows == 3 && n.columns > 3))
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: a NumPy array of %zu x %zu numbers has no row x, y, z for each "
			       "body",
			       r->path, n.rows, n.columns);
	if (gb_bodies_alloc(b, r, n.rows))
		return r->err->code;
	for (; b->count < b->room; b->count++)
		for (int d = 0; d < 3; d++)
			if (gb_bodies_set(b, r, b->count, d, gb_npy_value(&n, b->count, (size_t)d)))
				return r->err->code;
	if (n.columns > 3)
		gb_reader_note("columns 1, 2, 3 of %zu taken", n.columns);
	return GB_OK;
}

/* True if the magnitude of a float is as usual: a float64's lower half, which is random or a few bits
 * and zeros, often is not. */
static bool is_usual(const char *at)
{
	float value;

	memcpy(&value, at, sizeof value);
	value = fabsf(value);
	return value == 0 || (value > 1e-18f && value < 1e18f);
}

/* True if the numbers look like float64: the upper halves are usual floats, and an eighth of the lower
 * halves are not. */
static bool is_float64(const struct gb_reader *r)
{
	const size_t pairs = (size_t)(r->end - r->begin) / 8, most = 1 << 16;
	size_t odd = 0;

	for (size_t i = 0; i < pairs && i < most; i++) {
		if (!is_usual(r->begin + 8 * i + 4))
			return false;
		odd += !is_usual(r->begin + 8 * i);
	}
	return odd > 1 + (pairs < most ? pairs : most) / 8;
}

static enum gb_status read_raw(struct gb_bodies *b, struct gb_reader *r)
{
	const size_t bytes = (size_t)(r->end - r->begin), body = 3 * sizeof(float);
	float value;

	if (bytes % body)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: %zu bytes is not a multiple of %zu (three float32 per body)",
			       r->path, bytes, body);
	if (is_float64(r))
		return gb_fail(r->err, GB_EUSAGE,
			       "%s: the numbers look like float64, and raw files are read as "
			       "float32: an .npy file can have both",
			       r->path);
	if (gb_bodies_alloc(b, r, bytes / body))
		return r->err->code;
	for (; b->count < b->room; b->count++)
		for (int d = 0; d < 3; d++, r->at += sizeof value) {
			memcpy(&value, r->at, sizeof value);
			if (gb_bodies_set(b, r, b->count, d, (double)value))
				return r->err->code;
		}
	return GB_OK;
}

/* ---- any --------------------------------------------------------------------------------- */

/* True for text by its name or its contents. */
static bool is_text(const struct gb_reader *r)
{
	static const char *const endings[] = { ".csv", ".tsv", ".txt", ".xyz", ".pts", ".dat" };

	for (size_t i = 0; i < GB_COUNT(endings); i++)
		if (gb_reader_ends(r, endings[i]))
			return true;
	return gb_reader_is_text(r);
}

static enum gb_status read_any(struct gb_bodies *b, struct gb_reader *r)
{
	if (r->begin == r->end)
		return gb_fail(r->err, GB_EUSAGE, "%s is empty: no bodies", r->path);
	if (gb_is_ply(r)) {
		gb_reader_is(r, GB_FILE_PLY, "");
		return read_ply(b, r);
	}
	if (gb_is_npy(r)) {
		gb_reader_is(r, GB_FILE_NPY_BODIES, "");
		return read_npy(b, r);
	}
	if (gb_reader_refuse(r))
		return r->err->code;
	gb_reader_is(r, is_text(r) ? GB_FILE_CSV : GB_FILE_BODIES, "");
	return is_text(r) ? gb_bodies_read_text(b, r) : read_raw(b, r);
}

enum gb_status gb_bodies_read(const char *path, size_t limit, float **x, float **y, float **z,
			      size_t *count, struct gb_error *err)
{
	struct gb_bodies b = { .limit = limit };
	struct gb_reader r;

	if (!gb_reader_open(&r, path, "a file of bodies", err)) {
		if (!read_any(&b, &r)) {
			gb_reader_count("bodies", b.found, b.count);
			note_rounding(&b);
		}
		gb_reader_close(&r);
	}
	for (int d = 0; d < 3 && err->code; d++) {
		gb_host_free(b.xyz[d]);
		b.xyz[d] = NULL;
	}
	*x = b.xyz[0];
	*y = b.xyz[1];
	*z = b.xyz[2];
	*count = b.count;
	return err->code;
}
