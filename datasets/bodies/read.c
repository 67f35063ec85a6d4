/* read.c -- positions from .csv, .ply and raw float32 files; see bodies.h.
 *
 * Text is read twice: once to count lines, which bounds the bodies and sizes the arrays, once to
 * parse them.  Nothing is guessed: what is not understood is reported with its place.
 */
#include "datasets/bodies/bodies.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/text.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binary files are little-endian, and are read without conversion"
#endif

/* A file under way, and what came of it so far. */
struct reader {
	const char *path;
	FILE *file;
	size_t bytes; /* of the file */
	char *line;   /* the last one read, without its end */
	size_t line_room;
	size_t line_number; /* from 1 */
	size_t limit;       /* bodies wanted; 0: all */
	size_t room, count; /* bodies: allocated, read */
	float *xyz[3];
	struct gb_error *err;
};

/* ---- what all formats share -------------------------------------------------------------- */

static enum gb_status open_file(struct reader *r)
{
	/* O_NONBLOCK: opening a pipe without a writer must not hang. */
	int file = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat info;

	if (file < 0)
		return gb_fail(r->err, GB_EUSAGE, "%s: %s", r->path, strerror(errno));
	if (fstat(file, &info)) {
		gb_fail(r->err, GB_EUSAGE, "%s: %s", r->path, strerror(errno));
	} else if (S_ISDIR(info.st_mode)) {
		gb_fail(r->err, GB_EUSAGE, "%s is a directory, not a file of bodies", r->path);
	} else if (!S_ISREG(info.st_mode)) {
		gb_fail(r->err, GB_EUSAGE, "%s is not a regular file", r->path);
	} else if (info.st_size == 0) {
		gb_fail(r->err, GB_EUSAGE, "%s is empty: no bodies", r->path);
	} else {
		r->bytes = (size_t)info.st_size;
		r->file = fdopen(file, "r");
		if (r->file)
			return GB_OK;
		gb_fail(r->err, GB_EUSAGE, "%s: %s", r->path, strerror(errno));
	}
	(void)close(file);
	return r->err->code;
}

/* Make room for `bodies` of them, or for the limit if that is less. */
static enum gb_status allocate(struct reader *r, size_t bodies)
{
	struct gb_error memory = { 0 };

	if (r->limit && r->limit < bodies)
		bodies = r->limit;
	if (!bodies)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	if (bodies > OCTREE_MAX_COUNT)
		return gb_fail(r->err, GB_EUSAGE, "%s holds %zu bodies, more than %d: see --count",
			       r->path, bodies, OCTREE_MAX_COUNT);
	for (int d = 0; d < 3; d++) {
		r->xyz[d] = gb_host_alloc(bodies, sizeof *r->xyz[d], &memory);
		if (!r->xyz[d])
			return gb_fail(r->err, memory.code, "%s, %zu bodies: %s", r->path, bodies,
				       memory.message);
	}
	r->room = bodies;
	return GB_OK;
}

/* Append a body.  A double beyond the range of float is infinite as a float. */
static enum gb_status add(struct reader *r, const double position[3])
{
	for (int d = 0; d < 3; d++) {
		float value = (float)position[d];

		if (!isfinite(value))
			return gb_fail(r->err, GB_EUSAGE,
				       "%s: %c of body %zu is %g, which is no finite float",
				       r->path, "xyz"[d], r -> count, position[d]);
		r->xyz[d][r->count] = value;
	}
	r->count++;
	return GB_OK;
}

static bool full(const struct reader *r)
{
	return r->count == r->room;
}

static enum gb_status malformed(struct reader *r, const char *what)
{
	return gb_fail(r->err, GB_EUSAGE, "%s:%zu: %s", r->path, r->line_number, what);
}

/* The next line into r->line; false at the end, or if it cannot be read or has a zero byte, which
 * err tells. */
static bool next_line(struct reader *r)
{
	ssize_t got;

	errno = 0;
	got = getline(&r->line, &r->line_room, r->file);
	if (got < 0) {
		if (ferror(r->file) || errno == ENOMEM)
			gb_fail(r->err, GB_EUSAGE, "%s: %s", r->path, strerror(errno));
		return false;
	}
	r->line_number++;
	if (memchr(r->line, '\0', (size_t)got)) {
		(void)malformed(r, "a zero byte in a line of text");
		return false;
	}
	while (got && (r->line[got - 1] == '\n' || r->line[got - 1] == '\r'))
		got--;
	r->line[got] = '\0';
	return true;
}

/* Lines of the file from here on; the position is where it was. */
static size_t count_lines(struct reader *r)
{
	const long here = ftell(r->file);
	size_t lines = 0;
	char buffer[65536];
	size_t got;
	char last = '\n';

	while ((got = fread(buffer, 1, sizeof buffer, r->file)) > 0) {
		for (const char *p = buffer; (p = memchr(p, '\n', got - (size_t)(p - buffer))); p++)
			lines++;
		last = buffer[got - 1];
	}
	if (here < 0 || fseek(r->file, here, SEEK_SET))
		gb_fail(r->err, GB_EUSAGE, "%s: %s", r->path, strerror(errno));
	return lines + (last != '\n');
}

/* A number at *text, which moves behind it and the separator that follows, at most one comma or
 * semicolon among blanks.  False, and *text unchanged, if there is none. */
static bool number(const char **text, double *value)
{
	char *end;
	const char *start = *text + strspn(*text, " \t");

	*value = strtod(start, &end);
	if (end == start || (*end && !strchr(" \t,;", *end)))
		return false;
	end += strspn(end, " \t");
	if (*end == ',' || *end == ';')
		end++;
	*text = end;
	return true;
}

/* ---- csv --------------------------------------------------------------------------------- */

/* Names of columns: a first line whose first field begins like a word. */
static bool is_heading(const char *text)
{
	return isalpha((unsigned char)*text) || *text == '_' || *text == '"';
}

static enum gb_status read_csv(struct reader *r)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	bool first = true;

	if (allocate(r, count_lines(r)) || r->err->code || gb_memory_is_dry())
		return r->err->code;
	while (!full(r) && next_line(r)) {
		const char *text = r->line;
		double position[3];
		int d = 0;

		if (r->line_number == 1 && !strncmp(text, byte_order_mark, 3))
			text += 3;
		text += strspn(text, " \t");
		if (!*text || *text == '#')
			continue;
		while (d < 3 && number(&text, &position[d]))
			d++;
		if (d == 3 && add(r, position))
			return r->err->code;
		if (d < 3 && !(first && d == 0 && is_heading(text)))
			return malformed(r, "three numbers are wanted: x,y,z");
		first = false;
	}
	if (!r->err->code && !r->count)
		return gb_fail(r->err, GB_EUSAGE, "%s holds no bodies", r->path);
	return r->err->code;
}

/* ---- ply --------------------------------------------------------------------------------- */

enum ply_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, PLY_TYPES };

/* By enum ply_type: the old and the new name. */
static const struct {
	const char *name[2];
	size_t size;
} ply_types[] = {
	{ { "char", "int8" }, 1 },     { { "uchar", "uint8" }, 1 },    { { "short", "int16" }, 2 },
	{ { "ushort", "uint16" }, 2 }, { { "int", "int32" }, 4 },      { { "uint", "uint32" }, 4 },
	{ { "float", "float32" }, 4 }, { { "double", "float64" }, 8 },
};

enum { MAX_PROPERTIES = 256 };

struct ply {
	bool binary;
	size_t vertices;
	size_t properties; /* of a vertex */
	enum ply_type type[MAX_PROPERTIES];
	size_t offset[MAX_PROPERTIES]; /* bytes from the vertex's first */
	size_t stride;
	size_t place[3]; /* which properties are x, y, z; properties: not yet met */
};

static enum ply_type find_type(const char *word)
{
	size_t t = 0;

	while (t < PLY_TYPES && !gb_equal(word, ply_types[t].name[0]) &&
	       !gb_equal(word, ply_types[t].name[1]))
		t++;
	return (enum ply_type)t;
}

static enum gb_status add_property(struct reader *r, struct ply *ply, const char *type,
				   const char *name)
{
	const size_t i = ply->properties;
	const enum ply_type t = find_type(type);

	if (gb_equal(type, "list"))
		return malformed(r, "a vertex with a list is not supported");
	if (t == PLY_TYPES)
		return malformed(r, "unknown type of a property");
	if (i == MAX_PROPERTIES)
		return malformed(r, "too many properties of a vertex");
	ply->type[i] = t;
	ply->offset[i] = ply->stride;
	ply->stride += ply_types[t].size;
	for (size_t d = 0; d < 3; d++)
		if (name[0] == "xyz"[d] && !name[1]) {
			if (ply->place[d] != MAX_PROPERTIES)
				return malformed(r, "a second property of this name");
			ply->place[d] = i;
		}
	ply->properties++;
	return GB_OK;
}

static enum gb_status read_format(struct reader *r, struct ply *ply, int words, const char *format,
				  const char *version)
{
	if (words != 3 || !gb_equal(version, "1.0"))
		return malformed(r, "\"format ascii 1.0\" or \"format binary_little_endian 1.0\" "
				    "is wanted");
	ply->binary = gb_equal(format, "binary_little_endian");
	if (!ply->binary && !gb_equal(format, "ascii"))
		return malformed(r, "unknown format: ascii and binary_little_endian are read");
	return GB_OK;
}

static enum gb_status read_element(struct reader *r, struct ply *ply, const char *name,
				   const char *count)
{
	char *end;

	if (!gb_equal(name, "vertex"))
		return malformed(r, "the first element must be vertex");
	errno = 0;
	ply->vertices = strtoull(count, &end, 10);
	if (*count < '0' || *count > '9' || *end || errno || ply->vertices > OCTREE_MAX_COUNT)
		return malformed(r, "the count of vertices makes no sense");
	return GB_OK;
}

/* The header up to and with end_header.  Elements after vertex are not looked at. */
static enum gb_status read_header(struct reader *r, struct ply *ply)
{
	int elements = 0;
	bool format = false;

	*ply = (struct ply){ .place = { MAX_PROPERTIES, MAX_PROPERTIES, MAX_PROPERTIES } };
	if (!next_line(r) || !gb_equal(r->line, "ply"))
		return r->err->code ? r->err->code
				    : malformed(r, "no .ply file: starts not with ply");
	while (next_line(r)) {
		char word[3][64] = { "", "", "" };
		int words = sscanf(r->line, "%63s %63s %63s", word[0], word[1], word[2]);

		if (words < 1 || gb_equal(word[0], "comment") || gb_equal(word[0], "obj_info"))
			continue;
		if (gb_equal(word[0], "end_header")) {
			if (!format || !elements || ply->place[0] == MAX_PROPERTIES ||
			    ply->place[1] == MAX_PROPERTIES || ply->place[2] == MAX_PROPERTIES)
				return malformed(r, "the header lacks a format, an element vertex, "
						    "or its x, y or z");
			return GB_OK;
		}
		if (gb_equal(word[0], "format")) {
			format = true;
			if (read_format(r, ply, words, word[1], word[2]))
				return r->err->code;
		} else if (gb_equal(word[0], "element") && words == 3) {
			if (!elements++ && read_element(r, ply, word[1], word[2]))
				return r->err->code;
		} else if (gb_equal(word[0], "property") && words == 3 && elements) {
			if (elements == 1 && add_property(r, ply, word[1], word[2]))
				return r->err->code;
		} else {
			return malformed(r, "not understood");
		}
	}
	return r->err->code ? r->err->code : malformed(r, "the file ends within its header");
}

static enum gb_status read_ply_text(struct reader *r, const struct ply *ply)
{
	while (!full(r) && next_line(r)) {
		const char *text = r->line;
		double position[3] = { 0 };
		size_t i = 0;
		double value;

		if (!text[strspn(text, " \t")])
			continue;
		for (; i < ply->properties && number(&text, &value); i++)
			for (int d = 0; d < 3; d++)
				if (ply->place[d] == i)
					position[d] = value;
		if (i < ply->properties)
			return malformed(r, "a number for each property of the vertex is wanted");
		if (text[strspn(text, " \t")])
			return malformed(r, "more numbers than the vertex has properties");
		if (add(r, position))
			return r->err->code;
	}
	if (!r->err->code && !full(r))
		return gb_fail(r->err, GB_EUSAGE, "%s:%zu: the file ends after %zu of %zu vertices",
			       r->path, r->line_number, r->count, ply->vertices);
	return r->err->code;
}

#define LOAD(type)                                    \
	do {                                          \
		type value_;                          \
		memcpy(&value_, from, sizeof value_); \
		return (double)value_;                \
	} while (0)

static double load(const unsigned char *from, enum ply_type type)
{
	switch (type) {
	case INT8:
		LOAD(int8_t);
	case UINT8:
		LOAD(uint8_t);
	case INT16:
		LOAD(int16_t);
	case UINT16:
		LOAD(uint16_t);
	case INT32:
		LOAD(int32_t);
	case UINT32:
		LOAD(uint32_t);
	case FLOAT32:
		LOAD(float);
	case FLOAT64:
		LOAD(double);
	case PLY_TYPES:
		break;
	}
	return 0;
}

/* Records of `ply->stride` bytes until the arrays are full. */
static enum gb_status read_binary(struct reader *r, const struct ply *ply)
{
	unsigned char record[8 * MAX_PROPERTIES];

	while (!full(r)) {
		double position[3];

		if (fread(record, ply->stride, 1, r->file) != 1)
			return gb_fail(r->err, GB_EUSAGE, "%s ends within body %zu of %zu", r->path,
				       r->count, r->room);
		for (int d = 0; d < 3; d++)
			position[d] =
				load(record + ply->offset[ply->place[d]], ply->type[ply->place[d]]);
		if (add(r, position))
			return r->err->code;
	}
	return GB_OK;
}

static enum gb_status read_ply(struct reader *r)
{
	struct ply ply;
	size_t least, most;
	long here;

	if (read_header(r, &ply))
		return r->err->code;
	here = ftell(r->file);
	if (here < 0)
		return gb_fail(r->err, GB_EUSAGE, "%s: %s", r->path, strerror(errno));
	/* Before memory is taken for a count that the file cannot hold: a number in text has a
	 * digit and, but for the last, a separator.  read_header() has seen three properties. */
	least = ply.binary ? ply.stride : 2 * ply.properties;
	most = (r->bytes - (size_t)here + !ply.binary) / (least ? least : 1);
	if (ply.vertices > most)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s:%zu: %zu vertices are announced, more than "
			       "the %zu bytes of the file can hold",
			       r->path, r->line_number, ply.vertices, r->bytes);
	if (allocate(r, ply.vertices) || gb_memory_is_dry())
		return r->err->code;
	return ply.binary ? read_binary(r, &ply) : read_ply_text(r, &ply);
}

/* ---- raw --------------------------------------------------------------------------------- */

static enum gb_status read_raw(struct reader *r)
{
	static const struct ply raw = { .properties = 3,
					.type = { FLOAT32, FLOAT32, FLOAT32 },
					.offset = { 0, 4, 8 },
					.stride = 12,
					.place = { 0, 1, 2 } };

	if (r->bytes % raw.stride)
		return gb_fail(r->err, GB_EUSAGE,
			       "%s has %zu bytes, which is no multiple of the %zu of a body's "
			       "three floats",
			       r->path, r->bytes, raw.stride);
	if (allocate(r, r->bytes / raw.stride) || gb_memory_is_dry())
		return r->err->code;
	return read_binary(r, &raw);
}

/* ---- any --------------------------------------------------------------------------------- */

static bool ends_in(const char *path, const char *end)
{
	const size_t length = strlen(path), tail = strlen(end);

	return length >= tail && !strcasecmp(path + length - tail, end);
}

enum gb_status gb_bodies_read(const char *path, size_t limit, float **x, float **y, float **z,
			      size_t *count, struct gb_error *err)
{
	struct reader r = { .path = path, .limit = limit, .err = err };

	if (!open_file(&r)) {
		if (ends_in(path, ".csv"))
			(void)read_csv(&r);
		else if (ends_in(path, ".ply"))
			(void)read_ply(&r);
		else
			(void)read_raw(&r);
		(void)fclose(r.file);
	}
	free(r.line);
	for (int d = 0; d < 3 && err->code; d++) {
		gb_host_free(r.xyz[d]);
		r.xyz[d] = NULL;
	}
	*x = r.xyz[0];
	*y = r.xyz[1];
	*z = r.xyz[2];
	*count = gb_memory_is_dry() ? r.room : r.count;
	return err->code;
}
