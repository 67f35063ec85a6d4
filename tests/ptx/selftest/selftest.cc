/* selftest.cc -- runs all tests of the PTX executor.
 *
 *	ptx-selftest [FILE]
 *
 * FILE is written by a program run with GPUBENCH_PTX_REACHED.  An opcode in it that no test covers
 * is a failure.
 */
#include "tests/ptx/selftest/selftest.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <set>

#include "tests/ptx/machine.h"

enum { MANY = 30, CASES = 4096, THREADS = 128 };

static unsigned checks, failures;

void expect(bool ok, const char *format, ...)
{
	va_list arguments;

	checks++;
	if (ok || failures++ >= MANY)
		return;
	va_start(arguments, format);
	fprintf(stderr, "selftest: ");
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\n");
	va_end(arguments);
}

static std::set<std::string> &covered(void)
{
	static std::set<std::string> set;

	return set;
}

void covers(const std::string &form)
{
	covered().insert(form);
}

/* ---- running a kernel -------------------------------------------------------------------- */

std::string kernel_text(unsigned parameters, const std::string &body)
{
	std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry test(";

	for (unsigned n = 0; n < parameters; n++)
		text += std::string(n ? ", " : "") + ".param .u64 p" + std::to_string(n);
	text += ")\n{\n.reg .b32 %tid;\nmov.u32 %tid, %tid.x;\n";
	for (unsigned n = 0; n < parameters; n++) {
		const std::string p = std::string("p").append(std::to_string(n));

		text += ".reg .b64 %" + p + ";\nld.param.u64 %" + p + ", [" + p + "];\n";
	}
	return text + body + "\nret;\n}\n";
}

static cudaError_t submit(const void *key, std::vector<void *> &device, unsigned blocks,
			  unsigned threads, unsigned cluster, bool overlapped)
{
	cudaLaunchAttribute attributes[2] = {};
	cudaLaunchConfig_t config = {};
	std::vector<void *> arguments;

	for (void *&d : device)
		arguments.push_back(&d);
	if (overlapped)
		attributes[config.numAttrs++].id =
			cudaLaunchAttributeProgrammaticStreamSerialization;
	attributes[0].val.programmaticStreamSerializationAllowed = 1;
	if (cluster > 1) {
		cudaLaunchAttribute *const a = &attributes[config.numAttrs++];

		a->id = cudaLaunchAttributeClusterDimension;
		a->val.clusterDim.x = cluster;
		a->val.clusterDim.y = a->val.clusterDim.z = 1;
	}
	config.gridDim = dim3(blocks, 1, 1);
	config.blockDim = dim3(threads, 1, 1);
	config.attrs = attributes;
	return cudaLaunchKernelExC(&config, key, arguments.data());
}

std::string run_kernel(const std::string &text, std::vector<std::vector<uint8_t>> &buffers,
		       unsigned blocks, unsigned threads, unsigned cluster, bool overlapped)
{
	static char keys[1 << 16];
	static unsigned next;
	const void *const key = &keys[next++];
	std::vector<void *> device;
	std::string error;

	function_register(module_from_text(text), key, "test");
	for (const auto &b : buffers) {
		void *memory = nullptr;

		(void)cudaMalloc(&memory, b.size());
		(void)cudaMemcpy(memory, b.data(), b.size(), cudaMemcpyHostToDevice);
		device.push_back(memory);
	}
	const cudaError_t launched = submit(key, device, blocks, threads, cluster, overlapped);

	(void)cudaDeviceSynchronize();
	for (size_t n = 0; n < buffers.size() && !report_count(); n++)
		(void)cudaMemcpy(buffers[n].data(), device[n], buffers[n].size(),
				 cudaMemcpyDeviceToHost);
	if (report_count())
		error = report_first();
	else if (launched != cudaSuccess)
		error = cudaGetErrorString(launched);
	report_forget();
	(void)cudaDeviceReset();
	return error;
}

/* ---- forms ------------------------------------------------------------------------------- */

static std::string register_type(char width)
{
	return width == '0' ? ".pred" : ".b" + std::to_string(8 * (width - '0'));
}

/* a = element %tid of the array at p, in the low bytes. */
static std::string fetch(char name, char width, unsigned parameter)
{
	const std::string r(1, name), at = "[%at" + r + "]";
	std::string text = ".reg " + register_type(width) + " " + r + ";\n.reg .b64 %at" + r +
			   ";\nmad.wide.u32 %at" + r + ", %i, 8, %p" + std::to_string(parameter) +
			   ";\n";

	if (width != '0')
		return text + "ld.global.b" + std::to_string(8 * (width - '0')) + " " + r + ", " +
		       at + ";\n";
	return text + ".reg .b32 %w" + r + ";\nld.global.u32 %w" + r + ", " + at + ";\nand.b32 %w" +
	       r + ", %w" + r + ", 1;\nsetp.ne.u32 " + r + ", %w" + r + ", 0;\n";
}

static std::string keep_result(char width)
{
	const std::string address = "mad.wide.u32 %to, %i, 8, %p0;\n";

	if (width != '0')
		return address + "st.global.b" + std::to_string(8 * (width - '0')) + " [%to], d;\n";
	return address + "selp.u32 %i, 1, 0, d;\nst.global.u32 [%to], %i;\n";
}

static uint64_t element(const std::vector<uint8_t> &bytes, size_t n)
{
	uint64_t value;

	memcpy(&value, &bytes[8 * n], sizeof value);
	return value;
}

static uint64_t cut(uint64_t value, char width)
{
	return width == '0' ? value & 1 : low(value, 8u * (unsigned)(width - '0'));
}

/* The bits of a 64-bit NaN are unspecified. */
static bool same(const std::string &form, uint64_t a, uint64_t b)
{
	const uint64_t infinity = 0x7ffull << 52, most = ~0ull >> 1;

	return a == b || (form.find(".f64") != std::string::npos && (a & most) > infinity &&
			  (b & most) > infinity);
}

/* All pairs of values first, then random combinations. */
static std::vector<std::vector<uint8_t>> arguments(size_t count,
						   const std::vector<uint64_t> &values)
{
	std::vector<std::vector<uint8_t>> buffers(1 + count, std::vector<uint8_t>(8 * CASES));
	uint64_t random = 88172645463325252ull;

	for (size_t n = 0; n < CASES; n++)
		for (size_t k = 0; k < count; k++) {
			size_t pick = k == 0 ? n % values.size() : n / values.size();

			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			if (k > 1 || pick >= values.size())
				pick = random % values.size();
			uint64_t value = values[pick];

			if (n > CASES / 2 && random >> 60 == 0)
				value = random;
			memcpy(&buffers[1 + k][8 * n], &value, 8);
		}
	return buffers;
}

void check_statement(const std::string &form, const std::string &statement,
		     const std::string &operands, const std::vector<uint64_t> &values,
		     const formula &expected)
{
	static const char names[] = "abce";
	const std::string sources = operands.substr(2);
	const size_t count = sources.size();
	std::string body = ".reg .b32 %i, %x;\n.reg .b64 %to;\nmov.u32 %i, %ctaid.x;\n"
			   "mad.lo.s32 %i, %i, " +
			   std::to_string(THREADS) + ", %tid;\n.reg " + register_type(operands[0]) +
			   " d;\n";
	auto buffers = arguments(count, values);

	for (unsigned k = 0; k < count; k++)
		body += fetch(names[k], sources[k], 1 + k);
	body += statement + "\n" + keep_result(operands[0]);
	const std::string error = run_kernel(kernel_text((unsigned)count + 1, body), buffers,
					     CASES / THREADS, THREADS);

	covers(form);
	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	for (size_t n = 0; n < CASES && error.empty(); n++) {
		uint64_t v[4] = {};

		for (size_t k = 0; k < count; k++)
			v[k] = cut(element(buffers[1 + k], n), sources[k]);
		const uint64_t got = cut(element(buffers[0], n), operands[0]);
		const uint64_t wanted = cut(expected(v), operands[0]);

		expect(same(form, got, wanted),
		       "%s of %#llx, %#llx, %#llx, %#llx: %#llx instead of %#llx", form.c_str(),
		       (unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2],
		       (unsigned long long)v[3], (unsigned long long)got,
		       (unsigned long long)wanted);
	}
}

void check_form(const std::string &form, const std::string &operands,
		const std::vector<uint64_t> &values, const formula &expected)
{
	static const char *const all[] = { "", "a", "a, b", "a, b, c", "a, b, c, e" };

	check_statement(form, form + " d, " + all[operands.size() - 2] + ";", operands, values,
			expected);
}

/* ---- opcodes of a program -------------------------------------------------------------------- */

static void check_coverage(const char *path)
{
	FILE *const file = fopen(path, "r");
	char line[512], form[256];
	unsigned long long count;

	expect(file != NULL, "cannot read %s", path);
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "form %llu %255s", &count, form) == 2)
			expect(covered().count(form) != 0, "%s occurs %llu times, and has no test",
			       form, count);
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	setenv("GPUBENCH_PTX_THREADS", "1", 0);
	setenv("GPUBENCH_PTX_TIMEOUT", "2", 0);
	setenv("GPUBENCH_PTX_CHECK", "0", 1); /* the litmus tests race */
	test_arithmetic();
	test_floats();
	test_memory();
	test_warps();
	test_faults();
	test_weak();
	if (argc > 1)
		check_coverage(argv[1]);
	printf("%u checks of %zu opcodes, %u failed\n", checks, covered().size(), failures);
	return failures != 0;
}
