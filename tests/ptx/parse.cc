/* parse.cc -- parses a module: variables, kernels, declarations and statements. */
#include "tests/ptx/parse.h"

#include <cxxabi.h>
#include <stdlib.h>
#include <string.h>

#include <regex>
#include <stdexcept>

std::map<std::string, uint64_t> &module_forms(void)
{
	static std::map<std::string, uint64_t> *const forms = new std::map<std::string, uint64_t>;

	return *forms;
}

std::string_view parser::next(void)
{
	const std::string_view t = tokens[at].text;

	if (t.empty())
		fail("end of the text");
	at++;
	return t;
}

void parser::want(std::string_view t)
{
	if (!is(t))
		fail("'" + std::string(t) + "' was expected");
	at++;
}

bool parser::accept(std::string_view t)
{
	if (!is(t))
		return false;
	at++;
	return true;
}

void parser::fail(const std::string &why) const
{
	throw std::runtime_error(why + ", but there is '" + std::string(text()) + "'");
}

/* The width in bytes of a type like ".u32"; 0 for ".pred". */
static unsigned want_type(struct parser *p)
{
	const std::string_view word = p->text();
	uint64_t bits = 0;

	if (word != ".pred" && (word.size() < 3 || !strchr("busf", word[1]) ||
				!parse_number(word.substr(2), &bits) || bits > 64))
		p->fail("a type was expected");
	p->at++;
	return (unsigned)bits / 8;
}

/* ---- declarations ------------------------------------------------------------------------ */

/* .reg .b32 %r<44>, x; */
static void declare_registers(struct parser *p)
{
	const unsigned bytes = want_type(p);

	do {
		const std::string_view name = p->next();
		struct register_scope &scope = p->scopes.back();

		if (!p->accept("<")) {
			scope.names[name] = { new_register(p, bytes), (uint8_t)bytes };
			continue;
		}
		const uint32_t count = (uint32_t)p->number();

		scope.families.push_back(
			{ name, (uint32_t)p->register_bytes.size(), count, (uint8_t)bytes });
		for (uint32_t n = 0; n < count; n++)
			new_register(p, bytes);
		p->want(">");
	} while (p->accept(","));
	p->want(";");
}

/* .align 4 .b8 name[9216] */
static struct variable declared_variable(struct parser *p)
{
	struct variable v;

	v.align = p->accept(".align") ? p->number() : 0;
	v.bytes = want_type(p);
	if (!v.align)
		v.align = v.bytes;
	v.name = p->next();
	while (p->accept("[")) {
		v.bytes *= p->is("]") ? 0 : p->number();
		p->want("]");
	}
	return v;
}

/* A shared variable outside of kernels takes space only in kernels that name it. */
static void declare_shared(struct parser *p)
{
	const struct variable v = declared_variable(p);

	p->want(";");
	if (!v.bytes)
		p->dynamic_shared[v.name] = v.align;
	else if (p->kernel)
		p->addresses[v.name] = place_variable(&p->kernel->shared_bytes, v);
	else
		p->module_shared[v.name] = v;
}

static void declare_local(struct parser *p)
{
	const struct variable v = declared_variable(p);

	p->want(";");
	p->addresses[v.name] = place_variable(&p->kernel->local_bytes, v);
}

/* .loc 1 23 2, function_name $L__info_string36, inlined_at 1 20 3 */
static void location(struct parser *p)
{
	p->file = (uint16_t)p->number();
	p->line = (uint32_t)p->number();
	(void)p->number();
	p->function = {};
	p->caller_file = 0;
	if (p->accept(",")) {
		p->want("function_name");
		p->function = p->next();
		p->want(",");
		p->want("inlined_at");
		p->caller_file = (uint16_t)p->number();
		p->caller_line = (uint32_t)p->number();
		(void)p->number();
	}
}

/* ---- statements -------------------------------------------------------------------------- */

/* @%p1, @!%p1 or nothing. */
static struct operand parse_guard(struct parser *p)
{
	struct operand guard;
	struct declared_register r;

	if (!p->accept("@"))
		return guard;
	guard.negated = p->accept("!");
	if (!find_register(p, p->text(), &r) || r.bytes != 0)
		p->fail("a predicate was expected");
	p->at++;
	guard.kind = REGISTER;
	guard.at = r.number;
	return guard;
}

static void parse_statement(struct parser *p)
{
	const struct token first = p->tokens[p->at];
	const struct operand guard = parse_guard(p);
	struct statement s = { p, p->next(), {} };

	decode(s);
	const char *const end = p->text().data();

	p->want(";");
	s.i.guard = guard;
	s.i.ptx_line = first.line;
	s.i.file = p->file;
	s.i.line = p->line;
	s.i.function = p->function;
	s.i.caller_file = p->caller_file;
	s.i.caller_line = p->caller_line;
	p->kernel->fences |= s.i.kind == FENCE;
	s.i.text = std::string_view(first.text.data(), (size_t)(end - first.text.data()));
	module_forms()[std::string(s.opcode)]++;
	p->kernel->code.push_back(s.i);
}

/* Parse from after the kernel's opening brace to its closing brace. */
static void parse_body(struct parser *p)
{
	p->scopes.assign(1, {});
	while (!p->scopes.empty()) {
		if (p->accept("{"))
			p->scopes.emplace_back();
		else if (p->accept("}"))
			p->scopes.pop_back();
		else if (p->accept(".reg"))
			declare_registers(p);
		else if (p->accept(".shared"))
			declare_shared(p);
		else if (p->accept(".local"))
			declare_local(p);
		else if (p->accept(".loc"))
			location(p);
		else if (p->accept(".pragma"))
			(void)p->next(), p->want(";");
		else if (p->accept(";"))
			continue;
		else if (p->tokens[p->at + 1].text == ":")
			p->labels[p->next()] = (uint32_t)p->kernel->code.size(), p->want(":");
		else
			parse_statement(p);
	}
}

/* ---- kernels ----------------------------------------------------------------------------- */

/* .param .u64 name, .param .align 8 .b8 name[40] */
static void parse_parameter(struct parser *p)
{
	p->want(".param");
	const struct variable v = declared_variable(p);
	const uint32_t place = place_variable(&p->kernel->parameter_bytes, v);

	p->kernel->parameters.push_back({ v.name, place, (uint32_t)v.bytes });
}

static void parse_limits(struct parser *p)
{
	struct kernel *const k = p->kernel;

	while (!p->accept("{")) {
		if (p->accept(".maxntid")) {
			k->max_threads = (uint32_t)p->number();
			while (p->accept(","))
				k->max_threads *= (uint32_t)p->number();
		} else if (p->accept(".minnctapersm")) {
			k->min_blocks = (uint32_t)p->number();
		} else {
			p->fail("unknown directive of a kernel");
		}
	}
}

/* Place dynamic shared memory after the static variables, and replace labels by numbers. */
static void settle(struct parser *p)
{
	struct kernel *const k = p->kernel;

	if (!p->late.empty())
		k->shared_bytes = (uint32_t)round_up(k->shared_bytes, p->dynamic_align);
	for (const struct late_value &l : p->late) {
		struct instruction &i = k->code[l.instruction];
		const int64_t value = l.addend + k->shared_bytes;

		if (l.in < 0)
			i.offset = value;
		else
			i.in[l.in].at = constant_at(p, (uint64_t)value, i.in[l.in].bytes);
	}
	for (const auto &jump : p->jumps) {
		const auto found = p->labels.find(jump.second.text);

		if (found == p->labels.end())
			p->fail("no label " + std::string(jump.second.text));
		k->code[jump.first].target = found->second;
	}
}

/* Remove the namespace that names the architectures CUB was compiled for, so that a kernel has the
 * same name in all builds. */
static std::string demangle(const std::string &name)
{
	/* Never destroyed: modules are parsed during exit. */
	static const std::regex &cub_build = *new std::regex("CUB_[0-9]+_SM_[0-9_]+::");
	int status;
	char *const plain = abi::__cxa_demangle(name.c_str(), NULL, NULL, &status);
	const std::string result = std::regex_replace(plain ? plain : name.c_str(), cub_build, "");

	free(plain);
	return result;
}

/* True if a loop waits for other blocks: it reads global memory with strong loads and writes none.
 * Kernels that compare and swap do not count: they wait for locks. */
static bool has_polls(const std::vector<struct instruction> &code)
{
	uint32_t read = 0, written = 0; /* the instructions after the last ones that do so */
	bool polls = false;

	for (uint32_t n = 0; n < code.size(); n++) {
		const struct instruction &i = code[n];

		if (i.kind == ATOMIC_GLOBAL && i.ins > 2)
			return false;
		if (i.kind == LOAD_GLOBAL && i.order != WEAK_ORDER)
			read = n + 1;
		if (i.kind == STORE_GLOBAL || i.kind == ATOMIC_GLOBAL)
			written = n + 1;
		polls |= i.action == BRANCH && i.target < read && i.target >= written;
	}
	return polls;
}

static void parse_kernel(struct parser *p)
{
	struct kernel *const k = new struct kernel;
	const std::string_view name = p->next();

	static_cast<struct kernel_parts &>(*p) = {};
	p->kernel = k;

	k->name = name;
	k->demangled = demangle(k->name);
	k->module = p->module;
	if (p->accept("(")) {
		while (!p->accept(")")) {
			parse_parameter(p);
			(void)p->accept(",");
		}
	}
	parse_limits(p);
	parse_body(p);
	settle(p);
	k->polls = has_polls(k->code);
	k->constants.resize(round_up(k->constants.size(), 64));
	allocate_registers(k, p->register_bytes);
	p->module->kernels[name] = k;
	p->kernel = NULL;
}

/* ---- modules ----------------------------------------------------------------------------- */

static void skip_braces(struct parser *p)
{
	int depth = 0;

	do {
		depth += p->is("{");
		depth -= p->is("}");
		(void)p->next();
	} while (depth);
}

/* { label: .b8 95,90, ... } */
static void parse_names(struct parser *p)
{
	std::string *name = nullptr;

	p->want("{");
	while (!p->accept("}")) {
		if (p->tokens[p->at + 1].text == ":") {
			name = &p->module->functions[p->next()];
			p->want(":");
			continue;
		}
		p->want(".b8");
		do {
			*name += (char)p->number();
		} while (p->accept(","));
	}
}

/* Loads of gpu_ld_stale(), which may race. */
static void find_stale_loads(struct module *module)
{
	for (const auto &k : module->kernels)
		for (struct instruction &i : k.second->code) {
			const auto name = module->functions.find(i.function);

			i.stale = name != module->functions.end() &&
				  name->second.find("gpu_ld_stale") != name->second.npos;
		}
}

static void parse_directive(struct parser *p)
{
	if (p->accept(".visible") || p->accept(".weak") || p->accept(".extern"))
		return;
	if (p->accept(".version")) {
		(void)p->next();
	} else if (p->accept(".target")) {
		const std::string_view name = p->next(); /* sm_90 */

		p->module->capability = atoi(std::string(name).c_str() + 3);
		while (p->accept(","))
			(void)p->next();
	} else if (p->accept(".address_size")) {
		if (p->number() != 64)
			p->fail("addresses of 64 bits were expected");
	} else if (p->accept(".entry")) {
		parse_kernel(p);
	} else if (p->accept(".shared")) {
		declare_shared(p);
	} else if (p->accept(".global")) {
		/* CUB has variables that no kernel uses; the address of one is an unknown name. */
		(void)declared_variable(p);
		p->want(";");
	} else if (p->accept(".file")) {
		const size_t n = p->number();
		const std::string_view name = p->next();

		if (p->module->files.size() <= n)
			p->module->files.resize(n + 1);
		p->module->files[n] = name.substr(1, name.size() - 2);
	} else if (p->accept(".section")) {
		if (p->next() == ".debug_str")
			parse_names(p);
		else
			skip_braces(p);
	} else {
		p->fail("unknown directive");
	}
}

void module_parse(struct module *module)
{
	struct parser p;

	p.module = module;
	try {
		p.tokens = tokens_of(module->text);
		while (!p.text().empty())
			parse_directive(&p);
		find_stale_loads(module);
	} catch (const std::runtime_error &e) {
		const uint32_t line = p.tokens.empty() ? 0 : p.tokens[p.at].line;

		module->error = "line " + std::to_string(line) + " of the PTX: " + e.what();
		module->kernels.clear();
	}
}
