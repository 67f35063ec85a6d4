/* cugraph.cu -- a stand-in for libcugraph_c.so in the emulator: the part of its C API that
 * examples/peers/cugraph.cu calls.  Vertices are renumbered backwards, so that results in the
 * library's order are not in that of the input.
 */
#include <cuda_runtime.h>

#include <stdint.h>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

struct view {
	void *array;
	size_t count;
};

struct graph {
	std::vector<int32_t> row, column;
};

struct result {
	int32_t *vertex, *dist, *parent;
	size_t count;
};

static std::vector<int32_t> fetch(const view *v)
{
	std::vector<int32_t> host(v->count);

	cudaMemcpy(host.data(), v->array, v->count * 4, cudaMemcpyDeviceToHost);
	return host;
}

/* A device array with the values, backwards. */
static int32_t *store(std::vector<int32_t> host)
{
	int32_t *array;

	for (size_t i = 0, j = host.size(); i + 1 < j; i++)
		std::swap(host[i], host[--j]);
	cudaMalloc(&array, host.size() * 4);
	cudaMemcpy(array, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
	return array;
}

API void *cugraph_create_resource_handle(void *)
{
	return new int;
}

API void cugraph_free_resource_handle(int *handle)
{
	delete handle;
}

API view *cugraph_type_erased_device_array_view_create(void *array, size_t count, int type)
{
	return type == 2 ? new view{ array, count } : nullptr;
}

API void cugraph_type_erased_device_array_view_free(view *v)
{
	delete v;
}

API const void *cugraph_type_erased_device_array_view_pointer(const view *v)
{
	return v->array;
}

API int cugraph_graph_create_sg_from_csr(const int *, const int *properties, const view *row,
					 const view *column, const view *, const view *,
					 const view *, int transposed, int renumber, int symmetrize,
					 int, graph **out, void **error)
{
	*error = nullptr;
	*out = new graph{ fetch(row), fetch(column) };
	return transposed || !renumber || symmetrize || !properties[1];
}

API void cugraph_graph_free(graph *g)
{
	delete g;
}

API int cugraph_bfs(const int *, graph *g, view *sources, int, size_t limit, int predecessors, int,
		    result **out, void **error)
{
	const size_t n = g->row.size() - 1;
	std::vector<int32_t> vertex(n), dist(n, INT32_MAX), parent(n, -1);
	std::vector<int32_t> queue = fetch(sources);

	*error = nullptr;
	for (size_t v = 0; v < n; v++)
		vertex[v] = (int32_t)v;
	dist[queue[0]] = 0;
	for (size_t i = 0; i < queue.size(); i++)
		for (int32_t e = g->row[queue[i]]; e < g->row[queue[i] + 1]; e++) {
			const int32_t v = g->column[e];

			if (dist[v] < INT32_MAX || (size_t)dist[queue[i]] >= limit)
				continue;
			dist[v] = dist[queue[i]] + 1;
			parent[v] = queue[i];
			queue.push_back(v);
		}
	*out = new result{ store(vertex), store(dist), predecessors ? store(parent) : nullptr, n };
	return 0;
}

API view *cugraph_paths_result_get_vertices(result *r)
{
	return new view{ r->vertex, r->count };
}

API view *cugraph_paths_result_get_distances(result *r)
{
	return new view{ r->dist, r->count };
}

API view *cugraph_paths_result_get_predecessors(result *r)
{
	return r->parent ? new view{ r->parent, r->count } : nullptr;
}

API void cugraph_paths_result_free(result *r)
{
	cudaFree(r->vertex);
	cudaFree(r->dist);
	if (r->parent)
		cudaFree(r->parent);
	delete r;
}

API const char *cugraph_error_message(const void *)
{
	return "";
}

API void cugraph_error_free(void *)
{
}
