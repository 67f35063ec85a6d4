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

static cJSON *json_of_variant(const struct gb_variant *variant)
{
	const char *(*library)(void) = variant->ops ? variant->ops->library : NULL;
	cJSON *object = cJSON_CreateObject();
	char name[64];

	(void)snprintf(name, sizeof name, "%s/%s", gb_backends[variant->backend]->name,
		       variant->name);
	if (gb_json_put_text(object, "name", name) &&
	    gb_json_put_text(object, "summary", variant->summary) &&
	    gb_json_put_bool(object, "peer", variant->kind == GB_KIND_LIBRARY) &&
	    gb_json_put_text(object, "kind", kind_of(variant)) &&
	    (!variant->plugin || gb_json_put_text(object, "plugin", variant->plugin->path)) &&
	    (!library || gb_json_put_text(object, "library", library())) &&
	    gb_json_put_text(object, "absent", variant->ops ? NULL : variant->absent))
		return object;
	cJSON_Delete(object);
	return NULL;
}

static cJSON *json_of_benchmark(const struct gb_benchmark *benchmark,
				const struct gb_choice *choice)
{
	cJSON *object = cJSON_CreateObject();
	bool ok = gb_json_put_text(object, "name", benchmark->name) &&
		  gb_json_put_text(object, "summary", benchmark->summary) &&
		  gb_json_put_text(object, "paper", benchmark->paper) &&
		  gb_json_put_text(object, "unit", benchmark->item) &&
		  gb_json_put_text(object, "verified_by", benchmark->verify_method);
	cJSON *variants = cJSON_AddArrayToObject(object, "variants");

	for (size_t i = 0; ok && i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].benchmark, benchmark->name) &&
		    gb_chosen(choice, &gb_variants[i]))
			ok = gb_json_append(variants, json_of_variant(&gb_variants[i]));
	if (ok && variants)
		return object;
	cJSON_Delete(object);
	return NULL;
}

/* Print the document and delete it.  NULL means that memory ran out. */
static enum gb_status print_json(cJSON *document, struct gb_error *err)
{
	if (!gb_json_print(stdout, document))
		gb_out_of_memory(err, "a list");
	cJSON_Delete(document);
	return err->code;
}

static enum gb_status list_json(const struct gb_choice *choice, struct gb_error *err)
{
	cJSON *document = cJSON_CreateObject();
	bool ok = gb_json_put_text(document, "version", GB_VERSION);
	cJSON *list = cJSON_AddArrayToObject(document, "benchmarks");

	for (size_t i = 0; ok && i < gb_benchmark_count; i++)
		if (gb_chosen_any(choice, gb_benchmarks[i]))
			ok = gb_json_append(list, json_of_benchmark(gb_benchmarks[i], choice));
	if (ok && list)
		return print_json(document, err);
	cJSON_Delete(document);
	return gb_out_of_memory(err, "a list");
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
		(void)list_json(&choice, err);
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
