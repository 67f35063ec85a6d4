/* suite.h -- a file of command lines that `gpubench run --suite=FILE` measures together.
 *
 *	# sizes of our service
 *	radix best lsd8 --count=1M,16M --type=u64
 *	gpubench bfs cuda/ccam --vertices=100k \
 *		--threads=1
 *	run octree lbvh --preset=ci
 *
 * A line is typed as in a shell: words, quotes, backslashes, comments.  It may begin with the
 * program's name.  Expansions, pipes and redirections are refused.
 */
#ifndef GPUBENCH_CLI_COMMANDS_SUITE_H
#define GPUBENCH_CLI_COMMANDS_SUITE_H

#include <stddef.h>

#include "common/status.h"

struct gb_suite {
	const char *path;
	char *text; /* the words, each with its NUL */
	size_t count;
	struct gb_suite_line {
		size_t number; /* in the file, from 1 */
		int argc;
		char **argv; /* the words after the program's name */
	} * line;
};

/* Read a suite; start with { 0 }.  GB_EUSAGE, with the line, if the file cannot be read, holds no
 * command, or a line is malformed. */
enum gb_status gb_suite_read(struct gb_suite *suite, const char *path, struct gb_error *err);
void gb_suite_release(struct gb_suite *suite);

#endif
