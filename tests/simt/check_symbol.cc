/* check_symbol.cc -- which source line a code address belongs to, by addr2line of binutils. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <string>

#include "tests/simt/check.h"

static std::map<uint32_t, std::string> &known(void)
{
	static std::map<uint32_t, std::string> *const map = new std::map<uint32_t, std::string>;

	return *map;
}

/* The first object is the program; its load address is 0 unless it is position-independent. */
static int take_base(struct dl_phdr_info *info, size_t, void *base)
{
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

uint32_t symbol_offset(const void *code)
{
	static uintptr_t base = 1;

	if (base == 1)
		dl_iterate_phdr(take_base, &base);
	return (uint32_t)((uintptr_t)code - base);
}

static bool is_emulator(const char *place)
{
	return strstr(place, "tests/simt/simt") || strstr(place, "cuda/gpu.h");
}

/* A kernel's path from cuda/ on; of other files the name alone. */
static const char *short_path(const char *place)
{
	const char *const kernels = strstr(place, "/cuda/");
	const char *const slash = strrchr(place, '/');

	return kernels ? kernels + 1 : slash ? slash + 1 : place;
}

/* addr2line -a -f -i prints for each address: itself, then pairs of lines (function, file:line),
 * innermost first.  Taken is the first place that is not in the emulator's own headers. */
static void read_places(FILE *lines)
{
	char line[2048], place[2048];
	uint32_t pc = 0;
	bool found = false;

	while (fgets(line, sizeof line, lines)) {
		if (strncmp(line, "0x", 2) == 0) {
			pc = (uint32_t)strtoull(line, NULL, 16) + 1;
			found = false;
			continue;
		}
		if (!fgets(place, sizeof place, lines))
			break;
		place[strcspn(place, " \n")] = '\0';
		if (found)
			continue;
		known()[pc] = short_path(place);
		found = !is_emulator(place);
	}
}

void symbol_prepare(const uint32_t *pc, size_t count)
{
	std::string command =
		"addr2line -a -f -i -e /proc/" + std::to_string(getpid()) + "/exe 2>/dev/null";

	for (size_t i = 0; i < count; i++) {
		char address[16];

		snprintf(address, sizeof address, " %x", pc[i] - 1);
		command += address;
		known()[pc[i]] = "?";
	}
	FILE *const lines = count ? popen(command.c_str(), "r") : NULL;

	if (lines) {
		read_places(lines);
		pclose(lines);
	}
}

const char *symbol_line(uint32_t pc)
{
	if (known().find(pc) == known().end())
		symbol_prepare(&pc, 1);
	return known()[pc].c_str();
}
