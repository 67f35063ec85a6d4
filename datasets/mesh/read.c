/* read.c -- a mesh file into memory, and the pieces that its formats share (mesh_reader.h). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "datasets/mesh/reader.h"

enum gb_status gb_reader_fail(const struct gb_reader *r, const char *format, ...)
{
	char message[300];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(message, sizeof message, format, args);
	va_end(args);
	if (r->line)
		return gb_fail(r->err, GB_EUSAGE, "%s:%zu: %s", r->path, r->line, message);
	return gb_fail(r->err, GB_EUSAGE, "%s: byte %td: %s", r->path, r->at - r->begin, message);
}

/* ---- numbers ------------------------------------------------------------------------------ */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool gb_reader_line_ends(struct gb_reader *r)
{
	while (r->at < r->end && is_blank(*r->at))
		r->at++;
	return r->at == r->end || *r->at == '\n';
}

void gb_reader_next_line(struct gb_reader *r)
{
	const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));

	r->at = newline ? newline + 1 : r->end;
	r->line++;
}

/* The word at r->at, for a message; cut at 20 characters, odd ones replaced. */
static const char *word(const struct gb_reader *r, char text[24])
{
	size_t n = 0;

	while (r->at + n < r->end && n < 20 && !is_blank(r->at[n]) && r->at[n] != '\n') {
		text[n] = (char)(r->at[n] > ' ' && r->at[n] < 127 ? r->at[n] : '?');
		n++;
	}
	text[n] = 0;
	return text;
}

static bool ends_here(const struct gb_reader *r, const char *at)
{
	return at == r->end || is_blank(*at) || *at == '\n';
}

/* Any number at all: as strtod() sees it, but no hexadecimal, no "nan", no "inf". */
static bool slow_number(const struct gb_reader *r, const char **after, double *value)
{
	const char *c = r->at;
	char text[64], *stop;
	size_t n = 0;

	while (c + n < r->end && n < sizeof text - 1 && strchr("+-.0123456789eE", c[n]) && c[n]) {
		text[n] = c[n];
		n++;
	}
	text[n] = 0;
	*value = strtod(text, &stop);
	*after = c + n;
	return n > 0 && *stop == 0;
}

/* Up to 15 digits and a small power of ten make an exactly rounded double by one operation. */
static bool fast_number(const struct gb_reader *r, const char **after, double *value)
{
	static const double power[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	const char *c = r->at;
	const bool negative = *c == '-';
	uint64_t digits = 0;
	int count = 0, exponent = 0, written = 0;

	c += *c == '-' || *c == '+';
	for (; *c >= '0' && *c <= '9' && count < 16; c++, count++)
		digits = 10 * digits + (uint64_t)(*c - '0');
	if (*c == '.')
		for (c++; *c >= '0' && *c <= '9' && count < 16; c++, count++, exponent--)
			digits = 10 * digits + (uint64_t)(*c - '0');
	if (count == 0 || count > 15)
		return false;
	if (*c == 'e' || *c == 'E') {
		const bool down = c[1] == '-';

		c += 1 + (c[1] == '-' || c[1] == '+');
		if (*c < '0' || *c > '9')
			return false;
		for (; *c >= '0' && *c <= '9' && written < 1000; c++)
			written = 10 * written + (*c - '0');
		exponent += down ? -written : written;
	}
	if (exponent < -22 || exponent > 22)
		return false;
	*value =
		exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
	*value = negative ? -*value : *value;
	*after = c;
	return true;
}

enum gb_status gb_reader_number(struct gb_reader *r, const char *what, double *value)
{
	const char *after;
	char text[24];

	if (gb_reader_line_ends(r))
		return gb_reader_fail(r, "the line ends where %s should be", what);
	if ((!fast_number(r, &after, value) || !ends_here(r, after)) &&
	    (!slow_number(r, &after, value) || !ends_here(r, after)))
		return gb_reader_fail(r, "%s is no number: %s", what, word(r, text));
	r->at = after;
	return GB_OK;
}

enum gb_status gb_reader_integer(struct gb_reader *r, const char *what, int64_t *value)
{
	const char *c;
	char text[24];
	int digits = 0;

	if (gb_reader_line_ends(r))
		return gb_reader_fail(r, "the line ends where %s should be", what);
	c = r->at + (*r->at == '-' || *r->at == '+');
	*value = 0;
	for (; *c >= '0' && *c <= '9' && digits < 19; c++, digits++)
		*value = digits < 18 ? 10 * *value + (*c - '0') : *value;
	if (digits == 0 || digits > 18 || (!ends_here(r, c) && *c != '/'))
		return gb_reader_fail(r, "%s is no integer: %s", what, word(r, text));
	if (*r->at == '-')
		*value = -*value;
	r->at = c;
	return GB_OK;
}

enum gb_status gb_reader_coordinate(const struct gb_reader *r, double value, float *out)
{
	if (!(fabs(value) <= (double)LBVH_COORDINATE_MAX))
		return gb_reader_fail(r, "a coordinate is %g: they are finite and at most %g",
				      value, (double)LBVH_COORDINATE_MAX);
	*out = (float)value + 0.0f; /* no -0 */
	return GB_OK;
}

enum gb_status gb_reader_alloc(const struct gb_reader *r, size_t vertices, size_t triangles,
			       struct gb_mesh *mesh)
{
	struct gb_error memory = { 0 };

	if (triangles == 0)
		return gb_fail(r->err, GB_EUSAGE, "%s has no faces", r->path);
	if (triangles > LBVH_PRIMITIVES_MAX || vertices > UINT32_MAX)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s has %zu triangles and %zu vertices: at most %" PRIu32
			       " and %" PRIu32 " can be numbered",
			       r->path, triangles, vertices, LBVH_PRIMITIVES_MAX, UINT32_MAX);
	mesh->count = triangles;
	mesh->vertex_count = vertices;
	mesh->vertex = gb_host_alloc(3 * vertices + 4, sizeof *mesh->vertex, &memory);
	if (mesh->vertex)
		mesh->triangle = gb_host_alloc(3 * triangles, sizeof *mesh->triangle, &memory);
	if (!mesh->vertex || !mesh->triangle)
		return gb_fail(r->err, memory.code, "%s, %zu triangles: %s", r->path, triangles,
			       memory.message);
	memset(mesh->vertex + 3 * vertices, 0, 4 * sizeof *mesh->vertex);
	return GB_OK;
}

/* ---- files -------------------------------------------------------------------------------- */

static enum gb_status read_bytes(int file, const char *path, char *buffer, size_t bytes,
				 struct gb_error *err)
{
	const size_t most = (size_t)1 << 30;

	for (size_t done = 0; done < bytes;) {
		const size_t want = bytes - done < most ? bytes - done : most;
		const ssize_t got = read(file, buffer + done, want);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return gb_fail(err, GB_EUSAGE, "%s: %s at byte %zu", path, strerror(errno),
				       done);
		if (got == 0)
			return gb_fail(err, GB_EUSAGE, "%s ended at byte %zu of %zu", path, done,
				       bytes);
		done += (size_t)got;
	}
	return GB_OK;
}

/* The open file in memory with a 0 behind it. */
static enum gb_status load(int file, const char *path, char **buffer, size_t *bytes,
			   struct gb_error *err)
{
	struct gb_error memory = { 0 };
	struct stat info;

	if (fstat(file, &info))
		return gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	if (S_ISDIR(info.st_mode))
		return gb_fail(err, GB_EUSAGE, "%s is a directory, not a mesh", path);
	if (!S_ISREG(info.st_mode))
		return gb_fail(err, GB_EUSAGE, "%s is not a regular file", path);
	*bytes = (size_t)info.st_size;
	*buffer = gb_host_alloc(*bytes + 1, 1, &memory);
	if (!*buffer)
		return gb_fail(err, memory.code, "%s, %zu bytes: %s", path, *bytes, memory.message);
	(*buffer)[*bytes] = 0;
	return read_bytes(file, path, *buffer, *bytes, err);
}

static bool has_ending(const char *path, const char *ending)
{
	const size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

enum gb_status gb_mesh_read(const char *path, struct gb_mesh *mesh, struct gb_error *err)
{
	const bool ply = has_ending(path, ".ply"), obj = has_ending(path, ".obj");
	char *buffer = NULL;
	size_t bytes = 0;
	int file;

	*mesh = (struct gb_mesh){ 0 };
	if (!ply && !obj)
		return gb_fail(err, GB_EUSAGE,
			       "%s is neither a generated scene nor a .ply or .obj file", path);
	/* O_NONBLOCK: opening a pipe without a writer must not hang. */
	file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		return gb_fail(err, GB_EUSAGE, "%s: %s", path, strerror(errno));
	if (!load(file, path, &buffer, &bytes, err)) {
		struct gb_reader r = { path, buffer, buffer, buffer + bytes, 1, err };

		(void)(ply ? gb_mesh_read_ply(&r, mesh) : gb_mesh_read_obj(&r, mesh));
	}
	(void)close(file);
	gb_host_free(buffer);
	if (err->code)
		gb_mesh_release(mesh);
	return err->code;
}
