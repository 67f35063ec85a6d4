/* selftest_weak.cc -- litmus tests of the option WEAK: what PTX's memory model forbids never happens,
 * what the mode is there for does.
 *
 * Threads of one test are released together, many copies of it at once.  Each has registers a and b
 * for what it reads, and locations x, y and z of its copy, which begin with 0.  Outcomes are stated by
 * hand, by name as in the literature: SB store buffering, MP message passing, CoRR coherence of two
 * reads, WRC write-to-read causality, IRIW independent reads of independent writes.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/ptx/selftest/selftest.h"

enum { COPIES = 256, SEEDS = 8, ROLES = 4, BLOCK = 64, COPY_BYTES = 256 };
enum verdict { NEVER, SOMETIMES };

struct outcome {
	uint32_t a[ROLES], b[ROLES]; /* of each thread */
	uint32_t x, y;               /* at the end */
};

struct litmus {
	const char *name;
	enum verdict verdict;
	unsigned blocks;
	std::vector<unsigned> place; /* of each thread: 64 * block + number in it */
	std::vector<const char *> code;
	bool (*happens)(const struct outcome &o);
};

static const std::vector<unsigned> two_blocks = { 0, 64 }, two_warps = { 0, 32 },
				   two_lanes = { 0, 1 };

static bool both_zero(const struct outcome &o)
{
	return o.a[0] == 0 && o.a[1] == 0;
}

/* The flag is there, the datum is not. */
static bool passed_over(const struct outcome &o)
{
	return o.a[1] == 1 && o.b[1] == 0;
}

static bool goes_back(const struct outcome &o)
{
	return o.a[1] > o.b[1];
}

static bool lost_cause(const struct outcome &o)
{
	return o.a[1] == 1 && o.a[2] == 1 && o.b[2] == 0;
}

static bool disagree(const struct outcome &o)
{
	return o.a[2] == 1 && o.b[2] == 0 && o.a[3] == 1 && o.b[3] == 0;
}

#define PUT_X   "st.global.u32 [%x], 1;\n"
#define GET_X   "ld.global.u32 b, [%x];\n"
#define FLAG    "st.relaxed.gpu.global.u32 [%y], 1;\n"
#define RELEASE "st.release.gpu.global.u32 [%y], 1;\n"
#define LOOK    "ld.relaxed.gpu.global.u32 a, [%y];\n"
#define ACQUIRE "ld.acquire.gpu.global.u32 a, [%y];\n"
#define SB0     "st.relaxed.gpu.global.u32 [%x], 1;\n"
#define SB1     "st.relaxed.gpu.global.u32 [%y], 1;\n"
#define READ_Y  "ld.relaxed.gpu.global.u32 a, [%y];\n"
#define READ_X  "ld.relaxed.gpu.global.u32 a, [%x];\n"

static const struct litmus tests[] = {
	{ "SB", SOMETIMES, 2, two_blocks, { SB0 READ_Y, SB1 READ_X }, both_zero },
	{ "SB in a block", SOMETIMES, 1, two_warps, { SB0 READ_Y, SB1 READ_X }, both_zero },
	{ "SB, membar.gl",
	  NEVER,
	  2,
	  two_blocks,
	  { SB0 "membar.gl;\n" READ_Y, SB1 "membar.gl;\n" READ_X },
	  both_zero },
	{ "SB, one membar.gl",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { SB0 "membar.gl;\n" READ_Y, SB1 READ_X },
	  both_zero },
	{ "SB, membar.cta",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { SB0 "membar.cta;\n" READ_Y, SB1 "membar.cta;\n" READ_X },
	  both_zero },
	{ "SB in a block, membar.cta",
	  NEVER,
	  1,
	  two_warps,
	  { SB0 "membar.cta;\n" READ_Y, SB1 "membar.cta;\n" READ_X },
	  both_zero },
	{ "SB, fence.acq_rel.gpu",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { SB0 "fence.acq_rel.gpu;\n" READ_Y, SB1 "fence.acq_rel.gpu;\n" READ_X },
	  both_zero },

	{ "MP", SOMETIMES, 2, two_blocks, { PUT_X FLAG, LOOK GET_X }, passed_over },
	{ "MP, release", SOMETIMES, 2, two_blocks, { PUT_X RELEASE, LOOK GET_X }, passed_over },
	{ "MP, acquire", SOMETIMES, 2, two_blocks, { PUT_X FLAG, ACQUIRE GET_X }, passed_over },
	{ "MP, both", NEVER, 2, two_blocks, { PUT_X RELEASE, ACQUIRE GET_X }, passed_over },
	{ "MP in a block", SOMETIMES, 1, two_warps, { PUT_X FLAG, LOOK GET_X }, passed_over },
	{ "MP in a warp", SOMETIMES, 1, two_lanes, { PUT_X FLAG, LOOK GET_X }, passed_over },
	{ "MP in a block, both",
	  NEVER,
	  1,
	  two_warps,
	  { PUT_X RELEASE, ACQUIRE GET_X },
	  passed_over },
	{ "MP in a warp, both",
	  NEVER,
	  1,
	  two_lanes,
	  { PUT_X RELEASE, ACQUIRE GET_X },
	  passed_over },
	{ "MP, both of cta",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "st.release.cta.global.u32 [%y], 1;\n",
	    "ld.acquire.cta.global.u32 a, [%y];\n" GET_X },
	  passed_over },
	{ "MP, release of cta",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "st.release.cta.global.u32 [%y], 1;\n", ACQUIRE GET_X },
	  passed_over },
	{ "MP, acquire of cta",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X RELEASE, "ld.acquire.cta.global.u32 a, [%y];\n" GET_X },
	  passed_over },
	{ "MP in a block, both of cta",
	  NEVER,
	  1,
	  two_warps,
	  { PUT_X "st.release.cta.global.u32 [%y], 1;\n",
	    "ld.acquire.cta.global.u32 a, [%y];\n" GET_X },
	  passed_over },
	{ "MP, fences",
	  NEVER,
	  2,
	  two_blocks,
	  { PUT_X "membar.gl;\n" FLAG, LOOK "membar.gl;\n" GET_X },
	  passed_over },
	{ "MP, fences of acquire and release",
	  NEVER,
	  2,
	  two_blocks,
	  { PUT_X "fence.acq_rel.gpu;\n" FLAG, LOOK "fence.acq_rel.gpu;\n" GET_X },
	  passed_over },
	{ "MP, a fence for the store",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "membar.gl;\n" FLAG, LOOK GET_X },
	  passed_over },
	{ "MP, a fence for the load",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X FLAG, LOOK "membar.gl;\n" GET_X },
	  passed_over },
	{ "MP, fences of cta",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "membar.cta;\n" FLAG, LOOK "membar.cta;\n" GET_X },
	  passed_over },
	{ "MP, fence and acquire",
	  NEVER,
	  2,
	  two_blocks,
	  { PUT_X "membar.gl;\n" FLAG, ACQUIRE GET_X },
	  passed_over },
	{ "MP, release and fence",
	  NEVER,
	  2,
	  two_blocks,
	  { PUT_X RELEASE, LOOK "membar.gl;\n" GET_X },
	  passed_over },
	{ "MP, fences around a volatile flag",
	  NEVER,
	  2,
	  two_blocks,
	  { PUT_X "membar.gl;\nst.volatile.global.u32 [%y], 1;\n",
	    "ld.volatile.global.u32 a, [%y];\nmembar.gl;\n" GET_X },
	  passed_over },
	{ "MP, fences around a weak flag",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "fence.acq_rel.gpu;\nst.global.u32 [%y], 1;\n",
	    "ld.global.u32 a, [%y];\nfence.acq_rel.gpu;\n" GET_X },
	  passed_over },
	{ "MP, atomics",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "atom.global.add.u32 a, [%y], 1;\n", "atom.global.add.u32 a, [%y], 0;\n" GET_X },
	  passed_over },
	{ "MP, atomics with an order",
	  NEVER,
	  2,
	  two_blocks,
	  { PUT_X "atom.add.acq_rel.gpu.global.u32 a, [%y], 1;\n",
	    "atom.cas.acq_rel.gpu.global.b32 a, [%y], 1, 1;\n" GET_X },
	  passed_over },
	{ "MP, a release by an update of cta",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { PUT_X "atom.add.acq_rel.cta.global.u32 a, [%y], 1;\n", ACQUIRE GET_X },
	  passed_over },

	{ "CoRR",
	  NEVER,
	  2,
	  two_blocks,
	  { "st.relaxed.gpu.global.u32 [%x], 1;\nst.relaxed.gpu.global.u32 [%x], 2;\n",
	    "ld.relaxed.gpu.global.u32 a, [%x];\nld.relaxed.gpu.global.u32 b, [%x];\n" },
	  goes_back },
	{ "one after the other",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { "st.relaxed.gpu.global.u32 [%x], 1;\nst.relaxed.gpu.global.u32 [%x], 2;\n",
	    "ld.relaxed.gpu.global.u32 a, [%x];\nld.relaxed.gpu.global.u32 b, [%x];\n" },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[1] == 2; } },
	{ "CoWR",
	  NEVER,
	  2,
	  two_blocks,
	  { "st.global.u32 [%x], 1;\nld.global.u32 a, [%x];\n", "st.global.u32 [%x], 2;\n" },
	  [](const struct outcome &o) { return o.a[0] == 0; } },
	{ "CoWW",
	  NEVER,
	  2,
	  two_blocks,
	  { "st.global.u32 [%x], 1;\nst.global.u32 [%x], 2;\n", GET_X },
	  [](const struct outcome &o) { return o.x != 2; } },
	{ "CoRW",
	  NEVER,
	  2,
	  two_blocks,
	  { "ld.relaxed.gpu.global.u32 a, [%x];\nst.relaxed.gpu.global.u32 [%x], 2;\n",
	    "st.relaxed.gpu.global.u32 [%x], 1;\n" },
	  [](const struct outcome &o) { return o.a[0] == 1 && o.x == 1; } },
	{ "2+2W",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { "st.relaxed.gpu.global.u32 [%x], 1;\nst.relaxed.gpu.global.u32 [%y], 2;\n",
	    "st.relaxed.gpu.global.u32 [%y], 1;\nst.relaxed.gpu.global.u32 [%x], 2;\n" },
	  [](const struct outcome &o) { return o.x == 1 && o.y == 1; } },
	{ "2+2W, membar.gl",
	  NEVER,
	  2,
	  two_blocks,
	  { "st.relaxed.gpu.global.u32 [%x], 1;\nmembar.gl;\nst.relaxed.gpu.global.u32 [%y], 2;\n",
	    "st.relaxed.gpu.global.u32 [%y], 1;\nmembar.gl;\nst.relaxed.gpu.global.u32 [%x], "
	    "2;\n" },
	  [](const struct outcome &o) { return o.x == 1 && o.y == 1; } },
	{ "S, release and acquire",
	  NEVER,
	  2,
	  two_blocks,
	  { "st.global.u32 [%x], 2;\n" RELEASE, ACQUIRE "st.global.u32 [%x], 1;\n" },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.x == 2; } },
	{ "S",
	  SOMETIMES,
	  2,
	  two_blocks,
	  { "st.global.u32 [%x], 2;\n" FLAG, LOOK "st.global.u32 [%x], 1;\n" },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.x == 2; } },
	{ "a store amid updates",
	  NEVER,
	  2,
	  two_blocks,
	  { "atom.global.add.u32 a, [%x], 1;\natom.global.add.u32 b, [%x], 1;\n",
	    "st.relaxed.gpu.global.u32 [%x], 10;\n" },
	  [](const struct outcome &o) {
		  return o.x != 10 && o.x != 12 && !(o.x == 11 && o.b[0] == 10);
	  } },
	{ "WRC",
	  SOMETIMES,
	  3,
	  { 0, 64, 128 },
	  { SB0, "ld.relaxed.gpu.global.u32 a, [%x];\n" FLAG, LOOK GET_X },
	  lost_cause },
	{ "WRC, release and acquire",
	  NEVER,
	  3,
	  { 0, 64, 128 },
	  { SB0, "ld.relaxed.gpu.global.u32 a, [%x];\n" RELEASE, ACQUIRE GET_X },
	  lost_cause },
	{ "WRC, a barrier",
	  NEVER,
	  2,
	  { 0, 64, 96 },
	  { PUT_X RELEASE, ACQUIRE "bar.sync 0;\n", "bar.sync 0;\n" GET_X },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[2] == 0; } },
	{ "WRC, a barrier and no acquire",
	  SOMETIMES,
	  2,
	  { 0, 64, 96 },
	  { PUT_X RELEASE, LOOK "bar.sync 0;\n", "bar.sync 0;\n" GET_X },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[2] == 0; } },
	{ "WRC, seen before a barrier",
	  NEVER,
	  2,
	  { 0, 64, 96 },
	  { PUT_X, "ld.global.u32 a, [%x];\nbar.sync 0;\n", "bar.sync 0;\n" GET_X },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[2] == 0; } },
	{ "IRIW, acquire",
	  SOMETIMES,
	  4,
	  { 0, 64, 128, 192 },
	  { SB0, SB1, "ld.acquire.gpu.global.u32 a, [%x];\nld.acquire.gpu.global.u32 b, [%y];\n",
	    "ld.acquire.gpu.global.u32 a, [%y];\nld.acquire.gpu.global.u32 b, [%x];\n" },
	  disagree },
	{ "IRIW, membar.gl",
	  NEVER,
	  4,
	  { 0, 64, 128, 192 },
	  { SB0, SB1,
	    "ld.relaxed.gpu.global.u32 a, [%x];\nmembar.gl;\nld.relaxed.gpu.global.u32 b, [%y];\n",
	    "ld.relaxed.gpu.global.u32 a, [%y];\nmembar.gl;\nld.relaxed.gpu.global.u32 b, "
	    "[%x];\n" },
	  disagree },
	{ "release sequence",
	  NEVER,
	  3,
	  { 0, 64, 128 },
	  { PUT_X RELEASE, "atom.global.add.u32 a, [%y], 1;\n", ACQUIRE GET_X },
	  [](const struct outcome &o) { return o.a[2] == 2 && o.b[2] == 0; } },
	{ "release sequence that a store ends",
	  SOMETIMES,
	  3,
	  { 0, 64, 128 },
	  { PUT_X RELEASE, "st.relaxed.gpu.global.u32 [%y], 2;\n", ACQUIRE GET_X },
	  [](const struct outcome &o) { return o.a[2] == 2 && o.b[2] == 0 && o.x == 1; } },

	{ "bar.sync",
	  NEVER,
	  1,
	  two_warps,
	  { PUT_X "bar.sync 0;\n", "bar.sync 0;\n" GET_X },
	  [](const struct outcome &o) { return o.b[1] == 0; } },
	{ "bar.warp.sync",
	  NEVER,
	  1,
	  two_lanes,
	  { PUT_X "bar.warp.sync 3;\n", "bar.warp.sync 3;\n" GET_X },
	  [](const struct outcome &o) { return o.b[1] == 0; } },
	{ "bar.warp.sync is not for the block",
	  SOMETIMES,
	  1,
	  { 0, 32, 33 },
	  { PUT_X FLAG, LOOK "bar.warp.sync 3;\n", "bar.warp.sync 3;\n" GET_X },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[2] == 0; } },
	{ "64 bits in one",
	  NEVER,
	  2,
	  two_blocks,
	  { "st.relaxed.gpu.global.u64 [%x], 0x100000001;\n",
	    ".reg .b64 both;\nld.relaxed.gpu.global.u64 both, [%x];\nmov.b64 {a, b}, both;\n" },
	  [](const struct outcome &o) { return o.a[1] != o.b[1]; } },
	{ "shared memory",
	  SOMETIMES,
	  1,
	  two_warps,
	  { "st.shared.u32 [s], 1;\nst.relaxed.cta.shared.u32 [s+8], 1;\n",
	    "ld.relaxed.cta.shared.u32 a, [s+8];\nld.shared.u32 b, [s];\n" },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[1] != 1; } },
	{ "shared memory, both",
	  NEVER,
	  1,
	  two_warps,
	  { "st.shared.u32 [s], 1;\nst.release.cta.shared.u32 [s+8], 1;\n",
	    "ld.acquire.cta.shared.u32 a, [s+8];\nld.shared.u32 b, [s];\n" },
	  [](const struct outcome &o) { return o.a[1] == 1 && o.b[1] != 1; } },
};

/* Each thread goes to its code, when all of the copy have come; others return. */
static std::string text_of(const struct litmus &t)
{
	const std::string n = std::to_string(t.code.size());
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

	for (size_t k = 0; k < t.code.size(); k++)
		body += "setp.eq.u32 p, %key, " + std::to_string(t.place[k]) + ";\n@p bra T" +
			std::to_string(k) + ";\n";
	body += "ret;\n";
	for (size_t k = 0; k < t.code.size(); k++) {
		const std::string number = std::to_string(k);

		body += "T" + number + ":\natom.global.add.u32 %v, [%z], 1;\nW" + number +
			":\nld.relaxed.gpu.global.u32 %v, [%z];\nsetp.lt.u32 p, %v, " + n +
			";\n@p bra W" + number + ";\n" + t.code[k] + "mad.lo.s32 %r, %copy, 4, " +
			number +
			";\nmad.wide.u32 %o, %r, 8, %p0;\nst.global.v2.u32 [%o], {a, b};\nret;\n";
	}
	return kernel_text(2, body);
}

static struct outcome outcome_of(const std::vector<std::vector<uint8_t>> &buffers, unsigned copy)
{
	struct outcome o = {};
	uint32_t words[2];

	for (unsigned k = 0; k < ROLES; k++) {
		memcpy(words, &buffers[0][8 * (ROLES * copy + k)], sizeof words);
		o.a[k] = words[0];
		o.b[k] = words[1];
	}
	memcpy(&o.x, &buffers[1][COPY_BYTES * copy], sizeof o.x);
	memcpy(&o.y, &buffers[1][COPY_BYTES * copy + 64], sizeof o.y);
	return o;
}

/* How often, of so many that were tried; what is to happen need not happen twice. */
static unsigned happens(const struct litmus &t, unsigned *tried)
{
	const std::string text = text_of(t);
	unsigned count = 0;

	for (unsigned seed = 1; seed <= SEEDS && (t.verdict == NEVER || !count); seed++) {
		std::vector<std::vector<uint8_t>> buffers = {
			std::vector<uint8_t>((size_t)8 * ROLES * COPIES),
			std::vector<uint8_t>((size_t)COPY_BYTES * COPIES),
		};

		setenv("GPUBENCH_PTX_SEED", std::to_string(seed).c_str(), 1);
		const std::string error = run_kernel(text, buffers, t.blocks * COPIES, BLOCK);

		expect(error.empty(), "%s: %s", t.name, error.c_str());
		for (unsigned copy = 0; copy < COPIES && error.empty(); copy++)
			count += t.happens(outcome_of(buffers, copy));
		*tried += COPIES;
	}
	return count;
}

/* Options are read again after each kernel: run_kernel() resets the device. */
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
	for (const struct litmus &t : tests) {
		unsigned tried = 0;
		const unsigned count = happens(t, &tried);

		expect(t.verdict == NEVER ? count == 0 : count != 0,
		       "%s: %u times of %u, %s expected", t.name, count, tried,
		       t.verdict == NEVER ? "none" : "some");
	}
	set_options(false);
}
