/* fuzz_compare.c -- arbitrary bytes as two record files, divided at the first byte 0; without one a
 * file is compared with itself.  All keys are compared, in each way, and printed in each format.
 */
#include "cli/report/compare/compare_records.h"
#include "tests/fuzz/fuzz.h"

/* True if the bytes are a record file. */
static bool read_records(struct gb_records *list, const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file(bytes, size, ".jsonl");
	struct gb_error err = { 0 };
	const enum gb_status status = gb_records_read(path, list, &err);

	(void)unlink(path);
	return status == GB_OK;
}

/* Every key has one verdict. */
static void compare(const struct gb_records *base, const struct gb_records *new_)
{
	static FILE *nowhere;
	struct gb_comparison c = { .gate = { .error = 0.05, .threshold = 0.05 } };
	struct gb_error err = { 0 };
	size_t sum = 0;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (gb_compare(&c, base, new_, &err))
		abort();
	for (int v = 0; v < GB_VERDICT_WORDS; v++)
		sum += c.verdicts[v];
	if (sum != c.count)
		abort();
	for (int format = 0; format < GB_FORMATS; format++)
		(void)gb_comparison_print(nowhere, &c, format & 1, (enum gb_format)format, &err);
	gb_comparison_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	const size_t length = end ? (size_t)(end - data) : size;
	struct gb_records base = { 0 }, other = { 0 };

	if (read_records(&base, data, length)) {
		const bool two = end && read_records(&other, end + 1, size - length - 1);

		compare(&base, two ? &other : &base);
	}
	gb_records_release(&base);
	gb_records_release(&other);
	return 0;
}
