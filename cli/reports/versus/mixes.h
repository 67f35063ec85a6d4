/* mixes.h -- finds how the records of a column differ if they are from several machines or
 * builds. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_MIXES_H
#define GPUBENCH_CLI_REPORTS_VERSUS_MIXES_H

#include "cli/reports/compare/setups.h"

enum { GB_MIX_PARTS = 13 }; /* parts of a machine and a build */

/* The values of one part in a column. */
struct gb_versus_mix {
	size_t column, part;
	const char *name;
	size_t count; /* different values, of which the last one is not named */
	struct gb_field_value value[GB_SETUP_VALUES + 1];
};

struct gb_versus_mix gb_versus_mix_begin(size_t column, size_t part);

/* Add a record of the column; a record without a time is ignored. */
void gb_versus_mix_add(struct gb_versus_mix *mix, const struct gb_record *record);

/* Format the values as "A, B".  Returns text. */
char *gb_versus_mix_text(const struct gb_versus_mix *mix, char *text, size_t size);

#endif
