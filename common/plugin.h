/* plugin.h -- what a plug-in needs: variants compiled outside this repository.
 *
 * A plug-in is a shared object that defines one table with GB_PLUGIN().  `gpubench radix
 * --plugin=./mine.so` lists, verifies and times its variants like the program's own, as cpu/NAME or
 * cuda/NAME.  struct gb_variant_ops says what a variant does, the header of each benchmark (radix.h
 * ...) what it gets and what it must put out.
 *
 *	gcc -O3 -fPIC -shared mine.c -o mine.so
 *	nvcc -O3 -Xcompiler -fPIC -shared mine.cu -o mine.so
 *
 * The functions declared here and in the headers below are those of the program.  A plug-in runs in
 * a process of its own, with a copy of what the parameters and the input have for variants; members
 * that only the verifier or the making of the input uses are NULL or 0.
 */
#ifndef GPUBENCH_COMMON_PLUGIN_H
#define GPUBENCH_COMMON_PLUGIN_H

#include "common/bfs.h"
#include "common/cbt.h"
#include "common/lbvh.h"
#include "common/memory.h"
#include "common/octree.h"
#include "common/radix.h"
#include "common/status.h"
#include "common/stream.h"
#include "common/timer.h"
#include "common/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when a struct of this header does.  A plug-in of an earlier version still loads if
 * members were only added to struct gb_variant_ops at its end. */
enum { GB_PLUGIN_ABI = 1 };

struct gb_plugin_variant {
	const char *workload; /* "radix" */
	const char *name;     /* lower-case letters, digits and hyphens: "mine" */
	enum gb_backend backend;
	const char *summary; /* one line */
	const struct gb_variant_ops *ops;
};

struct gb_plugin {
	int abi;          /* GB_PLUGIN_ABI */
	size_t ops_size;  /* sizeof(struct gb_variant_ops) */
	const char *name; /* as in a variant */
	const char *version;
	const struct gb_plugin_variant *variant;
	size_t count;
};

/* Define the plug-in's table: name, version, then the variants, each in braces. */
#define GB_PLUGIN(name_, version_, ...)                                               \
	static const struct gb_plugin_variant gb_plugin_variants[] = { __VA_ARGS__ }; \
	GB_PLUGIN_TABLE const struct gb_plugin gpubench_plugin = {                    \
		GB_PLUGIN_ABI,                                                        \
		sizeof(struct gb_variant_ops),                                        \
		name_,                                                                \
		version_,                                                             \
		gb_plugin_variants,                                                   \
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
