/* ply.c -- read a mesh from a PLY file: the properties x, y, z of the element `vertex` and the list
 * vertex_indices (or vertex_index) of the element `face`.  The first pass counts the triangles, the
 * second fills the arrays. */
#include "datasets/mesh/mesh.h"

#include "common/text.h"
#include "datasets/reading/ply.h"

struct job {
	struct gb_mesh *mesh;
	const struct gb_ply_property *corners;
	size_t vertices;  /* as declared in the header */
	size_t triangles; /* so far */
	bool fill;        /* the second pass */
};

static enum gb_status take_vertex(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				  void *to)
{
	const struct job *job = to;
	double value = 0;
	float coordinate = 0;

	if (q->axis < 0)
		return gb_ply_skip(p, q);
	if (gb_ply_read_value(p, q->type, "a coordinate", &value) ||
	    gb_mesh_coordinate(p->r, value, &coordinate))
		return p->r->err->code;
	if (job->fill)
		job->mesh->vertex[3 * row + (size_t)q->axis] = coordinate;
	return GB_OK;
}

static enum gb_status read_corner(struct gb_ply *p, enum gb_ply_type type, size_t vertices,
				  uint32_t *corner)
{
	double value = 0;

	if (gb_ply_read_value(p, type, "a face's vertex", &value))
		return p->r->err->code;
	if (!(value >= 0 && value < (double)vertices))
		return gb_reader_fail(p->r, "a face uses vertex %.0f of %zu", value, vertices);
	*corner = (uint32_t)value;
	return GB_OK;
}

/* Read the list of a face's corners as a fan of triangles. */
static enum gb_status take_face(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
				void *to)
{
	struct job *job = to;
	uint32_t first = 0, last = 0, next = 0;
	double length = 0;

	(void)row;
	if (q != job->corners)
		return gb_ply_skip(p, q);
	if (gb_ply_read_value(p, q->length, "the number of a face's corners", &length))
		return p->r->err->code;
	if (!(length >= 3 && length <= UINT32_MAX))
		return gb_reader_fail(p->r, "a face has %g corners", length);
	for (uint32_t i = 0; i < (uint32_t)length; i++) {
		if (read_corner(p, q->type, job->vertices, &next))
			return p->r->err->code;
		if (i == 0)
			first = next;
		if (i >= 2) {
			if (job->fill) {
				uint32_t *triangle = job->mesh->triangle + 3 * job->triangles;

				triangle[0] = first;
				triangle[1] = last;
				triangle[2] = next;
			}
			job->triangles++;
		}
		last = next;
	}
	return GB_OK;
}

/* Read all elements once. */
static enum gb_status pass(struct gb_ply *p, struct job *job, bool fill)
{
	job->fill = fill;
	job->triangles = 0;
	gb_ply_rewind(p);
	for (size_t i = 0; i < p->elements; i++) {
		const struct gb_ply_element *e = &p->element[i];
		const bool face = gb_equal(e->name, "face");

		if (gb_ply_read_rows(p, e, e->count,
				     e == p->vertex ? take_vertex
				     : face         ? take_face
						    : NULL,
				     job))
			return p->r->err->code;
	}
	return gb_ply_read_end(p);
}

static enum gb_status find_corners(struct gb_ply *p, struct job *job)
{
	int lists = 0;

	for (size_t i = 0; i < p->elements; i++)
		for (size_t k = 0; k < p->element[i].properties; k++) {
			const struct gb_ply_property *q = &p->element[i].property[k];

			if (gb_equal(p->element[i].name, "face") && q->length != GB_PLY_NO_LIST &&
			    (gb_equal(q->name, "vertex_indices") ||
			     gb_equal(q->name, "vertex_index"))) {
				job->corners = q;
				lists++;
			}
		}
	if (lists != 1)
		return gb_reader_fail(p->r, "the header declares no face with vertex_indices");
	return GB_OK;
}

enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct gb_mesh *mesh)
{
	struct job job = { .mesh = mesh };
	struct gb_ply p;

	if (gb_ply_read_header(&p, r))
		return r->err->code;
	job.vertices = p.vertex->count;
	if (find_corners(&p, &job) || pass(&p, &job, false) ||
	    gb_mesh_alloc_read(r, job.vertices, job.triangles, mesh))
		return r->err->code;
	return pass(&p, &job, true);
}
