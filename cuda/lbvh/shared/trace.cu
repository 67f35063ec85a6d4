/* trace.cu -- arrays, triangles in place, and operations of the CUDA traversals. */
#include "cuda/lbvh/shared/trace.h"

/* ---- triangles ---------------------------------------------------------------------------- */

/* One thread per element of the index. */
static __global__ void corners_kernel(lbvh_gpu g, const uint32_t *position, lbvh_corners *triangle)
{
	const size_t i = (size_t)blockIdx.x * LBVH_TRACE_BLOCK + threadIdx.x;

	if (i >= g.count)
		return;

	const uint32_t p = g.index[i], *const v = g.triangle + 3 * (size_t)p;
	const float *const a = g.vertex + 3 * (size_t)v[0], *const b = g.vertex + 3 * (size_t)v[1];
	const float *const c = g.vertex + 3 * (size_t)v[2];
	float4 *const to = (float4 *)(void *)(triangle + (position ? position[i] : i));

	to[0] = make_float4(a[0], a[1], a[2], __uint_as_float(p));
	to[1] = make_float4(b[0], b[1], b[2], 0);
	to[2] = make_float4(c[0], c[1], c[2], 0);
}

gb_status lbvh_gpu_corners(const lbvh_gpu *g, const uint32_t *position, lbvh_corners *triangle,
			   gb_error *err)
{
	corners_kernel<<<gpu_blocks(g->count, LBVH_TRACE_BLOCK), LBVH_TRACE_BLOCK, 0,
			 gpu_stream()>>>(*g, position, triangle);
	return CUDA_TRY(err, cudaGetLastError());
}

/* ---- operations --------------------------------------------------------------------------- */

gb_status lbvh_gpu_tracer_init(lbvh_gpu_tracer *tracer, lbvh_trace_counter *count,
			       const lbvh_params *p, const lbvh_input *in, size_t rays,
			       gb_error *err)
{
	const bool fine = p->op == LBVH_TRACE && p->tree != LBVH_PAPER_TREE;
	const unsigned codes = fine ? LBVH_GPU_CODES_63 : 0;

	tracer->rays = rays;
	tracer->count = count;
	lbvh_gpu_init(&tracer->gpu, in, codes | LBVH_GPU_ARRIVED, err);
	if (in->ray)
		gpu_alloc(&tracer->ray, rays, err);
	if (in->occlusion) {
		gpu_alloc(&tracer->bits, lbvh_bit_words(in), err);
		gb_memory_result(tracer->bits, GB_WHOLE, GB_POISON);
	} else {
		gpu_alloc(&tracer->t, rays, err);
		gpu_alloc(&tracer->primitive, rays, err);
		gb_memory_result(tracer->t, GB_WHOLE, GB_POISON);
		gb_memory_result(tracer->primitive, GB_WHOLE, GB_POISON);
	}
	return gpu_alloc(&tracer->counts, 1, err);
}

gb_status lbvh_gpu_tracer_upload(lbvh_gpu_tracer *tracer, gb_error *err)
{
	const lbvh_input *const in = tracer->gpu.input;

	tracer->camera = in->camera;
	if (lbvh_gpu_upload(&tracer->gpu, err) != GB_OK || !in->ray)
		return err->code;
	return gpu_upload(tracer->ray, in->ray, tracer->rays * sizeof *tracer->ray, err);
}

gb_status lbvh_gpu_tracer_hits(const lbvh_gpu_tracer *tracer, float *t, uint32_t *primitive,
			       gb_error *err)
{
	gpu_download(t, tracer->t, tracer->rays * sizeof *t, err);
	return gpu_download(primitive, tracer->primitive, tracer->rays * sizeof *primitive, err);
}

gb_status lbvh_gpu_tracer_download(const lbvh_gpu_tracer *tracer, void *output, gb_error *err)
{
	const lbvh_input *const in = tracer->gpu.input;

	if (in->occlusion)
		return gpu_download(lbvh_trace_bits(output), tracer->bits,
				    lbvh_bit_words(in) * sizeof *tracer->bits, err);
	return lbvh_gpu_tracer_hits(tracer, lbvh_trace_t(output), lbvh_trace_primitive(in, output),
				    err);
}

void lbvh_gpu_tracer_metrics(lbvh_gpu_tracer *tracer, gb_metrics *metrics)
{
	const double rays = (double)tracer->rays;
	cudaFuncAttributes code;
	gb_error err = {};

	if (CUDA_TRY(&err, cudaFuncGetAttributes(&code, tracer->kernel)) == GB_OK)
		gb_metric(metrics, "local_bytes_per_thread", (double)code.localSizeBytes);
	if (!tracer->met.nodes && tracer->count(tracer, &err) == GB_OK)
		gpu_download(&tracer->met, tracer->counts, sizeof tracer->met, &err);
	if (err.code)
		return;
	gb_metric(metrics, "nodes_per_ray", (double)tracer->met.nodes / rays);
	gb_metric(metrics, "triangles_per_ray", (double)tracer->met.triangles / rays);
}
