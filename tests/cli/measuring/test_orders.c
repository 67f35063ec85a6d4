/* test_orders.c -- orders written and read again, copy bandwidths, and what they leave out. */
#include "cli/measuring/orders.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "tests/file_of.h"

static char *printed(const struct gb_orders *orders)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	gb_orders_print(file, orders);
	(void)fclose(file);
	return text;
}

static struct gb_orders read_text(const char *text)
{
	const char *path = file_of(".orders", text, strlen(text));
	struct gb_orders orders;
	struct gb_error err = { 0 };

	(void)setenv(GB_ORDERS_VARIABLE, path, 1);
	cr_assert(zero(int, (int)gb_orders_read(&orders, &err)), "%s", err.message);
	(void)remove(path);
	return orders;
}

Test(orders, are_read_as_they_were_written)
{
	static const struct {
		const char *text, *again;
		size_t keys, copies;
		bool without_peers;
	} row[] = {
		{ "", "", 0, 0, false },
		{ "peers\n", "peers\n", 0, 0, true },
		{ "a/cpu/b n=1\npeers\nc", "peers\na/cpu/b n=1\nc\n", 2, 0, true },
		{ "copy cpu 2 4e10\nk\n", "copy cpu 2 4e+10\nk\n", 1, 1, false },
		{ "copy cuda 0 1.5e12\ncopy cpu 1 1\n", "copy cuda 0 1.5e+12\ncopy cpu 1 1\n", 0, 2,
		  false },
		{ "copy abacus 1 5\ncopy cpu 1 0\ncopy cpu 1 nan\n", "", 0, 0, false },
		{ "copy cpu 1\n", "copy cpu 1\n", 1, 0, false }, /* a key, if a strange one */
	};

	for (size_t i = 0; i < GB_COUNT(row); i++) {
		const size_t files = open_files();
		struct gb_orders orders = read_text(row[i].text);
		char *again = printed(&orders);

		cr_expect(eq(sz, open_files(), files));
		cr_expect(orders.given);
		cr_expect(eq(str, again, (char *)row[i].again));
		cr_expect(eq(sz, orders.count, row[i].keys));
		cr_expect(eq(sz, orders.copies, row[i].copies));
		cr_expect(eq(int, orders.without_peers, row[i].without_peers));
		free(again);
		gb_orders_release(&orders);
		cr_expect(orders.count == 0 && !orders.given);
	}
}

Test(orders, a_file_that_is_not_there_orders_nothing)
{
	struct gb_orders orders;
	struct gb_error err = { 0 };

	(void)setenv(GB_ORDERS_VARIABLE, "/nonexistent/orders", 1);
	cr_expect(zero(int, (int)gb_orders_read(&orders, &err)));
	cr_expect(orders.count == 0 && !orders.given && !orders.without_peers);
	(void)unsetenv(GB_ORDERS_VARIABLE);
	cr_expect(zero(int, (int)gb_orders_read(&orders, &err)));
	cr_expect(not(orders.given));
}

/* The highest bandwidth of a back end and number of threads counts.  There is room for 16. */
Test(orders, copies_are_raised)
{
	static const struct gb_copy copy[] = {
		{ GB_CPU, 1, 10 }, { GB_CPU, 2, 20 }, { GB_CUDA, 1, 30 },
		{ GB_CPU, 1, 11 }, { GB_CPU, 1, 9 },  { GB_CPU, 2, (double)NAN },
		{ GB_CPU, 3, 0 },  { GB_CPU, 3, -1 }, { GB_CUDA, 1, 31 },
	};
	struct gb_orders orders = { 0 };
	char *text;

	for (size_t i = 0; i < GB_COUNT(copy); i++)
		gb_orders_copy(&orders, copy[i]);
	text = printed(&orders);
	cr_expect(eq(str, text, "copy cpu 1 11\ncopy cpu 2 20\ncopy cuda 1 31\n"));
	free(text);
	for (int threads = 3; threads < 30; threads++)
		gb_orders_copy(&orders, (struct gb_copy){ GB_CPU, threads, 5 });
	cr_expect(eq(sz, orders.copies, GB_ORDERS_COPIES));
	cr_expect(eq(int, orders.copy[GB_ORDERS_COPIES - 1].threads, GB_ORDERS_COPIES - 1));
	gb_orders_copy(&orders, (struct gb_copy){ GB_CPU, GB_ORDERS_COPIES - 1, 6 });
	cr_expect(eq(dbl, orders.copy[GB_ORDERS_COPIES - 1].bytes_per_s, 6));
}

Test(orders, leave_out_keys_and_libraries)
{
	static const struct gb_variant own = { .backend = GB_CPU, .name = "lsd8" };
	static const struct gb_variant peer = { .backend = GB_CPU, .name = "qsort", .peer = true };
	static const char *const word[] = { "cpu/lsd8", "cpu/qsort" };
	struct gb_orders orders = read_text("peers\nk n=1\nk n=2\n");

	cr_expect(gb_omits_key(&orders, "k n=1") && gb_omits_key(&orders, "k n=2"));
	cr_expect(not(gb_omits_key(&orders, "k n=3") || gb_omits_key(&orders, "peers")));
	cr_expect(gb_omits_variant(&orders, &peer, NULL, 0));
	cr_expect(gb_omits_variant(&orders, &peer, word, 1));
	cr_expect(not(gb_omits_variant(&orders, &peer, word, 2)));
	cr_expect(not(gb_omits_variant(&orders, &own, NULL, 0)));
	gb_orders_release(&orders);
	cr_expect(not(gb_omits_variant(&orders, &peer, NULL, 0)));
	cr_expect(not(gb_omits_key(&orders, "k n=1")));
}
