/* json.h -- a thin layer over cJSON: every addition is checked, every look-up tolerates absence.
 *
 * The put functions return false if memory ran out, so that calls can be chained with &&.  After a
 * failure, the object may only be passed to cJSON_Delete().  A path is member names joined by dots:
 * "time.median".
 */
#ifndef GPUBENCH_CLI_RECORDS_JSON_H
#define GPUBENCH_CLI_RECORDS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* A copy for free(), in which bytes that are not UTF-8 become U+FFFD.  NULL if memory ran out. */
char *gb_utf8_copy(const char *text);

/* NULL becomes null.  Bytes that are not UTF-8 become U+FFFD, so that the file stays valid JSON
 * whatever a path or a host name contains. */
bool gb_json_put_text(cJSON *object, const char *name, const char *text);

/* NAN and the infinities become null. */
bool gb_json_put_number(cJSON *object, const char *name, double value);

/* Put item at the end of an array; owns item even on failure.  False if item is NULL. */
bool gb_json_append(cJSON *array, cJSON *item);

/* The member at the path, or NULL. */
cJSON *gb_json_at(const cJSON *object, const char *path);

/* The value of the member at the path; NAN or NULL if it is absent or of another type. */
double gb_json_number(const cJSON *object, const char *path);
const char *gb_json_text(const cJSON *object, const char *path);

/* Print the document, indented.  False, with nothing printed, if memory ran out.  The caller checks
 * the stream for errors. */
bool gb_json_print(FILE *file, const cJSON *document);

/* Print a single text, in which bytes that are not UTF-8 become U+FFFD, or a number: the fewest
 * digits that read back as the same one, or null unless it is finite. */
void gb_json_write_text(FILE *file, const char *text);
void gb_json_write_number(FILE *file, double number);

#endif
