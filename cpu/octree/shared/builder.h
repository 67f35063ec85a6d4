/* builder.h -- the common part of the CPU octree builders: box and keys, the pool of nodes, lists
 * of bodies, the output.
 *
 * A node is a row of eight children (common/octree_types.h), 32 bytes and aligned, so it touches one
 * cache line at most.  Threads take rows from the pool in chunks; all children are OCTREE_FREE
 * then.
 */
#ifndef GPUBENCH_CPU_OCTREE_SHARED_BUILDER_H
#define GPUBENCH_CPU_OCTREE_SHARED_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/benchmark.h"
#include "common/octree_types.h"
#include "common/status.h"
#include "common/timer.h"
#include "cpu/runtime/range.h"
#include "cpu/runtime/simd.h"

struct octree_cpu {
	const struct octree_input *input;
	size_t count;
	int bucket;
	int threads;
	enum cpu_simd simd;
	struct octree_box box;
	uint64_t *key; /* count, or NULL if the builder needs none */
	int32_t (*child)[8];
	size_t pool;    /* rows of child */
	size_t chunk;   /* rows that a thread takes at a time */
	size_t taken;   /* rows taken from the pool; atomic; may exceed it */
	int32_t *next;  /* count: links of the lists of leaves, as in the output */
	uint8_t *rank;  /* count: place of a body in its list, counted from the tail, 1; or NULL */
	bool exhausted; /* atomic */
	double insert_ns;
	size_t insert_runs; /* insert_ns sums all but the first, which touched the memory */
};

enum octree_wants { OCTREE_WANTS_KEYS = 1, OCTREE_WANTS_RANKS = 2, OCTREE_ONE_THREAD = 4 };

/* Allocate the pool and the arrays in `wants` (enum octree_wants), for a state that begins with a
 * struct octree_cpu. */
enum gb_status octree_cpu_init(void *state, const void *params, const void *input, unsigned wants,
			       struct gb_error *err);

/* True if one thread works on the bodies, outside of a parallel region: there are few, or it is the
 * only one.  With cold caches, starting a region takes as long as some thousand bodies. */
bool octree_cpu_is_alone(const struct octree_cpu *cpu);

/* The first phases of all builders: the root box, and the keys in cpu->key. */
void octree_cpu_box(struct octree_cpu *cpu, struct gb_timer *timer);
void octree_cpu_keys(struct octree_cpu *cpu, struct gb_timer *timer);
/* Compute the keys of `count` bodies from `first` on. */
void octree_cpu_keys_of(const struct octree_cpu *cpu, size_t first, size_t count, uint64_t *key);

/* True if neighbours in memory are neighbours in space, and the tree has about the same depth
 * everywhere, at most a few levels more than evenly spread bodies need.  Estimated from a sample;
 * the box must be known. */
bool octree_cpu_is_even(const struct octree_cpu *cpu);

/* Empty the pool but for the root, start the phase `name`, and return the time. */
double octree_cpu_begin(struct octree_cpu *cpu, struct gb_timer *timer, const char *name);
/* End what octree_cpu_begin() began; GB_ERUNTIME if the pool was exhausted. */
enum gb_status octree_cpu_end(struct octree_cpu *cpu, double start_ns, struct gb_error *err);

/* Rows of the pool in use. */
size_t octree_cpu_rows(const struct octree_cpu *cpu);
/* Operations of a variant whose state begins with a struct octree_cpu: copy nodes and lists to the
 * benchmark's output; report "insert_g_per_s", 10^9 bodies per second between begin and end, mean
 * over the runs after the first. */
enum gb_status octree_cpu_download(void *state, void *output, struct gb_error *err);
void octree_cpu_metrics(void *state, struct gb_metrics *metrics);

/* The number of digits that two keys share: 0 .. 21. */
static inline int octree_shared(uint64_t a, uint64_t b)
{
	return a == b ? OCTREE_LEVELS : (__builtin_clzll(a ^ b) - 1) / 3;
}

/* ---- a thread's rows of the pool ----------------------------------------------------------- */

struct octree_rows {
	int32_t row, end;
};

/* Refill *rows.  If the pool is exhausted, set cpu->exhausted and return false. */
bool octree_cpu_refill(struct octree_cpu *cpu, struct octree_rows *rows);

/* Take a node without children; 0 if the pool is exhausted. */
static inline int32_t octree_cpu_node(struct octree_cpu *cpu, struct octree_rows *rows)
{
	if (rows->row == rows->end && !octree_cpu_refill(cpu, rows))
		return 0;
	return rows->row++;
}

/* ---- lists of bodies ----------------------------------------------------------------------- */

/* One thread changes a list.  Others may read its ranks meanwhile and find out later that they were
 * outdated: hence relaxed atomic accesses. */

/* True if a leaf with this first body is full.  Buckets of one need no ranks. */
static inline bool octree_list_full(const struct octree_cpu *cpu, int32_t head, int bucket)
{
	return bucket == 1 || __atomic_load_n(&cpu->rank[head], __ATOMIC_RELAXED) >= bucket;
}

/* Put body i in front of the leaf `value`; return the new value. */
static inline int32_t octree_list_push(struct octree_cpu *cpu, int32_t value, int32_t i, int bucket)
{
	int32_t head = value == OCTREE_FREE ? -1 : octree_body(value);

	if (bucket > 1) {
		uint8_t rank = head < 0 ? 0 : __atomic_load_n(&cpu->rank[head], __ATOMIC_RELAXED);

		__atomic_store_n(&cpu->rank[i], (uint8_t)(rank + (rank < UINT8_MAX)),
				 __ATOMIC_RELAXED);
	}
	__atomic_store_n(&cpu->next[i], head, __ATOMIC_RELAXED);
	return octree_body(i);
}

/* Put body i in front of an octant of level 21: one exchange, whatever the number of threads.  Its
 * successor is not read before all bodies are in. */
/* NOLINTNEXTLINE(readability-non-const-parameter): an atomic operation is not seen as a write */
static inline void octree_list_chain(struct octree_cpu *cpu, int32_t *slot, int32_t i)
{
	const int32_t before = __atomic_exchange_n(slot, octree_body(i), __ATOMIC_ACQ_REL);

	__atomic_store_n(&cpu->next[i], before == OCTREE_FREE ? -1 : octree_body(before),
			 __ATOMIC_RELAXED);
}

/* Move the bodies of a full list to the octants of a node that the caller owns; shift is the
 * position of the node's digit in a key. */
static inline void octree_list_scatter(struct octree_cpu *cpu, int32_t head, int32_t node,
				       int shift, int bucket)
{
	int32_t *child = cpu->child[node];

	for (int k = 0; k < bucket; k++) {
		const int32_t i = head;
		const int digit = (int)(cpu->key[i] >> shift) & 7;

		head = __atomic_load_n(&cpu->next[i], __ATOMIC_RELAXED);
		child[digit] = octree_list_push(cpu, child[digit], i, bucket);
	}
}

/* Divide a full leaf that the caller owns until body i fits; shift is the position of the digit
 * that leads to the leaf.  Returns the node that replaces it or, if the pool is exhausted,
 * OCTREE_FREE; the tree is then lost. */
static inline int32_t octree_leaf_divide(struct octree_cpu *cpu, struct octree_rows *rows,
					 int32_t leaf, int32_t i, int shift, int bucket)
{
	int32_t top = leaf;
	int32_t *slot = &top;

	do {
		const int32_t node = octree_cpu_node(cpu, rows);

		if (!node)
			return OCTREE_FREE;
		shift -= 3;
		octree_list_scatter(cpu, octree_body(*slot), node, shift, bucket);
		*slot = node;
		slot = &cpu->child[node][cpu->key[i] >> shift & 7];
	} while (*slot != OCTREE_FREE && shift > 0 &&
		 octree_list_full(cpu, octree_body(*slot), bucket));
	*slot = octree_list_push(cpu, *slot, i, bucket);
	return top;
}

#endif
