/* test_primitives.cu -- the reductions and prefix sums of cuda/primitives/primitives.h, each compared with the
 * host's. */
#include "tests/cuda/test_primitives.h"

enum {
	REDUCE_TILE = 2048, /* elements per block: see primitives.cu */
	SCAN_TILE = 4096,
};

/* ---- reduction --------------------------------------------------------------------------- */

static uint64_t host_reduce(enum gpu_reduce_op op, const std::vector<uint32_t> &in)
{
	uint64_t value = op == GPU_MIN ? UINT32_MAX : 0;

	for (const uint64_t item : in)
		value = op == GPU_SUM   ? value + item
			: op == GPU_MIN ? std::min(value, item)
					: std::max(value, item);
	return value;
}

static float host_reduce(enum gpu_reduce_op op, const std::vector<float> &in)
{
	float value = op == GPU_MIN ? INFINITY : -INFINITY;

	for (const float item : in)
		value = op == GPU_MIN ? fminf(value, item) : fmaxf(value, item);
	return value;
}

static enum gb_status reduce(enum gpu_reduce_op op, const uint32_t *in, size_t count,
			     uint64_t *result, void *temp, struct gb_error *err)
{
	return gpu_reduce_u32(op, in, count, result, temp, gpu_stream(), err);
}

static enum gb_status reduce(enum gpu_reduce_op op, const float *in, size_t count, float *result,
			     void *temp, struct gb_error *err)
{
	return gpu_reduce_f32(op, in, count, result, temp, gpu_stream(), err);
}

template <class T, class R>
static void check_reduce(enum gpu_reduce_op op, const std::vector<T> &host, size_t offset)
{
	const struct array<T> in = new_array(host, offset);
	const struct array<R> result = new_array<R>(1, 0);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_reduce_temp_bytes(), 0);
	char name[NAME_MAX_BYTES];

	(void)snprintf(name, sizeof name, "%s of %zu, offset %zu",
		       op == GPU_SUM   ? "sum"
		       : op == GPU_MIN ? "min"
				       : "max",
		       host.size(), offset);
	for (int run = 0; run < RUNS; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_array(&result);
		cr_assert_eq(reduce(op, elements(&in), host.size(), elements(&result),
				    elements(&temp), &err),
			     GB_OK, "%s: %s", name, err.message);
		expect_array(&result, std::vector<R>(1, host_reduce(op, host)), name, "result");
		expect_guards(&temp, name, "temporary storage");
	}
	expect_array(&in, host, name, "input");
	free_array(&in);
	free_array(&result);
	free_array(&temp);
}

static void check_reduce_u32(const std::vector<uint32_t> &in, size_t offset)
{
	for (const enum gpu_reduce_op op : { GPU_SUM, GPU_MIN, GPU_MAX })
		check_reduce<uint32_t, uint64_t>(op, in, offset);
}

static void check_reduce_f32(const std::vector<float> &in, size_t offset)
{
	for (const enum gpu_reduce_op op : { GPU_MIN, GPU_MAX })
		check_reduce<float, float>(op, in, offset);
}

TestSuite(primitives, .init = open_gpu, .fini = close_gpu, .timeout = 300);

Test(primitives, reduce_u32)
{
	for (const size_t count : sizes_for(REDUCE_TILE)) {
		check_reduce_u32(random_words(count, 0), count % 4);
		check_reduce_u32(std::vector<uint32_t>(count, UINT32_MAX), 0);
	}
	check_reduce_u32(std::vector<uint32_t>(MANY, 0), 1);
}

/* The least, and the greatest, at each place in turn. */
Test(primitives, reduce_finds_any_place)
{
	std::vector<uint32_t> in(67, 7);

	for (size_t i = 0; i < in.size(); i++) {
		in[i] = i % 2 ? 3 : 11;
		check_reduce_u32(in, i % 3);
		in[i] = 7;
	}
}

/* More than a grid covers in one step. */
Test(primitives, reduce_many)
{
	check_reduce<uint32_t, uint64_t>(GPU_SUM, random_words(((size_t)1 << 21) + 5, 0), 0);
}

/* NaNs are passed over. */
Test(primitives, reduce_f32)
{
	for (const size_t count : sizes_for(REDUCE_TILE)) {
		const std::vector<uint32_t> words = random_words(count, 0);
		std::vector<float> in(count);

		for (size_t i = 0; i < count; i++)
			in[i] = i % 5 == 1 ? NAN : (float)(int32_t)words[i];
		check_reduce_f32(in, count % 4);
		check_reduce_f32(std::vector<float>(count, NAN), 0);
	}
	check_reduce_f32({ -INFINITY, 1, INFINITY }, 0);
}

Test(primitives, reduce_has_no_sum_of_floats)
{
	const struct array<float> a = new_array<float>(8, 0);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_reduce_temp_bytes(), 0);
	struct gb_error err = {};

	cr_expect_eq(reduce(GPU_SUM, elements(&a), 4, elements(&a) + 4, elements(&temp), &err),
		     GB_ERUNTIME);
	cr_expect_neq(err.message[0], '\0');
	free_array(&a);
	free_array(&temp);
}

/* ---- exclusive prefix sum ---------------------------------------------------------------- */

static enum gb_status scan(const uint32_t *in, uint32_t *out, size_t count, uint64_t *total,
			   void *temp, struct gb_error *err)
{
	return gpu_scan_u32(in, out, count, total, temp, gpu_stream(), err);
}

static enum gb_status scan(const uint32_t *in, uint64_t *out, size_t count, uint64_t *total,
			   void *temp, struct gb_error *err)
{
	return gpu_scan_u32_u64(in, out, count, total, temp, gpu_stream(), err);
}

template <class T> static std::vector<T> host_scan(const std::vector<uint32_t> &in)
{
	std::vector<T> out(in.size());

	std::exclusive_scan(in.begin(), in.end(), out.begin(), (T)0);
	return out;
}

/* The last run does not ask for the total. */
template <class T>
static void check_scan(const std::vector<uint32_t> &host, size_t in_offset, size_t out_offset)
{
	const size_t count = host.size();
	const std::vector<uint64_t> sum(1, host_reduce(GPU_SUM, host));
	const struct array<uint32_t> in = new_array(host, in_offset);
	const struct array<T> out = new_array<T>(count, out_offset);
	const struct array<uint64_t> total = new_array<uint64_t>(1, 0);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_scan_temp_bytes(count), 0);
	char name[NAME_MAX_BYTES];

	(void)snprintf(name, sizeof name, "%zu to %zu bits, offsets %zu and %zu", count,
		       8 * sizeof(T), in_offset, out_offset);
	for (int run = 0; run < RUNS; run++) {
		struct gb_error err = {};

		clear_array(&temp);
		clear_array(&out);
		cr_assert_eq(scan(elements(&in), elements(&out), count,
				  run < RUNS - 1 ? elements(&total) : NULL, elements(&temp), &err),
			     GB_OK, "%s: %s", name, err.message);
		expect_array(&out, host_scan<T>(host), name, "output");
		expect_array(&total, sum, name, "total");
		expect_guards(&temp, name, "temporary storage");
	}
	expect_array(&in, host, name, "input");
	free_array(&in);
	free_array(&out);
	free_array(&total);
	free_array(&temp);
}

static void check_scan_in_place(const std::vector<uint32_t> &host, size_t offset)
{
	const struct array<uint32_t> data = new_array(host, offset);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_scan_temp_bytes(host.size()), 0);
	struct gb_error err = {};

	cr_assert_eq(
		scan(elements(&data), elements(&data), host.size(), NULL, elements(&temp), &err),
		GB_OK, "%s", err.message);
	expect_array(&data, host_scan<uint32_t>(host), "in place", "output");
	expect_guards(&temp, "in place", "temporary storage");
	free_array(&data);
	free_array(&temp);
}

Test(primitives, scan_u32)
{
	for (const size_t count : sizes_for(SCAN_TILE)) {
		const std::vector<uint32_t> in = random_words(count, 17);

		check_scan<uint32_t>(in, 0, 0);
		check_scan<uint32_t>(in, count % 4, 1);
		check_scan_in_place(in, 0);
		check_scan_in_place(in, 1 + count % 3);
	}
}

/* The sum is the greatest that 32 bits hold. */
Test(primitives, scan_u32_up_to_the_limit)
{
	std::vector<uint32_t> in = random_words(MANY, 17);

	in.back() += (uint32_t)(UINT32_MAX - host_reduce(GPU_SUM, in));
	check_scan<uint32_t>(in, 0, 0);
	std::swap(in.front(), in.back());
	check_scan<uint32_t>(in, 0, 0);
}

/* Sums beyond 32 bits, inside a tile and between tiles. */
Test(primitives, scan_u32_u64)
{
	for (const size_t count : sizes_for(SCAN_TILE)) {
		check_scan<uint64_t>(random_words(count, 0), 0, 0);
		check_scan<uint64_t>(std::vector<uint32_t>(count, UINT32_MAX), count % 4, 1);
	}
}
