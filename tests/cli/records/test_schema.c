/* test_schema.c -- stored records stay readable: lines read and written, and the paths that select
 * values. */
#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/records/csv.h"
#include "tests/line_of.h"

static void each_stored(void (*visit)(const char *path))
{
	glob_t found;

	cr_assert_not(glob("results/measured/*/*.jsonl", 0, NULL, &found));
	cr_assert_gt(found.gl_pathc, 20);
	for (size_t i = 0; i < found.gl_pathc; i++)
		visit(found.gl_pathv[i]);
	globfree(&found);
}

/* ---- round trip --------------------------------------------------------------------------- */

/* The line as this version writes it, parsed again. */
static cJSON *formatted(cJSON *line)
{
	const bool is_run = gb_equal(gb_json_text(line, "type"), "run");
	struct gb_error err = { 0 };
	struct gb_context *context = is_run ? gb_context_parse(line, &err) : NULL;
	struct gb_record *record = is_run ? NULL : gb_record_parse(line, &err);
	cJSON *now;

	cr_assert(context || record, "%s", err.message);
	now = line_printed(record, context);
	gb_context_free(context);
	gb_record_free(record);
	return now;
}

/* Members of earlier versions, which are neither read nor written. */
static const char *const gone[][2] = {
	{ "host", "logical_cpus" },
	{ "host", "numa_nodes" },
	{ "host", "available_bytes" },
	{ "settings", "max_samples" },
	{ "settings", "min_time_s" },
	{ "verify", "overwritten" },
	{ "verify", "changed" },
	{ "memory", "resident_bytes" },
	{ NULL, "whole" },
	{ NULL, "cpu" },
};

/* The line is written as it was read. */
static void expect_same_line(const char *text)
{
	cJSON *wanted = cJSON_Parse(text), *now = formatted(cJSON_Parse(text));

	for (size_t i = 0; i < GB_COUNT(gone); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(
			gone[i][0] ? gb_json_at(wanted, gone[i][0]) : wanted, gone[i][1]);
	cr_expect(cJSON_Compare(now, wanted, true), "%.300s", text);
	cJSON_Delete(now);
	cJSON_Delete(wanted);
}

static void expect_file_kept(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	cr_assert(file, "%s", path);
	while (getline(&text, &size, file) > 1)
		expect_same_line(text);
	free(text);
	(void)fclose(file);
}

Test(schema, stored_files_lose_nothing)
{
	each_stored(expect_file_kept);
}

/* ---- the schema and the tables --------------------------------------------------------------- */

static const cJSON *definitions;

static const cJSON *definition(const cJSON *reference)
{
	return gb_json_at(definitions, strrchr(reference->valuestring, '/') + 1);
}

/* The property of that name in a node of the schema or in those that it refers to. */
static const cJSON *property(const cJSON *node, const char *name)
{
	const cJSON *ref = gb_json_at(node, "$ref"), *all = gb_json_at(node, "allOf"), *part;
	const cJSON *found = gb_json_at(gb_json_at(node, "properties"), name);

	cJSON_ArrayForEach(part, all)
	{
		found = found ? found : property(part, name);
	}
	return found || !ref ? found : property(definition(ref), name);
}

/* The node of a path of one or two words. */
static const cJSON *node_of(const char *root, const char *path)
{
	const size_t length = strcspn(path, ".");
	char word[64];
	const cJSON *node;

	(void)snprintf(word, sizeof word, "%.*s", (int)length, path);
	node = property(gb_json_at(definitions, root), word);
	return path[length] ? property(node, path + length + 1) : node;
}

/* Each member has a property with its words. */
static void expect_properties(const struct gb_fields *fields, const char *root)
{
	for (size_t i = 0; i < fields->count; i++) {
		const struct gb_field *field = &fields->field[i];
		const cJSON *node, *word;
		size_t words = 0;

		if (field->derived || field->type >= GB_FIELD_OBJECT)
			continue;
		node = node_of(root, field->path);
		cr_expect(node, "the schema lacks \"%s\"", field->path);
		cJSON_ArrayForEach(word, gb_json_at(node, "enum"))
		{
			cr_expect(!field->words || gb_equal(field->words[words], word->valuestring),
				  "%s", field->path);
			words++;
		}
		cr_expect(!field->words || !field->words[words], "%s", field->path);
	}
}

static bool has_field(const struct gb_fields *fields, const char *path)
{
	for (size_t i = 0; i < fields->count; i++)
		if (gb_equal(fields->field[i].path, path))
			return true;
	return false;
}

/* Each property is a member, unless it is of earlier versions. */
static void expect_members(const struct gb_fields *fields, const cJSON *node, const char *before)
{
	static const char old[] = "of earlier versions";
	const cJSON *part;

	cJSON_ArrayForEach(part, gb_json_at(node, "properties"))
	{
		const char *about = gb_json_text(part, "description");
		char path[128];

		(void)snprintf(path, sizeof path, "%s%s", before, part->string);
		if (has_field(fields, path) || gb_equal(path, "type") || gb_equal(path, "schema") ||
		    (about && strncmp(about, old, strlen(old)) == 0))
			continue;
		(void)strcat(path, ".");
		cr_expect(gb_json_at(part, "properties") && !before[0], "no member %s", path);
		if (!before[0])
			expect_members(fields, part, path);
	}
}

Test(schema, has_the_members_of_the_tables)
{
	FILE *file = fopen("results/gpubench-record-2.schema.json", "r");
	char *text = NULL;
	size_t size = 0;
	cJSON *schema;

	cr_assert(file && getdelim(&text, &size, '\0', file) > 0);
	(void)fclose(file);
	schema = cJSON_Parse(text);
	definitions = gb_json_at(schema, "$defs");
	cr_assert(definitions);
	expect_properties(&gb_context_fields, "run");
	expect_properties(&gb_gpu_fields, "gpu");
	expect_properties(&gb_record_fields, "record");
	expect_members(&gb_context_fields, gb_json_at(definitions, "run"), "");
	expect_members(&gb_gpu_fields, gb_json_at(definitions, "gpu"), "");
	expect_members(&gb_record_fields, gb_json_at(definitions, "record"), "");
	cJSON_Delete(schema);
	free(text);
}

/* ---- one line with everything --------------------------------------------------------------- */

#define SERIES "{\"clock\":\"monotonic\",\"median\":20,\"ci95\":[10,30],\"samples\":[10,20,30]}"
#define GLOBAL "{\"requests\":1,\"sectors\":2,\"least\":4}"
#define SHARED "{\"requests\":1,\"wavefronts\":2,\"least\":4,\"turns\":5}"

static const char whole_run[] =
	"{\"type\":\"run\",\"schema\":2,\"run_id\":\"a\",\"started\":\"2026-11-20T15:04:05Z\","
	"\"tool\":{\"version\":\"1.2\",\"commit\":\"abc\",\"dirty\":false,\"compiler\":\"gcc 14\"},"
	"\"host\":{\"hostname\":\"box\",\"cpu\":\"Z80\"},\"settings\":{\"device\":0},\"gpus\":[{"
	"\"id\":0,\"name\":\"Voodoo\"}]"
	"}";
static const char whole_record[] =
	"{\"type\":\"record\",\"schema\":2,\"run_id\":\"a\",\"seq\":0,\"bench\":\"toy\","
	"\"backend\":\"cuda\",\"variant\":\"v\",\"key\":\"k\",\"params\":{\"n\":1},\"peer\":true,"
	"\"library\":\"Toys 1\",\"status\":\"ok\",\"reason\":\"a remark\",\"error\":\"verify\","
	"\"verify\":{\"result\":\"pass\",\"runs\":3},\"input\":\"file\",\"stop_reason\":\"fixed\","
	"\"cold\":true,\"batch\":1,\"threads\":2,\"time\":" SERIES ",\"host_time\":" SERIES
	",\"phases\":{\"scan\":" SERIES "},\"transfers\":{\"upload\":" SERIES
	",\"download\":" SERIES "},\"create\":1,\"upload\":2,\"download\":3,"
	"\"first_call\":4,\"gpu_state\":{\"throttle\":[\"idle\"]},\"work\":"
	"{\"items\":5,\"unit\":\"keys\",\"bytes\":6},"
	"\"copy_bytes_per_s\":7,\"metrics\":{\"depth\":8},\"elapsed_s\":9,"
	"\"memory\":{\"host_bytes\":10,\"device_bytes\":11,\"flush_bytes\":12},"
	"\"counts\":{\"launches\":1,\"classes\":{\"warp\":2},\"global_load\":" GLOBAL
	",\"shared_atomic\":" SHARED ",\"kernels\":[{\"kernel\":\"k\"}]}}";

static const struct gb_records *whole(void)
{
	static struct gb_records list;

	add_line_of(&list, whole_run);
	add_line_of(&list, whole_record);
	return &list;
}

static size_t commas(const char *line)
{
	size_t count = 0;

	for (; *line != '\n'; line++)
		count += *line == ',';
	return count;
}

/* A row of a member selects that member; the path of a column that is computed might select
 * nothing. */
Test(schema, every_column_of_csv_has_a_value)
{
	const struct gb_records *list = whole();
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct gb_error err = { 0 };
	/* Columns of the members that only some records have. */
	static const char *const own[] = { ",param_n,", ",metric_depth,", ",phase_scan_ns,",
					   ",count_launches,", ",count_classes_warp" };

	cr_assert_not(gb_csv_print(file, list, &err));
	(void)fclose(file);
	for (size_t i = 0; i < gb_record_fields.count; i++) {
		const struct gb_field *field = &gb_record_fields.field[i];
		const bool is_computed = field->derived || field->type == GB_FIELD_STATISTIC;

		cr_expect(!is_computed || gb_record_value(list->record[0], field->path).kind,
			  "%s is empty", field->path);
	}
	for (size_t i = 0; i < GB_COUNT(own); i++)
		cr_expect(strstr(text, own[i]), "%s", own[i]);
	cr_expect_eq(commas(text), commas(strchr(text, '\n') + 1));
	free(text);
}

Test(schema, paths_lead_to_values_of_each_kind)
{
	static const struct {
		const char *path;
		double value; /* NAN: none */
	} row[] = {
		{ "time.n", 3 },
		{ "time.min", 10 },
		{ "time.q1", 15 },
		{ "time.median", 20 },
		{ "time.q3", 25 },
		{ "time.max", 30 },
		{ "time.stddev", 10 },
		{ "time.ci95.low", 10 },
		{ "phases.scan.mean", 20 },
		{ "transfers.download.ci95.high", 30 },
		{ "params.n", 1 },
		{ "metrics.depth", 8 },
		{ "verify.runs", 3 },
		{ "memory.flush_bytes", 12 },
		{ "counts.classes.warp", 2 },
		{ "counts.global_load.least", 4 },
		{ "counts.shared_atomic.turns", 5 },
		{ "rates.items_per_s", 5 / 20e-9 },
		{ "rates.items_per_s_with_transfers", 5 / 25e-9 },
		{ "rates.bytes_per_s", 6 / 20e-9 },
		{ "rates.copy_share", 6 / 20e-9 / 7 },
		{ "time.medain", NAN },
		{ "phases.sort.mean", NAN },
		{ "metrics.width", NAN },
		{ "counts.chains", NAN },
		{ "timing", NAN },
		{ "", NAN },
	};
	const struct gb_record *record = whole()->record[0];

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const double value = gb_record_number(record, row[i].path);

		cr_expect_eq(isnan(value), isnan(row[i].value), "%s", row[i].path);
		cr_expect_not(fabs(value / row[i].value - 1) > 1e-12, "%s is %.17g", row[i].path,
			      value);
	}
	/* A single number has the interval of the series that it is the median of. */
	cr_expect_eq(gb_record_times(record, "upload"), &record->transfers.item[0].time);
	cr_expect_eq(gb_record_times(record, "download"), &record->transfers.item[1].time);
	cr_expect_null(gb_record_times(record, "create"));
	cr_expect_str_eq(gb_record_value(record, "status").text, "ok");
	cr_expect_eq(gb_record_value(record, "cold").kind, GB_VALUE_FLAG);
	cr_expect_str_eq(gb_context_value(record->context, "tool.commit").text, "abc");
	cr_expect_str_eq(gb_gpu_value(gb_context_gpu(record->context), "name").text, "Voodoo");
}

/* Pooled repetitions share what is left. */
Test(schema, only_what_belongs_to_a_repetition_is_forgotten)
{
	static const char *const of_repetition[] = { "time",      "host_time",  "phases",
						     "transfers", "create",     "upload",
						     "download",  "first_call", "elapsed_s",
						     "gpu_state" };
	struct gb_record *record = whole()->record[0];
	cJSON *wanted = cJSON_Parse(whole_record), *left;

	for (size_t i = 0; i < GB_COUNT(of_repetition); i++)
		cJSON_DeleteItemFromObjectCaseSensitive(wanted, of_repetition[i]);
	gb_record_forget(record, GB_OF_REPETITION);
	left = line_printed(record, NULL);
	cr_expect(cJSON_Compare(left, wanted, true));
	cr_expect(isnan(record->rates.items_per_s) && isnan(record->rates.copy_share));
	cJSON_Delete(left);
	cJSON_Delete(wanted);
}

/* ---- papers --------------------------------------------------------------------------------- */

extern const char gb_papers[];
static struct gb_records stored;

static void read_stored(const char *path)
{
	struct gb_error err = { 0 };

	cr_assert_not(gb_records_read(path, &stored, &err), "%s", err.message);
}

static void expect_found(const cJSON *paper, const cJSON *column)
{
	const char *path = gb_json_text(column, "value");
	size_t found = 0;

	for (size_t i = 0; i < stored.count && path; i++)
		found += gb_equal(stored.record[i]->bench, gb_json_text(paper, "benchmark")) &&
			 gb_record_value(stored.record[i], path).kind == GB_VALUE_NUMBER;
	cr_expect(!path || found, "%s: %s is in no stored record", gb_json_text(paper, "paper"),
		  path);
}

/* Each value of a paper's table is found in a stored record of its benchmark. */
Test(schema, every_value_of_a_paper_is_found)
{
	size_t columns = 0;

	each_stored(read_stored);
	for (const char *text = gb_papers; *text; text += strlen(text) + 1) {
		cJSON *paper = cJSON_Parse(text);
		const cJSON *table, *column;

		cJSON_ArrayForEach(table, gb_json_at(paper, "tables"))
		{
			expect_found(paper, gb_json_at(table, "beside_as"));
			cJSON_ArrayForEach(column, gb_json_at(table, "columns"))
			{
				expect_found(paper, column);
				columns++;
			}
		}
		cJSON_Delete(paper);
	}
	cr_expect_gt(columns, 30);
	gb_records_release(&stored);
}
