/* identity.c -- builds the text that identifies a run's CPU and GPU, and compares two of them. */
#include "cli/records/identity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/text.h"

/* Cores of servers and of boards with a GPU.  Source: the technical reference manuals (MIDR_EL1)
 * and the vendors' code in Linux. */
const char *gb_arm_name(const char *implementer, const char *part)
{
	static const struct {
		const char *implementer, *part, *name;
	} cores[] = {
		{ "0x41", "0xd08", "Cortex-A72" },        { "0x41", "0xd0b", "Cortex-A76" },
		{ "0x41", "0xd0c", "Neoverse-N1" },       { "0x41", "0xd40", "Neoverse-V1" },
		{ "0x41", "0xd41", "Cortex-A78" },        { "0x41", "0xd42", "Cortex-A78AE" },
		{ "0x41", "0xd49", "Neoverse-N2" },       { "0x41", "0xd4a", "Neoverse-E1" },
		{ "0x41", "0xd4f", "Neoverse-V2" },       { "0x41", "0xd83", "Neoverse-V3AE" },
		{ "0x41", "0xd84", "Neoverse-V3" },       { "0x41", "0xd85", "Cortex-X925" },
		{ "0x41", "0xd87", "Cortex-A725" },       { "0x41", "0xd8e", "Neoverse-N3" },
		{ "0x43", "0x0af", "ThunderX2" },         { "0x46", "0x001", "A64FX" },
		{ "0x48", "0xd01", "Kunpeng-920" },       { "0x4e", "0x004", "Carmel" },
		{ "0x4e", "0x010", "Olympus" },           { "0x51", "0x001", "Oryon" },
		{ "0x61", "0x022", "Apple-M1-Icestorm" }, { "0x61", "0x023", "Apple-M1-Firestorm" },
		{ "0x6d", "0xd49", "Cobalt-100" },        { "0xc0", "0xac3", "Ampere-1" },
		{ "0xc0", "0xac4", "Ampere-1a" },
	};

	for (size_t i = 0; i < GB_COUNT(cores); i++)
		if (gb_equal(cores[i].implementer, implementer) && gb_equal(cores[i].part, part))
			return cores[i].name;
	return NULL;
}

/* Append the name of a core unless it is there. */
static void add_core(char *text, size_t size, const char *implementer, const char *part)
{
	const char *name = gb_arm_name(implementer, part);
	char number[64];

	if (!name) {
		(void)snprintf(number, sizeof number, "ARM %s-%s", implementer, part);
		name = number;
	}
	for (const char *at = text; (at = strstr(at, name)); at++)
		if (strchr(" +", at[strlen(name)])) /* or the end */
			return;
	gb_text_append(text, size, "%s%s", text[0] ? " + " : "", name);
}

char *gb_arm_cores(FILE *cpuinfo, char *text, size_t size)
{
	char line[256], implementer[16] = "", part[16];

	text[0] = '\0';
	while (fgets(line, sizeof line, cpuinfo)) {
		(void)sscanf(line, "CPU implementer : %15s", implementer);
		if (implementer[0] && sscanf(line, "CPU part : %15s", part) == 1)
			add_core(text, size, implementer, part);
	}
	return text;
}

/* Append to the identity.  A part that is unknown leaves it incomplete. */
static __attribute__((format(printf, 3, 4))) void put(struct gb_machine *m, bool is_known,
						      const char *format, ...)
{
	const size_t used = strlen(m->text);
	va_list args;

	m->whole = m->whole && is_known;
	if (!is_known)
		return;
	va_start(args, format);
	(void)vsnprintf(m->text + used, sizeof m->text - used, format, args);
	va_end(args);
}

static void put_count(struct gb_machine *m, double count, const char *noun)
{
	put(m, !isnan(count), ", %g %s%s", count, noun, count > 1 ? "s" : "");
}

static void put_bytes(struct gb_machine *m, const char *name, double bytes)
{
	char text[GB_TEXT_MAX];

	put(m, !isnan(bytes), ", %s%s", name, gb_text_bytes(text, bytes));
}

static void begin(struct gb_machine *m, const char *name)
{
	*m = (struct gb_machine){ .whole = true };
	(void)snprintf(m->name, sizeof m->name, "%.120s", name ? name : "unknown");
	put(m, true, "%s", m->name);
}

/* The host's name replaces whatever is missing. */
static void end(struct gb_machine *m, const struct gb_context *context)
{
	if (!m->whole && context->host.hostname)
		put(m, true, ", on %s", context->host.hostname);
}

/* Memory is rounded up to GiB because the amount that the kernel leaves varies slightly. */
static void identify_cpu(const struct gb_context *context, struct gb_machine *m)
{
	const char *vendor = context->host.cpu_vendor;
	const bool x86 = !isnan(context->host.cpu_family);

	begin(m, context->host.cpu);
	put_count(m, context->host.sockets, "socket");
	put_count(m, context->host.cores, "core");
	put_bytes(m, "L1d ", context->host.l1d_bytes);
	put_bytes(m, "L2 ", context->host.l2_bytes);
	put_bytes(m, "L3 ", context->host.l3_bytes);
	put(m, !isnan(context->host.memory_bytes), ", %.0f GiB",
	    ceil(context->host.memory_bytes / 0x1p30));
	if (x86)
		put(m, vendor, ", %s %g-%g-%g", vendor, context->host.cpu_family,
		    context->host.cpu_model, context->host.cpu_stepping);
	else
		put(m, vendor && context->host.cpu_part, ", %s-%s", vendor, context->host.cpu_part);
	end(m, context);
}

static void identify_gpu(const struct gb_context *context, struct gb_machine *m)
{
	const struct gb_gpu *gpu = gb_context_gpu(context);

	begin(m, gpu ? gpu->name : NULL);
	put_bytes(m, "", gpu ? gpu->memory_bytes : (double)NAN);
	m->whole = true; /* the UUID suffices */
	put(m, gpu && gpu->uuid, ", %s", gpu ? gpu->uuid : "");
	end(m, context);
}

void gb_identify(struct gb_context *context)
{
	identify_cpu(context, &context->on_cpu);
	identify_gpu(context, &context->on_gpu);
}

bool gb_same_machine(const struct gb_machine *a, const struct gb_machine *b)
{
	return gb_equal(a->text, b->text);
}
