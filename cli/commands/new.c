/* new.c -- `gpubench new BENCHMARK BACKEND/NAME [FOLDER]`: writes a folder with a variant that
 * works, to be built as a plug-in.
 *
 * The files are those of examples/, embedded in the program, with the words @NAME@ ... replaced.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/plugins/worker.h"
#include "cli/workloads/registry.h"
#include "common/suggest.h"
#include "common/text.h"
#include "common/variants.h"

enum { FILES = 3, ROOM = 8192 /* mkdir() takes no path of half the length */ };

/* From embedded.S: the name and the text of each file, which is no name; an empty one ends them. */
extern const char gb_examples[];

struct wish {
	const char *benchmark, *point, *name, *folder;
	enum gb_backend backend;
	char source[80], example[16];
	struct {
		const char *from, *to;
	} file[FILES];
};

/* In the README of a CUDA variant. */
static const char executors[] =
	"Without a GPU, check it for races in the emulator, and count instructions and memory\n"
	"traffic in the PTX executor (`make install-executors` in gpubench's folder):\n\n"
	"    make race\n    make counts\n\n";

/* The text of an embedded file; "" if there is none. */
static const char *text_of(const char *name)
{
	const char *at = gb_examples;

	while (*at && !gb_equal(at, name))
		at += strlen(at) + 1;
	return *at ? at + strlen(at) + 1 : at;
}

/* Print the text with its @WORDS@ replaced. */
static void print_filled(FILE *file, const char *text, const struct wish *wish)
{
	const struct {
		const char *word, *value;
	} words[] = { { "@NAME@", wish->name },
		      { "@BENCHMARK@", wish->benchmark },
		      { "@POINT@", wish->point },
		      { "@BACKEND@", gb_backends[wish->backend]->name },
		      { "@EXECUTORS@", wish->backend == GB_CUDA ? executors : "" },
		      { "@SOURCE@", wish->source } };

	while (*text) {
		size_t i = 0;

		while (i < GB_COUNT(words) &&
		       strncmp(text, words[i].word, strlen(words[i].word)) != 0)
			i++;
		if (i < GB_COUNT(words)) {
			(void)fputs(words[i].value, file);
			text += strlen(words[i].word);
		} else {
			(void)fputc(*text++, file);
		}
	}
}

static enum gb_status write_file(const struct wish *wish, size_t i, struct gb_error *err)
{
	char path[ROOM];
	FILE *file;
	bool failed;

	(void)snprintf(path, sizeof path, "%s/%s", wish->folder, wish->file[i].to);
	file = fopen(path, "wxe");
	if (file) {
		print_filled(file, text_of(wish->file[i].from), wish);
		failed = ferror(file) != 0;
		if (fclose(file) == 0 && !failed)
			return GB_OK;
	}
	return gb_fail(err, GB_EIO, "%.200s: %s", path, strerror(errno));
}

/* Make the folder with all its files, or leave nothing. */
static enum gb_status write_folder(const struct wish *wish, struct gb_error *err)
{
	if (mkdir(wish->folder, 0777))
		return gb_fail(err, errno == EEXIST ? GB_EUSAGE : GB_EIO, "%.200s: %s",
			       wish->folder, errno == EEXIST ? "exists already" : strerror(errno));
	for (size_t i = 0; i < FILES && !err->code; i++)
		(void)write_file(wish, i, err);
	for (size_t i = 0; i < FILES && err->code; i++) {
		char path[ROOM];

		(void)snprintf(path, sizeof path, "%s/%s", wish->folder, wish->file[i].to);
		(void)unlink(path);
	}
	if (err->code)
		(void)rmdir(wish->folder);
	return err->code;
}

static enum gb_status check_benchmark(const char *name, struct gb_error *err)
{
	struct gb_suggest near = { .word = name };

	if (gb_workload_find(name))
		return GB_OK;
	for (size_t i = 0; i < gb_workload_count; i++)
		gb_suggest_offer(&near, gb_workloads[i]->name);
	return gb_fail(err, GB_EUSAGE, "'%.80s' is not a benchmark%s", name,
		       gb_suggest_text(&near, " (see gpubench list)"));
}

/* Read "cpu/mine". */
static enum gb_status read_variant(struct wish *wish, const char *word, struct gb_error *err)
{
	const bool cuda = strncmp(word, "cuda/", 5) == 0;

	if ((!cuda && strncmp(word, "cpu/", 4) != 0) || !gb_plugin_is_name(strchr(word, '/') + 1))
		return gb_fail(err, GB_EUSAGE,
			       "'%.80s': expects cpu/NAME or cuda/NAME, with a NAME of up to 47 "
			       "letters a-z, digits and hyphens",
			       word);
	wish->backend = cuda ? GB_CUDA : GB_CPU;
	wish->name = strchr(word, '/') + 1;
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].workload, wish->benchmark) &&
		    gb_variants[i].backend == wish->backend &&
		    gb_equal(gb_variants[i].name, wish->name))
			return gb_fail(err, GB_EUSAGE, "%s already has a variant %s",
				       wish->benchmark, word);
	return GB_OK;
}

static void choose_files(struct wish *wish)
{
	const char *suffix = wish->backend == GB_CUDA ? "cu" : "c";

	(void)snprintf(wish->source, sizeof wish->source, "%s.%s", wish->name, suffix);
	(void)snprintf(wish->example, sizeof wish->example, "%s.%s", wish->benchmark, suffix);
	wish->file[0].from = wish->example;
	wish->file[0].to = wish->source;
	wish->file[1].from = wish->backend == GB_CUDA ? "cuda.mk" : "cpu.mk";
	wish->file[1].to = "Makefile";
	wish->file[2].from = wish->file[2].to = "README.md";
}

static enum gb_status make(const struct gb_arguments *a, struct gb_error *err)
{
	struct wish wish = { 0 };

	if (a->word_count < 2 || a->word_count > 3)
		return gb_fail(err, GB_EUSAGE, "new takes BENCHMARK BACKEND/NAME [FOLDER]");
	wish.benchmark = a->word[0];
	if (check_benchmark(wish.benchmark, err) || read_variant(&wish, a->word[1], err))
		return err->code;
	wish.point = gb_workload_find(wish.benchmark)->small;
	wish.folder = a->word_count > 2 ? a->word[2] : wish.name;
	choose_files(&wish);
	if (!write_folder(&wish, err))
		(void)printf("%s: wrote %s, Makefile and README.md\n", wish.folder, wish.source);
	return err->code;
}

enum gb_status gb_cmd_new(int argc, char **argv, struct gb_error *err)
{
	char none;
	struct gb_arguments a = {
		.words = "BENCHMARK BACKEND/NAME [FOLDER]",
		.summary = "Write a folder, by default NAME, with a variant that works, to be "
			   "built as a plug-in and changed.  BACKEND is cpu or cuda.",
		.target = &none,
	};

	if (!gb_arguments_parse(&a, argc, argv, err) && !a.done)
		(void)make(&a, err);
	gb_arguments_release(&a);
	return err->code;
}
