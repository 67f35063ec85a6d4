/* numbered.h -- a path that stands for several files: "mesh-###.png" is mesh-000.png, mesh-001.png ... */
#ifndef GPUBENCH_COMMON_NUMBERED_H
#define GPUBENCH_COMMON_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the path has a row of #, one for each digit. */
bool gb_is_numbered(const char *path);

/* The path with its first row of # as the number, with more digits where it does not fit.  For
 * free(); NULL if memory ran out. */
char *gb_numbered_path(const char *path, size_t number);

#ifdef __cplusplus
}
#endif
#endif
