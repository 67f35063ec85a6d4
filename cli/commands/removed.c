/* removed.c -- see removed.h. */
#include "cli/commands/removed.h"

#include <stddef.h>
#include <string.h>

#include "common/text.h"

static const struct {
	const char *command, *option; /* NULL: any command; the command itself */
	const char *instead;
} removed[] = {
	{ "judge", NULL,
	  "gpubench check BENCHMARK --plugin=FILE.so verifies variants, gpubench BENCHMARK "
	  "--plugin=FILE.so times them" },
	{ "new", NULL, "start from examples/radix.c or radix.cu (see CONTRIBUTING.md)" },
	{ "history", NULL,
	  "Apache Otava and Bencher find shifts in the CSV and JSON of gpubench report "
	  "(docs/manual.md, \"Records\")" },
	{ "versus", NULL,
	  "gpubench compare --by=machine FILE... prints machines side by side, --by=library our "
	  "variants and libraries" },
	{ "repro", "--list", "gpubench repro without words lists the tables" },
	{ "env", "--format", "env prints the run line as indented JSON" },
	{ "env", "--output", "env prints the run line as indented JSON" },
	{ "lbvh", "--primitives", "--count=N" },
	{ "lbvh", "--image", "--write=FILE" },
	{ "lbvh", "--rays-order", "--order=own|spatial" },
	{ NULL, "--runs", "--repetitions=N" },
	{ NULL, "--launches", "--repetitions=N" },
	{ NULL, "--cold", "caches are cold unless --hot is given" },
	{ NULL, "--no-verify", "--verify=no" },
	{ NULL, "--require-gpu", "--backend=cuda, whose status is 3 without a GPU" },
};

enum gb_status gb_removed(const char *command, const char *option, struct gb_error *err)
{
	const size_t length = option ? strcspn(option, "=") : 0;

	for (size_t i = 0; i < GB_COUNT(removed); i++) {
		const char *own = removed[i].option, *instead = removed[i].instead;

		if (!own != !option ||
		    (removed[i].command && !gb_equal(removed[i].command, command)))
			continue;
		if (!own)
			return gb_fail(err, GB_EUSAGE, "%s is gone: %s", command, instead);
		if (strlen(own) == length && strncmp(own, option, length) == 0)
			return gb_fail(err, GB_EUSAGE, "%s has no %s any more: %s", command, own,
				       instead);
	}
	return GB_OK;
}
