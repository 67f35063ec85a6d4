/* cub.h -- the version of CUB, for the variants that call it. */
#ifndef GPUBENCH_CUDA_RADIX_SHARED_CUB_H
#define GPUBENCH_CUDA_RADIX_SHARED_CUB_H

#include <cub/version.cuh>
#include <stdio.h>

static const char *radix_cub_library(void)
{
	static char text[32];

	(void)snprintf(text, sizeof text, "CUB %d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION,
		       CUB_SUBMINOR_VERSION);
	return text;
}

#endif
