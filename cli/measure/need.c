/* need.c -- computes the memory that a measurement would take. */
#include "cli/measure/need.h"

#include <sys/stat.h>

#include "cli/workloads/value.h"
#include "common/available.h"
#include "common/memory.h"
#include "common/text.h"

/* Files up to this size, in bytes, are read once more to compute the memory needed. */
enum { SMALL_FILE = 16 << 20 };

enum gb_status gb_need_of(struct gb_need *need, const struct gb_workload *workload,
			  const struct gb_variant *variant, const void *params, const void *input,
			  struct gb_error *err)
{
	void *state = NULL;
	void *output = NULL;

	gb_memory_mark();
	if (!variant->ops)
		gb_fail(err, GB_EUNAVAILABLE, "%s", variant->absent);
	else if (!gb_state_create(variant->ops, params, input, &state, err))
		output = gb_host_alloc(workload->output_size(params, input), 1, err);
	gb_host_free(output);
	if (variant->ops)
		gb_state_destroy(variant->ops, state);
	need->host_bytes = gb_memory_peak(GB_HOST_MEMORY);
	need->device_bytes = gb_memory_peak(GB_DEVICE_MEMORY);
	return err->code;
}

/* The same without an input, and without dry mode. */
static enum gb_status find_need(struct gb_need *need, const struct gb_workload *workload,
				const struct gb_variant *variant, const void *params,
				struct gb_error *err)
{
	const size_t host = gb_memory_used(GB_HOST_MEMORY);
	const size_t device = gb_memory_used(GB_DEVICE_MEMORY);
	void *input = NULL;

	gb_memory_set_dry(true);
	if (!workload->prepare(params, &input, err)) {
		(void)gb_need_of(need, workload, variant, params, input, err);
		/* Another point's input may be there. */
		need->host_bytes -= host;
		need->device_bytes -= device;
	}
	workload->release(input);
	gb_memory_set_dry(false);
	return err->code;
}

/* True if the point reads no file larger than SMALL_FILE. */
static bool reads_little(const struct gb_workload *workload, const void *params)
{
	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *param = &workload->params[i];
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
	const uint64_t available = gb_host_available();

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

enum gb_status gb_need_fits(struct gb_need *need, const struct gb_workload *workload,
			    const struct gb_variant *variant, const void *params, bool made,
			    uint64_t device_bytes, struct gb_error *err)
{
	struct gb_error unknown = { 0 };

	*need = (struct gb_need){ 0 };
	if (!variant->ops || !reads_little(workload, params) ||
	    (made && variant->backend == GB_CPU))
		return GB_OK;
	(void)find_need(need, workload, variant, params, &unknown);
	return gb_need_met(need, made, device_bytes, err);
}
