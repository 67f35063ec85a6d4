#include "cli/reports/history/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/reports/history/index.h"
#include "common/text.h"

/* A record file that there is now. */
struct found {
	char *path; /* below the folder */
	int64_t size, mtime_ns;
	bool known; /* the index has it as it is */
};

struct listing {
	size_t count, room;
	struct found *found;
	bool index_is_old; /* it has a file that is gone or has changed */
};

static void release(struct listing *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->found[i].path);
	free(list->found);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

static char *join(const char *folder, const char *name)
{
	char *path;

	if (!folder[0])
		return strdup(name);
	return asprintf(&path, "%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
			name) < 0
		       ? NULL
		       : path;
}

static enum gb_status add(struct listing *list, const char *path, const struct stat *file,
			  struct gb_error *err)
{
	if (list->count == list->room) {
		const size_t room = list->room ? 2 * list->room : 64;
		struct found *grown = reallocarray(list->found, room, sizeof *grown);

		if (!grown)
			return gb_out_of_memory(err, "the files of a folder");
		list->found = grown;
		list->room = room;
	}
	list->found[list->count] = (struct found){
		.path = strdup(path),
		.size = file->st_size,
		.mtime_ns = (int64_t)file->st_mtim.tv_sec * 1000000000 + file->st_mtim.tv_nsec,
	};
	return list->found[list->count++].path ? GB_OK
					       : gb_out_of_memory(err, "the files of a folder");
}

static bool is_record_name(const char *name)
{
	static const char ending[] = ".jsonl";
	const size_t length = strlen(name), tail = sizeof ending - 1;

	return name[0] != '.' && length > tail && gb_equal(name + length - tail, ending);
}

static enum gb_status list_folder(const char *top, const char *below, struct listing *list,
				  struct gb_error *err);

/* One entry of the folder `below`. */
static enum gb_status list_entry(const char *top, const char *below, const char *name,
				 struct listing *list, struct gb_error *err)
{
	char *path = join(below, name), *whole = path ? join(top, path) : NULL;
	struct stat link, file;

	if (!whole)
		gb_out_of_memory(err, "the files of a folder");
	else if (!lstat(whole, &link) && S_ISDIR(link.st_mode))
		(void)list_folder(top, path, list, err);
	else if (is_record_name(name) && !stat(whole, &file) && S_ISREG(file.st_mode))
		(void)add(list, path, &file, err);
	free(path);
	free(whole);
	return err->code;
}

static enum gb_status list_folder(const char *top, const char *below, struct listing *list,
				  struct gb_error *err)
{
	char *whole = below[0] ? join(top, below) : strdup(top);
	DIR *folder = whole ? opendir(whole) : NULL;
	const struct dirent *entry;

	if (!whole)
		gb_out_of_memory(err, "the files of a folder");
	else if (!folder)
		gb_fail(err, GB_EUSAGE, "%.200s: cannot open: %s", whole, strerror(errno));
	while (folder && !err->code && (entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			(void)list_entry(top, below, entry->d_name, list, err);
	if (folder)
		(void)closedir(folder);
	free(whole);
	return err->code;
}

static int is_path(const void *path, const void *found)
{
	return strcmp(path, ((const struct found *)found)->path);
}

/* Whether the index's file is one of the listing, and as it was. */
static bool is_unchanged(const char *path, int64_t size, int64_t mtime_ns, void *closure)
{
	struct listing *list = closure;
	struct found *now =
		list->count ? bsearch(path, list->found, list->count, sizeof *list->found, is_path)
			    : NULL;

	if (!now || now->size != size || now->mtime_ns != mtime_ns) {
		list->index_is_old = true;
		return false;
	}
	now->known = true;
	return true;
}

static enum gb_status read_file(struct gb_store *store, const char *folder,
				const struct found *found, struct gb_error *err)
{
	struct gb_records records = { 0 };
	struct gb_error fault = { 0 };
	char *path = join(folder, found->path);
	size_t number;

	if (!path)
		gb_out_of_memory(err, NULL);
	else if (!gb_store_file(store, found->path, found->size, found->mtime_ns, &number, err)) {
		const enum gb_status status = gb_records_read(path, &records, &fault);

		store->file[number].truncated = records.truncated;
		if (status == GB_OK)
			(void)gb_store_records(store, &records, err);
		else if (status == GB_EUSAGE)
			(void)gb_store_fault(&store->file[number], fault.message, err);
		else
			gb_fail(err, status, "%s", fault.message);
	}
	gb_records_release(&records);
	free(path);
	return err->code;
}

static enum gb_status read_files(struct gb_store *store, const char *folder, const char *index,
				 struct listing *list, const char **note, struct gb_error *err)
{
	size_t known;

	if (gb_index_load(index, store, is_unchanged, list, note, err))
		return err->code;
	known = store->files;
	for (size_t i = 0; *note && i < list->count; i++)
		list->found[i].known = false;
	for (size_t i = 0; i < list->count; i++)
		if (!list->found[i].known && read_file(store, folder, &list->found[i], err))
			return err->code;
	if (store->files > known || list->index_is_old)
		gb_index_save(index, store);
	return GB_OK;
}

enum gb_status gb_folder_read(struct gb_store *store, const char *folder, bool rebuild,
			      const char **note, struct gb_error *err)
{
	struct listing list = { 0 };
	char *index = join(folder, GB_INDEX_NAME);

	*note = NULL;
	if (!index)
		gb_out_of_memory(err, NULL);
	else if (!list_folder(folder, "", &list, err)) {
		if (list.count)
			qsort(list.found, list.count, sizeof *list.found, by_path);
		if (rebuild)
			gb_index_remove(index);
		(void)read_files(store, folder, index, &list, note, err);
	}
	free(index);
	release(&list);
	return err->code;
}
