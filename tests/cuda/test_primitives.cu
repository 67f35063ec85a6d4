/* test_primitives.cu -- the prefix sums of cuda/primitives/primitives.h against the host's. */
#include "tests/cuda/test_primitives.h"

enum {
	SCAN_TILE = 4096, /* elements per block: see primitives.cu */
};

TestSuite(primitives, .init = open_gpu, .fini = close_gpu);

static uint64_t sum_of(const std::vector<uint32_t> &in)
{
	return std::accumulate(in.begin(), in.end(), (uint64_t)0);
}

template <class T> static std::vector<T> host_scan(const std::vector<uint32_t> &in)
{
	std::vector<T> out(in.size());

	std::exclusive_scan(in.begin(), in.end(), out.begin(), (T)0);
	return out;
}

/* The last run does not request the total. */
template <class T>
static void check_scan(const std::vector<uint32_t> &host, size_t in_offset, size_t out_offset)
{
	begin_case();

	const size_t count = host.size();
	const std::vector<uint64_t> sum(1, sum_of(host));
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
		cr_assert_eq(gpu_scan(elements(&in), elements(&out), count,
				      run < RUNS - 1 ? elements(&total) : NULL, elements(&temp),
				      &err),
			     GB_OK, "%s: %s", name, err.message);
		expect_array(&out, host_scan<T>(host), name, "output");
		expect_array(&total, sum, name, "total");
		expect_guards(&temp, name, "temporary storage");
	}
	expect_array(&in, host, name, "input");
	end_case();
}

static void check_scan_in_place(const std::vector<uint32_t> &host, size_t offset)
{
	begin_case();

	const struct array<uint32_t> data = new_array(host, offset);
	const struct array<unsigned char> temp =
		new_array<unsigned char>(gpu_scan_temp_bytes(host.size()), 0);
	struct gb_error err = {};

	cr_assert_eq(gpu_scan(elements(&data), elements(&data), host.size(), NULL, elements(&temp),
			      &err),
		     GB_OK, "%s", err.message);
	expect_array(&data, host_scan<uint32_t>(host), "in place", "output");
	expect_guards(&temp, "in place", "temporary storage");
	end_case();
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

/* The sum is the largest 32-bit value. */
Test(primitives, scan_u32_up_to_the_limit)
{
	std::vector<uint32_t> in = random_words(MANY, 17);

	in.back() += (uint32_t)(UINT32_MAX - sum_of(in));
	check_scan<uint32_t>(in, 0, 0);
	std::swap(in.front(), in.back());
	check_scan<uint32_t>(in, 0, 0);
}

/* Sums above 32 bits, within a tile and across tiles. */
Test(primitives, scan_u32_u64)
{
	for (const size_t count : sizes_for(SCAN_TILE)) {
		check_scan<uint64_t>(random_words(count, 0), 0, 0);
		check_scan<uint64_t>(std::vector<uint32_t>(count, UINT32_MAX), count % 4, 1);
	}
}
