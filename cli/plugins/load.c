/* load.c -- see load.h. */
#include "cli/plugins/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/benchmarks/registry.h"
#include "common/plugin.h"
#include "common/text.h"
#include "common/variants.h"

enum { MOST = 64 };

static struct gb_plugin_file *loaded[MOST];
static size_t loaded_count;

static bool is_name(const char *name)
{
	return name && *name && *name != '-' && strlen(name) < 48 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* The reason why the table cannot be used; NULL if it can. */
static const char *fault_of(const struct gb_plugin *plugin)
{
	if (!plugin)
		return "does not define gpubench_plugin (see GB_PLUGIN)";
	if (strncmp(plugin->build, GB_INTERFACE, sizeof plugin->build) != 0)
		return "was compiled with other headers than this program: compile it again";
	if (!is_name(plugin->name) || !plugin->version || !plugin->count)
		return "a plug-in needs a name, a version and a variant";
	for (size_t i = 0; i < plugin->count; i++) {
		const struct gb_plugin_variant *v = &plugin->variant[i];

		if (!v->benchmark || !gb_benchmark_find(v->benchmark))
			return "a variant is of no benchmark";
		if (!is_name(v->name) || !v->summary)
			return "a variant needs a summary and a name of letters a-z, digits and "
			       "hyphens";
		if (v->backend != GB_CPU && v->backend != GB_CUDA)
			return "the back end of a variant must be GB_CPU or GB_CUDA";
		if (!v->ops || !v->ops->state_size || !v->ops->create || !v->ops->run ||
		    !v->ops->download)
			return "a variant needs state_size, create, run and download";
	}
	return NULL;
}

static bool exists(const struct gb_plugin_variant *v)
{
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_variants[i].backend == v->backend &&
		    gb_equal(gb_variants[i].benchmark, v->benchmark) &&
		    gb_equal(gb_variants[i].name, v->name))
			return true;
	return false;
}

static enum gb_status add_variants(struct gb_plugin_file *file, const struct gb_plugin *plugin,
				   struct gb_error *err)
{
	file->name = plugin->name;
	file->version = plugin->version;
	for (size_t i = 0; i < plugin->count && !err->code; i++) {
		const struct gb_plugin_variant *v = &plugin->variant[i];

		if (exists(v))
			return gb_fail(err, GB_EUSAGE, "%.200s: %s already has a variant %s/%s",
				       file->path, v->benchmark, gb_backends[v->backend]->name,
				       v->name);
		(void)gb_variants_add(&(struct gb_variant){ .benchmark = v->benchmark,
							    .name = v->name,
							    .backend = v->backend,
							    .summary = v->summary,
							    .ops = v->ops,
							    .plugin = file },
				      err);
	}
	return err->code;
}

/* The SHA-256 of the file, by which records name it. */
static enum gb_status hash_file(struct gb_plugin_file *file, struct gb_error *err)
{
	char command[64];
	const int opened = open(file->path, O_RDONLY | O_CLOEXEC);
	FILE *sum;

	if (opened < 0)
		return gb_fail(err, GB_EUSAGE, "%.200s: %s", file->path, strerror(errno));
	(void)snprintf(command, sizeof command, "sha256sum </proc/%d/fd/%d", (int)getpid(), opened);
	sum = popen(command, "re");
	if (!sum || fscanf(sum, "%64[0-9a-f]", file->sha256) != 1)
		(void)gb_fail(err, GB_EUSAGE, "%.200s: sha256sum cannot read it", file->path);
	if (sum)
		(void)pclose(sum);
	(void)close(opened);
	return err->code;
}

/* Open the file and add its variants. */
static enum gb_status open_file(struct gb_plugin_file *file, struct gb_error *err)
{
	const struct gb_plugin *plugin;
	struct stat info;
	const char *fault;
	void *library;

	if (stat(file->path, &info))
		return gb_fail(err, GB_EUSAGE, "%.200s: %s", file->path, strerror(errno));
	if (!S_ISREG(info.st_mode))
		return gb_fail(err, GB_EUSAGE, "%.200s: not a regular file", file->path);
	if (hash_file(file, err))
		return err->code;
	library = dlopen(file->path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return gb_fail(err, GB_EUSAGE, "%.400s", dlerror());
	plugin = dlsym(library, "gpubench_plugin");
	fault = fault_of(plugin);
	if (fault)
		return gb_fail(err, GB_EUSAGE, "%.200s: %s", file->path, fault);
	return add_variants(file, plugin, err);
}

static bool is_loaded(const char *path)
{
	for (size_t i = 0; i < loaded_count; i++)
		if (gb_equal(loaded[i]->path, path))
			return true;
	return false;
}

/* Load the file whose name is the first `length` characters of `name`, once. */
static enum gb_status load(const char *name, size_t length, struct gb_error *err)
{
	struct gb_plugin_file *file = calloc(1, sizeof *file);
	char *path;

	/* Without a slash, dlopen() would search the system's folders. */
	if (!file || asprintf(&path, "%s%.*s", memchr(name, '/', length) ? "" : "./", (int)length,
			      name) < 0) {
		free(file);
		return gb_out_of_memory(err, "a plug-in");
	}
	file->path = path;
	if (length == 0 || length > 400)
		gb_fail(err, GB_EUSAGE, "--plugin: expects files, separated by commas");
	else if (loaded_count == MOST)
		gb_fail(err, GB_EUSAGE, "more than %d plug-ins", MOST);
	if (!err->code && !is_loaded(path)) {
		loaded[loaded_count++] = file; /* variants of a refused file may be in the table */
		return open_file(file, err);
	}
	free(path);
	free(file);
	return err->code;
}

static enum gb_status load_all(const char *list, const char *end, struct gb_error *err)
{
	while (list && !err->code) {
		const size_t length = strcspn(list, end);

		(void)load(list, length, err);
		list = list[length] ? list + length + 1 : NULL;
	}
	return err->code;
}

enum gb_status gb_plugins_load(const char *list, struct gb_error *err)
{
	const char *paths = getenv("GPUBENCH_PLUGINS");

	(void)load_all(list, ",", err);
	return load_all(paths && *paths ? paths : NULL, ":", err);
}
