/* judgement.c -- see judgement.h. */
#include "cli/reports/judgement.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/records/json.h"
#include "cli/records/key.h"
#include "cli/records/version.h"
#include "cli/reports/launch.h"
#include "cli/reports/pooled.h"
#include "common/text.h"
#include "common/variants.h"

__attribute__((format(printf, 2, 3))) static void add_reason(struct gb_judgement *j,
							     const char *format, ...)
{
	va_list values;

	if (j->reasons == GB_REASONS)
		return;
	va_start(values, format);
	(void)vsnprintf(j->reason[j->reasons++], sizeof *j->reason, format, values);
	va_end(values);
}

/* Sort a failure.  wrong: a result was; refused: a time or a result was. */
static void add_failure(struct gb_judgement *j, bool wrong, bool refused)
{
	j->wrong |= wrong;
	j->dishonest |= refused && !wrong;
	j->crashed |= !refused;
}

/* ---- the check ---------------------------------------------------------------------------- */

void gb_judge_check(struct gb_judgement *j, const struct gb_result *result)
{
	struct gb_error ignored = { 0 };
	char *key = NULL;

	if (result->outcome == GB_RESULT_OK) {
		j->passed++;
		return;
	}
	if (result->outcome == GB_SKIPPED) {
		if (j->skipped++ == 0)
			add_reason(j, "skipped: %s", result->reason);
		return;
	}
	j->failed++;
	add_failure(j, result->verdict == GB_FAIL, result->code == GB_EVERIFY);
	key = gb_record_key(result->workload, result->variant, result->params, &ignored);
	add_reason(j, "%.120s: %s", key ? key : "?", result->reason);
	free(key);
}

void gb_judge_emulated(struct gb_judgement *j, cJSON *result)
{
	const char *reason = gb_json_text(result, "reason");

	j->emulator = result;
	if (gb_json_number(result, "failed") > 0) {
		j->wrong = true;
		add_reason(j, "in the emulator: %s", reason ? reason : "?");
	}
}

bool gb_judged_correct_so_far(const struct gb_judgement *j)
{
	return j->passed && !j->failed && !j->wrong;
}

bool gb_judged_correct(const struct gb_judgement *j)
{
	return gb_judged_correct_so_far(j) && j->passed + j->skipped == j->planned;
}

/* ---- timed points ------------------------------------------------------------------------- */

/* True if both are at the same point: every parameter that both have is equal.  A serial variant
 * has no threads. */
static bool same_point(const struct gb_record *a, const struct gb_record *b)
{
	for (size_t i = 0; i < a->params.count; i++) {
		const struct gb_member *own = &a->params.item[i];
		const struct gb_member *other = gb_member_find(&b->params, own->name);

		if (other && !gb_member_equal(own, other))
			return false;
	}
	return true;
}

static bool is_rival(const struct gb_record *r, const struct gb_record *record)
{
	return !r->plugin.sha256 && gb_equal(r->backend, record->backend) && same_point(record, r);
}

const struct gb_record *gb_fastest_rival(const struct gb_records *records,
					 const struct gb_record *record, bool peer)
{
	const struct gb_record *best = NULL;

	for (size_t i = 0; i < records->count; i++) {
		const struct gb_record *r = records->record[i];

		if (r->peer != peer || !gb_is_timed(r) || !is_rival(r, record))
			continue;
		if (!best || r->time.median < best->time.median)
			best = r;
	}
	return best;
}

static bool is_of(const struct gb_judgement *j, const struct gb_record *record)
{
	return record->plugin.sha256 && gb_equal(record->variant, j->variant->name) &&
	       gb_equal(record->backend, gb_backends[j->variant->backend]->name);
}

/* The record of the key with a trusted time; NULL if there is none. */
static const struct gb_record *find_ok(const struct gb_records *records, const char *key)
{
	for (size_t i = 0; i < records->count; i++)
		if (gb_is_timed(records->record[i]) && gb_equal(records->record[i]->key, key))
			return records->record[i];
	return NULL;
}

static bool has_error(const struct gb_record *record, const char *word)
{
	return record->status == GB_STATUS_FAILED && record->error && gb_equal(record->error, word);
}

static bool is_suspect(const struct gb_record *record)
{
	return record->status == GB_STATUS_DOUBTFUL || has_error(record, "time");
}

bool gb_judge_suspects(const struct gb_records *launches)
{
	bool any = false;

	for (size_t i = 0; i < launches->count; i++)
		any |= launches->record[i]->plugin.sha256 && is_suspect(launches->record[i]);
	return any;
}

/* The outcome of a key over all launches. */
struct outcome {
	enum gb_record_status status;
	const struct gb_record *worst, *suspect; /* the worst of both kinds; NULL: none */
	size_t all, as_bad, suspected;           /* launches; as_bad: like the worst one */
};

static struct outcome outcome_of(const struct gb_records *launches, const char *key)
{
	struct outcome o = { .status = GB_STATUS_DOUBTFUL };

	for (size_t i = 0; i < launches->count; i++) {
		const struct gb_record *r = launches->record[i];

		if (!gb_equal(r->key, key))
			continue;
		o.all++;
		if (is_suspect(r)) {
			o.suspected++;
			o.suspect = !o.suspect || r->status > o.suspect->status ? r : o.suspect;
			continue;
		}
		if (!o.worst || r->status > o.worst->status) {
			o.worst = r;
			o.as_bad = 0;
		}
		o.as_bad += r->status == o.worst->status;
	}
	if (o.suspected > 1)
		o.status = o.suspect->status;
	if (o.worst && (o.worst->status > o.status || o.suspected < 2))
		o.status = o.worst->status;
	return o;
}

/* Describe the outcome of a key over all launches. */
static bool put_outcome(struct gb_judgement *j, cJSON *point, const struct gb_records *launches,
			const char *key)
{
	const struct outcome o = outcome_of(launches, key);
	/* The launch that the status is from, or the one that made it doubtful. */
	const bool by_time = o.suspect && (!o.worst || o.worst->status < o.status ||
					   o.worst->status == GB_STATUS_OK);
	const struct gb_record *r = by_time ? o.suspect : o.worst;

	if (!r)
		return false;
	(void)snprintf(j->machine, sizeof j->machine, "%s", gb_record_machine(r)->name);
	if (r->run->tool.commit)
		(void)snprintf(j->commit, sizeof j->commit, "%s", r->run->tool.commit);
	j->doubtful |= o.suspect && o.status != GB_STATUS_OK;
	if (o.status == GB_STATUS_FAILED)
		add_failure(j, gb_equal(r->verify.result, "fail"),
			    has_error(r, "verify") || has_error(r, "time"));
	if (o.status == GB_STATUS_OK)
		j->timed++;
	if (o.status != GB_STATUS_OK || o.suspect)
		add_reason(j, "%.120s: %s: %.400s (%zu of %zu launches)", key,
			   o.status == GB_STATUS_OK ? "suspected" : gb_status_word(o.status),
			   r->reason ? r->reason : "?", by_time ? o.suspected : o.as_bad, o.all);
	return gb_json_put_text(point, "key", key) &&
	       gb_json_put_text(point, "status", gb_status_word(o.status)) &&
	       gb_json_put_text(point, "reason", r->reason) &&
	       gb_json_put_number(point, "launches", (double)o.all) &&
	       gb_json_put_number(point, "suspected", (double)o.suspected);
}

/* The points of the variant with their outcomes, before the launches are pooled. */
static enum gb_status put_outcomes(struct gb_judgement *j, const struct gb_records *launches,
				   struct gb_error *err)
{
	j->points = cJSON_CreateArray();
	if (!j->points)
		return gb_out_of_memory(err, "a verdict");
	for (size_t i = 0; i < launches->count; i++) {
		const struct gb_record *r = launches->record[i];
		const cJSON *point;
		bool seen = false;

		cJSON_ArrayForEach(point, j->points) seen |=
			gb_equal(gb_json_text(point, "key"), r->key);
		if (seen || !is_of(j, r))
			continue;
		if (!gb_json_append(j->points, cJSON_CreateObject()) ||
		    !put_outcome(j,
				 cJSON_GetArrayItem(j->points, cJSON_GetArraySize(j->points) - 1),
				 launches, r->key))
			return gb_out_of_memory(err, "a verdict");
	}
	return GB_OK;
}

/* The number of the program's other variants that were tried at the record's point, with a trusted
 * time or without. */
static size_t count_rivals(const struct gb_records *records, const struct gb_record *record,
			   bool with_time)
{
	size_t count = 0;

	for (size_t i = 0; i < records->count; i++)
		count += is_rival(records->record[i], record) &&
			 gb_is_timed(records->record[i]) == with_time &&
			 records->record[i]->status != GB_STATUS_SKIPPED;
	return count;
}

static bool put_time(cJSON *object, const struct gb_record *record)
{
	return gb_json_put_number(object, "time_ns", record ? record->time.median : (double)NAN) &&
	       gb_json_put_number(object, "time_low", record ? record->time.ci_low : (double)NAN) &&
	       gb_json_put_number(object, "time_high", record ? record->time.ci_high : (double)NAN);
}

/* A rival, and the variant's time divided by its time; null if there is none. */
static bool put_rival(cJSON *point, const char *name, const struct gb_record *own,
		      const struct gb_records *scout, const struct gb_records *launches, bool peer)
{
	const struct gb_record *best = own ? gb_fastest_rival(scout, own, peer) : NULL;
	const struct gb_record *rival = best ? find_ok(launches, best->key) : NULL;
	struct gb_ratio ratio;
	cJSON *item;

	if (!rival)
		return gb_json_put(point, name, cJSON_CreateNull());
	ratio = gb_time_ratio(rival, own);
	item = cJSON_CreateObject();
	return gb_json_put(point, name, item) && gb_json_put_text(item, "key", rival->key) &&
	       put_time(item, rival) &&
	       gb_json_put_number(item, "launches", (double)rival->launches) &&
	       gb_json_put_number(item, "ratio", ratio.estimate) &&
	       gb_json_put_number(item, "ratio_low", ratio.interval.low) &&
	       gb_json_put_number(item, "ratio_high", ratio.interval.high);
}

/* Add times and ratios to the points, after the launches were pooled. */
static enum gb_status put_times(struct gb_judgement *j, const struct gb_records *scout,
				const struct gb_records *launches, struct gb_error *err)
{
	cJSON *point;

	cJSON_ArrayForEach(point, j->points)
	{
		const bool ok = gb_equal(gb_json_text(point, "status"), "ok");
		const struct gb_record *own =
			ok ? find_ok(launches, gb_json_text(point, "key")) : NULL;

		if (!put_time(point, own) ||
		    !gb_json_put_number(point, "rivals",
					own ? (double)count_rivals(scout, own, true) : 0) ||
		    !gb_json_put_number(point, "rivals_failed",
					own ? (double)count_rivals(scout, own, false) : 0) ||
		    !put_rival(point, "ours", own, scout, launches, false) ||
		    !put_rival(point, "peer", own, scout, launches, true))
			return gb_out_of_memory(err, "a verdict");
	}
	return GB_OK;
}

enum gb_status gb_judge_points(struct gb_judgement *judgement, size_t count,
			       const struct gb_records *scout, struct gb_records *launches,
			       struct gb_error *err)
{
	for (size_t i = 0; i < count && !err->code; i++)
		(void)put_outcomes(&judgement[i], launches, err);
	if (!err->code)
		(void)gb_pool_launches(launches, err);
	for (size_t i = 0; i < count && !err->code; i++)
		(void)put_times(&judgement[i], scout, launches, err);
	return err->code;
}

/* ---- the verdict -------------------------------------------------------------------------- */

enum gb_status gb_judgement_status(const struct gb_judgement *j)
{
	if (j->wrong || j->dishonest)
		return GB_EVERIFY;
	if (j->crashed)
		return GB_ERUNTIME;
	return gb_judged_correct(j) && j->timed && !j->doubtful ? GB_OK : GB_EUNDECIDED;
}

/* true, false, or null if it is not known. */
static bool put_known(cJSON *object, const char *name, bool no, bool yes)
{
	return gb_json_put(object, name, no || yes ? cJSON_CreateBool(!no) : cJSON_CreateNull());
}

static bool put_check(cJSON *verdict, const struct gb_judgement *j)
{
	cJSON *check = cJSON_CreateObject();

	return gb_json_put(verdict, "check", check) && gb_json_put_int(check, "seed", j->seed) &&
	       gb_json_put_number(check, "passed", (double)j->passed) &&
	       gb_json_put_number(check, "failed", (double)j->failed) &&
	       gb_json_put_number(check, "skipped", (double)j->skipped) &&
	       gb_json_put_number(check, "not_done",
				  (double)(j->planned - j->passed - j->failed - j->skipped));
}

static bool put_plugin(cJSON *verdict, const struct gb_plugin_file *file)
{
	cJSON *plugin = cJSON_CreateObject();

	return gb_json_put(verdict, "plugin", plugin) &&
	       gb_json_put_text(plugin, "name", file->name) &&
	       gb_json_put_text(plugin, "version", file->version) &&
	       gb_json_put_text(plugin, "path", file->path) &&
	       gb_json_put_text(plugin, "sha256", file->sha256);
}

static bool put_reasons(cJSON *verdict, const struct gb_judgement *j)
{
	cJSON *reasons = cJSON_CreateArray();
	bool fine = gb_json_put(verdict, "reasons", reasons);

	for (size_t i = 0; i < j->reasons && fine; i++)
		fine = gb_json_append_text(reasons, j->reason[i]);
	return fine;
}

void gb_judgement_release(struct gb_judgement *j)
{
	cJSON_Delete(j->points);
	cJSON_Delete(j->emulator);
	cJSON_Delete(j->counts);
	j->points = j->emulator = j->counts = NULL;
}

/* Move an item that is owned to the object; null if there is none. */
static bool put_owned(cJSON *object, const char *name, cJSON **item)
{
	cJSON *value = *item ? *item : cJSON_CreateNull();

	*item = NULL;
	return gb_json_put(object, name, value);
}

cJSON *gb_judgement_format(struct gb_judgement *j)
{
	const bool failed = j->wrong || j->failed || j->crashed;
	cJSON *points = j->points ? j->points : cJSON_CreateArray();
	const size_t done = (size_t)cJSON_GetArraySize(points);
	char name[80];
	cJSON *v = cJSON_CreateObject();

	j->points = NULL;
	(void)snprintf(name, sizeof name, "%s/%s", gb_backends[j->variant->backend]->name,
		       j->variant->name);
	if (gb_json_put_text(v, "type", "verdict") && gb_json_put_number(v, "schema", 1) &&
	    gb_json_put_text(v, "program", GB_VERSION_LINE) &&
	    gb_json_put_text(v, "commit", j->commit[0] ? j->commit : NULL) &&
	    gb_json_put_text(v, "machine", j->machine[0] ? j->machine : NULL) &&
	    put_plugin(v, j->variant->plugin) &&
	    gb_json_put_text(v, "benchmark", j->variant->workload) &&
	    gb_json_put_text(v, "variant", name) &&
	    put_known(v, "correct", failed, gb_judged_correct(j)) &&
	    put_known(v, "honest", j->dishonest, j->timed && !j->doubtful && !failed) &&
	    gb_json_put_number(v, "exit_status", gb_judgement_status(j)) && put_reasons(v, j) &&
	    put_check(v, j) && put_owned(v, "emulator", &j->emulator) &&
	    put_owned(v, "counts", &j->counts) &&
	    gb_json_put_number(v, "points_not_done",
			       fmax((double)j->points_planned - (double)done, 0)) &&
	    gb_json_put(v, "points", points))
		return v;
	cJSON_Delete(v);
	return NULL;
}
