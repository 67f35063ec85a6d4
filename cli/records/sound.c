/* sound.c -- see sound.h. */
#include "cli/records/sound.h"

#include <math.h>

#include "common/text.h"
#include "common/variants.h"

/* Most verified runs of a sample, a batch, and of all that are not samples (cli/measure/doubt.c,
 * with some room). */
enum { VERIFIED = 3, VERIFIED_BESIDES = 1000 };

static bool fits(const struct gb_times *times, double runs, double elapsed_s)
{
	double sum_ns = 0;

	for (size_t i = 0; i < times->count; i++)
		sum_ns += times->sample[i];
	return !(sum_ns * runs > elapsed_s * 1e9);
}

/* False if the measurement was shorter than the samples of a series together. */
static bool last_long_enough(const struct gb_record *record)
{
	bool ok = !(record->elapsed_s > 1e9) &&
		  fits(&record->time, fmax(record->batch, 1), record->elapsed_s) &&
		  fits(&record->host_time, 1, record->elapsed_s);

	for (size_t i = 0; i < record->phases.count; i++)
		ok = ok && fits(&record->phases.item[i].time, 1, record->elapsed_s);
	for (size_t i = 0; i < record->transfers.count; i++)
		ok = ok && fits(&record->transfers.item[i].time, 1, record->elapsed_s);
	return ok;
}

static const char *check_status(const struct gb_record *record)
{
	const char *verify = record->verify.result;
	const double samples = (double)record->time.count;
	const char *wrong = NULL;

	if (record->status == GB_STATUS_OK || record->status == GB_STATUS_DOUBTFUL) {
		if (!verify || !gb_equal(verify, "pass") || record->verify.runs <= 0)
			wrong = record->status == GB_STATUS_OK
					? "has the status ok without a passed verification"
					: "has the status doubtful without a passed verification";
	} else if (record->status == GB_STATUS_UNVERIFIED) {
		if (verify && !gb_equal(verify, "skipped"))
			wrong = "has the status unverified, but was verified";
	} else if (record->time.count || record->host_time.count || record->phases.count ||
		   record->transfers.count) {
		wrong = "has a time, but did not run to its end";
	}
	if (wrong || !record->time.count || record->emulated)
		;
	else if (!(record->time.median > 0))
		wrong = "has a time of 0";
	else if (record->verify.overwritten > samples || record->verify.changed > samples ||
		 record->verify.runs > VERIFIED * samples + VERIFIED_BESIDES)
		wrong = "has fewer samples than its verification counts";
	else if (!last_long_enough(record))
		wrong = "has times that do not agree with its \"elapsed_s\"";
	return wrong;
}

const char *gb_record_contradiction(const struct gb_record *record)
{
	const struct gb_gpu *gpu = gb_is_cpu(record) ? NULL : gb_run_gpu(record->run);
	const char *wrong = check_status(record);

	if (wrong)
		return wrong;
	if ((record->status == GB_STATUS_OK || record->status == GB_STATUS_DOUBTFUL) &&
	    record->run->settings.verify == GB_NO)
		return "has a verified time in a run without verification";
	if (record->time.count && !record->emulated && gpu && gpu->emulated)
		return "has a time of an emulated GPU";
	for (size_t i = 0; i < gb_variant_count && !record->plugin.path; i++)
		if (gb_equal(gb_variants[i].workload, record->bench) &&
		    gb_equal(gb_variants[i].name, record->variant) &&
		    gb_equal(gb_backends[gb_variants[i].backend]->name, record->backend) &&
		    !gb_variants[i].plugin && gb_variants[i].peer != record->peer)
			return record->peer ? "is no \"peer\"" : "is a \"peer\"";
	return NULL;
}
