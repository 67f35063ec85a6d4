/* needs.c -- decides whether a machine has what a claim presupposes.
 *
 * A claim's `needs` are data: a number of cores, for the records of the CPU, and classes of GPU,
 * for those of a GPU.  The paper's `gpu_classes` define a class by words in the GPU's name; a word
 * after `!` excludes it.
 */
#include <math.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

static bool is_of_class(const cJSON *words, const char *name)
{
	const cJSON *word;
	bool found = false;

	cJSON_ArrayForEach(word, words)
	{
		if (word->valuestring[0] != '!')
			found |= strstr(name, word->valuestring) != NULL;
		else if (strstr(name, word->valuestring + 1))
			return false;
	}
	return found;
}

static bool has_cores(const cJSON *needs, const struct gb_run *run, char *why, size_t size)
{
	const double wanted = gb_json_number(needs, "cores");
	const double cores = fmin(run->host.cores, run->host.usable_cpus);

	if (isnan(wanted) || cores >= wanted)
		return true;
	if (isnan(cores))
		(void)snprintf(why, size, "needs %.0f cores; the records do not say how many",
			       wanted);
	else
		(void)snprintf(why, size, "needs %.0f cores, %.80s has %.0f", wanted,
			       run->on_cpu.name, cores);
	return false;
}

bool gb_repro_has(const cJSON *paper, const cJSON *needs, const struct gb_record *record, char *why,
		  size_t size)
{
	const cJSON *class;

	if (gb_is_cpu(record))
		return has_cores(needs, record->run, why, size);
	cJSON_ArrayForEach(class, gb_json_at(needs, "gpu"))
	{
		const cJSON *words = cJSON_GetObjectItemCaseSensitive(
			gb_json_at(paper, "gpu_classes"), class->valuestring);

		if (is_of_class(words, record->run->on_gpu.name))
			continue;
		(void)snprintf(why, size, "needs a GPU of class '%.40s'; %.90s is not known as one",
			       class->valuestring, record->run->on_gpu.name);
		return false;
	}
	return true;
}
