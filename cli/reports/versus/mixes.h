/* mixes.h -- columns that are not of one machine and build: in what their records differ. */
#ifndef GPUBENCH_CLI_REPORTS_VERSUS_MIXES_H
#define GPUBENCH_CLI_REPORTS_VERSUS_MIXES_H

#include "cli/reports/compare/setups.h"

enum { GB_MIX_PARTS = 13 }; /* of a machine and build */

/* The values that a column has of one part. */
struct gb_versus_mix {
	size_t column, part;
	const char *name;
	size_t count; /* of different values; the first ones are kept */
	struct gb_field_value value[GB_SETUP_VALUES];
};

struct gb_versus_mix gb_versus_mix_begin(size_t column, size_t part);

/* A record of the column; one without a time does not count. */
void gb_versus_mix_add(struct gb_versus_mix *mix, const struct gb_record *record);

/* The values as "A, B".  Returns text. */
char *gb_versus_mix_text(const struct gb_versus_mix *mix, char *text, size_t size);

#endif
