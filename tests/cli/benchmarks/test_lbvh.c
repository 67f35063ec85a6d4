/* test_lbvh.c -- the verifier of lbvh: a correct tree and correct hits pass, and each planted fault
 * is found and located.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/benchmarks/lbvh/lbvh_reference.h"
#include "tests/lbvh_scene.h"
#include "tests/lbvh_work.h"
#include "tests/sanitized.h"

extern const struct gb_variant_ops lbvh_cpu_apetrei;

/* ---- trees -------------------------------------------------------------------------------- */

/* Expect a refusal with this message. */
static void fault(struct work *w, const char *words)
{
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	cr_assert_eq(verify(w, &metrics, &err), GB_EVERIFY, "the fault was not found");
	cr_assert(strstr(err.message, words), "the message is: %s\nit lacks: %s", err.message,
		  words);
	tear_down(w);
}

static struct work right_tree(void)
{
	struct work w = set_up("terrain", 500, 1);
	struct gb_metrics metrics = { 0 };
	struct gb_error err;

	build(&w, &lbvh_cpu_apetrei);
	cr_assert_eq(verify(&w, &metrics, &err), GB_OK, "%s", err.message);
	cr_assert(metric(&metrics, "sah_cost") > 5 &&
			  metric(&metrics, "sah_cost") < w.header->nodes,
		  "%g", metric(&metrics, "sah_cost"));
	cr_assert(w.header->leaves > 100);
	return w;
}

Test(lbvh_verify, boxes)
{
	struct work w = right_tree();
	float swap, *bound = &w.node[0].hi[1];
	const float right = *bound;
	char words[200];

	*bound = 2 * *bound + 1; /* too large */
	(void)snprintf(words, sizeof words,
		       "the box of node 0 is %.9g .. %.9g in y, and the union of its children is "
		       "%.9g .. %.9g",
		       (double)w.node[0].lo[1], (double)*bound, (double)w.node[0].lo[1],
		       (double)right);
	fault(&w, words);
	w = right_tree();
	bound = &w.node[0].hi[1];
	*bound = nextafterf(*bound, -INFINITY); /* too small */
	fault(&w, "the box of node 0 is");
	w = right_tree();
	bound = &w.node[w.header->nodes - 1].lo[2];
	*bound = nextafterf(*bound, -INFINITY); /* too large */
	fault(&w, "the box of");
	w = right_tree();
	w.node[5].lo[0] = NAN;
	fault(&w, "the box of node");
	w = right_tree();
	swap = w.node[9].lo[0];
	w.node[9].lo[0] = w.node[9].hi[0]; /* inverted */
	w.node[9].hi[0] = swap;
	fault(&w, "the box of");
}

/* A tree of two leaves.  Primitive 0 lies in the left one, primitives 1 and 2 in the right one. */
static struct work small_tree(void)
{
	static const float corner[] = { 0, 0, 0, 2, 0, 0, 0, 4, 0, 2, 0, 0, 4, 0,
					0, 2, 4, 0, 3, 3, 0, 4, 3, 0, 4, 4, 0 };
	struct work w = set_up("soup", 3, 1);

	cr_assert_eq(w.in->vertex_count, 9);
	memcpy(w.in->vertex, corner, sizeof corner);
	for (uint32_t i = 0; i < 9; i++)
		w.in->triangle[i] = i;
	*w.header = (struct lbvh_tree_header){ .kind = LBVH_BINARY, .leaves = 2, .nodes = 3 };
	w.node[0] = (struct lbvh_node){ { 0, 0, 0 }, 1, { 4, 4, 0 }, 2 };
	w.node[1] = (struct lbvh_node){ { 0, 0, 0 }, LBVH_LEAF, { 2, 4, 0 }, 1 };
	w.node[2] = (struct lbvh_node){ { 2, 0, 0 }, LBVH_LEAF | 1, { 4, 4, 0 }, 2 };
	for (uint32_t i = 0; i < 3; i++)
		w.index[i] = i;
	return w;
}

Test(lbvh_verify, one_wrong_number)
{
	static const struct {
		enum { LEFT, RIGHT, INDEX } what;
		size_t at;
		uint32_t value;
		const char *words;
	} row[] = {
		{ LEFT, 0, 3, "node 0 has the children 3 and 2 of 3 nodes" },
		{ RIGHT, 0, 3, "node 0 has the children 1 and 3 of 3 nodes" },
		{ LEFT, 0, 0, "node 0 is reached twice" },
		{ RIGHT, 0, 1, "node 1 is reached twice" },
		{ RIGHT, 1, 0, "leaf 1 holds 0 primitives from 0 of 3" },
		{ RIGHT, 1, 4, "leaf 1 holds 4 primitives from 0 of 3" },
		{ RIGHT, 2, 3, "leaf 2 holds 3 primitives from 1 of 3" },
		{ LEFT, 2, LBVH_LEAF | 2, "leaf 2 holds 2 primitives from 2 of 3" },
		{ INDEX, 0, 3, "leaf 1 holds a primitive that is none of 3" },
		{ INDEX, 2, 3, "leaf 2 holds a primitive that is none of 3" },
		{ INDEX, 2, 0, "primitive 0 is in two places, one is leaf 2" },
		{ RIGHT, 2, 1, "primitive 2 is in no leaf" },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct work w = small_tree();

		if (row[i].what == INDEX)
			w.index[row[i].at] = row[i].value;
		else if (row[i].what == LEFT)
			w.node[row[i].at].left = row[i].value;
		else
			w.node[row[i].at].right = row[i].value;
		fault(&w, row[i].words);
	}
}

Test(lbvh_verify, numbers_of_nodes)
{
	struct work w = small_tree();

	w.index[1] = 2;
	w.index[2] = 1;
	fault(&w, "leaf 2 holds primitive 1 after 2");
	w = small_tree();
	w.header->leaves = 4;
	w.header->nodes = 7;
	fault(&w, "4 leaves and 7 nodes over 3 primitives: L leaves have 2 L - 1 nodes");
	w = small_tree();
	w.header->leaves = 3;
	w.header->nodes = 5;
	fault(&w, "3 nodes and 2 leaves are reached from the root, of 5 and 3");
	w = small_tree();
	w.header->leaves = 3;
	w.header->nodes = 5;
	w.node[4] = w.node[1];
	w.node[1] = (struct lbvh_node){ .left = 3, .right = 4 };
	w.node[3] = (struct lbvh_node){ .left = 2, .right = 4 };
	fault(&w, "node 3 has children, but every primitive has its leaf");
	w = right_tree();
	w.header->kind |= 8;
	fault(&w, "the output is no tree: kind 9");
	w = small_tree();
	w.header->kind = 4;
	fault(&w, "no tree: kind 4");
	w = small_tree();
	w.header->kind = 0;
	fault(&w, "no tree: kind 0");
	w = small_tree();
	w.header->leaves = 0;
	fault(&w, "0 leaves");
}

/* The cost is the area of all boxes, those of leaves once for each primitive, relative to the
 * root's. */
Test(lbvh_verify, figures_of_a_tree)
{
	/* the box of triangle 0 is 1 x 2 x 3, that of the root 11 x 2 x 3 */
	static const float corner[2][9] = { { 1, 2, 4, 2, 2, 4, 1, 4, 7 },
					    { 11, 2, 4, 12, 2, 4, 11, 4, 7 } };
	struct gb_metrics one = { 0 }, other = { 0 }, solid = { 0 }, flat = { 0 };
	struct gb_error err;
	struct work w = small_tree();

	cr_assert_eq(verify(&w, &one, &err), GB_OK, "%s", err.message);
	cr_expect_eq(metric(&one, "sah_cost"), 2.5);
	cr_expect_eq(metric(&one, "depth"), 2);
	cr_expect_eq(metric(&one, "leaves"), 2);
	cr_expect_eq(metric(&one, "nodes"), 3);
	w.node[0].left = 2; /* the children change places */
	w.node[0].right = 1;
	cr_assert_eq(verify(&w, &other, &err), GB_OK, "%s", err.message);
	cr_assert_str_eq(one.item[2].name, "tree_hash");
	cr_expect_str_eq(one.item[2].text, "0x3699dafff84effb3");
	cr_expect_str_eq(other.item[2].text, "0xa2715b0f3fbb9c74");
	tear_down(&w);
	w = set_up("soup", 2, 1);
	memcpy(w.in->vertex, corner, sizeof corner);
	for (uint32_t i = 0; i < 6; i++)
		w.in->triangle[i] = i;
	*w.header = (struct lbvh_tree_header){ .kind = LBVH_BINARY, .leaves = 2, .nodes = 3 };
	w.node[0] = (struct lbvh_node){ { 1, 2, 4 }, 1, { 12, 4, 7 }, 2 };
	w.node[1] = (struct lbvh_node){ { 1, 2, 4 }, LBVH_LEAF, { 2, 4, 7 }, 1 };
	w.node[2] = (struct lbvh_node){ { 11, 2, 4 }, LBVH_LEAF | 1, { 12, 4, 7 }, 1 };
	w.index[0] = 0;
	w.index[1] = 1;
	cr_assert_eq(verify(&w, &solid, &err), GB_OK, "%s", err.message);
	cr_expect_float_eq(metric(&solid, "sah_cost"), (61 + 11 + 11) / 61.0, 1e-12);
	memset(w.in->vertex, 0, sizeof corner);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			w.node[i].lo[k] = w.node[i].hi[k] = 0;
	w.in->reference->built = w.in->reference->traced = false;
	cr_assert_eq(verify(&w, &flat, &err), GB_OK, "%s", err.message);
	cr_expect_eq(metric(&flat, "sah_cost"), 0);
	tear_down(&w);
}

/* All primitives in one leaf, with the right box. */
Test(lbvh_verify, a_tree_that_divides_nothing)
{
	struct work w = right_tree();

	w.header->leaves = w.header->nodes = 1;
	w.node[0].left = LBVH_LEAF;
	w.node[0].right = (uint32_t)w.in->count;
	for (uint32_t p = 0; p < w.in->count; p++)
		w.index[p] = p;
	fault(&w, "the tree costs a ray 500 tests of boxes and primitives, and one of sorted "
		  "primitives 37.7: it hardly divides them");
}

/* A tree that is checked by its hits: two wrong ones are too many. */
Test(lbvh_verify, wrong_probes)
{
	struct work w = right_tree();
	float *t = lbvh_build_probe_t(w.in, w.output);
	uint32_t *primitive = lbvh_build_probe_primitive(w.in, w.output);

	w.header->kind = LBVH_PROBED;
	for (size_t i = 0; i < LBVH_PROBES; i++) {
		t[i] = INFINITY;
		primitive[i] = LBVH_MISS;
	}
	fault(&w, "rays do not hit what they should");
}

/* ---- hits --------------------------------------------------------------------------------- */

static enum gb_status verify_answers(const struct scene *m, struct gb_metrics *metrics,
				     struct gb_error *err)
{
	const size_t rays = (size_t)m->in->edge * m->in->edge;
	void *output = calloc(gb_lbvh_benchmark.output_size(&m->params, m->in), 1);
	enum gb_status status;

	for (size_t i = 0; m->in->occlusion && i < rays; i++)
		lbvh_trace_bits(output)[i / 32] |= (uint32_t)(m->primitive[i] != LBVH_MISS)
						   << i % 32;
	if (!m->in->occlusion) {
		memcpy(lbvh_trace_t(output), m->t, rays * sizeof *m->t);
		memcpy(lbvh_trace_primitive(m->in, output), m->primitive,
		       rays * sizeof *m->primitive);
	}
	*err = (struct gb_error){ 0 };
	status = gb_lbvh_benchmark.verify(&m->params, m->in, 0, output, metrics, err);
	free(output);
	return status;
}

/* The reference's search finds every hit, on all kinds of scenes. */
Test(lbvh_verify, the_reference_equals_brute_force)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++) {
		struct scene m = make(scenes[s], 700, 64);
		struct gb_metrics metrics = { 0 };
		struct gb_error err;

		cr_assert_eq(verify_answers(&m, &metrics, &err), GB_OK, "%s: %s", scenes[s],
			     err.message);
		cr_assert_eq(metric(&metrics, "differing_rays"), 0, "%s", scenes[s]);
		cr_assert(gb_equal(scenes[s], "points") || metric(&metrics, "hits") > 100, "%s",
			  scenes[s]);
		drop(&m);
	}
}

/* The same for rays with arbitrary start and end. */
Test(lbvh_verify, the_reference_equals_brute_force_for_streams)
{
	for (size_t s = 0; s < GB_COUNT(scenes); s++)
		for (int kind = LBVH_SHADOW; kind < LBVH_KINDS; kind++) {
			struct scene m = prepare_stream(scenes[s], 700, UNLESS_SANITIZED(40, 16),
							kind, LBVH_OWN);
			struct gb_metrics metrics = { 0 };
			struct gb_error err;

			brute_force(&m);
			cr_assert_eq(verify_answers(&m, &metrics, &err), GB_OK, "%s: %s", scenes[s],
				     err.message);
			cr_assert_eq(metric(&metrics, "differing_rays"), 0, "%s, kind %d",
				     scenes[s], kind);
			drop(&m);
		}
}

static void hit_farther(struct scene *m, size_t i)
{
	m->t[i] *= 1.001f;
}

static void hit_nowhere(struct scene *m, size_t i)
{
	m->t[i] = NAN;
}

static void hit_behind(struct scene *m, size_t i)
{
	m->t[i] = -m->t[i];
}

static void hit_another(struct scene *m, size_t i)
{
	m->primitive[i] = (m->primitive[i] + 50) % (uint32_t)m->in->count;
}

static void hit_none_there_is(struct scene *m, size_t i)
{
	m->primitive[i] = (uint32_t)m->in->count;
}

static void miss(struct scene *m, size_t i)
{
	m->t[i] = INFINITY;
	m->primitive[i] = LBVH_MISS;
}

static void miss_by_half(struct scene *m, size_t i)
{
	m->t[i] = INFINITY;
}

static void invent(struct scene *m, size_t i)
{
	m->t[i] = 1;
	m->primitive[i] = 0;
}

/* One ray may graze an edge; a fault in two is found. */
Test(lbvh_verify, wrong_hits)
{
	void (*const faults[])(struct scene *, size_t) = { hit_farther,       hit_nowhere,
							   hit_behind,        hit_another,
							   hit_none_there_is, miss,
							   miss_by_half,      invent };

	for (size_t f = 0; f < GB_COUNT(faults); f++)
		for (int count = 1; count <= 2; count++) {
			struct scene m = make("terrain", 200, 64);
			struct gb_metrics metrics = { 0 };
			struct gb_error err;
			int planted = 0;

			for (size_t i = 0; planted < count; i++)
				if ((m.primitive[i] == LBVH_MISS) == (faults[f] == invent)) {
					faults[f](&m, i);
					planted++;
				}
			cr_assert_eq(verify_answers(&m, &metrics, &err),
				     count == 1 ? GB_OK : GB_EVERIFY, "fault %zu: %s", f,
				     err.message);
			cr_assert_eq(metric(&metrics, "differing_rays"), count,
				     "fault %zu: %g of %d", f, metric(&metrics, "differing_rays"),
				     count);
			drop(&m);
		}
}

/* The number of pixels of this colour in the picture. */
static size_t count_pixels(const char *path, const unsigned char color[3])
{
	unsigned char rgb[3];
	size_t found = 0;
	FILE *file = fopen(path, "rb");

	cr_assert(file);
	cr_assert_eq(fscanf(file, "P6 64 64 255"), 0);
	cr_assert_eq(fgetc(file), '\n');
	while (fread(rgb, 3, 1, file) == 1)
		found += memcmp(rgb, color, 3) == 0;
	fclose(file);
	return found;
}

Test(lbvh_verify, a_wrong_result_is_drawn)
{
	const unsigned char magenta[3] = { 255, 0, 255 }, black[3] = { 0, 0, 0 };
	char path[] = "/tmp/gpubench-hits-XXXXXX.ppm";
	const int handle = mkstemps(path, 4);
	struct scene m = make("terrain", 200, 64);
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };
	size_t missed;

	cr_assert(handle >= 0);
	close(handle);
	m.params.image = path;
	cr_assert_eq(verify_answers(&m, &metrics, &err), GB_OK, "%s", err.message);
	missed = count_pixels(path, black);
	cr_assert(missed > 0 && missed < 64 * 64);
	cr_assert_eq(count_pixels(path, magenta), 0);
	for (size_t i = 0, planted = 0; planted < 3; i++)
		if (m.primitive[i] != LBVH_MISS) {
			m.primitive[i] = planted == 0   ? LBVH_MISS
					 : planted == 1 ? (uint32_t)m.in->count
							: 1000000;
			planted++;
		}
	cr_assert_eq(verify_answers(&m, &metrics, &err), GB_EVERIFY);
	cr_assert_eq(count_pixels(path, black), missed + 1);
	cr_assert_eq(count_pixels(path, magenta), 2);
	unlink(path);
	drop(&m);
}
