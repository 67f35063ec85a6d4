/* rates.c -- what is computed from the samples of a measurement: work, rates, medians. */
#include <math.h>

#include "cli/measure/sample.h"
#include "cli/workloads/value.h"

/* Bytes that a run moves through main memory: by the variant's model or, if it has all its data in
 * a cache that is cold at first, those of the input and the output.  A variant without a model may
 * have a metric of the bytes of the input that the last verified run read. */
static double bytes_moved(const struct gb_measurement *m, double least)
{
	const char *from;

	if (!m->ops->bytes)
		return least + fmax(gb_member_number(&m->record->metrics, "touched_bytes"), 0);
	if (m->cold && m->backend->cache_bytes && m->state_bytes <= m->backend->cache_bytes(&from))
		return least;
	return m->ops->bytes(m->result->params, m->input);
}

/* The rate of samples that are different work. */
static double harmonic_rate(const struct gb_measurement *m)
{
	const struct gb_workload *workload = m->result->workload;
	const struct gb_times *time = &m->record->time;
	double ns_per_item = 0;

	for (size_t i = 0; i < time->count; i++)
		ns_per_item += time->sample[i] /
			       (workload->items ? workload->items(m->result->params, m->input,
								  m->first + (int64_t)i)
						: m->record->work.items);
	return (double)time->count / ns_per_item * 1e9;
}

static double median_of(const struct gb_record *record, const char *transfer)
{
	const struct gb_times *times = gb_record_times(record, transfer);

	return times ? times->median : (double)NAN;
}

/* Set the medians of the series besides the samples.  On the CPU a download is a copy that only
 * verifying needs: its median is enough. */
static enum gb_status settle(struct gb_measurement *m)
{
	const double resolution_ns = m->result->resolution_ns;
	struct gb_record *r = m->record;

	if (gb_times_settle(&r->host_time, "monotonic", 0, m->err) ||
	    gb_phases_settle(&r->phases, m->clock, resolution_ns, m->err) ||
	    gb_phases_settle(&r->transfers, m->clock, resolution_ns, m->err))
		return m->err->code;
	r->upload = median_of(r, "upload");
	r->download = median_of(r, "download");
	if (isnan(r->upload))
		gb_phases_clear(&r->transfers);
	return GB_OK;
}

enum gb_status gb_sum_up(struct gb_measurement *m)
{
	const struct gb_workload *workload = m->result->workload;
	const struct gb_work work = workload->work(m->result->params, m->input);
	struct gb_record *r = m->record;

	if (settle(m))
		return m->err->code;
	r->cold = m->cold ? GB_YES : GB_NO;
	r->batch = (double)m->batch;
	r->holds_given_up = gb_positive((double)m->given_up);
	r->threads = gb_positive(gb_threads_of(workload, m->result->variant, m->result->params));
	m->result->read_bytes = work.read;
	r->work.items = work.items;
	r->work.bytes = bytes_moved(m, work.bytes);
	if (m->cold) /* 0 before the first flush */
		r->memory.flush_bytes = gb_positive((double)m->backend->flush_bytes());
	if (m->distinct > 1 && !r->emulated)
		r->harmonic_items_per_s = harmonic_rate(m);
	if (!isnan(r->gpu_state.throttled_s))
		r->gpu_state.throttled_samples = (double)m->throttled;
	if (m->throttled > MAX_RETAKEN)
		gb_result_remark(m->result,
				 "clocks were lowered because of power or heat in %lld samples",
				 (long long)m->throttled);
	if (m->given_up >= MAX_GIVE_UPS)
		gb_result_remark(m->result,
				 "these times include launches: the stream could not be held "
				 "back, because run() waits for the device or queues more than "
				 "fits");
	return GB_OK;
}
