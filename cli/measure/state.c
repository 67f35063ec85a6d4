/* state.c -- the GPU's state around the samples of a measurement. */
#include <math.h>

#include "cli/measure/sample.h"
#include "common/text.h"

/* Reasons why clocks are lowered, by bit of NVML's nvmlClocksEventReason* constants. */
static const char *const throttle_words[] = {
	"idle",           "application_clocks", "software_power_cap", "hardware_slowdown",
	"sync_boost",     "software_thermal",   "hardware_thermal",   "power_brake",
	"display_clocks",
};

enum gb_status gb_add_gpu_state(struct gb_measurement *m)
{
	const struct gb_gpu_state before = m->before;
	struct gb_record *r = m->record;
	const bool is_after = r->gpu_state.temperature_c.count > 0;
	struct gb_gpu_state *now = &m->before;

	if (!m->backend->state)
		return GB_OK;
	m->backend->state(now);
	if (gb_numbers_add(&r->gpu_state.temperature_c, now->temperature_c, m->err) ||
	    gb_numbers_add(&r->gpu_state.clock_hz, now->sm_clock_hz, m->err) ||
	    gb_numbers_add(&r->gpu_state.power_w, now->power_w, m->err) || !is_after)
		return m->err->code;
	r->gpu_state.energy_j = now->energy_j - before.energy_j;
	r->gpu_state.throttled_s = (now->throttled_ns - before.throttled_ns) / 1e9;
	if (!isnan(now->throttled_ns))
		r->gpu_state.throttled_samples = (double)m->throttled;
	for (size_t i = 0; i < GB_COUNT(throttle_words); i++)
		if (before.throttle_known && now->throttle_known &&
		    (before.throttle | now->throttle) >> i & 1 &&
		    !gb_texts_add(&r->gpu_state.throttle, throttle_words[i]))
			return gb_out_of_memory(m->err, "a record");
	return GB_OK;
}
