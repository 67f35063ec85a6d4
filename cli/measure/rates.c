/* rates.c -- the work, the bytes and the rates of a measurement. */
#include "cli/measure/sample.h"
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
static double bytes_moved(const struct gb_measurement *m)
{
	const struct gb_result *r = m->result;
	const double least = r->workload->work(r->params, m->input).bytes;
	const char *from;

	if (!m->ops->bytes)
		return least + touched_bytes(&r->metrics);
	if (r->cold && m->backend->cache_bytes && m->state_bytes <= m->backend->cache_bytes(&from))
		return least;
	return m->ops->bytes(r->params, m->input);
}

void gb_compute_rates(struct gb_measurement *m)
{
	struct gb_result *r = m->result;
	double ns_per_item = 0;

	r->work = r->workload->work(r->params, m->input);
	r->work.bytes = bytes_moved(m);
	if (r->cold)
		r->flush_bytes = m->backend->flush_bytes(); /* 0 before the first flush */
	for (size_t i = 0; i < r->time.count; i++) {
		const int64_t run = m->first + (int64_t)i;
		const double items = r->workload->items
					     ? r->workload->items(r->params, m->input, run)
					     : r->work.items;

		ns_per_item += r->time.value[i] / items;
	}
	if (m->distinct > 1)
		r->harmonic_items_per_s = (double)r->time.count / ns_per_item * 1e9;
}
