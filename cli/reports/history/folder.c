/* folder.c -- see folder.h. */
#include "cli/reports/history/folder.h"

#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/records/lines.h"
#include "cli/records/output.h"
#include "cli/reports/history/scan.h"
#include "common/text.h"

/* ---- listing ------------------------------------------------------------------------------ */

/* Paths of record files, starting with the folder's own path, which the store omits. */
struct listing {
	size_t count, room;
	char **path;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum gb_status add(struct listing *list, const char *path, struct gb_error *err)
{
	if (!gb_grow(&list->path, &list->room, list->count, sizeof(char *)))
		return gb_out_of_memory(err, "the files of a folder");
	list->path[list->count] = strdup(path);
	return list->path[list->count++] ? GB_OK : gb_out_of_memory(err, "the files of a folder");
}

static bool is_record_file(const char *path)
{
	struct stat info;

	return gb_is_lines(path) && !stat(path, &info) && S_ISREG(info.st_mode);
}

static bool is_folder(const char *path)
{
	struct stat info;

	return !lstat(path, &info) && S_ISDIR(info.st_mode);
}

/* Add the record files below a folder, and folders that cannot be read: read_files() reports
 * those. */
static void list_below(const char *folder, struct listing *list, struct gb_error *err)
{
	const char *slash = folder[0] && folder[strlen(folder) - 1] == '/' ? "" : "/";
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	if (!dir)
		(void)add(list, folder, err);
	while (dir && !err->code && (entry = readdir(dir))) {
		char *path = NULL;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&path, "%s%s%s", folder, slash, entry->d_name) < 0)
			gb_out_of_memory(err, "the files of a folder");
		else if (is_record_file(path))
			(void)add(list, path, err);
		else if (is_folder(path))
			list_below(path, list, err);
		free(path);
	}
	if (dir)
		(void)closedir(dir);
}

static enum gb_status list_files(const char *folder, struct listing *list, struct gb_error *err)
{
	DIR *dir = opendir(folder);

	if (!dir)
		return gb_fail(err, GB_EUSAGE, "%.200s: cannot open: %s", folder, strerror(errno));
	(void)closedir(dir);
	list_below(folder, list, err);
	if (list->count)
		qsort(list->path, list->count, sizeof(char *), by_path);
	return err->code;
}

/* ---- threads ------------------------------------------------------------------------------ */

enum { MOST_THREADS = 256 };

static void *pass(void *gate)
{
	(void)pthread_mutex_lock(gate);
	(void)pthread_mutex_unlock(gate);
	return NULL;
}

int gb_history_threads(size_t work)
{
	pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread[MOST_THREADS];
	int wanted = omp_get_num_procs(), others = 0;

	wanted = omp_get_max_threads() < wanted ? omp_get_max_threads() : wanted;
	wanted = wanted > MOST_THREADS ? MOST_THREADS : wanted;
	wanted = work < (size_t)wanted ? (int)work : wanted;
	/* All of them must be there at once. */
	(void)pthread_mutex_lock(&gate);
	while (others < wanted - 1 && !pthread_create(&thread[others], NULL, pass, &gate))
		others++;
	(void)pthread_mutex_unlock(&gate);
	for (int i = 0; i < others; i++)
		(void)pthread_join(thread[i], NULL);
	return 1 + others;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* True if the file is too large for a record file. */
static bool is_huge(const char *path, struct gb_error *fault)
{
	const off_t most = (off_t)1 << 30;
	struct stat info;

	return !stat(path, &info) && info.st_size > most &&
	       gb_fail(fault, GB_EUSAGE, "%s: is larger than 1 GiB", path);
}

/* Read the files in parallel, and store them in the order of the list. */
static enum gb_status read_files(struct gb_store *store, const struct listing *list, size_t below,
				 struct gb_error *err)
{
#pragma omp parallel num_threads(gb_history_threads(list->count))
	{
		struct gb_scanner scanner = { 0 };

#pragma omp for ordered schedule(dynamic)
		for (size_t i = 0; i < list->count; i++) {
			const char *path = list->path[i];
			struct gb_records records = { 0 };
			struct gb_error fault = { 0 };
			const bool scanned = !is_huge(path, &fault) && gb_scan_file(&scanner, path);

			if (!scanned && !fault.code)
				(void)gb_records_read(path, &records, &fault);
#pragma omp ordered
			if (err->code == GB_OK && fault.code != GB_OK && fault.code != GB_EUSAGE)
				gb_fail(err, fault.code, "%s", fault.message);
			else if (err->code == GB_OK)
				(void)gb_store_file(store, path + below,
						    scanned ? &scanner.file : &records,
						    fault.code ? fault.message : NULL, err);
			gb_records_release(&records);
		}
		gb_scanner_release(&scanner);
	}
	return err->code;
}

enum gb_status gb_folders_read(struct gb_store *store, const char *const *folder, size_t count,
			       struct gb_error *err)
{
	for (size_t f = 0; f < count && !err->code; f++) {
		const size_t length = strlen(folder[f]);
		const size_t below = length + (length && folder[f][length - 1] != '/');
		struct listing list = { 0 };

		store->folder = f;
		if (!list_files(folder[f], &list, err))
			(void)read_files(store, &list, count > 1 ? 0 : below, err);
		for (size_t i = 0; i < list.count; i++)
			free(list.path[i]);
		free(list.path);
	}
	return err->code;
}
