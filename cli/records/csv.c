/* csv.c -- records as CSV (RFC 4180).
 *
 * There is one row per record: fixed columns, where and by what it was measured (of its run), then one
 * for each parameter (param_count), metric (metric_depth), phase (phase_scan_ns, the median) and exact
 * count (count_global_load_sectors) that any record has.  Numbers are raw and have a dot; times are ns.  What
 * a record does not have is empty; so are the times of the emulator.  A text that a spreadsheet would
 * take for a formula is preceded by an apostrophe.
 */
#include "cli/records/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/records/runs.h"
#include "cli/records/setup.h"
#include "common/text.h"

/* A column: where its value is, and which element of it if that is an array. */
struct column {
	const char *title, *path;
	int element;
	bool timed; /* meaningless under the emulator */
};

static const struct column fixed[] = {
	{ "run_id", "run_id", 0, false },
	{ "seq", "seq", 0, false },
	{ "bench", "bench", 0, false },
	{ "backend", "backend", 0, false },
	{ "variant", "variant", 0, false },
	{ "peer", "peer", 0, false },
	{ "key", "key", 0, false },
	{ "status", "status", 0, false },
	{ "error", "error", 0, false },
	{ "reason", "reason", 0, false },
	{ "verify", "verify.result", 0, false },
	{ "stop_reason", "stop_reason", 0, false },
	{ "cold", "cold", 0, false },
	{ "emulated", "emulated", 0, false },
	{ "batch", "batch", 0, false },
	{ "threads", "threads", 0, false },
	{ "samples", "time.n", 0, true },
	{ "time_ns", "time.median", 0, true },
	{ "time_ci95_low_ns", "time.ci95", 0, true },
	{ "time_ci95_high_ns", "time.ci95", 1, true },
	{ "time_min_ns", "time.min", 0, true },
	{ "time_q1_ns", "time.q1", 0, true },
	{ "time_q3_ns", "time.q3", 0, true },
	{ "time_max_ns", "time.max", 0, true },
	{ "time_mean_ns", "time.mean", 0, true },
	{ "time_mean_ci95_low_ns", "time.mean_ci95", 0, true },
	{ "time_mean_ci95_high_ns", "time.mean_ci95", 1, true },
	{ "time_stddev_ns", "time.stddev", 0, true },
	{ "time_mad_ns", "time.mad", 0, true },
	{ "outliers", "time.outliers", 0, true },
	{ "host_time_ns", "host_time.median", 0, true },
	{ "overhead_ns", "overhead.median", 0, true },
	{ "create_ns", "create.median", 0, true },
	{ "upload_ns", "upload.median", 0, true },
	{ "download_ns", "download.median", 0, true },
	{ "first_call_ns", "first_call.median", 0, true },
	{ "items", "work.items", 0, false },
	{ "item_unit", "work.unit", 0, false },
	{ "bytes", "work.bytes", 0, false },
	{ "items_per_s", "rates.items_per_s", 0, true },
	{ "items_per_s_with_transfers", "rates.items_per_s_with_transfers", 0, true },
	{ "bytes_per_s", "rates.bytes_per_s", 0, true },
	{ "copy_bytes_per_s", "rates.copy_bytes_per_s", 0, true },
	{ "copy_share", "rates.copy_share", 0, true },
	{ "host_bytes", "memory.host_bytes", 0, false },
	{ "device_bytes", "memory.device_bytes", 0, false },
	{ "elapsed_s", "elapsed_s", 0, true },
	{ "library", "library", 0, false },
};

/* What the record's run says: machine, build and when. */
static const struct column of_run[] = {
	{ "host", "host.hostname", 0, false },      { "cpu", "host.cpu", 0, false },
	{ "version", "tool.version", 0, false },    { "commit", "tool.commit", 0, false },
	{ "commit_dirty", "tool.dirty", 0, false }, { "compiler", "tool.compiler", 0, false },
	{ "started", "started", 0, false },
};

/* The members of one of the records' objects, by name, in the order of first appearance; those that
 * are objects themselves by their members, "load.sectors", or by one of them. */
struct names {
	const char *object; /* "params" */
	const char *prefix; /* "param_" */
	const char *member; /* "median": that one; NULL: all */
	const char *suffix; /* the unit */
	char **name;
	size_t count, room;
};

static bool add_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (gb_equal(names->name[i], name))
			return true;
	if (names->count == names->room) {
		const size_t room = names->room ? 2 * names->room : 16;
		char **grown = reallocarray(names->name, room, sizeof(char *));

		if (!grown)
			return false;
		names->name = grown;
		names->room = room;
	}
	names->name[names->count] = strdup(name);
	return names->name[names->count++] != NULL;
}

/* A member, or the numbers in it. */
static bool add_member(struct names *names, const cJSON *member)
{
	const cJSON *inner;
	char path[160];

	if (!cJSON_IsObject(member))
		return cJSON_IsArray(member) || add_name(names, member->string);
	cJSON_ArrayForEach(inner, member)
	{
		(void)snprintf(path, sizeof path, "%.78s.%.78s", member->string, inner->string);
		if (cJSON_IsNumber(inner) &&
		    (!names->member || gb_equal(names->member, inner->string)) &&
		    !add_name(names, path))
			return false;
	}
	return true;
}

static void release_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
}

static bool find_names(struct names *names, const struct gb_records *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const cJSON *member;

		cJSON_ArrayForEach(member, gb_json_at(list->line[i], names->object))
		{
			if (gb_is_record(list->line[i]) && !add_member(names, member))
				return false;
		}
	}
	return true;
}

/* Whether a spreadsheet would take the text for a formula. */
static bool is_formula(const char *text)
{
	char *end;

	if (!text[0] || !strchr("=+-@\t\r", text[0]))
		return false;
	(void)strtod(text, &end);
	return *end != '\0';
}

void gb_csv_print_text(FILE *file, const char *text)
{
	char *plain = NULL;

	if (is_formula(text) && asprintf(&plain, "'%s", text) >= 0)
		text = plain;
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, file);
	} else {
		(void)fputc('"', file);
		for (; *text; text++) {
			if (*text == '"')
				(void)fputc('"', file);
			(void)fputc(*text, file);
		}
		(void)fputc('"', file);
	}
	free(plain);
}

void gb_csv_print_number(FILE *file, double value)
{
	char text[GB_TEXT_MAX];

	if (!isfinite(value))
		return;
	if (fabs(value) <= 0x1p53 && !(fabs(fmod(value, 1)) > 0)) {
		(void)fprintf(file, "%.0f", value);
		return;
	}
	(void)fputs(gb_text_real(text, value), file);
}

static void print_value(FILE *file, const cJSON *value)
{
	if (cJSON_IsString(value))
		gb_csv_print_text(file, value->valuestring);
	else if (cJSON_IsNumber(value))
		gb_csv_print_number(file, value->valuedouble);
	else if (cJSON_IsBool(value))
		(void)fputs(cJSON_IsTrue(value) ? "true" : "false", file);
}

static const cJSON *column_value(const struct column *column, const cJSON *record)
{
	const cJSON *value = gb_json_at(record, column->path);

	if (column->timed && gb_json_true(record, "emulated"))
		return NULL;
	if (!cJSON_IsArray(value))
		return value;
	value = value->child;
	for (int i = 0; i < column->element && value; i++)
		value = value->next;
	return value;
}

/* "phase_scan_ns" of "scan.median" */
static void print_title(FILE *file, const struct names *names, const char *name)
{
	char title[200];

	(void)snprintf(title, sizeof title, "%.160s", name);
	if (names->member)
		title[strlen(title) - strlen(names->member) - 1] = '\0';
	for (char *c = title; *c; c++)
		if (*c == '.')
			*c = '_';
	(void)fprintf(file, ",%s", names->prefix);
	gb_csv_print_text(file, title);
	(void)fputs(names->suffix ? names->suffix : "", file);
}

static void print_titles(FILE *file, const struct names *names, size_t count)
{
	for (size_t i = 0; i < GB_COUNT(fixed); i++)
		(void)fprintf(file, "%s%s", i ? "," : "", fixed[i].title);
	for (size_t i = 0; i < GB_COUNT(of_run); i++)
		(void)fprintf(file, ",%s", of_run[i].title);
	(void)fputs(",gpu,caches", file);
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < names[k].count; i++)
			print_title(file, &names[k], names[k].name[i]);
	(void)fputs("\r\n", file);
}

/* run: the record's; NULL: unknown. */
static void print_run(FILE *file, const cJSON *record, const cJSON *run)
{
	const bool cuda = gb_json_text(record, "backend") &&
			  !gb_equal(gb_json_text(record, "backend"), "cpu");

	for (size_t i = 0; i < GB_COUNT(of_run); i++) {
		(void)fputc(',', file);
		print_value(file, gb_json_at(run, of_run[i].path));
	}
	(void)fputc(',', file);
	print_value(file, cuda && run ? gb_json_at(gb_setup_gpu(run), "name") : NULL);
	(void)fputs(gb_setup_is_cold(record, run) ? ",cold" : ",hot", file);
}

static void print_members(FILE *file, const cJSON *record, const struct names *names)
{
	const cJSON *object = gb_json_at(record, names->object);
	const bool hidden = names->member && gb_json_true(record, "emulated");

	for (size_t i = 0; i < names->count; i++) {
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, names->name[i]);

		(void)fputc(',', file);
		if (!hidden)
			print_value(file, value ? value : gb_json_at(object, names->name[i]));
	}
}

static void print_fixed(FILE *file, const cJSON *record)
{
	for (size_t i = 0; i < GB_COUNT(fixed); i++) {
		(void)fputs(i ? "," : "", file);
		print_value(file, column_value(&fixed[i], record));
	}
}

static void print_records(FILE *file, const struct gb_records *list, const struct gb_runs *runs,
			  const struct names *names, size_t count)
{
	for (size_t i = 0; i < list->count; i++) {
		const cJSON *record = list->line[i];

		if (!gb_is_record(record))
			continue;
		print_fixed(file, record);
		print_run(file, record, gb_runs_find(runs, record));
		for (size_t k = 0; k < count; k++)
			print_members(file, record, &names[k]);
		(void)fputs("\r\n", file);
	}
}

enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err)
{
	struct names names[] = {
		{ .object = "params", .prefix = "param_" },
		{ .object = "metrics", .prefix = "metric_" },
		{ .object = "phases", .prefix = "phase_", .member = "median", .suffix = "_ns" },
		{ .object = "counts", .prefix = "count_" },
	};
	struct gb_runs runs = { 0 };
	enum gb_status status = gb_runs_add(&runs, list, err);

	for (size_t k = 0; k < GB_COUNT(names) && !status; k++)
		if (!find_names(&names[k], list))
			status = gb_out_of_memory(err, "a table");
	if (!status) {
		print_titles(file, names, GB_COUNT(names));
		print_records(file, list, &runs, names, GB_COUNT(names));
	}
	for (size_t k = 0; k < GB_COUNT(names); k++)
		release_names(&names[k]);
	gb_runs_release(&runs);
	return status;
}
