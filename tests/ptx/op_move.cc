/* op_move.cc -- moves, selections, comparisons, special registers, addresses. */
#include <time.h>

#include "tests/ptx/form.h"

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

/* Split a register into two, the low half first. */
static void unpack(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const uint64_t *const a = lanes<uint64_t>(w, i.in[0]);

	each(mask, lanes<uint32_t>(w, i.out[0]), [=](unsigned l) { return (uint32_t)a[l]; });
	each(mask, lanes<uint32_t>(w, i.out[1]),
	     [=](unsigned l) { return (uint32_t)(a[l] >> 32); });
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

/* mapa: the same offset in the shared memory of another block of the cluster. */
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

/* ---- special registers ------------------------------------------------------------------- */

template <class F, class T>
static void read_special(struct warp &w, const struct instruction &i, uint32_t mask)
{
	T *const d = lanes<T>(w, i.out[0]);

	each_active(mask, [&](unsigned l) { d[l] = F()(w, *ptx_running.call, l); });
}

template <class F> static void put_special(form_table &t, const char *name, F)
{
	typedef std::invoke_result_t<F, const struct warp &, const struct gpu_call &, unsigned> T;

	t[name] = { std::to_string(sizeof(T)) + "=%", { .run = read_special<F, T> } };
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* `value` is an expression of lane l of the warp w in `launch`. */
#define SPECIAL(name, value)                                           \
	put_special(t, name,                                           \
		    []([[maybe_unused]] const struct warp &w,          \
		       [[maybe_unused]] const struct gpu_call &launch, \
		       [[maybe_unused]] unsigned l) { return value; })

static void add_specials(form_table &t)
{
	SPECIAL("%tid.x", (w.number * LANES + l) % launch.block.x);
	SPECIAL("%tid.y", (w.number * LANES + l) / launch.block.x % launch.block.y);
	SPECIAL("%tid.z", (w.number * LANES + l) / (launch.block.x * launch.block.y));
	SPECIAL("%ntid.x", launch.block.x);
	SPECIAL("%ctaid.x", w.block->index.x);
	SPECIAL("%ctaid.y", w.block->index.y);
	SPECIAL("%ctaid.z", w.block->index.z);
	SPECIAL("%nctaid.x", launch.grid.x);
	SPECIAL("%nctaid.y", launch.grid.y);
	SPECIAL("%nctaid.z", launch.grid.z);
	SPECIAL("%laneid", l);
	SPECIAL("%lanemask_le", (2u << l) - 1);
	SPECIAL("%lanemask_ge", ~0u << l);
	SPECIAL("%lanemask_lt", (1u << l) - 1);
	SPECIAL("%cluster_ctarank", w.block->rank);
	SPECIAL("%cluster_nctarank", w.block->cluster->size);
	SPECIAL("%globaltimer", now_ns());
	SPECIAL("%clock64", now_ns());
}

/* ---- forms ------------------------------------------------------------------------------- */

template <class T> static void add_width(form_table &t)
{
	const std::string bytes = std::to_string(sizeof(T));

	for (const char letter : { 'b', 'u', 's', 'f' }) {
		put(t, "mov" + suffix<T>(letter), [](T a) { return a; });
		t["selp" + suffix<T>(letter)] = { bytes + "=" + bytes + bytes + "0",
						  { .run = select<T> } };
	}
	put(t, "setp.eq" + suffix<T>('b'), [](T a, T b) { return a == b; });
	put(t, "setp.ne" + suffix<T>('b'), [](T a, T b) { return a != b; });
}

/* A comparison with NaN is false; with the suffix u it is true. */
template <class T> static void add_comparisons(form_table &t)
{
	const std::string type = suffix<T>();

	put(t, "setp.eq" + type, [](T a, T b) { return a == b; });
	put(t, "setp.ne" + type, [](T a, T b) { return a < b || a > b; });
	put(t, "setp.lt" + type, [](T a, T b) { return a < b; });
	put(t, "setp.le" + type, [](T a, T b) { return a <= b; });
	put(t, "setp.gt" + type, [](T a, T b) { return a > b; });
	put(t, "setp.ge" + type, [](T a, T b) { return a >= b; });
	if constexpr (std::is_floating_point_v<T>) {
		put(t, "setp.equ" + type, [](T a, T b) { return !(a < b || a > b); });
		put(t, "setp.neu" + type, [](T a, T b) { return a != b; });
		put(t, "setp.ltu" + type, [](T a, T b) { return !(a >= b); });
		put(t, "setp.leu" + type, [](T a, T b) { return !(a > b); });
		put(t, "setp.gtu" + type, [](T a, T b) { return !(a <= b); });
		put(t, "setp.geu" + type, [](T a, T b) { return !(a < b); });
		put(t, "setp.num" + type, [](T a, T b) { return a == a && b == b; });
		put(t, "setp.nan" + type, [](T a, T b) { return a != a || b != b; });
	}
}

void add_moves(form_table &t)
{
	add_width<uint16_t>(t);
	add_width<uint32_t>(t);
	add_width<uint64_t>(t);
	add_comparisons<uint16_t>(t);
	add_comparisons<int16_t>(t);
	add_comparisons<uint32_t>(t);
	add_comparisons<int32_t>(t);
	add_comparisons<uint64_t>(t);
	add_comparisons<int64_t>(t);
	add_comparisons<float>(t);
	add_comparisons<double>(t);
	add_specials(t);
	t["mov.pred"] = { "0=0", { .run = move_predicate } };
	/* mov.b64 {a, b}, c and mov.b64 a, {b, c} */
	t["unpack.b64"] = { "{44}=8", { .run = unpack } };
	put(t, "pack.b64", [](uint32_t a, uint32_t b) { return (uint64_t)b << 32 | a; });
	t["pack.b64"].operands = "8={44}";
	put(t, "cvta.to.global.u64", [](uint64_t a) { return a; });
	t["cvta.shared.u64"] = { "8=8", { .run = shared_to_generic } };
	t["cvta.to.shared.u64"] = { "8=8", { .run = generic_to_shared } };
	t["mapa.u64"] = { "8=84", { .run = map_address } };
}
