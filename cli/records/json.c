/* json.c -- see json.h. */
#include "cli/records/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

char *gb_utf8_copy(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	char *copy = malloc(strlen(text) * strlen(replacement) + 1);
	char *to = copy;

	if (!copy)
		return NULL;
	while (*text) {
		const size_t length = gb_utf8_length(text);

		to = length ? mempcpy(to, text, length)
			    : mempcpy(to, replacement, strlen(replacement));
		text += length ? length : 1;
	}
	*to = '\0';
	return copy;
}

/* Put item under name; owns item even on failure.  False if item is NULL. */
static bool put(cJSON *object, const char *name, cJSON *item)
{
	if (item && object && cJSON_AddItemToObject(object, name, item))
		return true;
	cJSON_Delete(item);
	return false;
}

bool gb_json_put_text(cJSON *object, const char *name, const char *text)
{
	char *copy = text ? gb_utf8_copy(text) : NULL;
	cJSON *item = copy ? cJSON_CreateString(copy) : text ? NULL : cJSON_CreateNull();

	free(copy);
	return put(object, name, item);
}

bool gb_json_put_number(cJSON *object, const char *name, double value)
{
	return put(object, name, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

bool gb_json_append(cJSON *array, cJSON *item)
{
	if (item && array && cJSON_AddItemToArray(array, item))
		return true;
	cJSON_Delete(item);
	return false;
}

cJSON *gb_json_at(const cJSON *object, const char *path)
{
	const size_t length = strcspn(path, ".");
	cJSON *member;

	cJSON_ArrayForEach(member, object)
	{
		if (member->string && member->string[0] == path[0] &&
		    strncmp(member->string, path, length) == 0 && !member->string[length])
			return path[length] ? gb_json_at(member, path + length + 1) : member;
	}
	return NULL;
}

double gb_json_number(const cJSON *object, const char *path)
{
	const cJSON *item = gb_json_at(object, path);

	return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

const char *gb_json_text(const cJSON *object, const char *path)
{
	const cJSON *item = gb_json_at(object, path);

	return cJSON_IsString(item) ? item->valuestring : NULL;
}

bool gb_json_print(FILE *file, const cJSON *document)
{
	char *text = document ? cJSON_Print(document) : NULL;

	if (!text)
		return false;
	(void)fprintf(file, "%s\n", text);
	cJSON_free(text);
	return true;
}

void gb_json_write_text(FILE *file, const char *text)
{
	(void)fputc('"', file);
	for (size_t length; *text; text += length ? length : 1) {
		length = gb_utf8_length(text);
		if (*text == '"' || *text == '\\')
			(void)fprintf(file, "\\%c", *text);
		else if (*text > 0 && *text < ' ')
			(void)fprintf(file, "\\u%04x", (unsigned)*text);
		else if (length)
			(void)fwrite(text, 1, length, file);
		else
			(void)fputs("\xef\xbf\xbd", file);
	}
	(void)fputc('"', file);
}

void gb_json_write_number(FILE *file, double number)
{
	char text[GB_TEXT_MAX];

	(void)fputs(isfinite(number) ? gb_text_real(text, number) : "null", file);
}
