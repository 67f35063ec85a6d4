/* names.c -- see names.h. */
#include "cli/report/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"

static struct gb_context_entry *find(const struct gb_context_names *names, const char *id)
{
	for (size_t i = names->count; i-- > 0;)
		if (gb_equal(names->entry[i].id, id))
			return &names->entry[i];
	return NULL;
}

const char *gb_context_name(const struct gb_context_names *names, const char *id)
{
	const struct gb_context_entry *entry = find(names, id);

	return entry && names->count > 1 ? entry->name : "";
}

void gb_context_names_release(struct gb_context_names *names)
{
	free(names->entry);
	*names = (struct gb_context_names){ 0 };
}

/* ---- parts of a name ----------------------------------------------------------------------- */

const char *gb_context_machine(const struct gb_context *context)
{
	return gb_context_gpu(context) ? context->on_gpu.name : context->on_cpu.name;
}

bool gb_contexts_alike(const struct gb_context *a, const struct gb_context *b)
{
	bool alike = gb_same(a->tool.version, b->tool.version) &&
		     gb_same(a->tool.commit, b->tool.commit) && a->tool.dirty == b->tool.dirty &&
		     gb_same(a->host.hostname, b->host.hostname) &&
		     gb_same(a->host.cpu, b->host.cpu) && a->gpu_count == b->gpu_count &&
		     (isnan(a->host.cores) ? isnan(b->host.cores)
					   : fabs(a->host.cores - b->host.cores) < 0.5);

	for (size_t i = 0; i < a->gpu_count && alike; i++)
		alike = gb_same(a->gpu[i].name, b->gpu[i].name);
	return alike;
}

size_t gb_contexts_like(const struct gb_records *list, size_t first, const char **from,
			const char **to)
{
	size_t count = 0;

	*from = *to = list->context[first]->started;
	for (size_t i = 0; i < list->context_count; i++) {
		const char *started = list->context[i]->started;

		if (!gb_contexts_alike(list->context[first], list->context[i]))
			continue;
		if (i < first)
			return 0;
		count++;
		*from = started && (!*from || strcmp(started, *from) < 0) ? started : *from;
		*to = started && (!*to || strcmp(started, *to) > 0) ? started : *to;
	}
	return count;
}

enum { PARTS = 5 };
static const char *part_of(const struct gb_context *context, int part)
{
	const char *const text[PARTS] = { gb_context_machine(context), context->host.cpu,
					  context->host.hostname, context->tool.commit,
					  context->tool.compiler };

	return text[part] ? text[part] : "unknown";
}

/* True if two runs whose names are equal so far differ in the part. */
static bool tells_apart(const struct gb_context_names *names, int part)
{
	for (size_t i = 1; i < names->count; i++)
		for (size_t k = 0; k < i; k++)
			if (gb_equal(names->entry[i].name, names->entry[k].name) &&
			    !gb_equal(part_of(names->entry[i].context, part),
				      part_of(names->entry[k].context, part)))
				return true;
	return false;
}

static void append(struct gb_context_entry *entry, const char *text)
{
	gb_text_append(entry->name, sizeof entry->name, "%s%.60s", entry->name[0] ? ", " : "",
		       text);
}

static void add(struct gb_context_names *names, const char *id, const struct gb_context *context)
{
	if (!find(names, id))
		names->entry[names->count++] =
			(struct gb_context_entry){ .id = id, .context = context };
}

enum gb_status gb_context_names_init(struct gb_context_names *names, const struct gb_records *list,
				     struct gb_error *err)
{
	names->count = 0;
	names->entry = calloc(list->context_count + list->count + 1, sizeof *names->entry);
	if (!names->entry)
		return gb_out_of_memory(err, "the names of runs");
	for (size_t i = 0; i < list->context_count; i++)
		add(names, list->context[i]->run_id, list->context[i]);
	for (size_t i = 0; i < list->count; i++)
		add(names, list->record[i]->run_id, gb_no_context);
	for (int part = 0; part < PARTS; part++)
		if (tells_apart(names, part))
			for (size_t i = 0; i < names->count; i++)
				append(&names->entry[i], part_of(names->entry[i].context, part));
	return GB_OK;
}
