/* selftest_memory.cc -- loads and stores of all types, widths and spaces; atomics. */
#include <string.h>

#include <algorithm>

#include "tests/ptx/selftest/selftest.h"

enum { THREADS = 64, ROOM = 32 }; /* bytes of memory per thread */

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

static const char address[] = ".reg .b64 %from, %to;\nmad.wide.u32 %from, %tid, 32, %p0;\n"
			      "mad.wide.u32 %to, %tid, 32, %p1;\n";

/* Repeat the text `width` times, replacing # by the register number and @ by the memory offset. */
static std::string each(const std::string &text, unsigned width, unsigned size)
{
	std::string all;

	for (unsigned n = 0; n < width; n++)
		for (const char c : text)
			all += c == '#'   ? std::to_string(n)
			       : c == '@' ? std::to_string(n * size)
					  : std::string(1, c);
	return all;
}

/* The value of a load, extended as its type requires. */
static uint64_t loaded(const uint8_t *at, const std::string &type, unsigned register_bytes)
{
	uint64_t value = 0;

	memcpy(&value, at, bytes_of(type));
	return type[0] == 's'
		       ? low((uint64_t)as_signed(value, 8 * bytes_of(type)), 8 * register_bytes)
		       : value;
}

/* Each thread loads elements from 32 random bytes at %from and stores them at %at with the store
 * under test. %at is %to, or shared or local memory.  The load under test reads them from %at, and
 * its registers (32 bits for an 8-bit type) go to %out.  For a parameter only the load is tested;
 * the elements are addresses of buffers. */
static void check_access(const std::string &load, const std::string &store,
			 const std::string &place, const std::string &type, unsigned width)
{
	const unsigned size = bytes_of(type), bytes = size == 1 ? 4 : size;
	const std::string v = (width > 1 ? ".v" + std::to_string(width) : "") + "." + type + " ";
	const std::string b = std::to_string(8 * size), bits = std::to_string(8 * bytes);
	const std::string list = width == 1 ? "v0" : width == 2 ? "{v0, v1}" : "{v0, v1, v2, v3}";
	const bool parameter = place == "p0";
	std::vector<std::vector<uint8_t>> buffers(3, noise(THREADS * ROOM));
	std::string body =
		".reg .b64 %from, %to, %out;\nmad.wide.u32 %from, %tid, 32, %p0;\n"
		"mad.wide.u32 %to, %tid, 32, %p1;\nmad.wide.u32 %out, %tid, 32, %p2;\n" +
		each(".reg .b" + bits + " v#;\nld.global.b" + b + " v#, [%from+@];\n", width, size);

	std::fill(buffers[1].begin(), buffers[1].end(), 0x55);
	if (place == "shared")
		body += ".shared .align 16 .b8 room[2048];\n.reg .b32 %at;\nmov.u32 %at, room;\n"
			"mad.lo.s32 %at, %tid, 32, %at;\n";
	if (place == "local")
		body += ".local .align 16 .b8 room[32];\n.reg .b64 %at;\nmov.u64 %at, room;\n";
	const std::string at = place == "shared" || place == "local" ? "%at" : place;

	body += parameter ? "st.global.v2.b64 [%from], {%p0, %p1};\n"
			  : store + v + "[" + at + "], " + list + ";\n";
	body += each("mov.b" + bits + " v#, 0;\n", width, 0) + load + v + list + ", [" + at +
		"];\n" + each("st.global.b" + bits + " [%out+@], v#;\n", width, bytes);
	const std::string error = run_kernel(kernel_text(3, body), buffers, 1, THREADS);

	covers(load + v.substr(0, v.size() - 1));
	if (!parameter)
		covers(store + v.substr(0, v.size() - 1));
	expect(error.empty(), "%s, %s: %s", load.c_str(), v.c_str(), error.c_str());
	for (unsigned t = 0; t < THREADS && error.empty(); t++) {
		for (unsigned n = 0; n < width; n++) {
			const uint64_t wanted =
				loaded(&buffers[0][t * ROOM + n * size], type, bytes);
			uint64_t got = 0;

			memcpy(&got, &buffers[2][t * ROOM + n * bytes], bytes);
			expect(got == wanted, "%s%s: %#llx instead of %#llx", load.c_str(),
			       v.c_str(), (unsigned long long)got, (unsigned long long)wanted);
		}
		for (unsigned n = 0; n < ROOM && place == "%to"; n++)
			expect(buffers[1][t * ROOM + n] ==
				       (n < size * width ? buffers[0][t * ROOM + n] : 0x55),
			       "%s%s: byte %u of thread %u", store.c_str(), v.c_str(), n, t);
	}
}

/* ---- atomics ----------------------------------------------------------------------------- */

/* All threads of two warps update one word.  Their order matters only to exch and cas. */
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
	body += "add.u" + bits + " other, x, 1;\n" + form + " old, [%at], x" +
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
	/* exch: each value is in the word or was returned to the next thread, so the sum has them
	 * all. */
	expect(operation == "exch" ? seen + last == THREADS * (THREADS - 1) / 2 + first
				   : last == wanted,
	       "%s: %#llx at the end, %#llx was expected", form.c_str(), (unsigned long long)last,
	       (unsigned long long)wanted);
}

static void check_atomics(void)
{
	for (const std::string op : { "add", "or", "and", "xor", "min", "max", "exch", "cas" })
		for (const unsigned bytes : { 4u, 8u }) {
			const bool number = op == "add" || op == "min" || op == "max";
			const std::string type = (number ? ".u" : ".b") + std::to_string(8 * bytes);

			for (const std::string how :
			     { "global.", "acq_rel.gpu.", "acq_rel.cta.", "relaxed.gpu.",
			       "acquire.gpu.", "release.gpu.", "shared.", "acq_rel.cta.shared." })
				check_atomic("atom." + how + op + type, op, bytes,
					     how.find("shared") != how.npos);
			check_atomic("atom." + op + ".acq_rel.gpu" + type, op, bytes, false);
		}
}

/* Convert a generic address of shared memory back to an offset: that of word 1 of two. */
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

/* Two groups of copies: after a wait for all but the last, the first has arrived and the second has
 * not. */
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
				       "cp.async.cg.shared.global [at+16], [%from], 16, 16;\n"
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
	static const struct {
		const char *load, *store, *place;
	} accesses[] = {
		{ "ld", "st", "%to" },
		{ "ld.global", "st.global", "%to" },
		{ "ld.global.nc", "st.global", "%to" },
		{ "ld.volatile.global", "st.volatile.global", "%to" },
		{ "ld.volatile", "st.volatile", "%to" },
		{ "ld.relaxed.gpu", "st.relaxed.gpu", "%to" },
		{ "ld.acquire.gpu", "st.release.gpu", "%to" },
		{ "ld.acquire.cta", "st", "%to" },
		{ "ld.shared", "st.shared", "shared" },
		{ "ld.volatile.shared", "st.volatile.shared", "shared" },
		{ "ld.acquire.cta.shared", "st.release.cta.shared", "shared" },
		{ "ld.local", "st.local", "local" },
		{ "ld.param", "", "p0" },
	};

	for (const std::string type : { "u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32",
					"f32", "u64", "s64", "b64", "f64" })
		for (unsigned width = 1; width <= 4 && width * bytes_of(type) <= 16; width *= 2)
			for (const auto &a : accesses)
				check_access(a.load, a.store, a.place, type, width);
	check_atomics();
	check_offset();
	check_copies();
}
