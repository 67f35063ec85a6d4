/* selftest_warp.cc -- warps and blocks: shuffles, votes, barriers, divergence, clusters, forward
 * progress of lanes that wait for each other.
 */
#include <string.h>

#include "tests/ptx/selftest/selftest.h"

enum { LANES = 32 };

static uint32_t word(const std::vector<uint8_t> &bytes, size_t n)
{
	uint32_t value;

	memcpy(&value, &bytes[4 * n], sizeof value);
	return value;
}

/* Check that the body leaves the expected word in d, in each thread of each block. covered: opcodes
 * that it tests. */
static void check_words(const std::string &what, const std::vector<std::string> &covered,
			const std::string &body, unsigned threads,
			const std::function<uint32_t(unsigned thread)> &expected,
			unsigned blocks = 1, unsigned cluster = 1)
{
	static const char store_d[] = "\n.reg .b64 %to;\n.reg .b32 %i;\nmov.u32 %i, %ctaid.x;\n"
				      ".reg .b32 %n;\nmov.u32 %n, %ntid.x;\n"
				      "mad.lo.s32 %i, %i, %n, %tid;\n"
				      "mad.wide.u32 %to, %i, 4, %p0;\nst.global.u32 [%to], d;\n";
	std::vector<std::vector<uint8_t>> buffers = { std::vector<uint8_t>(4 * threads * blocks) };
	const std::string error = run_kernel(kernel_text(1, ".reg .b32 d;\n" + body + store_d),
					     buffers, blocks, threads, cluster);

	expect(error.empty(), "%s: %s", what.c_str(), error.c_str());
	for (unsigned t = 0; t < threads * blocks && error.empty(); t++)
		expect(word(buffers[0], t) == expected(t), "%s: thread %u: %#x instead of %#x",
		       what.c_str(), t, word(buffers[0], t), expected(t));
	for (const std::string &form : covered)
		covers(form);
}

/* The manual's pseudocode: the source lane, or the lane itself. */
static unsigned shuffle_source(const std::string &mode, int lane, int b, int c, bool *inside)
{
	const int segment = c >> 8, clamp = c & 31;
	const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
	int j;

	if (mode == "up")
		j = lane - b, *inside = j >= most;
	else if (mode == "down")
		j = lane + b, *inside = j <= most;
	else if (mode == "bfly")
		j = lane ^ b, *inside = j <= most;
	else
		j = least | (b & ~segment), *inside = j <= most;
	return (unsigned)(*inside ? j : lane);
}

static void check_shuffle(const std::string &mode, int b, int c)
{
	const std::string form = "shfl.sync." + mode + ".b32";
	const std::string operands = std::to_string(b) + ", " + std::to_string(c);

	check_words(form + " " + operands, { form },
		    ".reg .b32 a, e;\n.reg .pred q;\nmul.lo.u32 a, %tid, 7;\n" + form +
			    " d|q, a, " + operands +
			    ", -1;\nselp.u32 e, 1000, 0, q;\nadd.u32 d, d, e;\n",
		    LANES, [&](unsigned lane) {
			    bool inside;
			    const unsigned from = shuffle_source(mode, (int)lane, b, c, &inside);

			    return 7 * from + (inside ? 1000 : 0);
		    });
}

static void check_shuffles(void)
{
	for (const int b : { 0, 1, 5, 16, 31 })
		for (const int segment : { 0, 0x1800, 0x1c00, 0x1000 }) {
			check_shuffle("up", b, segment);
			for (const char *mode : { "down", "bfly", "idx" })
				check_shuffle(mode, b, segment | 31);
		}
}

/* Ballots of odd lanes; any and all of lanes below 8 and below 16.  Each half has its own mask. */
static void check_votes(void)
{
	const std::string head = ".reg .b32 m;\n.reg .pred p, q, h;\nand.b32 d, %tid, 1;\n"
				 "setp.ne.u32 p, d, 0;\nsetp.lt.u32 h, %tid, 16;\n"
				 "selp.b32 m, 0xffff, 0xffff0000, h;\n";

	check_words("ballot", { "vote.sync.ballot.b32" }, head + "vote.sync.ballot.b32 d, p, m;",
		    LANES, [](unsigned l) { return l < 16 ? 0xaaaau : 0xaaaa0000u; });
	check_words("ballot.sync", { "vote.ballot.sync.b32" },
		    head + "vote.ballot.sync.b32 d, !p, m;", LANES,
		    [](unsigned l) { return l < 16 ? 0x5555u : 0x55550000u; });
	for (const unsigned limit : { 8u, 16u })
		for (const std::string mode : { "any", "all" }) {
			const std::string form = "vote.sync." + mode + ".pred";

			check_words(form, { form },
				    head + "setp.lt.u32 p, %tid, " + std::to_string(limit) + ";\n" +
					    form + " q, p, m;\nselp.u32 d, 1, 0, q;",
				    LANES, [&](unsigned l) {
					    return l < 16 && (mode == "any" || limit == 16);
				    });
		}
}

/* ---- products of bit matrices -------------------------------------------------------------- */

/* Two bit matrices and their naive product. */
struct product {
	bool row[16][256], column[8][256];
	int32_t sum[16][8];
};

static void draw(struct product *p, uint32_t *seed, unsigned sparse)
{
	const auto bit = [=] {
		unsigned all = 1;

		for (unsigned n = 0; n <= sparse; n++) {
			*seed = *seed * 1664525 + 1013904223;
			all &= *seed >> 24;
		}
		return (all & 1) != 0;
	};

	for (unsigned k = 0; k < 256; k++) {
		for (auto &r : p->row)
			r[k] = bit();
		for (auto &c : p->column)
			c[k] = bit();
	}
	for (auto &r : p->sum)
		for (int32_t &sum : r)
			sum = (int32_t)(*seed = *seed * 1664525 + 1013904223) >> 8;
}

static uint32_t pack(const bool *bits)
{
	uint32_t w = 0;

	for (unsigned i = 0; i < 32; i++)
		w |= (uint32_t)bits[i] << i;
	return w;
}

/* The manual's formulas by lane: registers of A, of B and of the sums, as a buffer of 32 words per
 * register. */
static std::vector<uint8_t> fragments(const struct product &p, bool large)
{
	std::vector<uint32_t> words;
	const unsigned a = large ? 4 : 1, b = large ? 2 : 1, c = large ? 4 : 2;

	for (unsigned i = 0; i < a + b + c; i++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			const unsigned g = lane >> 2, t = lane % 4;

			if (i < a)
				words.push_back(
					pack(p.row[g + i % 2 * 8] + t * 32 + (i < 2 ? 0 : 128)));
			else if (i < a + b)
				words.push_back(pack(p.column[g] + t * 32 + (i - a) * 128));
			else
				words.push_back((uint32_t)p.sum[g + (i - a - b) / 2 * 8]
							       [t * 2 + (i - a - b) % 2]);
		}
	std::vector<uint8_t> bytes(4 * words.size());

	memcpy(bytes.data(), words.data(), bytes.size());
	return bytes;
}

static int32_t naive(const struct product &p, bool large, unsigned row, unsigned column)
{
	int32_t sum = p.sum[row][column];

	for (unsigned k = 0; k < (large ? 256u : 128u); k++)
		sum += large ? p.row[row][k] && p.column[column][k]
			     : p.row[row][k] != p.column[column][k];
	return sum;
}

/* {r3, r4} */
static std::string list(const char *name, unsigned first, unsigned count)
{
	std::string text = "{";

	for (unsigned i = 0; i < count; i++)
		text += (i ? ", " : "") + (name + std::to_string(first + i));
	return text + "}";
}

static void check_product(bool large, const struct product &p)
{
	const std::string form = large ? "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"
				       : "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc";
	const unsigned a = large ? 4 : 1, b = large ? 2 : 1, c = large ? 4 : 2;
	std::vector<std::vector<uint8_t>> buffers = { fragments(p, large),
						      std::vector<uint8_t>(4 * c * LANES) };
	std::string body = ".reg .b32 r<10>, d<4>;\n.reg .b64 %in, %to;\n"
			   "mad.wide.u32 %in, %tid, 4, %p0;\nmad.wide.u32 %to, %tid, 4, %p1;\n";

	for (unsigned i = 0; i < a + b + c; i++)
		body += "ld.global.u32 r" + std::to_string(i) + ", [%in+" +
			std::to_string(128 * i) + "];\n";
	body += form + " " + list("d", 0, c) + ", " + list("r", 0, a) + ", " + list("r", a, b) +
		", " + list("r", a + b, c) + ";\n";
	for (unsigned i = 0; i < c; i++)
		body += "st.global.u32 [%to+" + std::to_string(128 * i) + "], d" +
			std::to_string(i) + ";\n";
	const std::string error = run_kernel(kernel_text(2, body), buffers, 1, LANES);

	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	for (unsigned i = 0; i < c; i++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			const unsigned row = (lane >> 2) + i / 2 * 8, column = lane % 4 * 2 + i % 2;

			expect(word(buffers[1], i * LANES + lane) ==
				       (uint32_t)naive(p, large, row, column),
			       "%s: row %u, column %u", form.c_str(), row, column);
		}
	covers(form);
}

static void check_products(void)
{
	struct product p;
	uint32_t seed = 1;

	for (unsigned trial = 0; trial < 12; trial++) {
		draw(&p, &seed, trial % 4);
		check_product(true, p);
		check_product(false, p);
	}
}

/* ---- barriers ---------------------------------------------------------------------------- */

static void check_barriers(void)
{
	check_words("bar.sync", { "bar.sync" },
		    ".shared .align 4 .b8 room[512];\n.reg .b32 a, x;\nmov.u32 a, room;\n"
		    "mad.lo.s32 d, %tid, 4, a;\nst.shared.u32 [d], %tid;\nbar.sync 0;\n"
		    "sub.s32 x, 127, %tid;\nmad.lo.s32 d, x, 4, a;\nld.shared.u32 d, [d];",
		    128, [](unsigned t) { return 127 - t; });
	for (const unsigned limit : { 0u, 77u, 128u }) {
		const std::string head =
			".reg .pred p, q;\nsetp.lt.u32 p, %tid, " + std::to_string(limit) + ";\n";

		check_words("bar.red.popc", { "bar.red.popc.u32" },
			    head + "bar.red.popc.u32 d, 0, p;", 128,
			    [=](unsigned) { return limit; });
		check_words("bar.red.or", { "bar.red.or.pred" },
			    head + "bar.red.or.pred q, 0, p;\nselp.u32 d, 1, 0, q;", 128,
			    [=](unsigned) { return limit > 0; });
		check_words("bar.red.and", { "bar.red.and.pred" },
			    head + "bar.red.and.pred q, 0, p;\nselp.u32 d, 1, 0, q;", 128,
			    [=](unsigned) { return limit == 128; });
	}
}

/* Each block of a cluster reads its neighbour's shared memory. */
static void check_cluster(void)
{
	check_words(
		"cluster",
		{ "mapa.u64", "cvta.shared.u64", "barrier.cluster.arrive", "barrier.cluster.wait" },
		".shared .align 4 .b8 room[4];\n.reg .b32 r, n;\n.reg .b64 s, t;\n"
		"mov.u32 r, %cluster_ctarank;\nmov.u32 n, %cluster_nctarank;\n"
		"mul.lo.u32 d, r, 10;\nst.shared.u32 [room], d;\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
		"add.u32 r, r, 1;\nrem.u32 r, r, n;\nmov.u64 s, room;\ncvta.shared.u64 s, s;\n"
		"mapa.u64 t, s, r;\nld.u32 d, [t];\n"
		"barrier.cluster.arrive;\nbarrier.cluster.wait;",
		32, [](unsigned t) { return 10 * ((t / 32 % 4 + 1) % 4); }, 8, 4);
}

/* A launch that overlaps the previous one writes only after that one has ended. */
static void check_overlap(void)
{
	std::vector<std::vector<uint8_t>> buffers = { std::vector<uint8_t>(128) };
	const std::string error = run_kernel(
		kernel_text(1, "griddepcontrol.launch_dependents;\ngriddepcontrol.wait;\n"
			       ".reg .b64 %to;\nmad.wide.u32 %to, %tid, 4, %p0;\n"
			       "st.global.u32 [%to], %tid;\n"),
		buffers, 1, 32, 1, true);

	expect(error.empty() && word(buffers[0], 31) == 31, "overlap: %s", error.c_str());
	covers("griddepcontrol.launch_dependents");
	covers("griddepcontrol.wait");
}

/* ---- divergence -------------------------------------------------------------------------- */

/* Lane n runs n iterations; afterwards all lanes vote. */
static void check_loop(void)
{
	check_words("loop", { "bra", "bra.uni", "bar.warp.sync" },
		    ".reg .b32 i;\n.reg .pred p;\nmov.u32 d, 0;\nmov.u32 i, %tid;\nL0:\n"
		    "setp.eq.u32 p, i, 0;\n@p bra L1;\nadd.u32 d, d, i;\nsub.u32 i, i, 1;\n"
		    "bra.uni L0;\nL1:\nbar.warp.sync -1;\nmov.pred p, -1;\n"
		    "vote.sync.ballot.b32 i, p, -1;\npopc.b32 i, i;\nmad.lo.s32 d, i, 1000, d;",
		    LANES, [](unsigned l) { return 32000 + l * (l + 1) / 2; });
}

/* Lanes take a lock in turn: its holder must make progress while 31 other lanes spin. */
static void check_lock(const std::string &pause)
{
	check_words("lock", { "membar.cta", pause.substr(0, pause.find(' ')) },
		    ".shared .align 4 .b8 room[8];\n.reg .pred p;\nsetp.eq.u32 p, %tid, 0;\n"
		    "@p st.shared.v2.u32 [room], {0, 0};\nbar.sync 0;\nL0:\n"
		    "atom.shared.cas.b32 d, [room], 0, 1;\nsetp.eq.u32 p, d, 0;\n@p bra L1;\n" +
			    pause +
			    ";\nbra.uni L0;\nL1:\nld.shared.u32 d, [room+4];\nadd.u32 d, d, 1;\n"
			    "st.shared.u32 [room+4], d;\nmembar.cta;\n"
			    "atom.shared.exch.b32 d, [room], 0;\n"
			    "bar.warp.sync -1;\nbar.sync 0;\nld.shared.u32 d, [room+4];",
		    64, [](unsigned) { return 64; });
}

/* Two halves of a warp meet at different bar.warp.sync instructions. */
static void check_two_places(void)
{
	check_words("two places", {},
		    ".shared .align 4 .b8 room[8];\n.reg .pred p;\nsetp.lt.u32 p, %tid, 16;\n"
		    "@p bra L0;\nst.shared.u32 [room], 5;\nbar.warp.sync -1;\n"
		    "ld.shared.u32 d, [room+4];\nbra.uni L1;\nL0:\nst.shared.u32 [room+4], 6;\n"
		    "bar.warp.sync -1;\nld.shared.u32 d, [room];\nL1:",
		    LANES, [](unsigned l) { return l < 16 ? 5 : 6; });
}

/* Special registers of two blocks of 64 threads; exit in the middle. */
static void check_numbers(void)
{
	static const struct {
		const char *name;
		uint32_t (*value)(unsigned thread);
	} numbers[] = {
		{ "%laneid", [](unsigned t) { return t % 32; } },
		{ "%ntid.x", [](unsigned) { return 64u; } },
		{ "%tid.y", [](unsigned) { return 0u; } },
		{ "%tid.z", [](unsigned) { return 0u; } },
		{ "%ctaid.x", [](unsigned t) { return t / 64; } },
		{ "%nctaid.x", [](unsigned) { return 2u; } },
		{ "%lanemask_ge", [](unsigned t) { return ~0u << t % 32; } },
		{ "%lanemask_le", [](unsigned t) { return ~0u >> (31 - t % 32); } },
		{ "%lanemask_lt", [](unsigned t) { return (1u << t % 32) - 1; } },
	};

	for (const auto &n : numbers)
		check_words(n.name, {}, std::string("mov.u32 d, ") + n.name + ";", 64, n.value, 2);
	check_words("exit", { "exit", "ret" },
		    ".reg .pred p;\nmov.u32 d, 3;\nsetp.gt.u32 p, %tid, 40;\n@p exit;", 64,
		    [](unsigned t) { return t > 40 ? 0 : 3; });
	check_words("fences", { "membar.gl", "fence.acq_rel.gpu" },
		    "membar.gl;\nfence.acq_rel.gpu;\nmov.u32 d, 1;", LANES,
		    [](unsigned) { return 1; });
}

void test_warps(void)
{
	check_shuffles();
	check_votes();
	check_products();
	check_barriers();
	check_cluster();
	check_overlap();
	check_loop();
	check_lock("bra.uni L0");
	check_lock("nanosleep.u32 100");
	check_two_places();
	check_numbers();
}
