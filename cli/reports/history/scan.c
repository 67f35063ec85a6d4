/* scan.c -- see scan.h. */
#include "cli/reports/history/scan.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/field.h"
#include "cli/reports/history/store.h"
#include "common/text.h"

/* ---- JSON --------------------------------------------------------------------------------- */

/* Return the end of a value; NULL if it has none. */
static const char *skip(const char *p)
{
	size_t depth = 0;

	for (; *p; p++) {
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == ',' || *p == '}' || *p == ']') {
			if (depth == 0)
				return p;
			depth -= *p != ',';
		} else if (*p == '"')
			for (p++; *p != '"'; p++)
				if (!*p || (*p == '\\' && !*++p))
					return NULL;
	}
	return NULL;
}

struct member {
	const char *name, *value, *end;
};

/* Read the next member of an object.  *p is at the object's '{' or at the end of the previous
 * member.  False at the end, with *p after the object, or NULL if the syntax is unexpected. */
static bool next_member(const char **p, struct member *m)
{
	const char *at = *p;
	size_t length;

	*p = *at == '}' ? at + 1 : NULL;
	if ((*at != '{' && *at != ',') || at[1] != '"')
		return false;
	m->name = at + 2;
	length = strcspn(m->name, "\"\\");
	if (m->name[length] != '"' || m->name[length + 1] != ':')
		return false;
	m->value = m->name + length + 2;
	*p = m->end = skip(m->value);
	return m->end;
}

static bool is_named(const struct member *m, const char *name)
{
	const size_t length = strlen(name);

	return (size_t)(m->value - m->name) == length + 2 && strncmp(m->name, name, length) == 0;
}

/* Read the number at *p and advance *p; NAN if there is none that a time may be. */
static double read_number(const char **p)
{
	const size_t length = strspn(*p, "0123456789.eE+-");
	const double number = strtod(*p, NULL);
	const bool good = number >= 1e-3 ? number <= 1e18 : !(fabs(number) > 0);

	*p += length;
	return length && strchr(",]}", **p) && good ? number : (double)NAN;
}

/* ---- lines -------------------------------------------------------------------------------- */

enum { MOST_BYTES = 2048, MOST_ANSWERS = 8192 };

/* A line without the parts that differ from launch to launch. */
struct reduced {
	char text[MOST_BYTES + 1];
	size_t size;
	const char *run_id, *run_id_end; /* point into the line */
	bool ok;                         /* the status is ok */
	double ns;                       /* the median; NAN if there is no time */
};

/* Append bytes; false if they do not fit. */
static bool put(struct reduced *r, const char *begin, const char *end)
{
	const size_t length = (size_t)(end - begin);

	if (length > MOST_BYTES - r->size)
		return false;
	memcpy(r->text + r->size, begin, length);
	r->size += length;
	return true;
}

static bool put_text(struct reduced *r, const char *text)
{
	return put(r, text, text + strlen(text));
}

/* True if this is an array of at least one number, whose median is the given one. */
static bool are_samples(const char *p, double median)
{
	size_t sides[3] = { 0 }, count = 0;

	if (*p != '[')
		return false;
	do {
		double sample;

		p++;
		sample = read_number(&p);
		if (isnan(sample) || isnan(median))
			return false;
		sides[1 + gb_side_of(sample, median)]++;
		count++;
	} while (*p == ',');
	return *p == ']' && 2 * sides[0] <= count && 2 * sides[2] <= count;
}

/* True if this is null, or an interval around the median. */
static bool is_interval(const char *p, double median)
{
	double low, high;

	if (strncmp(p, "null", 4) == 0)
		return true;
	if (*p++ != '[')
		return false;
	low = read_number(&p);
	if (*p++ != ',')
		return false;
	high = read_number(&p);
	return *p == ']' && low <= median && median <= high;
}

static bool put_time(struct reduced *r, const char *p)
{
	const char *interval = "null";
	struct member m;
	bool samples = false;

	if (!isnan(r->ns))
		return false;
	while (next_member(&p, &m)) {
		if (is_named(&m, "median"))
			r->ns = read_number(&m.value);
		if (is_named(&m, "ci95"))
			interval = m.value;
		if (is_named(&m, "samples")) {
			samples = are_samples(m.value, r->ns);
			if (!samples)
				return false;
		}
	}
	return p && samples && r->ns > 0 && is_interval(interval, r->ns) &&
	       put_text(r, "\"time\":{\"median\":1,\"samples\":[1]},");
}

/* A verification without what it says of samples, which are left out. */
static bool put_verify(struct reduced *r, const char *p)
{
	struct member m;
	bool ok = put_text(r, "\"verify\":{");

	while (ok && next_member(&p, &m))
		if (is_named(&m, "result") || is_named(&m, "runs"))
			ok = put(r, m.name - 1, m.end) && put_text(r, ",");
	if (ok && r->text[r->size - 1] == ',')
		r->size--;
	return ok && p && put_text(r, "},");
}

static bool put_member(struct reduced *r, const struct member *m)
{
	static const char *const kept[] = { "type",    "schema",  "key",    "bench",
					    "backend", "variant", "params", "status",
					    "reason",  "verify",  "cold",   "emulated" };

	if (is_named(m, "time"))
		return put_time(r, m->value);
	if (is_named(m, "verify") && *m->value == '{')
		return put_verify(r, m->value);
	if (is_named(m, "replaces"))
		return false;
	if (is_named(m, "run_id")) {
		r->run_id = m->value + 1;
		r->run_id_end = m->end - 1;
		return put_text(r, "\"run_id\":\"\",");
	}
	if (is_named(m, "status"))
		r->ok = strncmp(m->value, "\"ok\"", 4) == 0;
	if (is_named(m, "reason") && r->ok)
		return true; /* an ok record's reason is a remark, which a history does not read */
	for (size_t i = 0; i < GB_COUNT(kept); i++)
		if (is_named(m, kept[i]))
			return put(r, m->name - 1, m->end) && put_text(r, ",");
	return true;
}

static bool reduce(const char *line, struct reduced *r)
{
	struct member m;

	r->size = 0;
	r->run_id = NULL;
	r->ok = false;
	r->ns = NAN;
	(void)put_text(r, "{");
	while (next_member(&line, &m))
		if (!put_member(r, &m))
			return false;
	if (!line || !gb_equal(line, "\n") || !r->run_id)
		return false;
	r->text[r->size - 1] = '}';
	r->text[r->size] = '\0';
	return true;
}

/* ---- answers ------------------------------------------------------------------------------ */

struct answer {
	const char *text; /* stored in the same allocation */
	const struct gb_record *record;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct answer *)a)->text, ((const struct answer *)b)->text);
}

/* Return the reader's result for a reduced line; NULL if it rejects the line. */
static const struct gb_record *ask(struct gb_scanner *scanner, const struct reduced *r)
{
	const struct answer wanted = { r->text, NULL };
	const struct answer *const *found = tfind(&wanted, &scanner->tree, by_text);
	struct gb_records *answers = &scanner->answers;
	struct gb_error ignored = { 0 };
	struct answer *a;

	if (found)
		return (*found)->record;
	if (gb_records_add_text(answers, r->text, &ignored))
		return NULL;
	a = malloc(sizeof *a + r->size + 1);
	if (!a)
		return NULL;
	a->text = memcpy(a + 1, r->text, r->size + 1);
	a->record = answers->record[answers->count - 1];
	if (tsearch(a, &scanner->tree, by_text))
		return a->record;
	free(a);
	return NULL;
}

static void forget_answers(struct gb_scanner *scanner)
{
	tdestroy(scanner->tree, free);
	scanner->tree = NULL;
	gb_records_release(&scanner->answers);
}

/* ---- files -------------------------------------------------------------------------------- */

struct gb_scanned {
	struct gb_record record;
	double ns;
};

static const struct gb_run *find_run(const struct gb_records *file, const struct reduced *r)
{
	const size_t length = (size_t)(r->run_id_end - r->run_id);

	for (size_t i = file->run_count; i-- > 0;) {
		const char *id = file->run[i]->run_id;

		if (strlen(id) == length && memcmp(id, r->run_id, length) == 0)
			return file->run[i];
	}
	return NULL;
}

static bool scan_record(struct gb_scanner *scanner, const char *line)
{
	struct gb_records *file = &scanner->file;
	struct gb_scanned *to;
	struct reduced r;
	const struct gb_record *record = reduce(line, &r) ? ask(scanner, &r) : NULL;
	const struct gb_run *run = record ? find_run(file, &r) : NULL;

	if (!run || !gb_grow(&scanner->line, &scanner->room, file->count, sizeof *scanner->line))
		return false;
	to = &scanner->line[file->count++];
	*to = (struct gb_scanned){ *record, r.ns };
	to->record.run = run;
	return true;
}

static bool scan_line(struct gb_scanner *scanner, const char *line)
{
	static const char run[] = "{\"type\":\"run\",", record[] = "{\"type\":\"record\",";
	struct gb_error ignored = { 0 };

	if (strncmp(line, record, strlen(record)) == 0)
		return scan_record(scanner, line);
	return strncmp(line, run, strlen(run)) == 0 &&
	       !gb_records_add_text(&scanner->file, line, &ignored);
}

static void forget_file(struct gb_scanner *scanner)
{
	scanner->file.count = 0;
	gb_records_release(&scanner->file);
}

bool gb_scan_file(struct gb_scanner *scanner, const char *path)
{
	struct gb_records *list = &scanner->file;
	FILE *file = fopen(path, "re");
	bool good = file;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	forget_file(scanner);
	if (scanner->answers.count > MOST_ANSWERS)
		forget_answers(scanner);
	while (good && (length = getline(&line, &room, file)) > 0)
		good = strlen(line) == (size_t)length && scan_line(scanner, line);
	good = good && !ferror(file) && list->run_count;
	list->record = good ? reallocarray(NULL, list->count + 1, sizeof(void *)) : NULL;
	for (size_t i = 0; i < list->count && list->record; i++) {
		list->record[i] = &scanner->line[i].record;
		list->record[i]->time.median = scanner->line[i].ns;
	}
	if (file)
		(void)fclose(file);
	free(line);
	return list->record;
}

void gb_scanner_release(struct gb_scanner *scanner)
{
	forget_file(scanner);
	forget_answers(scanner);
	free(scanner->line);
	*scanner = (struct gb_scanner){ 0 };
}
