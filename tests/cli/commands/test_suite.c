/* test_suite.c -- the lines and words of suite files, and what is refused with which line. */
#include "cli/commands/suite.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "tests/file_of.h"

/* The lines as "number: word|word|", each behind a blank, or the message behind the path. */
static const char *read_back(const char *text, size_t size)
{
	static char said[1024];
	const char *path = file_of(".suite", text, size);
	struct gb_suite suite = { 0 };
	struct gb_error err = { 0 };

	said[0] = '\0';
	if (gb_suite_read(&suite, path, &err)) {
		cr_expect_eq(err.code, GB_EUSAGE);
		cr_expect_eq(strncmp(err.message, path, strlen(path)), 0, "%s", err.message);
		gb_text_append(said, sizeof said, "%s", err.message + strlen(path));
	}
	for (size_t i = 0; i < suite.count && !err.code; i++) {
		gb_text_append(said, sizeof said, " %zu: ", suite.line[i].number);
		for (int k = 0; k < suite.line[i].argc; k++)
			gb_text_append(said, sizeof said, "%s|", suite.line[i].argv[k]);
		cr_expect_null(suite.line[i].argv[suite.line[i].argc]);
	}
	gb_suite_release(&suite);
	cr_expect(!suite.count && !suite.line && !suite.text);
	(void)unlink(path);
	return said;
}

Test(suite, lines)
{
	static const struct {
		const char *text, *said;
	} row[] = {
		{ "radix", " 1: radix|" },
		{ "radix a  b\tc\r\n\n # x\n \tbfs #d\ncbt e#f\n",
		  " 1: radix|a|b|c| 4: bfs| 5: cbt|e#f|" },
		/* The name of the program may come first. */
		{ "gpubench radix\n./x/gpubench bfs gpubench\nx/gpubench2\n",
		  " 1: radix| 2: bfs|gpubench| 3: x/gpubench2|" },
		{ "\ngpubench # x\n", ":2: a command is expected" },
		/* Escapes.  An escaped end of line ends no word, and the lines count on. */
		{ "a\\ b \\\"c\\#\nd\\", " 1: a b|\"c#| 2: d\\|" },
		{ "a \\\n b\\\nc\nd\n", " 1: a|bc| 4: d|" },
		{ "\\\na\n", " 2: a|" },
		/* Quotes. */
		{ "'a b'\"c\"d '' \"\"\n'\\$`\"' \"'\"", " 1: a bcd||| 2: \\$`\"|'|" },
		{ "\"\\\\\\\"\\$\\`\\a\"", " 1: \\\"$`\\a|" },
		{ "'a\nb' \"c\n\nd\"\ne", " 1: a\nb|c\n\nd| 5: e|" },
		{ "a\n'b\n\n", ":2: the quote is not closed" },
		{ "\"a\\", ":1: the quote is not closed" },
		{ "\"\\\"", ":1: the quote is not closed" },
		{ "a\n\"$b\"", ":2: expansions are not supported: use single quotes" },
		{ "\"`", ":1: expansions are not supported: use single quotes" },
		{ "a $b", ":1: '$' is not supported outside of quotes" },
		{ "a\nb;c", ":2: ';' is not supported outside of quotes" },
		{ "a\\\nb >c", ":2: '>' is not supported outside of quotes" },
		{ " # a\n\n", ": the suite has no command" },
		{ "", ": the suite has no command" },
	};
	enum { LARGEST = 1 << 20 };
	char *large = malloc(LARGEST + 1);

	for (size_t i = 0; i < GB_COUNT(row); i++)
		cr_expect_str_eq(read_back(row[i].text, strlen(row[i].text)), row[i].said);
	cr_expect_str_eq(read_back("a\nb\0", 4), ": a suite is text, without NUL characters");
	memset(large, ' ', LARGEST + 1);
	large[0] = 'a';
	cr_expect_str_eq(read_back(large, LARGEST), " 1: a|");
	cr_expect_str_eq(read_back(large, LARGEST + 1), ": a suite has at most 1 MiB");
	memset(large, 'a', LARGEST);
	(void)read_back(large, LARGEST);
	free(large);
}
