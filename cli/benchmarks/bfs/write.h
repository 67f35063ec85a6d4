/* write.h -- write graphs to files. */
#ifndef GPUBENCH_CLI_BENCHMARKS_BFS_WRITE_H
#define GPUBENCH_CLI_BENCHMARKS_BFS_WRITE_H

#include "common/bfs_types.h"
#include "common/status.h"

/* Write the graph as .sg or .el, by the ending of path.  GB_EIO if it cannot be written. */
enum gb_status bfs_graph_write(const struct bfs_input *input, const char *path,
			       struct gb_error *err);

#endif
