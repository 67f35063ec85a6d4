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

#include "common/text.h"

/* A column, and the path of its value (record.h). */
struct column {
	const char *title, *path;
	bool timed; /* meaningless under the emulator */
};

static const struct column fixed[] = {
	{ "run_id", "run_id", false },
	{ "seq", "seq", false },
	{ "bench", "bench", false },
	{ "backend", "backend", false },
	{ "variant", "variant", false },
	{ "peer", "peer", false },
	{ "key", "key", false },
	{ "status", "status", false },
	{ "error", "error", false },
	{ "reason", "reason", false },
	{ "verify", "verify.result", false },
	{ "stop_reason", "stop_reason", false },
	{ "cold", "cold", false },
	{ "emulated", "emulated", false },
	{ "batch", "batch", false },
	{ "threads", "threads", false },
	{ "samples", "time.n", true },
	{ "time_ns", "time.median", true },
	{ "time_ci95_low_ns", "time.ci95.low", true },
	{ "time_ci95_high_ns", "time.ci95.high", true },
	{ "time_min_ns", "time.min", true },
	{ "time_q1_ns", "time.q1", true },
	{ "time_q3_ns", "time.q3", true },
	{ "time_max_ns", "time.max", true },
	{ "time_mean_ns", "time.mean", true },
	{ "time_mean_ci95_low_ns", "time.mean_ci95.low", true },
	{ "time_mean_ci95_high_ns", "time.mean_ci95.high", true },
	{ "time_stddev_ns", "time.stddev", true },
	{ "time_mad_ns", "time.mad", true },
	{ "outliers", "time.outliers", true },
	{ "host_time_ns", "host_time.median", true },
	{ "create_ns", "create", true },
	{ "upload_ns", "upload", true },
	{ "download_ns", "download", true },
	{ "first_call_ns", "first_call", true },
	{ "items", "work.items", false },
	{ "item_unit", "work.unit", false },
	{ "bytes", "work.bytes", false },
	{ "items_per_s", "rates.items_per_s", true },
	{ "items_per_s_with_transfers", "rates.items_per_s_with_transfers", true },
	{ "bytes_per_s", "rates.bytes_per_s", true },
	{ "copy_bytes_per_s", "copy_bytes_per_s", true },
	{ "copy_share", "rates.copy_share", true },
	{ "host_bytes", "memory.host_bytes", false },
	{ "device_bytes", "memory.device_bytes", false },
	{ "elapsed_s", "elapsed_s", true },
	{ "library", "library", false },
};

/* What the record's run says: machine, build and when. */
static const struct column of_run[] = {
	{ "host", "host.hostname", false },      { "cpu", "host.cpu", false },
	{ "version", "tool.version", false },    { "commit", "tool.commit", false },
	{ "commit_dirty", "tool.dirty", false }, { "compiler", "tool.compiler", false },
	{ "started", "started", false },
};

/* Columns that only some records have: one for each name in an object of theirs, in the order of
 * first appearance. */
struct names {
	const char *prefix, *suffix; /* of a value's path: "phases." NAME ".median" */
	const char *title, *unit;    /* of its column: "phase_" NAME "_ns" */
	bool timed;
	size_t count, room;
	const char **name;
};

static bool add_name(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (gb_equal(names->name[i], name))
			return true;
	if (names->count == names->room) {
		const size_t room = names->room ? 2 * names->room : 16;
		const char **grown = reallocarray(names->name, room, sizeof(char *));

		if (!grown)
			return false;
		names->name = grown;
		names->room = room;
	}
	names->name[names->count++] = name;
	return true;
}

static bool add_members(struct names *names, const struct gb_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		if (!add_name(names, members->item[i].name))
			return false;
	return true;
}

enum { PARAMS, METRICS, PHASES, COUNTS, CLASSES, KINDS };

static bool add_record_names(struct names *names, const struct gb_record *record)
{
	for (size_t i = 0; i < record->phases.count; i++)
		if (!add_name(&names[PHASES], record->phases.item[i].name))
			return false;
	for (size_t i = 0; i < gb_count_field_count && record->counted; i++)
		if (gb_fields_value(&gb_count_fields[i], 1, &record->counts,
				    gb_count_fields[i].path)
				    .kind == GB_VALUE_NUMBER &&
		    !add_name(&names[COUNTS], gb_count_fields[i].path))
			return false;
	return add_members(&names[PARAMS], &record->params) &&
	       add_members(&names[METRICS], &record->metrics) &&
	       (!record->counted || add_members(&names[CLASSES], &record->counts.classes));
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

static void print_value(FILE *file, struct gb_field_value value)
{
	if (value.kind == GB_VALUE_TEXT)
		gb_csv_print_text(file, value.text);
	else if (value.kind == GB_VALUE_NUMBER)
		gb_csv_print_number(file, value.number);
	else if (value.kind == GB_VALUE_FLAG)
		(void)fputs(value.number > 0 ? "true" : "false", file);
}

/* "phase_scan_ns"; dots become underscores. */
static void print_title(FILE *file, const struct names *names, const char *name)
{
	char title[200];

	(void)snprintf(title, sizeof title, "%.160s", name);
	for (char *c = title; *c; c++)
		if (*c == '.')
			*c = '_';
	(void)fprintf(file, ",%s", names->title);
	gb_csv_print_text(file, title);
	(void)fputs(names->unit, file);
}

static void print_titles(FILE *file, const struct names *names)
{
	for (size_t i = 0; i < GB_COUNT(fixed); i++)
		(void)fprintf(file, "%s%s", i ? "," : "", fixed[i].title);
	for (size_t i = 0; i < GB_COUNT(of_run); i++)
		(void)fprintf(file, ",%s", of_run[i].title);
	(void)fputs(",gpu,caches", file);
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < names[k].count; i++)
			print_title(file, &names[k], names[k].name[i]);
	(void)fputs("\r\n", file);
}

static void print_column(FILE *file, const struct gb_record *record, const char *path, bool timed)
{
	if (!timed || !record->emulated)
		print_value(file, gb_record_value(record, path));
}

static void print_run(FILE *file, const struct gb_record *record)
{
	const struct gb_gpu *gpu = gb_is_cpu(record) ? NULL : gb_run_gpu(record->run);

	for (size_t i = 0; i < GB_COUNT(of_run); i++) {
		(void)fputc(',', file);
		print_value(file, gb_run_value(record->run, of_run[i].path));
	}
	(void)fputc(',', file);
	if (gpu && gpu->name)
		gb_csv_print_text(file, gpu->name);
	(void)fputs(gb_record_is_cold(record) ? ",cold" : ",hot", file);
}

static void print_members(FILE *file, const struct gb_record *record, const struct names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		char path[200];

		(void)snprintf(path, sizeof path, "%s%.160s%s", names->prefix, names->name[i],
			       names->suffix);
		(void)fputc(',', file);
		print_column(file, record, path, names->timed);
	}
}

static void print_record(FILE *file, const struct gb_record *record, const struct names *names)
{
	for (size_t i = 0; i < GB_COUNT(fixed); i++) {
		(void)fputs(i ? "," : "", file);
		print_column(file, record, fixed[i].path, fixed[i].timed);
	}
	print_run(file, record);
	for (size_t k = 0; k < KINDS; k++)
		print_members(file, record, &names[k]);
	(void)fputs("\r\n", file);
}

enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err)
{
	struct names names[KINDS] = {
		[PARAMS] = { .prefix = "params.", .suffix = "", .title = "param_", .unit = "" },
		[METRICS] = { .prefix = "metrics.", .suffix = "", .title = "metric_", .unit = "" },
		[PHASES] = { .prefix = "phases.",
			     .suffix = ".median",
			     .title = "phase_",
			     .unit = "_ns",
			     .timed = true },
		[COUNTS] = { .prefix = "counts.", .suffix = "", .title = "count_", .unit = "" },
		[CLASSES] = { .prefix = "counts.classes.",
			      .suffix = "",
			      .title = "count_classes_",
			      .unit = "" },
	};

	for (size_t i = 0; i < list->count && !err->code; i++)
		if (!add_record_names(names, list->record[i]))
			gb_out_of_memory(err, "a table");
	if (!err->code) {
		print_titles(file, names);
		for (size_t i = 0; i < list->count; i++)
			print_record(file, list->record[i], names);
	}
	for (size_t k = 0; k < KINDS; k++)
		free(names[k].name);
	return err->code;
}
