/* json.h -- looks up members of cJSON objects, tolerating absence, and prints texts and numbers.
 *
 * A path is member names joined by dots: "time.median".
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

/* The member at the path, or NULL. */
cJSON *gb_json_at(const cJSON *object, const char *path);

/* The value of the member at the path; NAN or NULL if it is absent or of another type. */
double gb_json_number(const cJSON *object, const char *path);
const char *gb_json_text(const cJSON *object, const char *path);

/* Print a single text, in which bytes that are not UTF-8 become U+FFFD, or a number: the fewest
 * digits that read back as the same one, or null unless it is finite. */
void gb_json_write_text(FILE *file, const char *text);
void gb_json_write_number(FILE *file, double number);

#endif
