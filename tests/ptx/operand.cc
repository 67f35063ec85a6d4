/* operand.cc -- operands: registers, numbers, addresses of variables.
 *
 * A register must have exactly the width of its operand.  Only values of loads, stores and
 * conversions may be wider, as PTX specifies.
 */
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <stdexcept>

#include "tests/ptx/parse.h"

enum { LANES = 32 };

/* Decimal, 0x..., and the bits of a float or double as 0f... and 0d... */
bool parse_number(std::string_view text, uint64_t *value)
{
	const std::string s(text);
	const char second = s.size() > 2 && s[0] == '0' ? s[1] : 0;
	const bool bits = second == 'f' || second == 'F' || second == 'd' || second == 'D';
	char *end;

	if (s.empty() || s[0] < '0' || s[0] > '9')
		return false;
	*value = strtoull(s.c_str() + (bits ? 2 : 0), &end, bits ? 16 : 0);
	return !*end || strcmp(end, "U") == 0;
}

uint64_t parser::number(void)
{
	const bool minus = accept("-");
	uint64_t value;

	if (!parse_number(text(), &value))
		fail("a number was expected");
	at++;
	return minus ? 0 - value : value;
}

/* ---- registers and constants ------------------------------------------------------------- */

uint32_t new_register(struct parser *p, unsigned bytes)
{
	p->register_bytes.push_back((uint8_t)bytes);
	return (uint32_t)p->register_bytes.size() - 1;
}

/* True for a member of a family: %r12 is number 12 of %r<44>. */
static bool in_family(const struct register_scope::family &f, std::string_view name,
		      struct declared_register *found)
{
	uint64_t n;

	if (name.size() <= f.prefix.size() || name.compare(0, f.prefix.size(), f.prefix) != 0 ||
	    !parse_number(name.substr(f.prefix.size()), &n) || n >= f.count)
		return false;
	*found = { f.first + (uint32_t)n, f.bytes };
	return true;
}

/* The innermost register of this name, or NULL. */
const struct declared_register *find_register(struct parser *p, std::string_view name,
					      struct declared_register *room)
{
	for (size_t s = p->scopes.size(); s-- > 0;) {
		const auto found = p->scopes[s].names.find(name);

		if (found != p->scopes[s].names.end())
			return *room = found->second, room;
		for (const struct register_scope::family &f : p->scopes[s].families)
			if (in_family(f, name, room))
				return room;
	}
	return NULL;
}

uint32_t constant_at(struct parser *p, uint64_t value, unsigned bytes)
{
	std::vector<uint8_t> &pool = p->kernel->constants;
	const auto key = std::make_pair(value, bytes);
	const auto found = p->constants.find(key);

	if (found != p->constants.end())
		return found->second;
	const size_t place = round_up(pool.size(), 64);
	const uint32_t predicate = value ? ~0u : 0;

	pool.resize(place + (bytes ? LANES * bytes : sizeof predicate));
	if (!bytes)
		memcpy(&pool[place], &predicate, sizeof predicate);
	for (size_t l = 0; bytes && l < LANES; l++)
		memcpy(&pool[place + l * bytes], &value, bytes);
	return p->constants[key] = (uint32_t)place;
}

/* ---- variables --------------------------------------------------------------------------- */

uint32_t place_variable(uint32_t *used, const struct variable &v)
{
	const uint32_t place = (uint32_t)round_up(*used, v.align);

	*used = place + (uint32_t)v.bytes;
	return place;
}

/* A parameter's address is its offset. */
static const struct parameter *find_parameter(const struct kernel *k, std::string_view name)
{
	for (const struct parameter &q : k->parameters)
		if (q.name == name)
			return &q;
	return NULL;
}

/* The address of a variable or parameter.  *dynamic: the address is only known later. */
static bool symbol_value(struct parser *p, std::string_view name, uint64_t *value, bool *dynamic)
{
	const auto mine = p->addresses.find(name);
	const auto shared = p->module_shared.find(name);
	const auto last = p->dynamic_shared.find(name);
	const struct parameter *const parameter = find_parameter(p->kernel, name);

	*dynamic = false;
	*value = 0;
	if (parameter) {
		*value = parameter->at;
	} else if (mine != p->addresses.end()) {
		*value = mine->second;
	} else if (shared != p->module_shared.end()) {
		*value = p->addresses[name] =
			place_variable(&p->kernel->shared_bytes, shared->second);
	} else if (last != p->dynamic_shared.end()) {
		*dynamic = true;
		p->dynamic_align = std::max(p->dynamic_align, last->second);
	} else {
		return false;
	}
	return true;
}

/* A number, or an address with an optional offset. */
static uint64_t constant_value(struct parser *p, bool *dynamic)
{
	uint64_t value;

	*dynamic = false;
	if (p->is("-") || parse_number(p->text(), &value))
		return p->number();
	if (!symbol_value(p, p->text(), &value, dynamic))
		p->fail("unknown name");
	p->at++;
	if (p->accept("+"))
		value += p->number();
	return value;
}

/* ---- a statement's operands -------------------------------------------------------------- */

static void check_width(struct parser *p, const struct declared_register &r, unsigned bytes,
			bool wider)
{
	if (r.bytes == bytes || (wider && r.bytes > bytes))
		return;
	p->fail("register of " + std::to_string(8 * r.bytes) + " bits for an operand of " +
		std::to_string(8 * bytes));
}

static struct operand destination(struct parser *p, unsigned bytes, bool wider)
{
	struct declared_register r;
	struct operand o;

	o.kind = REGISTER;
	o.bytes = (uint8_t)bytes;
	if (p->accept("_")) {
		o.bytes = (uint8_t)(wider && bytes < 2 ? 2 : bytes);
		o.at = new_register(p, o.bytes);
		return o;
	}
	if (!find_register(p, p->text(), &r))
		p->fail("a register was expected");
	check_width(p, r, bytes, wider);
	p->at++;
	o.bytes = r.bytes;
	o.at = r.number;
	return o;
}

static struct operand source(struct statement *s, unsigned bytes, bool wider)
{
	struct parser *const p = s->parser;
	struct declared_register r;
	struct operand o;
	bool dynamic;

	o.negated = bytes == 0 && p->accept("!");
	o.bytes = (uint8_t)bytes;
	if (find_register(p, p->text(), &r)) {
		check_width(p, r, bytes, wider);
		p->at++;
		o.kind = REGISTER;
		o.bytes = r.bytes;
		o.at = r.number;
		return o;
	}
	const uint64_t value = constant_value(p, &dynamic);

	o.kind = CONSTANT;
	if (bytes == 1)
		o.bytes = 2; /* no register is narrower */
	if (dynamic)
		p->late.push_back({ (uint32_t)p->kernel->code.size(), s->i.ins, (int64_t)value });
	else
		o.at = constant_at(p, value, o.bytes);
	return o;
}

void statement::add_in(const struct operand &o)
{
	if (i.ins == MAX_IN)
		parser->fail("too many sources");
	i.in[i.ins++] = o;
}

void statement::out(unsigned bytes, bool wider)
{
	if (i.outs == MAX_OUT)
		parser->fail("too many destinations");
	i.out[i.outs++] = destination(parser, bytes, wider);
}

void statement::in(unsigned bytes, bool wider)
{
	add_in(source(this, bytes, wider));
}

void statement::in_constant(uint64_t value)
{
	struct operand o;

	o.kind = CONSTANT;
	o.bytes = 4;
	o.at = constant_at(parser, value, o.bytes);
	add_in(o);
}

/* [reg+imm] or [var+imm]. */
void statement::address(enum space space)
{
	struct declared_register r;
	struct operand base;
	bool dynamic = false;

	parser->want("[");
	i.offset = 0;
	if (find_register(parser, parser->text(), &r)) {
		if (r.bytes != 8 && !(r.bytes == 4 && (space == SHARED || space == LOCAL)))
			parser->fail("register of a wrong width for an address");
		base.kind = REGISTER;
		base.bytes = r.bytes;
		base.at = r.number;
		parser->at++;
	} else {
		base.kind = CONSTANT;
		base.bytes = 8;
		base.at = constant_at(parser, 0, 8);
		i.offset = (int64_t)constant_value(parser, &dynamic);
	}
	while (parser->accept("+"))
		i.offset += (int64_t)parser->number();
	if (dynamic)
		parser->late.push_back({ (uint32_t)parser->kernel->code.size(), -1, i.offset });
	parser->want("]");
	add_in(base);
}

void statement::offset_to_detail(void)
{
	i.detail = (uint8_t)i.offset;
	if (i.offset != i.detail)
		parser->fail("a shared address that is not a register");
}

void statement::label(void)
{
	parser->jumps.push_back(
		{ (uint32_t)parser->kernel->code.size(), parser->tokens[parser->at] });
	parser->at++;
}
