/* grid.cc -- distributes the grid of a launch to OS threads: which cluster starts next, and
 * where.
 */
#include <stdlib.h>

#include <algorithm>

#include "tests/cudart/runtime.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t go = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static void (*job)(int id); /* NULL: no kernel is running */
static int generation;      /* number of the job, for sleeping threads */
static int wanted;          /* number of threads that may participate */
static int running;         /* number of threads that have not finished */

/* ---- threads ----------------------------------------------------------------------------- */

static void *thread_main(void *id)
{
	int seen = 0;

	pthread_mutex_lock(&mutex);
	for (;;) {
		while (generation == seen || !job || (intptr_t)id >= wanted) {
			seen = generation;
			pthread_cond_wait(&go, &mutex);
		}
		seen = generation;
		running++;
		pthread_mutex_unlock(&mutex);
		job((int)(intptr_t)id);
		pthread_mutex_lock(&mutex);
		if (--running == 0)
			pthread_cond_signal(&done);
	}
	return NULL;
}

void grid_run(const struct grid *g, void (*work)(int id))
{
	static int threads = 1;
	pthread_t thread;

	for (; threads < g->workers; threads++)
		if (pthread_create(&thread, NULL, thread_main, (void *)(intptr_t)threads) != 0)
			abort();
	pthread_mutex_lock(&mutex);
	job = work;
	wanted = g->workers;
	running = 1;
	generation++;
	if (g->workers > 1)
		pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&mutex);
	work(0);
	pthread_mutex_lock(&mutex);
	running--;
	while (running)
		pthread_cond_wait(&done, &mutex);
	job = NULL;
	pthread_mutex_unlock(&mutex);
}

/* ---- clusters ---------------------------------------------------------------------------- */

/* Set the order in which clusters start. */
static void permute(struct grid *g)
{
	const enum order order = runtime_options.blocks;
	uint64_t x = (runtime_options.seed + 88172645463325252ull) ^ g->number << 20;

	g->permutation.clear();
	if (order == ORDER_FORWARD || g->clusters > 1u << 24)
		return;
	for (uint64_t i = 0; i < g->clusters; i++)
		g->permutation.push_back(
			(uint32_t)(order == ORDER_REVERSE ? g->clusters - 1 - i : i));
	for (uint64_t i = g->clusters; order == ORDER_SHUFFLE && i > 1; i--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		std::swap(g->permutation[i - 1], g->permutation[x % i]);
	}
}

void grid_begin(struct grid *g, const struct gpu_call *call)
{
	const uint64_t threads = (uint64_t)runtime_options.threads;
	const dim3 size = call->grid, c = call->cluster;

	g->number++;
	g->cluster_size = c.x * c.y * c.z;
	g->clusters = (uint64_t)size.x * size.y * size.z / g->cluster_size;
	g->next = 0;
	g->failed = false;
	/* For a few clusters it is cheaper not to wake other threads. */
	g->workers = g->clusters >= 2 * threads ? (int)threads : 1;
	const uint64_t share = (g->clusters + (uint64_t)g->workers - 1) / (uint64_t)g->workers;
	uint64_t resident = (uint64_t)runtime_options.resident;

	if (call->cooperative)
		resident = std::max(resident, share);
	g->resident = (unsigned)std::min(resident, g->clusters);
	permute(g);
}

bool grid_next(struct grid *g, const struct gpu_call *call, uint3 *first)
{
	const dim3 size = call->cluster;
	const uint64_t wide = call->grid.x / size.x, high = call->grid.y / size.y;
	uint64_t i = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED);

	if (i >= g->clusters || __atomic_load_n(&g->failed, __ATOMIC_RELAXED))
		return false;
	if (!g->permutation.empty())
		i = g->permutation[i];
	*first = { (unsigned)(i % wide) * size.x, (unsigned)(i / wide % high) * size.y,
		   (unsigned)(i / (wide * high)) * size.z };
	return true;
}

uint3 grid_block(uint3 first, dim3 cluster, unsigned rank)
{
	return { first.x + rank % cluster.x, first.y + rank / cluster.x % cluster.y,
		 first.z + rank / (cluster.x * cluster.y) };
}

uint64_t grid_random(const struct grid *g, int id)
{
	const uint64_t seed = (runtime_options.seed + 0x9E3779B97F4A7C15ull * (unsigned)(id + 1)) ^
			      g->number << 32;

	return seed ? seed : 1;
}
