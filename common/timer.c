/* timer.c -- times runs and their phases; the CPU's clock. */
#include "common/timer.h"

#include <stdlib.h>
#include <time.h>

#include "common/text.h"

double gb_now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void mark(struct gb_timer *timer, const char *name)
{
	if (timer->err->code)
		return;
	if (timer->mark_count == GB_MAX_MARKS) {
		gb_fail(timer->err, GB_ERUNTIME, "more than %d phase marks in a run", GB_MAX_MARKS);
		return;
	}
	timer->mark_phase[timer->mark_count] = name;
	(void)timer->ops->mark(timer->clock, timer->mark_count++, timer->err);
}

void gb_timer_begin(struct gb_timer *timer)
{
	timer->mark_count = 0;
	mark(timer, NULL);
}

void gb_phase(struct gb_timer *timer, const char *name)
{
	if (!timer)
		return;
	timer->named = true;
	if (timer->phases)
		mark(timer, name);
}

void gb_timer_end(struct gb_timer *timer)
{
	mark(timer, NULL);
}

/* Add ns to the phase of that name.  More than `room` phases are an error. */
static enum gb_status add_phase(struct gb_phase_time *phase, size_t room, size_t *count,
				const char *name, double ns, struct gb_error *err)
{
	for (size_t i = 0; i < *count; i++) {
		if (gb_equal(phase[i].name, name)) {
			phase[i].ns += ns;
			return GB_OK;
		}
	}
	if (*count == room)
		return gb_fail(err, GB_ERUNTIME, "more than %zu phases in a run", room);
	phase[(*count)++] = (struct gb_phase_time){ name, ns };
	return GB_OK;
}

enum gb_status gb_timer_read(struct gb_timer *timer, double *total_ns, struct gb_phase_time *phase,
			     size_t *count)
{
	const size_t room = *count;
	const size_t last = timer->mark_count - 1;

	*count = 0;
	if (timer->err->code || timer->ops->elapsed(timer->clock, 0, last, total_ns, timer->err))
		return timer->err->code;
	for (size_t i = 0; i < last; i++) {
		double ns = 0;

		if (!timer->mark_phase[i])
			continue;
		if (timer->ops->elapsed(timer->clock, i, i + 1, &ns, timer->err) ||
		    add_phase(phase, room, count, timer->mark_phase[i], ns, timer->err))
			return timer->err->code;
	}
	return GB_OK;
}

static enum gb_status cpu_create(void **clock, struct gb_error *err)
{
	*clock = calloc(GB_MAX_MARKS, sizeof(double));
	return *clock ? GB_OK : gb_out_of_memory(err, NULL);
}

static enum gb_status cpu_mark(void *clock, size_t index, struct gb_error *err)
{
	double *instant = clock;

	(void)err;
	instant[index] = gb_now_ns();
	return GB_OK;
}

static enum gb_status cpu_elapsed(void *clock, size_t first, size_t last, double *ns,
				  struct gb_error *err)
{
	const double *instant = clock;

	(void)err;
	*ns = instant[last] - instant[first];
	return GB_OK;
}

const struct gb_timer_ops gb_cpu_timer = {
	.name = "monotonic",
	.resolution_ns = 1,
	.create = cpu_create,
	.mark = cpu_mark,
	.elapsed = cpu_elapsed,
	.destroy = free,
};
