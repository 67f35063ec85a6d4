/* list.c -- `gpubench list` and `gpubench env`: print benchmarks, variants, machine and build. */
#include <stdio.h>
#include <stdlib.h>

#include "build_info.h"
#include "cli/benchmarks/registry.h"
#include "cli/commands/arguments.h"
#include "cli/commands/commands.h"
#include "cli/commands/options.h"
#include "cli/measure/session.h"
#include "cli/plugins/load.h"
#include "cli/records/json.h"
#include "cli/records/machine.h"
#include "common/devices.h"
#include "common/text.h"
#include "common/variants.h"

static const char *kind_of(const struct gb_variant *variant)
{
	static const char *const kinds[] = {
		[GB_KIND_PUBLISHED] = "published", [GB_KIND_STEP] = "step",
		[GB_KIND_BEST] = "best",           [GB_KIND_BASELINE] = "baseline",
		[GB_KIND_LIBRARY] = "library",
	};

	return variant->plugin ? "plug-in" : kinds[variant->kind];
}

static void list_variants(const struct gb_benchmark *benchmark, const struct gb_choice *choice)
{
	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];
		char name[64];

		if (!gb_equal(v->benchmark, benchmark->name) || !gb_chosen(choice, v))
			continue;
		(void)snprintf(name, sizeof name, "%s/%s", gb_backends[v->backend]->name, v->name);
		(void)printf("  %-18s %s: %s", name, kind_of(v), v->summary);
		if (!v->ops)
			(void)printf(" (not in this build: %s)", v->absent);
		else if (v->ops->library)
			(void)printf(" (%s)", v->ops->library());
		(void)putchar('\n');
	}
}

static void list_benchmark(const struct gb_benchmark *benchmark, const struct gb_choice *choice)
{
	(void)printf("%s: %s\n", benchmark->name, benchmark->summary);
	if (benchmark->paper)
		(void)printf("  paper: %s\n", benchmark->paper);
	list_variants(benchmark, choice);
}

/* ---- the same as JSON --------------------------------------------------------------------- */

/* Print a member after what comes before it, ", " or the begin of an object; NULL becomes null. */
static void put(const char *before, const char *name, const char *text)
{
	(void)printf("%s\"%s\": ", before, name);
	if (text)
		gb_json_write_text(stdout, text);
	else
		(void)fputs("null", stdout);
}

static void put_variant(const char *before, const struct gb_variant *v)
{
	char name[64];

	(void)snprintf(name, sizeof name, "%s/%s", gb_backends[v->backend]->name, v->name);
	put(before, "name", name);
	put(", ", "summary", v->summary);
	(void)printf(", \"peer\": %s", v->kind == GB_KIND_LIBRARY ? "true" : "false");
	put(", ", "kind", kind_of(v));
	if (v->plugin)
		put(", ", "plugin", v->plugin->path);
	if (v->ops && v->ops->library)
		put(", ", "library", v->ops->library());
	put(", ", "absent", v->ops ? NULL : v->absent);
	(void)putchar('}');
}

static void list_json(const struct gb_choice *choice)
{
	const char *before = "\n{";

	put("{", "version", GB_VERSION);
	(void)fputs(", \"benchmarks\": [", stdout);
	for (size_t i = 0; i < gb_benchmark_count; i++) {
		const struct gb_benchmark *b = gb_benchmarks[i];
		const char *inner = "\n  {";

		if (!gb_chosen_any(choice, b))
			continue;
		put(before, "name", b->name);
		put(", ", "summary", b->summary);
		put(", ", "paper", b->paper);
		put(", ", "unit", b->item);
		put(", ", "verified_by", b->verify_method);
		(void)fputs(", \"variants\": [", stdout);
		for (size_t k = 0; k < gb_variant_count; k++) {
			if (!gb_equal(gb_variants[k].benchmark, b->name) ||
			    !gb_chosen(choice, &gb_variants[k]))
				continue;
			put_variant(inner, &gb_variants[k]);
			inner = ",\n  {";
		}
		(void)fputs("]}", stdout);
		before = ",\n{";
	}
	(void)puts("]}");
}

static void advise(void)
{
	struct gb_devices devices;

	gb_devices_find(&devices, 1U << GB_CUDA);
	for (size_t i = 0; i < devices.count; i++)
		gb_archs_advise(stderr, &devices.gpu[i], gb_archs);
}

/* ---- the commands ------------------------------------------------------------------------- */

struct request {
	int64_t json;
	const char *plugin;
};

static const char *const formats[] = { "text", "json", NULL };
static const struct gb_param rows[] = {
	{ .name = "format",
	  .letter = 'f',
	  GB_AT(GB_CHOICE, struct request, json),
	  .initial = "text",
	  .choices = formats,
	  .help = "output format; json is one object" },
	{ .name = "plugin",
	  GB_AT(GB_PATH, struct request, plugin),
	  .unit = "FILE.so,...",
	  .help = "add the variants of these shared objects" },
};

enum gb_status gb_cmd_list(int argc, char **argv, struct gb_error *err)
{
	struct request request;
	struct gb_choice choice = { 0 };
	struct gb_arguments a = {
		.words = "[BENCHMARK|VARIANT-GLOB...]",
		.summary = "List the benchmarks and their variants.",
		.row = rows,
		.row_count = GB_COUNT(rows),
		.target = &request,
		.target_size = sizeof request,
	};

	if (gb_arguments_parse(&a, argc, argv, err) || a.done ||
	    gb_plugins_load(request.plugin, err) ||
	    gb_choice_read(&choice, NULL, a.word, a.word_count, err))
		goto out;
	if (request.json)
		list_json(&choice);
	for (size_t i = 0; i < gb_benchmark_count && !request.json; i++)
		if (gb_chosen_any(&choice, gb_benchmarks[i]))
			list_benchmark(gb_benchmarks[i], &choice);
	advise();
out:
	gb_arguments_release(&a);
	return err->code;
}

enum gb_status gb_cmd_env(int argc, char **argv, struct gb_error *err)
{
	static struct gb_request request;
	static struct gb_session session;
	struct gb_arguments a = {
		.words = "",
		.summary = "Print the description of this machine and build that records hold, the "
			   "run line, as indented JSON.",
		.command = GB_OF_ENV,
		.target = &request,
		.target_size = sizeof request,
	};

	if (gb_options_parse(&a, argc, argv, err) || a.done)
		goto out;
	if (a.word_count) {
		gb_fail(err, GB_EUSAGE, "env takes no words");
		goto out;
	}
	if (!gb_session_open(&session, &request, argc, argv, err)) {
		char *text = gb_context_text(session.records.context[0]);

		if (!text || puts(text) < 0)
			gb_out_of_memory(err, "a list");
		free(text);
	}
	(void)gb_session_close(&session, err);
out:
	gb_arguments_release(&a);
	return err->code;
}
