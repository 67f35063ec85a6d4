/* paper_of.h -- a paper's table from the JSON that a test needs. */
#ifndef GPUBENCH_TESTS_PAPER_OF_H
#define GPUBENCH_TESTS_PAPER_OF_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/repro/repro.h"

/* Parse JSON with ' in place of ". */
static inline cJSON *parse(const char *text)
{
	char *copy = strdup(text);
	cJSON *json;

	for (char *c = copy; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	json = cJSON_Parse(copy);
	cr_assert(json != NULL, "%s", copy);
	free(copy);
	return json;
}

/* Set up the first table of a paper.  A session or the test fills it with records. */
static inline void init(struct gb_repro *t, const cJSON *paper)
{
	struct gb_error err = { 0 };

	cr_assert_not(
		gb_repro_init(t, paper, cJSON_GetArrayItem(gb_json_at(paper, "tables"), 0), &err));
}

#endif
