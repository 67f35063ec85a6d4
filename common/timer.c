/* timer.c -- times runs and their phases; the resolution of a clock; the CPU's clock. */
#include "common/timer.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "common/stats.h"
#include "common/text.h"

/* To measure a clock's resolution, ROUNDS times ROUND_MARKS marks are taken. */
enum { ROUNDS = 4, ROUND_MARKS = 64, ROUND_TIMES = 2 * (ROUND_MARKS - 1), MOST_CLOCKS = 8 };

/* A smaller step between two times, relative to them, may be a rounding error: CUDA's times are
 * floats, so that the error of this step is at most 1/128 of it. */
static const double LEAST_STEP = 0x1p-16;

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

static void set_range(struct gb_timer *timer, const char *name)
{
	if (timer->in_range)
		timer->range(NULL);
	timer->in_range = name != NULL;
	if (name)
		timer->range(name);
}

void gb_phase(struct gb_timer *timer, const char *name)
{
	if (!timer)
		return;
	timer->named = true;
	if (timer->range)
		set_range(timer, name);
	else if (timer->phases)
		mark(timer, name);
}

void gb_timer_end(struct gb_timer *timer)
{
	if (timer->range)
		set_range(timer, NULL);
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

/* ---- resolution -------------------------------------------------------------------------- */

/* Wait for up to a microsecond before mark i, each time differently: the steps of a clock are
 * hidden if marks come at a constant rate. */
static void delay(size_t i)
{
	const double end_ns = gb_now_ns() + (double)(i * 61 % 997);

	while (gb_now_ns() < end_ns)
		;
}

/* Times from the first mark to each of the others, and between neighbours. */
static enum gb_status time_marks(const struct gb_timer_ops *ops, void *clock,
				 double ns[ROUND_TIMES], struct gb_error *err)
{
	for (size_t i = 0; i < ROUND_MARKS; i++) {
		delay(i);
		if (ops->mark(clock, i, err))
			return err->code;
	}
	for (size_t i = 1; i < ROUND_MARKS; i++) {
		if (ops->elapsed(clock, 0, i, &ns[2 * i - 2], err) ||
		    ops->elapsed(clock, i - 1, i, &ns[2 * i - 1], err))
			return err->code;
	}
	return GB_OK;
}

/* The smallest difference between two of the times, or a time and 0, that is no rounding error;
 * INFINITY if there is none.  From 1 ns on it is rounded to 0.1 ns. */
static double smallest_step(double *ns, size_t count)
{
	double least = INFINITY;

	gb_sort(ns, count);
	for (size_t i = 0; i < count; i++) {
		const double step = i ? ns[i] - ns[i - 1] : ns[i];

		if (step > ns[i] * LEAST_STEP)
			least = fmin(least, step);
	}
	return isfinite(least) && least >= 1 ? round(least * 10) / 10 : least;
}

/* If the clock never advanced, its resolution is taken to be the time that passed. */
enum gb_status gb_timer_resolution(const struct gb_timer_ops *ops, void *clock, double *ns,
				   struct gb_error *err)
{
	static struct {
		const struct gb_timer_ops *ops;
		double ns;
	} known[MOST_CLOCKS];
	const double start_ns = gb_now_ns();
	double times[ROUNDS * ROUND_TIMES];
	size_t i = 0;

	while (i < MOST_CLOCKS - 1 && known[i].ops && known[i].ops != ops)
		i++;
	*ns = known[i].ns;
	if (known[i].ops == ops)
		return GB_OK;
	for (size_t r = 0; r < ROUNDS; r++)
		if (time_marks(ops, clock, times + r * ROUND_TIMES, err))
			return err->code;
	*ns = smallest_step(times, GB_COUNT(times));
	if (!isfinite(*ns))
		*ns = gb_now_ns() - start_ns;
	known[i].ops = ops;
	known[i].ns = *ns;
	return GB_OK;
}

/* ---- the CPU's clock --------------------------------------------------------------------- */

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
	.create = cpu_create,
	.mark = cpu_mark,
	.elapsed = cpu_elapsed,
	.destroy = free,
};
