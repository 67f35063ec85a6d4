/* choice.c -- reads which benchmarks and variants a command line chooses. */
#include "cli/benchmarks/choice.h"

#include <string.h>

#include "cli/benchmarks/registry.h"
#include "common/suggest.h"
#include "common/text.h"

/* ---- choosing ----------------------------------------------------------------------------- */

static bool names(const struct gb_choice *choice, const char *benchmark)
{
	for (size_t i = 0; i < choice->benchmark_count; i++)
		if (gb_equal(choice->benchmark[i]->name, benchmark))
			return true;
	return choice->benchmark_count == 0;
}

static bool globs_leave(const struct gb_choice *choice, const struct gb_variant *variant)
{
	bool any = false, in = false;

	for (size_t i = 0; i < choice->glob_count; i++) {
		const bool out = choice->glob[i][0] == '!';
		const bool matches = gb_variant_matches(variant, choice->glob[i] + out);

		if (out && matches)
			return false;
		any = any || !out;
		in = in || (!out && matches);
	}
	return in || !any;
}

bool gb_chosen(const struct gb_choice *choice, const struct gb_variant *variant)
{
	return !(choice->backends && !(choice->backends >> variant->backend & 1)) &&
	       names(choice, variant->benchmark) && globs_leave(choice, variant);
}

bool gb_chosen_any(const struct gb_choice *choice, const struct gb_benchmark *benchmark)
{
	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_equal(gb_variants[i].benchmark, benchmark->name) &&
		    gb_chosen(choice, &gb_variants[i]))
			return true;
	return false;
}

bool gb_is_explicit(const struct gb_choice *choice, enum gb_backend backend)
{
	const char *name = gb_backends[backend]->name;
	const size_t length = strlen(name);

	if (choice->backends == 1U << backend)
		return true;
	for (size_t i = 0; i < choice->glob_count; i++)
		if (strncmp(choice->glob[i], name, length) == 0 && choice->glob[i][length] == '/')
			return true;
	return false;
}

unsigned gb_chosen_backends(const struct gb_choice *choice)
{
	unsigned backends = 0;

	for (size_t i = 0; i < gb_variant_count; i++)
		if (gb_variants[i].ops && gb_chosen(choice, &gb_variants[i]))
			backends |= 1U << gb_variants[i].backend;
	return backends;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* GB_EUSAGE if a glob matches no variant of the benchmarks. */
static enum gb_status check_glob(const struct gb_choice *choice,
				 const struct gb_benchmark *benchmark, const char *glob,
				 struct gb_error *err)
{
	const char *slash = strrchr(glob, '/');
	const char *bare = glob + (glob[0] == '!');
	struct gb_suggest near = { .word = slash ? slash + 1 : bare };

	for (size_t i = 0; i < gb_benchmark_count && !benchmark; i++)
		gb_suggest_offer(&near, gb_benchmarks[i]->name);
	for (size_t i = 0; i < gb_variant_count; i++) {
		if (!names(choice, gb_variants[i].benchmark))
			continue;
		if (gb_variant_matches(&gb_variants[i], bare))
			return GB_OK;
		gb_suggest_offer(&near, gb_variants[i].name);
	}
	if (benchmark && gb_names_file(benchmark, glob))
		return gb_fail(err, GB_EUSAGE,
			       "'%.80s' is no variant of %s: --file=FILE reads a file", glob,
			       benchmark->name);
	if (benchmark || choice->benchmark_count == 1)
		return gb_fail(err, GB_EUSAGE, "no variant of %s matches '%.80s'%s",
			       choice->benchmark[0]->name, glob,
			       gb_suggest_text(&near, " (see gpubench list)"));
	return gb_fail(err, GB_EUSAGE, "'%.80s' is neither a benchmark nor a variant%s", glob,
		       gb_suggest_text(&near, " (see gpubench list)"));
}

enum gb_status gb_choice_read(struct gb_choice *choice, const struct gb_benchmark *benchmark,
			      const char *const *word, size_t count, struct gb_error *err)
{
	if (benchmark)
		choice->benchmark[choice->benchmark_count++] = benchmark;
	if (count > GB_MAX_WORDS)
		return gb_fail(err, GB_EUSAGE, "more than %d words", GB_MAX_WORDS);
	for (size_t i = 0; i < count; i++) {
		const struct gb_benchmark *named = benchmark ? NULL : gb_benchmark_find(word[i]);

		if (named)
			choice->benchmark[choice->benchmark_count++] = named;
		else
			choice->glob[choice->glob_count++] = word[i];
	}
	for (size_t i = 0; i < choice->glob_count; i++)
		if (check_glob(choice, benchmark, choice->glob[i], err))
			return err->code;
	for (size_t i = 0; i < gb_variant_count; i++)
		if (names(choice, gb_variants[i].benchmark) && globs_leave(choice, &gb_variants[i]))
			return GB_OK;
	return gb_fail(err, GB_EUSAGE, "the words leave no variant to run");
}
