/* read.c -- opens a file of a graph and hands its bytes to the reader of its kind. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"
#include "common/timer.h"
#include "datasets/graph/build.h"

/* A reader makes a list of edges, or the whole graph. */
static const struct kind {
	const char *ending;
	enum gb_status (*edges)(struct graph_edges *edges, const char *path, const char *text,
				size_t size, struct gb_error *err);
	enum gb_status (*graph)(struct bfs_input *in, const char *path, const char *bytes,
				size_t size, struct gb_error *err);
} kinds[] = {
	{ ".mtx", graph_read_mtx, NULL }, { ".el", graph_read_el, NULL },
	{ ".txt", graph_read_el, NULL },  { ".gr", graph_read_gr, NULL },
	{ ".sg", NULL, graph_read_sg },
};

static const struct kind *kind_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < GB_COUNT(kinds); i++)
		if (gb_equal(dot, kinds[i].ending))
			return &kinds[i];
	return NULL;
}

/* Map the file's *size bytes; NULL with err set. */
static void *map(const char *path, size_t *size, struct gb_error *err)
{
	/* O_NONBLOCK: opening a pipe without a writer must not hang. */
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;
	void *bytes = MAP_FAILED;

	if (file < 0 || fstat(file, &info))
		gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	else if (S_ISDIR(info.st_mode))
		gb_fail(err, GB_EUSAGE, "%s is a directory, not a graph", path);
	else if (!S_ISREG(info.st_mode))
		gb_fail(err, GB_EUSAGE, "%s is not a regular file", path);
	else if (info.st_size == 0)
		gb_fail(err, GB_EUSAGE, "%s is empty", path);
	else {
		*size = (size_t)info.st_size;
		bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
		if (bytes == MAP_FAILED)
			gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	}
	if (file >= 0)
		(void)close(file);
	return bytes == MAP_FAILED ? NULL : bytes;
}

enum gb_status graph_read(struct bfs_input *in, const char *path, struct gb_error *err)
{
	const struct kind *kind = kind_of(path);
	struct graph_edges edges = { 0 };
	double start = gb_now_ns();
	size_t size = 0;
	void *bytes;

	if (!kind)
		return gb_fail(err, GB_EUSAGE,
			       "%s: a graph is read from .mtx, .el, .txt, .gr or .sg, by the "
			       "ending of its name",
			       path);
	bytes = map(path, &size, err);
	if (!bytes)
		return err->code;
	if (kind->graph)
		(void)kind->graph(in, path, bytes, size, err);
	else
		(void)kind->edges(&edges, path, bytes, size, err);
	(void)munmap(bytes, size);
	in->generate_ns = gb_now_ns() - start;
	start = gb_now_ns();
	if (!err->code && kind->edges)
		(void)graph_from_edges(in, &edges, err);
	in->build_ns = gb_now_ns() - start;
	return err->code;
}
