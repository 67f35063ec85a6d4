/* csv.c -- prints records as CSV (RFC 4180).
 *
 * Each record is one row.  The fixed columns come first, those of its run included, then one column
 * per parameter (param_count), metric (metric_depth), phase (phase_scan_ns, the median) and exact
 * count (count_global_load_sectors) that any record has.  Numbers are unscaled with a decimal
 * point; times are in ns.  A missing value is an empty field, and so is every time measured under
 * the emulator.  Text that a spreadsheet would take for a formula is prefixed with an apostrophe.
 * The output is UTF-8: what is left of a character that was cut becomes U+FFFD.
 */
#include "cli/records/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

/* The source of a column's value.  TIMED values belong to the record too, but are left empty under
 * the emulator. */
enum place { OF_RECORD, TIMED, OF_RUN };
struct column {
	const char *title, *path;
	enum place place;
};

static const struct column fixed[] = {
	{ "run_id", "run_id", OF_RECORD },
	{ "seq", "seq", OF_RECORD },
	{ "bench", "bench", OF_RECORD },
	{ "backend", "backend", OF_RECORD },
	{ "variant", "variant", OF_RECORD },
	{ "peer", "peer", OF_RECORD },
	{ "key", "key", OF_RECORD },
	{ "status", "status", OF_RECORD },
	{ "error", "error", OF_RECORD },
	{ "reason", "reason", OF_RECORD },
	{ "verify", "verify.result", OF_RECORD },
	{ "stop_reason", "stop_reason", OF_RECORD },
	{ "cold", "cold", OF_RECORD },
	{ "emulated", "emulated", OF_RECORD },
	{ "batch", "batch", OF_RECORD },
	{ "threads", "threads", OF_RECORD },
	{ "samples", "time.n", TIMED },
	{ "time_ns", "time.median", TIMED },
	{ "time_ci95_low_ns", "time.ci95.low", TIMED },
	{ "time_ci95_high_ns", "time.ci95.high", TIMED },
	{ "time_min_ns", "time.min", TIMED },
	{ "time_q1_ns", "time.q1", TIMED },
	{ "time_q3_ns", "time.q3", TIMED },
	{ "time_max_ns", "time.max", TIMED },
	{ "time_mean_ns", "time.mean", TIMED },
	{ "time_mean_ci95_low_ns", "time.mean_ci95.low", TIMED },
	{ "time_mean_ci95_high_ns", "time.mean_ci95.high", TIMED },
	{ "time_stddev_ns", "time.stddev", TIMED },
	{ "time_mad_ns", "time.mad", TIMED },
	{ "outliers", "time.outliers", TIMED },
	{ "host_time_ns", "host_time.median", TIMED },
	{ "create_ns", "create", TIMED },
	{ "upload_ns", "upload", TIMED },
	{ "upload_ci95_low_ns", "transfers.upload.ci95.low", TIMED },
	{ "upload_ci95_high_ns", "transfers.upload.ci95.high", TIMED },
	{ "download_ns", "download", TIMED },
	{ "download_ci95_low_ns", "transfers.download.ci95.low", TIMED },
	{ "download_ci95_high_ns", "transfers.download.ci95.high", TIMED },
	{ "first_call_ns", "first_call", TIMED },
	{ "items", "work.items", OF_RECORD },
	{ "item_unit", "work.unit", OF_RECORD },
	{ "bytes", "work.bytes", OF_RECORD },
	{ "items_per_s", "rates.items_per_s", TIMED },
	{ "items_per_s_with_transfers", "rates.items_per_s_with_transfers", TIMED },
	{ "bytes_per_s", "rates.bytes_per_s", TIMED },
	{ "copy_bytes_per_s", "copy_bytes_per_s", TIMED },
	{ "copy_share", "rates.copy_share", TIMED },
	{ "host_bytes", "memory.host_bytes", OF_RECORD },
	{ "device_bytes", "memory.device_bytes", OF_RECORD },
	{ "elapsed_s", "elapsed_s", TIMED },
	{ "library", "library", OF_RECORD },
	{ "host", "host.hostname", OF_RUN },
	{ "cpu", "host.cpu", OF_RUN },
	{ "version", "tool.version", OF_RUN },
	{ "commit", "tool.commit", OF_RUN },
	{ "commit_dirty", "tool.dirty", OF_RUN },
	{ "compiler", "tool.compiler", OF_RUN },
	{ "started", "started", OF_RUN },
};

/* Columns that only some records have: one per member name, in order of first appearance. */
struct names {
	const char *prefix, *suffix; /* value's path: "phases." NAME ".median" */
	const char *title, *unit;    /* column title: "phase_" NAME "_ns" */
	enum place place;
	struct gb_members list;
};

static bool add_name(struct names *names, const char *name)
{
	const struct gb_member member = { .name = name, .kind = GB_VALUE_TEXT };

	return gb_member_find(&names->list, name) || gb_members_add(&names->list, member);
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
	bool ok = add_members(&names[PARAMS], &record->params) &&
		  add_members(&names[METRICS], &record->metrics) &&
		  add_members(&names[CLASSES], &record->counts.classes);

	for (size_t i = 0; i < record->phases.count && ok; i++)
		ok = add_name(&names[PHASES], record->phases.item[i].name);
	for (size_t i = 0; i < gb_count_field_count && record->counted && ok; i++) {
		const struct gb_field *field = &gb_count_fields[i];

		if (gb_fields_value(field, 1, &record->counts, field->path).kind == GB_VALUE_NUMBER)
			ok = add_name(&names[COUNTS], field->path);
	}
	return ok;
}

/* True if a spreadsheet would take the text for a formula. */
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
	bool quoted;

	if (is_formula(text) && asprintf(&plain, "'%s", text) >= 0)
		text = plain;
	quoted = strpbrk(text, ",\"\r\n");
	(void)fputs(quoted ? "\"" : "", file);
	for (size_t length; *text; text += length ? length : 1) {
		length = gb_utf8_length(text);
		if (*text == '"')
			(void)fputc('"', file);
		if (length)
			(void)fwrite(text, 1, length, file);
		else
			(void)fputs("\xef\xbf\xbd", file);
	}
	(void)fputs(quoted ? "\"" : "", file);
	free(plain);
}

void gb_csv_print_number(FILE *file, double value)
{
	char text[GB_TEXT_MAX];

	if (isfinite(value))
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
	(void)fputs(",gpu,caches", file);
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < names[k].list.count; i++)
			print_title(file, &names[k], names[k].list.item[i].name);
	(void)fputs("\r\n", file);
}

static void print_column(FILE *file, const struct gb_record *record, const char *path,
			 enum place place)
{
	if (place == OF_RUN)
		print_value(file, gb_run_value(record->run, path));
	else if (place != TIMED || !record->emulated)
		print_value(file, gb_record_value(record, path));
}

static void print_members(FILE *file, const struct gb_record *record, const struct names *names)
{
	for (size_t i = 0; i < names->list.count; i++) {
		char path[200];

		(void)snprintf(path, sizeof path, "%s%.160s%s", names->prefix,
			       names->list.item[i].name, names->suffix);
		(void)fputc(',', file);
		print_column(file, record, path, names->place);
	}
}

static void print_record(FILE *file, const struct gb_record *record, const struct names *names)
{
	const struct gb_gpu *gpu = gb_is_cpu(record) ? NULL : gb_run_gpu(record->run);

	for (size_t i = 0; i < GB_COUNT(fixed); i++) {
		(void)fputs(i ? "," : "", file);
		print_column(file, record, fixed[i].path, fixed[i].place);
	}
	(void)fputc(',', file);
	if (gpu && gpu->name)
		gb_csv_print_text(file, gpu->name);
	(void)fputs(gb_record_is_cold(record) ? ",cold" : ",hot", file);
	for (size_t k = 0; k < KINDS; k++)
		print_members(file, record, &names[k]);
	(void)fputs("\r\n", file);
}

enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err)
{
	struct names names[KINDS] = {
		[PARAMS] = { "params.", "", "param_", "", OF_RECORD, { 0 } },
		[METRICS] = { "metrics.", "", "metric_", "", OF_RECORD, { 0 } },
		[PHASES] = { "phases.", ".median", "phase_", "_ns", TIMED, { 0 } },
		[COUNTS] = { "counts.", "", "count_", "", OF_RECORD, { 0 } },
		[CLASSES] = { "counts.classes.", "", "count_classes_", "", OF_RECORD, { 0 } },
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
		free(names[k].list.item);
	return err->code;
}
