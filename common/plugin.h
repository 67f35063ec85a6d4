/* plugin.h -- what a plug-in needs: variants compiled outside this repository.
 *
 * A plug-in is a shared object that defines one table with GB_PLUGIN().  `gpubench radix
 * --plugin=mine.so` lists, verifies and times its variants like the program's own, as cpu/NAME or
 * cuda/NAME.  struct gb_variant_ops says what a variant does, the header of each benchmark (radix.h
 * ...) what it gets and what it must put out.  In the folder of gpubench:
 *
 *	gcc -O3 -fPIC -shared -I. -Ibuild/release/generated mine.c -o mine.so
 *	nvcc -O3 -Xcompiler -fPIC -shared -I. -Ibuild/release/generated mine.cu -o mine.so
 *
 * The functions declared here and in the headers below are those of the program, which loads the
 * plug-in into its own process.  A plug-in must be compiled with the headers that the program was
 * compiled with; otherwise it is refused.
 */
#ifndef GPUBENCH_COMMON_PLUGIN_H
#define GPUBENCH_COMMON_PLUGIN_H

#include "build_info.h"
#include "common/benchmark.h"
#include "common/bfs_types.h"
#include "common/cbt_types.h"
#include "common/lbvh_types.h"
#include "common/memory.h"
#include "common/octree_types.h"
#include "common/radix_types.h"
#include "common/status.h"
#include "common/stream_types.h"
#include "common/timer.h"

#ifdef __cplusplus
extern "C" {
#endif

struct gb_plugin_variant {
	const char *benchmark; /* "radix" */
	const char *name;      /* lower-case letters, digits and hyphens: "mine" */
	enum gb_backend backend;
	const char *summary; /* one line */
	const struct gb_variant_ops *ops;
};

struct gb_plugin {
	char build[24];   /* GB_INTERFACE, which tells all headers in common/ */
	const char *name; /* as in a variant */
	const char *version;
	const struct gb_plugin_variant *variant;
	size_t count;
};

/* Define the plug-in's table: name, version, then the variants, each in braces. */
#define GB_PLUGIN(name_, version_, ...)                                               \
	static const struct gb_plugin_variant gb_plugin_variants[] = { __VA_ARGS__ }; \
	GB_PLUGIN_TABLE const struct gb_plugin gpubench_plugin = {                    \
		GB_INTERFACE, name_, version_, gb_plugin_variants,                    \
		sizeof gb_plugin_variants / sizeof *gb_plugin_variants                \
	}
#ifdef __cplusplus
#define GB_PLUGIN_TABLE extern "C" __attribute__((visibility("default")))
#else
#define GB_PLUGIN_TABLE __attribute__((visibility("default")))
#endif

/* The CUDA stream (a cudaStream_t) in which run() queues its work and reset() and upload() copy;
 * NULL, the default stream, in a build without CUDA. */
void *gb_device_stream(void);

/* Allocate bytes of device memory that are counted, poisoned and freed like gb_host_alloc()'s.  On
 * failure, return NULL with GB_EMEMORY, or GB_EUNAVAILABLE without a device. */
void *gb_device_alloc(size_t count, size_t size, struct gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
