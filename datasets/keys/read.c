/* read.c -- read keys from files.
 *
 * The first bytes tell the format.  A dry run reads no raw keys.
 */
#include "datasets/keys/keys.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/memory.h"
#include "datasets/reading/npy.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "raw keys and .sg files are read without conversion: little-endian only"
#endif

struct job {
	struct radix_input *in; /* in->count: keys read */
	enum radix_type type;
	size_t key_size, limit;
	size_t found; /* keys of the file; of text, those read */
	size_t room;  /* keys allocated */
	bool headed;  /* a line before the keys, which is no number, was skipped */
};

static const char *const type_names[] = { "u8", "u16", "u32", "u64", "i32", "i64", "f32", "f64" };
_Static_assert(sizeof type_names / sizeof *type_names == RADIX_TYPES, "a name for each type");

/* Allocate the arrays for at most that many keys of the file, or for the limit if that is less. */
static enum gb_status allocate(struct job *job, struct gb_reader *r, size_t keys)
{
	struct gb_error memory = { 0 };

	job->found = keys;
	job->room = job->limit && job->limit < keys ? job->limit : keys;
	job->in->keys = gb_host_alloc(job->room, job->key_size, &memory);
	if (!job->in->keys)
		return gb_fail(r->err, memory.code, "%s, %zu keys of %zu bytes: %s", r->path,
			       job->room, job->key_size, memory.message);
	return GB_OK;
}

static void store(struct job *job, uint64_t key)
{
	memcpy((char *)job->in->keys + job->in->count++ * job->key_size, &key, job->key_size);
}

/* The largest magnitude of an integer of either sign. */
static uint64_t most_of(enum radix_type type, bool is_negative)
{
	const uint64_t most = UINT64_MAX >> (64 - 8 * radix_key_size(type));

	return type < RADIX_I32 ? (is_negative ? 0 : most) : (most >> 1) + is_negative;
}

/* ---- raw and SOSD ------------------------------------------------------------------------- */

/* The size of a key if a file of so many bytes is an SOSD file, else 0. */
static size_t sosd_key(const struct gb_reader *r, size_t bytes)
{
	uint64_t keys = 0;

	if (bytes < sizeof keys)
		return 0;
	memcpy(&keys, r->begin, sizeof keys);
	bytes -= sizeof keys;
	if (keys == 0 || bytes % keys)
		return 0;
	return bytes / keys == 4 || bytes / keys == 8 ? bytes / keys : 0;
}

static enum gb_status read_raw(struct job *job, struct gb_reader *r)
{
	const size_t bytes = (size_t)(r->end - r->begin);
	const size_t sosd = sosd_key(r, bytes), from = sosd ? sizeof(uint64_t) : 0;

	if (sosd && job->type != (sosd == 8 ? RADIX_U64 : RADIX_U32))
		return gb_reader_reject(r, " is an SOSD file of u%zu keys: see --type", 8 * sosd);
	gb_reader_is(r, sosd ? GB_FILE_SOSD : GB_FILE_KEYS, "");
	if (bytes % job->key_size)
		return gb_reader_reject(r, ": %zu bytes is not a multiple of the key size, %zu",
					bytes, job->key_size);
	if (allocate(job, r, (bytes - from) / job->key_size))
		return r->err->code;
	job->in->count = job->room;
	if (!gb_memory_is_dry())
		memcpy(job->in->keys, r->begin + from, job->room * job->key_size);
	return GB_OK;
}

/* ---- .npy --------------------------------------------------------------------------------- */

static enum gb_status read_npy(struct job *job, struct gb_reader *r)
{
	const bool is_float = job->type >= RADIX_F32;
	struct gb_npy n;

	gb_reader_is(r, GB_FILE_NPY_KEYS, "");
	if (gb_npy_open(&n, r))
		return r->err->code;
	if ((n.columns != 1 && n.rows != 1) || n.rows * n.columns == 0)
		return gb_reader_reject(
			r, ": a NumPy array of %zu x %zu numbers is not one row of keys", n.rows,
			n.columns);
	n.rows *= n.columns;
	n.columns = 1;
	if ((n.kind == 'f') != is_float || (is_float && n.size != job->key_size))
		return gb_reader_reject(r,
					": a NumPy array of type %c%u has no %s keys: see --type",
					n.kind, n.size, type_names[job->type]);
	if (allocate(job, r, n.rows))
		return r->err->code;
	while (job->in->count < job->room) {
		const uint64_t bits = gb_npy_bits(&n, job->in->count, 0);
		const bool is_negative = n.kind == 'i' && (int64_t)bits < 0;

		if (!is_float && (is_negative ? -bits : bits) > most_of(job->type, is_negative))
			return gb_reader_reject(r, ": key %zu is %.20g, no %s", job->in->count,
						gb_npy_value(&n, job->in->count, 0),
						type_names[job->type]);
		store(job, bits);
	}
	return GB_OK;
}

/* ---- text --------------------------------------------------------------------------------- */

/* Read an integer of this type and give its bits.  Returns its end, or NULL if there is none. */
static const char *read_integer(const char *at, enum radix_type type, uint64_t *bits)
{
	const bool is_negative = *at == '-';
	const uint64_t most = most_of(type, is_negative);
	const char *const first = at += is_negative || *at == '+';
	uint64_t value = 0;

	for (; gb_is_digit(*at); at++) {
		const uint64_t digit = (uint64_t)(*at - '0');

		if (digit > most || value > (most - digit) / 10)
			return NULL;
		value = 10 * value + digit;
	}
	*bits = is_negative ? -value : value;
	return at > first ? at : NULL;
}

/* Read a real number and give its bits.  A finite number beyond float's range is none. */
static const char *read_real(const char *at, enum radix_type type, uint64_t *bits)
{
	double value;
	const char *after = gb_read_number(at, &value);
	const float single = after ? (float)value : 0;

	if (!after || (type == RADIX_F32 && isinf(single) && !isinf(value)))
		return NULL;
	*bits = 0;
	if (type == RADIX_F32)
		memcpy(bits, &single, sizeof single);
	else
		memcpy(bits, &value, sizeof value);
	return after;
}

static enum gb_status read_key(struct job *job, struct gb_reader *r)
{
	uint64_t key = 0;
	const char *after =
		(job->type < RADIX_F32 ? read_integer : read_real)(r->at, job->type, &key);

	if (after && (gb_is_space(*after) || *after == ',' || *after == ';')) {
		r->at = gb_skip_blanks(after);
		r->at += *r->at == ',' || *r->at == ';';
		if (!gb_reader_line_ends(r))
			return gb_reader_fail(r, "more than one number");
		store(job, key);
		return GB_OK;
	}
	if (!job->in->count && !job->headed && isalpha((unsigned char)*r->at)) {
		gb_reader_note("header \"%.*s\" skipped", (int)strcspn(r->at, "\r\n"), r->at);
		job->headed = true;
		return GB_OK;
	}
	return gb_reader_fail_at(r, "a key", type_names[job->type], r->at, gb_skip_word(r->at));
}

static enum gb_status read_text(struct job *job, struct gb_reader *r)
{
	gb_reader_is(r, GB_FILE_TEXT_KEYS, "");
	if (gb_reader_start_text(r) || allocate(job, r, gb_count_lines(r->at, r->end)))
		return r->err->code;
	for (; job->in->count < job->room && r->at < r->end; gb_reader_next_line(r)) {
		if (!gb_reader_line_ends(r) && *r->at != '#' && read_key(job, r))
			return r->err->code;
	}
	job->found = job->in->count;
	return job->in->count ? GB_OK : gb_reader_reject(r, " has no keys");
}

/* ---- any ---------------------------------------------------------------------------------- */

static enum gb_status read_any(struct job *job, struct gb_reader *r)
{
	const bool is_npy = gb_is_npy(r);

	if (!is_npy && gb_reader_refuse(r))
		return r->err->code;
	if (!is_npy && !gb_reader_is_text(r))
		return read_raw(job, r);
	if (gb_reader_may_read(r))
		return r->err->code;
	return (is_npy ? read_npy : read_text)(job, r);
}

enum gb_status gb_keys_read(const char *path, size_t limit, struct radix_input *in,
			    struct gb_error *err)
{
	struct job job = { .in = in, .type = in->type, .key_size = in->key_size, .limit = limit };
	struct gb_reader r;

	if (gb_reader_map(&r, path, "a file of keys", err))
		return err->code;
	if (!read_any(&job, &r)) {
		gb_reader_count("keys", "key", job.found, in->count);
		if (in->count < limit)
			gb_reader_note("fewer than --count=%zu", limit);
	}
	gb_reader_close(&r);
	return err->code;
}
