/* warp.cc -- warp operations.
 *
 * A lane leaves its request in its warp.  The last lane of the mask to come computes the results of
 * all and wakes them.  CUDA orders memory only at __syncwarp(), so the checkers do not take the
 * other operations as synchronisation.
 *
 * Errors are: a mask without the caller, a mask with lanes that have returned, two lanes of a mask
 * at different operations or with different masks, and a shuffle that reads a lane outside the
 * mask.
 */
#include "tests/simt/engine.h"

static inline unsigned lowest(unsigned set)
{
	return (unsigned)__builtin_ctz(set);
}

/* Give the same result to all lanes of a set. */
static void give(struct warp *w, unsigned lanes, uint64_t result)
{
	for (; lanes; lanes &= lanes - 1)
		w->result[lowest(lanes)] = result;
}

static void shuffle(struct warp *w, unsigned mask)
{
	for (unsigned left = mask; left; left &= left - 1) {
		const unsigned lane = lowest(left);
		const unsigned source = (unsigned)w->request[lane].source & 31;

		if (mask >> source & 1) {
			w->result[lane] = w->request[source].value;
			continue;
		}
		if (runtime_options.strict)
			report_error(
				"shuffle: lane %u reads lane %u, which is not in the mask %08x",
				lane, source, mask);
		w->result[lane] = 0xDEADBEEFDEADBEEFull;
	}
}

static void match(struct warp *w, unsigned mask)
{
	while (mask) {
		const uint64_t value = w->request[lowest(mask)].value;
		unsigned same = 0;

		for (unsigned left = mask; left; left &= left - 1) {
			const unsigned lane = lowest(left);

			same |= (unsigned)(w->request[lane].value == value) << lane;
		}
		give(w, same, same);
		mask &= ~same;
	}
}

static unsigned ballot(const struct warp *w, unsigned mask)
{
	unsigned votes = 0;

	for (unsigned left = mask; left; left &= left - 1) {
		const unsigned lane = lowest(left);

		votes |= (unsigned)(w->request[lane].value != 0) << lane;
	}
	return votes;
}

/* Word w (of 8) of row r and of column c, and the product at (r, c). cuda/gpu.h describes the
 * layout per lane. */
static uint32_t row_word(struct simt_fragments *const lane[LANES], unsigned r, unsigned w)
{
	return lane[r % 8 * 4 + w % 4]->a[r / 8 + w / 4 * 2];
}

static uint32_t column_word(struct simt_fragments *const lane[LANES], unsigned c, unsigned w)
{
	return lane[c * 4 + w % 4]->b[w / 4];
}

static int *number_at(struct simt_fragments *const lane[LANES], unsigned r, unsigned c)
{
	return &lane[r % 8 * 4 + c / 2]->sum[r / 8 * 2 + c % 2];
}

static void multiply(const struct warp *w, unsigned mask)
{
	struct simt_fragments *lane[LANES];

	if (mask != 0xffffffffu) {
		report_error("a matrix product by the lanes %08x: it takes a whole warp", mask);
		launch_fail();
	}
	for (unsigned l = 0; l < LANES; l++)
		lane[l] = (struct simt_fragments *)(uintptr_t)w->request[l].value;
	for (unsigned r = 0; r < 16; r++)
		for (unsigned c = 0; c < 8; c++)
			for (unsigned k = 0; k < 8; k++)
				*number_at(lane, r, c) += __builtin_popcount(
					row_word(lane, r, k) & column_word(lane, c, k));
}

/* All lanes of the mask have come: compute their results. */
static void complete(struct warp *w, enum simt_warp_op op, unsigned mask)
{
	switch (op) {
	case SIMT_SYNCWARP:
		break;
	case SIMT_SHUFFLE:
		shuffle(w, mask);
		break;
	case SIMT_BALLOT:
		give(w, mask, ballot(w, mask));
		break;
	case SIMT_ANY:
		give(w, mask, ballot(w, mask) != 0);
		break;
	case SIMT_ALL:
		give(w, mask, ballot(w, mask) == mask);
		break;
	case SIMT_MATCH:
		match(w, mask);
		break;
	case SIMT_MMA:
		multiply(w, mask);
		break;
	}
}

/* The mask, reduced to lanes that exist and have not returned. */
static unsigned checked_mask(const struct simt_thread *t, unsigned mask,
			     const struct simt_site *site)
{
	const struct simt_block *const b = t->block;

	if (!(mask >> t->lane & 1)) {
		report_error("warp operation at %s:%d: mask %08x does not name the calling lane %u",
			     site->file, site->line, mask, t->lane);
		launch_fail();
	}
	mask &= full_mask(b, t->warp);
	if (mask & ~b->warp[t->warp].live) {
		report_error("warp operation at %s:%d: mask %08x names returned lanes %08x",
			     site->file, site->line, mask, mask & ~b->warp[t->warp].live);
		launch_fail();
	}
	return mask;
}

/* True if the other lanes of the mask have come with the same operation and mask.  The last lane
 * checks all others, an earlier one checks one waiting lane. */
static bool all_came(const struct simt_thread *t, enum simt_warp_op op, unsigned mask,
		     const struct simt_site *site)
{
	const struct simt_block *const b = t->block;
	const struct warp *const w = &b->warp[t->warp];
	const unsigned others = mask & ~(1u << t->lane);
	bool all = (w->at_warp & others) == others;

	unsigned left = w->at_warp & others;

	if (!all)
		left &= -left;
	for (; left; left &= left - 1) {
		const unsigned lane = lowest(left);
		const struct request *const r = &w->request[lane];
		const struct simt_site *const there = b->thread[t->warp * LANES + lane].site;

		if (r->op != op && r->mask >> t->lane & 1) {
			report_error(
				"warp operation at %s:%d meets another one at %s:%d in one warp",
				site->file, site->line, there->file, there->line);
			launch_fail();
		}
		if (r->mask != mask && all) {
			report_error(
				"warp operation at %s:%d with mask %08x meets mask %08x at %s:%d",
				site->file, site->line, mask, r->mask, there->file, there->line);
			launch_fail();
		}
	}
	return all;
}

uint64_t simt_warp(enum simt_warp_op op, unsigned mask, uint64_t value, int source,
		   const struct simt_site *site)
{
	struct simt_thread *const t = simt_current;
	struct simt_block *const b = t->block;
	struct warp *const w = &b->warp[t->warp];
	const unsigned lane = 1u << t->lane;

	t->site = site;
	mask = checked_mask(t, mask, site);
	w->request[t->lane] = request{ op, mask, value, source };
	if (all_came(t, op, mask, site)) {
		const unsigned others = mask & ~lane;

		complete(w, op, mask);
		if (op == SIMT_SYNCWARP)
			IF_CHECKED(check_syncwarp, t, mask);
		simt_worker->progress++;
		w->at_warp &= ~others;
		if (others) {
			set_ready(b, t->warp, others);
			if (runtime_options.seed)
				simt_yield(site->file, site->line);
		}
	} else {
		w->at_warp |= lane;
		clear_ready(b, t->warp, lane);
		sched_wait(t);
	}
	return w->result[t->lane];
}
