/* bandwidth.c -- measures copy bandwidth with the yardstick benchmark and caches the results. */
#include "cli/measure/bandwidth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/measure/measure.h"
#include "cli/measure/sweep.h"
#include "common/stats.h"
#include "common/text.h"
#include "common/variants.h"

enum { MAX_REMEMBERED = 64 };
static const double MARGIN = 1.1;   /* times the copy's bandwidth, for reading; ... */
static const double HOT_MARGIN = 2; /* ... without a flush */

static const struct gb_benchmark *find_yardstick(void)
{
	size_t i = 0;

	while (!gb_benchmarks[i]->yardstick)
		i++;
	return gb_benchmarks[i];
}

/* The yardstick's first variant on the back end; NULL if it is not in this build. */
static const struct gb_variant *find_copy(enum gb_backend backend)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (v->backend == backend && gb_equal(v->benchmark, find_yardstick()->name))
			return v->ops ? v : NULL;
	}
	return NULL;
}

/* Set the number of bytes to copy: GPUBENCH_COPY in the environment, or the yardstick's default. */
static enum gb_status set_bytes(struct gb_sweep *sweep, struct gb_error *err)
{
	const char *bytes = getenv("GPUBENCH_COPY");
	struct gb_error why = { 0 };

	if (gb_sweep_init(sweep, find_yardstick(), err) || !bytes ||
	    !gb_sweep_set(sweep, "count", bytes, &why))
		return err->code;
	return gb_fail(err, why.code, "%s%.300s", why.code == GB_EUSAGE ? "GPUBENCH_COPY: " : "",
		       why.message);
}

enum gb_status gb_copy_check(struct gb_error *err)
{
	struct gb_sweep sweep = { 0 };

	(void)set_bytes(&sweep, err);
	gb_sweep_release(&sweep);
	return err->code;
}

/* The best of a few samples: the bandwidth that the machine can reach, not the typical one. */
static double measure(const struct gb_variant *variant, int threads, const struct gb_settings *how)
{
	const struct gb_benchmark *benchmark = find_yardstick();
	struct gb_settings few = { .samples = 7, .warmup = 2, .timeout_s = 60, .hot = 1 };
	struct gb_result result = { .benchmark = benchmark, .variant = variant };
	struct gb_error err = { 0 };
	struct gb_sweep sweep = { 0 };
	char count[16];
	void *params = calloc(1, benchmark->params_size);
	void *input = NULL;
	double best = NAN;

	few.device = how->device;
	(void)snprintf(count, sizeof count, "%d", threads > 0 ? threads : 1);
	if (!params || set_bytes(&sweep, &err) || gb_sweep_set(&sweep, "threads", count, &err))
		goto out;
	gb_sweep_point(&sweep, 0, params);
	result.params = params;
	if (benchmark->prepare(params, &input, &err) ||
	    gb_measure(&result, input, &few, true, &err) || result.code)
		goto out;
	gb_sort(result.record.time.sample, result.record.time.count);
	best = result.record.work.bytes / result.record.time.sample[0] * 1e9;
out:
	gb_record_release(&result.record);
	benchmark->release(input);
	gb_sweep_release(&sweep);
	free(params);
	return best;
}

struct copy {
	enum gb_backend backend;
	int threads;
	double bytes_per_s;
};

static struct copy known[MAX_REMEMBERED];
static size_t known_count;

static struct copy *find_known(enum gb_backend backend, int threads)
{
	for (size_t i = 0; i < known_count; i++)
		if (known[i].backend == backend && known[i].threads == threads)
			return &known[i];
	return NULL;
}

void gb_copy_remember(enum gb_backend backend, int threads, double bytes_per_s)
{
	if (known_count < MAX_REMEMBERED)
		known[known_count++] = (struct copy){ backend, threads, bytes_per_s };
}

double gb_copy_bandwidth(enum gb_backend backend, int threads, const struct gb_settings *how,
			 bool again)
{
	const struct gb_variant *variant = find_copy(backend);
	struct copy *before = find_known(backend, threads);
	double bytes_per_s = NAN;

	if (before && !again)
		return before->bytes_per_s;
	if (gb_is_emulated(backend))
		return NAN;
	if (variant)
		bytes_per_s = measure(variant, threads, how);
	if (before)
		return before->bytes_per_s = fmax(before->bytes_per_s, bytes_per_s);
	gb_copy_remember(backend, threads, bytes_per_s);
	return bytes_per_s;
}

/* The most bytes of the input that a run can find in caches. */
static double cached_bytes(const struct gb_result *r)
{
	const struct gb_backend_ops *backend = gb_backends[r->variant->backend];
	const char *from;

	if (r->record.cold == GB_YES)
		return 0;
	return backend->cache_bytes ? (double)backend->cache_bytes(&from) : (double)INFINITY;
}

void gb_doubt_rate(struct gb_result *r)
{
	struct gb_record *record = &r->record;
	const double most = record->copy_bytes_per_s;
	const double rate = (r->read_bytes - cached_bytes(r)) / record->time.median * 1e9;
	const bool was = r->doubtful;
	char text[2][GB_TEXT_MAX];

	r->doubtful = !r->code && !record->emulated &&
		      rate > (record->cold == GB_YES ? MARGIN : HOT_MARGIN) * most;
	if (record->status == GB_STATUS_OK || record->status == GB_STATUS_DOUBTFUL)
		record->status = r->doubtful ? GB_STATUS_DOUBTFUL : GB_STATUS_OK;
	if (was && !r->doubtful)
		record->reason = NULL;
	if (r->doubtful)
		gb_result_remark(r,
				 "reads its input at %sB/s, but the memory reaches %sB/s: it may "
				 "not have read all of it, or not from memory",
				 gb_text_scaled(text[0], rate), gb_text_scaled(text[1], most));
}

void gb_compare_with_copy(struct gb_result *r, const struct gb_settings *how)
{
	const enum gb_backend backend = r->variant->backend;
	const int threads = gb_threads_of(r->benchmark, r->variant, r->params);

	r->record.copy_bytes_per_s = gb_copy_bandwidth(backend, threads, how, false);
	gb_doubt_rate(r);
	if (!r->doubtful)
		return;
	r->record.copy_bytes_per_s = gb_copy_bandwidth(backend, threads, how, true);
	gb_doubt_rate(r);
}
