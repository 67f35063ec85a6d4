/* embree_morton.c -- cpu/embree-morton: Embree's general builder, rtcBuildBVH() at low quality.
 *
 * Like our builders it makes a binary tree over boxes by Morton codes; callbacks create the nodes.
 * run() makes the boxes of the primitives, as in all builders.  Nodes refer to each other by
 * pointer; download() numbers them, untimed.  The box of a leaf is that which Embree gives its
 * parent.
 */
#include <math.h>

#include "common/memory.h"
#include "cpu/lbvh/parts/embree.h"
#include "cpu/lbvh/parts/trace.h"

enum { LEAF_MAX = 4, DEPTH_MAX = 64 };

/* A node; an inner one has a count of 0. */
struct link {
	struct RTCBounds bounds[2]; /* the children's; not set in a leaf */
	struct link *child[2];
	uint32_t count;
	uint32_t primitive[LEAF_MAX];
};

struct state {
	const struct lbvh_input *input;
	int threads;
	RTCDevice device;
	RTCBVH bvh;
	struct RTCBuildPrimitive *box;
	struct link *root;
	struct lbvh_box scene; /* set if the root is a leaf */
};

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = state;

	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "embree-morton only builds trees: use --op=build");
	s->input = input;
	s->threads = lbvh_cpu_threads(params);
	s->box = gb_host_alloc(s->input->count, sizeof *s->box, err);
	if (!s->box)
		return err->code;
	s->device = lbvh_embree_device(s->threads, err);
	if (!s->device)
		return err->code;
	s->bvh = rtc.NewBVH(s->device);
	return lbvh_embree_check(s->device, err);
}

/* ---- callbacks of Embree ------------------------------------------------------------------ */

static void *make_node(RTCThreadLocalAllocator allocator, unsigned children, void *state)
{
	struct link *link = rtc.ThreadLocalAlloc(allocator, sizeof *link, 16);

	if (link)
		link->count = 0;
	return link;
}

static void set_children(void *node, void **child, unsigned children, void *state)
{
	for (unsigned i = 0; i < children; i++)
		((struct link *)node)->child[i] = child[i];
}

static void set_bounds(void *node, const struct RTCBounds **bounds, unsigned children, void *state)
{
	for (unsigned i = 0; i < children; i++)
		((struct link *)node)->bounds[i] = *bounds[i];
}

static void *make_leaf(RTCThreadLocalAllocator allocator, const struct RTCBuildPrimitive *primitive,
		       size_t count, void *state)
{
	struct link *link = rtc.ThreadLocalAlloc(allocator, sizeof *link, 16);

	if (!link)
		return NULL;
	link->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		link->primitive[i] = primitive[i].primID;
	return link;
}

/* ---- build -------------------------------------------------------------------------------- */

static void make_boxes(struct state *s)
{
#pragma omp parallel for num_threads(s->threads) schedule(static)
	for (size_t i = 0; i < s->input->count; i++) {
		const struct lbvh_box box =
			lbvh_primitive_box(s->input->vertex, s->input->triangle, i);

		s->box[i] = (struct RTCBuildPrimitive){
			box.lo[0], box.lo[1], box.lo[2], 0,
			box.hi[0], box.hi[1], box.hi[2], (unsigned)i,
		};
	}
}

/* The box of the few primitives of a tree without inner nodes. */
static void measure_scene(struct state *s)
{
	s->scene = (struct lbvh_box){ { INFINITY, INFINITY, INFINITY },
				      { -INFINITY, -INFINITY, -INFINITY } };
	for (size_t i = 0; i < s->input->count; i++) {
		const struct lbvh_box box =
			lbvh_primitive_box(s->input->vertex, s->input->triangle, i);

		for (int k = 0; k < 3; k++) {
			s->scene.lo[k] = lbvh_min(s->scene.lo[k], box.lo[k]);
			s->scene.hi[k] = lbvh_max(s->scene.hi[k], box.hi[k]);
		}
	}
}

/* Before a build there is no tree. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	((struct state *)state)->root = NULL;
	return GB_OK;
}

static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = state;
	struct RTCBuildArguments arguments = rtcDefaultBuildArguments();

	gb_phase(timer, "bounds");
	make_boxes(s);
	gb_phase(timer, "build");
	arguments.buildQuality = RTC_BUILD_QUALITY_LOW;
	arguments.maxBranchingFactor = 2;
	arguments.maxDepth = DEPTH_MAX;
	arguments.minLeafSize = 1;
	arguments.maxLeafSize = LEAF_MAX;
	arguments.bvh = s->bvh;
	arguments.primitives = s->box;
	arguments.primitiveCount = arguments.primitiveArrayCapacity = s->input->count;
	arguments.createNode = make_node;
	arguments.setNodeChildren = set_children;
	arguments.setNodeBounds = set_bounds;
	arguments.createLeaf = make_leaf;
	arguments.userPtr = s;
	s->root = rtc.BuildBVH(&arguments);
	if (!s->root && !lbvh_embree_check(s->device, err))
		return gb_fail(err, GB_ERUNTIME, "Embree failed to build a tree");
	if (s->root && s->root->count)
		measure_scene(s);
	return err->code;
}

/* ---- output ------------------------------------------------------------------------------- */

struct flat {
	struct lbvh_node *node;
	uint32_t *index;
	uint32_t nodes, first, leaves;
};

static void widen(struct lbvh_node *to, const float lo[3], const float hi[3])
{
	for (int k = 0; k < 3; k++) {
		to->lo[k] = lbvh_min(to->lo[k], lo[k]);
		to->hi[k] = lbvh_max(to->hi[k], hi[k]);
	}
}

/* lo, hi: the box of a leaf. */
static void flatten(struct flat *f, const struct link *link, uint32_t at, const float lo[3],
		    const float hi[3])
{
	struct lbvh_node *to = f->node + at;

	*to = (struct lbvh_node){ { INFINITY, INFINITY, INFINITY },
				  LBVH_LEAF | f->first,
				  { -INFINITY, -INFINITY, -INFINITY },
				  link->count };
	f->leaves += link->count != 0;
	for (uint32_t i = 0; i < link->count; i++)
		f->index[f->first++] = link->primitive[i];
	if (link->count) {
		widen(to, lo, hi);
		return;
	}
	to->left = f->nodes++;
	to->right = f->nodes++;
	for (int i = 0; i < 2; i++) {
		const struct RTCBounds *b = &link->bounds[i];
		const float low[3] = { b->lower_x, b->lower_y, b->lower_z };
		const float high[3] = { b->upper_x, b->upper_y, b->upper_z };

		widen(to, low, high);
		flatten(f, link->child[i], i ? to->right : to->left, low, high);
	}
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct state *s = state;
	struct lbvh_tree_header *header = output;
	struct flat flat = { lbvh_build_nodes(output), lbvh_build_index(s->input, output), 1, 0,
			     0 };

	if (!s->root)
		return GB_OK;
	flatten(&flat, s->root, 0, s->scene.lo, s->scene.hi);
	*header = (struct lbvh_tree_header){ .kind = LBVH_BINARY,
					     .leaves = flat.leaves,
					     .nodes = flat.nodes };
	return GB_OK;
}

static void destroy(void *state)
{
	struct state *s = state;

	if (s->bvh)
		rtc.ReleaseBVH(s->bvh);
	if (s->device)
		rtc.ReleaseDevice(s->device);
}

const struct gb_variant_ops lbvh_cpu_embree_morton = {
	.state_size = sizeof(struct state),
	.create = create,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.library = lbvh_embree_library,
	.flags = GB_REPEATABLE,
};
