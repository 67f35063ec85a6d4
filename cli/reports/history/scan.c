#include "cli/reports/history/scan.h"

#include <math.h>
#include <search.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/json.h"
#include "cli/records/lines.h"
#include "cli/reports/launch.h"
#include "common/text.h"

/* ---- JSON without blanks -------------------------------------------------------------------
 *
 * Each function returns what follows a value, NULL if it is not spelled as expected. The newline at
 * the end of a line stops them all. */

static const char *skip_string(const char *p)
{
	if (*p != '"')
		return NULL;
	for (p++; *p != '"'; p++)
		if ((unsigned char)*p < ' ' || (*p == '\\' && (!*++p || !strchr("\"\\/bfnrt", *p))))
			return NULL;
	return p + 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p)
{
	const char *first = p;

	while (is_digit(*p))
		p++;
	return p > first ? p : NULL;
}

static const char *skip_number(const char *p)
{
	p = skip_digits(p + (*p == '-'));
	if (p && *p == '.')
		p = skip_digits(p + 1);
	if (p && (*p == 'e' || *p == 'E'))
		p = skip_digits(p + 1 + (p[1] == '-' || p[1] == '+'));
	return p;
}

static const char *skip_word(const char *p, const char *word)
{
	const size_t length = strlen(word);

	return strncmp(p, word, length) == 0 ? p + length : NULL;
}

static const char *skip(const char *p, int depth)
{
	const char open = *p, close = (char)(open + 2); /* {} and [] */

	if (open == '"')
		return skip_string(p);
	if (open == 't' || open == 'f' || open == 'n')
		return skip_word(p, open == 't' ? "true" : open == 'f' ? "false" : "null");
	if (open != '{' && open != '[')
		return skip_number(p);
	if (p[1] == close)
		return p + 2;
	do {
		p++;
		if (open == '{')
			p = skip_string(p);
		if (p && open == '{')
			p = *p == ':' ? p + 1 : NULL;
		p = p && depth > 0 ? skip(p, depth - 1) : NULL;
	} while (p && *p == ',');
	return p && *p == close ? p + 1 : NULL;
}

enum { DEPTH = 16 };

/* A part of the line. */
struct span {
	const char *begin, *end;
};

/* The next member of an object; *p is at its '{' or at the ',' before the member. False: there is none,
 * and *p is behind the object, or NULL if it is odd. */
static bool next_member(const char **p, struct span *name, struct span *value)
{
	const char *at = *p;

	if (*at == '}' || (*at == '{' && at[1] == '}')) {
		*p = at + (*at == '}' ? 1 : 2);
		return false;
	}
	*p = NULL;
	if (*at != '{' && *at != ',')
		return false;
	name->begin = at + 1;
	name->end = skip_string(name->begin);
	if (!name->end || *name->end != ':')
		return false;
	value->begin = name->end + 1;
	value->end = skip(value->begin, DEPTH);
	if (value->end && (*value->end == ',' || *value->end == '}'))
		*p = value->end;
	return *p != NULL;
}

static bool is_text(struct span s, const char *text)
{
	const size_t length = strlen(text);

	return (size_t)(s.end - s.begin) == length + 2 && strncmp(s.begin + 1, text, length) == 0;
}

/* The number that the digits of p spell; *p moves behind it. As strtod(), but faster: with fewer than
 * 2^53 in the digits and a power of ten that is exact, one division is rounded correctly. */
static double read_number(const char **p)
{
	static const double power[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	const char *at = *p;
	uint64_t digits = 0;
	int count = 0, behind = 0;

	for (; is_digit(*at) && count < 15; at++, count++)
		digits = 10 * digits + (uint64_t)(*at - '0');
	if (*at == '.')
		for (at++; is_digit(*at) && count < 15 && behind < 9; at++, count++, behind++)
			digits = 10 * digits + (uint64_t)(*at - '0');
	if (count && (*at == ',' || *at == ']')) {
		*p = at;
		return (double)digits / power[behind];
	}
	at = *p;
	*p = skip_number(at);
	return *p ? strtod(at, NULL) : (double)NAN;
}

/* ---- lines -------------------------------------------------------------------------------- */

enum { REDUCED = 2048 };

struct reduced {
	char text[REDUCED];
	size_t size;
	struct span run_id;
	double ns; /* NAN: there is no time */
};

/* False: there is no room. */
static bool put(struct reduced *r, const char *begin, const char *end)
{
	const size_t length = (size_t)(end - begin);

	if (length >= REDUCED - r->size)
		return false;
	memcpy(r->text + r->size, begin, length);
	r->size += length;
	return true;
}

static bool put_text(struct reduced *r, const char *text)
{
	return put(r, text, text + strlen(text));
}

/* An array of numbers with one at least. */
static bool read_samples(struct span array, double *least)
{
	const char *p = array.begin;

	*least = INFINITY;
	if (*p != '[')
		return false;
	do {
		double sample;

		p++;
		sample = read_number(&p);
		if (!isfinite(sample))
			return false;
		*least = fmin(*least, sample);
	} while (*p == ',');
	return *p == ']';
}

/* The validated reader has to see the members that it insists on, not their values. */
static bool put_time(struct reduced *r, struct span object)
{
	const char *p = object.begin;
	bool has_median = false;
	struct span name, value;

	if (!isnan(r->ns) || *p != '{')
		return false;
	while (next_member(&p, &name, &value)) {
		if (is_text(name, "median"))
			has_median = skip_number(value.begin) == value.end &&
				     isfinite(strtod(value.begin, NULL));
		if (is_text(name, "samples") && !read_samples(value, &r->ns))
			return false;
	}
	return has_median && !isnan(r->ns) &&
	       put_text(r, "\"time\":{\"median\":1,\"samples\":[1]},");
}

/* Of the verification only the result. */
static bool put_verify(struct reduced *r, struct span object)
{
	const char *p = object.begin;
	struct span name, value;

	if (*p != '{')
		return false;
	while (next_member(&p, &name, &value))
		if (is_text(name, "result"))
			return put_text(r, "\"verify\":{\"result\":") &&
			       put(r, value.begin, value.end) && put_text(r, "},");
	return true;
}

static bool put_member(struct reduced *r, struct span name, struct span value)
{
	static const char *const kept[] = { "type",    "schema",  "key",     "bench",
					    "backend", "variant", "params",  "status",
					    "reason",  "cold",    "emulated" };

	if (is_text(name, "time"))
		return put_time(r, value);
	if (is_text(name, "verify"))
		return put_verify(r, value);
	if (is_text(name, "replaces"))
		return false;
	if (is_text(name, "run_id")) {
		const bool odd = r->run_id.begin || *value.begin != '"' ||
				 memchr(value.begin, '\\', (size_t)(value.end - value.begin));

		r->run_id = value;
		return !odd && put_text(r, "\"run_id\":\"\",");
	}
	for (size_t i = 0; i < GB_COUNT(kept); i++)
		if (is_text(name, kept[i]))
			return put(r, name.begin, value.end) && put_text(r, ",");
	return true;
}

static bool reduce(const char *line, struct reduced *r)
{
	const char *p = line;
	struct span name, value;

	r->size = 0;
	r->run_id = (struct span){ 0 };
	r->ns = NAN;
	(void)put_text(r, "{");
	while (*line == '{' && next_member(&p, &name, &value))
		if (!put_member(r, name, value))
			return false;
	if (!p || *p != '\n' || !r->run_id.begin)
		return false;
	r->text[r->size - 1] = '}';
	r->text[r->size] = '\0';
	return true;
}

/* ---- answers ------------------------------------------------------------------------------ */

enum gb_launch_kind gb_launch_kind_of(const cJSON *record)
{
	if (gb_json_true(record, "emulated"))
		return GB_LAUNCH_EMULATED;
	if (gb_launch_is_broken(record))
		return GB_LAUNCH_FAILED;
	return gb_is_unverified(record) ? GB_LAUNCH_UNVERIFIED : GB_LAUNCH_TIME;
}

/* A reduced line, and what the validated reader made of it: one line. */
struct answer {
	char *text;
	struct gb_records records;
	bool is_record;
	enum gb_launch_kind kind;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct answer *)a)->text, ((const struct answer *)b)->text);
}

static void free_answer(void *answer)
{
	struct answer *a = answer;

	gb_records_release(&a->records);
	free(a->text);
	free(a);
}

/* NULL: memory ran out. */
static const struct answer *ask(struct gb_scanner *scanner, struct reduced *r)
{
	struct answer *a = calloc(1, sizeof *a);
	struct gb_error ignored = { 0 };

	if (!a)
		return NULL;
	a->text = strdup(r->text);
	if (!a->text || gb_records_parse("", r->text, r->size, &a->records, &ignored) ||
	    !tsearch(a, &scanner->tree, by_text)) {
		free_answer(a);
		return NULL;
	}
	scanner->count++;
	a->is_record = gb_is_record(a->records.line[0]);
	a->kind = a->is_record ? gb_launch_kind_of(a->records.line[0]) : GB_LAUNCH_KINDS;
	return a;
}

bool gb_scan_line(struct gb_scanner *scanner, char *line, struct gb_scanned *scanned)
{
	struct reduced r;
	const struct answer wanted = { .text = r.text };
	const struct answer *const *found, *a;

	if (!reduce(line, &r))
		return false;
	found = tfind(&wanted, &scanner->tree, by_text);
	a = found ? *found : ask(scanner, &r);
	if (!a || !a->is_record)
		return false;
	line[r.run_id.end - 1 - line] = '\0';
	*scanned = (struct gb_scanned){ a->records.line[0], a->kind, r.run_id.begin + 1, r.ns };
	return true;
}

void gb_scanner_release(struct gb_scanner *scanner)
{
	tdestroy(scanner->tree, free_answer);
	*scanner = (struct gb_scanner){ 0 };
}
