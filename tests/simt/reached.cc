/* reached.cc -- appends the kernels that a program launched to the file GPUBENCH_SIMT_REACHED.
 *
 * A kernel is written as its address in the program's file: tests/ptx/reached.py looks up its name.
 */
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include <set>

#include "tests/simt/engine.h"

/* Never destroyed: it is read during exit. */
static std::set<uintptr_t> &launched(void)
{
	static std::set<uintptr_t> *const set = new std::set<uintptr_t>;

	return *set;
}

/* The first object is the program. */
static int take_base(struct dl_phdr_info *info, size_t, void *base)
{
	*(uintptr_t *)base = info->dlpi_addr;
	return 1;
}

/* Kernels run one at a time, so no lock is needed. */
void reached_note(const void *kernel)
{
	launched().insert((uintptr_t)kernel);
}

static void print_launched(FILE *out)
{
	char program[4096] = "";
	uintptr_t base = 0;

	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		return;
	dl_iterate_phdr(take_base, &base);
	fprintf(out, "program %s\n", program);
	for (const uintptr_t kernel : launched())
		fprintf(out, "launched %lx\n", (unsigned long)(kernel - base));
}

static __attribute__((destructor)) void at_exit(void)
{
	if (!launched().empty())
		reached_append(print_launched);
}
