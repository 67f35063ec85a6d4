/* fatbin.cc -- registration by nvcc's objects at program start: fat binaries and kernels.
 *
 * A fat binary contains the PTX as plain text if it was compiled with --no-compress.  A module is
 * parsed when one of its kernels is first used.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "tests/ptx/machine.h"

/* The layout of a fat binary, as fatbinary(1) writes it. */
enum : uint32_t { CONTAINER_MAGIC = 0xBA55ED50, WRAPPER_MAGIC = 0x466243B1 };
enum { KIND_PTX = 1, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };

struct wrapper {
	uint32_t magic, version;
	const uint8_t *container;
	void *file;
};

struct container_header {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes; /* after the header */
};

struct entry_header {
	uint16_t kind, version;
	uint32_t header_bytes;
	uint64_t bytes; /* after the header */
	uint8_t other[24];
	uint64_t flags;
};

struct function {
	struct module *module;
	std::string name;
	struct kernel *kernel;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Never destroyed: kernels may be launched during exit. */
static std::vector<struct module *> &modules(void)
{
	static std::vector<struct module *> *const all = new std::vector<struct module *>;

	return *all;
}

static std::unordered_map<const void *, struct function> &functions(void)
{
	static std::unordered_map<const void *, struct function> *const all =
		new std::unordered_map<const void *, struct function>;

	return *all;
}

/* ---- fat binaries ------------------------------------------------------------------------ */

/* The architecture that PTX is for; 0 if it names none. */
static int target_of(const std::string &ptx)
{
	const size_t at = ptx.find(".target sm_");

	return at == std::string::npos ? 0 : atoi(ptx.c_str() + at + strlen(".target sm_"));
}

/* Take the newest PTX, or that for the architecture of option ARCH.  Options are read later. */
static void take_entry(struct module *m, const struct entry_header *e)
{
	const char *const wanted = getenv("GPUBENCH_PTX_ARCH");
	const char *const text = (const char *)e + e->header_bytes;

	if (e->kind != KIND_PTX)
		return;
	if (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) {
		m->error = "the PTX is compressed: compile with --no-compress";
		return;
	}
	const std::string ptx(text, strnlen(text, e->bytes));

	if (wanted ? target_of(ptx) == atoi(wanted) : target_of(ptx) >= target_of(m->text))
		m->text = ptx;
	else
		m->error = "the fat binary has no PTX for the architecture of GPUBENCH_PTX_ARCH";
}

struct module *module_register(const void *fat_binary)
{
	const struct wrapper *const w = (const struct wrapper *)fat_binary;
	struct module *const m = new struct module;
	struct container_header c;

	modules().push_back(m);
	m->error = "there is no PTX in the fat binary";
	memcpy(&c, w->container, sizeof c);
	if (w->magic != WRAPPER_MAGIC || c.magic != CONTAINER_MAGIC)
		return m;
	const uint8_t *at = w->container + c.header_bytes;
	const uint8_t *const end = at + c.bytes;

	while (at < end) {
		const struct entry_header *const e = (const struct entry_header *)(const void *)at;

		take_entry(m, e);
		at += e->header_bytes + e->bytes;
	}
	if (!m->text.empty())
		m->error.clear();
	return m;
}

struct module *module_from_text(const std::string &text)
{
	struct module *const m = new struct module;

	modules().push_back(m);
	m->text = text;
	return m;
}

void function_register(struct module *module, const void *host, const char *name)
{
	functions()[host] = { module, name, nullptr };
}

/* ---- kernels ----------------------------------------------------------------------------- */

static void load(struct module *m)
{
	if (m->error.empty() && !m->capability)
		module_parse(m);
	if (!m->error.empty() && m->error != "reported") {
		report_error("a module cannot be loaded: %s", m->error.c_str());
		m->error = "reported";
	}
}

struct kernel *kernel_find(const void *host)
{
	struct kernel *result = nullptr;

	pthread_mutex_lock(&mutex);
	const auto found = functions().find(host);

	if (found != functions().end()) {
		struct function &f = found->second;

		load(f.module);
		const auto kernel = f.module->kernels.find(f.name);

		if (!f.kernel && kernel != f.module->kernels.end())
			f.kernel = kernel->second;
		result = f.kernel;
	}
	pthread_mutex_unlock(&mutex);
	return result;
}

/* ptxas spills if a kernel needs more registers than its launch bounds leave to a thread. */
static int registers_of(const struct kernel *k)
{
	const unsigned most = 255, file = 65536, granule = 8;
	unsigned limit = most;

	if (k->max_threads)
		limit = file / (k->max_threads * std::max(k->min_blocks, 1u)) / granule * granule;
	return (int)std::min({ k->registers, limit, most });
}

cudaError_t executor_facts(const void *host, struct kernel_facts *facts)
{
	const struct kernel *const k = kernel_find(host);

	*facts = {};
	if (!k)
		return cudaErrorInvalidDeviceFunction;
	facts->max_threads = (int)k->max_threads;
	facts->registers = registers_of(k);
	facts->shared_bytes = k->shared_bytes;
	facts->local_bytes = k->local_bytes;
	return cudaSuccess;
}

/* The capability of the first module: all are compiled for one architecture. */
int executor_capability(void)
{
	static int known;

	if (!known && !modules().empty())
		known = target_of(modules()[0]->text);
	return known ? known : 90;
}

/* ---- kernels and opcodes reached ------------------------------------------------------------- */

/* The source file of a kernel, from the first line that nvcc gives. */
static const char *file_of(const struct kernel *k)
{
	for (const struct instruction &i : k->code)
		if (i.file)
			return k->module->files[i.file].c_str();
	return "?";
}

/* Write a line for each kernel and each opcode, with its executions; see README.md, REACHED. */
static void write_reached(FILE *out)
{
	for (struct module *m : modules()) {
		load(m);
		for (const auto &k : m->kernels)
			fprintf(out, "%s %s\t%s\n", k.second->reached ? "reached" : "unreached",
				file_of(k.second), k.second->demangled.c_str());
	}
	for (const auto &f : module_forms())
		fprintf(out, "form %llu %s\n", (unsigned long long)f.second, f.first.c_str());
}

static __attribute__((destructor)) void at_exit(void)
{
	reached_append(write_reached);
}
