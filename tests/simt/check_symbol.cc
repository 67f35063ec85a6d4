/* check_symbol.cc -- maps a code address to its source line, with addr2line of binutils. */
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <string>

#include "tests/simt/check.h"

enum { OFFSET_BITS = 26, MOST_MODULES = 1 << (32 - OFFSET_BITS) };

/* Its load address is 0 if it is a program that is not position-independent. */
static struct module {
	uintptr_t base, begin, end;
	int file; /* open, so that its name needs no quotes */
} module[MOST_MODULES];
static int modules;

/* Fill in the module if it contains its `begin`. */
static int look_at(struct dl_phdr_info *info, size_t, void *data)
{
	struct module *const m = (struct module *)data;
	uintptr_t begin = UINTPTR_MAX, end = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *const part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD)
			continue;
		begin = min(begin, (uintptr_t)(info->dlpi_addr + part->p_vaddr));
		end = max(end, (uintptr_t)(info->dlpi_addr + part->p_vaddr + part->p_memsz));
	}
	if (m->begin < begin || m->begin >= end)
		return 0;
	*m = { info->dlpi_addr, begin, end,
	       open(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC) };
	return 1;
}

void symbol_add(const void *code)
{
	struct module m = {};

	m.begin = (uintptr_t)code;
	if (symbol_module(code) < 0 && modules < MOST_MODULES && dl_iterate_phdr(look_at, &m))
		module[modules++] = m;
}

int symbol_module(const void *address)
{
	for (int i = 0; i < modules; i++)
		if ((uintptr_t)address - module[i].begin < module[i].end - module[i].begin)
			return i;
	return -1;
}

uint32_t symbol_offset(const void *code)
{
	const int number = max(symbol_module(code), 0);

	return (uint32_t)number << OFFSET_BITS | (uint32_t)((uintptr_t)code - module[number].base);
}

static bool is_emulator(const char *place)
{
	return strstr(place, "tests/simt/simt") || strstr(place, "cuda/gpu.h");
}

/* The path from cuda/ on for kernels, the file name alone for other files. */
static const char *short_path(const char *place)
{
	const char *const kernels = strstr(place, "/cuda/");
	const char *const slash = strrchr(place, '/');

	return kernels ? kernels + 1 : slash ? slash + 1 : place;
}

/* addr2line -f -i prints pairs of lines (function, file:line), innermost first; some places end in
 * " (discriminator N)".  Return the first place outside the emulator's own headers. */
static std::string read_place(FILE *lines)
{
	char function[2048], place[2048] = "?";

	while (fgets(function, sizeof function, lines) && fgets(place, sizeof place, lines)) {
		place[strcspn(place, "\n")] = '\0';
		if (char *const more = strstr(place, " (discriminator"))
			*more = '\0';
		if (!is_emulator(place))
			break;
	}
	return short_path(place);
}

static std::string look_up(uint32_t pc)
{
	char command[96];

	snprintf(command, sizeof command, "addr2line -f -i -e /proc/%d/fd/%d %x 2>/dev/null",
		 getpid(), module[pc >> OFFSET_BITS].file, (pc & ((1u << OFFSET_BITS) - 1)) - 1);
	FILE *const lines = popen(command, "r");
	std::string place = "?";

	if (lines) {
		place = read_place(lines);
		pclose(lines);
	}
	return place;
}

const char *symbol_line(uint32_t pc)
{
	static std::map<uint32_t, std::string> *const known = new std::map<uint32_t, std::string>;
	const auto found = known->find(pc);

	if (found != known->end())
		return found->second.c_str();
	return known->insert({ pc, look_up(pc) }).first->second.c_str();
}
