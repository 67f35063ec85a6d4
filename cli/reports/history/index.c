/* index.c -- the only file that knows SQLite.
 *
 * The launches of a file are one blob of struct packed: reading thousands of files takes as many
 * rows, not a million. Numbers of series are the database's own; a file's runs are numbered from
 * 0, and so are its reasons, whose texts lie behind the launches. A sum over the blob tells
 * damage that SQLite does not notice.
 */
#include "cli/reports/history/index.h"

#include <stdio.h>
#include <unistd.h>

#ifdef GB_HAVE_SQLITE

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "cli/records/version.h"
#include "common/text.h"

/* Of the tables below and struct packed. */
#define FORMAT "1 " GB_VERSION

enum { BUSY_MS = 2000 };

static const char tables[] =
	"CREATE TABLE format(text TEXT);"
	"INSERT INTO format VALUES('" FORMAT "');"
	"CREATE TABLE series(id INTEGER PRIMARY KEY, key TEXT, machine TEXT, cold INTEGER,"
	" UNIQUE(key, machine, cold));"
	"CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE, size INTEGER,"
	" mtime_ns INTEGER, fault TEXT, truncated INTEGER, sum INTEGER, launches BLOB);"
	"CREATE TABLE run(file INTEGER, number INTEGER, run_id TEXT, commit_id TEXT,"
	" started INTEGER, committed INTEGER, PRIMARY KEY(file, number)) WITHOUT ROWID;"
	"CREATE TABLE reason(file INTEGER, number INTEGER, text TEXT,"
	" PRIMARY KEY(file, number)) WITHOUT ROWID;";

struct packed {
	double ns;
	uint32_t series, run, kind, reason;
};

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
		sqlite3_finalize(statement);
		return NULL;
	}
	return statement;
}

static const char *text_at(sqlite3_stmt *statement, int column)
{
	return (const char *)sqlite3_column_text(statement, column);
}

static int64_t sum_of(const void *blob, size_t size)
{
	uint64_t sum = 0xcbf29ce484222325, word;

	for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
		memcpy(&word, (const char *)blob + i, sizeof word);
		sum = (sum ^ word) * 0x100000001b3;
		sum ^= sum >> 29;
	}
	return (int64_t)(sum >> 1);
}

static sqlite3 *open_index(const char *path, int flags)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK) {
		sqlite3_close(db);
		return NULL;
	}
	sqlite3_busy_timeout(db, BUSY_MS);
	return db;
}

/* ---- loading ------------------------------------------------------------------------------ */

/* LOST: it is no such index. */
enum found { WHOLE, LOST, NO_MEMORY };

struct loading {
	sqlite3 *db;
	struct gb_store *store;
	uint32_t *series; /* by the index's number: that in the store, + 1; 0: none */
	size_t series_count;
	sqlite3_stmt *runs, *reasons;
	gb_is_wanted *wanted;
	void *closure;
	struct gb_error *err;
};

static bool has_format(sqlite3 *db)
{
	sqlite3_stmt *statement = prepare(db, "SELECT text FROM format");
	const bool has = statement && sqlite3_step(statement) == SQLITE_ROW &&
			 text_at(statement, 0) && gb_equal(text_at(statement, 0), FORMAT);

	sqlite3_finalize(statement);
	return has;
}

static enum found load_series(struct loading *l)
{
	sqlite3_stmt *s = prepare(l->db, "SELECT id, key, machine, cold FROM series ORDER BY id");
	enum found found = s ? WHOLE : LOST;
	int step = SQLITE_DONE;

	while (found == WHOLE && (step = sqlite3_step(s)) == SQLITE_ROW) {
		const int64_t id = sqlite3_column_int64(s, 0);
		uint32_t *grown;

		if (id < 1 || id > 100000000 || !text_at(s, 1) || !text_at(s, 2)) {
			found = LOST;
			break;
		}
		if ((size_t)id >= l->series_count) {
			const size_t count = 2 * (size_t)id + 64;

			grown = reallocarray(l->series, count, sizeof *grown);
			if (!grown) {
				found = NO_MEMORY;
				break;
			}
			memset(grown + l->series_count, 0,
			       (count - l->series_count) * sizeof *grown);
			l->series = grown;
			l->series_count = count;
		}
		if (gb_store_series(l->store, text_at(s, 1), text_at(s, 2),
				    sqlite3_column_int(s, 3) != 0, &l->series[id], l->err))
			found = NO_MEMORY;
		l->series[id]++;
	}
	sqlite3_finalize(s);
	return found == WHOLE && step != SQLITE_DONE ? LOST : found;
}

static enum found load_runs(struct loading *l, int64_t file, size_t number)
{
	int step;

	sqlite3_reset(l->runs);
	sqlite3_bind_int64(l->runs, 1, file);
	while ((step = sqlite3_step(l->runs)) == SQLITE_ROW) {
		const char *run_id = text_at(l->runs, 0), *commit = text_at(l->runs, 1);
		const struct gb_stored_run run = {
			.started = sqlite3_column_int64(l->runs, 2),
			.committed = sqlite3_column_int64(l->runs, 3),
			.file = number,
		};

		if (!run_id || !commit)
			return LOST;
		if (gb_store_run(l->store, &run, run_id, commit, l->err))
			return NO_MEMORY;
	}
	return step == SQLITE_DONE ? WHOLE : LOST;
}

/* The text of a reason of the file; NULL: there is none. */
static const char *reason_at(struct loading *l, int64_t file, uint32_t number)
{
	sqlite3_reset(l->reasons);
	sqlite3_bind_int64(l->reasons, 1, file);
	sqlite3_bind_int64(l->reasons, 2, number);
	return number && sqlite3_step(l->reasons) == SQLITE_ROW ? text_at(l->reasons, 0) : NULL;
}

static enum found load_launches(struct loading *l, sqlite3_stmt *s, struct gb_stored_file *file)
{
	const size_t size = (size_t)sqlite3_column_bytes(s, 7);
	const char *blob = sqlite3_column_blob(s, 7);

	if (size % sizeof(struct packed) || (size && !blob) ||
	    sqlite3_column_int64(s, 6) != sum_of(blob, size))
		return LOST;
	for (size_t i = 0; i < size; i += sizeof(struct packed)) {
		struct gb_stored_launch launch;
		struct packed p;

		memcpy(&p, blob + i, sizeof p);
		if (p.series >= l->series_count || !l->series[p.series] || p.run >= file->runs ||
		    p.kind >= GB_LAUNCH_KINDS || (p.kind == GB_LAUNCH_TIME && !(p.ns > 0)))
			return LOST;
		launch = (struct gb_stored_launch){ .ns = p.ns,
						    .series = l->series[p.series] - 1,
						    .run = (uint32_t)file->first_run + p.run,
						    .kind = p.kind };
		if (gb_store_launch(l->store, &launch,
				    p.reason ? reason_at(l, sqlite3_column_int64(s, 0), p.reason)
					     : NULL,
				    l->err))
			return NO_MEMORY;
	}
	return WHOLE;
}

static enum found load_file(struct loading *l, sqlite3_stmt *s)
{
	struct gb_stored_file *file;
	const char *path = text_at(s, 1);
	const int64_t size = sqlite3_column_int64(s, 2), mtime_ns = sqlite3_column_int64(s, 3);
	const char *fault = text_at(s, 4);
	size_t number;
	enum found found;

	if (!path)
		return LOST;
	if (!l->wanted(path, size, mtime_ns, l->closure))
		return WHOLE;
	if (gb_store_file(l->store, path, size, mtime_ns, &number, l->err))
		return NO_MEMORY;
	file = &l->store->file[number];
	file->stored = true;
	file->truncated = sqlite3_column_int(s, 5) != 0;
	if (fault && gb_store_fault(file, fault, l->err))
		return NO_MEMORY;
	file->first_run = l->store->runs;
	file->first_launch = l->store->launches;
	found = load_runs(l, sqlite3_column_int64(s, 0), number);
	file->runs = l->store->runs - file->first_run;
	if (found == WHOLE)
		found = load_launches(l, s, file);
	file->launches = l->store->launches - file->first_launch;
	return found;
}

static enum found load_files(struct loading *l)
{
	sqlite3_stmt *s = prepare(l->db, "SELECT id, path, size, mtime_ns, fault, truncated, sum,"
					 " launches FROM file ORDER BY id");
	enum found found = WHOLE;
	int step = SQLITE_DONE;

	l->runs = prepare(l->db, "SELECT run_id, commit_id, started, committed FROM run"
				 " WHERE file = ? ORDER BY number");
	l->reasons = prepare(l->db, "SELECT text FROM reason WHERE file = ? AND number = ?");
	if (!s || !l->runs || !l->reasons)
		found = LOST;
	while (found == WHOLE && (step = sqlite3_step(s)) == SQLITE_ROW)
		found = load_file(l, s);
	sqlite3_finalize(s);
	sqlite3_finalize(l->runs);
	sqlite3_finalize(l->reasons);
	return found == WHOLE && step != SQLITE_DONE ? LOST : found;
}

/* Whether there is nothing in it: another process is about to write the first tables. */
static bool is_empty(sqlite3 *db)
{
	sqlite3_stmt *statement = prepare(db, "SELECT count(*) FROM sqlite_master");
	const bool empty = statement && sqlite3_step(statement) == SQLITE_ROW &&
			   sqlite3_column_int(statement, 0) == 0;

	sqlite3_finalize(statement);
	return empty;
}

/* Begin to read.  False: not now, or not at all, for no fault of the index's. */
static bool can_read(sqlite3 *db)
{
	switch (sqlite3_exec(db, "BEGIN; SELECT 1 FROM sqlite_master", NULL, NULL, NULL)) {
	case SQLITE_OK:
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return true;
	default:
		return false;
	}
}

enum gb_status gb_index_load(const char *path, struct gb_store *store, gb_is_wanted *wanted,
			     void *closure, const char **note, struct gb_error *err)
{
	struct loading l = { .store = store, .wanted = wanted, .closure = closure, .err = err };
	enum found found = WHOLE;

	*note = NULL;
	if (access(path, F_OK))
		return GB_OK;
	l.db = open_index(path, SQLITE_OPEN_READONLY);
	if (!l.db)
		return GB_OK;
	if (!can_read(l.db) || is_empty(l.db))
		goto out;
	found = has_format(l.db) ? load_series(&l) : LOST;
	if (found == WHOLE)
		found = load_files(&l);
	if (found == LOST) {
		*note = ": the index is damaged or of another version, and made anew";
		gb_store_release(store);
		sqlite3_close(l.db);
		l.db = NULL;
		gb_index_remove(path);
	}
out:
	sqlite3_close(l.db);
	free(l.series);
	return err->code;
}

/* ---- saving ------------------------------------------------------------------------------- */

struct saving {
	sqlite3 *db;
	const struct gb_store *store;
	int64_t *series; /* by the store's number: the index's; 0: not known yet */
	sqlite3_stmt *find_series, *add_series, *remove[3], *add_file, *add_run, *add_reason;
};

static bool done(sqlite3_stmt *statement)
{
	const int step = sqlite3_step(statement);

	sqlite3_reset(statement);
	return step == SQLITE_DONE;
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text)
{
	sqlite3_bind_text(statement, place, text, -1, SQLITE_STATIC);
}

/* The index's number of a series; 0: it failed. */
static int64_t number_of(struct saving *s, uint32_t series)
{
	const struct gb_stored_series *from = &s->store->series[series];
	sqlite3_stmt *const both[] = { s->add_series, s->find_series };

	if (s->series[series])
		return s->series[series];
	for (size_t i = 0; i < 2; i++) {
		bind_text(both[i], 1, from->key);
		bind_text(both[i], 2, from->machine);
		sqlite3_bind_int(both[i], 3, from->cold);
	}
	if (done(s->add_series) && sqlite3_step(s->find_series) == SQLITE_ROW)
		s->series[series] = sqlite3_column_int64(s->find_series, 0);
	sqlite3_reset(s->find_series);
	return s->series[series];
}

/* Everything that the index has of the file. */
static bool remove_file(struct saving *s, const char *path)
{
	for (size_t i = 0; i < GB_COUNT(s->remove); i++) {
		bind_text(s->remove[i], 1, path);
		if (!done(s->remove[i]))
			return false;
	}
	return true;
}

static bool add_runs(struct saving *s, const struct gb_stored_file *file, int64_t id)
{
	for (size_t i = 0; i < file->runs; i++) {
		const struct gb_stored_run *run = &s->store->run[file->first_run + i];

		sqlite3_bind_int64(s->add_run, 1, id);
		sqlite3_bind_int64(s->add_run, 2, (int64_t)i);
		bind_text(s->add_run, 3, run->run_id);
		bind_text(s->add_run, 4, run->commit);
		sqlite3_bind_int64(s->add_run, 5, run->started);
		sqlite3_bind_int64(s->add_run, 6, run->committed);
		if (!done(s->add_run))
			return false;
	}
	return true;
}

/* The launches, packed, and their reasons as rows. */
static bool pack(struct saving *s, const struct gb_stored_file *file, struct packed *packed,
		 int64_t id)
{
	for (size_t i = 0; i < file->launches; i++) {
		const struct gb_stored_launch *l = &s->store->launch[file->first_launch + i];
		const int64_t series = number_of(s, l->series);

		if (!series)
			return false;
		packed[i] = (struct packed){ l->ns, (uint32_t)series,
					     l->run - (uint32_t)file->first_run, l->kind,
					     l->reason ? (uint32_t)i + 1 : 0 };
		if (!l->reason)
			continue;
		sqlite3_bind_int64(s->add_reason, 1, id);
		sqlite3_bind_int64(s->add_reason, 2, (int64_t)i + 1);
		bind_text(s->add_reason, 3, s->store->reason[l->reason - 1]);
		if (!done(s->add_reason))
			return false;
	}
	return true;
}

static bool add_file(struct saving *s, const struct gb_stored_file *file, int64_t id)
{
	const size_t size = file->launches * sizeof(struct packed);
	struct packed *packed = calloc(file->launches + 1, sizeof *packed);
	bool good = packed && remove_file(s, file->path) && add_runs(s, file, id) &&
		    pack(s, file, packed, id);

	if (good) {
		sqlite3_bind_int64(s->add_file, 1, id);
		bind_text(s->add_file, 2, file->path);
		sqlite3_bind_int64(s->add_file, 3, file->size);
		sqlite3_bind_int64(s->add_file, 4, file->mtime_ns);
		bind_text(s->add_file, 5, file->fault);
		sqlite3_bind_int(s->add_file, 6, file->truncated);
		sqlite3_bind_int64(s->add_file, 7, sum_of(packed, size));
		sqlite3_bind_blob64(s->add_file, 8, packed, size, SQLITE_STATIC);
		good = done(s->add_file);
	}
	free(packed);
	return good;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files of the index that the store does not have. */
static bool remove_others(struct saving *s, int64_t *last)
{
	const char **path = calloc(s->store->files + 1, sizeof *path);
	sqlite3_stmt *all = prepare(s->db, "SELECT path, id FROM file");
	bool good = path && all;

	for (size_t i = 0; good && i < s->store->files; i++)
		path[i] = s->store->file[i].path;
	if (good && s->store->files)
		qsort(path, s->store->files, sizeof *path, by_path);
	while (good && sqlite3_step(all) == SQLITE_ROW) {
		const char *there = text_at(all, 0);
		const int64_t id = sqlite3_column_int64(all, 1);

		*last = id > *last ? id : *last;
		if (there && !(s->store->files &&
			       bsearch(&there, path, s->store->files, sizeof *path, by_path)))
			good = remove_file(s, there);
	}
	sqlite3_finalize(all);
	free(path);
	return good;
}

static bool prepare_all(struct saving *s)
{
	s->series = calloc(s->store->all_series + 1, sizeof *s->series);
	s->find_series =
		prepare(s->db, "SELECT id FROM series WHERE key = ? AND machine = ? AND cold = ?");
	s->add_series =
		prepare(s->db, "INSERT OR IGNORE INTO series(key, machine, cold) VALUES(?, ?, ?)");
	s->remove[0] = prepare(s->db, "DELETE FROM run WHERE file ="
				      " (SELECT id FROM file WHERE path = ?)");
	s->remove[1] = prepare(s->db, "DELETE FROM reason WHERE file ="
				      " (SELECT id FROM file WHERE path = ?)");
	s->remove[2] = prepare(s->db, "DELETE FROM file WHERE path = ?");
	s->add_file = prepare(s->db, "INSERT INTO file VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
	s->add_run = prepare(s->db, "INSERT INTO run VALUES(?, ?, ?, ?, ?, ?)");
	s->add_reason = prepare(s->db, "INSERT INTO reason VALUES(?, ?, ?)");
	return s->series && s->find_series && s->add_series && s->remove[0] && s->remove[1] &&
	       s->remove[2] && s->add_file && s->add_run && s->add_reason;
}

static bool run_sql(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool save_all(struct saving *s)
{
	int64_t last = 0;

	if (!remove_others(s, &last))
		return false;
	for (size_t i = 0; i < s->store->files; i++)
		if (!s->store->file[i].stored && !add_file(s, &s->store->file[i], ++last))
			return false;
	return true;
}

void gb_index_save(const char *path, const struct gb_store *store)
{
	struct saving s = { .store = store };

	s.db = open_index(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	if (!s.db)
		return;
	if (run_sql(s.db, "BEGIN IMMEDIATE")) {
		const bool made = has_format(s.db) || run_sql(s.db, tables);

		(void)run_sql(s.db,
			      made && prepare_all(&s) && save_all(&s) ? "COMMIT" : "ROLLBACK");
	}
	sqlite3_finalize(s.find_series);
	sqlite3_finalize(s.add_series);
	for (size_t i = 0; i < GB_COUNT(s.remove); i++)
		sqlite3_finalize(s.remove[i]);
	sqlite3_finalize(s.add_file);
	sqlite3_finalize(s.add_run);
	sqlite3_finalize(s.add_reason);
	free(s.series);
	sqlite3_close(s.db);
}

#else

enum gb_status gb_index_load(const char *path, struct gb_store *store, gb_is_wanted *wanted,
			     void *closure, const char **note, struct gb_error *err)
{
	(void)path;
	(void)store;
	(void)wanted;
	(void)closure;
	*note = NULL;
	return err->code;
}

void gb_index_save(const char *path, const struct gb_store *store)
{
	(void)path;
	(void)store;
}

#endif

void gb_index_remove(const char *path)
{
	(void)unlink(path);
}
