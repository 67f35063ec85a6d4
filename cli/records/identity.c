#include "cli/records/identity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

/* From the technical reference manuals (MIDR_EL1) and the vendors' code in Linux. */
const char *gb_arm_name(const char *implementer, const char *part)
{
	static const struct {
		const char *implementer, *part, *name;
	} cores[] = {
		{ "0x41", "0xd03", "Cortex-A53" },
		{ "0x41", "0xd05", "Cortex-A55" },
		{ "0x41", "0xd07", "Cortex-A57" },
		{ "0x41", "0xd08", "Cortex-A72" },
		{ "0x41", "0xd09", "Cortex-A73" },
		{ "0x41", "0xd0a", "Cortex-A75" },
		{ "0x41", "0xd0b", "Cortex-A76" },
		{ "0x41", "0xd0c", "Neoverse-N1" },
		{ "0x41", "0xd40", "Neoverse-V1" },
		{ "0x41", "0xd41", "Cortex-A78" },
		{ "0x41", "0xd42", "Cortex-A78AE" },
		{ "0x41", "0xd44", "Cortex-X1" },
		{ "0x41", "0xd47", "Cortex-A710" },
		{ "0x41", "0xd49", "Neoverse-N2" },
		{ "0x41", "0xd4a", "Neoverse-E1" },
		{ "0x41", "0xd4b", "Cortex-A78C" },
		{ "0x41", "0xd4f", "Neoverse-V2" },
		{ "0x41", "0xd83", "Neoverse-V3AE" },
		{ "0x41", "0xd84", "Neoverse-V3" },
		{ "0x41", "0xd85", "Cortex-X925" },
		{ "0x41", "0xd87", "Cortex-A725" },
		{ "0x41", "0xd8e", "Neoverse-N3" },
		{ "0x43", "0x0af", "ThunderX2" },
		{ "0x46", "0x001", "A64FX" },
		{ "0x48", "0xd01", "Kunpeng-920" },
		{ "0x4e", "0x003", "Denver-2" },
		{ "0x4e", "0x004", "Carmel" },
		{ "0x61", "0x022", "Apple-M1-Icestorm" },
		{ "0x61", "0x023", "Apple-M1-Firestorm" },
		{ "0xc0", "0xac3", "Ampere-1" },
		{ "0xc0", "0xac4", "Ampere-1a" },
	};

	for (size_t i = 0; i < GB_COUNT(cores); i++)
		if (gb_equal(cores[i].implementer, implementer) && gb_equal(cores[i].part, part))
			return cores[i].name;
	return NULL;
}

/* An identity being written. */
struct writer {
	char *text;
	size_t size, used;
	bool whole;
};

static __attribute__((format(printf, 2, 3))) void put(struct writer *w, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(w->text + w->used, w->size - w->used, format, args);
	va_end(args);
	w->used += length > 0 ? (size_t)length : 0;
	if (w->used >= w->size)
		w->used = w->size - 1;
}

static void put_count(struct writer *w, double count, const char *noun)
{
	w->whole = w->whole && !isnan(count);
	if (!isnan(count))
		put(w, ", %g %s%s", count, noun, count > 1 ? "s" : "");
}

static void put_bytes(struct writer *w, const char *name, double bytes)
{
	char text[GB_TEXT_MAX];

	w->whole = w->whole && !isnan(bytes);
	if (!isnan(bytes))
		put(w, ", %s%s", name, gb_text_bytes(text, bytes));
}

/* The members that every schema has.  The kernel leaves a little more or less of the same memory. */
static void put_early(struct writer *w, const struct gb_run *run, const char *name)
{
	put(w, "%s", name);
	put_count(w, run->host.sockets, "socket");
	put_count(w, run->host.cores, "core");
	put_bytes(w, "L1d ", run->host.l1d_bytes);
	put_bytes(w, "L2 ", run->host.l2_bytes);
	put_bytes(w, "L3 ", run->host.l3_bytes);
	w->whole = w->whole && !isnan(run->host.memory_bytes);
	if (!isnan(run->host.memory_bytes))
		put(w, ", %.0f GiB", ceil(run->host.memory_bytes / 0x1p30));
}

static void put_model(struct writer *w, const struct gb_run *run)
{
	const char *vendor = run->host.cpu_vendor;
	const bool x86 = !isnan(run->host.cpu_family);

	w->whole = w->whole && vendor && (x86 || run->host.cpu_part);
	if (vendor && x86)
		put(w, ", %s %g-%g-%g", vendor, run->host.cpu_family, run->host.cpu_model,
		    run->host.cpu_stepping);
	else if (vendor && run->host.cpu_part)
		put(w, ", %s-%s", vendor, run->host.cpu_part);
}

/* The name of the host stands for whatever is missing. */
static void put_host(struct writer *w, const struct gb_run *run)
{
	if (run->host.hostname)
		put(w, ", on %s", run->host.hostname);
}

static void identify_cpu(const struct gb_run *run, struct gb_machine *m)
{
	struct writer early = { m->early, sizeof m->early, 0, true };
	struct writer all = { m->text, sizeof m->text, 0, true };

	put_early(&early, run, m->name);
	put_early(&all, run, m->name);
	put_model(&all, run);
	m->whole = all.whole;
	if (!all.whole)
		put_host(&all, run);
	if (run->host.hostname)
		put_host(&early, run);
	else
		m->early[0] = '\0';
}

static void identify_gpu(const struct gb_run *run, const struct gb_gpu *gpu, struct gb_machine *m)
{
	struct writer w = { m->text, sizeof m->text, 0, true };

	put(&w, "%s", m->name);
	put_bytes(&w, "", gpu ? gpu->memory_bytes : (double)NAN);
	if (gpu && gpu->uuid)
		put(&w, ", %s", gpu->uuid);
	m->whole = gpu && gpu->uuid;
	if (!m->whole)
		put_host(&w, run);
}

static void name_machine(struct gb_machine *machine, const char *name)
{
	*machine = (struct gb_machine){ 0 };
	(void)snprintf(machine->name, sizeof machine->name, "%.120s", name ? name : "unknown");
}

void gb_identify(struct gb_run *run)
{
	const struct gb_gpu *gpu = gb_run_gpu(run);

	name_machine(&run->on_cpu, run->host.cpu);
	name_machine(&run->on_gpu, gpu ? gpu->name : NULL);
	identify_cpu(run, &run->on_cpu);
	identify_gpu(run, gpu, &run->on_gpu);
}

bool gb_same_machine(const struct gb_machine *a, const struct gb_machine *b)
{
	if (gb_equal(a->text, b->text))
		return true;
	return !(a->whole && b->whole) && a->early[0] && gb_equal(a->early, b->early);
}
