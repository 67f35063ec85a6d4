/* removed.c -- see removed.h. */
#include "cli/commands/removed.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/text.h"

static const char *const commands[][2] = {
	{ "judge", "gpubench check BENCHMARK --plugin=FILE.so verifies variants, gpubench "
		   "BENCHMARK --plugin=FILE.so times them" },
	{ "new", "start from examples/radix.c or radix.cu (see CONTRIBUTING.md)" },
	{ "history", "Apache Otava and Bencher find shifts in the CSV and JSON of gpubench report "
		     "(docs/manual.md, \"Records\")" },
	{ "versus",
	  "gpubench compare --by=machine FILE... prints machines side by side, --by=library "
	  "our variants and libraries" },
};

/* Commands that measure nothing themselves; rows without a list of commands are for all others. */
static const char readers[] = "report compare ab list env";

static const char records[] = "-o FILE.jsonl writes records, which gpubench report "
			      "--format=table|markdown|html|csv|json prints";
static const char words[] = "variants are words or globs, as in gpubench radix 'cuda/*'";
static const char sizes[] =
	"each parameter has its own option with a list or range of values, as in "
	"--count=1Mi:64Mi:x4";

/* Names are separated by blanks. */
static const struct {
	const char *commands, *names, *instead;
} options[] = {
	/* earlier versions: what has another name now */
	{ "repro", "--list", "gpubench repro without words lists the tables" },
	{ NULL, "--runs --launches", "--repetitions" },
	{ "env", "--format -f --output -o", "env prints the run line as indented JSON" },
	{ "lbvh", "--primitives", "--count=N" },
	{ "lbvh", "--image", "--write=FILE" },
	{ "lbvh", "--rays-order", "--order=own|spatial" },
	{ NULL, "--cold", "caches are cold unless --hot is given" },
	{ NULL, "--no-verify", "--verify=no" },
	{ NULL, "--require-gpu", "--backend=cuda, whose status is 3 without a GPU" },
	{ "env", "--require-gpu", "--backend=cuda of what measures" },
	/* nvbench, google/benchmark, CUB, hyperfine */
	{ NULL, "--filter --benchmark_filter --benchmark -b", words },
	{ "list", "--filter",
	  "benchmarks and globs of variants are words: gpubench list 'cuda/*'" },
	{ NULL, "--list --list-tests --benchmark_list_tests", "gpubench list lists the variants" },
	{ NULL, "--json --jsonbin --json-out --export-json --benchmark_out", records },
	{ NULL, "--csv --csv-out --export-csv --md --export-markdown --benchmark_format", records },
	{ readers, "--json --export-json", "--format=json" },
	{ readers, "--csv --export-csv", "--format=csv" },
	{ readers, "--md --export-markdown", "--format=markdown" },
	{ NULL, "--axis -a --size --scale --elements --parameter-list -L -P", sizes },
	{ NULL, "--devices -d", "--device=N, or --device=all where it may be several" },
	{ NULL, "--target-samples --benchmark_repetitions --trials -n",
	  "--samples=N takes N samples; --repetitions=N launches the program N times" },
	{ NULL, "--min-time --benchmark_min_time --min-secs",
	  "--samples=N, or --max-time=SECONDS" },
	{ NULL, "--max-noise --stopping-criterion --noise-tolerance-percent", "--rel-ci=X" },
	{ NULL, "--cold-warmup-runs -w", "--warmup=N" },
	{ NULL, "--no-batch", "only --hot batches short runs" },
	{ NULL, "--lgc", "--lock-clocks" },
	{ NULL, "--run-shard --num-shards", "--shard=I/N" },
	{ NULL, "--smoke", "--preset=quick; gpubench check verifies small inputs" },
	{ NULL, "--profile --run-once",
	  "run ncu or nsys on one sample: --hot --samples=1 --warmup=0" },
	{ NULL, "--validate", "results are verified unless --verify=no is given" },
	/* GAPBS, Graph500 */
	{ "bfs", "-g", "--graph=kronecker --scale=N" },
	{ "bfs", "-u", "--graph=uniform --vertices=2^N" },
	{ "bfs", "-k", "--edgefactor=N" },
	{ "bfs", "-f -m --market", "--file=FILE" },
	{ "bfs", "-r -s --src", "--sources=N searches from N drawn vertices" },
};

static bool has_word(const char *list, const char *word, size_t length)
{
	for (const char *at = list; *at; at += strspn(at, " ")) {
		const size_t size = strcspn(at, " ");

		if (size == length && strncmp(at, word, length) == 0)
			return true;
		at += size;
	}
	return false;
}

static bool is_of(size_t row, const char *command)
{
	const size_t length = strlen(command);

	return options[row].commands ? has_word(options[row].commands, command, length)
				     : !has_word(readers, command, length);
}

enum gb_status gb_removed_command(const char *command, struct gb_error *err)
{
	for (size_t i = 0; i < GB_COUNT(commands); i++)
		if (gb_equal(commands[i][0], command))
			return gb_fail(err, GB_EUSAGE, "%s is gone: %s", command, commands[i][1]);
	return GB_OK;
}

enum gb_status gb_removed_option(const char *command, const char *option, struct gb_error *err)
{
	const size_t length = strcspn(option, "=");

	for (size_t i = 0; i < GB_COUNT(options); i++)
		if (is_of(i, command) && has_word(options[i].names, option, length))
			return gb_fail(err, GB_EUSAGE, "%s has no %.*s: %s", command, (int)length,
				       option, options[i].instead);
	return GB_OK;
}
