/* csv.c -- prints records as CSV (RFC 4180).
 *
 * Each record is one row.  The fixed columns come first, those of its run included, then one column
 * per parameter (param_count), metric (metric_depth), phase (phase_scan_ns, the median) and exact
 * count (count_global_load_sectors) that any record has.  Numbers are unscaled with a decimal
 * point; times are in ns.  A missing value is an empty field, and so is every time measured under
 * the emulator.  The output is UTF-8: what is left of a character that was cut becomes U+FFFD.
 */
#include "cli/records/csv.h"

#include <math.h>
#include <string.h>

#include "common/text.h"

/* Columns that only some records have: the paths of their values, such as "phases.scan.median", in
 * order of first appearance. */
enum { PARAMS, METRICS, PHASES, COUNTS, CLASSES, KINDS };

static bool add_path(struct gb_texts *paths, const char *before, const char *name,
		     const char *after)
{
	char path[200];

	(void)snprintf(path, sizeof path, "%s%.160s%s", before, name, after);
	for (size_t i = 0; i < paths->count; i++)
		if (gb_equal(paths->text[i], path))
			return true;
	return gb_texts_keep(paths, path);
}

static bool add_members(struct gb_texts *paths, const char *before,
			const struct gb_members *members)
{
	for (size_t i = 0; i < members->count; i++)
		if (!add_path(paths, before, members->item[i].name, ""))
			return false;
	return true;
}

static bool add_paths(struct gb_texts *paths, const struct gb_record *record)
{
	bool ok = add_members(&paths[PARAMS], "params.", &record->params) &&
		  add_members(&paths[METRICS], "metrics.", &record->metrics) &&
		  add_members(&paths[CLASSES], "counts.classes.", &record->counts.classes);

	for (size_t i = 0; i < record->phases.count && ok; i++)
		ok = add_path(&paths[PHASES], "phases.", record->phases.item[i].name, ".median");
	for (size_t i = 0; i < gb_count_fields.count && record->counted && ok; i++) {
		const char *path = gb_count_fields.field[i].path;

		if (gb_fields_value(&gb_count_fields, &record->counts, path).kind ==
		    GB_VALUE_NUMBER)
			ok = add_path(&paths[COUNTS], "counts.", path, "");
	}
	return ok;
}

void gb_csv_print_text(FILE *file, const char *text)
{
	const bool quoted = strpbrk(text, ",\"\r\n");

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

/* "phases.scan.median" is "phase_scan_ns", "counts.global_load.sectors" is
 * "count_global_load_sectors". */
static void print_title(FILE *file, size_t kind, const char *path)
{
	const size_t word = strcspn(path, "."), length = strlen(path);
	const size_t median = kind == PHASES ? strlen(".median") : 0;
	char title[200];

	(void)snprintf(title, sizeof title, "%.*s%.*s%s", (int)word - 1, path,
		       (int)(length - word - median), path + word, median ? "_ns" : "");
	for (char *c = title; *c; c++)
		if (*c == '.')
			*c = '_';
	(void)fputc(',', file);
	gb_csv_print_text(file, title);
}

/* The columns of a run or of a record, or their titles without one (NULL); those of one launch are
 * empty under the emulator. */
static void print_fixed(FILE *file, const struct gb_fields *fields, const void *of, bool timed,
			const char *comma)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct gb_field *field = &fields->field[i];

		if (!field->csv)
			continue;
		(void)fputs(comma, file);
		comma = ",";
		if (!of)
			(void)fputs(field->csv, file);
		else if (timed || field->stays != GB_OF_REPETITION)
			print_value(file, gb_fields_value(fields, of, field->path));
	}
}

static void print_titles(FILE *file, const struct gb_texts *paths)
{
	print_fixed(file, &gb_record_fields, NULL, false, "");
	print_fixed(file, &gb_context_fields, NULL, false, ",");
	(void)fputs(",gpu,caches", file);
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < paths[k].count; i++)
			print_title(file, k, paths[k].text[i]);
	(void)fputs("\r\n", file);
}

static void print_record(FILE *file, const struct gb_record *record, const struct gb_texts *paths)
{
	const struct gb_gpu *gpu = gb_is_cpu(record) ? NULL : gb_context_gpu(record->context);

	print_fixed(file, &gb_record_fields, record, !record->emulated, "");
	print_fixed(file, &gb_context_fields, record->context, true, ",");
	(void)fputc(',', file);
	if (gpu && gpu->name)
		gb_csv_print_text(file, gpu->name);
	(void)fputs(gb_record_is_cold(record) ? ",cold" : ",hot", file);
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < paths[k].count; i++) {
			(void)fputc(',', file);
			if (k != PHASES || !record->emulated)
				print_value(file, gb_record_value(record, paths[k].text[i]));
		}
	(void)fputs("\r\n", file);
}

enum gb_status gb_csv_print(FILE *file, const struct gb_records *list, struct gb_error *err)
{
	struct gb_texts paths[KINDS] = { { 0 } };

	for (size_t i = 0; i < list->count && !err->code; i++)
		if (!add_paths(paths, list->record[i]))
			gb_out_of_memory(err, "a table");
	if (!err->code) {
		print_titles(file, paths);
		for (size_t i = 0; i < list->count; i++)
			print_record(file, list->record[i], paths);
	}
	for (size_t k = 0; k < KINDS; k++)
		gb_texts_free(&paths[k]);
	return err->code;
}
