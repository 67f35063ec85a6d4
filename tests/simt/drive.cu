/* drive.cu -- runs the project's own CUDA variants on small inputs and judges the results.
 *
 * usage: drive [--only VARIANT]... [--quick | --fast] [COUNT...]
 *
 * Every cuda variant of variants.def that is linked is taken through its life - create, upload,
 * reset, run twice, download, destroy - for each type and some distributions of keys.  It knows
 * nothing of the command line, so that it is small enough to be built with every checker, and
 * again for every mutant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "common/backend.h"
#include "common/radix.h"
#include "common/workload.h"
#include "cuda/gpu.h"

/* The variants that need nothing but CUDA; a missing file leaves a NULL. */
#define DRIVE_CPU(workload, symbol, name)
#define DRIVE_PEER(workload, symbol, name)
#define DRIVE_CUDA(workload, symbol, name) \
	extern "C" const struct gb_variant_ops workload##_cuda_##symbol __attribute__((weak));
#define NEEDS_CUDA     DRIVE_CUDA
#define NEEDS_CUB      DRIVE_PEER
#define NEEDS_THRUST   DRIVE_PEER
#define ON_cpu(needs)  DRIVE_CPU
#define ON_cuda(needs) NEEDS_##needs
#define GB_VARIANT(backend, workload, symbol, name, needs, summary, peer) \
	ON_##backend(needs)(workload, symbol, name)
#include "common/variants.def"
#undef DRIVE_CUDA

struct entry {
	const char *workload, *name;
	const struct gb_variant_ops *ops;
};

#define DRIVE_CUDA(workload, symbol, name) { #workload, name, &workload##_cuda_##symbol },
static const struct entry entries[] = {
#include "common/variants.def"
	{ NULL, NULL, NULL }
};

enum pattern { MIXED, FEW, SORTED, REVERSED, EQUAL, PATTERNS };

static const char *const pattern_names[] = { "mixed", "few", "sorted", "reversed", "equal" };
static const char *const type_names[] = { "u32", "u64", "f32", "pairs" };

static int passed, failed, skipped;
/* quick: two patterns, pairs and u64 alone for types; fast: pairs alone, and run once. */
static bool quick, fast;

/* ---- input
 * ---------------------------------------------------------------------------------------- */

static uint64_t mixed(uint64_t i)
{
	i = (i ^ i >> 33) * 0xff51afd7ed558ccdull;
	i = (i ^ i >> 33) * 0xc4ceb9fe1a85ec53ull;
	return i ^ i >> 33;
}

static uint64_t key_of(enum pattern pattern, uint64_t i, uint64_t count)
{
	switch (pattern) {
	case FEW:
		return mixed(mixed(i + 1) % 7);
	case SORTED:
		return i * 77777;
	case REVERSED:
		return (count - i) * 77777;
	case EQUAL:
		return 0x8000000180000001ull;
	default:
		return mixed(i + 1);
	}
}

struct problem {
	struct radix_input input;
	std::vector<uint64_t> keys; /* room for either size */
	std::vector<uint32_t> values;
};

static void make(struct problem *p, size_t count, enum radix_type type, enum pattern pattern)
{
	p->input = {};
	p->input.count = count;
	p->input.type = type;
	p->input.key_size = type == RADIX_U64 ? 8 : 4;
	p->keys.assign(count + 1, 0);
	p->values.resize(count + 1);
	for (size_t i = 0; i < count; i++) {
		const uint64_t key = key_of(pattern, i, count);

		if (type == RADIX_U64)
			p->keys[i] = key;
		else
			((uint32_t *)p->keys.data())[i] = (uint32_t)key;
		p->values[i] = (uint32_t)i;
	}
	p->input.keys = p->keys.data();
	p->input.values = type == RADIX_PAIRS ? p->values.data() : NULL;
}

/* ---- judgement
 * ------------------------------------------------------------------------------------ */

static uint64_t order_of(const struct problem *p, const void *keys, size_t i)
{
	if (p->input.type == RADIX_U64)
		return ((const uint64_t *)keys)[i];
	const uint32_t key = ((const uint32_t *)keys)[i];

	return p->input.type == RADIX_F32 ? radix_f32_order(key) : key;
}

/* Sorted, stably where there are values, as a sort on the host does it? */
static bool right(const struct problem *p, void *output)
{
	const size_t n = p->input.count;
	std::vector<uint32_t> index(n);

	for (size_t i = 0; i < n; i++)
		index[i] = (uint32_t)i;
	std::stable_sort(index.begin(), index.end(), [p](uint32_t a, uint32_t b) {
		return order_of(p, p->input.keys, a) < order_of(p, p->input.keys, b);
	});
	for (size_t i = 0; i < n; i++) {
		if (order_of(p, output, i) != order_of(p, p->input.keys, index[i]))
			return false;
		if (p->input.values && radix_output_values(&p->input, output)[i] != index[i])
			return false;
	}
	return true;
}

/* ---- a variant's life
 * ------------------------------------------------------------------------------- */

static enum gb_status live(const struct entry *e, const struct problem *p, void *output,
			   struct gb_error *err)
{
	struct radix_params params = {};
	struct gb_timer timer = {};
	void *state = NULL;

	params.count = (int64_t)p->input.count;
	params.type = p->input.type;
	timer.err = err;
	if (e->ops->create(&state, &params, &p->input, err) != GB_OK)
		goto out;
	if (e->ops->upload && e->ops->upload(state, err) != GB_OK)
		goto out;
	for (int64_t sample = 0; sample < (fast ? 1 : 2); sample++) {
		if (e->ops->reset && e->ops->reset(state, sample, err) != GB_OK)
			goto out;
		if (e->ops->run(state, &timer, err) != GB_OK)
			goto out;
	}
	if (gb_cuda_backend.synchronize(err) == GB_OK)
		e->ops->download(state, output, err);
out:
	e->ops->destroy(state);
	return err->code;
}

static void try_one(const struct entry *e, size_t count, enum radix_type type, enum pattern pattern)
{
	struct problem p;
	struct gb_error err = {};

	make(&p, count, type, pattern);
	std::vector<unsigned char> output(radix_output_size(&p.input) + 8, 0xEE);
	const enum gb_status status = live(e, &p, output.data(), &err);

	if (status == GB_EUNAVAILABLE) {
		skipped++;
	} else if (status == GB_OK && right(&p, output.data())) {
		passed++;
	} else {
		failed++;
		printf("%s/%s %s %s %zu: %s\n", e->workload, e->name, type_names[type],
		       pattern_names[pattern], count, status == GB_OK ? "wrong" : err.message);
	}
}

/* After an error nothing works any more: stop at the first. */
static void try_variant(const struct entry *e, const std::vector<size_t> &counts)
{
	for (const size_t count : counts) {
		const int patterns = count < 2 ? 1 : quick ? SORTED : PATTERNS;

		for (int type = RADIX_U32; type <= RADIX_PAIRS; type++)
			for (int pattern = MIXED; pattern < patterns && !failed; pattern++)
				if (!quick || type == RADIX_PAIRS || (type == RADIX_U64 && !fast))
					try_one(e, count, (enum radix_type)type,
						(enum pattern)pattern);
	}
}

static bool is_wanted(const struct entry *e, const std::vector<const char *> &only)
{
	for (const char *name : only)
		if (strcmp(name, e->name) == 0)
			return true;
	return only.empty();
}

int main(int argc, char **argv)
{
	struct gb_error err = {};
	std::vector<size_t> counts;
	std::vector<const char *> only;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
			only.push_back(argv[++i]);
		else if (strcmp(argv[i], "--quick") == 0)
			quick = true;
		else if (strcmp(argv[i], "--fast") == 0)
			quick = fast = true;
		else
			counts.push_back((size_t)strtoull(argv[i], NULL, 10));
	}
	if (counts.empty())
		counts = { 0, 1, 31, 33, 1000, 5000 };
	if (gb_cuda_backend.open(0, &err) != GB_OK) {
		printf("cannot open the emulator: %s\n", err.message);
		return 1;
	}
	for (const struct entry *e = entries; e->name; e++)
		if (e->ops && strcmp(e->workload, "radix") == 0 && is_wanted(e, only))
			try_variant(e, counts);
	gb_cuda_backend.close();
	printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
	return failed != 0;
}
