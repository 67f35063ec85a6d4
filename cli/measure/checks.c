/* checks.c -- see checks.h. */
#include "cli/measure/checks.h"

#include <sys/stat.h>

#include "common/memory.h"
#include "common/text.h"

/* ---- the files that a sweep writes beside its records ------------------------------------- */

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
	for (size_t i = 0; i < sweep->benchmark->param_count; i++) {
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

static enum gb_status check_written(const struct gb_request *request, const struct gb_sweep *sweep,
				    const char *option, const char *path, struct gb_error *err)
{
	/* Repetitions after the first find the file that the first one wrote. */
	const bool known = request->target.overwrite || request->target.resume ||
			   request->repeats.repetition > 0;
	struct stat info;

	if (check_reads(sweep, option, path, err))
		return err->code;
	if (request->target.path && same_file(path, request->target.path))
		return gb_fail(err, GB_EUSAGE, "--%s=%.200s is the file of --output", option, path);
	if (!known && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
		return gb_fail(err, GB_EUSAGE, "--%s: %s exists: --overwrite replaces it", option,
			       path);
	return GB_OK;
}

enum gb_status gb_check_paths(const struct gb_request *request, const struct gb_sweep *sweep,
			      struct gb_error *err)
{
	if (request->target.path && check_reads(sweep, "output", request->target.path, err))
		return err->code;
	for (size_t i = 0; i < sweep->benchmark->param_count; i++) {
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

/* ---- the memory that a measurement takes -------------------------------------------------- */

/* Files up to this size, in bytes, are read once more to compute the memory needed. */
enum { SMALL_FILE = 16 << 20 };

enum gb_status gb_need_of(struct gb_need *need, const struct gb_result *r, const void *input,
			  struct gb_error *err)
{
	const struct gb_variant *variant = r->variant;
	void *state = NULL, *output = NULL;

	gb_memory_mark();
	if (!variant->ops)
		gb_fail(err, GB_EUNAVAILABLE, "%s", variant->absent);
	else if (!gb_state_create(variant->ops, r->params, input, &state, err))
		output = gb_host_alloc(r->benchmark->output_size(r->params, input), 1, err);
	gb_host_free(output);
	if (variant->ops)
		gb_state_destroy(variant->ops, state);
	need->host_bytes = gb_memory_peak(GB_HOST_MEMORY);
	need->device_bytes = gb_memory_peak(GB_DEVICE_MEMORY);
	return err->code;
}

/* The same without an input, and without dry mode. */
static enum gb_status find_need(struct gb_need *need, const struct gb_result *r,
				struct gb_error *err)
{
	const size_t host = gb_memory_used(GB_HOST_MEMORY);
	const size_t device = gb_memory_used(GB_DEVICE_MEMORY);
	void *input = NULL;

	gb_memory_set_dry(true);
	if (!r->benchmark->prepare(r->params, &input, err)) {
		(void)gb_need_of(need, r, input, err);
		/* Another point's input may be there. */
		need->host_bytes -= host;
		need->device_bytes -= device;
	}
	r->benchmark->release(input);
	gb_memory_set_dry(false);
	return err->code;
}

/* True if the point reads no file larger than SMALL_FILE. */
static bool reads_little(const struct gb_benchmark *benchmark, const void *params)
{
	for (size_t i = 0; i < benchmark->param_count; i++) {
		const struct gb_param *param = &benchmark->params[i];
		struct stat info;
		const char *path;

		if (param->type != GB_PATH || param->written)
			continue;
		path = gb_value_load(param, params).s;
		if (path && !stat(path, &info) && info.st_size > SMALL_FILE)
			return false;
	}
	return true;
}

enum gb_status gb_need_met(const struct gb_need *need, bool made, uint64_t device_bytes,
			   struct gb_error *err)
{
	char wanted[GB_TEXT_MAX], there[GB_TEXT_MAX];
	const uint64_t available = gb_memory_available();

	if (device_bytes && need->device_bytes > device_bytes)
		return gb_fail(err, GB_EMEMORY, "needs %s of device memory, the GPU has %s",
			       gb_text_bytes(wanted, (double)need->device_bytes),
			       gb_text_bytes(there, (double)device_bytes));
	if (made || need->host_bytes <= available)
		return GB_OK;
	return gb_fail(err, GB_EMEMORY, "needs %s of host memory, input included, %s free",
		       gb_text_bytes(wanted, (double)need->host_bytes),
		       gb_text_bytes(there, (double)available));
}

bool gb_fits(const struct gb_result *r, bool made, uint64_t device_bytes, struct gb_error *why)
{
	struct gb_error unknown = { 0 };
	struct gb_need need = { 0 };

	if (!r->variant->ops || !reads_little(r->benchmark, r->params) ||
	    (made && r->variant->backend == GB_CPU))
		return true;
	(void)find_need(&need, r, &unknown);
	return !gb_need_met(&need, made, device_bytes, why);
}
