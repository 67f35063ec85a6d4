/* sum.c -- totals over several tables: cells, claims, and reasons for cells that were left out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reports/repro/repro.h"
#include "common/text.h"

/* The length of the prefix by which reasons are compared: "needs 3.00 GiB of host memory, 2.10 GiB
 * free" and "needs 5 ..." are one reason.  The tables show the details. */
static size_t kind_length(const char *reason)
{
	return strcspn(reason, "0123456789(");
}

static enum gb_status count_reason(struct gb_repro_sum *sum, const char *text, struct gb_error *err)
{
	const size_t length = kind_length(text);
	void *grown;

	for (size_t i = 0; i < sum->reasons; i++) {
		if (kind_length(sum->reason[i].text) == length &&
		    strncmp(sum->reason[i].text, text, length) == 0) {
			sum->reason[i].count++;
			return GB_OK;
		}
	}
	grown = reallocarray(sum->reason, sum->reasons + 1, sizeof *sum->reason);
	if (!grown)
		return gb_out_of_memory(err, NULL);
	sum->reason = grown;
	sum->reason[sum->reasons].text = strdup(text);
	sum->reason[sum->reasons].count = 1;
	if (!sum->reason[sum->reasons].text)
		return gb_out_of_memory(err, NULL);
	sum->reasons++;
	return GB_OK;
}

static enum gb_status count_cell(struct gb_repro_sum *sum, const char *reason, struct gb_error *err)
{
	sum->cells++;
	if (reason)
		return count_reason(sum, reason, err);
	sum->measured++;
	return GB_OK;
}

static enum gb_status count_claim(struct gb_repro_sum *sum, const struct gb_claim *claim,
				  struct gb_error *err)
{
	char **ids = &sum->ids[claim->verdict];
	char *longer = NULL;

	sum->verdicts[claim->verdict]++;
	if (asprintf(&longer, "%s%s%s", *ids ? *ids : "", *ids ? ", " : "", claim->id) < 0)
		return gb_out_of_memory(err, NULL);
	free(*ids);
	*ids = longer;
	return GB_OK;
}

enum gb_status gb_repro_add(struct gb_repro_sum *sum, const struct gb_repro *repro,
			    struct gb_error *err)
{
	const cJSON *claim;

	sum->tables++;
	for (size_t c = 0; c < repro->columns; c++)
		for (size_t r = 0; r < repro->rows && repro->column[c].variant; r++)
			if (count_cell(sum, repro->cell[r * repro->columns + c].reason, err))
				return err->code;
	cJSON_ArrayForEach(claim, gb_json_at(repro->paper, "claims"))
	{
		struct gb_claim result;

		if (gb_repro_claim(repro, claim, &result) && count_claim(sum, &result, err))
			return err->code;
	}
	return GB_OK;
}

void gb_repro_sum_release(struct gb_repro_sum *sum)
{
	for (size_t i = 0; i < sum->reasons; i++)
		free(sum->reason[i].text);
	free(sum->reason);
	for (size_t i = 0; i < GB_CLAIM_VERDICTS; i++)
		free(sum->ids[i]);
	*sum = (struct gb_repro_sum){ 0 };
}
