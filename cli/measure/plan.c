/* plan.c -- see plan.h. */
#include "cli/measure/plan.h"

#include <stdio.h>

#include "common/memory.h"
#include "common/text.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

void gb_plan_print(struct gb_plan *plan, const char *key, const struct gb_need *need,
		   const struct gb_error *why)
{
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX];

	gb_text_print(stdout, key);
	if (why->code) {
		plan->skipped++;
		(void)fputs(": skipped: ", stdout);
		gb_text_print(stdout, why->message);
		(void)putchar('\n');
		return;
	}
	plan->measurements++;
	plan->largest.host_bytes = larger(plan->largest.host_bytes, need->host_bytes);
	plan->largest.device_bytes = larger(plan->largest.device_bytes, need->device_bytes);
	(void)printf(": host %s%s, device %s\n", gb_text_bytes(host, (double)need->host_bytes),
		     need->host_bytes > gb_memory_available() ? " (more than is free)" : "",
		     gb_text_bytes(device, (double)need->device_bytes));
}

void gb_plan_total(const struct gb_plan *plan, int64_t runs)
{
	char host[GB_TEXT_MAX], device[GB_TEXT_MAX];

	if (plan->measurements == 0) {
		(void)puts("\nnothing to measure");
		return;
	}
	(void)printf("\ntotal of %zu", plan->measurements);
	if (plan->skipped)
		(void)printf(", %zu skipped", plan->skipped);
	if (runs > 1)
		(void)printf(", in %lld repetitions", (long long)runs);
	(void)printf(": host %s, device %s\n",
		     gb_text_bytes(host, (double)plan->largest.host_bytes),
		     gb_text_bytes(device, (double)plan->largest.device_bytes));
}
