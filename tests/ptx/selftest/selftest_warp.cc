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

static const char store_d[] = ".reg .b64 %to;\nmad.wide.u32 %to, %tid, 4, %p0;\n"
			      "st.global.u32 [%to], d;\n";

/* One word from each of the threads of a block. */
static std::vector<uint8_t> words_of(const char *what, const std::string &body, unsigned threads,
				     unsigned blocks = 1, unsigned cluster = 1)
{
	std::vector<std::vector<uint8_t>> buffers = { std::vector<uint8_t>(4 * threads * blocks) };
	const std::string error =
		run_kernel(kernel_text(1, body), buffers, blocks, threads, cluster);

	expect(error.empty(), "%s: %s", what, error.c_str());
	return buffers[0];
}

/* The manual's pseudo code: the lane that is read, or the lane itself. */
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
	const auto got =
		words_of(form.c_str(),
			 ".reg .b32 a, d, e;\n.reg .pred q;\nmul.lo.u32 a, %tid, 7;\n" + form +
				 " d|q, a, " + std::to_string(b) + ", " + std::to_string(c) +
				 ", -1;\nselp.u32 e, 1000, 0, q;\nadd.u32 d, d, e;\n" + store_d,
			 LANES);

	covers(form);
	for (int l = 0; l < LANES; l++) {
		bool inside;
		const unsigned from = shuffle_source(mode, l, b, c, &inside);

		expect(word(got, (size_t)l) == 7 * from + (inside ? 1000 : 0),
		       "%s b %d c %#x lane %d: %u", form.c_str(), b, c, l, word(got, (size_t)l));
	}
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

/* Odd lanes and the lanes below 20 say yes; two halves vote by themselves. */
static void check_votes(void)
{
	static const char head[] =
		".reg .b32 d, m;\n.reg .pred p, q, h;\nand.b32 d, %tid, 1;\nsetp.ne.u32 p, d, 0;\n"
		"setp.lt.u32 h, %tid, 16;\nselp.b32 m, 0xffff, 0xffff0000, h;\n";
	auto got = words_of("ballot",
			    std::string(head) + "vote.sync.ballot.b32 d, p, m;\n" + store_d, LANES);

	for (unsigned l = 0; l < LANES; l++)
		expect(word(got, l) == (l < 16 ? 0xaaaau : 0xaaaa0000u), "ballot: %#x",
		       word(got, l));
	covers("vote.sync.ballot.b32");
	got = words_of("ballot.sync",
		       std::string(head) + "vote.ballot.sync.b32 d, !p, m;\n" + store_d, LANES);
	for (unsigned l = 0; l < LANES; l++)
		expect(word(got, l) == (l < 16 ? 0x5555u : 0x55550000u), "ballot: %#x",
		       word(got, l));
	covers("vote.ballot.sync.b32");
	for (const std::string mode : { "any", "all", "uni" }) {
		const std::string form = "vote.sync." + mode + ".pred";

		got = words_of(form.c_str(),
			       std::string(head) + "setp.lt.and.u32 p, %tid, 8, h;\n" + form +
				       " q, p, m;\nselp.u32 d, 1, 0, q;\n" + store_d,
			       LANES);
		for (unsigned l = 0; l < LANES; l++)
			expect(word(got, l) == (mode == "any"   ? l < 16
						: mode == "all" ? 0
								: l >= 16),
			       "%s: lane %u", form.c_str(), l);
		covers(form);
	}
}

/* ---- products of bit matrices -------------------------------------------------------------- */

/* Two matrices by bits, and their product the naive way. */
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

/* The manual's formulas, by lane: registers of A, of B and of the sums, to or from a buffer of 32
 * words for each. */
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

static std::string list(const char *name, unsigned count)
{
	std::string text = "{";

	for (unsigned i = 0; i < count; i++)
		text += (i ? ", " : "") + (name + std::to_string(i));
	return text + "}";
}

/* exchanged: with two registers exchanged, or the matrices; then something must be wrong. */
static void check_product(bool large, const struct product &p, bool exchanged)
{
	const std::string form = large ? "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"
				       : "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc";
	const unsigned a = large ? 4 : 1, b = large ? 2 : 1, c = large ? 4 : 2;
	std::vector<std::vector<uint8_t>> buffers = { fragments(p, large),
						      std::vector<uint8_t>(4 * c * LANES) };
	std::string body = ".reg .b32 a<4>, b<2>, c<4>, d<4>;\n.reg .b64 %in, %to;\n"
			   "mad.wide.u32 %in, %tid, 4, %p0;\nmad.wide.u32 %to, %tid, 4, %p1;\n";

	for (unsigned i = 0; i < a + b + c; i++)
		body += "ld.global.u32 " +
			(i < a       ? "a" + std::to_string(i)
			 : i < a + b ? "b" + std::to_string(i - a)
				     : "c" + std::to_string(i - a - b)) +
			", [%in+" + std::to_string(128 * i) + "];\n";
	const std::string first = exchanged ? (large ? "{a0, a2, a1, a3}" : "{b0}") : list("a", a);
	const std::string second = exchanged && !large ? "{a0}" : list("b", b);
	unsigned wrong = 0;

	body += form + " " + list("d", c) + ", " + first + ", " + second + ", " + list("c", c) +
		";\n";
	for (unsigned i = 0; i < c; i++)
		body += "st.global.u32 [%to+" + std::to_string(128 * i) + "], d" +
			std::to_string(i) + ";\n";
	const std::string error = run_kernel(kernel_text(2, body), buffers, 1, LANES);

	expect(error.empty(), "%s: %s", form.c_str(), error.c_str());
	for (unsigned i = 0; i < c; i++)
		for (unsigned lane = 0; lane < LANES; lane++) {
			const unsigned row = (lane >> 2) + i / 2 * 8, column = lane % 4 * 2 + i % 2;
			const uint32_t got = word(buffers[1], i * LANES + lane);

			wrong += got != (uint32_t)naive(p, large, row, column);
		}
	expect(exchanged ? wrong > 0 : wrong == 0, "%s: %u of %u numbers are wrong%s", form.c_str(),
	       wrong, c * LANES, exchanged ? " with registers exchanged" : "");
	covers(form);
}

static void check_products(void)
{
	struct product p;
	uint32_t seed = 1;

	for (unsigned trial = 0; trial < 12; trial++) {
		draw(&p, &seed, trial % 4);
		for (const bool exchanged : { false, true }) {
			check_product(true, p, exchanged);
			check_product(false, p, exchanged);
		}
	}
}

/* ---- barriers ---------------------------------------------------------------------------- */

static void check_barriers(void)
{
	static const char turn[] =
		".shared .align 4 .b8 room[512];\n.reg .b32 a, d, x;\nmov.u32 a, room;\n"
		"mad.lo.s32 d, %tid, 4, a;\nst.shared.u32 [d], %tid;\nbar.sync 0;\n"
		"sub.s32 x, 127, %tid;\nmad.lo.s32 d, x, 4, a;\nld.shared.u32 d, [d];\n";
	auto got = words_of("bar.sync", std::string(turn) + store_d, 128);

	for (unsigned t = 0; t < 128; t++)
		expect(word(got, t) == 127 - t, "bar.sync: thread %u has %u", t, word(got, t));
	covers("bar.sync");
	got = words_of("bar.red.popc",
		       std::string(".reg .b32 d;\n.reg .pred p;\nsetp.lt.u32 p, %tid, 77;\n"
				   "bar.red.popc.u32 d, 0, p;\n") +
			       store_d,
		       128);
	for (unsigned t = 0; t < 128; t++)
		expect(word(got, t) == 77, "bar.red.popc: %u", word(got, t));
	covers("bar.red.popc.u32");
	for (const unsigned limit : { 0u, 1u, 128u })
		for (const std::string mode : { "or", "and" }) {
			const std::string form = "bar.red." + mode + ".pred";

			got = words_of(form.c_str(),
				       ".reg .b32 d;\n.reg .pred p, q;\nsetp.lt.u32 p, %tid, " +
					       std::to_string(limit) + ";\n" + form +
					       " q, 0, p;\nselp.u32 d, 1, 0, q;\n" + store_d,
				       128);
			expect(word(got, 99) == (mode == "or" ? limit > 0 : limit == 128), "%s %u",
			       form.c_str(), limit);
			covers(form);
		}
}

/* Each block of a cluster reads its neighbour's shared memory. */
static void check_cluster(void)
{
	const auto got = words_of(
		"cluster",
		".shared .align 4 .b8 room[4];\n.reg .b32 d, r, n, i;\n.reg .b64 s, t, %to;\n"
		"mov.u32 r, %cluster_ctarank;\nmov.u32 n, %cluster_nctarank;\n"
		"mul.lo.u32 d, r, 10;\nst.shared.u32 [room], d;\n"
		"barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n"
		"add.u32 r, r, 1;\nrem.u32 r, r, n;\nmov.u64 s, room;\ncvta.shared.u64 s, s;\n"
		"mapa.u64 t, s, r;\nld.u32 d, [t];\n"
		"barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n"
		"mov.u32 i, %ctaid.x;\nmad.lo.s32 i, i, 32, %tid;\n"
		"mad.wide.u32 %to, i, 4, %p0;\nst.global.u32 [%to], d;\n",
		32, 8, 4);

	for (unsigned b = 0; b < 8; b++)
		expect(word(got, 32 * b) == 10 * ((b % 4 + 1) % 4), "cluster: block %u has %u", b,
		       word(got, 32 * b));
	for (const char *form : { "mapa.u64", "cvta.shared.u64", "barrier.cluster.arrive.release",
				  "barrier.cluster.wait.acquire" })
		covers(form);
}

/* A launch that overlaps the one before it writes when that one has ended. */
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

/* Lane n goes n times round a loop; afterwards all lanes vote together. */
static void check_loop(void)
{
	const auto got = words_of(
		"loop",
		".reg .b32 d, i;\n.reg .pred p;\nmov.u32 d, 0;\nmov.u32 i, %tid;\nL0:\n"
		"setp.eq.u32 p, i, 0;\n@p bra L1;\nadd.u32 d, d, i;\nsub.u32 i, i, 1;\n"
		"bra.uni L0;\nL1:\nbar.warp.sync -1;\nmov.pred p, -1;\n"
		"vote.sync.ballot.b32 i, p, -1;\npopc.b32 i, i;\nmad.lo.s32 d, i, 1000, d;\n" +
			std::string(store_d),
		LANES);

	for (unsigned l = 0; l < LANES; l++)
		expect(word(got, l) == 32000 + l * (l + 1) / 2, "loop: lane %u has %u", l,
		       word(got, l));
	for (const char *form : { "bra", "bra.uni", "bar.warp.sync" })
		covers(form);
}

/* Lanes take a lock in turn: whoever has it must get on while 31 others spin. */
static void check_lock(const char *pause)
{
	const auto got = words_of(
		"lock",
		".shared .align 4 .b8 room[8];\n.reg .b32 d;\n.reg .pred p;\n"
		"setp.eq.u32 p, %tid, 0;\n@p st.shared.v2.u32 [room], {0, 0};\nbar.sync 0;\nL0:\n"
		"atom.shared.cas.b32 d, [room], 0, 1;\nsetp.eq.u32 p, d, 0;\n@p bra L1;\n" +
			std::string(pause) +
			"bra.uni L0;\nL1:\nld.shared.u32 d, [room+4];\nadd.u32 d, d, 1;\n"
			"st.shared.u32 [room+4], d;\nmembar.cta;\natom.shared.exch.b32 d, [room], "
			"0;\n"
			"bar.warp.sync -1;\nbar.sync 0;\nld.shared.u32 d, [room+4];\n" +
			store_d,
		64);

	expect(word(got, 0) == 64, "lock: %u of 64 came through", word(got, 0));
	covers("membar.cta");
	if (*pause)
		covers("nanosleep.u32");
}

/* Two halves of a warp meet at bar.warp.sync of different places. */
static void check_two_places(void)
{
	const auto got = words_of(
		"two places",
		".shared .align 4 .b8 room[8];\n.reg .b32 d;\n.reg .pred p;\n"
		"setp.lt.u32 p, %tid, 16;\n@p bra L0;\nst.shared.u32 [room], 5;\n"
		"bar.warp.sync -1;\nld.shared.u32 d, [room+4];\nbra.uni L1;\nL0:\n"
		"st.shared.u32 [room+4], 6;\nbar.warp.sync -1;\nld.shared.u32 d, [room];\nL1:\n" +
			std::string(store_d),
		LANES);

	expect(word(got, 0) == 5 && word(got, 31) == 6, "two places: %u, %u", word(got, 0),
	       word(got, 31));
}

/* Thread x, y, z of a block and its block's number; exit in the middle. */
static void check_numbers(void)
{
	static const struct {
		const char *name;
		uint32_t (*value)(unsigned thread);
	} numbers[] = {
		{ "%laneid", [](unsigned t) { return t % 32; } },
		{ "%warpid", [](unsigned t) { return t / 32; } },
		{ "%ntid.x", [](unsigned) { return 64u; } },
		{ "%ntid.y", [](unsigned) { return 1u; } },
		{ "%tid.y", [](unsigned) { return 0u; } },
		{ "%tid.z", [](unsigned) { return 0u; } },
		{ "%ctaid.x", [](unsigned) { return 0u; } },
		{ "%nctaid.x", [](unsigned) { return 1u; } },
		{ "%lanemask_eq", [](unsigned t) { return 1u << t % 32; } },
		{ "%lanemask_lt", [](unsigned t) { return ~(~0u << t % 32); } },
		{ "%lanemask_le", [](unsigned t) { return ~0u >> (31 - t % 32); } },
		{ "%lanemask_ge", [](unsigned t) { return ~0u << t % 32; } },
		{ "%lanemask_gt", [](unsigned t) { return ~(~0u >> (31 - t % 32)); } },
	};

	for (const auto &n : numbers) {
		const auto got = words_of(
			n.name, std::string(".reg .b32 d;\nmov.u32 d, ") + n.name + ";\n" + store_d,
			64);

		for (unsigned t = 0; t < 64; t++)
			expect(word(got, t) == n.value(t), "%s of thread %u: %#x", n.name, t,
			       word(got, t));
	}
	const auto got = words_of("exit",
				  ".reg .b32 d;\n.reg .pred p;\nmov.u32 d, 3;\n"
				  "setp.gt.u32 p, %tid, 40;\n@p exit;\n" +
					  std::string(store_d),
				  64);

	expect(word(got, 40) == 3 && word(got, 41) == 0, "exit: %u, %u", word(got, 40),
	       word(got, 41));
	covers("exit");
	covers("ret");
	(void)words_of("membar.gl", "membar.gl;\n", LANES);
	covers("membar.gl");
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
	check_lock("");
	check_lock("nanosleep.u32 100;\n");
	check_two_places();
	check_numbers();
}
