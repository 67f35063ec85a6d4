/* container.c -- a table of first bytes, and unpacking.
 *
 * The unpacked size is not known in advance, so address space for the most that is allowed is
 * reserved without memory, and the rest is given back.
 */
#include "datasets/reading/container.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "common/memory.h"
#include "common/text.h"
#include "datasets/reading/notes.h"

/* ---- known formats ------------------------------------------------------------------------ */

static const struct {
	size_t at; /* where the bytes are */
	const char *bytes, *name;
} magics[] = {
	{ 0, "\x93NUMPY", "a NumPy array" },
	{ 0, "PK\3\4", "a zip archive (.zip, .npz): unpack it first" },
	{ 0, "\x1f\x8b\x08", "packed with gzip, cut off or twice: unpack it first" },
	{ 0, "BZh", "packed with bzip2: unpack it first" },
	{ 0, "\x04\x22\x4d\x18", "packed with lz4: unpack it first" },
	{ 0, "\3757zXZ", "packed with xz: unpack it first" },
	{ 0, "7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it first" },
	{ 257, "ustar", "a tar archive: unpack it first" },
	{ 0, "\x89HDF\r\n\x1a\n", "an HDF5 file" },
	{ 0, "MATLAB ", "a MATLAB file" },
	{ 0, "PAR1", "a Parquet file" },
	{ 0, "\x89PNG\r\n\x1a\n", "a PNG picture" },
	{ 0, "glTF", "a binary glTF scene" },
	{ 0, "Kaydara FBX Binary", "an FBX scene" },
	{ 0, "LASF", "a LAS point cloud" },
	{ 0, "# .PCD", "a PCD point cloud" },
	{ 0, "# vtk DataFile", "a VTK file" },
	{ 0, "solid ", "an STL mesh" },
	{ 0, "OFF\n", "an OFF file: convert it to PLY or OBJ first" },
	{ 0, "ply\n", "a PLY file" },
	{ 0, "ply\r", "a PLY file" },
	{ 0, "%%MatrixMarket", "a Matrix Market file" },
	{ 0, "AdjacencyGraph", "an adjacency graph of Ligra or GBBS" },
	{ 0, "WeightedAdjacencyGraph", "an adjacency graph of Ligra or GBBS" },
	{ 0, "*Vertices", "a Pajek network" },
	{ 0, "*Network", "a Pajek network" },
	{ 0, "Creator", "a GML graph" },
	{ 0, "graph", "a GML or DOT graph" },
	{ 0, "digraph", "a DOT graph" },
	{ 0, "strict ", "a DOT graph" },
	{ 0, "dl ", "a DL file of UCINET" },
	{ 0, "%PDF", "a PDF document" },
	{ 0, "SQLite format 3", "an SQLite database" },
	{ 0, "\xff\xd8\xff", "a JPEG picture" },
	{ 0, "\x7f\x45LF", "a program (ELF)" },
	{ 0, "ARROW1", "an Arrow file" },
	{ 0, "SIMPLE  =", "a FITS file" },
	{ 4, "HEAD", "a Gadget snapshot" },
	{ 0, "{", "a JSON document" },
	{ 0, "[", "a JSON document" },
	{ 0, "<", "an XML or HTML document" },
	{ 0, "version https://git-lfs", "a pointer of Git LFS: fetch the file itself" },
};

bool gb_container_is_utf16(const char *bytes, size_t size)
{
	const unsigned char *byte = (const unsigned char *)bytes;
	const bool big = size >= 2 && byte[0] == 0xfe && byte[1] == 0xff;
	const bool marked = big || (size >= 2 && byte[0] == 0xff && byte[1] == 0xfe);
	const size_t high = big ? 0 : 1, last = size < 64 ? size : 64;

	for (size_t i = marked ? 2 : 0; i + 1 < last; i += 2)
		if (byte[i + high] || byte[i + 1 - high] < '\t' || byte[i + 1 - high] > '~')
			return false;
	return last >= 8 && size % 2 == 0;
}

const char *gb_container_name(const char *bytes, size_t size)
{
	size_t least = 1;

	/* Raw numbers may begin with the one or two characters of a format of text. */
	for (size_t i = 0; i < size && i < 64; i++)
		if (iscntrl((unsigned char)bytes[i]) && !isspace((unsigned char)bytes[i]))
			least = 3;
	for (size_t i = 0; i < GB_COUNT(magics); i++) {
		const size_t at = magics[i].at, length = strlen(magics[i].bytes);

		if (length >= least && size >= at + length &&
		    strncasecmp(bytes + at, magics[i].bytes, length) == 0)
			return magics[i].name;
	}
	return gb_container_is_utf16(bytes, size) ? "UTF-16 text: convert it to UTF-8 first" : NULL;
}

/* ---- mappings ----------------------------------------------------------------------------- */

size_t gb_mapped_bytes(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return size / page * page + page;
}

/* ---- unpacking ---------------------------------------------------------------------------- */

/* Packed bytes and the room for the unpacked ones.  `damage` is what is wrong with the packed
 * ones; an end without it and without `done` means that the room is full. */
struct unpacking {
	const char *begin, *from, *end;
	char *to;
	size_t room, size;
	bool done;
	const char *damage;
};

enum { STEP = 1 << 24 };

static size_t at_most(size_t bytes)
{
	return bytes < STEP ? bytes : STEP;
}

static void report(const struct unpacking *u)
{
	gb_reader_progress((double)(u->from - u->begin) / (double)(u->end - u->begin));
}

static bool is_gzip(const char *at, const char *end)
{
	return end - at >= 18 && memcmp(at, "\x1f\x8b\x08", 3) == 0 && !(at[3] & 0xe0);
}

/* Unpack the members of a gzip file, which follow each other. */
static void unpack_gzip(struct unpacking *u)
{
	z_stream s = { 0 };
	int code = inflateInit2(&s, 15 + 16);

	while (code == Z_OK && u->size < u->room) {
		s.next_in = (const unsigned char *)u->from;
		s.avail_in = (unsigned)at_most((size_t)(u->end - u->from));
		s.next_out = (unsigned char *)u->to + u->size;
		s.avail_out = (unsigned)at_most(u->room - u->size);
		code = inflate(&s, Z_NO_FLUSH);
		u->from = (const char *)s.next_in;
		u->size = (size_t)(s.next_out - (unsigned char *)u->to);
		report(u);
		if (code == Z_STREAM_END) {
			u->done = !is_gzip(u->from, u->end);
			if (u->done)
				break;
			code = inflateReset(&s);
		}
	}
	if (code == Z_BUF_ERROR)
		u->damage = "the packed data ends too early";
	else if (code == Z_MEM_ERROR)
		u->damage = "too little memory to unpack it";
	else if (code != Z_OK && code != Z_STREAM_END)
		u->damage = s.msg ? s.msg : "the packed data is damaged";
	(void)inflateEnd(&s);
}

/* The part of libzstd's interface that is used; it is loaded if it is there. */
struct buffer {
	void *bytes;
	size_t size, at;
};
struct zstd {
	void *(*create)(void);
	size_t (*decompress)(void *stream, struct buffer *to, struct buffer *from);
	unsigned (*is_error)(size_t code);
	size_t (*release)(void *stream);
};

static bool load(void *library, const char *name, void *function)
{
	void *const symbol = library ? dlsym(library, name) : NULL;

	memcpy(function, &symbol, sizeof symbol);
	return symbol;
}

static bool load_zstd(struct zstd *z)
{
	void *const library = dlopen("libzstd.so.1", RTLD_NOW);

	return load(library, "ZSTD_createDStream", &z->create) &&
	       load(library, "ZSTD_decompressStream", &z->decompress) &&
	       load(library, "ZSTD_isError", &z->is_error) &&
	       load(library, "ZSTD_freeDStream", &z->release);
}

static bool is_zstd(const char *at, const char *end)
{
	return end - at >= 8 && memcmp(at, "\x28\xb5\x2f\xfd", 4) == 0;
}

static void unpack_zstd(struct unpacking *u)
{
	struct zstd z;
	void *stream = load_zstd(&z) ? z.create() : NULL;
	size_t left = 1;

	if (!stream) {
		u->damage = "it is packed with zstd, whose library (libzstd.so.1) is not installed";
		return;
	}
	while (!u->done && u->size < u->room) {
		const size_t most = at_most((size_t)(u->end - u->from));
		struct buffer from = { NULL, most, 0 };
		struct buffer to = { u->to + u->size, at_most(u->room - u->size), 0 };

		memcpy(&from.bytes, &u->from, sizeof u->from);
		left = z.decompress(stream, &to, &from);
		u->from += from.at;
		u->size += to.at;
		report(u);
		u->done = left == 0 && !is_zstd(u->from, u->end);
		if (z.is_error(left))
			u->damage = "the packed data is damaged";
		else if (left && !from.at && !to.at)
			u->damage = "the packed data ends too early";
		if (u->damage)
			break;
	}
	(void)z.release(stream);
}

bool gb_file_is_packed(int file)
{
	char first[18] = "";
	const ssize_t got = pread(file, first, sizeof first, 0);

	return got > 0 && (is_gzip(first, first + got) || is_zstd(first, first + got));
}

/* The bytes that the unpacked file may have. */
static size_t room_for(size_t size)
{
	const size_t limit = gb_memory_limit();
	const uint64_t available = gb_memory_available();
	const size_t most = limit ? limit : GB_READER_BASE + GB_CONTAINER_MULTIPLE * size;

	return most < available ? most : (size_t)available;
}

/* Replace the mapping by that of the unpacked bytes, which a newline follows. */
static void replace(const struct unpacking *u, char **bytes, size_t *size)
{
	const size_t kept = gb_mapped_bytes(u->size), reserved = gb_mapped_bytes(u->room);
	char text[GB_TEXT_MAX];

	if (kept < reserved)
		(void)munmap(u->to + kept, reserved - kept);
	gb_reader_tell("unpacked to %s", gb_text_bytes(text, (double)u->size));
	if (u->from < u->end)
		gb_reader_note("%td bytes after the packed data ignored", u->end - u->from);
	(void)munmap(*bytes, gb_mapped_bytes(*size));
	*bytes = u->to;
	*size = u->size;
	u->to[u->size] = '\n';
}

enum gb_status gb_container_unpack(const char *path, char **bytes, size_t *size,
				   struct gb_error *err)
{
	struct unpacking u = { .begin = *bytes, .from = *bytes, .end = *bytes + *size };
	const bool gzip = is_gzip(u.from, u.end);
	char text[GB_TEXT_MAX];

	if (!gzip && !is_zstd(u.from, u.end))
		return GB_OK;
	u.room = room_for(*size);
	u.to = mmap(NULL, gb_mapped_bytes(u.room), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (u.to == MAP_FAILED)
		return gb_fail(err, GB_EMEMORY, "%s: %s", path, strerror(errno));
	(gzip ? unpack_gzip : unpack_zstd)(&u);
	if (u.done && !u.damage) {
		replace(&u, bytes, size);
		return GB_OK;
	}
	(void)munmap(u.to, gb_mapped_bytes(u.room));
	if (u.damage)
		return gb_fail(err, GB_EUSAGE, "%s: %s", path, u.damage);
	return gb_fail(err, GB_EUSAGE,
		       "%s: %zu packed bytes unpack to more than the %s of memory that is allowed: "
		       "see --memory",
		       path, *size, gb_text_bytes(text, (double)u.room));
}
