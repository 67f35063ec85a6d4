/* test_show.c -- a variant in another process sees all that it needs of an input, but not the
 * answers.
 */
#include "cli/measuring/sweep.h"
#include "common/bfs.h"
#include "common/cbt.h"
#include "common/lbvh.h"
#include "common/octree.h"
#include "common/radix.h"
#include "common/stream.h"
#include "tests/cli/workloads/varied.h"

/* The arrays that were shared, copied as to another process. */
struct shared {
	void *array[64];
	size_t count;
};

static void share(void *self, void **pointer, size_t bytes)
{
	struct shared *s = self;
	void *copy = bytes ? malloc(bytes) : NULL;

	cr_assert(s->count < GB_COUNT(s->array));
	if (bytes)
		memcpy(copy, *pointer, bytes);
	s->array[s->count++] = *pointer = copy;
}

/* True if the members that tell the answer, or the variation, are cleared. */
static bool hides(const char *workload, const void *input, bool traces)
{
	const struct bfs_input *bfs = input;
	const struct cbt_input *cbt = input;
	const struct lbvh_input *lbvh = input;
	const struct octree_input *octree = input;
	const struct radix_input *radix = input;
	const struct stream_input *stream = input;

	if (gb_equal(workload, "bfs"))
		return !bfs->facts && !bfs->variation;
	if (gb_equal(workload, "cbt"))
		return !cbt->end_field && !cbt->end_leaves && !cbt->swaps;
	if (gb_equal(workload, "lbvh"))
		return !lbvh->reference && !lbvh->probe.dx[0] && (traces || !lbvh->camera.dx[0]);
	if (gb_equal(workload, "octree"))
		return !octree->tree.hash && !octree->tree.leaves && !octree->verifier;
	if (gb_equal(workload, "radix"))
		return !radix->replaced && !radix->variation;
	return gb_equal(workload, "stream") && !stream->variation;
}

/* Run the variant on what it is shown; false if it does not support the parameters. */
static bool is_right(struct trial *t, void *shown, const struct gb_variant *v, uint64_t key)
{
	struct gb_error err = { 0 };
	struct gb_timer timer = { 0 };
	void *state = NULL;

	if (gb_state_create(v->ops, t->params, shown, &state, &err)) {
		cr_assert_eq(err.code, GB_EUNAVAILABLE, "%s: %s", v->name, err.message);
		gb_state_destroy(v->ops, state);
		return false;
	}
	if (v->ops->upload)
		(void)v->ops->upload(state, &err);
	if (v->ops->reset)
		(void)v->ops->reset(state, 0, &err);
	(void)v->ops->run(state, &timer, &err);
	(void)v->ops->download(state, t->output, &err);
	cr_assert_eq(err.code, GB_OK, "%s: %s", v->name, err.message);
	expect_on(t, v, key, true);
	gb_state_destroy(v->ops, state);
	return true;
}

/* True if no member that looks like a pointer is that of the input. */
static bool copies_all(const void *shown, const void *input, size_t bytes)
{
	for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
		uint64_t a, b;

		memcpy(&a, (const char *)shown + i, sizeof a);
		memcpy(&b, (const char *)input + i, sizeof b);
		if (a == b && a >> 44 && !(a >> 47))
			return false;
	}
	return true;
}

/* The first point of a sweep, whose texts its parameters use. */
static void *point_of(struct gb_sweep *sweep, const struct gb_workload *w, const char *words)
{
	void *params = calloc(1, w->params_size);
	struct gb_error err = { 0 };

	cr_assert_eq(gb_sweep_words(sweep, w, words, &err), GB_OK, "%s", err.message);
	gb_sweep_point(sweep, 0, params);
	return params;
}

Test(show, a_variant_needs_no_more)
{
	static const char *const cases[][2] = {
		{ "bfs", "--vertices=300" },
		{ "bfs", "--vertices=300 --graph=gnp --p=0.1 --sources=3" },
		{ "bfs", "--graph=grid --vertices=70000 --sources=2" }, /* without a matrix */
		{ "cbt", "--op=cycle --depth=9 --shape=random --fill=0.2" },
		{ "cbt", "--op=decode --depth=9" },
		{ "cbt", "--op=update --depth=9 --shape=random --fill=0.5 --frames=3" },
		{ "lbvh", "--primitives=200" },
		{ "lbvh", "--primitives=200 --op=trace --rays=20" },
		{ "lbvh", "--primitives=200 --op=trace --rays=20 --rays-kind=shadow" },
		{ "octree", "--count=500" },
		{ "radix", "--count=700" },
		{ "radix", "--count=700 --type=pairs" },
		{ "stream", "--count=777" },
	};

	for (size_t i = 0; i < GB_COUNT(cases); i++) {
		const struct gb_workload *w = gb_workload_find(cases[i][0]);
		struct gb_sweep sweep;
		void *params = point_of(&sweep, w, cases[i][1]), *shown = malloc(w->input_size);
		struct shared s = { .count = 0 };
		struct trial t = start_trial(w, params);
		size_t ran = 0;

		(void)vary(&t, 5);
		memcpy(shown, t.input, w->input_size);
		w->show(shown, share, &s);
		cr_expect(hides(w->name, shown, strstr(cases[i][1], "trace")), "%s %s", w->name,
			  cases[i][1]);
		cr_expect(copies_all(shown, t.input, w->input_size), "%s %s", w->name, cases[i][1]);
		for (size_t k = 0; k < gb_variant_count && ran < 3; k++)
			if (gb_equal(gb_variants[k].workload, w->name) && gb_variants[k].ops &&
			    gb_variants[k].backend == GB_CPU && !gb_variants[k].peer)
				ran += is_right(&t, shown, &gb_variants[k], 5);
		cr_expect(ran > 0, "%s %s", w->name, cases[i][1]);
		while (s.count)
			free(s.array[--s.count]);
		end_trial(&t);
		gb_sweep_release(&sweep);
		free(shown);
		free(params);
	}
}

/* The work outside `time` and the source of the input, by parameters. */
Test(workloads, facts_of_a_point)
{
	static const struct {
		const char *workload, *words, *excluded, *source;
		bool repeatable;
	} row[] = {
		{ "bfs", "", "making of rows and of the matrix of bits", "generated", true },
		{ "bfs", "--file=a.el", "making of rows and of the matrix of bits", "file", true },
		{ "cbt", "--op=bitfield", NULL, "generated", true },
		{ "cbt", "--op=update", NULL, "generated", false },
		{ "lbvh", "--op=build", NULL, "generated", true },
		{ "lbvh", "--op=trace", "building of the tree", "generated", true },
		{ "lbvh", "--op=trace --rays-kind=shadow --rays-order=given",
		  "building of the tree; making of the rays", "generated", true },
		{ "lbvh", "--op=trace --rays-kind=shadow --rays-order=sorted",
		  "building of the tree; making and sorting of the rays", "generated", true },
		{ "lbvh", "--op=build --scene=a.ply", NULL, "file", true },
		{ "octree", "", "size of the pool from the known number of nodes", "generated",
		  true },
		{ "radix", "", NULL, "generated", true },
		{ "radix", "--file=a.keys", NULL, "file", true },
		{ "stream", "", NULL, "generated", true },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_workload *w = gb_workload_find(row[i].workload);
		struct gb_sweep sweep;
		void *params = point_of(&sweep, w, row[i].words);
		const char *excluded = w->excluded ? w->excluded(params) : NULL;

		cr_expect(row[i].excluded ? excluded && gb_equal(excluded, row[i].excluded)
					  : !excluded,
			  "%s %s: %s", row[i].workload, row[i].words, excluded ? excluded : "none");
		cr_expect_str_eq(gb_workload_source(w, params), row[i].source, "%s %s",
				 row[i].workload, row[i].words);
		cr_expect_eq(!w->repeatable || w->repeatable(params), row[i].repeatable, "%s %s",
			     row[i].workload, row[i].words);
		gb_sweep_release(&sweep);
		free(params);
	}
}

/* Items, the least bytes that a run moves, and those of its input: by hand.  A dry run counts the
 * bytes of an input as they are, but estimates the edges of a graph and the nodes of a tree. */
Test(workloads, work_of_a_point)
{
	static const struct {
		const char *workload, *words;
		double items, bytes, read;
	} row[] = {
		{ "bfs", "--graph=grid --vertices=9 --sources=1", 24, 4 * 9, 0 },
		{ "bfs", "--graph=grid --vertices=9 --sources=1 --result=both", 24, 8 * 9, 0 },
		{ "bfs", "--graph=grid --vertices=9 --sources=1 --batch=3", 72, 3 * 4 * 9, 0 },
		{ "cbt", "--depth=10 --shape=full --op=bitfield", 1024, 128 + 4096, 128 },
		{ "cbt", "--depth=10 --shape=full --op=bitfield --ids=sum", 1024, 128, 128 },
		{ "cbt", "--depth=10 --shape=full --op=reduce", 1024, 4 * 128, 128 },
		{ "cbt", "--depth=10 --shape=full --op=decode", 1024, 128 + 4096, 128 },
		{ "cbt", "--depth=10 --shape=full --op=cycle", 1024, 4 * 128 + 4096, 128 },
		{ "cbt", "--depth=10 --shape=full --op=cycle --ids=sum", 1024, 4 * 128, 128 },
		{ "lbvh", "--scene=soup --primitives=10", 10, 12 * 40 + 68 * 10, 12 * 40 },
		{ "lbvh", "--scene=soup --primitives=10 --op=trace --rays=8", 64, 12 * 40 + 8 * 64,
		  0 },
		{ "lbvh", "--scene=soup --primitives=10 --op=trace --rays=8 --rays-kind=random", 64,
		  12 * 40 + 32 * 64 + 8 * 64, 32 * 64 },
		{ "lbvh", "--scene=soup --primitives=10 --op=trace --rays=8 --rays-kind=shadow", 64,
		  12 * 40 + 32 * 64 + 64 / 8, 32 * 64 },
		{ "octree", "--count=0", 0, 32, 0 },
		{ "octree", "--count=40 --dist=coincident", 40, 12 * 40 + 32 * 21, 12 * 40 },
		{ "radix", "--count=1000", 1000, 8000, 4000 },
		{ "radix", "--count=1000 --type=f32", 1000, 8000, 4000 },
		{ "radix", "--count=1000 --type=u64", 1000, 16000, 8000 },
		{ "radix", "--count=1000 --type=pairs", 1000, 16000, 8000 },
		{ "stream", "--count=803", 1606, 1606, 803 },
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const struct gb_workload *w = gb_workload_find(row[i].workload);
		struct gb_sweep sweep;
		void *params = point_of(&sweep, w, row[i].words);
		const size_t dry = dry_bytes(w, params);
		struct trial t = start_trial(w, params);
		const struct gb_work work = w->work(params, t.input);

		cr_expect(work.items == row[i].items && work.bytes == row[i].bytes &&
				  work.read == row[i].read,
			  "%s %s: %g items, %g bytes, %g read", w->name, row[i].words, work.items,
			  work.bytes, work.read);
		cr_expect(gb_equal(w->name, "octree") || gb_equal(w->name, "bfs") ||
				  dry == gb_memory_used(GB_HOST_MEMORY) - t.used,
			  "%s %s: %zu bytes in a dry run, not %zu", w->name, row[i].words, dry,
			  gb_memory_used(GB_HOST_MEMORY) - t.used);
		end_trial(&t);
		gb_sweep_release(&sweep);
		free(params);
	}
}
