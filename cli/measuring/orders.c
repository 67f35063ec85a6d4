/* orders.c -- see orders.h. */
#include "cli/measuring/orders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/text.h"

enum gb_status gb_orders_omit(struct gb_orders *orders, const char *key, struct gb_error *err)
{
	char **more = realloc(orders->key, (orders->count + 1) * sizeof *more);

	if (more)
		orders->key = more;
	if (!more || !(more[orders->count] = strdup(key)))
		return gb_out_of_memory(err, NULL);
	orders->count++;
	return GB_OK;
}

void gb_orders_copy(struct gb_orders *orders, struct gb_copy copy)
{
	size_t i = 0;

	while (i < orders->copies &&
	       (orders->copy[i].backend != copy.backend || orders->copy[i].threads != copy.threads))
		i++;
	if (i == GB_ORDERS_COPIES || !(copy.bytes_per_s > 0))
		return;
	if (i == orders->copies)
		orders->copy[orders->copies++] = copy;
	else if (orders->copy[i].bytes_per_s < copy.bytes_per_s)
		orders->copy[i] = copy;
}

/* Read "copy cpu 1 4e10"; false if the line is something else. */
static bool read_copy(struct gb_orders *orders, const char *line)
{
	struct gb_copy copy = { 0 };
	char backend[16];

	if (sscanf(line, "copy %15s %d %lf", backend, &copy.threads, &copy.bytes_per_s) != 3)
		return false;
	copy.backend = gb_backend_named(backend);
	if (copy.backend != GB_BACKENDS)
		gb_orders_copy(orders, copy);
	return true;
}

enum gb_status gb_orders_read(struct gb_orders *orders, struct gb_error *err)
{
	const char *path = getenv(GB_ORDERS_VARIABLE);
	FILE *file = path ? fopen(path, "re") : NULL;
	char *line = NULL;
	size_t room = 0;

	*orders = (struct gb_orders){ .given = file != NULL };
	while (file && !err->code && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (gb_equal(line, "peers"))
			orders->without_peers = true;
		else if (!read_copy(orders, line))
			(void)gb_orders_omit(orders, line, err);
	}
	free(line);
	if (file)
		(void)fclose(file);
	return err->code;
}

void gb_orders_print(FILE *file, const struct gb_orders *orders)
{
	if (orders->without_peers)
		(void)fputs("peers\n", file);
	for (size_t i = 0; i < orders->copies; i++)
		(void)fprintf(file, "copy %s %d %.9g\n", gb_backends[orders->copy[i].backend]->name,
			      orders->copy[i].threads, orders->copy[i].bytes_per_s);
	for (size_t i = 0; i < orders->count; i++)
		(void)fprintf(file, "%s\n", orders->key[i]);
}

FILE *gb_orders_give(const struct gb_orders *orders, struct gb_error *err)
{
	const int file = memfd_create("gpubench", MFD_CLOEXEC);
	FILE *stream = file < 0 ? NULL : fdopen(file, "w");
	char path[32];

	(void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (stream)
		gb_orders_print(stream, orders);
	if (stream && fflush(stream) == 0 && setenv(GB_ORDERS_VARIABLE, path, 1) == 0)
		return stream;
	gb_fail(err, GB_EIO, "cannot make a file in memory: %s", strerror(errno));
	if (stream)
		(void)fclose(stream);
	else if (file >= 0)
		(void)close(file);
	return NULL;
}

void gb_orders_release(struct gb_orders *orders)
{
	for (size_t i = 0; i < orders->count; i++)
		free(orders->key[i]);
	free(orders->key);
	*orders = (struct gb_orders){ 0 };
}

bool gb_omits_key(const struct gb_orders *orders, const char *key)
{
	for (size_t i = 0; i < orders->count; i++)
		if (gb_equal(orders->key[i], key))
			return true;
	return false;
}

bool gb_omits_variant(const struct gb_orders *orders, const struct gb_variant *variant,
		      const char *const *word, size_t words)
{
	char name[160];

	if (!orders->without_peers || !variant->peer)
		return false;
	(void)snprintf(name, sizeof name, "%s/%s", gb_backends[variant->backend]->name,
		       variant->name);
	for (size_t i = 0; i < words; i++)
		if (gb_equal(word[i], name))
			return false;
	return true;
}
