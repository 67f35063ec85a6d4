/* test_nvml.c -- locked clocks and the state of a GPU, with a fake NVML. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dlfcn.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/nvml.h"
#include "common/text.h"
#include "tests/planted/nvml.h"

static char path[] = "/tmp/gpubench-nvml-XXXXXX";

/* Load the library next to this program, under the name that nvml.c asks for. */
static struct nvml_planted *load(void)
{
	char program[4096], name[4200];
	const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
	void *library;

	cr_assert(gt(long, length, 0));
	program[length] = '\0';
	(void)snprintf(name, sizeof name, "%s/nvml.so", dirname(program));
	library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	cr_assert(ne(ptr, library, NULL), "%s", dlerror());
	(void)close(mkstemp(path));
	(void)setenv("NVML_LOG", path, 1);
	return dlsym(library, "nvml_planted");
}

static const char *said(void)
{
	static char text[256];
	FILE *file = fopen(path, "r");
	size_t length = 0;

	if (file) {
		length = fread(text, 1, sizeof text - 1, file);
		(void)fclose(file);
	}
	text[length] = '\0';
	return text;
}

static void clean_up(void)
{
	(void)remove(path);
}

/* The highest clock is a number for NVML, which would take its own word for it as a release. */
Test(nvml, locks_the_clock_asked_for, .fini = clean_up)
{
	static const unsigned mhz[] = { GB_BASE_CLOCK, GB_MAX_CLOCK, 1500 };
	char reason[64];

	(void)load();
	for (size_t i = 0; i < GB_COUNT(mhz); i++) {
		gb_nvml_lock_clocks("0000:01:00.0", mhz[i], reason, sizeof reason);
		cr_expect(eq(str, reason, ""));
	}
	gb_nvml_reset_clocks("0000:01:00.0");
	cr_expect(eq(str, (char *)said(),
		     "lock ffffff01 ffffff01\nlock 1980 1980\nlock 1500 1500\nreset\n"));
}

Test(nvml, says_why_clocks_are_not_locked, .fini = clean_up)
{
	char reason[64];

	(void)load();
	(void)setenv("NVML_REFUSES", "1", 1);
	gb_nvml_lock_clocks("0000:01:00.0", GB_BASE_CLOCK, reason, sizeof reason);
	cr_expect(eq(str, reason, "NVML: Insufficient Permissions"));
	(void)unsetenv("NVML_REFUSES");
	gb_nvml_lock_clocks("0000:02:00.0", 1500, reason, sizeof reason);
	cr_expect(eq(str, reason, "NVML does not know this GPU"));
	(void)setenv("NVML_OLD", "1", 1);
	gb_nvml_lock_clocks("0000:01:00.0", GB_MAX_CLOCK, reason, sizeof reason);
	cr_expect(eq(str, reason, "NVML: Unknown Error"));
	(void)unsetenv("NVML_OLD");
	cr_expect(eq(str, (char *)said(), ""));
}

/* A value that the library does not know is NAN, -1 or "". */
Test(nvml, a_gpu_that_no_library_knows)
{
	cr_expect(isnan(gb_nvml_throttled_ns("0000:99:00.0")));
}

Test(nvml, state_of_a_gpu, .fini = clean_up)
{
	struct nvml_planted *planted = load();

	planted->lowered_ns = 30;
	for (int k = 0; k < 3; k++) {
		const char *pci = k ? "0000:01:00.0" : "0000:02:00.0";
		const bool all = k == 2;
		struct gb_gpu_info info = { .ecc = false, .mig = 7, .power_limit_w = 7 };
		struct gb_gpu_state state;
		char version[32] = "x", small[5] = "x";

		planted->knows_all = all;
		gb_nvml_driver(version, sizeof version);
		cr_expect(eq(str, version, all ? "580.95.05" : ""));
		gb_nvml_driver(small, sizeof small);
		cr_expect(eq(str, small, ""));
		gb_nvml_settings(pci, &info);
		cr_expect(info.ecc == all && info.mig == (all ? 0 : -1));
		cr_expect(info.persistence == (all ? 1 : -1));
		cr_expect(epsilon_eq(dbl, info.power_limit_w, all ? 700 : 0, 1e-9));
		gb_nvml_state(pci, &state);
		cr_expect(k ? state.temperature_c == 50 && state.sm_clock_hz == 1980e6
			    : isnan(state.temperature_c) && isnan(state.sm_clock_hz));
		cr_expect(all ? fabs(state.power_w - 123.456) < 1e-9 : isnan(state.power_w));
		cr_expect(k ? fabs(state.energy_j - 4.75 - 0.25 * k) < 1e-9
			    : isnan(state.energy_j));
		cr_expect(eq(int, state.throttle_known, all));
		cr_expect(eq(u64, state.throttle, all ? 0x84 : 0));
		cr_expect(k ? state.throttled_ns == 37 : isnan(state.throttled_ns));
		cr_expect(k ? gb_nvml_throttled_ns(pci) == 37 : isnan(gb_nvml_throttled_ns(pci)));
	}
	cr_expect(isnan(gb_nvml_throttled_ns("")));
}
