/* rates.c -- what is computed from the samples of a measurement: work, rates, medians. */
#include "cli/measure/sample.h"
#include "cli/workloads/value.h"
#include "common/text.h"

/* Bytes of the input that the last verified run read, from the variant's metric; 0 without one. */
static double touched_bytes(const struct gb_metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (gb_equal(metrics->item[i].name, "touched_bytes"))
			return metrics->item[i].value;
	return 0;
}

/* Bytes that a run moves through main memory: by the variant's model or, if it has all its data in
 * a cache that is cold at first, those of the input and the output. */
static double bytes_moved(const struct gb_measurement *m, double least)
{
	const char *from;

	if (!m->ops->bytes)
		return least + touched_bytes(&m->metrics);
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

/* Set the medians of all series but that of the samples. */
static enum gb_status settle_series(struct gb_measurement *m)
{
	const double resolution_ns = m->result->resolution_ns;
	struct gb_record *r = m->record;

	for (size_t i = 0; i < r->phases.count; i++)
		if (gb_times_settle(&r->phases.item[i].time, resolution_ns, m->err))
			return m->err->code;
	if (gb_times_settle(&r->host_time, 0, m->err) ||
	    gb_times_settle(&m->upload, resolution_ns, m->err) ||
	    gb_times_settle(&m->download, resolution_ns, m->err))
		return m->err->code;
	r->upload = m->upload.median;
	r->download = m->download.median;
	if (!m->upload.count)
		return GB_OK;
	if (!gb_phases_get(&r->transfers, "upload") || !gb_phases_get(&r->transfers, "download"))
		return gb_out_of_memory(m->err, "the samples");
	r->transfers.item[0].time = m->upload;
	r->transfers.item[1].time = m->download;
	m->upload.sample = m->download.sample = NULL;
	return GB_OK;
}

enum gb_status gb_sum_up(struct gb_measurement *m)
{
	const struct gb_workload *workload = m->result->workload;
	const struct gb_work work = workload->work(m->result->params, m->input);
	const char *clock = m->record->emulated ? "emulated" : m->backend->timer->name;
	struct gb_record *r = m->record;

	if (settle_series(m))
		return m->err->code;
	r->time.clock = clock;
	r->host_time.clock = "monotonic";
	for (size_t i = 0; i < r->phases.count; i++)
		r->phases.item[i].time.clock = clock;
	for (size_t i = 0; i < r->transfers.count; i++)
		r->transfers.item[i].time.clock = clock;
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
