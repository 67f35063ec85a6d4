/* variants.h -- the table of all variants: those of this program, then those of plug-ins. */
#ifndef GPUBENCH_COMMON_VARIANTS_H
#define GPUBENCH_COMMON_VARIANTS_H

#include "common/benchmark.h"

/* The file that a variant comes from. */
struct gb_plugin_file {
	const char *path, *name, *version;
	char sha256[65]; /* of the file, in hexadecimal */
};

/* A variant that is not in the build stays in the table with ops == NULL and a reason. */
extern const struct gb_variant *gb_variants;
extern size_t gb_variant_count;

/* Add a variant, whose strings and operations must stay.  Pointers into the table end. */
enum gb_status gb_variants_add(const struct gb_variant *variant, struct gb_error *err);

#endif
