/* decode_memory.cc -- loads, stores, atomics, fences; operations of warps, barriers. */
#include "tests/ptx/machine.h"

static enum space take_space(struct statement &s)
{
	return s.take("global")                            ? GLOBAL
	       : s.take("shared") || s.take("shared::cta") ? SHARED
	       : s.take("local")                           ? LOCAL
	       : s.take("param")                           ? PARAM
	       : s.take("const")                           ? CONSTANT_SPACE
							   : GENERIC;
}

/* .relaxed and the stronger ones have a scope; without one atomics are relaxed, of the GPU. */
static void take_order(struct statement &s, enum memory_order otherwise)
{
	struct instruction &i = s.i;

	i.order = s.take("relaxed")    ? RELAXED
		  : s.take("acquire")  ? ACQUIRE
		  : s.take("release")  ? RELEASE
		  : s.take("acq_rel")  ? ACQ_REL
		  : s.take("volatile") ? VOLATILE
		  : s.take("weak")     ? WEAK_ORDER
				       : otherwise;
	i.scope = s.take("cta")       ? SCOPE_CTA
		  : s.take("cluster") ? SCOPE_CLUSTER
		  : s.take("sys")     ? SCOPE_SYS
		  : s.take("gpu")     ? SCOPE_GPU
				      : SCOPE_GPU;
}

static unsigned take_width(struct statement &s)
{
	return s.take("v2") ? 2 : s.take("v4") ? 4 : 1;
}

static enum instruction_class class_of(enum space space, enum instruction_class global,
				       enum instruction_class shared)
{
	return space == SHARED  ? shared
	       : space == LOCAL ? LOCAL_MEMORY
	       : space == PARAM ? PARAMETER
				: global;
}

/* All elements of a vector must be of one width: the handler knows only one. */
static unsigned one_width(const struct statement &s, const struct operand *o, unsigned count)
{
	for (unsigned n = 1; n < count; n++)
		if (o[n].bytes != o[0].bytes)
			s.fail("registers of several widths in one vector");
	return o[0].bytes;
}

static void load(struct statement &s)
{
	take_order(s, WEAK_ORDER);
	s.i.space = take_space(s);
	(void)s.take("nc");
	s.i.width = (uint8_t)take_width(s);
	const enum type type = s.take_type();

	s.i.bytes = (uint8_t)type_bytes(type);
	s.i.kind = class_of(s.i.space, LOAD_GLOBAL, LOAD_SHARED);
	s.outs_vector(s.i.width, s.i.bytes);
	s.comma();
	s.address(s.i.space);
	s.i.run = load_handler(type, s.i.space, one_width(s, s.i.out, s.i.width));
}

static void store(struct statement &s)
{
	take_order(s, WEAK_ORDER);
	s.i.space = take_space(s);
	s.i.width = (uint8_t)take_width(s);
	const enum type type = s.take_type();

	s.i.bytes = (uint8_t)type_bytes(type);
	s.i.kind = class_of(s.i.space, STORE_GLOBAL, STORE_SHARED);
	s.address(s.i.space);
	s.comma();
	s.ins_vector(s.i.width, s.i.bytes);
	if (s.i.space != PARAM && s.i.space != CONSTANT_SPACE)
		s.i.run = store_handler(type, one_width(s, s.i.in + 1, s.i.width));
}

/* atom.global.add.u32 d, [a], b; atom.acq_rel.gpu.cas.b32 d, [a], b, c; red has no d */
static void update(struct statement &s, bool result)
{
	static const char *const operations[] = { "add", "min", "max",  "and",
						  "or",  "xor", "exch", "cas" };
	std::string_view operation;

	take_order(s, RELAXED);
	s.i.space = take_space(s);
	for (const char *o : operations)
		if (s.take(o))
			operation = o;
	const enum type type = s.take_type();

	s.i.bytes = (uint8_t)type_bytes(type);
	s.i.kind = class_of(s.i.space, ATOMIC_GLOBAL, ATOMIC_SHARED);
	if (result) {
		s.out(s.i.bytes);
		s.comma();
	}
	s.address(s.i.space);
	for (int n = 0; n < (operation == "cas" ? 2 : 1); n++) {
		s.comma();
		s.in(s.i.bytes);
	}
	if (s.i.space == GENERIC || s.i.space == GLOBAL || s.i.space == SHARED)
		s.i.run = atomic_handler(type, operation);
}

/* prefetch.global.L2 [a]: an instruction that does nothing here. */
static void prefetch(struct statement &s)
{
	s.i.space = take_space(s);
	s.i.kind = LOAD_GLOBAL;
	s.address(s.i.space);
	s.i.run = s.take("L2") ? nothing_handler() : nullptr;
}

/* cp.async.cg.shared.global [to], [from], 16; cp.async.commit_group; cp.async.wait_group 1 */
static void copy(struct statement &s)
{
	if (s.opcode == "cp.async.cg.shared.global") {
		s.i.kind = LOAD_GLOBAL;
		s.i.space = SHARED;
		s.i.bytes = s.i.width = 4;
		s.address(SHARED);
		s.i.detail = (uint8_t)s.i.offset;
		if (s.i.offset != s.i.detail)
			s.fail("a shared address that is not a register");
		s.comma();
		s.address(GLOBAL);
		s.comma();
		s.i.run = s.immediate() == 16 ? copy_handler() : nullptr;
	} else if (s.opcode == "cp.async.commit_group" || s.opcode == "cp.async.wait_group") {
		const bool wait = s.opcode == "cp.async.wait_group";

		s.i.kind = SYNCHRONISATION;
		s.i.detail = wait ? (uint8_t)s.immediate() : 0;
		s.i.run = copy_group_handler(wait);
	} else {
		s.fail("unknown opcode " + std::string(s.opcode));
	}
	s.words.clear();
}

/* membar is fence.sc since sm_70; a fence that does not say more is one of acquire and release. */
static void fence(struct statement &s, bool membar)
{
	s.i.kind = FENCE;
	s.i.order = ACQ_REL;
	s.i.detail = membar || s.take("sc") ? FENCE_SC : FENCE_ACQ_REL;
	if (!s.i.detail)
		(void)s.take("acq_rel");
	s.i.scope = s.take("cta")                   ? SCOPE_CTA
		    : s.take("cluster")             ? SCOPE_CLUSTER
		    : s.take("gl") || s.take("gpu") ? SCOPE_GPU
		    : s.take("sys")                 ? SCOPE_SYS
						    : SCOPE_CTA;
	s.i.run = fence_handler();
}

bool decode_memory(struct statement &s)
{
	const std::string_view family = s.words[0];

	s.words.erase(s.words.begin());
	if (family == "ld")
		load(s);
	else if (family == "st")
		store(s);
	else if (family == "atom" || family == "red")
		update(s, family == "atom");
	else if (family == "prefetch")
		prefetch(s);
	else if (family == "cp")
		copy(s);
	else if (family == "membar" || family == "fence")
		fence(s, family == "membar");
	else
		return s.words.insert(s.words.begin(), family), false;
	return true;
}

/* ---- warps ------------------------------------------------------------------------------- */

/* shfl.sync.up.b32 d|p, a, b, c, members */
static void shuffle(struct statement &s)
{
	for (const char *mode : { "up", "down", "bfly", "idx" })
		if (s.take(mode))
			s.i.run = shuffle_handler(mode);
	if (s.take_type() != B32)
		s.i.run = nullptr;
	s.out(4);
	if (s.next_is("|")) {
		(void)s.word();
		s.out(0);
	}
	for (int n = 0; n < 4; n++) {
		s.comma();
		s.in(4);
	}
}

/* vote.sync.ballot.b32 d, p, members; of any, all and uni d is a predicate */
static void vote(struct statement &s)
{
	bool bits = false;

	for (const char *mode : { "ballot", "any", "all", "uni" })
		if (s.take(mode)) {
			s.i.run = vote_handler(mode);
			bits = mode[0] == 'b';
		}
	if (s.take_type() != (bits ? B32 : PRED))
		s.i.run = nullptr;
	s.out(bits ? 4 : 0);
	s.comma();
	s.in(0);
	s.comma();
	s.in(4);
}

static void match(struct statement &s)
{
	const bool any = s.take("any");
	const enum type type = s.take_type();

	s.i.run = any ? match_handler(type) : nullptr;
	s.out(4);
	s.comma();
	s.in(type_bytes(type));
	s.comma();
	s.in(4);
}

static void reduce(struct statement &s)
{
	const std::string_view operation = s.words.front();

	s.words.erase(s.words.begin());
	s.i.run = reduce_handler(s.take_type(), operation);
	s.out(4);
	s.comma();
	s.in(4);
	s.comma();
	s.in(4);
}

/* mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {4}, {4}, {2}, {4}, and with m8n8k128 and
 * xor {2}, {1}, {1}, {2}.  All lanes come. */
static void multiply(struct statement &s)
{
	const bool large = s.opcode == "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc";
	const bool small = s.opcode == "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc";
	const unsigned counts[] = { large ? 4u : 1u, large ? 2u : 1u, large ? 4u : 2u };

	s.i.run = large || small ? mma_handler(large) : nullptr;
	s.outs_vector(counts[2], 4);
	for (const unsigned count : counts) {
		s.comma();
		s.ins_vector(count, 4);
	}
	s.in_constant(~0u);
	s.words.clear();
}

/* bar.warp.sync members */
static void warp_barrier(struct statement &s)
{
	s.i.run = s.take("sync") ? nothing_handler() : nullptr;
	s.i.action = MEET_ANY;
	s.i.kind = WARP_OPERATION;
	s.in(4);
}

enum { BARRIER_SYNC, BARRIER_COUNT, BARRIER_OR, BARRIER_AND };

/* bar.sync id, threads; bar.red.popc.u32 d, id, p; bar.red.or.pred d, id, p */
static void block_barrier(struct statement &s)
{
	s.i.run = nothing_handler();
	s.i.action = BARRIER;
	s.i.kind = SYNCHRONISATION;
	if (s.take("red")) {
		s.i.detail = s.take("popc")  ? BARRIER_COUNT
			     : s.take("or")  ? BARRIER_OR
			     : s.take("and") ? BARRIER_AND
					     : BARRIER_SYNC;
		if (s.take_type() != (s.i.detail == BARRIER_COUNT ? U32 : PRED) || !s.i.detail)
			s.i.run = nullptr;
		s.out(s.i.detail == BARRIER_COUNT ? 4 : 0);
		s.comma();
	} else if (!s.take("sync")) {
		s.i.run = nullptr;
	}
	s.in(4);
	if (s.i.detail) {
		s.comma();
		s.in(0);
	} else if (s.next_is(",")) {
		s.comma();
		s.in(4);
	}
}

/* barrier.cluster.arrive.release; barrier.cluster.wait.acquire */
static void cluster_barrier(struct statement &s)
{
	const bool arrive = s.take("arrive"), wait = s.take("wait");

	(void)s.take(arrive ? "release" : "acquire");
	s.i.run = s.take("cluster") && arrive != wait ? nothing_handler() : nullptr;
	s.i.action = arrive ? CLUSTER_ARRIVE : CLUSTER_WAIT;
	s.i.kind = SYNCHRONISATION;
}

/* griddepcontrol.wait; .launch_dependents, which is nothing where launches follow each other */
static void launch_control(struct statement &s)
{
	s.i.run = s.take("wait")                ? launch_wait_handler()
		  : s.take("launch_dependents") ? nothing_handler()
						: nullptr;
	s.i.kind = SYNCHRONISATION;
}

bool decode_warp(struct statement &s)
{
	static const struct {
		const char *family;
		void (*decode)(struct statement &s);
	} families[] = {
		{ "shfl", shuffle }, { "vote", vote },    { "match", match },
		{ "redux", reduce }, { "mma", multiply },
	};
	const std::string_view family = s.words[0];

	s.words.erase(s.words.begin());
	for (const auto &f : families)
		if (family == f.family) {
			if (!s.take("sync"))
				s.fail("only the .sync form is known");
			f.decode(s);
			s.i.action = MEET;
			s.i.kind = WARP_OPERATION;
			return true;
		}
	if (family == "bar" && s.take("warp"))
		warp_barrier(s);
	else if (family == "bar")
		block_barrier(s);
	else if (family == "barrier")
		cluster_barrier(s);
	else if (family == "griddepcontrol")
		launch_control(s);
	else
		return false;
	return true;
}
