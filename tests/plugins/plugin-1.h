/* clang-format off */
/* plugin.h as it was installed with ABI 1, for tests/plugins.py. */
/* plugin.h -- what a plug-in needs: variants compiled outside this repository.
 *
 * A plug-in is a shared object that defines one table with GB_PLUGIN().  `gpubench radix
 * --plugin=./mine.so` lists, verifies and times its variants like the program's own, as cpu/NAME or
 * cuda/NAME.  struct gb_variant_ops says what a variant does, the header of each benchmark (radix.h
 * ...) what it gets and what it must put out.
 *
 *	gcc -O3 -fPIC -shared mine.c -o mine.so
 *	nvcc -O3 -Xcompiler -fPIC -shared mine.cu -o mine.so
 *
 * The functions declared here and in the headers below are those of the program.  A plug-in runs in
 * a process of its own, with a copy of the parameters and of what an input has for variants;
 * members that only the verifier uses are NULL or 0.
 */
#ifndef GPUBENCH_COMMON_PLUGIN_H
#define GPUBENCH_COMMON_PLUGIN_H

/* bfs.h -- the interface of the bfs workload and its variants: parameters, input, formats, output.
 *
 * A search starts at one source and gives for every vertex its distance in edges (dist), the vertex
 * it was reached from (parent), or both.  A batch is several independent searches in one run.
 * Search i of sample k starts at source k * batch + i modulo the number of sources, so sources
 * repeat within a batch that is larger than their number.
 *
 * The graph comes in two formats.  CSR is always there: the out-edges of all vertices and, for
 * bottom-up searches, the in-edges.  A bit matrix (the paper's CCAM, Coded for CUDA Adjacency
 * Matrix) exists if the graph has at most BFS_MATRIX_VERTICES vertices and memory suffices: bit v %
 * 32 of word v / 32 of row u is set if there is an edge u -> v.  Rows are padded with zero bits to
 * a multiple of 128 bytes, so that each starts on a cache line; the paper pads to 4 bytes.  The
 * transposed matrix has the in-edges.
 *
 * A graph may have self-loops and parallel edges; m counts each of them.  The matrix merges
 * parallel edges, which does not change any distance.
 */
#ifndef GPUBENCH_COMMON_BFS_H
#define GPUBENCH_COMMON_BFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* status.h -- error reporting of all gpubench functions.
 *
 * A function that can fail returns enum gb_status and takes struct gb_error *err as its last
 * argument.  Nothing below cli/ prints or exits.
 */
#ifndef GPUBENCH_COMMON_STATUS_H
#define GPUBENCH_COMMON_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* The values are also the program's exit status. */
enum gb_status {
	GB_OK = 0,
	GB_EVERIFY = 1,        /* a result disagreed with the reference */
	GB_EUSAGE = 2,         /* the command line or an input file is invalid */
	GB_EUNAVAILABLE = 3,   /* not in this build, no such device, not supported: a skip */
	GB_ERUNTIME = 4,       /* a CUDA error, a lost thread, a time-out */
	GB_EIO = 5,            /* output could not be written */
	GB_EUNDECIDED = 6,     /* a comparison had too little data to decide */
	GB_EMEMORY = 7,        /* too little memory: a measurement is skipped; elsewhere the
				  program ends with the exit status of GB_ERUNTIME */
	GB_EINTERRUPTED = 130, /* Ctrl-C */
};

/* Initialise with { 0 }.  The first failure is kept; later failures do not overwrite it. */
struct gb_error {
	enum gb_status code;
	char message[480];
};

/* Record a failure and return the code that err then holds, so that callers can write
 *	return gb_fail(err, GB_ERUNTIME, "cannot start %d threads", n);
 */
enum gb_status gb_fail(struct gb_error *err, enum gb_status code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Fail with GB_EMEMORY: "out of memory", followed by " for " and `what` unless that is NULL. */
enum gb_status gb_out_of_memory(struct gb_error *err, const char *what);

#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum bfs_graph { BFS_GNP, BFS_KRONECKER, BFS_UNIFORM, BFS_GRID, BFS_BLOCKS, BFS_GRAPHS };
enum bfs_output { BFS_DIST, BFS_PARENT, BFS_BOTH, BFS_OUTPUTS };
enum bfs_index { BFS_INDEX_AUTO, BFS_INDEX_16, BFS_INDEX_32, BFS_INDICES };

enum {
	BFS_UNREACHED = -1,          /* dist and parent of a vertex that cannot be reached */
	BFS_MATRIX_VERTICES = 65536, /* most vertices of a graph that is kept as a matrix */
	BFS_PITCH = 128,             /* bytes; the size of a matrix row is a multiple of it */
	BFS_BATCH = 64,              /* most searches per run: one bit each of a 64-bit word */
};

struct bfs_params {
	int64_t graph;      /* enum bfs_graph; not used with a file */
	int64_t vertices;   /* gnp, uniform, grid and blocks */
	double p;           /* gnp and blocks: probability of an edge */
	int64_t scale;      /* kronecker: 2^scale vertices */
	int64_t edgefactor; /* kronecker and uniform: undirected edges drawn per vertex */
	int64_t blocks;     /* blocks: number of blocks in the chain */
	double orphans;     /* gnp and blocks: share of vertices without in-edges */
	int64_t multi;      /* kronecker and uniform: 1 to keep self-loops and parallel edges */
	const char *file;   /* .mtx .el .txt .gr .sg, or NULL */
	const char *write;  /* .sg or .el to write the graph to, or NULL */
	int64_t sources;
	int64_t batch;  /* searches per run; use bfs_batch() to read it */
	int64_t output; /* enum bfs_output; --result on the command line */
	int64_t warps;  /* 1 to model warp efficiency */
	int64_t index;  /* enum bfs_index: width of CSR column indices on the device */
	int64_t threads;
	int64_t seed;
};

/* Edges of vertex u: column[row[u]] .. column[row[u + 1] - 1], ascending.  `row` is the same in all
 * variations of a graph: only vertices of equal degrees are exchanged. */
struct bfs_csr {
	uint64_t *row;    /* n + 1 */
	uint32_t *column; /* m */
};

/* The reference's results for the search from one source; computed when first needed. */
struct bfs_facts;
/* The vertices whose names are exchanged in the present variation of the graph. */
struct bfs_variation;

struct bfs_input {
	uint32_t n;     /* vertices: at least 1, at most INT32_MAX */
	uint64_t m;     /* directed edges */
	bool symmetric; /* each edge has its reverse: `in`, `matrix_in` equal `out`, `matrix` */
	struct bfs_csr out, in;
	size_t pitch;          /* 32-bit words from one row of the matrix to the next */
	uint32_t *matrix;      /* n rows, or NULL */
	uint32_t *matrix_in;   /* the transpose, or NULL */
	const char *no_matrix; /* reason for a NULL matrix, for a variant's GB_EUNAVAILABLE */
	size_t source_count;   /* at least 1 */
	uint32_t *source;      /* distinct; all have out-edges unless no vertex has any */
	struct bfs_facts *facts;
	struct bfs_variation *variation; /* NULL: the graph has no variations */
};

/* Searches per run; 1 if batch is 0. */
static inline size_t bfs_batch(const struct bfs_params *params)
{
	return params->batch > 1 ? (size_t)params->batch : 1;
}

/* The source of search number `search`; search i of sample k has number k * batch + i. */
static inline uint32_t bfs_source(const struct bfs_input *input, int64_t search)
{
	return input->source[(size_t)search % input->source_count];
}

/* ---- output: n distances per search of the batch, or n parents per search, or all distances and
 * then all parents ----------------------------------------------------------------------------- */

/* Number of distances and of parents. */
static inline size_t bfs_output_count(const struct bfs_params *params,
				      const struct bfs_input *input)
{
	return (size_t)input->n * bfs_batch(params);
}

static inline size_t bfs_output_size(const struct bfs_params *params, const struct bfs_input *input)
{
	return bfs_output_count(params, input) * sizeof(int32_t) *
	       (params->output == BFS_BOTH ? 2 : 1);
}

/* NULL if distances were not asked for. */
static inline int32_t *bfs_output_dist(const struct bfs_params *params, void *output)
{
	return params->output == BFS_PARENT ? NULL : (int32_t *)output;
}

/* NULL if parents were not asked for.  The source is its own parent. */
static inline int32_t *bfs_output_parent(const struct bfs_params *params,
					 const struct bfs_input *input, void *output)
{
	if (params->output == BFS_DIST)
		return NULL;
	return (int32_t *)output +
	       (params->output == BFS_BOTH ? bfs_output_count(params, input) : 0);
}

/* ---- sizes of the formats, in bytes -------------------------------------------------------- */

/* 32-bit words of a padded row. */
size_t bfs_pitch(uint32_t n);
/* The bit matrix as stored here, with rows padded to BFS_PITCH; the same for its transpose. */
double bfs_bytes_ccam(uint32_t n);
/* The paper's bit matrix, with rows padded to 4 bytes. */
double bfs_bytes_ccam_packed(uint32_t n);
/* The plain matrix, one byte per ordered pair. */
double bfs_bytes_basic(uint32_t n);
/* n + 1 row pointers of 8 bytes, m columns of 4. */
double bfs_bytes_csr32(uint32_t n, uint64_t m);
/* The same with columns of 2 bytes; NAN if n > 65536. */
double bfs_bytes_csr16(uint32_t n, uint64_t m);
/* The edge probability above which G(n, p) is smaller as packed CCAM than as CSR with columns of
 * column_bytes (2 or 4) and row pointers of row_bytes (0: not counted, as in the paper).  NAN for
 * n < 2. */
double bfs_crossover(uint32_t n, unsigned column_bytes, unsigned row_bytes);

/* GB_EUNAVAILABLE, with the reason, if the batch has several searches.  For variants that do
 * one. */
enum gb_status bfs_need_one_source(const struct bfs_params *params, struct gb_error *err);
/* GB_EUNAVAILABLE, with the reason, if parents are requested.  For variants that do batches. */
enum gb_status bfs_need_no_parents(const struct bfs_params *params, struct gb_error *err);

/* ---- conversions for variants -------------------------------------------------------------- */

/* Set bytes[u * n + v] to 1 if there is an edge u -> v, else to 0; n * n bytes. */
void bfs_expand_bytes(const struct bfs_input *input, uint8_t *bytes);
/* Convert columns to 16-bit numbers; n <= 65536. */
void bfs_narrow_columns(const uint32_t *column, uint64_t m, uint16_t *narrow);

#ifdef __cplusplus
}
#endif
#endif
/* cbt.h -- the interface of the cbt workload and its variants: parameters, the heap's layout, the
 * rules of split and merge, input and output.
 *
 * A concurrent binary tree of depth D is a field of 2^D bits, one per node of the deepest level.  A
 * set bit starts a leaf; the distance to the next set bit (or to 2^D) is 2^(D-d) for a leaf of
 * level d.  The field and the sums of all subtrees above it form one implicit heap of 2^(D+2) bits,
 * stored as little-endian words (Grachev and Ushakov 2023, after Dupuy 2020):
 *
 *	node k of level d = floor(log2 k) has D - d + 1 bits from bit 2^(d+1) + k (D - d + 1)
 *	its value is the number of leaves of its subtree; on level D it is the bit itself
 *	level d therefore begins at bit 2^d (D - d + 3), and the field at bit 3 * 2^D
 *	from level 6 on, 64 consecutive nodes fill D - d + 1 whole aligned 64-bit words; from level
 *	5 on, 32 nodes fill as many 32-bit words
 *	bit D is the depth marker, element 0, which starts at bit 0, as in libcbt; at bit 2 in the
 *	paper
 *	all other bits are 0, including those of the last word if 2^(D+2) < 64
 *
 * Splitting leaf k sets the bit of 2k + 1; merging clears the bit of the right sibling.  Each is
 * one atomic OR or AND.  Only level D changes: the sums keep their values until the next reduction,
 * so that leaves can be found by descent while they are split and merged.  Two siblings may merge
 * only if both are leaves (the parent's sum is 2) and both are marked for it.
 */
#ifndef GPUBENCH_COMMON_CBT_H
#define GPUBENCH_COMMON_CBT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define CBT_INLINE static inline __host__ __device__
#else
#define CBT_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* At depth 30 a node's number fits in 31 bits. */
enum { CBT_MIN_DEPTH = 1, CBT_MAX_DEPTH = 30 };

enum cbt_op {
	CBT_BITFIELD, /* find the ids of the leaves from the field alone */
	CBT_REDUCE,   /* compute all sums from the field */
	CBT_DECODE,   /* find the ids of the leaves with the help of the sums */
	CBT_CYCLE,    /* reduce, then decode: one cycle of an unchanged tree */
	CBT_UPDATE,   /* per frame: find the leaves, split and merge them, reduce */
	CBT_OPS,
};

enum cbt_shape { CBT_FULL, CBT_UNIFORM, CBT_RANDOM, CBT_TERRAIN, CBT_SHAPES };

/* How decoded ids are used. */
enum cbt_ids {
	CBT_STORE, /* written to an array, in order */
	CBT_SUM,   /* summed */
	CBT_IDS,
};

struct cbt_params {
	int64_t op; /* enum cbt_op */
	int64_t depth;
	int64_t shape;     /* enum cbt_shape */
	double fill;       /* leaves / 2^depth */
	int64_t ids;       /* enum cbt_ids, for bitfield, decode and cycle */
	int64_t frames;    /* number of frames of update */
	const char *image; /* PNG of the terrain's mesh, or NULL */
	int64_t threads;
	int64_t seed;
};

/* The split and merge requests of one frame, a bit per leaf in the order of the leaves: leaf l is
 * bit l % 64 of word l / 64 (likewise in 32-bit words).  No leaf has both bits set.
 *	split of leaf k: if its level is below D, set the bit of 2k + 1
 *	merge of leaf k: if k > 1 and its sibling is a leaf with its merge bit set, clear the bit
 *	of k | 1
 * A sibling that is a leaf is the previous or the next leaf.  Each array has (leaves + 63) / 64 + 1
 * words; bits from `leaves` on are 0. */
struct cbt_frame {
	size_t leaves; /* before the frame */
	size_t splits; /* carried out */
	size_t merges;
	uint64_t *split;
	uint64_t *merge;
};

struct cbt_input {
	enum cbt_op op;
	enum cbt_ids ids;
	unsigned depth;
	size_t leaves;      /* leaves of the initial tree */
	size_t field_words; /* cbt_field_words(depth) */
	size_t heap_words;  /* cbt_heap_words(depth) */
	uint64_t *field;    /* the initial tree: bit x is bit x % 64 of word x / 64 */
	uint64_t *heap; /* CBT_DECODE, CBT_UPDATE: its whole heap, which no variant changes; else
			   NULL */
	size_t frames;  /* CBT_UPDATE: else 0 */
	struct cbt_frame *frame;
	size_t end_leaves;       /* CBT_UPDATE: leaves of the tree after the last frame */
	uint64_t *end_field;     /* CBT_UPDATE: that tree; else NULL */
	size_t total_leaves;     /* decoded in one run, summed over the frames of CBT_UPDATE */
	struct cbt_swaps *swaps; /* variations of the input (datasets/trees/swaps.h) */
};

/* The header of an output.  The ids and the heap follow, if the operation produces them. */
struct cbt_output {
	uint64_t leaves;    /* leaves decoded; for reduce and update the sum at the root */
	uint64_t id_sum;    /* CBT_SUM: sum of the decoded ids, modulo 2^64 */
	int64_t last_level; /* the heap has the sums of levels 0 .. last_level and the field; D - 1
			       unless the variant keeps fewer */
	uint64_t unused[5];
};

/* ---- nodes ------------------------------------------------------------------------------- */

/* floor(log2 x), x > 0. */
CBT_INLINE unsigned cbt_log2(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return 31u - (unsigned)__clz((int)x);
#else
	return 31u - (unsigned)__builtin_clz(x);
#endif
}

/* Level of node k. */
CBT_INLINE unsigned cbt_level(uint32_t k)
{
	return cbt_log2(k);
}

/* The bit of node k in the field: k 2^(D-d) - 2^D. */
CBT_INLINE uint32_t cbt_field_bit(unsigned depth, uint32_t k)
{
	return (k << (depth - cbt_level(k))) - (UINT32_C(1) << depth);
}

/* The leaf that starts at bit x and ends before bit x + gap; gap is a power of two. */
CBT_INLINE uint32_t cbt_leaf(unsigned depth, uint32_t x, uint32_t gap)
{
	return ((UINT32_C(1) << depth) + x) >> cbt_log2(gap);
}

/* ---- layout ------------------------------------------------------------------------------ */

/* Bits of an element of level d. */
CBT_INLINE unsigned cbt_width(unsigned depth, unsigned level)
{
	return depth - level + 1;
}

/* First bit of level d. */
CBT_INLINE uint64_t cbt_level_bit(unsigned depth, unsigned level)
{
	return (uint64_t)(depth - level + 3) << level;
}

/* First bit of element k, k >= 1. */
CBT_INLINE uint64_t cbt_element_bit(unsigned depth, uint32_t k)
{
	const unsigned level = cbt_level(k);

	return (UINT64_C(2) << level) + (uint64_t)k * cbt_width(depth, level);
}

/* 64-bit words of the field and of the heap: 2^D and 2^(D+2) bits. */
CBT_INLINE size_t cbt_field_words(unsigned depth)
{
	return depth < 6 ? 1 : (size_t)1 << (depth - 6);
}

CBT_INLINE size_t cbt_heap_words(unsigned depth)
{
	return depth < 4 ? 1 : (size_t)1 << (depth - 4);
}

/* Index of the field's first word in the heap; the field is whole words for depth >= 6. */
CBT_INLINE size_t cbt_field_at(unsigned depth)
{
	return (size_t)(UINT64_C(3) << depth >> 6);
}

/* Bytes of the heap before the field; they hold only the sums and the depth marker. */
CBT_INLINE size_t cbt_sum_bytes(unsigned depth)
{
	return (size_t)(UINT64_C(3) << depth >> 3);
}

/* Bits [bit, bit + width) of an array of 64-bit words, width 1 .. 63. */
CBT_INLINE uint64_t cbt_bits(const uint64_t *word, uint64_t bit, unsigned width)
{
	const uint64_t *at = word + (bit >> 6);
	const unsigned shift = (unsigned)(bit & 63);
	uint64_t value = at[0] >> shift;

	if (shift + width > 64)
		value |= at[1] << 1 << (63 - shift);
	return value & ((UINT64_C(1) << width) - 1);
}

/* Set these bits to `value` (< 2^width). */
CBT_INLINE void cbt_set_bits(uint64_t *word, uint64_t bit, unsigned width, uint64_t value)
{
	uint64_t *at = word + (bit >> 6);
	const unsigned shift = (unsigned)(bit & 63);
	const uint64_t mask = (UINT64_C(1) << width) - 1;

	at[0] = (at[0] & ~(mask << shift)) | value << shift;
	if (shift + width > 64)
		at[1] = (at[1] & ~(mask >> 1 >> (63 - shift))) | value >> 1 >> (63 - shift);
}

/* Element k, k >= 1. */
CBT_INLINE uint64_t cbt_get(const uint64_t *heap, unsigned depth, uint32_t k)
{
	return cbt_bits(heap, cbt_element_bit(depth, k), cbt_width(depth, cbt_level(k)));
}

CBT_INLINE void cbt_set(uint64_t *heap, unsigned depth, uint32_t k, uint64_t value)
{
	cbt_set_bits(heap, cbt_element_bit(depth, k), cbt_width(depth, cbt_level(k)), value);
}

/* Copy the field (cbt_field_words words) into the heap; the heap's other bits do not change. */
CBT_INLINE void cbt_put_field(uint64_t *heap, unsigned depth, const uint64_t *field)
{
	if (depth < 6)
		cbt_set_bits(heap, cbt_level_bit(depth, depth), 1U << depth, field[0]);
	else
		memcpy(heap + cbt_field_at(depth), field, cbt_field_words(depth) * sizeof *field);
}

/* ---- output ------------------------------------------------------------------------------ */

CBT_INLINE bool cbt_has_ids(const struct cbt_input *in)
{
	return in->ids == CBT_STORE && in->op != CBT_REDUCE && in->op != CBT_UPDATE;
}

CBT_INLINE bool cbt_has_heap(const struct cbt_input *in)
{
	return in->op == CBT_REDUCE || in->op == CBT_CYCLE || in->op == CBT_UPDATE;
}

/* Bytes of the ids, rounded up to whole 64-byte lines. */
CBT_INLINE size_t cbt_ids_size(const struct cbt_input *in)
{
	return cbt_has_ids(in) ? (in->leaves * sizeof(uint32_t) + 63) / 64 * 64 : 0;
}

CBT_INLINE size_t cbt_output_size(const struct cbt_input *in)
{
	return sizeof(struct cbt_output) + cbt_ids_size(in) +
	       (cbt_has_heap(in) ? in->heap_words * sizeof(uint64_t) : 0);
}

/* in->leaves ids, in the order of the leaves. */
CBT_INLINE uint32_t *cbt_output_ids(const struct cbt_input *in, void *output)
{
	(void)in;
	return (uint32_t *)(void *)((unsigned char *)output + sizeof(struct cbt_output));
}

/* in->heap_words words. */
CBT_INLINE uint64_t *cbt_output_heap(const struct cbt_input *in, void *output)
{
	return (uint64_t *)(void *)((unsigned char *)output + sizeof(struct cbt_output) +
				    cbt_ids_size(in));
}

#ifdef __cplusplus
}
#endif
#endif
/* lbvh.h -- the interface of the lbvh workload (bounding volume hierarchy): input, tree, hits, and
 * the functions whose results must be bitwise equal on every back end.
 *
 * A scene is a list of triangles; primitive p is triangle p.  `build` makes a binary tree over
 * their boxes; `trace` finds the hits of rays in a tree that create() has built.  Builders start
 * from the triangles: computing the boxes of the primitives is part of the timed work, in the phase
 * "bounds".
 *
 * A trace uses either the primary rays of a square image or a stream.  Each variant generates
 * primary rays from the camera, within the timed work, and finds the nearest hit.  A stream is an
 * array of rays in memory that all variants read; the input selects the nearest hit or any hit
 * (occlusion).
 *
 * The phases of a build, if a builder separates them: bounds, codes, sort, leaves, hierarchy, refit
 * (Frolov, Galaktionov 2023, section 4.1).
 *
 * The tree (section 4.2, listing 2): 32-byte nodes, offsets instead of pointers, L leaves and
 * L - 1 inner nodes.
 *
 *	root		node 0
 *	inner node	left, right: the numbers of its children
 *	leaf		left = LBVH_LEAF | first, right = count >= 1: its primitives are
 *			index[first .. first + count)
 *	index		a permutation of 0 .. count - 1
 *
 * Variations of the input (vary() of common/workload.h) exchange triangles i and i + 2 of a build,
 * or rays 2 i and 2 i + 1 of a stream, or shift the camera of an image by less than half a pixel.
 * The triangles of a trace, its vertices and the probe's camera never change, so create() may build
 * the tree that is traced.
 *
 * A node's box is exactly the union of its primitives' boxes.  All builders but ploc and sah number
 * nodes as Karras 2012: inner nodes are 0 .. L - 2, the node of range [a, b] is a if it is its
 * parent's right child and b if it is the left one, leaf i is node L - 1 + i, and leaves are in
 * ascending order of codes.  Primitives of equal code share a leaf, in ascending order of index, so
 * that builders of equal code width produce equal bytes.
 *
 * In a hit, t is the distance along the ray's unit direction: t > 0, and near < t <= far for a ray
 * of a stream.  If distances are equal, the smaller primitive is the hit.  A ray that hits nothing
 * has t = INFINITY and primitive = LBVH_MISS.
 */
#ifndef GPUBENCH_COMMON_LBVH_H
#define GPUBENCH_COMMON_LBVH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --op, --tree, --rays-kind and --rays-order. */
enum lbvh_op { LBVH_BUILD, LBVH_TRACE, LBVH_OPS };
enum lbvh_tree { LBVH_BEST_TREE, LBVH_PAPER_TREE, LBVH_TREES };
enum lbvh_rays { LBVH_PRIMARY, LBVH_SHADOW, LBVH_AMBIENT, LBVH_RANDOM, LBVH_BOUNCE, LBVH_KINDS };
enum lbvh_order { LBVH_GIVEN, LBVH_SORTED, LBVH_ORDERS };

struct lbvh_params {
	int64_t op;         /* enum lbvh_op */
	const char *scene;  /* the name of a generated scene (datasets/mesh/scene.h), or a file */
	int64_t primitives; /* triangles of a generated scene; 0: the scene's default */
	int64_t rays;       /* edge of the image: rays * rays of them, also in a stream */
	int64_t tree;       /* enum lbvh_tree: what our traversals walk; Embree has its own */
	const char *image;  /* file to write the picture to, or NULL */
	int64_t rays_kind;  /* enum lbvh_rays */
	int64_t rays_order; /* enum lbvh_order */
	int64_t compact;    /* 1 to compact a driver's tree */
	int64_t threads;
	int64_t seed;
};

/* Coordinates are finite and at most this large, so that neither a product of three nor a sum of
 * boxes overflows a float.  Code that makes an input rejects larger ones. */
#define LBVH_COORDINATE_MAX 1e12f
/* Positions and both kinds of node numbers fit in 31 bits. */
#define LBVH_PRIMITIVES_MAX (UINT32_C(1) << 29)

/* A ray of a stream, 32 bytes.  It hits at distances near < t <= far along its unit direction. */
struct lbvh_ray {
	float origin[3], near;
	float direction[3], far;
};

/* The direction of pixel (x, y) is corner + x dx + y dy, normalised: lbvh_direction(). */
struct lbvh_camera {
	float eye[3];
	float corner[3]; /* towards the centre of pixel (0, 0), which is at the top left */
	float dx[3], dy[3];
};

struct lbvh_reference; /* state that verify() keeps between variants */

struct lbvh_input {
	size_t count; /* triangles, 1 .. LBVH_PRIMITIVES_MAX */
	size_t vertex_count;
	float *vertex;      /* x y z of each; the float after the last may be read; no -0 */
	uint32_t *triangle; /* three vertex numbers each */
	uint32_t edge;      /* edge of the image in pixels */
	struct lbvh_camera camera;
	struct lbvh_camera probe;         /* the same view, LBVH_PROBE_EDGE pixels wide */
	struct lbvh_ray *ray;             /* a stream of edge * edge; NULL: the camera's rays */
	bool occlusion;                   /* stream: find any hit, not the nearest one */
	struct lbvh_reference *reference; /* used only by the workload, not by variants */
};

/* ---- the tree ----------------------------------------------------------------------------- */

struct lbvh_node {
	float lo[3];
	uint32_t left;
	float hi[3];
	uint32_t right;
};

/* A box in the paper's format, two float4; the fourth components are unused. */
struct lbvh_box {
	float lo[4], hi[4];
};

#define LBVH_LEAF (UINT32_C(1) << 31)
#define LBVH_MISS UINT32_MAX

/* ---- outputs ------------------------------------------------------------------------------ */

/* A build outputs its tree in one of two forms, or in both. */
enum lbvh_tree_kind {
	LBVH_BINARY = 1, /* nodes and index as above: every part is checked */
	LBVH_PROBED = 2, /* any other tree, wide or a library's: download() traces the
			    LBVH_PROBE_EDGE^2 rays of input->probe and outputs the hits */
};

enum { LBVH_PROBE_EDGE = 64, LBVH_PROBES = LBVH_PROBE_EDGE * LBVH_PROBE_EDGE };

/* Marks hits computed by a library with its own arithmetic: the verifier then allows more rays that
 * graze an edge to differ.  Other outputs must match lbvh_intersect(). */
#define LBVH_FOREIGN UINT32_C(0x6f726967)
/* The same.  In addition, the distances are too inexact to compare if a ray grazes a long thin
 * triangle: the verifier replaces each one by that of lbvh_intersect() if they differ by at most
 * 1 %. */
#define LBVH_COARSE UINT32_C(0x636f6172)

/* The output of build: this header, room for 2 count - 1 nodes, count indices, LBVH_PROBES
 * distances, LBVH_PROBES primitives.  A binary tree uses nodes and index, a probed one the hits. */
struct lbvh_tree_header {
	uint32_t kind;       /* enum lbvh_tree_kind, or both of them */
	uint32_t leaves;     /* L; for a tree that is only probed, 0 if unknown */
	uint32_t nodes;      /* 2 L - 1; the same */
	uint32_t arithmetic; /* of the hits: LBVH_FOREIGN, LBVH_COARSE or any other value */
	uint32_t unused[12];
};

static inline size_t lbvh_build_size(const struct lbvh_input *in)
{
	return sizeof(struct lbvh_tree_header) + (2 * in->count - 1) * sizeof(struct lbvh_node) +
	       in->count * sizeof(uint32_t) + (size_t)LBVH_PROBES * 8;
}

static inline struct lbvh_node *lbvh_build_nodes(void *output)
{
	return (struct lbvh_node *)(void *)((unsigned char *)output +
					    sizeof(struct lbvh_tree_header));
}

static inline uint32_t *lbvh_build_index(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)(void *)(lbvh_build_nodes(output) + (2 * in->count - 1));
}

static inline float *lbvh_build_probe_t(const struct lbvh_input *in, void *output)
{
	return (float *)(void *)(lbvh_build_index(in, output) + in->count);
}

static inline uint32_t *lbvh_build_probe_primitive(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)(void *)(lbvh_build_probe_t(in, output) + LBVH_PROBES);
}

/* Bytes that a builder moves: the mesh once, and `bytes` for each primitive. */
static inline double lbvh_build_bytes(const void *input, size_t bytes)
{
	const struct lbvh_input *in = (const struct lbvh_input *)input;

	return 12 * (double)(in->vertex_count + in->count) + (double)in->count * (double)bytes;
}

static inline size_t lbvh_ray_count(const struct lbvh_input *in)
{
	return (size_t)in->edge * in->edge;
}

/* Number of 32-bit words that hold one bit per ray. */
static inline size_t lbvh_bit_words(const struct lbvh_input *in)
{
	return (lbvh_ray_count(in) + 31) / 32;
}

/* The output of trace: a distance for each ray, then a primitive for each; ray (x, y) of an image
 * is at y * edge + x.  With occlusion, bit i % 32 of word i / 32 is set if ray i hits anything, and
 * the bits after the last ray are 0.  A word follows that may be LBVH_FOREIGN or LBVH_COARSE. */
static inline size_t lbvh_trace_size(const struct lbvh_input *in)
{
	return sizeof(uint32_t) *
	       ((in->occlusion ? lbvh_bit_words(in) : 2 * lbvh_ray_count(in)) + 1);
}

static inline float *lbvh_trace_t(void *output)
{
	return (float *)output;
}

static inline uint32_t *lbvh_trace_primitive(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)output + lbvh_ray_count(in);
}

static inline uint32_t *lbvh_trace_bits(void *output)
{
	return (uint32_t *)output;
}

static inline uint32_t *lbvh_trace_arithmetic(const struct lbvh_input *in, void *output)
{
	return (uint32_t *)output + lbvh_trace_size(in) / sizeof(uint32_t) - 1;
}

/* ---- arithmetic that all back ends share ---------------------------------------------------
 *
 * Every operation is rounded once: neither compiler may fuse a product and a sum.  gcc does not
 * with -std=c11; nvcc would, hence the intrinsics.  Minima are `a < b ? a : b`, never fminf(). */

#ifdef __CUDACC__
#define LBVH_FN static __host__ __device__ inline
#else
#define LBVH_FN static inline
#endif

LBVH_FN float lbvh_mul(float a, float b)
{
#ifdef __CUDA_ARCH__
	return __fmul_rn(a, b);
#else
	return a * b;
#endif
}

LBVH_FN float lbvh_add(float a, float b)
{
#ifdef __CUDA_ARCH__
	return __fadd_rn(a, b);
#else
	return a + b;
#endif
}

LBVH_FN float lbvh_min(float a, float b)
{
	return a < b ? a : b;
}

LBVH_FN float lbvh_max(float a, float b)
{
	return a > b ? a : b;
}

LBVH_FN float lbvh_dot(const float a[3], const float b[3])
{
	return lbvh_add(lbvh_add(lbvh_mul(a[0], b[0]), lbvh_mul(a[1], b[1])), lbvh_mul(a[2], b[2]));
}

LBVH_FN void lbvh_cross(const float a[3], const float b[3], float out[3])
{
	out[0] = lbvh_add(lbvh_mul(a[1], b[2]), -lbvh_mul(a[2], b[1]));
	out[1] = lbvh_add(lbvh_mul(a[2], b[0]), -lbvh_mul(a[0], b[2]));
	out[2] = lbvh_add(lbvh_mul(a[0], b[1]), -lbvh_mul(a[1], b[0]));
}

/* The box of primitive p. */
LBVH_FN struct lbvh_box lbvh_primitive_box(const float *vertex, const uint32_t *triangle, size_t p)
{
	const float *a = vertex + 3 * (size_t)triangle[3 * p];
	const float *b = vertex + 3 * (size_t)triangle[3 * p + 1];
	const float *c = vertex + 3 * (size_t)triangle[3 * p + 2];
	struct lbvh_box box;

	for (int k = 0; k < 3; k++) {
		box.lo[k] = lbvh_min(lbvh_min(a[k], b[k]), c[k]);
		box.hi[k] = lbvh_max(lbvh_max(a[k], b[k]), c[k]);
	}
	box.lo[3] = box.hi[3] = 0;
	return box;
}

/* ---- Morton codes ------------------------------------------------------------------------- */

enum { LBVH_BITS_30 = 10, LBVH_BITS_63 = 21 }; /* per axis */

/* Maps twice a box's centre to a cell, per axis: cell = (lo + hi - origin) * scale. */
struct lbvh_grid {
	float origin[3]; /* twice the scene's lower corner */
	float scale[3];  /* 0 for an axis without extent */
};

/* The grid of 2^bits cells per axis over the scene's box; bits <= LBVH_BITS_63. */
LBVH_FN struct lbvh_grid lbvh_grid_over(const float lo[3], const float hi[3], int bits)
{
	const float cells = (float)(UINT32_C(1) << bits);
	struct lbvh_grid grid;

	for (int k = 0; k < 3; k++) {
		const float extent = lbvh_add(hi[k], -lo[k]);

		grid.origin[k] = lbvh_add(lo[k], lo[k]);
		grid.scale[k] = extent > 0 ? lbvh_mul(cells, 0.5f) / extent : 0;
	}
	return grid;
}

/* The cell of a box's centre along axis k, 0 .. 2^bits - 1; 0 if the axis has no extent. */
LBVH_FN uint32_t lbvh_cell(const struct lbvh_grid *grid, int k, float lo, float hi, int bits)
{
	const float most = (float)((UINT32_C(1) << bits) - 1);
	const float place = lbvh_mul(lbvh_add(lbvh_add(lo, hi), -grid->origin[k]), grid->scale[k]);

	return place > 0 ? (uint32_t)(place < most ? place : most) : 0;
}

/* Spread bits 0 .. 9 of v to every third bit. */
LBVH_FN uint32_t lbvh_spread_10(uint32_t v)
{
	v = (v | v << 16) & UINT32_C(0x030000ff);
	v = (v | v << 8) & UINT32_C(0x0300f00f);
	v = (v | v << 4) & UINT32_C(0x030c30c3);
	return (v | v << 2) & UINT32_C(0x09249249);
}

/* Spread bits 0 .. 20 of v to every third bit. */
LBVH_FN uint64_t lbvh_spread_21(uint64_t v)
{
	v = (v | v << 32) & UINT64_C(0x001f00000000ffff);
	v = (v | v << 16) & UINT64_C(0x001f0000ff0000ff);
	v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
	v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (v | v << 2) & UINT64_C(0x1249249249249249);
}

/* Morton codes of a box's centre, with x in the highest bit: 30 bits over a grid of LBVH_BITS_30,
 * or 63 bits over one of LBVH_BITS_63. */
LBVH_FN uint32_t lbvh_code_30(const struct lbvh_grid *grid, const struct lbvh_box *box)
{
	return lbvh_spread_10(lbvh_cell(grid, 0, box->lo[0], box->hi[0], LBVH_BITS_30)) << 2 |
	       lbvh_spread_10(lbvh_cell(grid, 1, box->lo[1], box->hi[1], LBVH_BITS_30)) << 1 |
	       lbvh_spread_10(lbvh_cell(grid, 2, box->lo[2], box->hi[2], LBVH_BITS_30));
}

LBVH_FN uint64_t lbvh_code_63(const struct lbvh_grid *grid, const struct lbvh_box *box)
{
	return lbvh_spread_21(lbvh_cell(grid, 0, box->lo[0], box->hi[0], LBVH_BITS_63)) << 2 |
	       lbvh_spread_21(lbvh_cell(grid, 1, box->lo[1], box->hi[1], LBVH_BITS_63)) << 1 |
	       lbvh_spread_21(lbvh_cell(grid, 2, box->lo[2], box->hi[2], LBVH_BITS_63));
}

/* The number of leading bits, of 64, that two codes share; 64 if they are equal.  All builders use
 * this delta.  The codes of leaves differ, so no index is needed to break ties. */
LBVH_FN int lbvh_delta(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
	return __clzll((long long)(a ^ b));
#else
	return a == b ? 64 : __builtin_clzll(a ^ b);
#endif
}

/* ---- rays --------------------------------------------------------------------------------- */

/* The unit direction of pixel (x, y); all rays start at camera->eye. */
LBVH_FN void lbvh_direction(const struct lbvh_camera *camera, uint32_t x, uint32_t y,
			    float direction[3])
{
	float inverse;

	for (int k = 0; k < 3; k++)
		direction[k] =
			lbvh_add(lbvh_add(camera->corner[k], lbvh_mul((float)x, camera->dx[k])),
				 lbvh_mul((float)y, camera->dy[k]));
	inverse = 1.0f / sqrtf(lbvh_dot(direction, direction));
	for (int k = 0; k < 3; k++)
		direction[k] = lbvh_mul(direction[k], inverse);
}

/* Ray i of an image, in the format of a stream. */
static inline struct lbvh_ray lbvh_camera_ray(const struct lbvh_camera *camera, uint32_t edge,
					      size_t i)
{
	struct lbvh_ray ray = { .near = 0, .far = INFINITY };

	for (int k = 0; k < 3; k++)
		ray.origin[k] = camera->eye[k];
	lbvh_direction(camera, (uint32_t)(i % edge), (uint32_t)(i / edge), ray.direction);
	return ray;
}

static inline struct lbvh_ray lbvh_trace_ray(const struct lbvh_input *in, size_t i)
{
	return in->ray ? in->ray[i] : lbvh_camera_ray(&in->camera, in->edge, i);
}

/* The distance at which the ray hits triangle a b c from either side, or INFINITY (Moeller,
 * Trumbore 1997).  Edges and corners belong to the triangle.  The reference uses this arithmetic; a
 * traversal that rounds differently may differ for a ray that grazes an edge. */
LBVH_FN float lbvh_intersect(const float origin[3], const float direction[3], const float a[3],
			     const float b[3], const float c[3])
{
	float e1[3], e2[3], s[3], p[3], q[3], determinant, inverse, u, v, t;

	for (int k = 0; k < 3; k++) {
		e1[k] = lbvh_add(b[k], -a[k]);
		e2[k] = lbvh_add(c[k], -a[k]);
		s[k] = lbvh_add(origin[k], -a[k]);
	}
	lbvh_cross(direction, e2, p);
	determinant = lbvh_dot(e1, p);
	inverse = 1.0f / determinant;
	u = lbvh_mul(lbvh_dot(s, p), inverse);
	lbvh_cross(s, e1, q);
	v = lbvh_mul(lbvh_dot(direction, q), inverse);
	t = lbvh_mul(lbvh_dot(e2, q), inverse);
	/* A determinant of 0 gives NaN or infinities, which fail here. */
	return u >= 0 && v >= 0 && lbvh_add(u, v) <= 1 && t > 0 && t < INFINITY ? t : INFINITY;
}

/* True if hit (t, p) takes precedence over (best_t, best_p). */
LBVH_FN int lbvh_nearer(float t, uint32_t p, float best_t, uint32_t best_p)
{
	return t < best_t || (t == best_t && t < INFINITY && p < best_p);
}

#ifdef __cplusplus
}
#endif
#endif
/* memory.h -- allocates and counts every array of a benchmark.
 *
 * The counters make `memory` in the record exact, give --dry-run the memory that a point would
 * take, and let a test make the k-th allocation fail.  Host allocations are checked against the
 * memory that is actually free: with overcommit, malloc() would succeed and the kernel would kill
 * the sweep later.  Strings and lists of the command line use malloc() instead.
 */
#ifndef GPUBENCH_COMMON_MEMORY_H
#define GPUBENCH_COMMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


#ifdef __cplusplus
extern "C" {
#endif

enum gb_memory_kind { GB_HOST_MEMORY, GB_DEVICE_MEMORY };

/* Allocate count * size bytes on the host with undefined contents, aligned to 64 bytes; from 4 MiB
 * on aligned to 2 MiB, with huge pages advised.  count == 0 returns a pointer that may be freed.
 * On failure, return NULL with GB_EMEMORY; the message has the bytes needed and free.  Also return
 * NULL if err already holds a failure: of several allocations, only the last needs a check. */
void *gb_host_alloc(size_t count, size_t size, struct gb_error *err);

/* As gb_host_alloc(), filled with zero bytes. */
void *gb_host_zalloc(size_t count, size_t size, struct gb_error *err);

/* Accepts NULL. */
void gb_host_free(void *pointer);

/* Bytes of that kind in use now, and the peak since the last gb_memory_mark(). */
size_t gb_memory_used(enum gb_memory_kind kind);
size_t gb_memory_peak(enum gb_memory_kind kind);
void gb_memory_mark(void);

/* Allocations from now on belong to `owner`, an address that is only compared; NULL, the initial
 * value, means no owner.  gb_memory_free_owned() frees all blocks that still belong to an owner. */
void gb_memory_own(const void *owner);
void gb_memory_free_owned(const void *owner);

/* Declare the first `bytes` bytes (GB_WHOLE: all) of a host or device array to be a result: run(),
 * or reset() before it, writes them every time, and download() reads them.  poison is GB_POISON, or
 * 0 if run() relies on bits that it does not write.  `array` may be NULL. */
#define GB_WHOLE SIZE_MAX
enum { GB_POISON = 0xa5 };
void gb_memory_result(const void *array, size_t bytes, unsigned char poison);

/* Overwrite each result of an owner with `byte`, or with 0 if that is its poison; `fill` is used
 * for device arrays.  `byte` is 128 to 254, so that no correct result consists of it. */
typedef enum gb_status gb_fill_fn(void *array, unsigned char byte, size_t bytes,
				  struct gb_error *err);
enum gb_status gb_memory_poison(const void *owner, unsigned char byte, gb_fill_fn *fill,
				struct gb_error *err);

/* Bookkeeping for other allocators (cuda/): call admit before an allocation, add after it, and
 * remove when it is freed.  gb_memory_admit() is false if a test wants this allocation to fail.
 * `release` frees the pointer after it was removed. */
bool gb_memory_admit(struct gb_error *err);
enum gb_status gb_memory_add(enum gb_memory_kind kind, void *pointer, size_t bytes,
			     void (*release)(void *pointer), struct gb_error *err);
void gb_memory_remove(void *pointer);

/* Make the k-th allocation from now (1: the next) fail; 0: none.  Dry allocations do not count. */
void gb_memory_fail_at(int64_t k);

/* In dry mode, allocations are counted but not limited, and take no memory until touched.  Code
 * that fills an array with generated data must check gb_memory_is_dry() first. */
void gb_memory_set_dry(bool dry);
bool gb_memory_is_dry(void);

#ifdef __cplusplus
}
#endif
#endif
/* octree.h -- the interface of the octree workload and its variants: parameters, input, the root
 * box, the keys of bodies, the format of a tree, and its structural hash.
 *
 * All variants build the same tree.  The root is a cube whose size is a power of two and whose
 * corner is a multiple of half the size, so that every cell of every level has exact bounds and the
 * digits of a body's key are its path from the root.  The tree depends only on the bodies and the
 * bucket size, not on the builder, the order of insertion or the number of threads.
 *
 *	key   63 bits, 21 digits of 3 bits, the most significant digit first; in a digit, bit 0 is
 *	      the upper half of x, bit 1 of y, bit 2 of z
 *	cell  of level l (0: the root, 21: the finest): all bodies whose keys share l digits
 *	node  the root, and every cell of level <= 20 with more than `bucket` bodies
 *	leaf  every child cell of a node that has bodies and is not a node.  At level 21 keys are
 *	      equal and a leaf holds any number of bodies
 *
 * A tree is two arrays.  child[k][d] is the content of octant d of node k:
 *
 *	OCTREE_FREE		empty
 *	k > 0			node k; node 0 is the root
 *	octree_body(i) < -1	a leaf whose first body is i; next[i] is the second one and so on,
 *				-1 after the last, in any order
 *
 * Nodes are numbered in any order and with holes (nodes that were allocated but not used).
 */
#ifndef GPUBENCH_COMMON_OCTREE_H
#define GPUBENCH_COMMON_OCTREE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __CUDACC__
#define OCTREE_INLINE static inline __host__ __device__
#else
#define OCTREE_INLINE static inline
#endif

enum octree_distribution {
	OCTREE_PLUMMER,
	OCTREE_CUBE,
	OCTREE_UNIFORM,
	OCTREE_CLUSTERED,
	OCTREE_COINCIDENT,
	OCTREE_PAIRS,
	OCTREE_DISTRIBUTIONS,
};

enum octree_order {
	OCTREE_OWN,     /* the order of the distribution or the file */
	OCTREE_RANDOM,  /* shuffled */
	OCTREE_SPATIAL, /* ascending keys */
	OCTREE_ORDERS,
};

enum {
	OCTREE_LEVELS = 21,  /* digits of a key */
	OCTREE_DEEPEST = 20, /* the deepest level of a node */
	OCTREE_FREE = -1,
	OCTREE_LOCKED = INT32_MIN, /* for builders that lock; never in an output */
	OCTREE_MAX_BUCKET = 32,
	OCTREE_MAX_COUNT = 1 << 30,
	/* Nodes that builders may allocate in advance and not use: at most this many, and at most
	 * one per body. */
	OCTREE_SLACK = 1 << 19,
};

struct octree_params {
	int64_t distribution; /* enum octree_distribution; not used with a file */
	const char *file;     /* .csv, .ply, or raw float32 xyz; or NULL */
	int64_t count;        /* bodies; with a file: read at most this many, 0: all */
	int64_t bucket;       /* most bodies in a leaf: 1 .. OCTREE_MAX_BUCKET */
	int64_t order;        /* enum octree_order */
	double pool;          /* nodes that a builder may allocate per body; 0: as needed */
	int64_t threads;
	int64_t seed;
};

/* Properties of a tree that are known without building it. */
struct octree_shape {
	size_t nodes;
	size_t leaves;
	int max_depth;     /* level of the deepest leaf; 0 if there are no leaves */
	double mean_depth; /* mean level of a body's leaf; 0 if there are no leaves */
	uint64_t hash;     /* sum of octree_hash_*() over the tree */
};

struct octree_verifier;

struct octree_input {
	size_t count;
	int bucket;
	float *x, *y, *z; /* count each, finite; variations exchange bodies i and i + 2 */
	/* Nodes that a builder allocates: every node of the tree plus, for holes, the lesser of
	 * OCTREE_SLACK and one per body; or the number that --pool requests, which may be too
	 * small.  A builder that needs more stops with GB_ERUNTIME and OCTREE_POOL_EXHAUSTED.  It
	 * never writes beyond its pool, wraps around or waits for a node to appear. */
	size_t pool;
	/* Shape of the correct result, from sorted keys.  Variations of the input have the same
	 * nodes, leaves and depths; the hash is that of the original. */
	struct octree_shape tree;
	struct octree_verifier *verifier; /* scratch of verify() */
};

/* The error message of an exhausted pool; its arguments are size_t pool and count. */
#define OCTREE_POOL_EXHAUSTED                                                               \
	"the pool of %zu nodes is exhausted: the tree of these %zu bodies needs more (see " \
	"--pool)"

/* ---- values of child ---------------------------------------------------------------------- */

/* Converts body i to a value of child and back; the function is its own inverse. */
OCTREE_INLINE int32_t octree_body(int32_t value)
{
	return -2 - value;
}

/* ---- box and keys ------------------------------------------------------------------------- */

struct octree_box {
	double corner[3]; /* multiples of size / 2 */
	double size;      /* a power of two */
	double scale;     /* finest cells per unit of length: 2^21 / size */
};

OCTREE_INLINE int octree_box_holds(const struct octree_box *box, const float high[3])
{
	return (double)high[0] - box->corner[0] < box->size &&
	       (double)high[1] - box->corner[1] < box->size &&
	       (double)high[2] - box->corner[2] < box->size;
}

/* The root box of bodies between low and high (both finite and taken from bodies): the smallest
 * cube of its kind that holds them all.  Every operation is exact except the subtraction in the
 * comparison and in octree_cells(), which rounds monotonically.  The box is therefore the same on
 * every back end, and no body in it gets a coordinate of 2^21. */
OCTREE_INLINE struct octree_box octree_box_of(const float low[3], const float high[3])
{
	struct octree_box box;
	double extent = 0;
	int exponent = 0;

	for (int d = 0; d < 3; d++) {
		double side = (double)high[d] - (double)low[d];

		extent = side > extent ? side : extent;
	}
	if (extent > 0)
		(void)frexp(extent, &exponent); /* 2^exponent > extent */
	do {
		double half;

		box.size = ldexp(1.0, exponent++);
		half = box.size / 2;
		for (int d = 0; d < 3; d++)
			box.corner[d] = floor((double)low[d] / half) * half;
	} while (!octree_box_holds(&box, high));
	box.scale = ldexp(1.0, OCTREE_LEVELS) / box.size;
	return box;
}

/* The finest cell of a position along axis d: 21 bits. */
OCTREE_INLINE uint32_t octree_cells(const struct octree_box *box, int d, float position)
{
	return (uint32_t)(((double)position - box->corner[d]) * box->scale);
}

/* Move bit k of 21 to bit 3 k. */
OCTREE_INLINE uint64_t octree_spread(uint32_t cells)
{
	uint64_t bits = cells & UINT32_C(0x1fffff);

	bits = (bits | bits << 32) & UINT64_C(0x001f00000000ffff);
	bits = (bits | bits << 16) & UINT64_C(0x001f0000ff0000ff);
	bits = (bits | bits << 8) & UINT64_C(0x100f00f00f00f00f);
	bits = (bits | bits << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (bits | bits << 2) & UINT64_C(0x1249249249249249);
}

OCTREE_INLINE uint64_t octree_key(const struct octree_box *box, float x, float y, float z)
{
	return octree_spread(octree_cells(box, 0, x)) |
	       octree_spread(octree_cells(box, 1, y)) << 1 |
	       octree_spread(octree_cells(box, 2, z)) << 2;
}

/* The octant of a key in a node of that level (0 .. 20). */
OCTREE_INLINE int octree_digit(uint64_t key, int level)
{
	return (int)(key >> (3 * (OCTREE_DEEPEST - level))) & 7;
}

/* A number that is unique over all levels for the cell of that level (0 .. 21) that holds the key:
 * a one, then the first `level` digits. */
OCTREE_INLINE uint64_t octree_cell(uint64_t key, int level)
{
	return (UINT64_C(1) << 63 | key) >> (3 * (OCTREE_LEVELS - level));
}

/* ---- the structural hash ------------------------------------------------------------------ */

/* A bijection in which every bit of the result depends on every bit of x. */
OCTREE_INLINE uint64_t octree_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd2b74407b1ce6e93);
	x = (x ^ x >> 29) * UINT64_C(0xca5a826395121157);
	return x ^ x >> 32;
}

/* The hash of a tree is the sum, modulo 2^64, of octree_hash_node() over its nodes and of
 * octree_hash_body() over its bodies, each with the cell of its leaf.  It is equal for equal sets
 * of (prefix, level, bodies), whatever the order of the summation. */
OCTREE_INLINE uint64_t octree_hash_node(uint64_t cell)
{
	return octree_mix(cell);
}

OCTREE_INLINE uint64_t octree_hash_body(uint64_t cell, uint32_t body)
{
	return octree_mix(octree_mix(~cell) + body);
}

/* ---- output ------------------------------------------------------------------------------- */

/* The output of download(): this header, pool rows of child, count elements of next.  Rows from
 * `rows` on are ignored. */
struct octree_output {
	int64_t rows; /* node numbers are below this; at most pool */
	int64_t unused[7];
	int32_t child[][8];
};

static inline size_t octree_output_size(const struct octree_input *input)
{
	return sizeof(struct octree_output) + input->pool * 8 * sizeof(int32_t) +
	       input->count * sizeof(int32_t);
}

static inline int32_t *octree_output_next(const struct octree_input *input,
					  struct octree_output *output)
{
	return &output->child[input->pool][0];
}

#ifdef __cplusplus
}
#endif
#endif
/* radix.h -- the interface of the radix workload and its variants: parameters, input, output
 * layout, and the order of keys.
 *
 * Order of f32: ascending by value; -0 and +0 are equal (either may come first); NaNs with the sign
 * bit come before -inf, those without it after +inf, each sorted by payload.  radix_f32_order()
 * maps the bits of a float to an unsigned number of the same order, and radix_f32_bits() maps it
 * back.  CUDA kernels have their own copy of these two functions.
 */
#ifndef GPUBENCH_COMMON_RADIX_H
#define GPUBENCH_COMMON_RADIX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* pairs: u32 keys with u32 values, sorted stably by key. */
enum radix_type { RADIX_U32, RADIX_U64, RADIX_F32, RADIX_PAIRS, RADIX_TYPES };

enum radix_distribution {
	RADIX_UNIFORM,
	RADIX_SORTED,
	RADIX_REVERSE,
	RADIX_CONSTANT,
	RADIX_FEW,      /* 256 different keys */
	RADIX_ZIPF,     /* rank r with probability ~ 1/r; ranks are spread over the key range */
	RADIX_ENTROPY0, /* AND of k uniform words (Thearling and Smith); for k = 0 all bits set */
	RADIX_ENTROPY1,
	RADIX_ENTROPY2,
	RADIX_ENTROPY3,
	RADIX_ENTROPY4,
	RADIX_ENTROPY5,
	RADIX_DISTRIBUTIONS,
};

struct radix_params {
	int64_t count;        /* keys; with a file: read at most this many, 0: all */
	int64_t type;         /* enum radix_type */
	int64_t distribution; /* enum radix_distribution; not used with a file */
	const char *file;     /* raw little-endian keys, or NULL */
	int64_t threads;
	int64_t seed;
};

/* keys has count elements of key_size bytes.  For pairs, values[i] is i; else values is NULL. */
struct radix_input {
	size_t count;
	enum radix_type type;
	size_t key_size; /* 4 or 8 */
	void *keys;
	uint32_t *values;
	void *replaced;     /* keys that a variation has replaced (gb_keys_repeat()), or NULL */
	uint64_t variation; /* the one that the keys are; 0: the original */
};

static inline uint32_t radix_f32_order(uint32_t bits)
{
	return bits ^ (bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31);
}

static inline uint32_t radix_f32_bits(uint32_t order)
{
	return order ^ (order >> 31 ? UINT32_C(1) << 31 : UINT32_MAX);
}

/* An output is count keys followed, for pairs, by count values. */
static inline size_t radix_output_size(const struct radix_input *input)
{
	return input->count * (input->key_size + (input->values ? sizeof *input->values : 0));
}

static inline uint32_t *radix_output_values(const struct radix_input *input, void *output)
{
	return (uint32_t *)(void *)((unsigned char *)output + input->count * input->key_size);
}

#ifdef __cplusplus
}
#endif
#endif
/* stream.h -- the interface of the stream workload (copy bandwidth) and its variants.
 *
 * Copy bandwidth is the reference for all other times: an algorithm that must read and write its
 * data once cannot be faster than a copy.  The kernel is STREAM's copy (McCalpin, "Memory bandwidth
 * and machine balance in current high performance computers", 1995) for any number of bytes.
 */
#ifndef GPUBENCH_COMMON_STREAM_H
#define GPUBENCH_COMMON_STREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stream_params {
	int64_t count; /* bytes to copy */
	int64_t threads;
	int64_t seed;
};

/* The first count bytes of words are copied.  An output is count bytes. */
struct stream_input {
	size_t count;
	uint64_t *words;    /* word i is half i % 2 of random block i / 2, xor variation */
	uint64_t variation; /* 0: the original */
};

#ifdef __cplusplus
}
#endif
#endif
/* timer.h -- times a run and its phases on any back end.
 *
 * run() calls gb_phase() when a phase starts; the phase lasts until the next call or the end of the
 * run.  The times of phases with the same name are added, so a loop may repeat them.  A mark is a
 * clock reading on the CPU, an event in the stream on CUDA, and a timestamp among the commands on
 * Vulkan, read back after the run.
 */
#ifndef GPUBENCH_COMMON_TIMER_H
#define GPUBENCH_COMMON_TIMER_H

#include <stdbool.h>
#include <stddef.h>


#ifdef __cplusplus
extern "C" {
#endif

enum { GB_MAX_MARKS = 512, GB_MAX_PHASES = 16 };

struct gb_timer_ops {
	const char *name; /* "monotonic", "cuda_event", "vulkan_timestamp" */
	/* The clock's unit in ns, a lower bound of its resolution.  NULL: unknown. */
	double (*least_ns)(void);
	enum gb_status (*create)(void **clock, struct gb_error *err);
	/* Take mark number `index` (< GB_MAX_MARKS). */
	enum gb_status (*mark)(void *clock, size_t index, struct gb_error *err);
	/* Wait for mark `last`, then compute the time between the two marks in ns. */
	enum gb_status (*elapsed)(void *clock, size_t first, size_t last, double *ns,
				  struct gb_error *err);
	void (*destroy)(void *clock);
};

struct gb_timer {
	const struct gb_timer_ops *ops;
	void *clock;
	struct gb_error *err; /* error of the current run, as gb_phase() returns no status */
	bool phases;          /* false: gb_phase() marks nothing */
	bool named;           /* gb_phase() was called */
	size_t mark_count;
	const char *mark_phase[GB_MAX_MARKS]; /* the phase that follows mark i; NULL: none */
};

extern const struct gb_timer_ops gb_cpu_timer;

/* The clock's resolution: smaller differences cannot be measured.  It is the smallest step seen
 * between the times of some hundred marks, never 0.  The first call measures and takes less than a
 * millisecond; later calls with the same operations return its result, because a process uses one
 * device.  The device must be idle, and no run may be in progress: the marks are overwritten. */
enum gb_status gb_timer_resolution(const struct gb_timer_ops *ops, void *clock, double *ns,
				   struct gb_error *err);

/* Nanoseconds of CLOCK_MONOTONIC. */
double gb_now_ns(void);

void gb_timer_begin(struct gb_timer *timer);
/* Start phase `name` (a literal); NULL only ends the current phase.  May be called at any time in
 * run().  timer may be NULL. */
void gb_phase(struct gb_timer *timer, const char *name);
void gb_timer_end(struct gb_timer *timer);

/* A phase of a finished run. */
struct gb_phase_time {
	const char *name;
	double ns;
};

/* After gb_timer_end(): compute the total time and the phases, summed by name, in the order of
 * first appearance.  *count is the room in `phase`, then the number of phases.  Returns the timer's
 * error if a mark failed. */
enum gb_status gb_timer_read(struct gb_timer *timer, double *total_ns, struct gb_phase_time *phase,
			     size_t *count);

#ifdef __cplusplus
}
#endif
#endif
/* workload.h -- the interface between the command line, the workloads and their variants.
 *
 * A workload is a problem (radix: sort n keys) with its parameters, its input and the verification
 * of a result.  A variant is one way to solve it on one back end.  For each point of a sweep the
 * runner calls:
 *
 *	prepare -> for each variant: create, upload, [vary, upload, reset, run] x (warm-ups +
 *	           samples), download, verify, destroy -> release
 *
 * create() declares the arrays that download() reads (gb_memory_result()).  Before a verified run
 * they are poisoned, then reset() is called.  reset() must also clear any other state that a result
 * depends on, such as a library's handle.  download() must cope with any contents of the arrays.
 *
 * vary() replaces the contents of the input from time to time, so that only the work gives the
 * result.  Sizes and addresses stay.  create() therefore keeps nothing that depends on the contents
 * of an input: upload() derives it.  On a device, run() and reset() read the input only as upload()
 * has copied it, because the host's copy may have changed since.  download() does not read it at
 * all, because the input changes again before it.
 *
 * Only run() is timed as `time`; upload() and download() are timed separately.  Everything is
 * allocated in create(), nothing in run().
 */
#ifndef GPUBENCH_COMMON_WORKLOAD_H
#define GPUBENCH_COMMON_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* backend.h -- the interface of a back end: everything the runner needs besides its variants.
 *
 * Back ends are reached only through gb_backends (backends.c): the CPU is cpu/backend.c, CUDA is
 * cuda/backend.cu (on a GPU or in the emulator), Vulkan is vulkan/backend.c.
 */
#ifndef GPUBENCH_COMMON_BACKEND_H
#define GPUBENCH_COMMON_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


#ifdef __cplusplus
extern "C" {
#endif

enum gb_backend { GB_CPU, GB_CUDA, GB_VULKAN, GB_BACKENDS };

/* A GPU as the record's run line describes it.  Unknown values are 0 or "", unknown flags -1. */
struct gb_gpu_info {
	int id;
	char name[128];
	char uuid[64]; /* GPU-xxxxxxxx-xxxx-... */
	char pci[32];  /* 0000:01:00.0 */
	int cc_major, cc_minor;
	int sm_count;
	int64_t memory_bytes, l2_bytes;
	int bus_bits;
	int64_t memory_clock_khz, sm_clock_khz;
	int ecc, mig, persistence; /* 1, 0 or -1 */
	double power_limit_w;
	bool emulated;
	/* As Vulkan reports them; "" if it does not know the GPU. */
	struct {
		char driver[128], api[24]; /* "NVIDIA 580.95.05", "1.4.303" */
	} vulkan;
	/* 1 + each back end's own number for this GPU, or 0.  Set by gb_devices_find(). */
	int number[GB_BACKENDS];
};

/* runtime and driver_api are like "13.0"; driver is the kernel module's version, from NVML. */
struct gb_cuda_info {
	char runtime[16], driver_api[16], driver[32];
};

/* The state of a GPU around a sample; NAN for unknown values. */
struct gb_gpu_state {
	double temperature_c, power_w, sm_clock_hz;
	double energy_j, throttled_ns; /* since the driver was loaded; see throttled_ns() below */
	uint64_t throttle;             /* NVML's bit mask of reasons why clocks are lowered */
	bool throttle_known;
};

/* Exact counts of instructions and the like, for an executor that can count. */
struct gb_counter {
	/* Start counting, from zero, the work queued from now on; or stop. */
	void (*count)(bool on);
	/* The counts of the work that has run, as a JSON object (`counts` of the record schema).
	 * Valid until counting starts again. */
	const char *(*counts)(void);
};

struct gb_remote_ops;

struct gb_backend_ops {
	const char *name; /* "cpu", "cuda", "vulkan" */
	/* True if the open device is emulated: its times say nothing about a GPU.  NULL: never. */
	bool (*is_emulated)(void);
	/* From now on, include devices implemented in software on the CPU, which any machine may
	 * have.  NULL: there are none. */
	void (*allow_software)(void);
	/* Initialise device `device`; only the first call does so.  GB_EUNAVAILABLE, with one
	 * sentence that names what is missing (driver, device, code for this architecture, that
	 * number), on failure. */
	enum gb_status (*open)(int device, struct gb_error *err);
	/* Evict the caches that would keep a run's data: the GPU's L2, or the CPU's last-level
	 * caches with a buffer of twice their size. */
	enum gb_status (*flush)(struct gb_error *err);
	/* Total bytes of the last-level caches that flush() assumes; *from is the source of the
	 * number, or "assumed".  NULL for a GPU, whose description has its L2. */
	uint64_t (*cache_bytes)(const char **from);
	/* Size in bytes of flush()'s buffer, on the host or the device. */
	size_t (*flush_bytes)(void);
	/* Fill device memory and wait until that is done.  NULL on the CPU. */
	gb_fill_fn *fill;
	/* Hold back work that is queued from now on until let_go(), so that all launches of a run
	 * are queued before the first one starts.  NULL on the CPU. */
	enum gb_status (*hold)(struct gb_error *err);
	enum gb_status (*let_go)(struct gb_error *err);
	/* After synchronize(): true if the last hold lasted until let_go().  It ends early if the
	 * run waited for the work or queued more than fits. */
	bool (*has_held)(void);
	/* Wait until all work is done and report any failure in it. */
	enum gb_status (*synchronize)(struct gb_error *err);
	/* The current SM clock in Hz, by a small kernel; NAN if unknown.  NULL on the CPU. */
	double (*sm_clock_hz)(void);
	void (*state)(struct gb_gpu_state *state); /* NULL on the CPU */
	/* Total time that clocks were lowered because of power, heat or the board's limits; NAN if
	 * unknown.  NULL on the CPU. */
	double (*throttled_ns)(void);
	/* Describe up to `room` devices; *count is the number that exists.  GB_EUNAVAILABLE as in
	 * open().  NULL on the CPU. */
	enum gb_status (*devices)(struct gb_gpu_info *gpu, size_t room, size_t *count,
				  struct gb_cuda_info *cuda, struct gb_error *err);
	const struct gb_counter *counter; /* NULL: cannot count, as on the CPU and all GPUs */
	const struct gb_timer_ops *timer;
	void (*close)(void);
	/* The stream that runs are queued in, and counted device memory.  NULL on the CPU. */
	void *(*stream)(void);
	void *(*alloc)(size_t count, size_t size, struct gb_error *err);
	/* Of a back end whose variant runs in another process (cli/plugins/remote.h); else NULL. */
	const struct gb_remote_ops *remote;
};

extern const struct gb_backend_ops *const gb_backends[GB_BACKENDS];

/* The back end of that name; GB_BACKENDS if there is none. */
enum gb_backend gb_backend_named(const char *name);

#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parameters -------------------------------------------------------------------------- */

enum gb_type {
	GB_INT,    /* int64_t */
	GB_FLOAT,  /* double */
	GB_CHOICE, /* int64_t: index into choices */
	GB_PATH,   /* const char *, NULL if not given: a file name or other text */
	GB_FLAG,   /* int64_t: 1 if given; takes no value */
};

/* The words of a GB_CHOICE, one for each value of an enum whose last member is `count`. */
#define GB_WORDS(name, count, ...)                                   \
	static const char *const name[] = { __VA_ARGS__, NULL };     \
	_Static_assert(sizeof(name) / sizeof *(name) == (count) + 1, \
		       #name ": a word for each value")

/* One row per parameter.  Drives parsing, --help, checks, sweeps, keys, JSON and the man page. */
struct gb_param {
	const char *name;    /* --name on the command line, "name" in the record */
	size_t offset;       /* offset of the value in the workload's parameter struct */
	const char *initial; /* the default, as it would be typed; NULL for a path not given */
	/* The value that keys leave out (cli/records/key.h).  It must never change: it is what the
	 * benchmark did before it had the parameter or, once `initial` has changed, the first
	 * default.  NULL: initial. */
	const char *keyed;
	int64_t min, max;           /* GB_INT */
	double low, high;           /* GB_FLOAT */
	const char *const *choices; /* GB_CHOICE: NULL terminated */
	enum gb_type type;
	bool written;  /* GB_PATH: a file that is written, not read */
	bool numbered; /* GB_PATH: may name several files (gb_numbered_path()), from 0 on */
	bool hidden;   /* accepted but not in the help: needed only by `check` and tests */
	/* The back ends that use the parameter, as bits 1 << GB_CPU ...; 0: all.  The others are
	 * not swept over it and do not record it. */
	unsigned backends;
	char letter;           /* -o for --output; 0: none */
	const char *bare;      /* GB_CHOICE: the value of the option without "=VALUE"; or NULL */
	const char *yields_to; /* 0 instead of the default if this parameter is given; or NULL */
	const char *unit;      /* "keys", or NULL */
	const char *help;
};

/* The type of a row's value and its place, `member` of a struct. */
#define GB_AT(type_, struct_, member) .type = (type_), .offset = offsetof(struct_, member)

/* Every workload's table ends with these rows; its struct has int64_t threads, seed. */
#define GB_COMMON_PARAMS(type)                                                               \
	{ .name = "threads",                                                                 \
	  GB_AT(GB_INT, type, threads),                                                      \
	  .initial = "0",                                                                    \
	  .max = 1024,                                                                       \
	  .backends = 1U << GB_CPU,                                                          \
	  .help = "OpenMP threads of the cpu variants (0: one per core)" },                  \
	{                                                                                    \
		.name = "seed", GB_AT(GB_INT, type, seed), .initial = "1", .max = INT64_MAX, \
		.help = "seed of the generated input"                                        \
	}

/* ---- metrics ----------------------------------------------------------------------------- */

/* Named numbers specific to a workload (TEPS, depth, ...), set by verify() and by the variant's
 * metrics(). */
enum { GB_MAX_METRICS = 24 };
struct gb_metrics {
	size_t count;
	struct {
		const char *name; /* a literal: the record's key, unit last */
		double value;     /* used if text is "" */
		char text[24];    /* for hashes, which a double cannot hold */
	} item[GB_MAX_METRICS];
};

/* Set a metric, replacing one of the same name. */
void gb_metric(struct gb_metrics *metrics, const char *name, double value);
/* Set a metric to 64 bits that are not a quantity, as "0x" and 16 hex digits. */
void gb_metric_hash(struct gb_metrics *metrics, const char *name, uint64_t hash);

/* ---- variants ---------------------------------------------------------------------------- */

enum gb_variant_flags {
	GB_SERIAL = 1,         /* uses one thread, whatever --threads is */
	GB_REPEATABLE = 2,     /* run() does not change its input: it may run again without
				  reset(), so short runs can be batched */
	GB_HOST_DECISIONS = 4, /* run() waits for the device: it cannot be queued behind a hold */
	GB_CONVERTS = 8,       /* download() does more than copying: it converts the result, or
				  traces rays in it */
	GB_DERIVES = 16,       /* upload() does more than copying, which `excluded` states */
};

/* Members that may be NULL: upload, reset, destroy, bytes, excluded, metrics, library, copy. */
struct gb_variant_ops {
	size_t state_size; /* bytes of the state passed below */
	/* Allocate everything, on host and device.  The state is zeroed.  The caller frees it with
	 * everything that create() and upload() allocate through common/memory.h and cuda/device.h.
	 * The point is skipped on GB_EMEMORY and on GB_EUNAVAILABLE, which means, with a reason,
	 * that the variant does not support params. */
	enum gb_status (*create)(void *state, const void *params, const void *input,
				 struct gb_error *err);
	/* Copy the input to the device, and derive from it what run() uses (a byte matrix, a tree).
	 * Called again whenever the input has changed; must not change the results of the last run.
	 * On a device it is timed as `upload` in calls of their own, on the CPU the first call is a
	 * part of `create`. */
	enum gb_status (*upload)(void *state, struct gb_error *err);
	/* Reset the work buffers; not timed.  sample counts from 0, including warm-ups. */
	enum gb_status (*reset)(void *state, int64_t sample, struct gb_error *err);
	/* Run the algorithm; timed as `time`. */
	enum gb_status (*run)(void *state, struct gb_timer *timer, struct gb_error *err);
	/* Copy the result to output (workload.output_size bytes, poisoned); timed as `download`. */
	enum gb_status (*download)(void *state, void *output, struct gb_error *err);
	/* Release everything but counted memory (a library's handles, pinned pages).  The state may
	 * be half built. */
	void (*destroy)(void *state);
	/* Bytes that one run moves through main memory by this variant's model, which its file
	 * states.  NULL: the workload's compulsory bytes plus touched_bytes of metrics(), which a
	 * variant sets if only the run knows how much of its input it reads. */
	double (*bytes)(const void *params, const void *input);
	/* The work, besides allocation, that this variant does before `time` and others do within
	 * it, for the record.  NULL: none. */
	const char *(*excluded)(const void *params);
	/* Add metrics of the last run that are not in the output (failed CAS, pool use, bytes
	 * touched); called after download(). */
	void (*metrics)(void *state, struct gb_metrics *metrics);
	/* For a peer: the name and version of the library at run time, which may differ from that
	 * of its headers: "Embree 4.3.3".  NULL: there is none. */
	const char *(*library)(void);
	unsigned flags; /* enum gb_variant_flags */
	/* Repeat the copies of the last upload() without what it derives on the host; timed in its
	 * place.  NULL: upload() only copies, or what it derives belongs to its time. */
	enum gb_status (*copy)(void *state, struct gb_error *err);
};

/* Allocate a state and call create(); gb_state_destroy() frees it and all that belongs to it.  On
 * failure *state may be set and must be destroyed; gb_state_destroy() accepts NULL. */
enum gb_status gb_state_create(const struct gb_variant_ops *ops, const void *params,
			       const void *input, void **state, struct gb_error *err);
enum gb_status gb_state_upload(const struct gb_variant_ops *ops, void *state, struct gb_error *err);
void gb_state_destroy(const struct gb_variant_ops *ops, void *state);

struct gb_variant {
	const char *workload;
	const char *name; /* without the back end: "onesweep" */
	enum gb_backend backend;
	const char *summary;
	const struct gb_variant_ops *ops;    /* NULL: not in this build */
	const char *absent;                  /* the reason why ops is NULL */
	bool peer;                           /* a third-party library, measured for comparison */
	const struct gb_plugin_file *plugin; /* common/variants.h; NULL: this program's */
};

/* ---- workloads --------------------------------------------------------------------------- */

/* The work of one run, for rates. */
struct gb_work {
	double items;
	double bytes; /* compulsory: the input read once and the output written once */
	double read;  /* bytes of the input that every run must read; 0 if that is not known */
};

enum gb_preset { GB_QUICK, GB_CI, GB_PAPER, GB_PRESETS };

typedef void gb_share_fn(void *self, void **pointer, size_t bytes);

struct gb_workload {
	const char *name;
	const char *summary;
	const char *paper; /* citation; NULL if there is none */
	const char *item;  /* unit of work.items, plural: "keys" */
	const struct gb_param *params;
	size_t param_count;
	size_t params_size;
	/* Words as typed after the benchmark's name, for `check` and for the presets of `run`.
	 * Each string is one sweep. */
	const char *const *check; /* NULL terminated */
	const char *const *preset[GB_PRESETS];
	/* Generate or read the input.  GB_EUSAGE for parameters that contradict each other and for
	 * malformed files; the message has file:line or file and offset. */
	enum gb_status (*prepare)(const void *params, void **input, struct gb_error *err);
	size_t (*output_size)(const void *params, const void *input);
	/* Verify the output of sample `sample`.  GB_EVERIFY, with what is wrong and where, if it is
	 * wrong.  The run has not changed the input.  May add metrics. */
	enum gb_status (*verify)(const void *params, const void *input, int64_t sample,
				 const void *output, struct gb_metrics *metrics,
				 struct gb_error *err);
	const char *verify_method; /* one line, for `list` */
	/* Replace the contents of the input, in place, by variation `key` of the original input: of
	 * the same sizes and the same work, but with another result.  0 restores the original.
	 * A variation depends only on the original and the key, which is drawn at run time.  Takes
	 * no longer than copying the input a few times; what verify() needs of a variation is
	 * computed in verify().  False if this input has no variations; NULL: no input has. */
	bool (*vary)(const void *params, void *input, uint64_t key);
	/* True for the copy benchmark that other workloads' bytes per second are compared with. */
	bool yardstick;
	/* Number of different inputs that the samples cycle through (bfs: sources); NULL: one.  An
	 * output of each is verified. */
	int64_t (*distinct)(const void *params, const void *input);
	struct gb_work (*work)(const void *params, const void *input);
	/* Items of sample `sample` if distinct inputs are different work; the harmonic mean of the
	 * samples' rates uses them.  NULL: work().items for each sample. */
	double (*items)(const void *params, const void *input, int64_t sample);
	/* True if variants with GB_REPEATABLE may repeat a run at this point without reset(); NULL:
	 * always. */
	bool (*repeatable)(const void *params);
	/* As `excluded` of a variant, for work done before `time` for all variants. */
	const char *(*excluded)(const void *params);
	/* "generated" or "file", from which a record's "input" is made; NULL: "file" if the
	 * parameter of that name is given, else "generated". */
	const char *(*source)(const void *params);
	void (*release)(void *input); /* accepts NULL */
	size_t input_size;
	/* Show a shallow copy of an input to a variant in another process: clear the members that
	 * are not for variants, then call share() for each pointer left, with the bytes behind it,
	 * in an order that depends only on what was shared before.  share() may replace a pointer.
	 * It may be NULL if bytes is 0. */
	void (*show)(void *input, gb_share_fn *share, void *self);
};

/* Begin prepare(): return a zeroed input of `size` bytes, or NULL if there is no memory.  Memory
 * allocated through common/memory.h until gb_input_end() belongs to it. */
void *gb_input_begin(size_t size, struct gb_error *err);
/* End prepare(): store the input in *input.  After a failure, release the input and store NULL.
 * Returns err->code. */
enum gb_status gb_input_end(void *made, void **input, struct gb_error *err);
/* Free an input and all that belongs to it. */
void gb_input_release(void *input);

#ifdef __cplusplus
}
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a struct of this header does.  A plug-in of an earlier version still loads if
 * members were only added to struct gb_variant_ops at its end. */
enum { GB_PLUGIN_ABI = 1 };

struct gb_plugin_variant {
	const char *workload; /* "radix" */
	const char *name;     /* lower-case letters, digits and hyphens: "mine" */
	enum gb_backend backend;
	const char *summary; /* one line */
	const struct gb_variant_ops *ops;
};

struct gb_plugin {
	int abi;          /* GB_PLUGIN_ABI */
	size_t ops_size;  /* sizeof(struct gb_variant_ops) */
	const char *name; /* as in a variant */
	const char *version;
	const struct gb_plugin_variant *variant;
	size_t count;
};

/* Define the plug-in's table: name, version, then the variants, each in braces. */
#define GB_PLUGIN(name_, version_, ...)                                               \
	static const struct gb_plugin_variant gb_plugin_variants[] = { __VA_ARGS__ }; \
	GB_PLUGIN_TABLE const struct gb_plugin gpubench_plugin = {                    \
		GB_PLUGIN_ABI,                                                        \
		sizeof(struct gb_variant_ops),                                        \
		name_,                                                                \
		version_,                                                             \
		gb_plugin_variants,                                                   \
		sizeof gb_plugin_variants / sizeof *gb_plugin_variants                \
	}
#ifdef __cplusplus
#define GB_PLUGIN_TABLE extern "C" __attribute__((visibility("default")))
#else
#define GB_PLUGIN_TABLE __attribute__((visibility("default")))
#endif

/* The CUDA stream (a cudaStream_t) in which run() queues its work and reset() and upload() copy;
 * NULL, the default stream, in a build without CUDA. */
void *gb_device_stream(void);

/* Allocate bytes of device memory that are counted, poisoned and freed like gb_host_alloc()'s.  On
 * failure, return NULL with GB_EMEMORY, or GB_EUNAVAILABLE without a device. */
void *gb_device_alloc(size_t count, size_t size, struct gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
