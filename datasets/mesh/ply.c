/* ply.c -- read a mesh from a PLY file: the properties x, y, z of the element `vertex`, the list
 * vertex_indices (or vertex_index) of the element `face`, and that of `tristrips`, in which -1 ends a
 * strip.  The first pass counts the triangles, the second fills the arrays. */
#include "datasets/mesh/mesh.h"

#include "common/text.h"
#include "datasets/reading/ply.h"

struct job {
	struct gb_ply ply;
	const struct gb_ply_property *faces, *strips; /* the lists; at least one */
	struct gb_mesh_pass *pass;
};

/* Read the number of a vertex, or -1 if that ends a strip. */
static enum gb_status read_corner(struct job *job, const struct gb_ply_property *q, int64_t *corner)
{
	struct gb_ply *p = &job->ply;
	double value = 0;

	if (gb_ply_value(p, q, &value))
		return p->r->err->code;
	*corner = (int64_t)(value >= -1 && value <= UINT32_MAX ? value : -2);
	if ((double)*corner != value || *corner >= (int64_t)p->vertex->count ||
	    *corner < (q == job->strips ? -1 : 0))
		return gb_reader_fail(p->r, "a face uses vertex %.10g of %zu", value,
				      p->vertex->count);
	return GB_OK;
}

/* Read the list of a face's corners; the first pass only counts them. */
static enum gb_status read_face(struct job *job, const struct gb_ply_property *q, uint32_t length)
{
	int64_t corner = 0;

	if (!job->pass->mesh) {
		job->pass->triangles += length > 2 ? length - 2 : 0;
		return gb_ply_skip(&job->ply, q, length);
	}
	for (uint32_t i = 0; i < length; i++) {
		if (read_corner(job, q, &corner))
			return job->ply.r->err->code;
		gb_mesh_corner(job->pass, (uint32_t)corner);
	}
	gb_mesh_end_face(job->pass);
	return GB_OK;
}

/* Read strips: every second triangle is turned round.  Strips are joined by triangles in which a
 * vertex is repeated. */
static enum gb_status read_strips(struct job *job, const struct gb_ply_property *q, uint32_t length)
{
	int64_t a = -1, b = -1, c = -1;
	size_t corners = 0;

	for (uint32_t i = 0; i < length; i++) {
		a = b;
		b = c;
		if (read_corner(job, q, &c))
			return job->ply.r->err->code;
		corners = c < 0 ? 0 : corners + 1;
		if (corners < 3 || a == b || b == c || a == c)
			continue;
		if (corners % 2)
			gb_mesh_triangle(job->pass, (uint32_t)a, (uint32_t)b, (uint32_t)c);
		else
			gb_mesh_triangle(job->pass, (uint32_t)b, (uint32_t)a, (uint32_t)c);
	}
	return GB_OK;
}

static enum gb_status take(struct gb_ply *p, const struct gb_ply_property *q, size_t row,
			   uint32_t values, void *to)
{
	struct job *job = to;
	double value = 0;

	if (q == job->faces)
		return read_face(job, q, values);
	if (q == job->strips)
		return read_strips(job, q, values);
	if (!job->pass->mesh)
		return gb_ply_skip(p, q, values);
	if (gb_ply_value(p, q, &value))
		return p->r->err->code;
	job->pass->mesh->vertex[3 * row + (size_t)q->axis] = gb_mesh_coordinate(value);
	return GB_OK;
}

/* Read all elements once. */
static enum gb_status read_elements(struct gb_reader *r, struct gb_mesh_pass *pass)
{
	struct job *job = pass->own;

	(void)r;
	job->pass = pass;
	pass->vertices = job->ply.vertex->count;
	return gb_ply_read(&job->ply, pass->vertices, take, job);
}

/* Want the list of vertex numbers of the element of that name.  Returns it, or NULL. */
static const struct gb_ply_property *want_list(struct gb_ply *p, const char *element)
{
	for (size_t i = 0; i < p->elements; i++)
		for (size_t k = 0; k < p->element[i].properties; k++) {
			struct gb_ply_property *q = &p->element[i].property[k];

			if (gb_equal(p->element[i].name, element) && q->length &&
			    (gb_equal(q->name, "vertex_indices") ||
			     gb_equal(q->name, "vertex_index"))) {
				q->wanted = true;
				return q;
			}
		}
	return NULL;
}

enum gb_status gb_mesh_read_ply(struct gb_reader *r, struct lbvh_input *mesh)
{
	struct job job;

	gb_reader_is(r, GB_FILE_PLY_MESH, "");
	if (gb_ply_read_header(&job.ply, r))
		return r->err->code;
	job.faces = want_list(&job.ply, "face");
	job.strips = want_list(&job.ply, "tristrips");
	if (!job.faces && !job.strips)
		return gb_reader_fail(r, "the header declares no face with vertex_indices");
	return gb_mesh_read_twice(r, mesh, read_elements, &job);
}
