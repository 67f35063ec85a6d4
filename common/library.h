/* library.h -- shared libraries that are loaded when they are first needed, so that a start of the
 * program does not pay for them, and a machine may lack them. */
#ifndef GPUBENCH_COMMON_LIBRARY_H
#define GPUBENCH_COMMON_LIBRARY_H

#include <stddef.h>

#include "common/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Load a library of that soname, unless this was done, and set the pointers at `table`, a struct of
 * `count` of them and nothing else, to the symbols of these names.  GB_EUNAVAILABLE if the library
 * or a symbol is missing. */
enum gb_status gb_library_load(const char *soname, const char *const *name, size_t count,
			       void *table, struct gb_error *err);

#ifdef __cplusplus
}
#endif

#endif
