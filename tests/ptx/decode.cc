/* decode.cc -- a statement to an instruction.  The opcode selects the form, which lists the
 * operands.  An unknown opcode is an error.
 */
#include <string.h>

#include <algorithm>
#include <stdexcept>

#include "tests/ptx/form.h"
#include "tests/ptx/parse.h"

static const struct form *find_form(std::string_view name)
{
	/* Never destroyed: a module may be loaded during exit. */
	static const form_table &table = *[] {
		form_table *const t = new form_table;

		for (const auto add : { add_integers, add_bits, add_floats, add_conversions,
					add_moves, add_memory, add_warps })
			add(*t);
		return t;
	}();
	const auto found = table.find(std::string(name));

	return found == table.end() ? nullptr : &found->second;
}

/* ---- operands ---------------------------------------------------------------------------- */

/* The least width in bytes that a pattern letter stands for. */
static unsigned least_bytes(char letter)
{
	return letter == 'd' ? 8 : letter == 'w' ? 4 : letter == 'h' ? 2 : 1;
}

/* The vector of an access, or its only element.  All elements have one width: the handler requires
 * it. */
static void take_elements(struct statement &s, unsigned bytes, bool results)
{
	const struct operand *const first = results ? s.i.out + s.i.outs : s.i.in + s.i.ins;

	if (s.i.width > 1)
		s.parser->want("{");
	for (unsigned n = 0; n < s.i.width; n++) {
		if (n)
			s.parser->want(",");
		results ? s.out(bytes, true) : s.in(bytes, true);
		if (first[n].bytes != first[0].bytes)
			s.parser->fail("registers of several widths in one vector");
	}
	if (s.i.width > 1)
		s.parser->want("}");
}

/* Take operands as a form describes them, results before '=', separated by commas:
 *
 *	0 2 4 8    a predicate, or a value of this many bytes
 *	b h w d    the elements of the vector, of 1, 2, 4, 8 bytes, or in wider registers
 *	{ }        themselves
 *	[          an address
 *	|          an optional second result, a predicate
 *	?          the end, unless a comma follows
 *	D          the offset of the preceding address, for instruction.detail
 *	L N %      a label; a number, for instruction.detail; anything, which is skipped
 *	*          a mask of all lanes, not in the text
 */
static void take_operands(struct statement &s, std::string_view pattern)
{
	struct parser *const p = s.parser;
	bool results = pattern.find('=') != pattern.npos, comma = false;

	for (const char c : pattern) {
		if (c == '?' && !p->is(","))
			return;
		if (comma && !strchr("=|?*}D", c))
			p->want(",");
		comma = comma ? c != '{' : !strchr("={?", c);
		if (c == '=')
			results = false;
		else if (c >= '0' && c <= '9')
			results ? s.out((unsigned)(c - '0'), false)
				: s.in((unsigned)(c - '0'), false);
		else if (strchr("bhwd", c))
			take_elements(s, least_bytes(c), results);
		else if (c == '{' || c == '}')
			p->want(std::string_view(&c, 1));
		else if (c == '[')
			s.address(s.i.space);
		else if (c == '|' && p->accept("|"))
			s.out(0, false);
		else if (c == 'D')
			s.offset_to_detail();
		else if (c == 'L')
			s.label();
		else if (c == 'N')
			s.i.detail = (uint8_t)p->number();
		else if (c == '%')
			(void)p->next();
		else if (c == '*')
			s.in_constant(~0u);
	}
}

/* ---- families ---------------------------------------------------------------------------- */

/* mov has forms that its opcode does not show: pairs and special registers. */
static const struct form *find_move(const struct statement &s)
{
	const struct token *const operands = &s.parser->tokens[s.parser->at];
	const std::string type(s.opcode.substr(3));

	if (operands[0].text == "{")
		return find_form("unpack" + type);
	if (operands[2].text == "{")
		return find_form("pack" + type);
	const struct form *const special = find_form(operands[2].text);

	return special ? special : find_form(s.opcode);
}

/* True if the word is one of the names; *value is its index. */
template <class E>
static bool is_named(std::string_view word, std::initializer_list<std::string_view> names, E *value)
{
	const auto found = std::find(names.begin(), names.end(), word);

	if (found != names.end())
		*value = (E)(found - names.begin());
	return found != names.end();
}

/* The opcodes of ld, st and atom contain space, order, scope and width, in any order.  Without an
 * order loads and stores are weak and atomics relaxed; without a scope it is .gpu. */
static const struct form *find_access(std::string_view opcode, struct instruction *how)
{
	std::string name;

	how->order = opcode.starts_with("atom") ? RELAXED : WEAK_ORDER;
	how->scope = SCOPE_GPU;
	for (size_t at = 0, end; at < opcode.size(); at = end + 1) {
		end = std::min(opcode.find('.', at), opcode.size());
		const std::string_view word = opcode.substr(at, end - at);

		if (!is_named(word, { "", "global", "shared", "local" }, &how->space) &&
		    !is_named(word, { "", "relaxed", "acquire", "release", "acq_rel", "volatile" },
			      &how->order) &&
		    !is_named(word, { "cta", "gpu" }, &how->scope) &&
		    !is_named(word, { "", "", "v2", "", "v4" }, &how->width) && word != "nc")
			name += std::string(name.empty() ? "" : ".").append(word);
	}
	return find_form(name);
}

static bool is_access(std::string_view opcode)
{
	return opcode.starts_with("ld.") || opcode.starts_with("st.") ||
	       opcode.starts_with("atom.");
}

void decode(struct statement &s)
{
	struct instruction how;
	const struct form *const form = is_access(s.opcode)            ? find_access(s.opcode, &how)
					: s.opcode.starts_with("mov.") ? find_move(s)
								       : find_form(s.opcode);

	if (!form)
		throw std::runtime_error("unknown opcode " + std::string(s.opcode));
	s.i = form->i;
	if (is_access(s.opcode)) {
		s.i.order = how.order;
		s.i.scope = how.scope;
		s.i.width = how.width;
		s.i.space = how.space ? how.space : s.i.space;
		if (how.space == LOCAL)
			s.i.kind = LOCAL_MEMORY;
		else if (how.space == SHARED)
			s.i.kind = (enum instruction_class)(s.i.kind + LOAD_SHARED - LOAD_GLOBAL);
	}
	take_operands(s, form->operands);
}
