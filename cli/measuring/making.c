/* making.c -- makes the input of a point so that a signal need not wait for it. */
#include "cli/measuring/making.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/measuring/runner.h"

/* The thread and the one that waits share this; it stays if the thread is left alone. */
struct making {
	const struct gb_workload *workload;
	void *params, *input;
	struct gb_error err;
	sem_t end;
};

static bool was_left;

bool gb_making_was_left(void)
{
	return was_left;
}

static void *make(void *making)
{
	struct making *m = making;

	(void)m->workload->prepare(m->params, &m->input, &m->err);
	(void)sem_post(&m->end);
	return NULL;
}

/* Wait until the input is made or a signal has come, which may have been another thread's. */
static bool wait_for(struct making *m)
{
	const long patience = 50000000; /* ns */
	struct timespec until;

	while (!gb_interrupted) {
		(void)clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (until.tv_nsec + patience) / 1000000000;
		until.tv_nsec = (until.tv_nsec + patience) % 1000000000;
		if (!sem_timedwait(&m->end, &until))
			return true;
	}
	return !sem_trywait(&m->end);
}

static void release(struct making *m)
{
	(void)sem_destroy(&m->end);
	free(m->params);
	free(m);
}

enum gb_status gb_make_input(const struct gb_workload *workload, const void *params, void **input,
			     struct gb_error *err)
{
	struct making *m = calloc(1, sizeof *m);
	void *copy = malloc(workload->params_size);
	pthread_t thread;

	*input = NULL;
	if (!m || !copy) {
		free(m);
		free(copy);
		return gb_out_of_memory(err, NULL);
	}
	m->workload = workload;
	m->params = memcpy(copy, params, workload->params_size);
	(void)sem_init(&m->end, 0, 0);
	if (pthread_create(&thread, NULL, make, m)) { /* make it here */
		release(m);
		return workload->prepare(params, input, err);
	}
	if (!wait_for(m)) {
		was_left = true;
		(void)pthread_detach(thread);
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	}
	(void)pthread_join(thread, NULL);
	*input = m->input;
	*err = m->err;
	release(m);
	return err->code;
}
