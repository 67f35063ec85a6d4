/* op_move.cc -- moves, selections, comparisons, special registers, addresses. */
#include <time.h>

#include "tests/ptx/machine.h"

template <class T> static void move(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return a[l]; });
}

static void move_predicate(struct warp &w, const struct instruction &i, uint32_t mask)
{
	set_predicate(w, i.out[0], predicate(w, i.in[0]), mask);
}

template <class T> static void select(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	const uint32_t p = predicate(w, i.in[2]);

	each(mask, lanes<T>(w, i.out[0]), [=](unsigned l) { return p >> l & 1 ? a[l] : b[l]; });
}

#define BITS(name, handler, b16, b32, b64)                         \
	{ name "16", handler<uint16_t>, b16, ARITHMETIC },         \
		{ name "32", handler<uint32_t>, b32, ARITHMETIC }, \
	{                                                          \
		name "64", handler<uint64_t>, b64, ARITHMETIC      \
	}
#define ALL(name, handler, b16, b32, b64)                                                 \
	BITS(name ".b", handler, b16, b32, b64), BITS(name ".u", handler, b16, b32, b64), \
		BITS(name ".s", handler, b16, b32, b64),                                  \
		{ name ".f32", handler<uint32_t>, b32, ARITHMETIC },                      \
	{                                                                                 \
		name ".f64", handler<uint64_t>, b64, ARITHMETIC                           \
	}

static const struct form forms[] = {
	ALL("mov", move, "2=2", "4=4", "8=8"),
	{ "mov.pred", move_predicate, "0=0", ARITHMETIC },
	ALL("selp", select, "2=220", "4=440", "8=880"),
	{ "cvta.to.global.u64", move<uint64_t>, "8=8", ARITHMETIC },
	{ "cvta.global.u64", move<uint64_t>, "8=8", ARITHMETIC },
};

extern const struct form_table move_forms;
const struct form_table move_forms = { forms, sizeof forms / sizeof *forms };

/* ---- pairs ------------------------------------------------------------------------------- */

/* {a, b} as one register, a being its low half. */
template <class D, class S>
static void pack(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const S *const a = lanes<S>(w, i.in[0]), *const b = lanes<S>(w, i.in[1]);

	each(mask, lanes<D>(w, i.out[0]),
	     [=](unsigned l) { return (D)((D)b[l] << (8 * sizeof(S)) | a[l]); });
}

template <class D, class S>
static void unpack(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const S *const a = lanes<S>(w, i.in[0]);

	each(mask, lanes<D>(w, i.out[0]), [=](unsigned l) { return (D)a[l]; });
	each(mask, lanes<D>(w, i.out[1]), [=](unsigned l) { return (D)(a[l] >> (8 * sizeof(D))); });
}

/* ---- addresses --------------------------------------------------------------------------- */

static void shared_to_generic(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint64_t *const a = lanes<uint64_t>(w, i.in[0]);
	const uint64_t base = (uint64_t)(uintptr_t)w.block->shared;

	each(mask, lanes<uint64_t>(w, i.out[0]), [=](unsigned l) { return a[l] + base; });
}

static void generic_to_shared(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint64_t *const a = lanes<uint64_t>(w, i.in[0]);
	const uint64_t base = (uint64_t)(uintptr_t)w.block->shared;

	each(mask, lanes<uint64_t>(w, i.out[0]), [=](unsigned l) { return a[l] - base; });
}

static void local_to_generic(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint64_t *const a = lanes<uint64_t>(w, i.in[0]);
	const uint64_t base = (uint64_t)(uintptr_t)w.local, each_lane = w.kernel->local_bytes;

	each(mask, lanes<uint64_t>(w, i.out[0]),
	     [=](unsigned l) { return a[l] + base + l * each_lane; });
}

static void generic_to_local(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint64_t *const a = lanes<uint64_t>(w, i.in[0]);
	const uint64_t base = (uint64_t)(uintptr_t)w.local, each_lane = w.kernel->local_bytes;

	each(mask, lanes<uint64_t>(w, i.out[0]),
	     [=](unsigned l) { return a[l] - base - l * each_lane; });
}

/* mapa: the same place in the shared memory of another block of the cluster. */
static void map_address(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const struct cluster *const c = w.block->cluster;
	const uint64_t *const a = lanes<uint64_t>(w, i.in[0]);
	const uint32_t *const rank = lanes<uint32_t>(w, i.in[1]);
	uint64_t *const d = lanes<uint64_t>(w, i.out[0]);
	const uint64_t base = (uint64_t)(uintptr_t)w.block->shared;

	each_active(mask, [&](unsigned l) {
		if (rank[l] >= c->size)
			fault(w, i, l, "block %u of a cluster of %u", rank[l], c->size);
		if (a[l] - base >= w.block->shared_bytes)
			fault(w, i, l, "the address is none of this block's shared memory");
		d[l] = a[l] - base + (uint64_t)(uintptr_t)c->block[rank[l]]->shared;
	});
}

handler move_handler(std::string_view what)
{
	static const struct {
		const char *what;
		handler run;
	} table[] = {
		{ "pack.32", pack<uint32_t, uint16_t> },
		{ "pack.64", pack<uint64_t, uint32_t> },
		{ "unpack.32", unpack<uint16_t, uint32_t> },
		{ "unpack.64", unpack<uint32_t, uint64_t> },
		{ "cvta.shared", shared_to_generic },
		{ "cvta.to.shared", generic_to_shared },
		{ "cvta.local", local_to_generic },
		{ "cvta.to.local", generic_to_local },
		{ "mapa", map_address },
	};

	for (const auto &entry : table)
		if (what == entry.what)
			return entry.run;
	return nullptr;
}

/* ---- comparisons ------------------------------------------------------------------------- */

enum comparison { EQ, NE, LT, LE, GT, GE, NUM, NOT_A_NUMBER };

template <class T, enum comparison c, bool unordered> static inline bool compare(T a, T b)
{
	const bool nan = a != a || b != b;

	if (c == NUM || c == NOT_A_NUMBER)
		return nan == (c == NOT_A_NUMBER);
	if (nan)
		return unordered;
	return c == EQ   ? a == b
	       : c == NE ? a != b
	       : c == LT ? a < b
	       : c == LE ? a <= b
	       : c == GT ? a > b
			 : a >= b;
}

enum { JOIN_NONE, JOIN_AND, JOIN_OR, JOIN_XOR };

static uint32_t join(int how, uint32_t a, uint32_t b)
{
	return how == JOIN_AND ? a & b : how == JOIN_OR ? a | b : how == JOIN_XOR ? a ^ b : a;
}

/* setp: the result, and its opposite, each joined with a third operand if there is one. */
template <class T, enum comparison c, bool unordered>
static void set(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[0]), *const b = lanes<T>(w, i.in[1]);
	const uint32_t with = i.detail ? predicate(w, i.in[2]) : 0;
	uint32_t result = 0;

	for (unsigned l = 0; l < LANES; l++)
		result |= (uint32_t)compare<T, c, unordered>(a[l], b[l]) << l;
	set_predicate(w, i.out[0], join(i.detail, result, with), mask);
	if (i.outs > 1)
		set_predicate(w, i.out[1], join(i.detail, ~result, with), mask);
}

template <class T> static handler ordered(std::string_view c)
{
	return c == "eq"                ? set<T, EQ, false>
	       : c == "ne"              ? set<T, NE, false>
	       : c == "lt" || c == "lo" ? set<T, LT, false>
	       : c == "le" || c == "ls" ? set<T, LE, false>
	       : c == "gt" || c == "hi" ? set<T, GT, false>
	       : c == "ge" || c == "hs" ? set<T, GE, false>
					: nullptr;
}

template <class T> static handler of_float(std::string_view c)
{
	return c == "equ"   ? set<T, EQ, true>
	       : c == "neu" ? set<T, NE, true>
	       : c == "ltu" ? set<T, LT, true>
	       : c == "leu" ? set<T, LE, true>
	       : c == "gtu" ? set<T, GT, true>
	       : c == "geu" ? set<T, GE, true>
	       : c == "num" ? set<T, NUM, false>
	       : c == "nan" ? set<T, NOT_A_NUMBER, true>
			    : ordered<T>(c);
}

handler compare_handler(enum type type, std::string_view c)
{
	switch (type) {
	case U16:
	case B16:
		return ordered<uint16_t>(c);
	case S16:
		return ordered<int16_t>(c);
	case U32:
	case B32:
		return ordered<uint32_t>(c);
	case S32:
		return ordered<int32_t>(c);
	case U64:
	case B64:
		return ordered<uint64_t>(c);
	case S64:
		return ordered<int64_t>(c);
	case F32:
		return of_float<float>(c);
	case F64:
		return of_float<double>(c);
	default:
		return nullptr;
	}
}

/* ---- special registers ------------------------------------------------------------------- */

typedef uint64_t (*special)(const struct warp &w, unsigned lane);

static unsigned thread_of(const struct warp &w, unsigned lane)
{
	return w.number * LANES + lane;
}

static uint64_t now_ns(const struct warp &, unsigned)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define SPECIAL(name, bytes, value)                                             \
	{                                                                       \
		name, bytes, [](const struct warp &w, unsigned l) -> uint64_t { \
			(void)w;                                                \
			(void)l;                                                \
			return value;                                           \
		}                                                               \
	}
#define CALL (ptx_running.call)

static const struct {
	const char *name;
	unsigned bytes;
	special value;
} specials[] = {
	SPECIAL("%tid.x", 4, thread_of(w, l) % CALL->block.x),
	SPECIAL("%tid.y", 4, thread_of(w, l) / CALL->block.x % CALL->block.y),
	SPECIAL("%tid.z", 4, thread_of(w, l) / (CALL->block.x * CALL->block.y)),
	SPECIAL("%ntid.x", 4, CALL->block.x),
	SPECIAL("%ntid.y", 4, CALL->block.y),
	SPECIAL("%ntid.z", 4, CALL->block.z),
	SPECIAL("%ctaid.x", 4, w.block->index.x),
	SPECIAL("%ctaid.y", 4, w.block->index.y),
	SPECIAL("%ctaid.z", 4, w.block->index.z),
	SPECIAL("%nctaid.x", 4, CALL->grid.x),
	SPECIAL("%nctaid.y", 4, CALL->grid.y),
	SPECIAL("%nctaid.z", 4, CALL->grid.z),
	SPECIAL("%laneid", 4, l),
	SPECIAL("%warpid", 4, w.number),
	SPECIAL("%lanemask_eq", 4, 1u << l),
	SPECIAL("%lanemask_lt", 4, (1u << l) - 1),
	SPECIAL("%lanemask_le", 4, (2u << l) - 1),
	SPECIAL("%lanemask_gt", 4, (uint32_t) - (2u << l)),
	SPECIAL("%lanemask_ge", 4, (uint32_t) - (1u << l)),
	SPECIAL("%cluster_ctarank", 4, w.block->rank),
	SPECIAL("%cluster_nctarank", 4, w.block->cluster->size),
	{ "%globaltimer", 8, now_ns },
	{ "%clock64", 8, now_ns },
};

template <class T>
static void read_special(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const special value = specials[i.detail].value;
	T *const d = lanes<T>(w, i.out[0]);

	each_active(mask, [&](unsigned l) { d[l] = (T)value(w, l); });
}

handler special_handler(std::string_view name, unsigned *number, unsigned *bytes)
{
	for (unsigned n = 0; n < sizeof specials / sizeof *specials; n++)
		if (name == specials[n].name) {
			*number = n;
			*bytes = specials[n].bytes;
			return *bytes == 8 ? read_special<uint64_t> : read_special<uint32_t>;
		}
	return nullptr;
}
