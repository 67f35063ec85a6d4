/* removed.c -- see removed.h. */
#include "cli/commands/removed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

static const char *const commands[][2] = {
	{ "judge", "gpubench check BENCHMARK --plugin=FILE.so verifies variants, gpubench "
		   "BENCHMARK --plugin=FILE.so times them" },
	{ "new", "start from examples/radix.c or radix.cu (see CONTRIBUTING.md)" },
	{ "history", "Apache Otava and Bencher find shifts in the CSV and JSON of gpubench report "
		     "(docs/manual.md, \"Trends\")" },
	{ "versus",
	  "gpubench compare --by=machine FILE... prints machines side by side, --by=library "
	  "our variants and libraries" },
};

/* Commands that measure nothing themselves; rows without a list of commands are for all others. */
static const char readers[] = "report compare ab list env";
static const char printers[] = "report compare ab repro";
static const char judges[] = "compare ab";

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
	/* earlier versions */
	{ NULL, "--suite", "a shell script with a gpubench command per line does the same" },
	{ NULL, "--memory", "plug-ins run in this process; limit that" },
	{ NULL, "--no-isolate", "plug-ins run in this process" },
	{ NULL, "--dry-run=trial", "--dry-run lists the memory; the time is not forecast" },
	{ "stream", "--op", "stream only copies" },
	{ "repro", "--missing",
	  "empty cells state their reason, and --dry-run lists what would be "
	  "measured" },
	{ "repro", "--meshes --file", "gpubench lbvh --file=FILE measures a mesh" },
	{ "repro", "--list", "gpubench repro without words lists the tables" },
	{ "repro", "--set", "the benchmark measures at other parameters" },
	{ NULL, "--runs --launches", "--repetitions" },
	{ "ab", "--base",
	  "ab launches both builds; -o PREFIX --resume continues its own launches" },
	{ "ab", "--peers", "the arguments after -- choose the variants, libraries included" },
	{ "ab", "--dry-run", "gpubench with the arguments after -- and --dry-run lists a launch" },
	{ "env", "--format -f --output -o", "env prints the run line as indented JSON" },
	{ printers, "--format=latex", "pandoc converts what --format=markdown prints" },
	{ "report", "--format=junit", "compare has it; `check` has an exit status" },
	{ "report", "--format=benchmark",
	  "jq makes Bencher's JSON of record files (docs/manual.md)" },
	{ "bfs", "--blocks", "--graph=grid is deep, and --file reads any graph" },
	{ "bfs", "--index", "columns have 16 bits up to 64Ki vertices, else 32" },
	{ "bfs", "--orphans", "a sparse --p leaves vertices without edges" },
	{ "bfs", "--warps", "records of gpubench-ptx have metrics.warp_efficiency" },
	{ "bfs", "--multi", "--file keeps parallel edges" },
	{ "radix", "--unstable", "pairs are sorted stably" },
	{ "lbvh", "--compact", "the driver's tree is timed as built" },
	{ "lbvh", "--primitives", "--count=N" },
	{ "lbvh", "--image", "--write=FILE" },
	{ "lbvh", "--rays-order", "--order=own|spatial" },
	{ "octree", "--pool", "the pool of nodes follows --count" },
	{ "cbt", "--image", "cbt draws no pictures any more" },
	{ NULL, "--cold", "caches are cold unless --hot is given" },
	{ NULL, "--no-verify", "--verify=no" },
	{ NULL, "--require-gpu", "--backend=cuda, whose status is 3 without a GPU" },
	{ "env", "--require-gpu", "--backend=cuda of what measures" },
	{ "ab", "--aa", "ab a=PROGRAM b=PROGRAM launches one build as both" },
	{ judges, "--counts-growth", "--counts --threshold=PERCENT" },
	{ judges, "--error", "the error rate of all keys together is 5 %" },
	{ judges, "--floor", "differences below 100 ns are ignored" },
	{ judges, "--cycles", "times are compared; --lock-clocks keeps clocks alike" },
	{ judges, "--unverified",
	  "only verified records are compared: measure without --verify=no" },
	{ judges, "--max-unsure",
	  "a key that is unsure leaves the comparison undecided; more repetitions decide" },
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

static enum gb_status find(const char *command, const char *word, size_t length,
			   struct gb_error *err)
{
	for (size_t i = 0; i < GB_COUNT(options); i++)
		if (is_of(i, command) && has_word(options[i].names, word, length))
			return gb_fail(err, GB_EUSAGE, "%s has no %.*s: %s", command, (int)length,
				       word, options[i].instead);
	return GB_OK;
}

enum gb_status gb_removed_option(const char *command, const char *option, struct gb_error *err)
{
	return find(command, option, strcspn(option, "="), err);
}

enum gb_status gb_removed_value(const char *command, const char *option, const char *value,
				struct gb_error *err)
{
	char word[64];

	(void)snprintf(word, sizeof word, "--%s=%s", option, value);
	return find(command, word, strlen(word), err);
}
