/* threads.c -- cheats that work at the same time as the harness: threads that outlive run(), start
 * before it or are more than --threads asks for, and other processes.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cheats/cheat.h"

/* The work of a thread. */
static void *sort_own(void *state)
{
	struct gb_error err = { 0 };
	struct cheat *c = state;

	(void)cheat_sort(c, c->own, c->result, &err);
	return NULL;
}

static enum gb_status join_and_download(void *state, void *output, struct gb_error *err)
{
	cheat_join(state);
	return cheat_download(state, output, err);
}

/* behind: run() starts a thread on a copy of the input and returns; download() waits for it.  The
 * process is still at work when run() has returned. */
static enum gb_status leave_behind(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	memcpy(c->own, c->input->keys, c->bytes);
	return cheat_start(c, sort_own, err);
}

static enum gb_status join_first(void *state, int64_t sample, struct gb_error *err)
{
	cheat_join(state);
	return GB_OK;
}

/* ahead: reset() starts the thread, which works during the flush; run() waits for it.  The process
 * is at work when reset() has returned. */
static enum gb_status start_early(void *state, int64_t sample, struct gb_error *err)
{
	cheat_join(state);
	return leave_behind(state, NULL, err);
}

static enum gb_status wait_for_it(void *state, struct gb_timer *timer, struct gb_error *err)
{
	cheat_join(state);
	return GB_OK;
}

/* child: as behind, but another process works, whose CPU time is not this one's.  reset(), run()
 * and download() together take longer than the work, and this process has a child. */
static pid_t child;

static enum gb_status create_shared(void *state, const void *params, const void *input,
				    struct gb_error *err)
{
	struct cheat *c = state;

	if (cheat_create(c, params, input, err))
		return err->code;
	c->other = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return c->other == MAP_FAILED ? gb_fail(err, GB_EMEMORY, "no shared memory") : GB_OK;
}

static int ascending(const void *a_, const void *b_)
{
	const uint32_t a = *(const uint32_t *)a_, b = *(const uint32_t *)b_;

	return (a > b) - (a < b);
}

static void join_child(void *state)
{
	if (child > 0)
		(void)waitpid(child, NULL, 0);
	child = 0;
}

static enum gb_status fork_child(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	child = fork();
	if (child < 0)
		return gb_fail(err, GB_ERUNTIME, "no process");
	if (child > 0)
		return GB_OK;
	memcpy(c->other, c->input->keys, c->bytes);
	qsort(c->other, c->input->count, sizeof *c->other, ascending);
	_exit(0);
}

static enum gb_status join_child_first(void *state, int64_t sample, struct gb_error *err)
{
	join_child(state);
	return GB_OK;
}

static enum gb_status join_and_copy(void *state, void *output, struct gb_error *err)
{
	struct cheat *c = state;

	join_child(state);
	memcpy(output, c->other, c->bytes);
	return GB_OK;
}

static void destroy_shared(void *state)
{
	struct cheat *c = state;

	join_child(state);
	if (c->other && c->other != MAP_FAILED)
		(void)munmap(c->other, c->bytes);
}

/* threads: sorts with two threads, whatever --threads is.  More than one thread uses the CPU. */
static enum gb_status create_threads(void *state, const void *params, const void *input,
				     struct gb_error *err)
{
	struct radix_params more = *(const struct radix_params *)params;

	more.threads = 2;
	return cheat_create(state, &more, input, err);
}

static enum gb_status work(void *state, struct gb_timer *timer, struct gb_error *err)
{
	return cheat_work(state, err);
}

/* warm: a thread started in reset() reads the input again and again until run() starts, so that the
 * flush does not evict it.  The process is at work when reset() has returned. */
static void *read_input(void *state)
{
	struct cheat *c = state;
	const uint32_t *key = c->input->keys;
	uint32_t sum = 0;

	while (__atomic_load_n(&c->since_reset, __ATOMIC_ACQUIRE) == 0)
		for (size_t i = 0; i < c->input->count; i += 16)
			sum += key[i];
	c->sample = sum;
	return NULL;
}

static enum gb_status keep_warm(void *state, int64_t sample, struct gb_error *err)
{
	struct cheat *c = state;

	__atomic_store_n(&c->since_reset, 1, __ATOMIC_RELEASE);
	cheat_join(c);
	c->since_reset = 0;
	return cheat_start(c, read_input, err);
}

static enum gb_status stop_and_work(void *state, struct gb_timer *timer, struct gb_error *err)
{
	struct cheat *c = state;

	__atomic_store_n(&c->since_reset, 1, __ATOMIC_RELEASE);
	return cheat_work(c, err);
}

static void destroy_warm(void *state)
{
	struct cheat *c = state;

	__atomic_store_n(&c->since_reset, 1, __ATOMIC_RELEASE);
	cheat_join(c);
}

CHEAT(behind, .create = cheat_create, .reset = join_first, .run = leave_behind,
      .download = join_and_download, .destroy = cheat_join);
CHEAT(ahead, .create = cheat_create, .reset = start_early, .run = wait_for_it,
      .download = cheat_download, .destroy = cheat_join);
CHEAT(child, .create = create_shared, .reset = join_child_first, .run = fork_child,
      .download = join_and_copy, .destroy = destroy_shared);
CHEAT(threads, .create = create_threads, .run = work, .download = cheat_download);
CHEAT(warm, .create = cheat_create, .reset = keep_warm, .run = stop_and_work,
      .download = cheat_download, .destroy = destroy_warm);
