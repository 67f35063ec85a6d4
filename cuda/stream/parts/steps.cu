/* steps.cu -- copy an array one word of 4 bytes at a time, so that a step has one cost:
 *
 *	launch     a launch of a kernel that copies one word
 *	latency    a load of global memory whose address the load before it returned
 *	barrier    a barrier of all blocks, which pass a baton from one step to the next
 *	issue      two dozen instructions that wait for one another, a tenth of them shared
 *	           loads and shuffles, in code without loops
 *	shared     the same without the multiplications
 *	host       a launch whose result the host reads before the next
 *
 * Each result depends on all steps before it, so that a copy is right only if every step was taken
 * and waited for.
 *
 * The slots of `latency` are DISTANCE bytes apart and visited in random order, twice: the first
 * lap misses cold caches, the second hits the L2.  The mean of the two is the latency that a
 * kernel's loads have, some of which read what the kernel before it wrote.
 */
#include "cuda/stream/parts/steps.h"

enum {
	MOST_STEPS = 1 << 15,
	DISTANCE = 128, /* bytes: two of the L2's fetches, so that none brings two slots */
	WARP = 32,
	UNROLLED = 64, /* steps of `issue` in one round of its loop */
	CHAIN = 12,    /* multiplications per step of `issue`; `shared` has none */
};

struct stream_slot {
	uint32_t word[2]; /* one for each lap */
	uint32_t next;
	uint32_t unused[DISTANCE / 4 - 3];
};

/* ---- kernels ----------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(WARP) launch_kernel(uint32_t *to, const uint32_t *from)
{
	if (threadIdx.x == 0)
		*to = *from;
}

/* A loop that is not unrolled has fewer instructions beside its load. */
#ifdef __CUDACC__
#define KEEP_ROLLED _Pragma("unroll 1")
#else
#define KEEP_ROLLED
#endif

/* gpu_ld_relaxed() reads past the L1. */
static __global__ void __launch_bounds__(WARP)
	latency_kernel(uint32_t *to, const struct stream_slot *slots, uint32_t count)
{
	uint32_t at = 0;

	if (threadIdx.x != 0)
		return;
	KEEP_ROLLED
	for (unsigned lap = 0; lap < 2; lap++) {
		KEEP_ROLLED
		for (uint32_t n = 0; n < count; n++) {
			to[2 * n + lap] = slots[at].word[lap];
			at = gpu_ld_relaxed(&slots[at].next);
		}
	}
}

/* The blocks take turns.  Without the barrier, a block would find an old baton. */
static __global__ void __launch_bounds__(WARP)
	barrier_kernel(uint32_t *to, const uint32_t *from, uint32_t steps, uint32_t *state)
{
	uint32_t *const baton = state + 1;
	unsigned turn = 0;

	for (uint32_t n = 0; n < steps; n++) {
		if (turn == blockIdx.x && threadIdx.x == 0) {
			to[n] = from[n] + gpu_ld_relaxed(baton) - n;
			gpu_st_relaxed(baton, n + 1 < steps ? n + 1 : 0);
		}
		turn = turn + 1 == gridDim.x ? 0 : turn + 1;
		gpu_grid_sync(state);
	}
}

/* next[i] is i + 1, which the compiler does not know; neither that `one` is 1.  A tile has UNROLLED
 * words, and `at` is the next one. */
template <int MULTIPLY>
static __global__ void __launch_bounds__(WARP)
	issue_kernel(uint32_t *to, const uint32_t *from, uint32_t steps, uint32_t one)
{
	SHARED_ARRAY(uint32_t, next, UNROLLED);
	SHARED_ARRAY(uint32_t, tile, UNROLLED);

	for (unsigned i = threadIdx.x; i < UNROLLED; i += WARP)
		next[i] = i + one;
	for (uint32_t first = 0; first < steps; first += UNROLLED) {
		uint32_t at = 0;

		__syncwarp();
		for (unsigned i = threadIdx.x; i < UNROLLED; i += WARP)
			tile[i] = first + i < steps ? from[first + i] : 0;
		__syncwarp();
		GPU_UNROLL
		for (unsigned n = 0; n < UNROLLED; n++) {
			const uint32_t word = tile[at];

			if (threadIdx.x == 0 && first + n < steps)
				to[first + n] = word;
			GPU_UNROLL
			for (int k = 0; k < MULTIPLY; k++)
				at = at * one + (one - 1);
			at = __shfl_sync(0xffffffff, next[at & (UNROLLED - 1)], (int)(at % WARP));
		}
	}
}

static __global__ void __launch_bounds__(WARP)
	host_kernel(uint32_t *to, const uint32_t *from, uint32_t step, uint32_t *next)
{
	if (threadIdx.x == 0) {
		to[step] = from[step];
		*next = step + 1;
	}
}

/* ---- operations -------------------------------------------------------------------------- */

enum gb_status stream_steps_create(struct stream_steps *s, enum stream_op op, size_t bytes,
				   struct gb_error *err)
{
	const size_t pairs = gpu_blocks(bytes, 2 * sizeof *s->from);

	s->op = op;
	if (2 * pairs > MOST_STEPS)
		return gb_fail(err, GB_EUNAVAILABLE,
			       "%zu steps of 4 bytes; this operation takes at most %d: use "
			       "--count=%zu or less",
			       2 * pairs, MOST_STEPS, MOST_STEPS * sizeof *s->from);
	s->steps = (uint32_t)(2 * pairs);
	(void)gpu_alloc(&s->from, s->steps, err);
	(void)gpu_alloc(&s->to, s->steps, err);
	gb_memory_result(s->to, GB_WHOLE, GB_POISON);
	if (op == STREAM_LATENCY) {
		(void)gpu_alloc(&s->slots, pairs, err);
		s->host_slots = (struct stream_slot *)gb_host_zalloc(pairs, sizeof *s->slots, err);
	}
	s->blocks = gpu_resident_blocks(barrier_kernel, WARP, 0, (size_t)gpu_sm_count());
	return gpu_alloc_zeroed(&s->state, 2, err);
}

/* Put the words into slots whose links form one circle: Sattolo's shuffle. */
static void fill_slots(struct stream_slot *slots, uint32_t count, const uint64_t *words)
{
	for (uint32_t n = 0; n < count; n++)
		slots[n].next = n;
	for (uint32_t n = count - 1; n > 0; n--) {
		const uint32_t other = (uint32_t)(n * UINT64_C(0x9e3779b97f4a7c15) >> 32) % n;
		const uint32_t next = slots[n].next;

		slots[n].next = slots[other].next;
		slots[other].next = next;
	}
	for (uint32_t n = 0, at = 0; n < count; n++, at = slots[at].next) {
		slots[at].word[0] = (uint32_t)words[n];
		slots[at].word[1] = (uint32_t)(words[n] >> 32);
	}
}

enum gb_status stream_steps_upload(struct stream_steps *s, const uint64_t *words,
				   struct gb_error *err)
{
	const uint32_t pairs = s->steps / 2;

	if (s->op != STREAM_LATENCY || pairs == 0)
		return gpu_upload(s->from, words, pairs * sizeof *words, err);
	fill_slots(s->host_slots, pairs, words);
	return gpu_upload(s->slots, s->host_slots, pairs * sizeof *s->slots, err);
}

/* The host learns the number of the next step from the device. */
static enum gb_status run_host(const struct stream_steps *s, struct gb_error *err)
{
	for (uint32_t n = 0, step = 0; n < s->steps && !err->code; n++)
		if (GPU_RUN(err, host_kernel, 1, WARP, s->to, s->from, step, s->state + 1) == GB_OK)
			(void)gpu_download(&step, s->state + 1, sizeof step, err);
	return err->code;
}

enum gb_status stream_steps_run(struct stream_steps *s, struct gb_error *err)
{
	if (s->steps == 0)
		return GB_OK;
	switch (s->op) {
	case STREAM_LAUNCH:
		for (uint32_t n = 0; n < s->steps && !err->code; n++)
			(void)GPU_RUN(err, launch_kernel, 1, WARP, s->to + n, s->from + n);
		return err->code;
	case STREAM_LATENCY:
		return GPU_RUN(err, latency_kernel, 1, WARP, s->to, s->slots, s->steps / 2);
	case STREAM_BARRIER:
		return GPU_RUN_COOPERATIVE(err, barrier_kernel, s->blocks, WARP, s->to, s->from,
					   s->steps, s->state);
	case STREAM_HOST:
		return run_host(s, err);
	case STREAM_SHARED:
		return GPU_RUN(err, issue_kernel<0>, 1, WARP, s->to, s->from, s->steps, 1u);
	default:
		return GPU_RUN(err, issue_kernel<CHAIN>, 1, WARP, s->to, s->from, s->steps, 1u);
	}
}
