/* result.c -- the beginning and the failure of a record that is measured. */
#include "cli/records/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/benchmarks/registry.h"
#include "cli/benchmarks/value.h"
#include "cli/records/key.h"
#include "common/text.h"
#include "common/variants.h"

static bool add_params(const struct gb_result *r, struct gb_record *record)
{
	for (size_t i = 0; i < r->benchmark->param_count; i++) {
		const struct gb_param *param = &r->benchmark->params[i];
		char digits[32];
		struct gb_member member;

		if (!gb_param_applies(param, r->variant))
			continue;
		member = gb_param_member(param, gb_value_load(param, r->params), digits);
		/* The sweep owns paths. */
		if (member.kind == GB_VALUE_TEXT &&
		    !(member.text = gb_texts_keep(&record->kept, member.text)))
			return false;
		if (!gb_members_add(&record->params, member))
			return false;
	}
	return true;
}

/* Work outside `time`, besides allocation, that other programs include in their times. */
static bool add_excluded(const struct gb_result *r, struct gb_record *record)
{
	const struct gb_variant_ops *ops = r->variant->ops;
	const char *ours = r->benchmark->excluded ? r->benchmark->excluded(r->params) : NULL;
	const char *own = ops && ops->excluded ? ops->excluded(r->params) : NULL;

	return (!ours || gb_texts_add(&record->excluded, ours)) &&
	       (!own || gb_texts_add(&record->excluded, own));
}

enum gb_status gb_result_begin(struct gb_result *r, struct gb_error *err)
{
	const struct gb_variant *variant = r->variant;
	const char *source = gb_benchmark_source(r->benchmark, r->params);
	char *key = gb_record_key(r->benchmark, variant, r->params, err);
	struct gb_record *record = &r->record;

	gb_record_release(record);
	*record = gb_record_empty();
	record->bench = r->benchmark->name;
	record->backend = gb_backends[variant->backend]->name;
	record->variant = variant->name;
	record->peer = variant->kind == GB_KIND_LIBRARY;
	record->library = variant->ops && variant->ops->library ? variant->ops->library() : NULL;
	if (variant->plugin) {
		record->plugin.name = variant->plugin->name;
		record->plugin.version = variant->plugin->version;
		record->plugin.path = variant->plugin->path;
		record->plugin.sha256 = variant->plugin->sha256;
	}
	record->status = GB_STATUS_UNVERIFIED;
	record->verify.result = "skipped";
	record->input = gb_equal(source, "generated") ? NULL : source;
	record->work.unit = r->benchmark->item;
	record->key = key;
	if (key && !gb_texts_add(&record->kept, key)) {
		free(key);
		record->key = NULL;
	}
	if (!record->key || !add_params(r, record) || !add_excluded(r, record))
		gb_out_of_memory(err, "a record");
	r->code = err->code;
	r->doubtful = false;
	return err->code;
}

void gb_result_remark(struct gb_result *r, const char *format, ...)
{
	char text[480];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof text, format, args);
	va_end(args);
	r->record.reason = gb_texts_keep(&r->record.kept, text);
}

/* The record's word for a status. */
static const char *error_word(enum gb_status code)
{
	switch (code) {
	case GB_EVERIFY:
		return "verify";
	case GB_EUSAGE:
		return "usage";
	case GB_EUNAVAILABLE:
	case GB_EMEMORY:
		return "unavailable";
	case GB_EIO:
		return "io";
	case GB_EINTERRUPTED:
		return "interrupted";
	case GB_OK:
	case GB_ERUNTIME:
	case GB_EUNDECIDED:
		break;
	}
	return "runtime";
}

void gb_result_fail(struct gb_result *r, const struct gb_error *why)
{
	const bool absent = why->code == GB_EUNAVAILABLE || why->code == GB_EMEMORY;

	gb_record_forget(&r->record, GB_IF_MEASURED);
	r->code = why->code;
	r->doubtful = false;
	r->record.status = absent ? GB_STATUS_SKIPPED : GB_STATUS_FAILED;
	r->record.error = error_word(why->code);
	gb_result_remark(r, "%s", why->message);
}

void gb_result_release(struct gb_result *r)
{
	gb_record_release(&r->record);
}
