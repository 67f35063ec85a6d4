/* mixes.c -- see mixes.h. */
#include "cli/reports/versus/mixes.h"

#include <math.h>
#include <stdio.h>

#include "common/text.h"

static const struct {
	const char *name, *path;
	bool of_cpu, of_gpu; /* back ends whose times depend on it */
	bool in_gpu;         /* the path is relative to the GPU's object */
} parts[GB_MIX_PARTS] = {
	{ "CPU", "host.cpu", true, false, false },
	{ "GPU", "name", false, true, true },
	{ "host", "host.hostname", true, true, false },
	{ "commit", "tool.commit", true, true, false },
	{ "uncommitted changes", "tool.dirty", true, true, false },
	{ "build", "tool.mode", true, true, false },
	{ "compiler", "tool.compiler", true, true, false },
	{ "compiler flags", "tool.cflags", true, true, false },
	{ "nvcc", "tool.nvcc", false, true, false },
	{ "architectures", "tool.archs", false, true, false },
	{ "driver", "cuda.driver", false, true, false },
	{ "Vulkan driver", "vulkan.driver", false, true, true },
	{ "CUDA runtime", "cuda.runtime", false, true, false },
};

static struct gb_field_value part_of(const struct gb_record *record, size_t part)
{
	const struct gb_gpu *gpu = gb_run_gpu(record->run);

	if (isnan(record->time.median) ||
	    !(gb_is_cpu(record) ? parts[part].of_cpu : parts[part].of_gpu))
		return (struct gb_field_value){ 0 };
	if (parts[part].in_gpu)
		return gpu ? gb_gpu_value(gpu, parts[part].path) : (struct gb_field_value){ 0 };
	return gb_run_value(record->run, parts[part].path);
}

struct gb_versus_mix gb_versus_mix_begin(size_t column, size_t part)
{
	return (struct gb_versus_mix){ .column = column, .part = part, .name = parts[part].name };
}

void gb_versus_mix_add(struct gb_versus_mix *mix, const struct gb_record *record)
{
	const struct gb_field_value value = part_of(record, mix->part);
	size_t k = 0;

	if (!value.kind || mix->count == GB_COUNT(mix->value))
		return;
	while (k < mix->count && !gb_values_equal(mix->value[k], value))
		k++;
	if (k == mix->count)
		mix->value[mix->count++] = value;
}

char *gb_versus_mix_text(const struct gb_versus_mix *mix, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < mix->count; i++) {
		char words[128] = "...";

		if (i < GB_SETUP_VALUES)
			(void)gb_value_words(mix->value[i], words, sizeof words);
		gb_text_append(text, size, "%s%s", i ? ", " : "", words);
	}
	return text;
}
