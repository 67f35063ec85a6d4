/* cugraph.cu -- cuGraph's breadth-first search as a plug-in, through the library's C API: a worked
 * example of how a library joins the table.
 *
 *	nvcc -O3 -I PREFIX/include -Xcompiler -fPIC -shared cugraph.cu -o cugraph.so
 *	gpubench bfs cuda/cugraph 'cuda/csr*' --plugin=./cugraph.so
 *
 * Only CUDA is needed to compile.  libcugraph_c.so is loaded when a point is created; if it cannot
 * be, the point is skipped with the loader's reason.  It is in conda's libcugraph, and in the wheel
 * libcugraph-cu13, whose own wheels are not found by themselves: LD_LIBRARY_PATH must name the
 * folders lib64 of libcugraph, libcuvs, libraft, librmm and rapids_logger.
 *
 * The declarations below follow cugraph_c/{array,error,graph,resource_handle,types,
 * traversal_algorithms}.h of version 26.10.0.  cuGraph renumbers vertices when it builds a graph,
 * so results name the vertex of each value.  It allocates what it returns in each run, and that
 * memory is not counted.  It works on a stream of its own, so run() waits for the device.
 */
#include <dlfcn.h>
#include <gpubench/plugin.h>

#define STREAM ((cudaStream_t)gb_device_stream()) /* our copies */

enum { INT32 = 2 };                      /* cugraph_data_type_id_t */
enum { UNREACHED = INT32_MAX };          /* a distance */
struct properties {                      /* cugraph_graph_properties_t */
	int is_symmetric, is_multigraph; /* bool_t is an enumeration */
};
/* Incomplete types, as the library's are in effect. */
struct handle;
struct graph;
struct view;
struct result;
struct error;

static struct {
	struct handle *(*create_handle)(void *raft);
	void (*free_handle)(struct handle *handle);
	struct view *(*create_view)(void *array, size_t count, int type);
	void (*free_view)(struct view *view);
	const void *(*view_array)(const struct view *view);
	int (*create_graph)(const struct handle *handle, const struct properties *properties,
			    const struct view *offsets, const struct view *indices,
			    const struct view *weights, const struct view *ids,
			    const struct view *types, int transposed, int renumber, int symmetrize,
			    int check, struct graph **graph, struct error **error);
	void (*free_graph)(struct graph *graph);
	int (*bfs)(const struct handle *handle, struct graph *graph, struct view *sources,
		   int direction_optimizing, size_t depth_limit, int predecessors, int check,
		   struct result **result, struct error **error);
	struct view *(*vertices)(struct result *result);
	struct view *(*distances)(struct result *result);
	struct view *(*predecessors)(struct result *result);
	void (*free_result)(struct result *result);
	const char *(*message)(const struct error *error);
	void (*free_error)(struct error *error);
} api;

static const struct {
	const char *name;
	void *function; /* the address of the pointer */
} symbols[] = {
	{ "cugraph_create_resource_handle", &api.create_handle },
	{ "cugraph_free_resource_handle", &api.free_handle },
	{ "cugraph_type_erased_device_array_view_create", &api.create_view },
	{ "cugraph_type_erased_device_array_view_free", &api.free_view },
	{ "cugraph_type_erased_device_array_view_pointer", &api.view_array },
	{ "cugraph_graph_create_sg_from_csr", &api.create_graph },
	{ "cugraph_graph_free", &api.free_graph },
	{ "cugraph_bfs", &api.bfs },
	{ "cugraph_paths_result_get_vertices", &api.vertices },
	{ "cugraph_paths_result_get_distances", &api.distances },
	{ "cugraph_paths_result_get_predecessors", &api.predecessors },
	{ "cugraph_paths_result_free", &api.free_result },
	{ "cugraph_error_message", &api.message },
	{ "cugraph_error_free", &api.free_error },
};

struct state {
	const struct bfs_params *params;
	const struct bfs_input *input; /* its contents change between runs; its sizes do not */
	uint32_t *starts;              /* vertices to search from, as upload() found them */
	int32_t *host;                 /* max(n + 1, 2 n): rows, then vertices and values */
	int32_t *row, *column;         /* on the device, for building the graph */
	int32_t *source;               /* on the device: one */
	struct handle *handle;
	struct graph *graph;
	struct view *sources;
	struct result *result; /* the last run's */
	uint32_t searched;     /* its source */
};

static enum gb_status need(cudaError_t error, struct gb_error *err)
{
	return error ? gb_fail(err, GB_ERUNTIME, "%s", cudaGetErrorString(error)) : GB_OK;
}

/* The outcome of a call of the library, with its message. */
static enum gb_status done(const char *what, int code, struct error *error, struct gb_error *err)
{
	if (code)
		gb_fail(err, GB_ERUNTIME, "%s: %.300s", what,
			error ? api.message(error) : "failed");
	if (error)
		api.free_error(error);
	return err->code;
}

/* Load the library once per process.  It is never unloaded: CUDA may still refer to it. */
static enum gb_status load(struct gb_error *err)
{
	static void *library;
	void *found = library ? library : dlopen("libcugraph_c.so", RTLD_NOW | RTLD_LOCAL);

	if (!found)
		return gb_fail(err, GB_EUNAVAILABLE, "cuGraph: %.300s", dlerror());
	for (size_t i = 0; !library && i < sizeof symbols / sizeof *symbols; i++) {
		*(void **)symbols[i].function = dlsym(found, symbols[i].name);
		if (!*(void **)symbols[i].function)
			return gb_fail(err, GB_EUNAVAILABLE, "cuGraph: libcugraph_c.so has no %s",
				       symbols[i].name);
	}
	library = found;
	return GB_OK;
}

static enum gb_status create(void *state, const void *params, const void *input,
			     struct gb_error *err)
{
	struct state *s = (struct state *)state;

	s->params = (const struct bfs_params *)params;
	s->input = (const struct bfs_input *)input;
	if (bfs_need_one_source(s->params, err) || load(err))
		return err->code;
	if (s->input->m > INT32_MAX)
		return gb_fail(err, GB_EUNAVAILABLE, "at most 2^31 - 1 edges");
	s->starts = (uint32_t *)gb_host_alloc(s->input->source_count, sizeof *s->starts, err);
	s->host = (int32_t *)gb_host_alloc((size_t)s->input->n * 2 + 1, sizeof *s->host, err);
	s->row = (int32_t *)gb_device_alloc((size_t)s->input->n + 1, sizeof *s->row, err);
	s->column = (int32_t *)gb_device_alloc(s->input->m, sizeof *s->column, err);
	s->source = (int32_t *)gb_device_alloc(1, sizeof *s->source, err);
	if (err->code)
		return err->code;
	s->handle = api.create_handle(NULL);
	s->sources = s->handle ? api.create_view(s->source, 1, INT32) : NULL;
	return s->sources ? GB_OK : gb_fail(err, GB_ERUNTIME, "cuGraph: no resource handle");
}

/* Copy the graph and let the library build its own form of it.  The host's input may change after
 * that, while the device works on the copy. */
static enum gb_status upload(void *state, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const struct bfs_csr *csr = &s->input->out;
	/* Parallel edges are allowed, and need not be there. */
	const struct properties properties = { s->input->symmetric, 1 };
	struct view *row = api.create_view(s->row, (size_t)s->input->n + 1, INT32);
	struct view *column = api.create_view(s->column, s->input->m, INT32);
	struct error *error = NULL;

	memcpy(s->starts, s->input->source, s->input->source_count * sizeof *s->starts);
	for (size_t v = 0; v <= s->input->n; v++)
		s->host[v] = (int32_t)csr->row[v];
	(void)need(cudaMemcpyAsync(s->row, s->host, ((size_t)s->input->n + 1) * sizeof *s->row,
				   cudaMemcpyHostToDevice, STREAM),
		   err);
	(void)need(cudaMemcpyAsync(s->column, csr->column, s->input->m * sizeof *s->column,
				   cudaMemcpyHostToDevice, STREAM),
		   err);
	(void)need(cudaStreamSynchronize(STREAM), err);
	if (s->graph)
		api.free_graph(s->graph);
	s->graph = NULL;
	if (!err->code)
		(void)done("cugraph_graph_create_sg_from_csr",
			   api.create_graph(s->handle, &properties, row, column, NULL, NULL, NULL,
					    0, 1, 0, 0, &s->graph, &error),
			   error, err);
	api.free_view(row);
	api.free_view(column);
	return err->code;
}

static void forget_result(struct state *s)
{
	if (s->result)
		api.free_result(s->result);
	s->result = NULL;
}

/* Before each run, not timed: a sample has its own source. */
static enum gb_status reset(void *state, int64_t sample, struct gb_error *err)
{
	struct state *s = (struct state *)state;

	forget_result(s);
	s->searched = s->starts[(size_t)sample % s->input->source_count];
	(void)need(cudaMemcpyAsync(s->source, &s->searched, sizeof *s->source,
				   cudaMemcpyHostToDevice, STREAM),
		   err);
	return need(cudaStreamSynchronize(STREAM), err);
}

/* The timed part. */
static enum gb_status run(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	struct error *error = NULL;

	(void)timer;
	(void)done("cugraph_bfs",
		   api.bfs(s->handle, s->graph, s->sources, s->input->symmetric, INT32_MAX,
			   s->params->output != BFS_DIST, 0, &s->result, &error),
		   error, err);
	return need(cudaDeviceSynchronize(), err);
}

/* Copy an array of the result to the host. */
static enum gb_status fetch(struct state *s, struct view *view, int32_t *to, struct gb_error *err)
{
	(void)need(cudaMemcpyAsync(to, api.view_array(view), s->input->n * sizeof *to,
				   cudaMemcpyDeviceToHost, STREAM),
		   err);
	api.free_view(view);
	return need(cudaStreamSynchronize(STREAM), err);
}

/* Put the values into the order of the vertices, in the words of the benchmark. */
static enum gb_status download(void *state, void *output, struct gb_error *err)
{
	struct state *s = (struct state *)state;
	const size_t n = s->input->n;
	int32_t *vertex = s->host, *value = s->host + n;
	int32_t *dist = bfs_output_dist(s->params, output);
	int32_t *parent = bfs_output_parent(s->params, s->input, output);

	(void)fetch(s, api.vertices(s->result), vertex, err);
	if (dist && !fetch(s, api.distances(s->result), value, err))
		for (size_t i = 0; i < n; i++)
			dist[vertex[i]] = value[i] == UNREACHED ? BFS_UNREACHED : value[i];
	if (parent && !fetch(s, api.predecessors(s->result), value, err)) {
		for (size_t i = 0; i < n; i++)
			parent[vertex[i]] = value[i] < 0 ? BFS_UNREACHED : value[i];
		parent[s->searched] = (int32_t)s->searched;
	}
	return err->code;
}

static void destroy(void *state)
{
	struct state *s = (struct state *)state;

	forget_result(s);
	if (s->graph)
		api.free_graph(s->graph);
	if (s->sources)
		api.free_view(s->sources);
	if (s->handle)
		api.free_handle(s->handle);
}

static const char *excluded(const void *params)
{
	(void)params;
	return "building the library's graph, with its vertices renumbered";
}

static const char *library(void)
{
	return "cuGraph";
}

static const struct gb_variant_ops ops = {
	.state_size = sizeof(struct state),
	.create = create,
	.upload = upload,
	.reset = reset,
	.run = run,
	.download = download,
	.destroy = destroy,
	.excluded = excluded,
	.library = library,
	.flags = GB_HOST_DECISIONS,
};

GB_PLUGIN("cugraph", "1", { "bfs", "cugraph", GB_CUDA, "cuGraph's search", &ops });
