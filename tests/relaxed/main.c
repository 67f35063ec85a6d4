/* main.c -- the CPU variants that share memory by atomic operations, under relaxed.h.
 *
 * Each runs at a few points under many schedules, and the workload's verifier checks its output:
 * no race, no wrong result, no endless wait.  Then faults are planted, and those that matter to the
 * variant must be found: acquire or release orders taken as relaxed, and updates that are not
 * atomic.  Litmus tests check the model itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/measuring/sweep.h"
#include "cli/workloads/registry.h"
#include "common/memory.h"
#include "common/text.h"
#include "cpu/simd.h"
#include "tests/relaxed/litmus.h"
#include "tests/relaxed/relaxed.h"

enum { SCHEDULES = 8, FAULTY_SCHEDULES = 400, LITMUS_SCHEDULES = 300 };
enum { ACQUIRE = 1 << FAULT_ACQUIRE, RELEASE = 1 << FAULT_RELEASE, UPDATE = 1 << FAULT_UPDATE };

static const char *const fault_names[FAULTS] = { "none", "acquire", "release", "update" };

extern const struct gb_variant_ops octree_cpu_lock, octree_cpu_lf, octree_cpu_lf_amac,
	lbvh_cpu_karras_radix, lbvh_cpu_karras32, bfs_cpu_basic, bfs_cpu_csr, cbt_cpu_descent,
	cbt_cpu_libcbt;

static const struct {
	const char *name;
	const struct gb_variant_ops *ops;
	const char *words;
	unsigned faults; /* those that must be found */
} rows[] = {
	{ "lock", &octree_cpu_lock, "octree --count=60 --bucket=1", ACQUIRE | RELEASE | UPDATE },
	{ "lock", &octree_cpu_lock, "octree --count=90 --bucket=3", ACQUIRE | RELEASE | UPDATE },
	{ "lock", &octree_cpu_lock, "octree --count=40 --dist=pairs", ACQUIRE | RELEASE | UPDATE },
	{ "lf", &octree_cpu_lf, "octree --count=60 --bucket=1", ACQUIRE | RELEASE | UPDATE },
	{ "lf", &octree_cpu_lf, "octree --count=90 --bucket=3", ACQUIRE | RELEASE | UPDATE },
	{ "lf", &octree_cpu_lf, "octree --count=40 --dist=pairs", ACQUIRE | RELEASE | UPDATE },
	{ "lf-amac", &octree_cpu_lf_amac, "octree --count=60", ACQUIRE | RELEASE | UPDATE },
	{ "karras-radix", &lbvh_cpu_karras_radix, "lbvh --primitives=200", ACQUIRE | RELEASE },
	{ "karras32", &lbvh_cpu_karras32, "lbvh --primitives=12", ACQUIRE | RELEASE | UPDATE },
	{ "basic", &bfs_cpu_basic, "bfs --vertices=150 --p=0.1 --result=both", UPDATE },
	{ "csr", &bfs_cpu_csr, "bfs --vertices=900 --p=0.35 --result=both", UPDATE },
	{ "descent", &cbt_cpu_descent, "cbt --op=update --depth=7 --frames=2", UPDATE },
	{ "libcbt", &cbt_cpu_libcbt, "cbt --op=cycle --depth=9", UPDATE },
};

static const struct {
	const char *name;
	bool (*occurs)(void);
	unsigned faults; /* the outcome occurs with these; 1 << FAULT_NONE: without */
} litmus[] = {
	{ "message", litmus_message, ACQUIRE | RELEASE },
	{ "chain", litmus_chain, ACQUIRE | RELEASE },
	{ "buffers", litmus_buffers, 1 << FAULT_NONE | ACQUIRE | RELEASE | UPDATE },
	{ "coherence", litmus_coherence, 0 },
	{ "updates", litmus_updates, UPDATE },
	{ "swaps", litmus_swaps, UPDATE },
	{ "barrier", litmus_barrier, 0 },
};

static unsigned try_litmus(void)
{
	unsigned failures = 0;

	for (size_t i = 0; i < GB_COUNT(litmus); i++)
		for (enum fault fault = FAULT_NONE; fault < FAULTS; fault++) {
			const bool wanted = litmus[i].faults >> fault & 1;
			bool occurs = false;

			for (uint64_t seed = 1; seed <= LITMUS_SCHEDULES; seed++) {
				relaxed_start(seed, fault);
				occurs = litmus[i].occurs() || occurs;
			}
			if (occurs == wanted)
				continue;
			failures++;
			(void)printf("relaxed: litmus %s, fault %s: occurs %d, not %d\n",
				     litmus[i].name, fault_names[fault], occurs, wanted);
		}
	return failures;
}

struct point {
	const struct gb_workload *workload;
	void *params, *input;
};

/* Run and verify once. */
static bool is_right(const struct gb_variant_ops *ops, const struct point *p)
{
	const struct gb_workload *w = p->workload;
	void *output = calloc(w->output_size(p->params, p->input), 1), *state = NULL;
	struct gb_metrics metrics = { 0 };
	struct gb_timer timer = { 0 };
	struct gb_error err = { 0 };

	if (!output || gb_state_create(ops, p->params, p->input, &state, &err) ||
	    gb_state_upload(ops, state, &err) || (ops->reset && ops->reset(state, 0, &err)) ||
	    ops->run(state, &timer, &err) || ops->download(state, output, &err) ||
	    w->verify(p->params, p->input, 0, output, &metrics, &err))
		(void)fprintf(stderr, "relaxed: %s\n", err.message);
	gb_state_destroy(ops, state);
	free(output);
	return !err.code;
}

/* Run under schedules in a process, which ends as soon as one is wrong.  Returns its status. */
static int try_fault(const struct gb_variant_ops *ops, const struct point *p, enum fault fault,
		     uint64_t schedules)
{
	const pid_t child = fork();
	int status = 0;

	if (child == 0) {
		if (fault && !freopen("/dev/null", "w", stderr))
			_exit(1);
		for (uint64_t seed = 1; seed <= schedules; seed++) {
			relaxed_start(seed, fault);
			if (!is_right(ops, p))
				_exit(FOUND_WRONG);
		}
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFSIGNALED(status) ? FOUND_WRONG : WEXITSTATUS(status);
}

static unsigned try_row(size_t i)
{
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	char name[16], words[128];
	struct point p = { 0 };
	unsigned failures = 0;

	(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(rows[i].words, " "), rows[i].words);
	(void)snprintf(words, sizeof words, "%s --threads=3 --seed=4",
		       rows[i].words + strlen(name));
	p.workload = gb_workload_find(name);
	p.params = malloc(p.workload->params_size);
	if (gb_sweep_words(&sweep, p.workload, words, &err) || !p.params) {
		(void)printf("relaxed: %s: %s\n", rows[i].words, err.message);
		return 1;
	}
	gb_sweep_point(&sweep, 0, p.params);
	if (p.workload->prepare(p.params, &p.input, &err)) {
		(void)printf("relaxed: %s: %s\n", rows[i].words, err.message);
		return 1;
	}
	for (enum fault fault = FAULT_NONE; fault < FAULTS; fault++) {
		int status;

		if (fault && !(rows[i].faults >> fault & 1))
			continue;
		status = try_fault(rows[i].ops, &p, fault, fault ? FAULTY_SCHEDULES : SCHEDULES);
		if (fault ? status >= FOUND_RACE : status == 0)
			continue;
		failures++;
		(void)printf("relaxed: %s, %s, fault %s: status %d\n", rows[i].words, rows[i].name,
			     fault_names[fault], status);
	}
	p.workload->release(p.input);
	free(p.params);
	gb_sweep_release(&sweep);
	return failures;
}

int main(void)
{
	unsigned failures;

	cpu_limit_simd(CPU_PLAIN);
	failures = try_litmus();
	for (size_t i = 0; i < GB_COUNT(rows); i++)
		failures += try_row(i);
	(void)printf("relaxed: %zu variants and points, %zu litmus tests, %u failures\n",
		     GB_COUNT(rows), GB_COUNT(litmus), failures);
	return failures > 0;
}
