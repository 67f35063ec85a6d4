/* lf_shared.cu -- step 3 of 4: lf on subtrees in shared memory, after a sort by 13 digits.
 *
 * OctreeBuild-LF (Cordeiro and Zola 2024) names this as future work.
 *
 *	sort    bodies by the first 13 digits of their keys: 5 passes instead of 8
 *	link    the top of the tree, all cells with more than 2048 bodies, as morton builds its
 *	        nodes; then eight threads per node find its children by searches in the sorted
 *	        keys: nodes, leaves, or tasks, which are cells with up to 2048 bodies
 *	insert  a block takes one task after another: it loads the keys into shared memory,
 *	        inserts there as in lf, and writes the finished subtree out in one piece.  Nodes
 *	        are renumbered without those that threads took and did not use, and the root
 *	        goes into the slot that the task names
 *
 * All random access is in shared memory; global memory is accessed in whole rows, in order.
 *
 * Bodies that do not fit in shared memory are inserted last, with the global lock-free path of lf,
 * from the task's slot on.  They are in cells with more than 2048 bodies at level 13, or in
 * subtrees with more nodes than the block has room for, because of close pairs.
 *
 * Bytes per body: 40 for box, keys and cleared links, 5 * 24 for the sort, 32 to find the top
 * nodes, and 12 of keys and numbers for the tasks; and 32 per node.  Bound: memory bandwidth.
 */
#include "cuda/octree/shared/lf.h"
#include "cuda/octree/shared/linear.h"

enum {
	BLOCK = 512,
	SMALL_BLOCK = 256, /* all kernels but task_kernel */
	LARGEST = 2048,    /* most bodies of a task */
	MOST_ROWS = 1536,  /* most nodes of a task, if shared memory allows */
	DEEPEST = 12,      /* deepest level of top nodes */
	FIRST_BIT = 3 * (OCTREE_DEEPEST - DEEPEST),
	KEY_BITS = 3 * OCTREE_LEVELS,
	SM_BLOCKS = 3, /* task blocks per multiprocessor */
};

/* A cell: bodies first .. first + size - 1 in the order of their keys, below slot `octant` of a
 * node that is one level above `level`. */
struct task {
	uint32_t first, size, node;
	uint16_t octant, level;
};

/* A top node: its first body and level. */
struct cell {
	uint32_t first, level;
};

/* The bodies in the order of their keys' first digits.  Bodies that share these keep their original
 * order, which helps: neighbours inserted at the same time would compete for one slot. */
struct sorted {
	uint64_t *keys; /* numbers follow */
	uint32_t *numbers, *numbers_in;
	void *spare; /* for keys and numbers */
	uint32_t *base;
};

struct state {
	octree_arrays arrays; /* first: shared operations cast a state to it */
	struct sorted sorted;
	cell *cells;
	task *tasks, *hard; /* hard: left to lf */
	uint32_t rows;      /* most nodes of a task */
	size_t shared_bytes;
	octree_grid grid; /* grid of hard_kernel */
};

/* Arguments of the kernels. */
struct forest {
	octree_linear linear;    /* bucket: LARGEST */
	const uint32_t *numbers; /* body numbers in key order */
	const uint64_t *keys;    /* by body number */
	octree_tree tree;
	cell *cells;
	task *tasks, *hard;
	uint32_t rows;
};

/* ---- the top ----------------------------------------------------------------------------- */

/* One thread per body: list the top nodes that it starts. */
static __global__ void list_kernel(forest f)
{
	const size_t i = (size_t)blockIdx.x * SMALL_BLOCK + threadIdx.x;

	if (i >= f.linear.count || f.tree.counters->exhausted)
		return;

	const int common_before = linear_common_before(&f.linear, i);
	const int common_bucket = linear_common_bucket(&f.linear, i);

	for (int level = common_before + 1; level <= common_bucket; level++) {
		cell *const cell = &f.cells[linear_node(&f.linear, i, level)];

		cell->first = (uint32_t)i;
		cell->level = (uint32_t)level;
	}
}

/* The first body from `from` on whose cell (keys >> shift) is not below `cell`. */
static __device__ __forceinline__ size_t find(const octree_linear *l, size_t from, int shift,
					      uint64_t cell)
{
	size_t at = from, step = 1;

	if (at == l->count || l->keys[at] >> shift >= cell)
		return at;
	while (step < l->count - at && l->keys[at + step] >> shift < cell) {
		at += step;
		step *= 2;
	}
	for (; step > 0; step /= 2) {
		if (step < l->count - at && l->keys[at + step] >> shift < cell)
			at += step;
	}
	return at + 1;
}

/* Link these bodies as a leaf; return the value of its slot. */
static __device__ __forceinline__ int32_t list(const forest *f, size_t first, size_t size)
{
	for (size_t k = 1; k < size; k++)
		f->tree.next[f->numbers[first + k - 1]] = (int32_t)f->numbers[first + k];
	return octree_body((int32_t)f->numbers[first]);
}

/* Grid-stride loop over the slots of the top nodes, eight threads per node. */
static __global__ void children_kernel(forest f)
{
	octree_counters *const counters = f.tree.counters;
	const size_t slots = counters->exhausted ? 0 : counters->taken * 8;

	for (size_t s = (size_t)blockIdx.x * SMALL_BLOCK + threadIdx.x; s < slots;
	     s += (size_t)gridDim.x * SMALL_BLOCK) {
		const cell up = f.cells[s / 8];
		const int level = (int)up.level + 1, shift = 3 * (OCTREE_LEVELS - level);
		const uint64_t cell = (f.linear.keys[up.first] >> shift & ~(uint64_t)7) | s % 8;
		const size_t first = find(&f.linear, up.first, shift, cell);
		const size_t size = find(&f.linear, first, shift, cell + 1) - first;
		int32_t value = OCTREE_FREE;

		if (size > 0 && size <= f.tree.bucket) {
			value = list(&f, first, size);
		} else if (size > LARGEST && level <= DEEPEST) {
			value = (int32_t)linear_node(&f.linear, first, level);
		} else if (size > 0) {
			const task task = { (uint32_t)first, (uint32_t)size, (uint32_t)(s / 8),
					    (uint16_t)(s % 8), (uint16_t)level };

			if (size > LARGEST)
				f.hard[atomicAdd(&counters->hard_tasks, 1u)] = task;
			else
				f.tasks[atomicAdd(&counters->tasks, 1u)] = task;
		}
		f.tree.child[s / 8][s % 8] = value;
	}
}

/* ---- tasks ------------------------------------------------------------------------------- */

/* A block's subtree.  In shared memory it is followed by keys[LARGEST], which struct node_numbers
 * later replaces, next[LARGEST], rank[LARGEST] if leaves are lists, and child[rows]. */
struct alignas(16) subtree { /* aligns nodes too, which are cleared 16 bytes at a time */
	octree_counters counters;
	uint32_t task; /* its number */
	uint32_t base; /* first of its nodes in the pool; 0: none */
};

static size_t shared_bytes(size_t rows, bool lists)
{
	const size_t body = sizeof(uint64_t) + sizeof(int32_t) + (lists ? sizeof(uint32_t) : 0);

	return sizeof(subtree) + LARGEST * body + rows * sizeof(int32_t[8]);
}

/* The nodes of a subtree that are in use, and how many precede each word of 32. */
struct node_numbers {
	uint32_t used[MOST_ROWS / WARP], before[MOST_ROWS / WARP];
	uint32_t count;
};

static_assert(sizeof(node_numbers) <= LARGEST * sizeof(uint64_t), "it takes the keys' place");
static_assert(MOST_ROWS <= 2 * WARP * WARP, "two words for each lane of a warp");

/* The new number of node `k`, which is in use. */
static __device__ __forceinline__ uint32_t number_of(const node_numbers *n, uint32_t k)
{
	return n->before[k / WARP] + (uint32_t)__popc(n->used[k / WARP] & ((1u << k % WARP) - 1));
}

/* Number the nodes in use among the first `nodes`, with the whole block.  unused: a node that this
 * thread took and did not use, or 0. */
static __device__ __forceinline__ void number_nodes(node_numbers *n, uint32_t nodes,
						    uint32_t unused)
{
	const uint32_t words = (nodes + WARP - 1) / WARP;

	for (uint32_t k = threadIdx.x; k < words; k += BLOCK)
		n->used[k] = nodes - k * WARP < WARP ? (1u << nodes % WARP) - 1 : ~0u;
	__syncthreads();
	if (unused)
		atomicAnd(&n->used[unused / WARP], ~(1u << unused % WARP));
	__syncthreads();
	if (threadIdx.x < WARP) {
		const uint32_t first = threadIdx.x * 2;
		const uint32_t a = first < words ? (uint32_t)__popc(n->used[first]) : 0;
		const uint32_t b = first + 1 < words ? (uint32_t)__popc(n->used[first + 1]) : 0;
		const uint32_t inclusive = warp_scan(a + b);

		if (first < words)
			n->before[first] = inclusive - a - b;
		if (first + 1 < words)
			n->before[first + 1] = inclusive - b;
		if (threadIdx.x == WARP - 1)
			n->count = inclusive;
	}
	__syncthreads();
}

/* One thread: take `nodes` nodes of the pool for a finished subtree and link the first to the
 * task's slot.  Returns the first, or 0 if the pool is exhausted. */
static __device__ __forceinline__ uint32_t place(const forest *f, const task *task, uint32_t nodes)
{
	octree_counters *const counters = f->tree.counters;
	const uint64_t base =
		atomicAdd((unsigned long long *)&counters->taken, (unsigned long long)nodes);

	if (base + nodes > f->tree.pool) {
		gpu_st_relaxed(&counters->exhausted, 1);
		return 0;
	}
	f->tree.child[task->node][task->octant] = (int32_t)base;
	return (uint32_t)base;
}

/* Write the subtree's rows and lists to the pool, with the tree's numbers of bodies and nodes. */
static __device__ __forceinline__ void write_out(const forest *f, const octree_tree *sub,
						 const task *task, const node_numbers *numbering,
						 uint32_t nodes, uint32_t base)
{
	const uint32_t *const numbers = f->numbers + task->first;
	const int32_t *const from = sub->child[0];
	int32_t *const to = f->tree.child[base];

	for (uint32_t k = threadIdx.x; k < nodes * 8; k += BLOCK) {
		const uint32_t node = k / 8;
		const int32_t value = from[k];

		if (!(numbering->used[node / WARP] >> node % WARP & 1))
			continue;
		to[number_of(numbering, node) * 8 + k % 8] =
			value > 0 ? (int32_t)(base + number_of(numbering, (uint32_t)value))
			: value < OCTREE_FREE ? octree_body((int32_t)numbers[octree_body(value)])
					      : (int32_t)OCTREE_FREE;
	}
	for (uint32_t k = threadIdx.x; k < task->size; k += BLOCK) {
		if (sub->next[k] >= 0)
			f->tree.next[numbers[k]] = (int32_t)numbers[sub->next[k]];
	}
}

/* Each block takes tasks until none are left. */
template <bool LISTS> static __global__ void __launch_bounds__(BLOCK) task_kernel(forest f)
{
	extern __shared__ __align__(16) subtree s[];
	uint64_t *const keys = (uint64_t *)(void *)(s + 1);
	node_numbers *const numbering = (node_numbers *)(void *)keys;
	int32_t *const next = (int32_t *)(void *)(keys + LARGEST);
	uint32_t *const rank = (uint32_t *)(void *)(next + LARGEST);
	const octree_tree sub = { (int32_t(*)[8])(void *)(LISTS ? rank + LARGEST : rank),
				  next,
				  rank,
				  f.rows,
				  f.tree.bucket,
				  &s->counters };
	uint32_t failures = 0;

	for (;;) {
		if (threadIdx.x == 0) {
			s->task = atomicAdd(&f.tree.counters->ticket, 1u);
			s->counters.taken = 1;
			s->counters.exhausted = 0;
			octree_clear_node(sub.child[0]);
		}
		__syncthreads();
		if (s->task >= f.tree.counters->tasks)
			break;

		const task task = f.tasks[s->task];
		const octree_range range = { threadIdx.x, BLOCK, task.size, NULL };
		const octree_place root = { 0, task.level };
		octree_inserter self = {};

		for (uint32_t k = threadIdx.x; k < task.size; k += BLOCK) {
			keys[k] = f.linear.keys[task.first + k];
			next[k] = -1;
		}
		__syncthreads();
		octree_insert<octree_kind<true, LISTS>>(&self, range, keys, &sub, root, 1);
		failures += self.failures;

		__syncthreads();
		if (s->counters.exhausted) {
			if (threadIdx.x == 0)
				f.hard[atomicAdd(&f.tree.counters->hard_tasks, 1u)] = task;
			__syncthreads();
			continue;
		}

		const uint32_t nodes = (uint32_t)s->counters.taken;

		number_nodes(numbering, nodes, (uint32_t)self.node);
		if (threadIdx.x == 0)
			s->base = place(&f, &task, numbering->count);
		__syncthreads();
		if (s->base)
			write_out(&f, &sub, &task, numbering, nodes, s->base);
		__syncthreads();
	}
	octree_count(&f.tree.counters->cas_failures, failures);
}

/* Insert the tasks left over; the grid's warps take 32 bodies at a time. */
template <bool LISTS>
static __global__ void __launch_bounds__(SMALL_BLOCK, 4) hard_kernel(forest f, uint32_t chunk)
{
	const size_t warps = (size_t)gridDim.x * (SMALL_BLOCK / WARP);
	const size_t warp = ((size_t)blockIdx.x * SMALL_BLOCK + threadIdx.x) / WARP;
	const uint32_t tasks = f.tree.counters->hard_tasks;
	octree_inserter self = {};
	size_t dealt = 0; /* modulo warps */

	for (uint32_t k = 0; k < tasks; k++) {
		const task task = f.hard[k];
		const size_t mine = (warp + warps - dealt) % warps;
		const octree_range range = { mine * WARP + threadIdx.x % WARP, warps * WARP,
					     task.size, f.numbers + task.first };
		const octree_place above = { (int32_t)task.node, task.level - 1 };

		octree_insert<octree_kind<false, LISTS>>(&self, range, f.keys, &f.tree, above,
							 chunk);
		dealt = (dealt + (task.size + WARP - 1) / WARP) % warps;
	}
	octree_count(&f.tree.counters->cas_failures, self.failures);
}

/* ---- operations -------------------------------------------------------------------------- */

/* Choose the most nodes of a task that the device's shared memory has room for.  It is unknown in a
 * dry run, and 64 KB or more on every device. */
static void choose_rows(state *s)
{
	const size_t most = (size_t)gpu_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
	const bool lists = s->arrays.tree.rank != NULL;

	s->rows = MOST_ROWS;
	while (most && shared_bytes(s->rows, lists) > most)
		s->rows -= WARP;
	s->shared_bytes = shared_bytes(s->rows, lists);
}

static gpu_sort_args sort_of(const sorted *s, const octree_arrays *a)
{
	return {
		.count = a->count,
		.key_size = sizeof *s->keys,
		.value_size = sizeof *s->numbers,
		.begin_bit = FIRST_BIT,
		.end_bit = KEY_BITS,
		.keys_in = a->keys,
		.values_in = s->numbers_in,
		.out = s->keys,
		.spare = s->spare,
		.temp = a->temp,
		.counted = true,
	};
}

static enum gb_status create_sorted(sorted *s, octree_arrays *a, struct gb_error *err)
{
	const gpu_sort_args args = sort_of(s, a);
	const size_t count = a->count,
		     both = gpu_sort_bytes(count, sizeof *s->keys, sizeof *s->numbers);

	(void)gpu_alloc((void **)&s->keys, both, 1, err);
	s->numbers = (uint32_t *)(void *)((char *)s->keys + values_offset(count, sizeof *s->keys));
	(void)gpu_alloc(&s->spare, both, 1, err);
	(void)gpu_alloc(&s->numbers_in, count, err);
	(void)gpu_alloc(&s->base, count, err);
	return linear_create(a, gpu_sort_temp_bytes(&args), err);
}

static enum gb_status create(state *s, const void *params, const octree_input *input,
			     struct gb_error *err)
{
	const size_t n = input->count;
	const size_t cells = 1 + (size_t)DEEPEST * (n / LARGEST), tasks = 8 * cells;

	if (octree_arrays_create(&s->arrays, input, true, err) != GB_OK)
		return err->code;
	choose_rows(s);
	s->grid = octree_grid_of(input->bucket > 1 ? hard_kernel<true> : hard_kernel<false>, n,
				 SMALL_BLOCK, octree_slack(input));
	(void)create_sorted(&s->sorted, &s->arrays, err);
	(void)gpu_alloc(&s->cells, cells, err);
	(void)gpu_alloc(&s->tasks, tasks, err);
	return gpu_alloc(&s->hard, tasks, err);
}

static enum gb_status upload(const state *s, struct gb_error *err)
{
	void (*const kernel)(forest) = s->arrays.tree.rank ? task_kernel<true> : task_kernel<false>;

	if (CUDA_TRY(err, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
					       (int)s->shared_bytes)))
		return err->code;
	return octree_upload(&s->arrays, err);
}

/* ---- run --------------------------------------------------------------------------------- */

/* Queue the start of a run, and sort.  Phases "box", "keys" and "sort". */
static enum gb_status sort(const sorted *s, const octree_arrays *a, struct gb_timer *timer,
			   struct gb_error *err)
{
	const gpu_sort_args args = sort_of(s, a);

	if (octree_queue_box(a, timer, err) || a->count == 0 ||
	    octree_queue_keys(a, s->numbers_in, &args, timer, err))
		return err->code;
	gb_phase(timer, "sort");
	return gpu_sort(&args, NULL, err);
}

static enum gb_status link_top(const state *s, const forest *f, struct gb_error *err)
{
	if (linear_number(&f->linear, &s->arrays, false, err) != GB_OK)
		return err->code;
	list_kernel<<<gpu_blocks(s->arrays.count, SMALL_BLOCK), SMALL_BLOCK, 0, gpu_stream()>>>(*f);
	children_kernel<<<gpu_sm_count() * 4, SMALL_BLOCK, 0, gpu_stream()>>>(*f);
	return CUDA_TRY(err, cudaGetLastError());
}

template <bool LISTS>
static enum gb_status insert(const state *s, const forest *f, struct gb_error *err)
{
	task_kernel<LISTS>
		<<<gpu_sm_count() * SM_BLOCKS, BLOCK, s->shared_bytes, gpu_stream()>>>(*f);
	hard_kernel<LISTS><<<s->grid.blocks, SMALL_BLOCK, 0, gpu_stream()>>>(*f, s->grid.chunk);
	return CUDA_TRY(err, cudaGetLastError());
}

static enum gb_status run(state *s, struct gb_timer *timer, struct gb_error *err)
{
	const octree_arrays *const a = &s->arrays;
	const forest f = {
		.linear = { s->sorted.keys, s->sorted.base, a->count, LARGEST, DEEPEST },
		.numbers = s->sorted.numbers,
		.keys = a->keys,
		.tree = a->tree,
		.cells = s->cells,
		.tasks = s->tasks,
		.hard = s->hard,
		.rows = s->rows,
	};

	if (sort(&s->sorted, a, timer, err) || a->count == 0)
		return err->code;
	gb_phase(timer, "link");
	if (link_top(s, &f, err) != GB_OK)
		return err->code;
	gb_phase(timer, "insert");
	return a->tree.rank ? insert<true>(s, &f, err) : insert<false>(s, &f, err);
}

/* tasks: cells given to blocks; hard_tasks: those left to lf. */
static void metrics(const octree_arrays *a, struct gb_metrics *metrics)
{
	octree_metrics(a, metrics);
	gb_metric(metrics, "tasks", a->last.tasks);
	gb_metric(metrics, "hard_tasks", a->last.hard_tasks);
}

/* Derived in the head of this file. */
static double bytes(const void *params, const octree_input *input)
{
	return octree_bytes(params, input) + (double)input->count * (8 + 120 + 32 + 12 - 8);
}

extern "C" const struct gb_variant_ops octree_cuda_lf_shared =
	octree_ops<state, create, run, bytes, metrics, upload>();
