/* test_help.c -- the layout of the help: widths at which lines break, the order of options. */
#include "cli/commands/help.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/text.h"

#define TEN "0123456789"

static void expect_help(const struct gb_help *help, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	cr_assert(file);
	gb_help_print(file, help);
	(void)fclose(file);
	cr_expect_str_eq(text, want, "%s", text);
	free(text);
}

/* Texts begin at column 29, or three columns behind a name that is wider, or on their own line. */
Test(help, options)
{
	static const struct gb_help_option option[] = {
		{ .text = "One:" },
		{ .name = TEN TEN, .text = "28" },
		{ .name = TEN TEN "1", .text = TEN TEN TEN "012345 " TEN },
		{ .name = TEN TEN "234", .text = TEN TEN TEN "01234 " TEN },
		{ .name = TEN TEN "2345", .text = "32" },
		{ .name = TEN TEN "23456", .text = "33" },
		{ .name = "b", .argument = "N", .text = "last" },
		{ .name = "Az", .text = "third" },
		{ .name = "z", .letter = 'A', .argument = "N", .may_lack = true, .text = "fourth" },
		{ .name = "ay", .text = "second" },
		{ .name = "hidden", .hidden = true, .text = "not here" },
		{ .text = "Two:" },
		{ .name = "b", .letter = 'c', .text = TEN TEN TEN "012345678 " TEN },
		{ .name = "c", .text = TEN TEN TEN TEN " " TEN "\n  x" },
		{ .name = "d", .text = TEN TEN TEN TEN TEN "1 x" },
	};
	const struct gb_help help = { .command = "c",
				      .words = TEN TEN TEN TEN "01234567 " TEN,
				      .summary = "s",
				      .option = option,
				      .option_count = GB_COUNT(option) };

	expect_help(
		&help,
		"Usage: c [OPTION...] 012345678901234567890123456789012345678901234567\n"
		"                             0123456789\n"
		"s\n\n"
		" One:\n"
		"      --01234567890123456789 28\n"
		"      --012345678901234567891   012345678901234567890123456789012345 0123456789\n"
		"      --01234567890123456789234   01234567890123456789012345678901234\n"
		"                             0123456789\n"
		"      --012345678901234567892345   32\n"
		"      --0123456789012345678923456\n"
		"                             33\n"
		"      --ay                   second\n"
		"      --Az                   third\n"
		"  -A, --z[=N]                fourth\n"
		"      --b=N                  last\n"
		"\n Two:\n"
		"  -c, --b                    012345678901234567890123456789012345678 0123456789\n"
		"      --c                    0123456789012345678901234567890123456789\n"
		"                             0123456789\n"
		"                               x\n"
		"      --d                    012345678901234567890123456789012345678901234567891\n"
		"                             x\n");
}

/* A line has at most 79 characters; the usage goes on at column 29. */
Test(help, lines)
{
	static const struct gb_help help = {
		.command = "command",
		.words = TEN TEN TEN TEN "0 " TEN,
		.summary = TEN TEN TEN TEN TEN TEN TEN " 12345678 0",
		.end = TEN TEN TEN TEN TEN TEN TEN "  12345678\n\n  " TEN " x",
	};

	expect_help(
		&help,
		"Usage: command [OPTION...] 01234567890123456789012345678901234567890 0123456789\n"
		"0123456789012345678901234567890123456789012345678901234567890123456789 12345678\n"
		"0\n\n\n"
		"0123456789012345678901234567890123456789012345678901234567890123456789\n"
		"12345678\n\n"
		"  0123456789 x\n");
}
