/* trees.c -- cheats of cbt, lbvh and stream: work in other steps, and results that are right but
 * take no work.
 */
#include <sys/mman.h>

#include "common/cbt.h"
#include "common/lbvh.h"
#include "common/stream.h"
#include "tests/cheats/cheat.h"

#undef CHEAT
#define CHEAT(workload, name, ...)                                                               \
	extern const struct gb_variant_ops workload##_cpu_cheat_##name;                          \
	const struct gb_variant_ops workload##_cpu_cheat_##name = { .state_size =                \
									    sizeof(struct tree), \
								    __VA_ARGS__ }

struct tree {
	const void *input;
	void *result, *kept; /* what download() hands out; not declared */
	size_t bytes;
	int64_t runs;
	unsigned last; /* level with sums */
};

static enum gb_status create(struct tree *t, const void *input, size_t bytes, struct gb_error *err)
{
	t->input = input;
	t->bytes = bytes;
	t->result = gb_host_alloc(bytes, 1, err);
	t->kept = gb_host_alloc(bytes, 1, err);
	gb_memory_result(t->result, GB_WHOLE, GB_POISON);
	return err->code;
}

static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	const struct tree *t = state;

	memcpy(output, t->result, t->bytes);
	return GB_OK;
}

/* ---- cbt ---------------------------------------------------------------------------------- */

static enum gb_status create_cbt(void *state, const void *params, const void *input,
				 struct gb_error *err)
{
	const struct cbt_input *in = input;
	struct tree *t = state;

	t->last = in->depth - 1;
	if (in->op != CBT_REDUCE && in->op != CBT_BITFIELD)
		return gb_fail(err, GB_EUNAVAILABLE, "a cheat reduces or finds leaves");
	return create(t, in, cbt_output_size(in), err);
}

static enum gb_status work_cbt(const struct tree *t, void *to)
{
	const struct cbt_input *in = t->input;
	const uint64_t end = UINT64_C(1) << in->depth;
	struct cbt_output *out = to;
	uint64_t *heap = cbt_output_heap(in, to);

	*out = (struct cbt_output){ .last_level = t->last };
	if (in->op == CBT_REDUCE) {
		memset(heap, 0, in->heap_words * sizeof *heap);
		cbt_put_field(heap, in->depth, in->field);
		for (size_t i = 0; t->last == 0 && i < in->field_words; i++)
			out->leaves += (uint64_t)__builtin_popcountll(in->field[i]);
		cbt_set(heap, in->depth, 1, out->leaves);
		for (uint32_t k = t->last ? (2U << t->last) - 1 : 0; k > 0; k--)
			cbt_set(heap, in->depth, k,
				cbt_get(heap, in->depth, 2 * k) +
					cbt_get(heap, in->depth, 2 * k + 1));
		heap[0] |= end;
		out->leaves = cbt_get(heap, in->depth, 1);
		return GB_OK;
	}
	for (uint64_t x = 1, start = 0; x <= end; x++)
		if (x == end || in->field[x / 64] >> x % 64 & 1) {
			cbt_output_ids(in, to)[out->leaves++] =
				cbt_leaf(in->depth, (uint32_t)start, (uint32_t)(x - start));
			start = x;
		}
	return GB_OK;
}

/* few-sums: keeps the sum of the root alone. */
static enum gb_status create_few(void *state, const void *params, const void *input,
				 struct gb_error *err)
{
	struct tree *t = state;

	(void)create_cbt(t, params, input, err);
	t->last = 0;
	return err->code;
}

static enum gb_status run_cbt(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct tree *t = state;

	return work_cbt(t, t->result);
}

/* elsewhere: says that upload() and download() may do more than copying.  A reduction is done in
 * upload(), others in download(). */
static bool is_reduction(const struct tree *t)
{
	return ((const struct cbt_input *)t->input)->op == CBT_REDUCE;
}

static enum gb_status derive(void *state, struct gb_error *err)
{
	const struct tree *t = state;

	return is_reduction(t) ? work_cbt(t, t->kept) : GB_OK;
}

static enum gb_status copy(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct tree *t = state;
	const struct cbt_input *in = t->input;

	if (is_reduction(t))
		memcpy(t->result, t->kept, t->bytes);
	else
		memcpy(t->kept, in->field, in->field_words * sizeof *in->field);
	return GB_OK;
}

static enum gb_status convert(void *state, void *output, struct gb_error *err)
{
	const struct tree *t = state;
	struct cbt_input in = *(const struct cbt_input *)t->input;
	const struct tree seen = { .input = &in, .last = t->last };

	if (is_reduction(t))
		return download(state, output, err);
	in.field = t->kept;
	return work_cbt(&seen, output);
}

/* known: a full tree is always the same, so that the first result is remembered. */
static enum gb_status work_once(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct tree *t = state;

	if (t->runs++ == 0)
		(void)work_cbt(t, t->kept);
	return GB_OK;
}

static enum gb_status hand_out_kept(void *state, void *output, struct gb_error *err)
{
	const struct tree *t = state;

	memcpy(output, t->kept, t->bytes);
	return GB_OK;
}

/* ---- lbvh --------------------------------------------------------------------------------- */

static enum gb_status create_lbvh(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	if (((const struct lbvh_params *)params)->op != LBVH_BUILD)
		return gb_fail(err, GB_EUNAVAILABLE, "a cheat builds");
	return create(state, input, lbvh_build_size(input), err);
}

/* one-leaf: the tree is a leaf of all primitives. */
static enum gb_status make_leaf(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct tree *t = state;
	const struct lbvh_input *in = t->input;
	struct lbvh_tree_header *header = t->result;
	struct lbvh_node *node = lbvh_build_nodes(t->result);
	uint32_t *index = lbvh_build_index(in, t->result);

	*header = (struct lbvh_tree_header){ .kind = LBVH_BINARY, .leaves = 1, .nodes = 1 };
	*node = (struct lbvh_node){ .left = LBVH_LEAF, .right = (uint32_t)in->count };
	for (size_t p = 0; p < in->count; p++) {
		const struct lbvh_box box = lbvh_primitive_box(in->vertex, in->triangle, p);

		for (int k = 0; k < 3; k++) {
			node->lo[k] = p ? lbvh_min(node->lo[k], box.lo[k]) : box.lo[k];
			node->hi[k] = p ? lbvh_max(node->hi[k], box.hi[k]) : box.hi[k];
		}
		index[p] = (uint32_t)p;
	}
	return GB_OK;
}

/* unsorted: a complete tree over the triangles in the order of the mesh, which is a good one. */
static enum gb_status keep_order(void *state, struct gb_timer *timer, struct gb_error *err)
{
	const struct tree *t = state;
	const struct lbvh_input *in = t->input;
	const uint32_t leaves = (uint32_t)in->count;
	struct lbvh_tree_header *header = t->result;
	struct lbvh_node *node = lbvh_build_nodes(t->result);

	*header = (struct lbvh_tree_header){ .kind = LBVH_BINARY,
					     .leaves = leaves,
					     .nodes = 2 * leaves - 1 };
	for (uint32_t k = 2 * leaves - 1; k-- > 0;) {
		struct lbvh_node *n = &node[k];

		if (k >= leaves - 1) {
			const uint32_t p = k - (leaves - 1);
			const struct lbvh_box box = lbvh_primitive_box(in->vertex, in->triangle, p);

			lbvh_build_index(in, t->result)[p] = p;
			memcpy(n->lo, box.lo, sizeof n->lo);
			memcpy(n->hi, box.hi, sizeof n->hi);
			n->left = LBVH_LEAF | p;
			n->right = 1;
			continue;
		}
		n->left = 2 * k + 1;
		n->right = 2 * k + 2;
		for (int d = 0; d < 3; d++) {
			n->lo[d] = lbvh_min(node[n->left].lo[d], node[n->right].lo[d]);
			n->hi[d] = lbvh_max(node[n->left].hi[d], node[n->right].hi[d]);
		}
	}
	return GB_OK;
}

/* ---- stream ------------------------------------------------------------------------------- */

/* move: lets the input's pages be those of the result, and copies the ends. */
static enum gb_status create_move(void *state, const void *params, const void *input,
				  struct gb_error *err)
{
	return create(state, input, ((const struct stream_input *)input)->count, err);
}

static enum gb_status move(void *state, struct gb_timer *timer, struct gb_error *err)
{
	enum { PAGE = 4096, LEAVE = 4 /* MREMAP_DONTUNMAP */ };
	const struct tree *t = state;
	char *from = (char *)((const struct stream_input *)t->input)->words, *to = t->result;
	const size_t head = (size_t)(-(intptr_t)from & (PAGE - 1));
	const size_t pages = (t->bytes - head) & ~(size_t)(PAGE - 1);

	if ((from - to) % PAGE)
		return gb_fail(err, GB_EUNAVAILABLE, "the arrays begin at other places of a page");
	memcpy(to, from, head);
	memcpy(to + head + pages, from + head + pages, t->bytes - head - pages);
	if (mremap(from + head, pages, pages, MREMAP_MAYMOVE | MREMAP_FIXED | LEAVE, to + head) ==
	    MAP_FAILED)
		return gb_fail(err, GB_ERUNTIME, "pages do not move");
	return GB_OK;
}

CHEAT(cbt, few_sums, .create = create_few, .run = run_cbt, .download = download);
CHEAT(cbt, elsewhere, .create = create_cbt, .upload = derive, .run = copy, .download = convert,
      .flags = GB_DERIVES | GB_CONVERTS);
CHEAT(cbt, known, .create = create_cbt, .run = work_once, .download = hand_out_kept);
CHEAT(lbvh, one_leaf, .create = create_lbvh, .run = make_leaf, .download = download);
CHEAT(lbvh, unsorted, .create = create_lbvh, .run = keep_order, .download = download);
CHEAT(stream, move, .create = create_move, .run = move, .download = download);
