/* test_command.c -- the command line that repeats a record's measurement. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/reports/command.h"
#include "tests/line_of.h"

Test(command, of_a_record)
{
	static const struct {
		const char *bench, *params, *argv, *command;
	} row[] = {
		{ "radix", "", "", "gpubench radix cpu/best" },
		{ "radix", "\"count\":65536,\"type\":\"pairs\",\"threads\":1",
		  "\"run\",\"--max-time=0.5\"",
		  "gpubench radix cpu/best --count=65536 --type=pairs --values=index --threads=1 "
		  "--max-time=0.5" }, /* older than --values */
		{ "radix", "\"file\":\"it's here.bin\"",
		  "\"radix\",\"-q\",\"--hot\",\"--samples\",\"30\"",
		  "gpubench radix cpu/best --file='it'\\''s here.bin' --hot --samples=30" },
		{ "radix", "\"seed\":1", "\"radix\",\"--count=9\",\"--output=x\",\"--hot\"",
		  "gpubench radix cpu/best --hot" },
		{ "radix", "\"count\":1000000", "\"radix\",\"--warmup=3\",\"--samples\"",
		  "gpubench radix cpu/best --warmup=3 --samples=" },
		{ "bfs", "\"p\":0.1,\"warps\":true,\"scale\":9",
		  "\"bfs\",\"--rel-ci\",\"2%\",\"-samples=3\",\"--sample=3\"",
		  "gpubench bfs cpu/best --p=0.1 --scale=9 --rel-ci=2%" },
		{ "bfs",
		  "\"graph\":\"rmat\",\"p\":0.05,\"warps\":false,\"scale\":9,\"edgefactor\":16", "",
		  "gpubench bfs cpu/best --graph=rmat --scale=9" },
		{ "radix", "\"values\":\"index\"", "", "gpubench radix cpu/best" }, /* of pairs */
		{ "nothing", "\"n\":3", "", "gpubench nothing cpu/best" },
	};
	struct gb_records list = { 0 };

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		char text[512], *command;

		(void)snprintf(text, sizeof text,
			       "{\"type\":\"run\",\"schema\":2,\"run_id\":\"r%zu\",\"argv\":[%s]}",
			       i, row[i].argv);
		add_line_of(&list, text);
		(void)snprintf(
			text, sizeof text,
			"{\"type\":\"record\",\"schema\":2,\"run_id\":\"r%zu\","
			"\"key\":\"%s/cpu/best unknown=1\",\"bench\":\"%s\",\"backend\":\"cpu\","
			"\"variant\":\"best\",\"params\":{\"unknown\":1%s%s},"
			"\"time\":{\"median\":1,\"samples\":[1]}}",
			i, row[i].bench, row[i].bench, row[i].params[0] ? "," : "", row[i].params);
		add_line_of(&list, text);
		command = gb_record_command(list.record[i]);
		cr_expect_str_eq(command, row[i].command);
		free(command);
	}
	gb_records_release(&list);
}
