/* json.h -- a thin layer over cJSON: every addition is checked, every look-up tolerates absence.
 *
 * The put functions return false if memory ran out, so that a description reads as one chain of
 * conditions; the object is then good for nothing but cJSON_Delete().  A path is member names
 * joined by dots: "time.median".
 */
#ifndef GPUBENCH_CLI_RECORDS_JSON_H
#define GPUBENCH_CLI_RECORDS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

/* A string item; bytes that are not UTF-8 become U+FFFD.  NULL if memory ran out. */
cJSON *gb_json_string(const char *text);

/* NULL becomes null.  Bytes that are not UTF-8 become U+FFFD: a file stays valid JSON whatever
 * a path or a host name holds. */
bool gb_json_put_text(cJSON *object, const char *name, const char *text);

/* NAN and the infinities become null. */
bool gb_json_put_number(cJSON *object, const char *name, double value);

/* A number, or beyond 2^52 in magnitude (from where cJSON's printing may be off by one) a string
 * of digits. */
bool gb_json_put_int(cJSON *object, const char *name, int64_t value);

bool gb_json_put_bool(cJSON *object, const char *name, bool value);

/* Put item, which may be NULL (then false), under name; owns item in either case. */
bool gb_json_put(cJSON *object, const char *name, cJSON *item);

/* Append; as above. */
bool gb_json_append(cJSON *array, cJSON *item);
bool gb_json_append_text(cJSON *array, const char *text);
bool gb_json_append_number(cJSON *array, double value);

/* The member at the path, or NULL. */
cJSON *gb_json_at(const cJSON *object, const char *path);

/* Its value; NAN or NULL if it is absent or of another type. */
double gb_json_number(const cJSON *object, const char *path);
const char *gb_json_text(const cJSON *object, const char *path);

/* Print the document, indented; false, and nothing, if memory ran out.  Errors of the stream are
 * the caller's to look for. */
bool gb_json_print(FILE *file, const cJSON *document);

#endif
