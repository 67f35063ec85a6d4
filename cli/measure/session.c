/* session.c -- opens the output and the devices, measures sweeps and writes their records.
 *
 * Sections stand in the order in which a command goes through them: the beginning, a measurement
 * and its record, the walk through the points of a sweep, the end.
 */
#include "cli/measure/session.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "cli/measure/bandwidth.h"
#include "cli/measure/checks.h"
#include "cli/measure/interrupt.h"
#include "cli/measure/measure.h"
#include "cli/measure/reading.h"
#include "cli/records/key.h"
#include "cli/records/machine.h"
#include "common/devices.h"
#include "common/memory.h"
#include "common/nvml.h"
#include "common/text.h"
#include "common/variants.h"

/* ---- the beginning ------------------------------------------------------------------------ */

/* The GPU that is measured; NULL if there is none. */
static const struct gb_gpu_info *gpu_in_use(const struct gb_session *s)
{
	const size_t id = (size_t)s->request->how.device;

	return id < s->info.devices.count ? &s->info.devices.gpu[id] : NULL;
}

/* --lock-clocks: lock them, or say once why they are not, and how to lock them by hand.  GB_EUSAGE
 * for a clock that the GPU does not have. */
static enum gb_status lock_clocks(struct gb_session *s, struct gb_error *err)
{
	const struct gb_gpu_info *gpu = gpu_in_use(s);
	const char *wanted = s->request->lock_clocks, *why = "there is no GPU";
	const unsigned mhz = s->request->lock_mhz;
	unsigned least, most;

	if (!wanted || s->request->untimed)
		return GB_OK;
	if (gpu && mhz < GB_BASE_CLOCK && gb_nvml_clock_range(gpu->pci, &least, &most) &&
	    (mhz < least || mhz > most))
		return gb_fail(err, GB_EUSAGE, "--lock-clocks=%s: the GPU has %u to %u MHz", wanted,
			       least, most);
	if (gpu)
		why = gb_clocks_lock(&s->clocks, gpu->pci, mhz);
	if (!why) {
		s->info.locked_clock = wanted;
		return GB_OK;
	}
	(void)fprintf(stderr, "gpubench: clocks are not locked: %s", why);
	if (gpu)
		(void)fprintf(stderr, " (by hand: `sudo nvidia-smi -i %s -lgc MHZ`, -rgc resets)",
			      gpu->pci);
	(void)fputc('\n', stderr);
	return GB_OK;
}

/* The records of a resumed file that are measured again.  Only the first of several repetitions
 * does this, so that a failure in a single repetition stays visible. */
static enum gb_again to_be_made_again(const struct gb_request *request)
{
	if (request->repeats.repetition > 0)
		return GB_AGAIN_NONE;
	return request->how.verify == GB_VERIFY_NONE ? GB_AGAIN_FAILED : GB_AGAIN_UNVERIFIED;
}

static struct gb_done done_of(const struct gb_session *s, const char *key)
{
	return gb_records_done(&s->records, s->past, key, to_be_made_again(s->request));
}

/* Drop the runs of other devices. */
static void drop_other_devices(struct gb_session *s)
{
	const double here = (double)s->request->how.device;

	for (size_t i = s->records.context_count; i-- > 0;)
		if (!(fabs(s->records.context[i]->settings.device - here) <= 0))
			gb_records_remove_context(&s->records, i);
}

/* Open the output and, with --resume, read the records in it. */
static enum gb_status open_output(struct gb_session *s, struct gb_error *err)
{
	const struct gb_request *request = s->request;

	if (request->target.file)
		gb_output_inherit(&s->output, request->target.path, request->target.file,
				  request->target.shared, gb_existing(&request->target));
	else if (gb_output_open(&s->output, request->target.path, gb_existing(&request->target),
				err))
		return err->code;
	if (!request->target.resume)
		return GB_OK;
	if (gb_output_past(&s->output, &s->records, err))
		return err->code;
	if (request->target.shared)
		drop_other_devices(s);
	s->past = s->records.count;
	for (size_t i = 0; i < s->past; i++)
		if (gb_has_hung(s->records.record[i]))
			s->verdict = GB_ERUNTIME;
	return GB_OK;
}

/* Add the run line after the lines of a resumed file. */
static enum gb_status add_run(struct gb_session *s, struct gb_error *err)
{
	struct gb_context *context = gb_describe_context(&s->info, err);

	if (!context || gb_records_add_context(&s->records, context, err) ||
	    s->request->target.resume == GB_RESUME_ANY)
		return err->code;
	return gb_resume_check(&s->records, s->request->target.path, context,
			       " (--resume=any adds to it anyway)", err);
}

/* Open the device in the back ends that may be used.  Back ends requested by name may use software
 * devices. */
static void open_devices(struct gb_session *s)
{
	const struct gb_request *request = s->request;

	for (int b = 0; b < GB_BACKENDS; b++)
		if (gb_backends[b]->allow_software &&
		    ((request->choice.backends >> b & 1) ||
		     gb_is_explicit(&request->choice, (enum gb_backend)b)))
			gb_devices_allow_software();
	for (int b = 0; b < GB_BACKENDS; b++)
		if (b != GB_CPU && s->info.backends >> b & 1)
			(void)gb_device_open((enum gb_backend)b, (int)request->how.device,
					     &s->absent[b]);
}

/* --dry-run: -o - needs the run line. */
static enum gb_status open_plan(struct gb_session *s, struct gb_error *err)
{
	const struct gb_target *target = &s->request->target;

	if (gb_output_check(target->path, err) || !target->path)
		return err->code;
	if (gb_equal(target->path, "-")) {
		gb_devices_find(&s->info.devices, s->info.backends);
		return open_output(s, err) ? err->code : add_run(s, err);
	}
	if (target->resume && gb_is_lines(target->path) && !access(target->path, R_OK))
		(void)gb_records_read(target->path, &s->records, err);
	s->past = s->records.count;
	return err->code;
}

enum gb_status gb_session_open(struct gb_session *s, const struct gb_request *request, int argc,
			       char *const *argv, struct gb_error *err)
{
	*s = (struct gb_session){
		.request = request,
		.started_ns = gb_now_ns(),
		/* CUDA is always asked for devices, because its absence is always reported. */
		.info = { .argc = argc,
			  .argv = argv,
			  .settings = &request->how,
			  .preset = request->preset,
			  .backends = 1U << GB_CUDA | gb_chosen_backends(&request->choice) },
	};
	gb_memory_set_limit((size_t)request->memory);
	if (request->lock_clocks && !request->untimed && !request->dry)
		gb_clocks_start(&s->clocks);
	if (gb_backends[GB_CPU]->open(0, err) || gb_copy_check(err))
		return err->code;
	if (request->dry)
		return open_plan(s, err);
	gb_progress_init(&s->progress, request);
	if (open_output(s, err))
		return err->code;
	open_devices(s);
	gb_devices_find(&s->info.devices, s->info.backends);
	if (gpu_in_use(s) && gb_chosen_backends(&request->choice) >> GB_CUDA & 1)
		gb_archs_advise(stderr, gpu_in_use(s), gb_archs);
	return lock_clocks(s, err) ? err->code : add_run(s, err);
}

/* ---- measuring ---------------------------------------------------------------------------- */

/* Drop the record of the resumed file that a new one of the key has replaced. */
static void drop_replaced(struct gb_session *s, const struct gb_record *old, const char *key)
{
	size_t i = 0;

	while (s->records.record[i] != old)
		i++;
	gb_records_remove(&s->records, i);
	s->past--;
	if (done_of(s, key).again) /* another repetition's record is still there */
		s->verdict = gb_worse(s->verdict, GB_ERUNTIME);
}

/* Add the record of a finished measurement.  It replaces a record of the same key in the resumed
 * file that was to be measured again. */
static enum gb_status put_result(struct gb_session *s, struct gb_result *result,
				 struct gb_error *err)
{
	struct gb_record *record = &result->record;
	const struct gb_record *old = done_of(s, record->key).again;

	gb_progress_end(&s->progress, result);
	if (gb_reading_record(record, err))
		return err->code;
	if (record->status == GB_STATUS_FAILED)
		s->verdict =
			gb_worse(s->verdict, result->code == GB_EVERIFY ? GB_EVERIFY : GB_ERUNTIME);
	record->seq = (double)s->seq++;
	if (old) {
		record->replaces.run_id = gb_texts_keep(&record->kept, old->run_id);
		record->replaces.seq = old->seq;
	}
	if (gb_records_add_record(&s->records, record, err))
		return err->code;
	if (old)
		drop_replaced(s, old, s->records.record[s->records.count - 1]->key);
	return gb_output_put(&s->output, &s->records, err);
}

void gb_session_hung(struct gb_session *s, const struct gb_result *running, struct gb_error *err)
{
	const struct gb_error why = *err;
	struct gb_result r = { .benchmark = running->benchmark,
			       .variant = running->variant,
			       .params = running->params };

	*err = (struct gb_error){ 0 };
	if (gb_result_begin(&r, err))
		return;
	gb_result_fail(&r, &why);
	r.record.error = "hang";
	if (!put_result(s, &r, err))
		gb_fail(err, why.code, "%s: %s", s->records.record[s->records.count - 1]->key,
			why.message);
}

/* Give the result a record that says why nothing is measured. */
static void skip(struct gb_result *result, enum gb_status code, const char *what,
		 const char *reason, struct gb_error *err)
{
	struct gb_error why = { 0 };

	gb_fail(&why, code, "%s%.460s", what, reason);
	if (!gb_result_begin(result, err))
		gb_result_fail(result, &why);
}

/* Divide the rest of --budget by the measurements that are left, and sample for half of such a share:
 * the input, the warm-up and verification take time, too.  False if the budget is spent. */
static bool is_within_budget(const struct gb_session *s, const struct gb_result *r,
			     struct gb_settings *how, struct gb_error *err)
{
	const double left_s = s->request->budget_s - (gb_now_ns() - s->started_ns) * 1e-9;
	const double left = fmax((double)s->planned - (double)s->number, 0) + 1;
	char *key;

	if (!s->request->budget)
		return true;
	how->max_time_s = fmin(how->max_time_s, left_s / left / 2);
	how->warmup_time_s = fmin(how->warmup_time_s, how->max_time_s / 2);
	how->min_samples = how->min_samples < 3 ? how->min_samples : 3;
	how->timeout_s = fmin(how->timeout_s, left_s);
	if (left_s > 0)
		return true;
	key = gb_record_key(r->benchmark, r->variant, r->params, err);
	(void)fprintf(stderr, "gpubench: left out, because the budget is spent: %s\n",
		      key ? key : "");
	free(key);
	return false;
}

/* Do one measurement and write its record. */
static void measure(void *session, struct gb_result *result, void *input, struct gb_error *err)
{
	const bool is_yardstick = result->benchmark->yardstick && !result->variant->plugin;
	struct gb_session *s = session;
	struct gb_settings how = s->request->how;

	if (!is_within_budget(s, result, &how, err))
		return;
	/* The input is valid: write the run line now, so that an interrupt leaves a file. */
	if (gb_output_put(&s->output, &s->records, err))
		return;
	gb_progress_begin(&s->progress, result);
	if (!result->code && gb_measure(result, input, &how, true, err))
		return;
	if (result->code == GB_EIO) { /* writing a picture failed, not the measurement */
		gb_fail(err, GB_EIO, "%s", result->record.reason);
		return;
	}
	if (!result->code && !is_yardstick)
		gb_compare_with_copy(result, &s->request->how);
	if (result->doubtful)
		s->verdict = gb_worse(s->verdict, GB_EUNDECIDED);
	if (!put_result(s, result, err) && gb_interrupted)
		gb_fail(err, GB_EINTERRUPTED, "interrupted");
}

/* --dry-run: print the line of a measurement or, with -o -, the record of one that is skipped. */
static void plan(void *session, struct gb_result *r, void *input, struct gb_error *err)
{
	struct gb_session *s = session;
	struct gb_error why = { 0 };
	struct gb_need need = { 0 };

	if (r->code)
		gb_fail(&why, r->code, "%s", r->record.reason);
	else
		(void)gb_need_of(&need, r, input, &why);
	if (gb_result_begin(r, err))
		return;
	if (!s->output.to_stdout) {
		gb_plan_print(&s->plan, r->record.key, &need, &why);
		return;
	}
	if (!why.code)
		gb_fail(&why, GB_EUNAVAILABLE, "--dry-run");
	gb_result_fail(r, &why);
	r->record.seq = (double)s->seq++;
	r->record.memory.host_bytes = (double)need.host_bytes;
	r->record.memory.device_bytes = (double)need.device_bytes;
	if (!gb_records_add_record(&s->records, &r->record, err))
		(void)gb_output_put(&s->output, &s->records, err);
}

/* ---- the points of a sweep ---------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* True if the session meets the key for the first time, or if there is no memory to tell. */
static bool is_new(struct gb_session *s, const char *key)
{
	char *kept = strdup(key);
	char *const *place = kept ? tsearch(kept, &s->seen, by_key) : NULL;
	const bool new = !place || *place == kept;

	if (!place || !new)
		free(kept);
	return new;
}

static int64_t shards_of(const struct gb_session *s)
{
	return s->request->repeats.shards ? s->request->repeats.shards : 1;
}

/* Count a measurement. */
static bool is_in_shard(struct gb_session *s)
{
	return s->number++ % shards_of(s) == s->request->repeats.shard_index;
}

static bool is_wanted(const struct gb_sweep *sweep, size_t index, const struct gb_variant *variant,
		      const struct gb_choice *choice)
{
	return gb_equal(variant->benchmark, sweep->benchmark->name) && gb_chosen(choice, variant) &&
	       gb_sweep_wants(sweep, index, variant);
}

/* True if the variant is to be measured at point `index` of the sweep (`params`): chosen, in this
 * shard and not done.  Call it once for each variant and point, in order. */
static bool is_due(struct gb_session *s, const struct gb_sweep *sweep, size_t index,
		   const struct gb_variant *variant, const void *params,
		   const struct gb_choice *choice)
{
	struct gb_error ignored = { 0 };
	bool due = true;
	char *key;

	if (!is_wanted(sweep, index, variant, choice))
		return false;
	if (!s->request->once && !s->past)
		return is_in_shard(s);
	key = gb_record_key(sweep->benchmark, variant, params, &ignored);
	if (!key || (s->request->once && !is_new(s, key)) || !is_in_shard(s)) {
		due = false;
	} else if (s->past) {
		const struct gb_done done = done_of(s, key);

		due = !done.hung && (done.times <= s->request->repeats.repetition || done.again);
	}
	free(key);
	return due;
}

/* Print the line about a file that was read, once. */
static void say_once(struct gb_session *s, const char *line)
{
	if (!line[0] || s->request->quiet || s->request->repeats.repetition || !is_new(s, line))
		return;
	(void)fputs("gpubench: ", stderr);
	gb_text_print(stderr, line);
	(void)fputc('\n', stderr);
}

static enum gb_status make_input(struct gb_session *s, const struct gb_benchmark *benchmark,
				 const void *params, void **input, struct gb_error *err)
{
	char line[640];

	gb_watch_begin(NULL, 0);
	gb_reading_begin(s->progress.shown);
	(void)benchmark->prepare(params, input, err);
	if (!gb_reading_end(s->request->strict != 0, line, sizeof line, err))
		say_once(s, line);
	gb_watch_end();
	if (err->code) {
		benchmark->release(*input);
		*input = NULL;
	}
	return err->code;
}

static enum gb_status visit_point(struct gb_session *s, const struct gb_sweep *sweep, size_t index,
				  const void *params, const struct gb_choice *choice,
				  gb_visit *visit, void *self, struct gb_error *err)
{
	const struct gb_benchmark *benchmark = sweep->benchmark;
	const struct gb_gpu_info *gpu = gpu_in_use(s);
	const bool asks = !s->request->untimed && !s->request->how.profile && !gb_memory_is_dry();
	struct gb_error no_input = { 0 };
	void *input = NULL;
	bool prepared = false;

	for (size_t i = 0; i < gb_variant_count && !err->code; i++) {
		struct gb_error too_much = { 0 };
		struct gb_result result = { .benchmark = benchmark,
					    .variant = &gb_variants[i],
					    .params = params };

		if (!is_due(s, sweep, index, &gb_variants[i], params, choice))
			continue;
		if (asks &&
		    !gb_fits(&result, prepared, gpu ? (uint64_t)gpu->memory_bytes : 0, &too_much)) {
			skip(&result, GB_EMEMORY, "", too_much.message, err);
		} else {
			if (!prepared && make_input(s, benchmark, params, &input, &no_input) &&
			    no_input.code != GB_EUNAVAILABLE && no_input.code != GB_EMEMORY)
				return gb_fail(err, no_input.code, "%s", no_input.message);
			prepared = true;
			if (no_input.code)
				skip(&result, no_input.code, "input: ", no_input.message, err);
		}
		if (!err->code)
			visit(self, &result, input, err);
		/* A variant that fails may have spoilt the input. */
		if (prepared && result.code && result.code != GB_EUNAVAILABLE &&
		    result.code != GB_EMEMORY) {
			benchmark->release(input);
			input = NULL;
			prepared = false;
		}
		gb_record_release(&result.record);
	}
	benchmark->release(input);
	return err->code;
}

/* Forget the files that the point would write. */
static void write_nothing(const struct gb_benchmark *benchmark, void *params)
{
	for (size_t i = 0; i < benchmark->param_count; i++)
		if (benchmark->params[i].written)
			gb_value_store(&benchmark->params[i], params,
				       (union gb_value){ .s = NULL });
}

enum gb_status gb_session_each(struct gb_session *s, const struct gb_sweep *sweep,
			       const struct gb_choice *choice, gb_visit *visit, void *self,
			       struct gb_error *err)
{
	void *params = malloc(sweep->benchmark->params_size);

	if (!params)
		return gb_out_of_memory(err, NULL);
	for (size_t i = 0; i < sweep->count && !err->code; i++) {
		gb_sweep_point(sweep, i, params);
		if (s->request->dry)
			write_nothing(sweep->benchmark, params);
		(void)visit_point(s, sweep, i, params, choice, visit, self, err);
	}
	free(params);
	return err->code;
}

size_t gb_count_runs(const struct gb_sweep *sweep, const struct gb_choice *choice)
{
	size_t runs = 0;

	for (size_t i = 0; i < gb_variant_count; i++)
		for (size_t point = 0; point < sweep->count; point++)
			runs += is_wanted(sweep, point, &gb_variants[i], choice);
	return runs;
}

enum gb_status gb_session_sweep(struct gb_session *s, const struct gb_sweep *sweep,
				const struct gb_choice *choice, struct gb_error *err)
{
	if (s->request->dry) {
		gb_memory_set_dry(true);
		(void)gb_session_each(s, sweep, choice, plan, s, err);
		gb_memory_set_dry(false);
		return err->code;
	}
	if (gb_check_paths(s->request, sweep, err))
		return err->code;
	s->progress.total += gb_count_runs(sweep, choice) / (size_t)shards_of(s);
	(void)gb_session_each(s, sweep, choice, measure, s, err);
	gb_progress_hide(&s->progress);
	return err->code;
}

/* ---- the end ------------------------------------------------------------------------------ */

enum gb_status gb_worse(enum gb_status a, enum gb_status b)
{
	static const enum gb_status rank[] = { GB_OK,       GB_EUNAVAILABLE, GB_EUNDECIDED,
					       GB_ERUNTIME, GB_EVERIFY,      GB_EUSAGE,
					       GB_EIO,      GB_EINTERRUPTED };
	size_t x = 0, y = 0;

	for (size_t i = 0; i < GB_COUNT(rank); i++) {
		x = rank[i] == a ? i : x;
		y = rank[i] == b ? i : y;
	}
	return x > y ? a : b;
}

enum gb_status gb_session_close(struct gb_session *s, struct gb_error *err)
{
	/* Write the run line even if nothing was measured, unless the run resumed or failed. */
	if (!err->code && s->request->dry && !s->output.to_stdout)
		gb_plan_total(&s->plan, s->request->repeats.runs);
	else if (!err->code && !s->request->dry && !(s->request->target.resume && s->seq == 0))
		(void)gb_output_put(&s->output, &s->records, err);
	(void)gb_output_close(&s->output, err);
	gb_records_release(&s->records);
	tdestroy(s->seen, free);
	gb_clocks_end(&s->clocks);
	for (int b = 0; b < GB_BACKENDS && !err->code; b++) {
		if (!s->absent[b].code || !gb_is_explicit(&s->request->choice, (enum gb_backend)b))
			continue;
		s->verdict = gb_worse(s->verdict, GB_EUNAVAILABLE);
		if (s->verdict == GB_EUNAVAILABLE)
			return gb_fail(err, GB_EUNAVAILABLE, "no GPU: %s", s->absent[b].message);
	}
	return err->code ? err->code : s->verdict;
}
