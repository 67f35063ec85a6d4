/* paths.c -- checks the files that a sweep writes before anything is measured. */
#include "cli/measure/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (stat(a, &x) || stat(b, &y))
		return gb_equal(a, b);
	return S_ISREG(x.st_mode) && x.st_ino == y.st_ino && x.st_dev == y.st_dev;
}

/* GB_EUSAGE if the sweep reads the file that `option` writes. */
static enum gb_status check_reads(const struct gb_sweep *sweep, const char *option,
				  const char *path, struct gb_error *err)
{
	for (size_t i = 0; i < sweep->workload->param_count; i++) {
		const struct gb_axis *axis = &sweep->axis[i];

		if (axis->param->type != GB_PATH || axis->param->written)
			continue;
		for (size_t k = 0; k < axis->count; k++)
			if (axis->value[k].s && same_file(path, axis->value[k].s))
				return gb_fail(err, GB_EUSAGE,
					       "--%s=%.200s is the file that --%s reads", option,
					       path, axis->param->name);
	}
	return GB_OK;
}

/* GB_EIO if no file can be created at path. */
static enum gb_status check_place(const char *path, struct gb_error *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	struct stat info;

	if (!folder)
		return gb_out_of_memory(err, NULL);
	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(EISDIR));
	else if (access(folder, W_OK))
		gb_fail(err, GB_EIO, "cannot write %s: %s", path, strerror(errno));
	free(folder);
	return err->code;
}

static enum gb_status check_written(const struct gb_request *request, const struct gb_sweep *sweep,
				    const char *option, const char *path, struct gb_error *err)
{
	/* Launches after the first find the file that the first one wrote. */
	const bool known =
		request->target.overwrite || request->target.resume || request->repeats.launch > 0;
	struct stat info;

	if (check_reads(sweep, option, path, err) || check_place(path, err))
		return err->code;
	if (request->target.path && same_file(path, request->target.path))
		return gb_fail(err, GB_EUSAGE, "--%s=%.200s is the file of --output", option, path);
	if (!known && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
		return gb_fail(err, GB_EUSAGE, "--%s: %s exists: --overwrite replaces it", option,
			       path);
	return GB_OK;
}

enum gb_status gb_paths_check(const struct gb_request *request, const struct gb_sweep *sweep,
			      struct gb_error *err)
{
	if (request->target.path && check_reads(sweep, "output", request->target.path, err))
		return err->code;
	for (size_t i = 0; i < sweep->workload->param_count; i++) {
		const struct gb_axis *axis = &sweep->axis[i];

		if (!axis->param->written)
			continue;
		for (size_t k = 0; k < axis->count; k++)
			if (axis->value[k].s &&
			    check_written(request, sweep, axis->param->name, axis->value[k].s, err))
				return err->code;
	}
	return GB_OK;
}
