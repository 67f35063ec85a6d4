/* load.c -- see load.h. */
#include "cli/plugins/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "cli/plugins/process.h"
#include "cli/plugins/remote.h"
#include "cli/plugins/sha256.h"
#include "cli/plugins/worker.h"
#include "common/text.h"
#include "common/variants.h"

enum { MOST = 64 };

static struct gb_plugin_file *loaded[MOST];
static size_t loaded_count;

volatile sig_atomic_t gb_plugin_is_loading;

/* GB_EUSAGE if a variant of the file, from `first` on in the table, has the name of another. */
static enum gb_status check_names(const struct gb_plugin_file *file, size_t first,
				  struct gb_error *err)
{
	for (size_t i = first; i < gb_variant_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct gb_variant *a = &gb_variants[i], *b = &gb_variants[k];

			if (a->backend == b->backend && gb_equal(a->workload, b->workload) &&
			    gb_equal(a->name, b->name))
				return gb_fail(err, GB_EUSAGE,
					       "%.200s: %s already has a variant %s/%s", file->path,
					       a->workload, gb_backends[a->backend]->name, a->name);
		}
	return GB_OK;
}

static enum gb_status add_here(struct gb_plugin_file *file, struct gb_error *err)
{
	const struct gb_plugin *plugin;

	gb_plugin_is_loading = 1;
	plugin = gb_interrupted ? NULL : gb_plugin_open(file->path, err);
	gb_plugin_is_loading = 0;
	if (gb_interrupted)
		return gb_fail(err, GB_EINTERRUPTED, "interrupted");
	if (!plugin)
		return err->code;
	file->name = plugin->name;
	file->version = plugin->version;
	for (size_t i = 0; i < plugin->count && !err->code; i++) {
		const struct gb_plugin_variant *v = &plugin->variant[i];
		struct gb_variant_ops *ops = calloc(1, sizeof *ops);

		if (!ops)
			return gb_out_of_memory(err, "a plug-in");
		memcpy(ops, v->ops, plugin->ops_size);
		(void)gb_variants_add(&(struct gb_variant){ .workload = v->workload,
							    .name = v->name,
							    .backend = v->backend,
							    .summary = v->summary,
							    .ops = ops,
							    .plugin = file },
				      err);
	}
	return err->code;
}

static bool is_loaded(const char *path)
{
	for (size_t i = 0; i < loaded_count; i++)
		if (gb_equal(loaded[i]->path, path))
			return true;
	return false;
}

/* Load the file whose name is the first `length` characters of `name`. */
static enum gb_status load(const char *name, size_t length, bool isolated, struct gb_error *err)
{
	struct gb_plugin_file *file = calloc(1, sizeof *file);
	const size_t first = gb_variant_count;
	struct stat info;
	char *path;

	/* Without a slash, dlopen() would search the system's folders. */
	if (!file || asprintf(&path, "%s%.*s", memchr(name, '/', length) ? "" : "./", (int)length,
			      name) < 0) {
		free(file);
		return gb_out_of_memory(err, "a plug-in");
	}
	file->path = path;
	file->isolated = isolated;
	if (is_loaded(path))
		goto out;
	if (length == 0 || length > 400)
		gb_fail(err, GB_EUSAGE, "--plugin: expects files, separated by commas");
	else if (loaded_count == MOST)
		gb_fail(err, GB_EUSAGE, "more than %d plug-ins", MOST);
	else if (stat(path, &info))
		gb_fail(err, GB_EUSAGE, "%.200s: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		gb_fail(err, GB_EUSAGE, "%.200s: not a regular file", path);
	if (err->code || gb_sha256_file(path, file->sha256, err))
		goto out;
	loaded[loaded_count++] = file;
	if (isolated ? gb_remote_add(file, err) : add_here(file, err))
		return err->code;
	return check_names(file, first, err);
out:
	free(path);
	free(file);
	return err->code;
}

static enum gb_status load_all(const char *list, const char *end, bool isolated,
			       struct gb_error *err)
{
	while (list && !err->code) {
		const size_t length = strcspn(list, end);

		(void)load(list, length, isolated, err);
		list = list[length] ? list + length + 1 : NULL;
	}
	return err->code;
}

enum gb_status gb_plugins_load(const char *list, bool isolated, struct gb_error *err)
{
	const char *paths = getenv("GPUBENCH_PLUGINS");

	if (paths && !*paths)
		paths = NULL;
	if (!list && !paths)
		return GB_OK;
#ifndef __SANITIZE_ADDRESS__
	/* Other processes of the same user can no longer read or change this one's memory. */
	if (isolated)
		(void)prctl(PR_SET_DUMPABLE, 0);
#endif
	(void)load_all(list, ",", isolated, err);
	return load_all(paths, ":", isolated, err);
}
