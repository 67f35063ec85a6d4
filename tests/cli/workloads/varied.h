/* varied.h -- for the tests of vary(): the bytes of a varied input, and variants that run on it. */
#ifndef GPUBENCH_TESTS_CLI_WORKLOADS_VARIED_H
#define GPUBENCH_TESTS_CLI_WORKLOADS_VARIED_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/devices.h"
#include "common/variants.h"
#include "tests/cli/workloads/trial.h"

#ifdef GPUBENCH_SIMT
enum { FIRST_BACKEND = GB_CUDA }; /* other builds test the cpu variants */
#else
enum { FIRST_BACKEND = GB_CPU };
#endif

/* An array of an input. */
struct piece {
	const void *data;
	size_t size;
};

/* ---- bytes -------------------------------------------------------------------------------- */

/* True if the input has variations. */
static inline bool vary(struct trial *t, uint64_t key)
{
	return t->workload->vary(t->params, t->input, key);
}

static inline unsigned char *copy_of(const struct piece *piece, size_t pieces)
{
	size_t size = 1, at = 0;
	unsigned char *copy;

	for (size_t i = 0; i < pieces; i++)
		size += piece[i].size;
	copy = calloc(size, 1);
	for (size_t i = 0; i < pieces; at += piece[i++].size)
		if (piece[i].size)
			memcpy(copy + at, piece[i].data, piece[i].size);
	return copy;
}

/* Expect that the pieces hold the bytes of the copy. */
static inline void expect_bytes(const struct piece *piece, size_t pieces, const unsigned char *copy,
				bool equal)
{
	bool same = true;

	for (size_t i = 0; i < pieces; copy += piece[i++].size)
		same = same && (!piece[i].size || !memcmp(copy, piece[i].data, piece[i].size));
	cr_assert_eq(same, equal);
}

/* A variation depends on the original and the key alone.  changes: it differs from the original;
 * many: variations differ from each other.  Leaves the original. */
static inline void check_bytes(struct trial *t, const struct piece *piece, size_t pieces,
			       bool changes, bool many)
{
	static const uint64_t keys[] = { 3, 4, UINT64_MAX, 3, 3, 0, 4, 0, 0, UINT64_MAX, 3 };
	unsigned char *original = copy_of(piece, pieces), *third, *fourth;

	(void)vary(t, 3);
	third = copy_of(piece, pieces);
	expect_bytes(piece, pieces, original, !changes);
	(void)vary(t, 4);
	fourth = copy_of(piece, pieces);
	expect_bytes(piece, pieces, third, !many);
	for (size_t i = 0; i < GB_COUNT(keys); i++) {
		(void)vary(t, keys[i]);
		if (keys[i] <= 4)
			expect_bytes(piece, pieces,
				     keys[i] == 0   ? original
				     : keys[i] == 3 ? third
						    : fourth,
				     true);
	}
	(void)vary(t, 0);
	expect_bytes(piece, pieces, original, true);
	free(original);
	free(third);
	free(fourth);
}

/* ---- variants ----------------------------------------------------------------------------- */

/* Run on variation `key` as the runner does: another one is uploaded before the download. */
static inline void run_on(struct trial *t, const struct gb_variant *v, void *state, uint64_t key,
			  uint64_t other)
{
	const struct gb_backend_ops *backend = gb_backends[v->backend];
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };

	(void)vary(t, key);
	if (v->ops->upload)
		(void)v->ops->upload(state, &err);
	(void)gb_memory_poison(state, 0xb7, backend->fill, &err);
	if (v->backend != GB_CPU)
		(void)vary(t, other);
	if (v->ops->reset)
		(void)v->ops->reset(state, 0, &err);
	(void)v->ops->run(state, &timer, &err);
	(void)backend->synchronize(&err);
	(void)vary(t, other);
	if (v->ops->upload)
		(void)v->ops->upload(state, &err);
	memset(t->output, 0xc3, t->size);
	(void)v->ops->download(state, t->output, &err);
	(void)vary(t, key);
	cr_assert_eq(err.code, GB_OK, "%s, key %d: %s", v->name, (int)key, err.message);
}

/* Expect that the output is right for the variation `key`, or not. */
static inline void expect_on(struct trial *t, const struct gb_variant *v, uint64_t key, bool right)
{
	struct gb_metrics metrics = { 0 };
	struct gb_error err = { 0 };

	(void)vary(t, key);
	(void)t->workload->verify(t->params, t->input, 0, t->output, &metrics, &err);
	cr_assert_eq(err.code, right ? GB_OK : GB_EVERIFY, "%s is %s for key %d: %s", v->name,
		     right ? "not right" : "right", (int)key, err.message);
}

/* False if the variant does not support the parameters.  changes: the right result differs between
 * variations and the original. */
static inline bool check_variant(struct trial *t, const struct gb_variant *v, bool changes)
{
	static const uint64_t keys[] = { 0, 5, 6, 0, 7 };
	struct gb_error err = { 0 };
	void *state = NULL;
	bool made;

	(void)vary(t, 8);
	made = !gb_state_create(v->ops, t->params, t->input, &state, &err);
	cr_assert(made || err.code == GB_EUNAVAILABLE, "%s: %s", v->name, err.message);
	for (size_t i = 0; made && i < GB_COUNT(keys); i++) {
		run_on(t, v, state, keys[i], 9);
		expect_on(t, v, keys[i], true);
		if (changes) {
			expect_on(t, v, keys[i] ? 0 : 5, false);
			expect_on(t, v, keys[i], true);
		}
	}
	gb_state_destroy(v->ops, state);
	(void)vary(t, 0);
	return made;
}

/* Check all variants of the workload that this build has.  The outputs of some are verified before
 * there is a reference for the original.  Returns the number of variants. */
static inline size_t check_variants(struct trial *t, bool changes)
{
	size_t checked = 0;

	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		struct gb_error err = { 0 };

		if (!gb_equal(v->workload, t->workload->name) || !v->ops ||
		    v->backend < (enum gb_backend)FIRST_BACKEND)
			continue;
		gb_devices_allow_software();
		if (gb_device_open(v->backend, 0, &err) == GB_OK)
			checked += check_variant(t, v, changes);
	}
	return checked;
}

#endif
