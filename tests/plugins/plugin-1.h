/* clang-format off */
/* plugin.h as it was installed with ABI 1, without its comments, for tests/plugins.py. */
#ifndef GPUBENCH_COMMON_PLUGIN_H
#define GPUBENCH_COMMON_PLUGIN_H
#ifndef GPUBENCH_COMMON_BFS_H
#define GPUBENCH_COMMON_BFS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef GPUBENCH_COMMON_STATUS_H
#define GPUBENCH_COMMON_STATUS_H
#ifdef __cplusplus
extern "C" {
#endif
enum gb_status {
	GB_OK = 0,
	GB_EVERIFY = 1,
	GB_EUSAGE = 2,
	GB_EUNAVAILABLE = 3,
	GB_ERUNTIME = 4,
	GB_EIO = 5,
	GB_EUNDECIDED = 6,
	GB_EMEMORY = 7,
	GB_EINTERRUPTED = 130,
};
struct gb_error {
	enum gb_status code;
	char message[480];
};
enum gb_status gb_fail(struct gb_error *err, enum gb_status code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
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
	BFS_UNREACHED = -1,
	BFS_MATRIX_VERTICES = 65536,
	BFS_PITCH = 128,
	BFS_BATCH = 64,
};
struct bfs_params {
	int64_t graph;
	int64_t vertices;
	double p;
	int64_t scale;
	int64_t edgefactor;
	int64_t blocks;
	double orphans;
	int64_t multi;
	const char *file;
	const char *write;
	int64_t sources;
	int64_t batch;
	int64_t output;
	int64_t warps;
	int64_t index;
	int64_t threads;
	int64_t seed;
};
struct bfs_csr {
	uint64_t *row;
	uint32_t *column;
};
struct bfs_facts;
struct bfs_variation;
struct bfs_input {
	uint32_t n;
	uint64_t m;
	bool symmetric;
	struct bfs_csr out, in;
	size_t pitch;
	uint32_t *matrix;
	uint32_t *matrix_in;
	const char *no_matrix;
	size_t source_count;
	uint32_t *source;
	struct bfs_facts *facts;
	struct bfs_variation *variation;
};
static inline size_t bfs_batch(const struct bfs_params *params)
{
	return params->batch > 1 ? (size_t)params->batch : 1;
}
static inline uint32_t bfs_source(const struct bfs_input *input, int64_t search)
{
	return input->source[(size_t)search % input->source_count];
}
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
static inline int32_t *bfs_output_dist(const struct bfs_params *params, void *output)
{
	return params->output == BFS_PARENT ? NULL : (int32_t *)output;
}
static inline int32_t *bfs_output_parent(const struct bfs_params *params,
					 const struct bfs_input *input, void *output)
{
	if (params->output == BFS_DIST)
		return NULL;
	return (int32_t *)output +
	       (params->output == BFS_BOTH ? bfs_output_count(params, input) : 0);
}
size_t bfs_pitch(uint32_t n);
double bfs_bytes_ccam(uint32_t n);
double bfs_bytes_ccam_packed(uint32_t n);
double bfs_bytes_basic(uint32_t n);
double bfs_bytes_csr32(uint32_t n, uint64_t m);
double bfs_bytes_csr16(uint32_t n, uint64_t m);
double bfs_crossover(uint32_t n, unsigned column_bytes, unsigned row_bytes);
enum gb_status bfs_need_one_source(const struct bfs_params *params, struct gb_error *err);
enum gb_status bfs_need_no_parents(const struct bfs_params *params, struct gb_error *err);
void bfs_expand_bytes(const struct bfs_input *input, uint8_t *bytes);
void bfs_narrow_columns(const uint32_t *column, uint64_t m, uint16_t *narrow);
#ifdef __cplusplus
}
#endif
#endif
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
enum { CBT_MIN_DEPTH = 1, CBT_MAX_DEPTH = 30 };
enum cbt_op {
	CBT_BITFIELD,
	CBT_REDUCE,
	CBT_DECODE,
	CBT_CYCLE,
	CBT_UPDATE,
	CBT_OPS,
};
enum cbt_shape { CBT_FULL, CBT_UNIFORM, CBT_RANDOM, CBT_TERRAIN, CBT_SHAPES };
enum cbt_ids {
	CBT_STORE,
	CBT_SUM,
	CBT_IDS,
};
struct cbt_params {
	int64_t op;
	int64_t depth;
	int64_t shape;
	double fill;
	int64_t ids;
	int64_t frames;
	const char *image;
	int64_t threads;
	int64_t seed;
};
struct cbt_frame {
	size_t leaves;
	size_t splits;
	size_t merges;
	uint64_t *split;
	uint64_t *merge;
};
struct cbt_input {
	enum cbt_op op;
	enum cbt_ids ids;
	unsigned depth;
	size_t leaves;
	size_t field_words;
	size_t heap_words;
	uint64_t *field;
	uint64_t *heap;
	size_t frames;
	struct cbt_frame *frame;
	size_t end_leaves;
	uint64_t *end_field;
	size_t total_leaves;
	struct cbt_swaps *swaps;
};
struct cbt_output {
	uint64_t leaves;
	uint64_t id_sum;
	int64_t last_level;
	uint64_t unused[5];
};
CBT_INLINE unsigned cbt_log2(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return 31u - (unsigned)__clz((int)x);
#else
	return 31u - (unsigned)__builtin_clz(x);
#endif
}
CBT_INLINE unsigned cbt_level(uint32_t k)
{
	return cbt_log2(k);
}
CBT_INLINE uint32_t cbt_field_bit(unsigned depth, uint32_t k)
{
	return (k << (depth - cbt_level(k))) - (UINT32_C(1) << depth);
}
CBT_INLINE uint32_t cbt_leaf(unsigned depth, uint32_t x, uint32_t gap)
{
	return ((UINT32_C(1) << depth) + x) >> cbt_log2(gap);
}
CBT_INLINE unsigned cbt_width(unsigned depth, unsigned level)
{
	return depth - level + 1;
}
CBT_INLINE uint64_t cbt_level_bit(unsigned depth, unsigned level)
{
	return (uint64_t)(depth - level + 3) << level;
}
CBT_INLINE uint64_t cbt_element_bit(unsigned depth, uint32_t k)
{
	const unsigned level = cbt_level(k);
	return (UINT64_C(2) << level) + (uint64_t)k * cbt_width(depth, level);
}
CBT_INLINE size_t cbt_field_words(unsigned depth)
{
	return depth < 6 ? 1 : (size_t)1 << (depth - 6);
}
CBT_INLINE size_t cbt_heap_words(unsigned depth)
{
	return depth < 4 ? 1 : (size_t)1 << (depth - 4);
}
CBT_INLINE size_t cbt_field_at(unsigned depth)
{
	return (size_t)(UINT64_C(3) << depth >> 6);
}
CBT_INLINE size_t cbt_sum_bytes(unsigned depth)
{
	return (size_t)(UINT64_C(3) << depth >> 3);
}
CBT_INLINE uint64_t cbt_bits(const uint64_t *word, uint64_t bit, unsigned width)
{
	const uint64_t *at = word + (bit >> 6);
	const unsigned shift = (unsigned)(bit & 63);
	uint64_t value = at[0] >> shift;
	if (shift + width > 64)
		value |= at[1] << 1 << (63 - shift);
	return value & ((UINT64_C(1) << width) - 1);
}
CBT_INLINE void cbt_set_bits(uint64_t *word, uint64_t bit, unsigned width, uint64_t value)
{
	uint64_t *at = word + (bit >> 6);
	const unsigned shift = (unsigned)(bit & 63);
	const uint64_t mask = (UINT64_C(1) << width) - 1;
	at[0] = (at[0] & ~(mask << shift)) | value << shift;
	if (shift + width > 64)
		at[1] = (at[1] & ~(mask >> 1 >> (63 - shift))) | value >> 1 >> (63 - shift);
}
CBT_INLINE uint64_t cbt_get(const uint64_t *heap, unsigned depth, uint32_t k)
{
	return cbt_bits(heap, cbt_element_bit(depth, k), cbt_width(depth, cbt_level(k)));
}
CBT_INLINE void cbt_set(uint64_t *heap, unsigned depth, uint32_t k, uint64_t value)
{
	cbt_set_bits(heap, cbt_element_bit(depth, k), cbt_width(depth, cbt_level(k)), value);
}
CBT_INLINE void cbt_put_field(uint64_t *heap, unsigned depth, const uint64_t *field)
{
	if (depth < 6)
		cbt_set_bits(heap, cbt_level_bit(depth, depth), 1U << depth, field[0]);
	else
		memcpy(heap + cbt_field_at(depth), field, cbt_field_words(depth) * sizeof *field);
}
CBT_INLINE bool cbt_has_ids(const struct cbt_input *in)
{
	return in->ids == CBT_STORE && in->op != CBT_REDUCE && in->op != CBT_UPDATE;
}
CBT_INLINE bool cbt_has_heap(const struct cbt_input *in)
{
	return in->op == CBT_REDUCE || in->op == CBT_CYCLE || in->op == CBT_UPDATE;
}
CBT_INLINE size_t cbt_ids_size(const struct cbt_input *in)
{
	return cbt_has_ids(in) ? (in->leaves * sizeof(uint32_t) + 63) / 64 * 64 : 0;
}
CBT_INLINE size_t cbt_output_size(const struct cbt_input *in)
{
	return sizeof(struct cbt_output) + cbt_ids_size(in) +
	       (cbt_has_heap(in) ? in->heap_words * sizeof(uint64_t) : 0);
}
CBT_INLINE uint32_t *cbt_output_ids(const struct cbt_input *in, void *output)
{
	(void)in;
	return (uint32_t *)(void *)((unsigned char *)output + sizeof(struct cbt_output));
}
CBT_INLINE uint64_t *cbt_output_heap(const struct cbt_input *in, void *output)
{
	return (uint64_t *)(void *)((unsigned char *)output + sizeof(struct cbt_output) +
				    cbt_ids_size(in));
}
#ifdef __cplusplus
}
#endif
#endif
#ifndef GPUBENCH_COMMON_LBVH_H
#define GPUBENCH_COMMON_LBVH_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
enum lbvh_op { LBVH_BUILD, LBVH_TRACE, LBVH_OPS };
enum lbvh_tree { LBVH_BEST_TREE, LBVH_PAPER_TREE, LBVH_TREES };
enum lbvh_rays { LBVH_PRIMARY, LBVH_SHADOW, LBVH_AMBIENT, LBVH_RANDOM, LBVH_BOUNCE, LBVH_KINDS };
enum lbvh_order { LBVH_GIVEN, LBVH_SORTED, LBVH_ORDERS };
struct lbvh_params {
	int64_t op;
	const char *scene;
	int64_t primitives;
	int64_t rays;
	int64_t tree;
	const char *image;
	int64_t rays_kind;
	int64_t rays_order;
	int64_t compact;
	int64_t threads;
	int64_t seed;
};
#define LBVH_COORDINATE_MAX 1e12f
#define LBVH_PRIMITIVES_MAX (UINT32_C(1) << 29)
struct lbvh_ray {
	float origin[3], near;
	float direction[3], far;
};
struct lbvh_camera {
	float eye[3];
	float corner[3];
	float dx[3], dy[3];
};
struct lbvh_reference;
struct lbvh_input {
	size_t count;
	size_t vertex_count;
	float *vertex;
	uint32_t *triangle;
	uint32_t edge;
	struct lbvh_camera camera;
	struct lbvh_camera probe;
	struct lbvh_ray *ray;
	bool occlusion;
	struct lbvh_reference *reference;
};
struct lbvh_node {
	float lo[3];
	uint32_t left;
	float hi[3];
	uint32_t right;
};
struct lbvh_box {
	float lo[4], hi[4];
};
#define LBVH_LEAF (UINT32_C(1) << 31)
#define LBVH_MISS UINT32_MAX
enum lbvh_tree_kind {
	LBVH_BINARY = 1,
	LBVH_PROBED = 2,
};
enum { LBVH_PROBE_EDGE = 64, LBVH_PROBES = LBVH_PROBE_EDGE * LBVH_PROBE_EDGE };
#define LBVH_FOREIGN UINT32_C(0x6f726967)
#define LBVH_COARSE UINT32_C(0x636f6172)
struct lbvh_tree_header {
	uint32_t kind;
	uint32_t leaves;
	uint32_t nodes;
	uint32_t arithmetic;
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
static inline double lbvh_build_bytes(const void *input, size_t bytes)
{
	const struct lbvh_input *in = (const struct lbvh_input *)input;
	return 12 * (double)(in->vertex_count + in->count) + (double)in->count * (double)bytes;
}
static inline size_t lbvh_ray_count(const struct lbvh_input *in)
{
	return (size_t)in->edge * in->edge;
}
static inline size_t lbvh_bit_words(const struct lbvh_input *in)
{
	return (lbvh_ray_count(in) + 31) / 32;
}
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
enum { LBVH_BITS_30 = 10, LBVH_BITS_63 = 21 };
struct lbvh_grid {
	float origin[3];
	float scale[3];
};
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
LBVH_FN uint32_t lbvh_cell(const struct lbvh_grid *grid, int k, float lo, float hi, int bits)
{
	const float most = (float)((UINT32_C(1) << bits) - 1);
	const float place = lbvh_mul(lbvh_add(lbvh_add(lo, hi), -grid->origin[k]), grid->scale[k]);
	return place > 0 ? (uint32_t)(place < most ? place : most) : 0;
}
LBVH_FN uint32_t lbvh_spread_10(uint32_t v)
{
	v = (v | v << 16) & UINT32_C(0x030000ff);
	v = (v | v << 8) & UINT32_C(0x0300f00f);
	v = (v | v << 4) & UINT32_C(0x030c30c3);
	return (v | v << 2) & UINT32_C(0x09249249);
}
LBVH_FN uint64_t lbvh_spread_21(uint64_t v)
{
	v = (v | v << 32) & UINT64_C(0x001f00000000ffff);
	v = (v | v << 16) & UINT64_C(0x001f0000ff0000ff);
	v = (v | v << 8) & UINT64_C(0x100f00f00f00f00f);
	v = (v | v << 4) & UINT64_C(0x10c30c30c30c30c3);
	return (v | v << 2) & UINT64_C(0x1249249249249249);
}
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
LBVH_FN int lbvh_delta(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
	return __clzll((long long)(a ^ b));
#else
	return a == b ? 64 : __builtin_clzll(a ^ b);
#endif
}
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
	return u >= 0 && v >= 0 && lbvh_add(u, v) <= 1 && t > 0 && t < INFINITY ? t : INFINITY;
}
LBVH_FN int lbvh_nearer(float t, uint32_t p, float best_t, uint32_t best_p)
{
	return t < best_t || (t == best_t && t < INFINITY && p < best_p);
}
#ifdef __cplusplus
}
#endif
#endif
#ifndef GPUBENCH_COMMON_MEMORY_H
#define GPUBENCH_COMMON_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
enum gb_memory_kind { GB_HOST_MEMORY, GB_DEVICE_MEMORY };
void *gb_host_alloc(size_t count, size_t size, struct gb_error *err);
void *gb_host_zalloc(size_t count, size_t size, struct gb_error *err);
void gb_host_free(void *pointer);
size_t gb_memory_used(enum gb_memory_kind kind);
size_t gb_memory_peak(enum gb_memory_kind kind);
void gb_memory_mark(void);
void gb_memory_own(const void *owner);
void gb_memory_free_owned(const void *owner);
#define GB_WHOLE SIZE_MAX
enum { GB_POISON = 0xa5 };
void gb_memory_result(const void *array, size_t bytes, unsigned char poison);
typedef enum gb_status gb_fill_fn(void *array, unsigned char byte, size_t bytes,
				  struct gb_error *err);
enum gb_status gb_memory_poison(const void *owner, unsigned char byte, gb_fill_fn *fill,
				struct gb_error *err);
bool gb_memory_admit(struct gb_error *err);
enum gb_status gb_memory_add(enum gb_memory_kind kind, void *pointer, size_t bytes,
			     void (*release)(void *pointer), struct gb_error *err);
void gb_memory_remove(void *pointer);
void gb_memory_fail_at(int64_t k);
void gb_memory_set_dry(bool dry);
bool gb_memory_is_dry(void);
#ifdef __cplusplus
}
#endif
#endif
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
	OCTREE_OWN,
	OCTREE_RANDOM,
	OCTREE_SPATIAL,
	OCTREE_ORDERS,
};
enum {
	OCTREE_LEVELS = 21,
	OCTREE_DEEPEST = 20,
	OCTREE_FREE = -1,
	OCTREE_LOCKED = INT32_MIN,
	OCTREE_MAX_BUCKET = 32,
	OCTREE_MAX_COUNT = 1 << 30,
	OCTREE_SLACK = 1 << 19,
};
struct octree_params {
	int64_t distribution;
	const char *file;
	int64_t count;
	int64_t bucket;
	int64_t order;
	double pool;
	int64_t threads;
	int64_t seed;
};
struct octree_shape {
	size_t nodes;
	size_t leaves;
	int max_depth;
	double mean_depth;
	uint64_t hash;
};
struct octree_verifier;
struct octree_input {
	size_t count;
	int bucket;
	float *x, *y, *z;
	size_t pool;
	struct octree_shape tree;
	struct octree_verifier *verifier;
};
#define OCTREE_POOL_EXHAUSTED                                                               \
	"the pool of %zu nodes is exhausted: the tree of these %zu bodies needs more (see " \
	"--pool)"
OCTREE_INLINE int32_t octree_body(int32_t value)
{
	return -2 - value;
}
struct octree_box {
	double corner[3];
	double size;
	double scale;
};
OCTREE_INLINE int octree_box_holds(const struct octree_box *box, const float high[3])
{
	return (double)high[0] - box->corner[0] < box->size &&
	       (double)high[1] - box->corner[1] < box->size &&
	       (double)high[2] - box->corner[2] < box->size;
}
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
		(void)frexp(extent, &exponent);
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
OCTREE_INLINE uint32_t octree_cells(const struct octree_box *box, int d, float position)
{
	return (uint32_t)(((double)position - box->corner[d]) * box->scale);
}
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
OCTREE_INLINE int octree_digit(uint64_t key, int level)
{
	return (int)(key >> (3 * (OCTREE_DEEPEST - level))) & 7;
}
OCTREE_INLINE uint64_t octree_cell(uint64_t key, int level)
{
	return (UINT64_C(1) << 63 | key) >> (3 * (OCTREE_LEVELS - level));
}
OCTREE_INLINE uint64_t octree_mix(uint64_t x)
{
	x += UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 32) * UINT64_C(0xd2b74407b1ce6e93);
	x = (x ^ x >> 29) * UINT64_C(0xca5a826395121157);
	return x ^ x >> 32;
}
OCTREE_INLINE uint64_t octree_hash_node(uint64_t cell)
{
	return octree_mix(cell);
}
OCTREE_INLINE uint64_t octree_hash_body(uint64_t cell, uint32_t body)
{
	return octree_mix(octree_mix(~cell) + body);
}
struct octree_output {
	int64_t rows;
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
#ifndef GPUBENCH_COMMON_RADIX_H
#define GPUBENCH_COMMON_RADIX_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
enum radix_type { RADIX_U32, RADIX_U64, RADIX_F32, RADIX_PAIRS, RADIX_TYPES };
enum radix_distribution {
	RADIX_UNIFORM,
	RADIX_SORTED,
	RADIX_REVERSE,
	RADIX_CONSTANT,
	RADIX_FEW,
	RADIX_ZIPF,
	RADIX_ENTROPY0,
	RADIX_ENTROPY1,
	RADIX_ENTROPY2,
	RADIX_ENTROPY3,
	RADIX_ENTROPY4,
	RADIX_ENTROPY5,
	RADIX_DISTRIBUTIONS,
};
struct radix_params {
	int64_t count;
	int64_t type;
	int64_t distribution;
	const char *file;
	int64_t threads;
	int64_t seed;
};
struct radix_input {
	size_t count;
	enum radix_type type;
	size_t key_size;
	void *keys;
	uint32_t *values;
	void *replaced;
	uint64_t variation;
};
static inline uint32_t radix_f32_order(uint32_t bits)
{
	return bits ^ (bits >> 31 ? UINT32_MAX : UINT32_C(1) << 31);
}
static inline uint32_t radix_f32_bits(uint32_t order)
{
	return order ^ (order >> 31 ? UINT32_C(1) << 31 : UINT32_MAX);
}
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
#ifndef GPUBENCH_COMMON_STREAM_H
#define GPUBENCH_COMMON_STREAM_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
struct stream_params {
	int64_t count;
	int64_t threads;
	int64_t seed;
};
struct stream_input {
	size_t count;
	uint64_t *words;
	uint64_t variation;
};
#ifdef __cplusplus
}
#endif
#endif
#ifndef GPUBENCH_COMMON_TIMER_H
#define GPUBENCH_COMMON_TIMER_H
#include <stdbool.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
enum { GB_MAX_MARKS = 512, GB_MAX_PHASES = 16 };
struct gb_timer_ops {
	const char *name;
	double (*least_ns)(void);
	enum gb_status (*create)(void **clock, struct gb_error *err);
	enum gb_status (*mark)(void *clock, size_t index, struct gb_error *err);
	enum gb_status (*elapsed)(void *clock, size_t first, size_t last, double *ns,
				  struct gb_error *err);
	void (*destroy)(void *clock);
};
struct gb_timer {
	const struct gb_timer_ops *ops;
	void *clock;
	struct gb_error *err;
	bool phases;
	bool named;
	size_t mark_count;
	const char *mark_phase[GB_MAX_MARKS];
};
extern const struct gb_timer_ops gb_cpu_timer;
enum gb_status gb_timer_resolution(const struct gb_timer_ops *ops, void *clock, double *ns,
				   struct gb_error *err);
double gb_now_ns(void);
void gb_timer_begin(struct gb_timer *timer);
void gb_phase(struct gb_timer *timer, const char *name);
void gb_timer_end(struct gb_timer *timer);
struct gb_phase_time {
	const char *name;
	double ns;
};
enum gb_status gb_timer_read(struct gb_timer *timer, double *total_ns, struct gb_phase_time *phase,
			     size_t *count);
#ifdef __cplusplus
}
#endif
#endif
#ifndef GPUBENCH_COMMON_WORKLOAD_H
#define GPUBENCH_COMMON_WORKLOAD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifndef GPUBENCH_COMMON_BACKEND_H
#define GPUBENCH_COMMON_BACKEND_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
enum gb_backend { GB_CPU, GB_CUDA, GB_VULKAN, GB_BACKENDS };
struct gb_gpu_info {
	int id;
	char name[128];
	char uuid[64];
	char pci[32];
	int cc_major, cc_minor;
	int sm_count;
	int64_t memory_bytes, l2_bytes;
	int bus_bits;
	int64_t memory_clock_khz, sm_clock_khz;
	int ecc, mig, persistence;
	double power_limit_w;
	bool emulated;
	struct {
		char driver[128], api[24];
	} vulkan;
	int number[GB_BACKENDS];
};
struct gb_cuda_info {
	char runtime[16], driver_api[16], driver[32];
};
struct gb_gpu_state {
	double temperature_c, power_w, sm_clock_hz;
	double energy_j, throttled_ns;
	uint64_t throttle;
	bool throttle_known;
};
struct gb_counter {
	void (*count)(bool on);
	const char *(*counts)(void);
};
struct gb_remote_ops;
struct gb_backend_ops {
	const char *name;
	bool (*is_emulated)(void);
	void (*allow_software)(void);
	enum gb_status (*open)(int device, struct gb_error *err);
	enum gb_status (*flush)(struct gb_error *err);
	uint64_t (*cache_bytes)(const char **from);
	size_t (*flush_bytes)(void);
	gb_fill_fn *fill;
	enum gb_status (*hold)(struct gb_error *err);
	enum gb_status (*let_go)(struct gb_error *err);
	bool (*has_held)(void);
	enum gb_status (*synchronize)(struct gb_error *err);
	double (*sm_clock_hz)(void);
	void (*state)(struct gb_gpu_state *state);
	double (*throttled_ns)(void);
	enum gb_status (*devices)(struct gb_gpu_info *gpu, size_t room, size_t *count,
				  struct gb_cuda_info *cuda, struct gb_error *err);
	const struct gb_counter *counter;
	const struct gb_timer_ops *timer;
	void (*close)(void);
	void *(*stream)(void);
	void *(*alloc)(size_t count, size_t size, struct gb_error *err);
	const struct gb_remote_ops *remote;
};
extern const struct gb_backend_ops *const gb_backends[GB_BACKENDS];
enum gb_backend gb_backend_named(const char *name);
#ifdef __cplusplus
}
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif
enum gb_type {
	GB_INT,
	GB_FLOAT,
	GB_CHOICE,
	GB_PATH,
	GB_FLAG,
};
#define GB_WORDS(name, count, ...)                                   \
	static const char *const name[] = { __VA_ARGS__, NULL };     \
	_Static_assert(sizeof(name) / sizeof *(name) == (count) + 1, \
		       #name ": a word for each value")
struct gb_param {
	const char *name;
	size_t offset;
	const char *initial;
	const char *keyed;
	int64_t min, max;
	double low, high;
	const char *const *choices;
	enum gb_type type;
	bool written;
	bool numbered;
	bool hidden;
	unsigned backends;
	char letter;
	const char *bare;
	const char *yields_to;
	const char *unit;
	const char *help;
};
#define GB_AT(type_, struct_, member) .type = (type_), .offset = offsetof(struct_, member)
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
enum { GB_MAX_METRICS = 24 };
struct gb_metrics {
	size_t count;
	struct {
		const char *name;
		double value;
		char text[24];
	} item[GB_MAX_METRICS];
};
void gb_metric(struct gb_metrics *metrics, const char *name, double value);
void gb_metric_hash(struct gb_metrics *metrics, const char *name, uint64_t hash);
enum gb_variant_flags {
	GB_SERIAL = 1,
	GB_REPEATABLE = 2,
	GB_HOST_DECISIONS = 4,
	GB_CONVERTS = 8,
	GB_DERIVES = 16,
};
struct gb_variant_ops {
	size_t state_size;
	enum gb_status (*create)(void *state, const void *params, const void *input,
				 struct gb_error *err);
	enum gb_status (*upload)(void *state, struct gb_error *err);
	enum gb_status (*reset)(void *state, int64_t sample, struct gb_error *err);
	enum gb_status (*run)(void *state, struct gb_timer *timer, struct gb_error *err);
	enum gb_status (*download)(void *state, void *output, struct gb_error *err);
	void (*destroy)(void *state);
	double (*bytes)(const void *params, const void *input);
	const char *(*excluded)(const void *params);
	void (*metrics)(void *state, struct gb_metrics *metrics);
	const char *(*library)(void);
	unsigned flags;
	enum gb_status (*copy)(void *state, struct gb_error *err);
};
enum gb_status gb_state_create(const struct gb_variant_ops *ops, const void *params,
			       const void *input, void **state, struct gb_error *err);
enum gb_status gb_state_upload(const struct gb_variant_ops *ops, void *state, struct gb_error *err);
void gb_state_destroy(const struct gb_variant_ops *ops, void *state);
struct gb_variant {
	const char *workload;
	const char *name;
	enum gb_backend backend;
	const char *summary;
	const struct gb_variant_ops *ops;
	const char *absent;
	bool peer;
	const struct gb_plugin_file *plugin;
};
struct gb_work {
	double items;
	double bytes;
	double read;
};
enum gb_preset { GB_QUICK, GB_CI, GB_PAPER, GB_PRESETS };
typedef void gb_share_fn(void *self, void **pointer, size_t bytes);
struct gb_workload {
	const char *name;
	const char *summary;
	const char *paper;
	const char *item;
	const struct gb_param *params;
	size_t param_count;
	size_t params_size;
	const char *const *check;
	const char *const *preset[GB_PRESETS];
	enum gb_status (*prepare)(const void *params, void **input, struct gb_error *err);
	size_t (*output_size)(const void *params, const void *input);
	enum gb_status (*verify)(const void *params, const void *input, int64_t sample,
				 const void *output, struct gb_metrics *metrics,
				 struct gb_error *err);
	const char *verify_method;
	bool (*vary)(const void *params, void *input, uint64_t key);
	bool yardstick;
	int64_t (*distinct)(const void *params, const void *input);
	struct gb_work (*work)(const void *params, const void *input);
	double (*items)(const void *params, const void *input, int64_t sample);
	bool (*repeatable)(const void *params);
	const char *(*excluded)(const void *params);
	const char *(*source)(const void *params);
	void (*release)(void *input);
	size_t input_size;
	void (*show)(void *input, gb_share_fn *share, void *self);
};
void *gb_input_begin(size_t size, struct gb_error *err);
enum gb_status gb_input_end(void *made, void **input, struct gb_error *err);
void gb_input_release(void *input);
#ifdef __cplusplus
}
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif
enum { GB_PLUGIN_ABI = 1 };
struct gb_plugin_variant {
	const char *workload;
	const char *name;
	enum gb_backend backend;
	const char *summary;
	const struct gb_variant_ops *ops;
};
struct gb_plugin {
	int abi;
	size_t ops_size;
	const char *name;
	const char *version;
	const struct gb_plugin_variant *variant;
	size_t count;
};
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
void *gb_device_stream(void);
void *gb_device_alloc(size_t count, size_t size, struct gb_error *err);
#ifdef __cplusplus
}
#endif
#endif
