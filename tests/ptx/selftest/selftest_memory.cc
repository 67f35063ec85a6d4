/* selftest_memory.cc -- loads and stores of all types, widths and spaces; atomics. */
#include <string.h>

#include "tests/ptx/selftest/selftest.h"

enum { THREADS = 64, ROOM = 32 }; /* bytes of memory for a thread */

static unsigned bytes_of(const std::string &type)
{
	return (unsigned)atoi(type.c_str() + 1) / 8;
}

static std::vector<uint8_t> noise(size_t bytes)
{
	std::vector<uint8_t> v(bytes);
	uint32_t x = 12345;

	for (uint8_t &b : v)
		b = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
	return v;
}

static std::string join(const char *name, unsigned width)
{
	std::string text = width > 1 ? "{" : "";

	for (unsigned n = 0; n < width; n++)
		text += std::string(n ? ", " : "") + name + std::to_string(n);
	return text + (width > 1 ? "}" : "");
}

/* Registers v0.. of at least 16 bits for a type; .s8 is extended to 32. */
static std::string registers(const std::string &type, unsigned width, unsigned *bytes)
{
	*bytes = bytes_of(type) == 1 ? 4 : bytes_of(type);
	std::string text;

	for (unsigned n = 0; n < width; n++)
		text += ".reg .b" + std::to_string(8 * *bytes) + " v" + std::to_string(n) + ";\n";
	return text;
}

/* The value that a load gives, extended as its type says. */
static uint64_t loaded(const uint8_t *at, const std::string &type, unsigned bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes_of(type));
	return type[0] == 's' ? low(as_signed(value, 8 * bytes_of(type)), 8 * bytes) : value;
}

static const char address[] = ".reg .b64 %from, %to;\nmad.wide.u32 %from, %tid, 32, %p0;\n"
			      "mad.wide.u32 %to, %tid, 32, %p1;\n";

/* Thread n loads from its 32 bytes and stores what it got, as whole registers. */
static void check_load(const std::string &prefix, const std::string &type, unsigned width)
{
	const std::string vector = width > 1 ? ".v" + std::to_string(width) : "";
	const std::string form = "ld" + prefix + vector + "." + type;
	std::vector<std::vector<uint8_t>> buffers = { noise(THREADS * ROOM),
						      std::vector<uint8_t>(THREADS * ROOM) };
	unsigned bytes;
	std::string body = address + registers(type, width, &bytes);

	body += form + " " + join("v", width) + ", [%from];\n";
	for (unsigned n = 0; n < width; n++)
		body += "st.global.b" + std::to_string(8 * bytes) + " [%to+" +
			std::to_string(n * bytes) + "], v" + std::to_string(n) + ";\n";
	const std::string error = run_kernel(kernel_text(2, body), buffers, 1, THREADS);

	covers(form);
	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	for (unsigned t = 0; t < THREADS && error.empty(); t++)
		for (unsigned n = 0; n < width; n++) {
			const uint8_t *const from = &buffers[0][t * ROOM + n * bytes_of(type)];
			uint64_t got = 0;

			memcpy(&got, &buffers[1][t * ROOM + n * bytes], bytes);
			expect(got == loaded(from, type, bytes), "%s: %#llx instead of %#llx",
			       form.c_str(), (unsigned long long)got,
			       (unsigned long long)loaded(from, type, bytes));
		}
}

/* Thread n copies its bytes by loads of single elements and the store under test: the neighbours of
 * what it stores stay as they were. */
static void check_store(const std::string &prefix, const std::string &type, unsigned width)
{
	const std::string vector = width > 1 ? ".v" + std::to_string(width) : "";
	const std::string form = "st" + prefix + vector + "." + type;
	const unsigned size = bytes_of(type);
	std::vector<std::vector<uint8_t>> buffers = { noise(THREADS * ROOM),
						      std::vector<uint8_t>(THREADS * ROOM, 0x55) };
	unsigned bytes;
	std::string body = address + registers(type, width, &bytes);

	for (unsigned n = 0; n < width; n++)
		body += "ld.global.b" + std::to_string(8 * size) + " v" + std::to_string(n) +
			", [%from+" + std::to_string(n * size) + "];\n";
	body += form + " [%to], " + join("v", width) + ";\n";
	const std::string error = run_kernel(kernel_text(2, body), buffers, 1, THREADS);

	covers(form);
	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	for (unsigned t = 0; t < THREADS && error.empty(); t++)
		for (unsigned n = 0; n < ROOM; n++)
			expect(buffers[1][t * ROOM + n] ==
				       (n < size * width ? buffers[0][t * ROOM + n] : 0x55),
			       "%s: byte %u of thread %u", form.c_str(), n, t);
}

/* Through shared or local memory: a store and a load of every type meet there. */
static void check_space(const std::string &space, const std::string &type, unsigned width,
			const std::string &load = "", const std::string &store = "")
{
	const std::string vector = width > 1 ? ".v" + std::to_string(width) : "";
	const std::string kind = "." + space + vector + "." + type;
	std::vector<std::vector<uint8_t>> buffers = { noise(THREADS * ROOM),
						      std::vector<uint8_t>(THREADS * ROOM) };
	const unsigned size = bytes_of(type);
	unsigned bytes;
	std::string body = address + registers(type, width, &bytes);

	body += space != "local" ? ".shared .align 16 .b8 room[2048];\n.reg .b32 %at;\n"
				   "mov.u32 %at, room;\nmad.lo.s32 %at, %tid, 32, %at;\n"
				 : ".local .align 16 .b8 room[32];\n.reg .b64 %at;\n"
				   "mov.u64 %at, room;\n";
	for (unsigned n = 0; n < width; n++)
		body += "ld.global.b" + std::to_string(8 * size) + " v" + std::to_string(n) +
			", [%from+" + std::to_string(n * size) + "];\n";
	body += "st" + store + kind + " [%at], " + join("v", width) + ";\n";
	for (unsigned n = 0; n < width; n++)
		body += "mov.b" + std::to_string(8 * bytes) + " v" + std::to_string(n) + ", 0;\n";
	body += "ld" + load + kind + " " + join("v", width) + ", [%at];\n";
	for (unsigned n = 0; n < width; n++)
		body += "st.global.b" + std::to_string(8 * size) + " [%to+" +
			std::to_string(n * size) + "], v" + std::to_string(n) + ";\n";
	const std::string error = run_kernel(kernel_text(2, body), buffers, 1, THREADS);

	covers("ld" + load + kind);
	covers("st" + store + kind);
	expect(error.empty(), "%s: %s", kind.c_str(), error.c_str());
	for (unsigned t = 0; t < THREADS && error.empty(); t++)
		expect(memcmp(&buffers[0][t * ROOM], &buffers[1][t * ROOM], size * width) == 0,
		       "ld and st%s: thread %u", kind.c_str(), t);
}

/* A parameter is what the host passed: here the address that the kernel stores. */
static void check_parameters(const std::string &type, unsigned width)
{
	const std::string vector = width > 1 ? ".v" + std::to_string(width) : "";
	const std::string form = "ld.param" + vector + "." + type;
	std::vector<std::vector<uint8_t>> buffers(4, std::vector<uint8_t>(THREADS * ROOM));
	unsigned bytes;
	std::string body = address + registers(type, width, &bytes) + form + " " +
			   join("v", width) + ", [p0];\n";

	for (unsigned n = 0; n < width; n++)
		body += "st.global.b" + std::to_string(8 * bytes) + " [%to+" +
			std::to_string(n * bytes) + "], v" + std::to_string(n) + ";\n";
	body += "st.global.v2.b64 [%p2], {%p0, %p1};\n";
	const std::string error = run_kernel(kernel_text(3, body), buffers, 1, THREADS);

	covers(form);
	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	for (unsigned n = 0; n < width && error.empty(); n++) {
		uint64_t got = 0;

		memcpy(&got, &buffers[1][n * bytes], bytes);
		expect(got == loaded(&buffers[2][n * bytes_of(type)], type, bytes), "%s: %#llx",
		       form.c_str(), (unsigned long long)got);
	}
}

/* ---- atomics ----------------------------------------------------------------------------- */

/* All threads of two warps at one word; which order they come in shows only for exch and cas.  A red is
 * an atom that says nothing of what was there. */
static void check_atomic(const std::string &form, const std::string &operation, unsigned bytes,
			 bool shared)
{
	const std::string bits = std::to_string(8 * bytes);
	std::vector<std::vector<uint8_t>> buffers = { std::vector<uint8_t>(8),
						      std::vector<uint8_t>(THREADS * 8) };
	std::string body = ".reg .b" + bits +
			   " x, old, other;\n.reg .b64 %to, %at;\n"
			   ".shared .align 8 .b8 room[8];\ncvt.u" +
			   bits +
			   ".u32 x, %tid;\n"
			   "mad.wide.u32 %to, %tid, 8, %p1;\nmov.u64 %at, %p0;\n";
	uint64_t first = operation == "and" ? 0xffffff : operation == "min" ? 1000 : 40, seen = 0;

	if (bytes == 4 && body.find("cvt.u32.u32") != std::string::npos)
		body.replace(body.find("cvt.u32.u32"), strlen("cvt.u32.u32"), "mov.u32");
	if (shared)
		body += "mov.u64 %at, room;\nld.global.b" + bits + " old, [%p0];\nst.shared.b" +
			bits + " [%at], old;\nbar.sync 0;\n";
	body += "add.u" + bits + " other, x, 1;\n" + form +
		(form[0] == 'r' ? " [%at], x" : " old, [%at], x") +
		(operation == "cas" ? ", other" : "") + ";\nst.global.b" + bits + " [%to], old;\n";
	if (shared)
		body += "bar.sync 0;\nld.shared.b" + bits + " old, [%at];\nst.global.b" + bits +
			" [%p0], old;\n";
	memcpy(buffers[0].data(), &first, 8);
	const std::string error = run_kernel(kernel_text(2, body), buffers, 1, THREADS);
	uint64_t last = 0, wanted = first;

	memcpy(&last, buffers[0].data(), bytes);
	for (unsigned t = 0; t < THREADS; t++) {
		wanted = operation == "add"   ? wanted + t
			 : operation == "or"  ? wanted | t
			 : operation == "and" ? wanted & t
			 : operation == "xor" ? wanted ^ t
			 : operation == "min" ? (t < wanted ? t : wanted)
			 : operation == "max" ? (t > wanted ? t : wanted)
			 : operation == "cas" ? (t == wanted ? t + 1 : wanted)
					      : t;
		seen += buffers[1][t * 8] + 256u * buffers[1][t * 8 + 1];
	}
	covers(form);
	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	/* exch: each value is in the word or was seen by the next, so all but the last are seen. */
	expect(operation == "exch" ? seen + last == THREADS * (THREADS - 1) / 2 + first
				   : last == wanted,
	       "%s: %#llx at the end, %#llx was expected", form.c_str(), (unsigned long long)last,
	       (unsigned long long)wanted);
}

static void check_atomics(void)
{
	static const char *const operations[] = { "add", "or",  "and",  "xor",
						  "min", "max", "exch", "cas" };

	for (const std::string op : operations)
		for (const unsigned bytes : { 4u, 8u }) {
			const bool number = op == "add" || op == "min" || op == "max";
			const std::string type = (number ? ".u" : ".b") + std::to_string(8 * bytes);

			check_atomic("atom.global." + op + type, op, bytes, false);
			check_atomic("atom.shared." + op + type, op, bytes, true);
			check_atomic("atom." + op + ".acq_rel.gpu" + type, op, bytes, false);
			check_atomic("atom." + op + ".acq_rel.cta" + type, op, bytes, false);
			check_atomic("atom.acq_rel.gpu." + op + type, op, bytes, false);
			check_atomic("atom.acq_rel.cta." + op + type, op, bytes, false);
			if (op == "cas")
				check_atomic("atom.acq_rel.cta.shared.cas" + type, op, bytes, true);
			if (op == "cas")
				for (const char *order : { "acquire", "release" }) {
					const std::string one = order;

					check_atomic("atom.cas." + one + ".gpu" + type, op, bytes,
						     false);
					check_atomic("atom." + one + ".gpu.cas" + type, op, bytes,
						     false);
				}
			check_atomic("atom." + op + ".relaxed.gpu" + type, op, bytes, false);
			if (op == "exch" || op == "cas")
				continue;
			check_atomic("red.global." + op + type, op, bytes, false);
			check_atomic("red.shared." + op + type, op, bytes, true);
		}
}

/* A generic address of shared memory is taken back to an offset: that of word 1 of two. */
static void check_offset(void)
{
	std::vector<std::vector<uint8_t>> buffers = { std::vector<uint8_t>(4) };
	const std::string error = run_kernel(
		kernel_text(1, ".shared .align 4 .b8 before[64];\n.shared .align 4 .b8 "
			       "room[8];\n.reg .b64 s;\n"
			       ".reg .b32 o, d;\nmov.u64 s, room;\ncvta.shared.u64 s, s;\n"
			       "add.u64 s, s, 4;\nst.u32 [s], 42;\ncvta.to.shared.u64 s, s;\n"
			       "cvt.u32.u64 o, s;\nld.shared.u32 d, [o];\n"
			       "st.global.u32 [%p0], d;\n"),
		buffers, 1, 1);

	covers("cvta.to.shared.u64");
	expect(error.empty() && buffers[0][0] == 42, "cvta.to.shared: %s", error.c_str());
}

static void check_prefetch(void)
{
	std::vector<std::vector<uint8_t>> buffers = { noise(THREADS * ROOM) };
	const std::vector<uint8_t> before = buffers[0];
	const std::string error =
		run_kernel(kernel_text(1, "prefetch.global.L2 [%p0];\n"), buffers, 1, THREADS);

	covers("prefetch.global.L2");
	expect(error.empty() && buffers[0] == before, "prefetch: %s", error.c_str());
}

/* Two groups: the first is there when all but the last one are waited for, the second is not. */
static void check_copies(void)
{
	std::vector<std::vector<uint8_t>> buffers = { noise(THREADS * ROOM),
						      std::vector<uint8_t>(THREADS * ROOM) };
	const std::vector<uint8_t> before = buffers[0];
	const std::string error = run_kernel(
		kernel_text(2, std::string(address) +
				       ".shared .align 16 .b8 room[2048];\n.reg .b64 s;\n"
				       ".reg .b32 at;\n.reg .b64 a, b;\n"
				       "mov.u64 s, room;\ncvt.u32.u64 at, s;\n"
				       "mad.lo.u32 at, %tid, 32, at;\n"
				       "cp.async.cg.shared.global [at], [%from+16], 16;\n"
				       "cp.async.commit_group;\n"
				       "cp.async.cg.shared.global [at+16], [%from], 16;\n"
				       "cp.async.commit_group;\n"
				       "cp.async.wait_group 1;\n"
				       "ld.shared.b64 a, [at+8];\nst.global.b64 [%to], a;\n"
				       "ld.shared.b64 b, [at+16];\nst.global.b64 [%to+8], b;\n"
				       "cp.async.wait_group 0;\n"
				       "ld.shared.b64 a, [at+16];\nst.global.b64 [%to+16], a;\n"
				       "ld.shared.b64 b, [at+24];\nst.global.b64 [%to+24], b;\n"),
		buffers, 1, THREADS);

	for (const char *form :
	     { "cp.async.cg.shared.global", "cp.async.commit_group", "cp.async.wait_group" })
		covers(form);
	expect(error.empty(), "cp.async: %s", error.c_str());
	for (unsigned t = 0; t < THREADS; t++) {
		const uint8_t *const from = &before[t * ROOM], *const to = &buffers[1][t * ROOM];

		expect(!memcmp(to, from + 24, 8), "cp.async: the first group has not come");
		expect(memcmp(to + 8, from, 8) != 0, "cp.async: the second group has come");
		expect(!memcmp(to + 16, from, 16), "cp.async: not all has come");
	}
}

void test_memory(void)
{
	static const char *const types[] = { "u8",  "s8",  "b8",  "u16", "s16", "b16", "u32",
					     "s32", "b32", "f32", "u64", "s64", "b64", "f64" };

	for (const char *type : types)
		for (unsigned width = 1; width <= 4 && width * bytes_of(type) <= 16; width *= 2) {
			for (const char *prefix :
			     { "", ".global", ".global.nc", ".volatile.global", ".relaxed.gpu",
			       ".acquire.gpu", ".acquire.cta", ".volatile" })
				check_load(prefix, type, width);
			for (const char *prefix : { "", ".global", ".volatile.global",
						    ".relaxed.gpu", ".release.gpu", ".volatile" })
				check_store(prefix, type, width);
			check_space("shared", type, width);
			check_space("volatile.shared", type, width);
			check_space("shared", type, width, ".acquire.cta", ".release.cta");
			check_space("local", type, width);
			check_parameters(type, width);
		}
	check_atomics();
	check_offset();
	check_prefetch();
	check_copies();
}
