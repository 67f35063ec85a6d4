/* ply.c -- read a mesh from a PLY file: the properties x, y, z of the element `vertex`, the list
 * vertex_indices (or vertex_index) of the element `face`, and that of `tristrips`, in which -1 ends a
 * strip.  The first pass counts the triangles, the second fills the arrays. */
#include "datasets/mesh/mesh.h"

#include <math.h>

#include "common/text.h"
#include "datasets/reading/ply.h"

struct job {
	struct gb_mesh *mesh;
	const struct gb_ply_property *faces, *strips; /* the lists; at least one */
	size_t vertices;                              /* as declared in the header */
	struct gb_mesh_faces done;
	bool fill; /* the second pass */
};

static enum gb_status take_vertex(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				  void *to)
{
	const struct job *job = to;
	double value = 0;

	if (q->axis < 0 || !job->fill)
		return gb_ply_skip(p, q);
	if (gb_ply_read_value(p, q->type, "a coordinate", &value))
		return p->r->err->code;
	job->mesh->vertex[3 * row + (size_t)q->axis] = gb_mesh_coordinate(value);
	return GB_OK;
}

/* Read the number of a vertex, or -1 if that ends a strip. */
static enum gb_status read_corner(struct gb_ply *p, const struct job *job, enum gb_ply_type type,
				  bool in_strip, int64_t *corner)
{
	double value = 0;

	if (gb_ply_read_value(p, type, "a face's vertex", &value))
		return p->r->err->code;
	*corner = -1;
	if (in_strip && value == -1)
		return GB_OK;
	if (!(value >= 0 && value < (double)job->vertices && value == floor(value)))
		return gb_reader_fail(p->r, "a face uses vertex %.10g of %zu", value,
				      job->vertices);
	*corner = (int64_t)value;
	return GB_OK;
}

static void add(struct job *job, int64_t a, int64_t b, int64_t c)
{
	if (job->fill) {
		uint32_t *triangle = job->mesh->triangle + 3 * job->done.triangles;

		triangle[0] = (uint32_t)a;
		triangle[1] = (uint32_t)b;
		triangle[2] = (uint32_t)c;
	}
	job->done.triangles++;
}

/* Read the list of a face's corners as a fan of triangles. */
static enum gb_status read_face(struct gb_ply *p, struct job *job, const struct gb_ply_property *q,
				uint32_t length)
{
	int64_t first = 0, last = 0, next = 0;

	if (!job->fill) {
		job->done.triangles += length > 2 ? length - 2 : 0;
		return gb_ply_skip_values(p, q, length);
	}
	for (uint32_t i = 0; i < length; i++) {
		if (read_corner(p, job, q->type, false, &next))
			return p->r->err->code;
		first = i == 0 ? next : first;
		if (i >= 2)
			add(job, first, last, next);
		last = next;
	}
	job->done.few += length < 3;
	job->done.fans += length > 3;
	return GB_OK;
}

/* Read strips: every second triangle is turned round.  Strips are joined by triangles in which a
 * vertex is repeated. */
static enum gb_status read_strips(struct gb_ply *p, struct job *job,
				  const struct gb_ply_property *q, uint32_t length)
{
	int64_t a = -1, b = -1, c = -1;
	size_t corners = 0;

	for (uint32_t i = 0; i < length; i++) {
		a = b;
		b = c;
		if (read_corner(p, job, q->type, true, &c))
			return p->r->err->code;
		corners = c < 0 ? 0 : corners + 1;
		if (corners < 3)
			continue;
		if (a == b || b == c || a == c)
			job->done.joins++;
		else if (corners % 2)
			add(job, a, b, c);
		else
			add(job, b, a, c);
	}
	return GB_OK;
}

static enum gb_status take_faces(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				 void *to)
{
	struct job *job = to;
	uint32_t length = 0;

	(void)row;
	if (q != job->faces && q != job->strips)
		return gb_ply_skip(p, q);
	if (gb_ply_read_length(p, q, &length))
		return p->r->err->code;
	return (q == job->faces ? read_face : read_strips)(p, job, q, length);
}

/* Read all elements once. */
static enum gb_status pass(struct gb_ply *p, struct job *job, bool fill)
{
	job->fill = p->shown = fill;
	job->done = (struct gb_mesh_faces){ 0 };
	gb_ply_rewind(p);
	for (size_t i = 0; i < p->elements; i++) {
		const struct gb_ply_element *e = &p->element[i];

		if (gb_ply_read_rows(p, e, e->count, e == p->vertex ? take_vertex : take_faces,
				     job))
			return p->r->err->code;
	}
	return GB_OK;
}

/* The list of vertex numbers of the element of that name, or NULL. */
static const struct gb_ply_property *find_list(const struct gb_ply *p, const char *element)
{
	const struct gb_ply_property *list = NULL;

	for (size_t i = 0; i < p->elements; i++)
		for (size_t k = 0; k < p->element[i].properties; k++) {
			const struct gb_ply_property *q = &p->element[i].property[k];

			if (!list && gb_equal(p->element[i].name, element) &&
			    q->length != GB_PLY_NO_LIST &&
			    (gb_equal(q->name, "vertex_indices") ||
			     gb_equal(q->name, "vertex_index")))
				list = q;
		}
	return list;
}

enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh)
{
	struct job job = { .mesh = mesh };
	struct gb_ply p;

	gb_reader_is(r, GB_FILE_PLY_MESH, "");
	if (gb_ply_read_header(&p, r))
		return r->err->code;
	job.vertices = p.vertex->count;
	job.faces = find_list(&p, "face");
	job.strips = find_list(&p, "tristrips");
	if (!job.faces && !job.strips)
		return gb_reader_fail(r, "the header declares no face with vertex_indices");
	if (pass(&p, &job, false) ||
	    gb_mesh_alloc_read(r, job.vertices, job.done.triangles, mesh) || pass(&p, &job, true))
		return r->err->code;
	gb_ply_note_end(&p);
	return gb_mesh_finish(r, mesh, &job.done);
}
