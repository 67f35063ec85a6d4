/* growth.cc -- with GPUBENCH_PTX_GROWTH=FILE: the largest 32-bit integers that make addresses.
 *
 * An index that is exact at the sizes of a test may need more than 32 bits at the largest size.
 * growth.py compares two sizes and extrapolates.  The integers are the results of additions,
 * multiplications and shifts, the operands of conversions from signed 32 to 64 bits, and those that
 * a conversion or a mask cuts to 32 bits or a few more, that addresses of global memory depend on
 * within the kernel.  They are computed without wrapping.  A dependence through memory is not
 * followed: the load's result starts anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <set>

#include "tests/ptx/machine.h"

/* The kinds of instructions of which values are recorded. */
enum site_kind : uint8_t { NO_SITE, ADD, SUBTRACT, MULTIPLY, MULTIPLY_ADD, SHIFT, EXTEND, CUT };

struct site {
	enum site_kind kind;
	unsigned bits; /* that hold the value */
	int64_t most;  /* -1: not reached */
};

/* Never destroyed: it is read at the very end. */
static auto &sites = *new std::unordered_map<const struct kernel *, std::vector<struct site>>;

static const struct {
	const char *opcode;
	enum site_kind kind;
} kinds[] = {
	{ "add.s32", ADD },
	{ "add.u32", ADD },
	{ "sub.s32", SUBTRACT },
	{ "sub.u32", SUBTRACT },
	{ "mul.lo.s32", MULTIPLY },
	{ "mul.lo.u32", MULTIPLY },
	{ "mad.lo.s32", MULTIPLY_ADD },
	{ "mad.lo.u32", MULTIPLY_ADD },
	{ "shl.b32", SHIFT },
	{ "mul.wide.s32", EXTEND },
	{ "mad.wide.s32", EXTEND },
	{ "cvt.s64.s32", EXTEND },
	{ "cvt.u32.u64", CUT },
	{ "and.b64", CUT },
};

/* ---- which integers ------------------------------------------------------------------------ */

/* The registers of a statement by their part in it; predicates are left out. */
struct parts {
	std::string_view opcode;
	std::vector<std::string_view> results, sources, address;
};

static bool in_name(char c)
{
	return c == '%' || c == '_' || c == '.' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct parts parts_of(std::string_view text)
{
	struct parts p;
	size_t at = text[0] == '@' ? text.find_first_not_of(" \t", text.find_first_of(" \t")) : 0;
	const size_t end = std::min(text.find_first_of(" \t", at), text.size());
	bool result = true, vector = false, bracket = false;

	p.opcode = text.substr(at, end - at);
	for (at = end; at < text.size(); at++) {
		const char c = text[at];
		size_t length = 0;

		vector = c == '{' || (vector && c != '}');
		bracket = c == '[' || (bracket && c != ']');
		result = result && !bracket && (vector || c != ',');
		while (c == '%' && at + length < text.size() && in_name(text[at + length]))
			length++;
		if (length && text[at + 1] != 'p')
			(bracket  ? p.address
			 : result ? p.results
				  : p.sources)
				.push_back(text.substr(at, length));
		at += length ? length - 1 : 0;
	}
	return p;
}

static bool is_memory(std::string_view opcode)
{
	for (const char *const start : { "ld.", "st.", "atom.", "red.", "cp.async." })
		if (opcode.substr(0, strlen(start)) == start)
			return true;
	return false;
}

static bool is_global(std::string_view opcode)
{
	for (const char *const other : { ".shared", ".local", ".param", ".const" })
		if (opcode.find(other) != opcode.npos && opcode.substr(0, 8) != "cp.async")
			return false;
	return true;
}

/* The registers that addresses of global memory depend on. */
static std::set<std::string_view> needed_by(const std::vector<struct parts> &code)
{
	std::set<std::string_view> needed;
	size_t before;

	for (const struct parts &p : code)
		if (is_memory(p.opcode) && is_global(p.opcode))
			needed.insert(p.address.begin(), p.address.end());
	do {
		before = needed.size();
		for (size_t n = code.size(); n-- > 0;)
			for (const std::string_view r : code[n].results)
				if (!is_memory(code[n].opcode) && needed.count(r))
					needed.insert(code[n].sources.begin(),
						      code[n].sources.end());
	} while (needed.size() > before);
	return needed;
}

/* The bits that a mask of a multiple of a 32-bit integer leaves; 0 for another mask. */
static unsigned bits_of_mask(std::string_view text)
{
	const uint64_t mask = strtoull(text.data() + text.rfind(',') + 1, NULL, 10);
	const unsigned bits = mask ? 64 - (unsigned)__builtin_clzll(mask) : 0;
	const uint64_t lowest = mask & -mask;

	return bits >= 32 && bits < 63 && mask + lowest == 1ull << bits ? bits : 0;
}

static std::vector<struct site> sites_of(const struct kernel *k)
{
	std::vector<struct parts> code;
	std::vector<struct site> found;

	for (const struct instruction &i : k->code)
		code.push_back(i.text.empty() ? parts() : parts_of(i.text));

	const std::set<std::string_view> needed = needed_by(code);

	for (size_t n = 0; n < code.size(); n++) {
		const struct parts &p = code[n];
		struct site site = { NO_SITE, 0, -1 };

		for (const auto &kind : kinds)
			if (p.opcode == kind.opcode && p.results.size() == 1 &&
			    needed.count(p.results[0]))
				site.kind = kind.kind;
		site.bits = site.kind == EXTEND ? 31 : 32;
		if (p.opcode == "and.b64")
			site.bits = bits_of_mask(k->code[n].text);
		if (!site.bits)
			site.kind = NO_SITE;
		found.push_back(site);
	}
	return found;
}

/* ---- values ---------------------------------------------------------------------------------- */

static int64_t value_of(const struct warp &w, const struct instruction &i, enum site_kind kind,
			unsigned lane)
{
	const auto in = [&](unsigned n) { return (int64_t)lanes<int32_t>(w, i.in[n])[lane]; };

	switch (kind) {
	case ADD:
		return in(0) + in(1);
	case SUBTRACT:
		return in(0) - in(1);
	case MULTIPLY:
		return in(0) * in(1);
	case MULTIPLY_ADD:
		return in(0) * in(1) + in(2);
	case SHIFT:
		return in(0) * (INT64_C(1) << (in(1) & 31));
	case CUT:
		return (int64_t)std::min<uint64_t>(lanes<uint64_t>(w, i.in[0])[lane], INT64_MAX);
	default:
		return in(0);
	}
}

void growth_note(const struct warp &w, const struct instruction &i, uint32_t mask)
{
	const auto known = sites.find(w.kernel);
	std::vector<struct site> &of =
		known != sites.end() ? known->second : sites[w.kernel] = sites_of(w.kernel);
	struct site *const s = &of[(size_t)(&i - w.kernel->code.data())];

	if (s->kind == NO_SITE)
		return;
	each_active(mask,
		    [&](unsigned l) { s->most = std::max(s->most, value_of(w, i, s->kind, l)); });
}

/* A line per value: kernel, PTX line, source line, bits that hold it, value, statement. */
static __attribute__((destructor)) void write_growth(void)
{
	FILE *const out = runtime_options.growth ? fopen(runtime_options.growth, "w") : NULL;

	for (const auto &entry : sites) {
		const struct kernel *const k = entry.first;

		for (size_t n = 0; out && n < k->code.size(); n++) {
			const struct instruction &i = k->code[n];
			const struct site &s = entry.second[n];

			if (s.kind == NO_SITE || s.most < 0)
				continue;
			fprintf(out, "%s\t%u\t%s:%u\t%u\t%lld\t%.*s\n", k->demangled.c_str(),
				i.ptx_line, k->module->files[i.file].c_str(), i.line, s.bits,
				(long long)s.most, (int)i.text.size(), i.text.data());
		}
	}
	if (out)
		fclose(out);
}
