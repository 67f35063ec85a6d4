/* suite.c -- splits a suite file into lines and words. */
#include "cli/commands/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

enum { LARGEST = 1 << 20 }; /* characters of a file */

struct reader {
	struct gb_suite *suite;
	const char *next; /* in the file's text */
	char *out;        /* in suite->text, which takes the words */
	size_t number;    /* of the line that `next` is in */
	struct gb_error *err;
};

static enum gb_status refuse(const struct reader *r, const char *what)
{
	return gb_fail(r->err, GB_EUSAGE, "%s:%zu: %s", r->suite->path, r->number, what);
}

/* Characters that a shell would act on. */
static bool is_special(const struct reader *r, char c)
{
	char text[64];

	if (!strchr("|&;<>()$`", c))
		return false;
	(void)snprintf(text, sizeof text, "'%c' is not supported outside of quotes", c);
	(void)refuse(r, text);
	return true;
}

/* Skip blanks, escaped line ends and a comment.  True if a word follows on this line. */
static bool find_word(struct reader *r)
{
	for (;; r->next++) {
		if (*r->next == '\\' && r->next[1] == '\n') {
			r->next++;
			r->number++;
		} else if (!strchr(" \t\r", *r->next) || !*r->next) {
			break;
		}
	}
	if (*r->next == '#')
		r->next += strcspn(r->next, "\n");
	return *r->next && *r->next != '\n';
}

/* Copy the text between quotes.  In double quotes a backslash escapes \ " $ ` only. */
static void read_quoted(struct reader *r)
{
	const char quote = *r->next++;
	const size_t from = r->number;

	for (; *r->next && *r->next != quote; r->next++) {
		if (quote == '"' && *r->next == '\\' && r->next[1] &&
		    strchr("\\\"$`", r->next[1])) {
			r->next++;
		} else if (quote == '"' && strchr("$`", *r->next)) {
			(void)refuse(r, "expansions are not supported: use single quotes");
			return;
		}
		r->number += *r->next == '\n';
		*r->out++ = *r->next;
	}
	if (*r->next) {
		r->next++;
		return;
	}
	r->number = from;
	(void)refuse(r, "the quote is not closed");
}

static char *read_word(struct reader *r)
{
	char *const word = r->out;

	while (!r->err->code && *r->next && !strchr(" \t\r\n", *r->next) &&
	       !is_special(r, *r->next)) {
		if (strchr("'\"", *r->next)) {
			read_quoted(r);
		} else if (*r->next == '\\' && r->next[1]) {
			if (r->next[1] == '\n')
				r->number++;
			else
				*r->out++ = r->next[1];
			r->next += 2;
		} else {
			*r->out++ = *r->next++;
		}
	}
	*r->out++ = '\0';
	return word;
}

/* True for "gpubench" and paths that end in it. */
static bool is_program(const char *word)
{
	const char *slash = strrchr(word, '/');

	return gb_equal(slash ? slash + 1 : word, "gpubench");
}

/* Read the words of a line, which has one. */
static enum gb_status read_line(struct reader *r)
{
	struct gb_suite *suite = r->suite;
	struct gb_suite_line *line =
		reallocarray(suite->line, suite->count + 1, sizeof *suite->line);

	if (!line)
		return gb_out_of_memory(r->err, "the suite");
	suite->line = line;
	line += suite->count++;
	*line = (struct gb_suite_line){ .number = r->number };
	do {
		char **words = reallocarray(line->argv, (size_t)line->argc + 2, sizeof *words);
		char *word;

		if (!words)
			return gb_out_of_memory(r->err, "the suite");
		line->argv = words;
		word = read_word(r);
		if (line->argc > 0 || !is_program(word))
			line->argv[line->argc++] = word;
		line->argv[line->argc] = NULL;
	} while (!r->err->code && find_word(r));
	return r->err->code || line->argc ? r->err->code : refuse(r, "a command is expected");
}

static enum gb_status read_all(struct reader *r)
{
	while (*r->next && !r->err->code) {
		if (find_word(r))
			(void)read_line(r);
		if (*r->next) {
			r->next++;
			r->number++;
		}
	}
	return r->err->code;
}

/* Read the file into `text`, which has room for LARGEST and two characters, and end it with NUL. */
static enum gb_status read_text(const char *path, char *text, struct gb_error *err)
{
	FILE *file = fopen(path, "re");
	const size_t length = file ? fread(text, 1, LARGEST + 1, file) : 0;
	const bool failed = !file || ferror(file);

	text[length] = '\0';
	if (failed && errno == EINTR)
		gb_fail(err, GB_EINTERRUPTED, "interrupted");
	else if (failed)
		gb_fail(err, GB_EUSAGE, "--suite=%.200s: %s", path, strerror(errno));
	else if (strlen(text) < length)
		gb_fail(err, GB_EUSAGE, "%.200s: a suite is text, without NUL characters", path);
	else if (length > LARGEST)
		gb_fail(err, GB_EUSAGE, "%.200s: a suite has at most 1 MiB", path);
	if (file)
		(void)fclose(file);
	return err->code;
}

enum gb_status gb_suite_read(struct gb_suite *suite, const char *path, struct gb_error *err)
{
	struct reader reader = { .suite = suite, .number = 1, .err = err };
	char *text = malloc(LARGEST + 2);

	suite->path = path;
	/* A word and its NUL are never longer than the word and what ended it. */
	suite->text = malloc(LARGEST + 2);
	reader.next = text;
	reader.out = suite->text;
	if (!text || !suite->text)
		gb_out_of_memory(err, "the suite");
	else if (!read_text(path, text, err) && !read_all(&reader) && suite->count == 0)
		gb_fail(err, GB_EUSAGE, "%.200s: the suite has no command", path);
	free(text);
	return err->code;
}

void gb_suite_release(struct gb_suite *suite)
{
	for (size_t i = 0; i < suite->count; i++)
		free(suite->line[i].argv);
	free(suite->line);
	free(suite->text);
	*suite = (struct gb_suite){ 0 };
}
