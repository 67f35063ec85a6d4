/* test_library.c -- a library and its symbols are there, or the error says what is missing. */
#include <criterion/criterion.h>

#include "common/library.h"
#include "common/text.h"

static struct {
	double (*cos)(double);
	double (*sin)(double);
} lib;

static enum gb_status load(const char *soname, const char *second, struct gb_error *err)
{
	const char *const name[] = { "cos", second };

	return gb_library_load(soname, name, GB_COUNT(name), &lib, err);
}

Test(library, names_what_is_missing)
{
	struct gb_error err = { 0 };

	cr_expect_eq(load("libnone.so.0", "sin", &err), GB_EUNAVAILABLE);
	cr_expect_str_eq(err.message, "libnone.so.0 is not installed");
	err = (struct gb_error){ 0 };
	cr_expect_eq(load("libm.so.6", "no_such_symbol", &err), GB_EUNAVAILABLE);
	cr_expect_str_eq(err.message, "libm.so.6 lacks no_such_symbol");
	cr_expect_null(lib.cos, "not loaded, so the next call tries again");
	err = (struct gb_error){ 0 };
	cr_assert_eq(load("libm.so.6", "sin", &err), GB_OK);
	cr_expect_eq(lib.cos(0), 1);
	cr_expect_eq(lib.sin(0), 0);
	cr_expect_eq(load("libnone.so.0", "sin", &err), GB_OK, "loaded once");
}
