#include "cli/workloads/registry.h"

#include <fnmatch.h>
#include <stdio.h>

#include "common/text.h"

extern const struct gb_workload gb_stream_workload;
extern const struct gb_workload gb_radix_workload;
extern const struct gb_workload gb_bfs_workload;
extern const struct gb_workload gb_cbt_workload;
extern const struct gb_workload gb_octree_workload;
extern const struct gb_workload gb_lbvh_workload;

const struct gb_workload *const gb_workloads[] = {
	&gb_stream_workload, &gb_radix_workload,  &gb_bfs_workload,
	&gb_cbt_workload,    &gb_octree_workload, &gb_lbvh_workload,
};
const size_t gb_workload_count = GB_COUNT(gb_workloads);

const struct gb_workload *gb_workload_find(const char *name)
{
	for (size_t i = 0; i < gb_workload_count; i++)
		if (gb_equal(gb_workloads[i]->name, name))
			return gb_workloads[i];
	return NULL;
}

bool gb_variant_matches(const struct gb_variant *variant, const char *glob)
{
	char name[64];

	(void)snprintf(name, sizeof name, "%s/%s", gb_backends[variant->backend]->name,
		       variant->name);
	return fnmatch(glob, name, 0) == 0 || fnmatch(glob, variant->name, 0) == 0;
}
