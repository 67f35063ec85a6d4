/* pcl.cc -- cpu/pcl: the octree of the Point Cloud Library, one thread.
 *
 * OctreePointCloud inserts the points one after the other and divides a leaf that is full.  With
 * the root box and the finest cells of common/octree.h it makes the same tree.  It has its own
 * search for the bounds, and allocates each node and leaf.  A program that builds another tree has
 * to free the last one, so run() does, in a phase of its own.
 *
 * The library's array of points is filled in upload(), and nodes are numbered in download().
 */
/* The templates are compiled here, so no library is linked, and without their assertions. */
#define PCL_NO_PRECOMPILE
#define NDEBUG

#include <limits>
#include <memory>
#include <new>

#include <pcl/common/common.h>
#include <pcl/octree/octree_pointcloud.h>
#include <pcl/pcl_config.h>
#include <pcl/point_types.h>

#include "common/memory.h"
#include "common/octree.h"
#include "common/workload.h"

namespace
{
using points = pcl::PointCloud<pcl::PointXYZ>;

class tree : public pcl::octree::OctreePointCloud<pcl::PointXYZ>
{
	/* Number a node and what is below it; false if the output has no room. */
	bool number(const BranchNode *node, size_t row, const struct octree_input *in,
		    struct octree_output *out) const
	{
		for (unsigned char i = 0; i < 8; i++) {
			/* The library's highest bit is that of x. */
			int32_t *slot = &out->child[row][i >> 2 | (i & 2) | (i & 1) << 2];
			pcl::octree::OctreeNode *child = node->getChildPtr(i);

			*slot = OCTREE_FREE;
			if (child && child->getNodeType() == pcl::octree::LEAF_NODE) {
				*slot = link(static_cast<LeafNode *>(child)->getContainer(),
					     octree_output_next(in, out));
			} else if (child) {
				if ((size_t)out->rows == in->pool)
					return false;
				*slot = (int32_t)out->rows++;
				if (!number(static_cast<BranchNode *>(child), (size_t)*slot, in,
					    out))
					return false;
			}
		}
		return true;
	}

	/* Make a list of a leaf's bodies. */
	static int32_t link(pcl::octree::OctreeContainerPointIndices &leaf, int32_t *next)
	{
		int32_t head = -1;

		for (int32_t body : leaf.getPointIndicesVector()) {
			next[body] = head;
			head = body;
		}
		return octree_body(head);
	}

      public:
	tree() : OctreePointCloud(1)
	{
	}

	/* defineBoundingBox() would round the box to multiples of 1e-7. */
	void build(const points::ConstPtr &cloud, const struct octree_box &box, int bucket)
	{
		setInputCloud(cloud);
		setTreeDepth(OCTREE_LEVELS);
		enableDynamicDepth((size_t)bucket);
		resolution_ = 1 / box.scale;
		min_x_ = box.corner[0];
		min_y_ = box.corner[1];
		min_z_ = box.corner[2];
		max_x_ = max_y_ = max_z_ = std::numeric_limits<double>::infinity();
		bounding_box_defined_ = true;
		addPointsFromInputCloud();
	}

	bool write(const struct octree_input *in, struct octree_output *out) const
	{
		out->rows = 1;
		return number(root_node_, 0, in, out);
	}
};

struct model {
	points::Ptr cloud{ new points };
	tree octree;
};

struct state {
	const struct octree_input *in;
	struct model *model;
};

enum gb_status create(void *memory, const void *, const void *input, struct gb_error *err)
{
	struct state *s = static_cast<struct state *>(memory);

	s->in = static_cast<const struct octree_input *>(input);
	try {
		s->model = new model;
	} catch (const std::bad_alloc &) {
		return gb_out_of_memory(err, "PCL");
	}
	return GB_OK;
}

enum gb_status upload(void *memory, struct gb_error *err)
{
	const struct state *s = static_cast<struct state *>(memory);
	const struct octree_input *in = s->in;
	points &cloud = *s->model->cloud;

	if (gb_memory_is_dry())
		return GB_OK;
	try {
		cloud.resize(in->count);
	} catch (const std::bad_alloc &) {
		return gb_out_of_memory(err, "PCL's points");
	}
	for (size_t i = 0; i < in->count; i++)
		cloud[i] = pcl::PointXYZ(in->x[i], in->y[i], in->z[i]);
	return GB_OK;
}

const char *excluded(const void *)
{
	return "conversion to PCL's points";
}

enum gb_status run(void *memory, struct gb_timer *timer, struct gb_error *err)
{
	const struct state *s = static_cast<struct state *>(memory);
	struct model *m = s->model;
	pcl::PointXYZ low, high;

	gb_phase(timer, "free");
	m->octree.deleteTree();
	if (!s->in->count)
		return GB_OK;
	gb_phase(timer, "box");
	pcl::getMinMax3D(*m->cloud, low, high);
	gb_phase(timer, "insert");
	try {
		m->octree.build(m->cloud, octree_box_of(low.data, high.data), s->in->bucket);
	} catch (const std::bad_alloc &) {
		return gb_out_of_memory(err, "PCL's tree");
	}
	return GB_OK;
}

enum gb_status download(void *memory, void *output, struct gb_error *err)
{
	const struct state *s = static_cast<struct state *>(memory);

	if (!s->model->octree.write(s->in, static_cast<struct octree_output *>(output)))
		return gb_fail(err, GB_ERUNTIME, OCTREE_POOL_EXHAUSTED, s->in->pool, s->in->count);
	return GB_OK;
}

void destroy(void *memory)
{
	delete static_cast<struct state *>(memory)->model;
}

const char *library(void)
{
	return "PCL " PCL_VERSION_PRETTY;
}
} // namespace

extern "C" const struct gb_variant_ops octree_cpu_pcl = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.run = run,
	.download = download,
	.destroy = destroy,
	.excluded = excluded,
	.library = library,
	.flags = GB_SERIAL | GB_REPEATABLE,
};
