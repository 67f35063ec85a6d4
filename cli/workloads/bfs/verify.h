/* verify.h -- verifies distances and parents. */
#ifndef GPUBENCH_CLI_WORKLOADS_BFS_VERIFY_H
#define GPUBENCH_CLI_WORKLOADS_BFS_VERIFY_H

#include "common/bfs.h"

/* One search, by its number (bfs_source()).  GB_EVERIFY with what is wrong first.  Either array may be
 * NULL. */
enum gb_status bfs_verify(const struct bfs_input *in, int64_t search, const int32_t *dist,
			  const int32_t *parent, struct gb_error *err);

#endif
