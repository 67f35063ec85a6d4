/* fault.cc -- reports errors of the program under test: kernel, block, thread and source line. */
#include <stdarg.h>
#include <stdio.h>

#include "tests/ptx/machine.h"

static const char *file_of(const struct kernel *k, const struct instruction &i)
{
	return i.file < k->module->files.size() ? k->module->files[i.file].c_str() : "";
}

std::string instruction_place(const struct kernel *k, const struct instruction &i)
{
	const std::string file = file_of(k, i);

	if (i.caller_file && i.caller_file < k->module->files.size() &&
	    file.ends_with("cuda/runtime/gpu.h"))
		return k->module->files[i.caller_file] + ":" + std::to_string(i.caller_line);
	return file + ":" + std::to_string(i.line);
}

void fault(const struct warp &w, const struct instruction &i, unsigned lane, const char *format,
	   ...)
{
	char what[384];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	w.block->worker->warp = &w;
	w.block->worker->at = &i;
	w.block->worker->lane = lane;
	report_error("%s: %s: %s", instruction_place(w.kernel, i).c_str(),
		     w.kernel->demangled.c_str(), what);
	throw abandoned();
}

void executor_say_where(void)
{
	const struct worker *const worker = ptx_worker;

	if (!worker || !worker->warp)
		return;
	const struct warp *const w = worker->warp;
	const struct instruction *const i = worker->at;
	const uint3 block = w->block->index;

	fprintf(stderr, "ptx:   block (%u,%u,%u), thread %u, line %u of the PTX: %.*s\n", block.x,
		block.y, block.z, w->number * LANES + worker->lane, i->ptx_line,
		(int)i->text.size(), i->text.data());
}

static void say_split(const struct warp *w, const struct split *s)
{
	static const char *const what[] = { "run", "wait for lanes of their warp",
					    "wait for the block", "wait for the cluster" };
	const struct instruction &i = w->kernel->code[s->pc];

	fprintf(stderr, "ptx:   warp %u, lanes %08x of %08x %s at %s:%u: %.*s\n", w->number,
		s->mask, w->live, what[s->state], file_of(w->kernel, i), i.line, (int)i.text.size(),
		i.text.data());
}

void report_stuck(struct worker *w)
{
	unsigned lines = 0;

	for (unsigned n = 0; n < w->clusters; n++)
		for (unsigned r = 0; w->cluster[n].active && r < w->cluster[n].size; r++) {
			const struct block *const b = w->cluster[n].block[r];

			fprintf(stderr,
				"ptx: %s, block (%u,%u,%u): %u of %u threads have returned\n",
				ptx_running.kernel->demangled.c_str(), b->index.x, b->index.y,
				b->index.z, b->threads - b->live, b->threads);
			for (unsigned k = 0; k < b->warps; k++)
				for (unsigned j = 0; j < b->warp[k].count && lines < 40;
				     j++, lines++)
					say_split(&b->warp[k], &b->warp[k].split[j]);
		}
}
