/* verify.c -- verifies the result of a run.
 *
 * The results are overwritten before the run, on the device, and before the download, on the host,
 * with a byte that no variant can foresee: a result that was not computed, or not copied, is wrong.
 */
#include <string.h>

#include "cli/measure/sample.h"
#include "common/text.h"

static enum gb_status check_guard(const struct gb_measurement *m, unsigned char poison)
{
	for (size_t i = 0; i < GB_GUARD; i++)
		if (m->output[m->output_size + i] != poison)
			return gb_fail(m->err, GB_EVERIFY,
				       "download() writes beyond the output of %zu bytes",
				       m->output_size);
	return GB_OK;
}

enum gb_status gb_verify_run(struct gb_measurement *m)
{
	const enum gb_share share = gb_spend_on(m, GB_VERIFYING);
	const unsigned char poison = gb_next_poison();
	const struct gb_workload *workload = m->result->workload;

	memset(m->output, poison, m->output_size + GB_GUARD);
	if (gb_time_transfer(m, false))
		return m->err->code;
	m->record->verify.result = "fail";
	if (check_guard(m, poison) || workload->verify(m->result->params, m->input, m->runs - 1,
						       m->output, &m->metrics, m->err))
		return m->err->code;
	if (m->ops->metrics)
		m->ops->metrics(m->state, &m->metrics);
	m->record->verify.result = "pass";
	m->record->verify.runs = (double)++m->verified;
	(void)gb_spend_on(m, share);
	return GB_OK;
}

enum gb_status gb_conclude(struct gb_measurement *m)
{
	struct gb_record *r = m->record;

	r->status = gb_equal(r->verify.result, "pass") ? GB_STATUS_OK : GB_STATUS_UNVERIFIED;
	return gb_record_put_metrics(r, &m->metrics, m->err);
}
