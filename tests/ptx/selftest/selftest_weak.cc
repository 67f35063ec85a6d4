/* selftest_weak.cc -- litmus tests of the option WEAK: forbidden outcomes never occur, allowed weak
 * outcomes do.
 *
 * The threads of a test start together, with many copies at once.  Each has registers a and b for
 * values that it reads, the locations x and y of its copy, and s and t in its block's shared
 * memory. x and y are 0 at first.  Outcomes are derived by hand.  Names are from the literature: SB
 * store buffering, MP message passing, CoRR coherence of two reads, WRC write-to-read causality,
 * IRIW independent reads of independent writes.
 */
#include <stdlib.h>
#include <string.h>

#include <sstream>

#include "tests/ptx/selftest/selftest.h"

enum { COPIES = 256, SEEDS = 8, ROLES = 4, BLOCK = 64, COPY_BYTES = 256 };

/* Two lines per test:
 *
 *	name: never or some: threads, as 64 * block + thread number: outcome
 *		statements of the first thread | those of the second, separated by semicolons
 *
 * An outcome compares registers of threads (a0: a of the first one), and x and y at the end.  The
 * statement "y.release = 1" is a store and "a = y.acquire" a load, of GPU scope without ".cta".
 * Any other statement is PTX. */
static const char tests[] = R"(
SB: some: 0 64: a0=0 a1=0
	x.relaxed = 1; a = y.relaxed | y.relaxed = 1; a = x.relaxed
SB in a block: some: 0 32: a0=0 a1=0
	x.relaxed = 1; a = y.relaxed | y.relaxed = 1; a = x.relaxed
SB, membar.gl: never: 0 64: a0=0 a1=0
	x.relaxed = 1; membar.gl; a = y.relaxed | y.relaxed = 1; membar.gl; a = x.relaxed
SB, fence.acq_rel.gpu: some: 0 64: a0=0 a1=0
	x.relaxed = 1; fence.acq_rel.gpu; a = y.relaxed | y.relaxed = 1; fence.acq_rel.gpu; a = x.relaxed
SB, one membar.gl: some: 0 64: a0=0 a1=0
	x.relaxed = 1; membar.gl; a = y.relaxed | y.relaxed = 1; a = x.relaxed
SB, membar.cta: some: 0 64: a0=0 a1=0
	x.relaxed = 1; membar.cta; a = y.relaxed | y.relaxed = 1; membar.cta; a = x.relaxed
SB in a block, membar.cta: never: 0 32: a0=0 a1=0
	x.relaxed = 1; membar.cta; a = y.relaxed | y.relaxed = 1; membar.cta; a = x.relaxed
MP: some: 0 64: a1=1 b1=0
	x = 1; y.relaxed = 1 | a = y.relaxed; b = x
MP, release: some: 0 64: a1=1 b1=0
	x = 1; y.release = 1 | a = y.relaxed; b = x
MP, acquire: some: 0 64: a1=1 b1=0
	x = 1; y.relaxed = 1 | a = y.acquire; b = x
MP, both: never: 0 64: a1=1 b1=0
	x = 1; y.release = 1 | a = y.acquire; b = x
MP in a block: some: 0 32: a1=1 b1=0
	x = 1; y.relaxed = 1 | a = y.relaxed; b = x
MP in a warp: some: 0 1: a1=1 b1=0
	x = 1; y.relaxed = 1 | a = y.relaxed; b = x
MP in a block, both: never: 0 32: a1=1 b1=0
	x = 1; y.release = 1 | a = y.acquire; b = x
MP in a warp, both: never: 0 1: a1=1 b1=0
	x = 1; y.release = 1 | a = y.acquire; b = x
MP, both of cta: some: 0 64: a1=1 b1=0
	x = 1; y.release.cta = 1 | a = y.acquire.cta; b = x
MP, release of cta: some: 0 64: a1=1 b1=0
	x = 1; y.release.cta = 1 | a = y.acquire; b = x
MP, acquire of cta: some: 0 64: a1=1 b1=0
	x = 1; y.release = 1 | a = y.acquire.cta; b = x
MP in a block, both of cta: never: 0 32: a1=1 b1=0
	x = 1; y.release.cta = 1 | a = y.acquire.cta; b = x
MP, fences: never: 0 64: a1=1 b1=0
	x = 1; membar.gl; y.relaxed = 1 | a = y.relaxed; fence.acq_rel.gpu; b = x
MP, a fence for the store: some: 0 64: a1=1 b1=0
	x = 1; membar.gl; y.relaxed = 1 | a = y.relaxed; b = x
MP, a fence for the load: some: 0 64: a1=1 b1=0
	x = 1; y.relaxed = 1 | a = y.relaxed; membar.gl; b = x
MP, fences of cta: some: 0 64: a1=1 b1=0
	x = 1; membar.cta; y.relaxed = 1 | a = y.relaxed; membar.cta; b = x
MP, atomics: some: 0 64: a1=1 b1=0
	x = 1; atom.global.add.u32 a, [%y], 1 | atom.global.add.u32 a, [%y], 0; b = x
MP, atomics with an order: never: 0 64: a1=1 b1=0
	x = 1; atom.add.acq_rel.gpu.global.u32 a, [%y], 1 |
	atom.cas.acq_rel.gpu.global.b32 a, [%y], 1, 1; b = x
CoRR: never: 0 64: a1>b1
	x.relaxed = 1; x.relaxed = 2 | a = x.relaxed; b = x.relaxed
CoWR: never: 0 64: a0=0
	x = 1; a = x | x = 2
CoRW: never: 0 64: a0=1 x=1
	a = x.relaxed; x.relaxed = 2 | x.relaxed = 1
S, release and acquire: never: 0 64: a1=1 x=2
	x = 2; y.release = 1 | a = y.acquire; x = 1
WRC: some: 0 64 128: a1=1 a2=1 b2=0
	x.relaxed = 1 | a = x.relaxed; y.relaxed = 1 | a = y.relaxed; b = x
WRC, release and acquire: never: 0 64 128: a1=1 a2=1 b2=0
	x.relaxed = 1 | a = x.relaxed; y.release = 1 | a = y.acquire; b = x
WRC, a barrier: never: 0 64 96: a1=1 b2=0
	x = 1; y.release = 1 | a = y.acquire; bar.sync 0 | bar.sync 0; b = x
IRIW, acquire: some: 0 64 128 192: a2=1 b2=0 a3=1 b3=0
	x.relaxed = 1 | y.relaxed = 1 | a = x.acquire; b = y.acquire | a = y.acquire; b = x.acquire
release sequence: never: 0 64 128: a2=2 b2=0
	x = 1; y.release = 1 | atom.global.add.u32 a, [%y], 1 | a = y.acquire; b = x
release sequence that a store ends: some: 0 64 128: a2=2 b2=0 x=1
	x = 1; y.release = 1 | y.relaxed = 2 | a = y.acquire; b = x
bar.sync: never: 0 32: b1=0
	x = 1; bar.sync 0 | bar.sync 0; b = x
bar.warp.sync: never: 0 1: b1=0
	x = 1; bar.warp.sync 3 | bar.warp.sync 3; b = x
bar.warp.sync is not for the block: some: 0 32 33: a1=1 b2=0
	x = 1; y.relaxed = 1 | a = y.relaxed; bar.warp.sync 3 | bar.warp.sync 3; b = x
64 bits in one: never: 0 64: a1!b1
	st.relaxed.gpu.global.u64 [%x], 0x100000001 |
	.reg .b64 both; ld.relaxed.gpu.global.u64 both, [%x]; mov.b64 {a, b}, both
shared memory: some: 0 32: a1=1 b1!1
	s = 1; t.relaxed.cta = 1 | a = t.relaxed.cta; b = s
shared memory, both: never: 0 32: a1=1 b1!1
	s = 1; t.release.cta = 1 | a = t.acquire.cta; b = s
)";

struct litmus {
	std::string name;
	bool never;
	std::vector<std::string> place; /* one per thread */
	std::string outcome, program;
	unsigned blocks;
};

/* The parts between separators, trimmed. */
static std::vector<std::string> split(const std::string &text, char separator)
{
	std::istringstream stream(text);
	std::vector<std::string> parts;

	for (std::string part; std::getline(stream, part, separator);) {
		const size_t begin = part.find_first_not_of(" \t\n");

		if (begin != part.npos)
			parts.push_back(
				part.substr(begin, part.find_last_not_of(" \t\n") + 1 - begin));
	}
	return parts;
}

static std::string instruction(const std::string &statement)
{
	const size_t at = statement.find(" = ");

	if (at == statement.npos)
		return statement + ";\n";
	const std::string left = statement.substr(0, at), right = statement.substr(at + 3);
	const bool load = left == "a" || left == "b";
	const std::string &memory = load ? right : left;
	const char place = memory[0];
	std::string order = memory.substr(1);

	if (!order.empty() && order != ".volatile" && order.find(".cta") == order.npos)
		order += ".gpu";
	order += place == 's' || place == 't' ? ".shared.u32 " : ".global.u32 ";
	const std::string address = place == 's'   ? "[s]"
				    : place == 't' ? "[s+8]"
						   : std::string("[%") + place + "]";

	return load ? "ld" + order + left + ", " + address + ";\n"
		    : "st" + order + address + ", " + right + ";\n";
}

static std::vector<struct litmus> all_tests(void)
{
	std::vector<struct litmus> all;

	for (const std::string &line : split(tests, '\n')) {
		const std::vector<std::string> head = split(line, ':');

		if (head.size() != 4) {
			all.back().program += line + " ";
			continue;
		}
		const std::vector<std::string> place = split(head[2], ' ');
		const unsigned blocks = (unsigned)std::stoi(place.back()) / BLOCK + 1;

		all.push_back({ head[0], head[1] == "never", place, head[3], "", blocks });
	}
	return all;
}

/* Each thread jumps to its code when all threads of the copy have arrived; others return. */
static std::string text_of(const struct litmus &t)
{
	const std::vector<std::string> threads = split(t.program, '|');
	std::string body = ".shared .align 8 .b8 s[16];\n.reg .b32 a, b, %key, %copy, %r, %v;\n"
			   ".reg .b64 %x, %y, %z, %o;\n.reg .pred p;\n"
			   "mov.u32 %r, %ctaid.x;\n"
			   "div.u32 %copy, %r, " +
			   std::to_string(t.blocks) +
			   ";\n"
			   "rem.u32 %key, %r, " +
			   std::to_string(t.blocks) +
			   ";\n"
			   "mad.lo.s32 %key, %key, 64, %tid;\nmov.u32 a, 0;\nmov.u32 b, 0;\n"
			   "mad.wide.u32 %x, %copy, 256, %p1;\nadd.s64 %y, %x, 64;\n"
			   "add.s64 %z, %x, 128;\n";

	for (size_t k = 0; k < threads.size(); k++)
		body += "setp.eq.u32 p, %key, " + t.place[k] + ";\n@p bra T" + std::to_string(k) +
			";\n";
	body += "ret;\n";
	for (size_t k = 0; k < threads.size(); k++) {
		const std::string number = std::to_string(k);
		std::string code;

		for (const std::string &statement : split(threads[k], ';'))
			code += instruction(statement);

		body += "T" + number + ":\natom.global.add.u32 %v, [%z], 1;\nW" + number +
			":\nld.relaxed.gpu.global.u32 %v, [%z];\nsetp.lt.u32 p, %v, " +
			std::to_string(threads.size()) + ";\n@p bra W" + number + ";\n" + code +
			"mad.lo.s32 %r, %copy, 4, " + number +
			";\nmad.wide.u32 %o, %r, 8, %p0;\nst.global.v2.u32 [%o], {a, b};\nret;\n";
	}
	return kernel_text(2, body);
}

/* A number, or a result of a copy: "b1" of a thread, "x" at the end. */
static uint32_t value_of(const std::string &name, const std::vector<std::vector<uint8_t>> &buffers,
			 unsigned copy)
{
	uint32_t value;

	if (isdigit((unsigned char)name[0]))
		return (uint32_t)std::stoul(name);
	if (name[0] == 'x' || name[0] == 'y')
		memcpy(&value, &buffers[1][COPY_BYTES * copy + (name[0] == 'y') * 64],
		       sizeof value);
	else
		memcpy(&value,
		       &buffers[0][8 * (ROLES * copy + (unsigned)(name[1] - '0')) +
				   4 * (name[0] == 'b')],
		       sizeof value);
	return value;
}

static bool came_about(const std::string &outcome, const std::vector<std::vector<uint8_t>> &buffers,
		       unsigned copy)
{
	for (const std::string &term : split(outcome, ' ')) {
		const size_t at = term.find_first_of("=!>");
		const uint32_t left = value_of(term.substr(0, at), buffers, copy);
		const uint32_t right = value_of(term.substr(at + 1), buffers, copy);

		if (term[at] == '='   ? left != right
		    : term[at] == '!' ? left == right
				      : left <= right)
			return false;
	}
	return true;
}

/* The number of occurrences among *tried runs.  Stops at the first for an outcome that must
 * occur. */
static unsigned happens(const struct litmus &t, unsigned *tried)
{
	const std::string text = text_of(t);
	unsigned count = 0;

	for (unsigned seed = 1; seed <= SEEDS && (t.never || !count); seed++) {
		std::vector<std::vector<uint8_t>> buffers = {
			std::vector<uint8_t>((size_t)8 * ROLES * COPIES),
			std::vector<uint8_t>((size_t)COPY_BYTES * COPIES),
		};

		setenv("GPUBENCH_PTX_SEED", std::to_string(seed).c_str(), 1);
		const std::string error = run_kernel(text, buffers, t.blocks * COPIES, BLOCK);

		expect(error.empty(), "%s: %s", t.name.c_str(), error.c_str());
		for (unsigned copy = 0; copy < COPIES && error.empty(); copy++)
			count += came_about(t.outcome, buffers, copy);
		*tried += COPIES;
	}
	return count;
}

/* Options are read again by each kernel, because run_kernel() resets the device. */
static void set_options(bool weak)
{
	static std::vector<std::vector<uint8_t>> none;
	static const char *const names[] = { "WEAK", "STRICT", "BLOCKS", "SEED" };
	static const char *const values[] = { "1", "0", "forward", "1" };

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		const std::string name = std::string("GPUBENCH_PTX_") + names[n];

		if (weak)
			setenv(name.c_str(), values[n], 1);
		else
			unsetenv(name.c_str());
	}
	(void)run_kernel(kernel_text(0, ""), none, 1, 1);
}

void test_weak(void)
{
	set_options(true);
	for (const struct litmus &t : all_tests()) {
		unsigned tried = 0;
		const unsigned count = happens(t, &tried);

		expect(t.never ? count == 0 : count != 0, "%s: %u times of %u, %s expected",
		       t.name.c_str(), count, tried, t.never ? "none" : "some");
	}
	set_options(false);
}
