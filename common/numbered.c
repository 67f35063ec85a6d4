#include "common/numbered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool gb_is_numbered(const char *path)
{
	return strchr(path, '#');
}

char *gb_numbered_path(const char *path, size_t number)
{
	const size_t before = strcspn(path, "#"), digits = strspn(path + before, "#");
	const size_t size = strlen(path) + 24;
	char *text = malloc(size);

	if (text)
		(void)snprintf(text, size, "%.*s%0*zu%s", (int)before, path, (int)digits, number,
			       path + before + digits);
	return text;
}
