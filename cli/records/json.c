#include "cli/records/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many bytes the UTF-8 character at s takes; 0 if it is malformed, overlong, a surrogate or
 * beyond U+10FFFF.  s is NUL-terminated, which stops any look ahead. */
static size_t utf8_length(const unsigned char *s)
{
	size_t length;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}

/* A string item of text with its malformed bytes replaced; NULL if memory ran out. */
static cJSON *string_item(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
	const unsigned char *from = (const unsigned char *)text;
	char *clean = malloc(strlen(text) * strlen(replacement) + 1);
	char *to = clean;
	cJSON *item;

	if (!clean)
		return NULL;
	while (*from) {
		const size_t length = utf8_length(from);

		if (length) {
			memcpy(to, from, length);
			to += length;
			from += length;
		} else {
			memcpy(to, replacement, strlen(replacement));
			to += strlen(replacement);
			from++;
		}
	}
	*to = '\0';
	item = cJSON_CreateString(clean);
	free(clean);
	return item;
}

static cJSON *number_item(double value)
{
	return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

bool gb_json_put(cJSON *object, const char *name, cJSON *item)
{
	if (item && object && cJSON_AddItemToObject(object, name, item))
		return true;
	cJSON_Delete(item);
	return false;
}

bool gb_json_put_text(cJSON *object, const char *name, const char *text)
{
	return gb_json_put(object, name, text ? string_item(text) : cJSON_CreateNull());
}

bool gb_json_put_number(cJSON *object, const char *name, double value)
{
	return gb_json_put(object, name, number_item(value));
}

bool gb_json_put_int(cJSON *object, const char *name, int64_t value)
{
	const int64_t limit = INT64_C(1) << 52;
	char digits[32];

	if (value >= -limit && value <= limit)
		return gb_json_put_number(object, name, (double)value);
	(void)snprintf(digits, sizeof digits, "%" PRId64, value);
	return gb_json_put(object, name, cJSON_CreateString(digits));
}

bool gb_json_put_bool(cJSON *object, const char *name, bool value)
{
	return gb_json_put(object, name, cJSON_CreateBool(value));
}

bool gb_json_put_flag(cJSON *object, const char *name, int value)
{
	return gb_json_put(object, name,
			   value == 0 || value == 1 ? cJSON_CreateBool(value) : cJSON_CreateNull());
}

bool gb_json_append(cJSON *array, cJSON *item)
{
	if (item && array && cJSON_AddItemToArray(array, item))
		return true;
	cJSON_Delete(item);
	return false;
}

bool gb_json_append_text(cJSON *array, const char *text)
{
	return gb_json_append(array, string_item(text));
}

bool gb_json_append_number(cJSON *array, double value)
{
	return gb_json_append(array, number_item(value));
}

const cJSON *gb_json_at(const cJSON *object, const char *path)
{
	while (object && *path) {
		const size_t length = strcspn(path, ".");
		const cJSON *member;

		if (!cJSON_IsObject(object))
			return NULL;
		cJSON_ArrayForEach(member, object)
		{
			if (member->string && strncmp(member->string, path, length) == 0 &&
			    member->string[length] == '\0')
				break;
		}
		object = member;
		path += length + (path[length] == '.');
	}
	return object;
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

bool gb_json_true(const cJSON *object, const char *path)
{
	return cJSON_IsTrue(gb_json_at(object, path));
}
