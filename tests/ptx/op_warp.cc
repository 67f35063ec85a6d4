/* op_warp.cc -- shuffles, votes, barriers and other instructions of the scheduler.
 *
 * Warp operations run when all lanes of the mask, the last operand, have reached the instruction
 * (warp.cc).  Lanes of several masks may arrive together; each uses those of its own mask.
 */
#include <string.h>

#include "tests/ptx/form.h"

enum shuffle_mode { UP, DOWN, BUTTERFLY, INDEX };

/* The lane that lane l reads and whether it is in range, as in the table of the PTX manual. */
template <enum shuffle_mode mode>
static inline bool shuffle_source(unsigned l, uint32_t b, uint32_t c, unsigned *from)
{
	const unsigned segment = c >> 8 & 31, clamp = c & 31, by = b & 31;
	const unsigned most = (l & segment) | (clamp & ~segment), least = l & segment;
	const int j = mode == UP          ? (int)l - (int)by
		      : mode == DOWN      ? (int)(l + by)
		      : mode == BUTTERFLY ? (int)(l ^ by)
					  : (int)(least | (by & ~segment));
	const bool inside = mode == UP ? j >= (int)most : j <= (int)most;

	*from = inside ? (unsigned)j : l;
	return inside;
}

template <enum shuffle_mode mode>
static void shuffle(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t *const a = lanes<uint32_t>(w, i.in[0]), *const b =
								       lanes<uint32_t>(w, i.in[1]);
	const uint32_t *const c = lanes<uint32_t>(w, i.in[2]);
	const uint32_t *const members = lanes<uint32_t>(w, i.in[3]);
	uint32_t result[LANES], inside = 0;

	each_active(mask, [&](unsigned l) {
		unsigned from;

		if (shuffle_source<mode>(l, b[l], c[l], &from))
			inside |= 1u << l;
		if (runtime_options.strict && !(members[l] & mask & 1u << from))
			fault(w, i, l, "it reads lane %u, which is not there (mask %08x)", from,
			      members[l]);
		result[l] = a[from];
	});
	each(mask, lanes<uint32_t>(w, i.out[0]), [&](unsigned l) { return result[l]; });
	if (i.outs > 1)
		set_predicate(w, i.out[1], inside, mask);
}

static void ballot(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t p = predicate(w, i.in[0]) & mask;
	const uint32_t *const members = lanes<uint32_t>(w, i.in[1]);

	each(mask, lanes<uint32_t>(w, i.out[0]), [=](unsigned l) { return p & members[l]; });
}

template <bool all> static void vote(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint32_t p = predicate(w, i.in[0]);
	const uint32_t *const members = lanes<uint32_t>(w, i.in[1]);
	uint32_t result = 0;

	each_active(mask, [&](unsigned l) {
		const uint32_t there = members[l] & mask, yes = p & there;

		if (all ? yes == there : yes != 0)
			result |= 1u << l;
	});
	set_predicate(w, i.out[0], result, mask);
}

/* Multiply bit matrices, M x K by K x 8: for each row and column add to c the number of bits that
 * both have, or that differ.  The manual shows the fragments: eight rows or columns with four lanes
 * each, 32 bits per register; further rows come first, then further bits. */
template <unsigned M, unsigned K, bool AND>
static void multiply(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const struct operand *const a = i.in, *const b = a + M * K / 1024, *const c = b + K / 128;
	int32_t result[M / 4][LANES];

	if (mask != ~0u)
		fault(w, i, (unsigned)__builtin_ctz(mask), "it takes a whole warp (mask %08x)",
		      mask);
	for (unsigned row = 0; row < M; row++)
		for (unsigned column = 0; column < 8; column++) {
			const unsigned to = row % 8 * 4 + column / 2,
				       number = row / 8 * 2 + column % 2;
			int32_t sum = lanes<int32_t>(w, c[number])[to];

			for (unsigned k = 0; k < K / 32; k++) {
				const uint32_t x = lanes<uint32_t>(
					w, a[row / 8 + k / 4 * (M / 8)])[row % 8 * 4 + k % 4];
				const uint32_t y = lanes<uint32_t>(w, b[k / 4])[column * 4 + k % 4];

				sum += __builtin_popcount(AND ? x & y : x ^ y);
			}
			result[number][to] = sum;
		}
	for (unsigned number = 0; number < M / 4; number++)
		memcpy(lanes<int32_t>(w, i.out[number]), result[number], sizeof result[number]);
}

/* Branches and barriers are executed by the scheduler alone. */
void run_nothing(struct warp &, const struct instruction &, uint32_t)
{
}

/* griddepcontrol.wait: launches do not overlap here, so the previous one has ended. */
static void wait_for_launch(struct warp &w, const struct instruction &, uint32_t mask)
{
	w.begun |= mask;
}

/* ---- forms ------------------------------------------------------------------------------- */

static void put_meeting(form_table &t, const char *name, const char *operands, handler run)
{
	t[name] = { operands, { .run = run, .action = MEET, .kind = WARP_OPERATION } };
}

static void put_control(form_table &t, const char *name, const char *operands, enum action action,
			enum instruction_class kind, uint8_t detail = 0)
{
	t[name] = { operands,
		    { .run = run_nothing, .action = action, .kind = kind, .detail = detail } };
}

void add_warps(form_table &t)
{
	put_meeting(t, "shfl.sync.up.b32", "4|=4444", shuffle<UP>);
	put_meeting(t, "shfl.sync.down.b32", "4|=4444", shuffle<DOWN>);
	put_meeting(t, "shfl.sync.bfly.b32", "4|=4444", shuffle<BUTTERFLY>);
	put_meeting(t, "shfl.sync.idx.b32", "4|=4444", shuffle<INDEX>);
	put_meeting(t, "vote.sync.ballot.b32", "4=04", ballot);
	put_meeting(t, "vote.ballot.sync.b32", "4=04", ballot);
	put_meeting(t, "vote.sync.any.pred", "0=04", vote<false>);
	put_meeting(t, "vote.sync.all.pred", "0=04", vote<true>);
	/* Takes all lanes. */
	put_meeting(t, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc",
		    "{4444}={4444}{44}{4444}*", multiply<16, 256, true>);
	put_meeting(t, "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
		    "{44}={4}{4}{44}*", multiply<8, 128, false>);
	put_control(t, "bar.warp.sync", "=4", MEET_ANY, WARP_OPERATION);
	put_control(t, "bar.sync", "=4?4", BARRIER, SYNCHRONISATION, BARRIER_SYNC);
	put_control(t, "bar.red.popc.u32", "4=40", BARRIER, SYNCHRONISATION, BARRIER_COUNT);
	put_control(t, "bar.red.or.pred", "0=40", BARRIER, SYNCHRONISATION, BARRIER_OR);
	put_control(t, "bar.red.and.pred", "0=40", BARRIER, SYNCHRONISATION, BARRIER_AND);
	put_control(t, "barrier.cluster.arrive", "", CLUSTER_ARRIVE, SYNCHRONISATION);
	put_control(t, "barrier.cluster.wait", "", CLUSTER_WAIT, SYNCHRONISATION);
	/* No effect: launches do not overlap. */
	put_control(t, "griddepcontrol.launch_dependents", "", PLAIN, SYNCHRONISATION);
	t["griddepcontrol.wait"] = { "", { .run = wait_for_launch, .kind = SYNCHRONISATION } };
	put_control(t, "bra", "=L", BRANCH, CONTROL);
	put_control(t, "bra.uni", "=L", BRANCH, CONTROL);
	put_control(t, "ret", "", EXIT, CONTROL);
	put_control(t, "exit", "", EXIT, CONTROL);
	put_control(t, "trap", "", TRAP, CONTROL);
	put_control(t, "nanosleep.u32", "=4", PAUSE, CONTROL);
}
