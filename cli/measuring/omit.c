/* omit.c -- see omit.h. */
#include "cli/measuring/omit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum gb_status gb_omit_add(struct gb_omit *omit, const char *key, struct gb_error *err)
{
	char **more = realloc(omit->key, (omit->count + 1) * sizeof *more);

	if (more)
		omit->key = more;
	if (!more || !(more[omit->count] = strdup(key)))
		return gb_out_of_memory(err, NULL);
	omit->count++;
	return GB_OK;
}

enum gb_status gb_omit_read(struct gb_omit *omit, struct gb_error *err)
{
	const char *path = getenv(GB_OMIT_VARIABLE);
	FILE *file = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t room = 0;

	*omit = (struct gb_omit){ 0 };
	if (path && !file)
		return gb_fail(err, GB_EUSAGE, GB_OMIT_VARIABLE "=%.200s: %s", path,
			       strerror(errno));
	while (file && !err->code && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (gb_equal(line, GB_OMIT_PEERS))
			omit->peers = true;
		else
			(void)gb_omit_add(omit, line, err);
	}
	free(line);
	if (file)
		(void)fclose(file);
	return err->code;
}

void gb_omit_release(struct gb_omit *omit)
{
	for (size_t i = 0; i < omit->count; i++)
		free(omit->key[i]);
	free(omit->key);
	*omit = (struct gb_omit){ 0 };
}

bool gb_omits_key(const struct gb_omit *omit, const char *key)
{
	for (size_t i = 0; i < omit->count; i++)
		if (gb_equal(omit->key[i], key))
			return true;
	return false;
}

bool gb_omits_variant(const struct gb_omit *omit, const struct gb_variant *variant,
		      const char *const *word, size_t words)
{
	char name[160];

	if (!omit->peers || !variant->peer)
		return false;
	(void)snprintf(name, sizeof name, "%s/%s", gb_backends[variant->backend]->name,
		       variant->name);
	for (size_t i = 0; i < words; i++)
		if (gb_equal(word[i], name))
			return false;
	return true;
}
