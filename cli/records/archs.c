/* archs.c -- see archs.h. */
#include "cli/records/archs.h"

#include <stdlib.h>

#include "build_info.h"
#include "common/text.h"

const char gb_archs[] = GB_ARCHS;

void gb_archs_advise(FILE *file, const struct gb_gpu_info *gpu, const char *archs)
{
	const long wanted = 10L * gpu->cc_major + gpu->cc_minor;
	char *end;

	if (!archs[0] || !gpu->number[GB_CUDA] || wanted <= 0)
		return;
	for (const char *at = archs; *at; at = end)
		if (strtol(at, &end, 10) == wanted || end == at)
			return;
	(void)fprintf(file, "gpubench: GPU %d (", gpu->id);
	gb_text_print(file, gpu->name);
	(void)fprintf(file, ") is sm_%ld, but this build is for %s", wanted, archs);
	if (gpu->code[0])
		(void)fprintf(file, " and runs %s", gpu->code);
	(void)fprintf(file, ": rebuild with `make SMS=%ld`\n", wanted);
}
