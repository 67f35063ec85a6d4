#include "cli/records/key.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/workloads/value.h"
#include "common/text.h"

bool gb_param_applies(const struct gb_param *param, const struct gb_variant *variant)
{
	const bool serial = variant->ops && variant->ops->flags & GB_SERIAL;

	return !(param->cpu_only && variant->backend != GB_CPU) &&
	       !(serial && gb_equal(param->name, "threads"));
}

/* Paths may be longer than any buffer. */
static const char *value_text(const struct gb_param *param, const void *params, char *text,
			      size_t size)
{
	if (param->type == GB_PATH)
		return gb_value_load(param, params).s;
	gb_param_text(param, params, text, size);
	return text;
}

static char *no_memory(struct gb_error *err)
{
	gb_out_of_memory(err, "writing a record");
	return NULL;
}

char *gb_record_key(const struct gb_workload *workload, const struct gb_variant *variant,
		    const void *params, struct gb_error *err)
{
	char *key = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&key, &size);

	if (!stream)
		return no_memory(err);
	(void)fprintf(stream, "%s/%s/%s", workload->name, gb_backends[variant->backend]->name,
		      variant->name);
	for (size_t i = 0; i < workload->param_count; i++) {
		const struct gb_param *param = &workload->params[i];
		char text[256];
		const char *value = value_text(param, params, text, sizeof text);

		if (value && gb_param_applies(param, variant))
			(void)fprintf(stream, " %s=%s", param->name, value);
	}
	if (ferror(stream) | fclose(stream)) {
		free(key);
		return no_memory(err);
	}
	return key;
}
