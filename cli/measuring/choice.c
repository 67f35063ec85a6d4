#include "cli/measuring/choice.h"

#include <string.h>

#include "cli/workloads/registry.h"
#include "common/suggest.h"
#include "common/text.h"
#include "common/variants.h"

bool gb_chosen(const struct gb_request *request, const struct gb_variant *variant,
	       const char *const *glob, size_t glob_count)
{
	if (request->backends && !(request->backends >> variant->backend & 1))
		return false;
	for (size_t i = 0; i < glob_count; i++)
		if (gb_variant_matches(variant, glob[i]))
			return true;
	return glob_count == 0;
}

enum gb_status gb_check_globs(const struct gb_workload *workload, const char *const *glob,
			      size_t glob_count, struct gb_error *err)
{
	for (size_t g = 0; g < glob_count; g++) {
		const char *slash = strchr(glob[g], '/');
		struct gb_suggest near = { .word = slash ? slash + 1 : glob[g] };
		bool found = false;

		for (size_t i = 0; i < gb_variant_count && !found; i++) {
			if (!gb_equal(gb_variants[i].workload, workload->name))
				continue;
			found = gb_variant_matches(&gb_variants[i], glob[g]);
			gb_suggest_offer(&near, gb_variants[i].name);
		}
		if (!found)
			return gb_fail(err, GB_EUSAGE, "no variant of %s matches '%.80s'%s",
				       workload->name, glob[g],
				       gb_suggest_text(&near, " (see gpubench list)"));
	}
	return GB_OK;
}

bool gb_is_explicit(const struct gb_request *request, enum gb_backend backend)
{
	const char *name = gb_backends[backend]->name;
	const size_t length = strlen(name);

	if (request->backends == 1U << backend)
		return true;
	for (size_t i = 0; i < request->glob_count; i++)
		if (strncmp(request->glob[i], name, length) == 0 && request->glob[i][length] == '/')
			return true;
	return false;
}

/* The words of a command for several benchmarks are their names. */
unsigned gb_chosen_backends(const struct gb_request *request)
{
	const size_t globs = request->workload ? request->glob_count : 0;
	unsigned backends = 0;

	for (size_t i = 0; i < gb_variant_count; i++) {
		const struct gb_variant *v = &gb_variants[i];

		if (v->ops && gb_chosen(request, v, request->glob, globs) &&
		    (!request->workload || gb_equal(request->workload->name, v->workload)))
			backends |= 1U << v->backend;
	}
	return backends;
}
