/* op_memory.cc -- loads, stores, atomics, fences.
 *
 * Global memory is host memory at the same address, shared memory a slot of the arena, local memory
 * a piece per lane.  Every access is checked: it must be aligned to its size and inside an
 * allocation, or inside the shared or local memory of the kernel.
 */
#include "tests/ptx/form.h"

enum {
	STRONG_COSTS = 32
}; /* patience that a strong access costs: another split may have to run first */

/* ---- addresses --------------------------------------------------------------------------- */

static bool in_arena(uint64_t at)
{
	return at - (uint64_t)(uintptr_t)ptx_arena < ptx_arena_bytes;
}

/* True if the shared address belongs to a block of this cluster. */
static bool in_cluster(const struct block *b, uint64_t at, unsigned bytes)
{
	for (unsigned r = 0; r < b->cluster->size; r++) {
		const struct block *const other = b->cluster->block[r];
		const uint64_t offset = at - (uint64_t)(uintptr_t)other->shared;

		if (offset < other->shared_bytes && offset + bytes <= other->shared_bytes)
			return true;
	}
	return false;
}

static bool in_local(const struct warp &w, unsigned lane, uint64_t at, unsigned bytes)
{
	const uint64_t each_lane = w.kernel->local_bytes;
	const uint64_t offset = at - (uint64_t)(uintptr_t)w.local - lane * each_lane;

	return offset < each_lane && offset + bytes <= each_lane;
}

[[noreturn]] static void outside(const struct warp &w, const struct instruction &i, unsigned lane,
				 uint64_t at, unsigned bytes)
{
	uintptr_t begin;
	size_t size;
	const enum memory_kind kind = memory_find((const void *)(uintptr_t)at, &begin, &size);

	if (in_arena(at))
		fault(w, i, lane, "%u bytes at %#llx are outside the block's shared memory of %zu",
		      bytes, (unsigned long long)at, w.block->shared_bytes);
	if (kind == MEMORY_DEVICE || kind == MEMORY_HOST)
		fault(w, i, lane, "%u bytes at offset %llu pass the end of an allocation of %zu",
		      bytes, (unsigned long long)(at - begin), size);
	fault(w, i, lane, "%u bytes at %#llx are %s", bytes, (unsigned long long)at,
	      kind == MEMORY_FREED ? "device memory that was freed" : "no device memory");
}

/* Cache the allocation around [at, at + bytes) for this instruction. */
static bool remember(struct range *range, uint64_t at, unsigned bytes)
{
	uintptr_t begin;
	size_t size;
	const enum memory_kind kind = memory_find((const void *)(uintptr_t)at, &begin, &size);

	if (kind != MEMORY_DEVICE && kind != MEMORY_HOST)
		return false;
	*range = { begin, begin + size, ptx_running.checking ? check_find(begin) : nullptr };
	return at >= range->begin && at + bytes <= range->end;
}

/* A launch that overlaps the previous one must not touch memory before that one has ended. */
static void check_begun(struct warp &w, const struct instruction &i, uint32_t mask,
			const uint64_t at[LANES], unsigned bytes)
{
	each_active(mask & ~w.begun, [&](unsigned l) {
		if (i.space != GENERIC || !(in_arena(at[l]) || in_local(w, l, at[l], bytes)))
			fault(w, i, l, "global memory, and the launch before may not have ended");
	});
}

static void check_global(struct warp &w, const struct instruction &i, uint32_t mask,
			 const uint64_t at[LANES], unsigned bytes)
{
	struct range *const range =
		&w.block->worker->range[(size_t)(&i - w.kernel->code.data()) % RANGES];
	uint32_t bad = 0;

	if (mask & ~w.begun)
		check_begun(w, i, mask, at, bytes);
	for (unsigned l = 0; l < LANES; l++)
		bad |= (uint32_t)(at[l] < range->begin || at[l] + bytes > range->end) << l;
	each_active(bad & mask, [&](unsigned l) {
		if (i.space == GENERIC && (in_arena(at[l]) ? in_cluster(w.block, at[l], bytes)
							   : in_local(w, l, at[l], bytes)))
			return;
		if (!remember(range, at[l], bytes))
			outside(w, i, l, at[l], bytes);
	});
}

/* Convert offsets in the block's shared memory to addresses. */
static void check_shared(struct warp &w, const struct instruction &i, uint32_t mask,
			 uint64_t at[LANES], unsigned bytes)
{
	const uint64_t base = (uint64_t)(uintptr_t)w.block->shared;
	const int64_t last = (int64_t)w.block->shared_bytes - bytes;
	uint32_t bad = 0;

	for (unsigned l = 0; l < LANES; l++) {
		const uint64_t offset = (uint32_t)at[l];

		bad |= (uint32_t)((int64_t)offset > last) << l;
		at[l] = base + offset;
	}
	if (bad & mask)
		fault(w, i, (unsigned)__builtin_ctz(bad & mask),
		      "%u bytes at offset %llu of %zu bytes of shared memory", bytes,
		      (unsigned long long)(at[__builtin_ctz(bad & mask)] - base),
		      w.block->shared_bytes);
}

static void check_local(struct warp &w, const struct instruction &i, uint32_t mask,
			uint64_t at[LANES], unsigned bytes)
{
	for (unsigned l = 0; l < LANES; l++)
		at[l] += (uint64_t)(uintptr_t)w.local + l * (uint64_t)w.kernel->local_bytes;
	each_active(mask, [&](unsigned l) {
		if (!in_local(w, l, at[l], bytes))
			fault(w, i, l, "%u bytes outside the thread's %u bytes of local memory",
			      bytes, w.kernel->local_bytes);
	});
}

static void check_alignment(struct warp &w, const struct instruction &i, uint32_t mask,
			    const uint64_t at[LANES], unsigned bytes)
{
	uint32_t bad = 0;

	for (unsigned l = 0; l < LANES; l++)
		bad |= (uint32_t)((at[l] & (bytes - 1)) != 0) << l;
	if (bad & mask)
		fault(w, i, (unsigned)__builtin_ctz(bad & mask), "%u bytes at %#llx are misaligned",
		      bytes, (unsigned long long)at[__builtin_ctz(bad & mask)]);
}

static inline void addresses(const struct warp &w, const struct operand &o, int64_t offset,
			     uint64_t at[LANES])
{
	if (o.bytes == 8) {
		const uint64_t *const base = lanes<uint64_t>(w, o);

		for (unsigned l = 0; l < LANES; l++)
			at[l] = base[l] + (uint64_t)offset;
	} else {
		const uint32_t *const base = lanes<uint32_t>(w, o);

		for (unsigned l = 0; l < LANES; l++)
			at[l] = base[l] + (uint64_t)offset;
	}
}

/* Compute and check the address of each lane's bytes. */
static inline void resolve(struct warp &w, const struct instruction &i, uint32_t mask,
			   uint64_t at[LANES])
{
	const unsigned bytes = i.bytes * i.width;

	addresses(w, i.in[0], i.offset, at);
	if (i.space == SHARED)
		check_shared(w, i, mask, at, bytes);
	else if (i.space == LOCAL)
		check_local(w, i, mask, at, bytes);
	else
		check_global(w, i, mask, at, bytes);
	check_alignment(w, i, mask, at, bytes);
}

static void count(struct warp &w, const struct instruction &i, enum access access, uint32_t mask,
		  const uint64_t at[LANES])
{
	if (!ptx_running.counting || i.space == LOCAL)
		return;
	if (in_arena(at[__builtin_ctz(mask)])) {
		count_shared(w, access, mask, at, i.bytes * i.width);
		return;
	}
	count_global(w, access, mask, at, i.bytes * i.width);
	if (access != STORES)
		count_load(w, i, mask);
}

/* ---- order ------------------------------------------------------------------------------- */

/* Host memory is as strong as acquire and release on x86-64.  This fence is for the compiler, and
 * for weaker hosts. */
static void before(const struct instruction &i)
{
	if (i.order == RELEASE || i.order == ACQ_REL)
		__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void after(struct warp &w, const struct instruction &i)
{
	if (i.order == ACQUIRE || i.order == ACQ_REL)
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (i.order != WEAK_ORDER)
		w.patience -= STRONG_COSTS;
}

static void fence(struct warp &w, const struct instruction &i, uint32_t mask)
{
	if (ptx_running.weak)
		weak_fence(w, i, mask);
	if (ptx_running.checking)
		check_fence(w, i, mask);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- loads and stores -------------------------------------------------------------------- */

template <class T> static inline volatile T *place(uint64_t at, unsigned element)
{
	return (volatile T *)(uintptr_t)(at + element * sizeof(T));
}

/* True if other threads may access the location. */
static bool is_common(const struct warp &w, const struct instruction &i, unsigned lane, uint64_t at)
{
	return i.space != LOCAL && (i.space != GENERIC || !in_local(w, lane, at, 1));
}

/* Get the value that the lane reads, or whether it writes, if memory may be weak. */
template <class T>
static inline T value_at(struct warp &w, const struct instruction &i, unsigned lane, uint64_t at,
			 unsigned element)
{
	if (__builtin_expect(ptx_running.weak, 0) && is_common(w, i, lane, at))
		return (T)weak_load(w, i, lane, at + element * sizeof(T), sizeof(T));
	return *place<T>(at, element);
}

template <class T>
static inline bool may_store(struct warp &w, const struct instruction &i, unsigned lane,
			     uint64_t at, unsigned element, T value)
{
	return !__builtin_expect(ptx_running.weak, 0) || !is_common(w, i, lane, at) ||
	       weak_store(w, i, lane, at + element * sizeof(T), sizeof(T), (uint64_t)value);
}

/* A signed T is sign-extended to its register. */
template <class T> static void load(struct warp &w, const struct instruction &i, uint32_t mask)
{
	uint64_t at[LANES];

	resolve(w, i, mask, at);
	if (ptx_running.checking)
		check_access(w, i, LOADS, mask, at, i.bytes * i.width);
	with_register(i.out[0], [&]<class R>(R) {
		for (unsigned n = 0; n < i.width; n++) {
			R *const d = lanes<R>(w, i.out[n]);

			each_active(mask,
				    [&](unsigned l) { d[l] = (R)value_at<T>(w, i, l, at[l], n); });
		}
	});
	if (ptx_running.checking)
		check_acquire(w, i, mask, at);
	after(w, i);
	count(w, i, LOADS, mask, at);
}

static const uint8_t *parameter_place(const struct warp &w, const struct instruction &i,
				      unsigned lane)
{
	const uint64_t offset = *(lanes<uint64_t>(w, i.in[0]) + lane) + (uint64_t)i.offset;
	const uint64_t bytes = i.bytes * i.width;

	if (offset + bytes > w.kernel->parameter_bytes || offset % bytes)
		fault(w, i, lane, "%llu bytes at offset %llu of %u bytes of parameters",
		      (unsigned long long)bytes, (unsigned long long)offset,
		      w.kernel->parameter_bytes);
	return ptx_running.call->parameters + offset;
}

/* Most parameters are uniform over lanes, but an array element may be addressed per lane. */
template <class T>
static void load_parameter(struct warp &w, const struct instruction &i, uint32_t mask)
{
	with_register(i.out[0], [&]<class R>(R) {
		for (unsigned n = 0; n < i.width; n++) {
			R *const d = lanes<R>(w, i.out[n]);
			const auto value = [&](unsigned l) {
				return (R)((const T *)(const void *)parameter_place(w, i, l))[n];
			};

			if (i.in[0].kind == CONSTANT) {
				const R same = value(0);

				each(mask, d, [=](unsigned) { return same; });
			} else {
				each_active(mask, [&](unsigned l) { d[l] = value(l); });
			}
		}
	});
}

/* If lanes store to one location the last one wins.  The order must not matter to a kernel, so it
 * can be reversed. */
template <class F> static inline void each_ordered(uint32_t mask, F f)
{
	if (!ptx_running.backwards) {
		each_active(mask, f);
		return;
	}
	while (mask) {
		const unsigned l = 31 - (unsigned)__builtin_clz(mask);

		f(l);
		mask &= ~(1u << l);
	}
}

template <class T> static void store(struct warp &w, const struct instruction &i, uint32_t mask)
{
	uint64_t at[LANES];

	resolve(w, i, mask, at);
	if (ptx_running.checking) {
		check_access(w, i, STORES, mask, at, i.bytes * i.width);
		check_release(w, i, mask, at);
		check_released(w, i);
	}
	before(i);
	with_register(i.in[1], [&]<class R>(R) {
		for (unsigned n = 0; n < i.width; n++) {
			const R *const a = lanes<R>(w, i.in[1 + n]);

			each_ordered(mask, [&](unsigned l) {
				if (may_store<T>(w, i, l, at[l], n, (T)a[l]))
					*place<T>(at[l], n) = (T)a[l];
			});
		}
	});
	w.block->worker->progress++;
	count(w, i, STORES, mask, at);
}

/* ---- asynchronous copies --------------------------------------------------------------------- */

/* A copy happens when it is waited for.  Until then its target holds NOT_YET, which reveals a
 * thread that reads too early or starts a copy onto data that it still needs. */
enum { COPY_WORDS = 2 };
static const uint64_t NOT_YET = 0xC9C9C9C9C9C9C9C9ull;

static void write_copy(struct warp &w, const struct late_copy &c, unsigned n, uint64_t value)
{
	if (may_store<uint64_t>(w, *c.at, c.lane, c.to, n, value))
		*place<uint64_t>(c.to, n) = value;
}

static void begin_copy(struct warp &w, const struct instruction &i, uint32_t mask)
{
	enum { BYTES = COPY_WORDS * 8 };
	uint64_t to[LANES], from[LANES];

	addresses(w, i.in[0], i.detail, to);
	addresses(w, i.in[1], i.offset, from);
	check_shared(w, i, mask, to, BYTES);
	check_alignment(w, i, mask, to, BYTES);
	check_global(w, i, mask, from, BYTES);
	check_alignment(w, i, mask, from, BYTES);
	if (!w.copies)
		w.copies = new std::vector<struct late_copy>;
	each_active(mask, [&](unsigned l) {
		w.copies->push_back({ &i, from[l], to[l], w.groups[l], l });
		if (ptx_running.checking) {
			check_copy(w, i, LOADS, l, from[l], BYTES, false);
			check_copy(w, i, STORES, l, to[l], BYTES, false);
		}
		for (unsigned n = 0; n < COPY_WORDS; n++)
			write_copy(w, w.copies->back(), n, NOT_YET);
	});
	w.block->worker->progress++;
	if (ptx_running.counting) {
		count_global(w, LOADS, mask, from, BYTES);
		count_shared(w, STORES, mask, to, BYTES);
	}
}

static void end_group(struct warp &w, const struct instruction &, uint32_t mask)
{
	each_active(mask, [&](unsigned l) { w.groups[l]++; });
}

/* Complete all of a lane's groups except the last i.detail. */
static void wait_for_groups(struct warp &w, const struct instruction &i, uint32_t mask)
{
	size_t left = 0;

	if (!w.copies)
		return;
	for (const struct late_copy &c : *w.copies) {
		if (!(mask >> c.lane & 1) || c.group + i.detail >= w.groups[c.lane]) {
			(*w.copies)[left++] = c;
			continue;
		}
		if (ptx_running.checking) {
			check_copy(w, *c.at, LOADS, c.lane, c.from, COPY_WORDS * 8, true);
			check_copy(w, *c.at, STORES, c.lane, c.to, COPY_WORDS * 8, true);
		}
		for (unsigned n = 0; n < COPY_WORDS; n++)
			write_copy(w, c, n, value_at<uint64_t>(w, *c.at, c.lane, c.from, n));
	}
	w.copies->resize(left);
	w.block->worker->progress++;
}

/* ---- atomics ----------------------------------------------------------------------------- */

/* No locking is needed for shared memory, which belongs to one OS thread, or if there is only
 * one. */
template <class F, class T> static T update(uint64_t at, T a, T b)
{
	volatile T *const p = (volatile T *)(uintptr_t)at;
	T old = *p;

	if (runtime_options.threads == 1 || in_arena(at)) {
		*p = F()(old, a, b);
		return old;
	}
	while (!__atomic_compare_exchange_n(p, &old, F()(old, a, b), false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		continue;
	return old;
}

/* F computes the new value from the old one and the operands; with two operands it compares. */
template <class F, class T>
static void atomic(struct warp &w, const struct instruction &i, uint32_t mask)
{
	const T *const a = lanes<T>(w, i.in[1]);
	const T *const b = i.ins > 2 ? lanes<T>(w, i.in[2]) : a;
	T *const d = lanes<T>(w, i.out[0]);
	const bool compares = i.ins > 2;
	uint64_t at[LANES];
	uint32_t stored = 0;

	resolve(w, i, mask, at);
	if (ptx_running.checking) {
		check_access(w, i, compares ? LOADS : UPDATES, mask, at, sizeof(T));
		check_release(w, i, mask, at);
	}
	each_ordered(mask, [&](unsigned l) {
		const T now = *place<T>(at[l], 0);

		if (__builtin_expect(ptx_running.weak, 0) && is_common(w, i, l, at[l]))
			weak_update(w, i, l, at[l], sizeof(T), (uint64_t)F()(now, a[l], b[l]),
				    i.ins == 2 || now == a[l]);
		const T operand = a[l]; /* d may be a */

		d[l] = update<F, T>(at[l], a[l], b[l]);
		stored |= (uint32_t)(d[l] == operand) << l;
		if (ptx_running.counting && i.detail == ADDITION)
			count_addition(w, at[l], (uint32_t)d[l], (uint32_t)operand);
	});
	if (ptx_running.checking) {
		if (compares)
			check_exchanged(w, i, stored, at);
		check_released(w, i);
		check_acquire(w, i, mask, at);
	}
	after(w, i);
	count(w, i, UPDATES, mask, at);
}

/* ---- forms ------------------------------------------------------------------------------- */

template <class T> static void add_accesses(form_table &t, const std::string &type)
{
	const std::string value(1, at_least(sizeof(T)));

	t["ld" + type] = { value + "=[",
			   { .run = load<T>, .kind = LOAD_GLOBAL, .bytes = sizeof(T) } };
	t["st" + type] = { "=[" + value,
			   { .run = store<T>, .kind = STORE_GLOBAL, .bytes = sizeof(T) } };
	t["ld.param" + type] = {
		value + "=[",
		{ .run = load_parameter<T>, .kind = PARAMETER, .space = PARAM, .bytes = sizeof(T) },
	};
}

template <class T, class F>
static void add_atomic(form_table &t, const std::string &name, F, uint8_t detail = 0)
{
	const std::string bytes = std::to_string(sizeof(T));

	t[name] = {
		bytes + "=[" + bytes + (name.starts_with("atom.cas") ? bytes : ""),
		{ .run = atomic<F, T>, .kind = ATOMIC_GLOBAL, .bytes = sizeof(T), .detail = detail }
	};
}

/* add, min and max work on numbers, the others on bits. */
template <class T> static void add_width(form_table &t)
{
	const std::string bits = suffix<T>('b'), number = suffix<T>();

	add_accesses<T>(t, bits);
	add_accesses<T>(t, number);
	add_accesses<std::make_signed_t<T>>(t, suffix<T>('s'));
	if constexpr (sizeof(T) >= 4) {
		add_accesses<T>(t, suffix<T>('f'));
		add_atomic<T>(
			t, "atom.add" + number, [](T old, T a, T) { return old + a; },
			sizeof(T) == 4 ? ADDITION : 0);
		add_atomic<T>(t, "atom.min" + number,
			      [](T old, T a, T) { return old < a ? old : a; });
		add_atomic<T>(t, "atom.max" + number,
			      [](T old, T a, T) { return old < a ? a : old; });
		add_atomic<T>(t, "atom.and" + bits, [](T old, T a, T) { return old & a; });
		add_atomic<T>(t, "atom.or" + bits, [](T old, T a, T) { return old | a; });
		add_atomic<T>(t, "atom.xor" + bits, [](T old, T a, T) { return old ^ a; });
		add_atomic<T>(t, "atom.exch" + bits, [](T, T a, T) { return a; });
		add_atomic<T>(t, "atom.cas" + bits,
			      [](T old, T a, T b) { return old == a ? b : old; });
	}
}

void add_memory(form_table &t)
{
	add_width<uint8_t>(t);
	add_width<uint16_t>(t);
	add_width<uint32_t>(t);
	add_width<uint64_t>(t);
	t["cp.async.cg.shared.global"] = {
		"=[D[%?%",
		{ .run = begin_copy, .kind = LOAD_GLOBAL, .space = SHARED, .bytes = 4, .width = 4 }
	};
	t["cp.async.commit_group"] = { "", { .run = end_group, .kind = SYNCHRONISATION } };
	t["cp.async.wait_group"] = { "=N", { .run = wait_for_groups, .kind = SYNCHRONISATION } };
	t["fence.acq_rel.gpu"] = {
		"", { .run = fence, .kind = FENCE, .order = ACQ_REL, .scope = SCOPE_GPU }
	};
	/* membar is fence.sc since sm_70. */
	t["membar.cta"] = { "", { .run = fence, .kind = FENCE, .scope = SCOPE_CTA } };
	t["membar.gl"] = { "", { .run = fence, .kind = FENCE, .scope = SCOPE_GPU } };
}
