/* decode.cc -- a statement to an instruction: tables for what is regular, a function for each
 * family that is not.
 *
 * A family takes its qualifiers off the statement's list; one that is left stops the load, and so
 * does a combination without a handler.
 */
#include "tests/ptx/machine.h"

/* Operands as a table's entry describes them: "8=44", 0 being a predicate. */
static void take_operands(struct statement &s, const char *pattern)
{
	bool first = true, results = true;

	for (const char *c = pattern; *c; c++) {
		if (*c == '=') {
			results = false;
			continue;
		}
		if (!first)
			s.comma();
		first = false;
		if (results)
			s.out((unsigned)(*c - '0'));
		else
			s.in((unsigned)(*c - '0'));
	}
}

static const struct form *find_form(std::string_view opcode)
{
	/* Never destroyed: a module may be loaded at the very end. */
	static auto &forms = *new std::unordered_map<std::string_view, const struct form *>;

	if (forms.empty())
		for (const struct form_table &t :
		     { integer_forms, bit_forms, float_forms, move_forms })
			for (size_t n = 0; n < t.count; n++)
				forms[t.form[n].name] = &t.form[n];
	const auto found = forms.find(opcode);

	return found == forms.end() ? nullptr : found->second;
}

static bool decode_table(struct statement &s)
{
	const struct form *const form = find_form(s.opcode);

	if (!form)
		return false;
	s.words.clear();
	s.i.run = form->run;
	s.i.kind = form->kind;
	take_operands(s, form->operands);
	return true;
}

/* ---- moves, comparisons, conversions ----------------------------------------------------- */

static std::string sized(const char *what, unsigned bytes)
{
	return std::string(what) + std::to_string(8 * bytes);
}

/* mov.b64 {a, b}, c */
static void unpack(struct statement &s, unsigned bytes)
{
	s.outs_vector(2, bytes / 2);
	s.comma();
	s.in(bytes);
	s.i.run = move_handler(sized("unpack.", bytes));
}

/* mov.b64 a, {b, c};  mov.u32 a, %tid.x;  mov.u32 a, b */
static void move(struct statement &s)
{
	unsigned number, bytes;
	const unsigned width = type_bytes(s.take_type());

	if (s.next_is("{")) {
		unpack(s, width);
		return;
	}
	s.out(width);
	s.comma();
	if (s.next_is("{")) {
		s.ins_vector(2, width / 2);
		s.i.run = move_handler(sized("pack.", width));
		return;
	}
	s.i.run = special_handler(s.peek(), &number, &bytes);
	if (s.i.run) {
		if (bytes != width)
			s.fail("a special register of another width");
		(void)s.word();
		s.i.detail = (uint8_t)number;
		return;
	}
	s.in(width);
	s.i.run = find_form(s.opcode)->run;
}

/* setp.lt.and.s32 p|q, a, b, c */
static void compare(struct statement &s)
{
	static const char *const joins[] = { "", "and", "or", "xor" };
	const std::string_view comparison = s.words.front();

	s.words.erase(s.words.begin());
	for (uint8_t j = 1; j < 4; j++)
		if (s.take(joins[j]))
			s.i.detail = j;
	const enum type type = s.take_type();

	s.i.run = compare_handler(type, comparison);
	s.i.kind = type == F32 || type == F64 ? FLOATING : ARITHMETIC;
	s.out(0);
	if (s.next_is("|")) {
		(void)s.word();
		s.out(0);
	}
	s.comma();
	s.in(type_bytes(type));
	s.comma();
	s.in(type_bytes(type));
	if (s.i.detail) {
		s.comma();
		s.in(0);
	}
}

/* cvt.rzi.s32.f32 d, a */
static void convert(struct statement &s)
{
	std::string_view rounding;

	for (const char *r : { "rn", "rni", "rzi", "rmi", "rpi" })
		if (s.take(r))
			rounding = r;
	const enum type to = s.take_type(), from = s.take_type();
	const bool floats = to == F32 || to == F64 || from == F32 || from == F64;

	s.i.run = convert_handler(to, from, rounding);
	s.i.kind = floats ? FLOATING : ARITHMETIC;
	if (to == F32 || to == F64)
		s.out(type_bytes(to));
	else
		s.outs_vector(1, type_bytes(to));
	s.comma();
	if (from == F32 || from == F64)
		s.in(type_bytes(from));
	else
		s.ins_vector(1, type_bytes(from));
}

/* cvta.shared.u64, cvta.to.local.u64; those of global memory are moves in a table */
static void convert_address(struct statement &s)
{
	const std::string to = s.take("to") ? "to." : "";

	s.i.run = s.take("shared")  ? move_handler("cvta." + to + "shared")
		  : s.take("local") ? move_handler("cvta." + to + "local")
				    : nullptr;
	if (s.take_type() != U64)
		s.i.run = nullptr;
	take_operands(s, "8=8");
}

static void map_address(struct statement &s)
{
	s.i.run = s.take_type() == U64 ? move_handler("mapa") : nullptr;
	take_operands(s, "8=84");
}

/* ---- control ----------------------------------------------------------------------------- */

static void branch(struct statement &s)
{
	(void)s.take("uni");
	s.i.run = nothing_handler();
	s.i.action = BRANCH;
	s.i.kind = CONTROL;
	s.label();
}

static void leave(struct statement &s)
{
	s.i.run = nothing_handler();
	s.i.action = EXIT;
	s.i.kind = CONTROL;
}

static void trap(struct statement &s)
{
	s.i.run = nothing_handler();
	s.i.action = TRAP;
	s.i.kind = CONTROL;
}

static void sleep(struct statement &s)
{
	s.i.run = s.take_type() == U32 ? nothing_handler() : nullptr;
	s.i.action = PAUSE;
	s.i.kind = CONTROL;
	s.in(4);
}

bool decode_arithmetic(struct statement &s)
{
	static const struct {
		const char *family;
		void (*decode)(struct statement &s);
	} families[] = {
		{ "mov", move },         { "setp", compare },
		{ "cvt", convert },      { "cvta", convert_address },
		{ "mapa", map_address }, { "bra", branch },
		{ "ret", leave },        { "exit", leave },
		{ "trap", trap },        { "nanosleep", sleep },
	};

	/* mov has forms that no table shows. */
	if (s.words[0] != "mov" || s.opcode == "mov.pred")
		if (decode_table(s))
			return true;
	for (const auto &f : families)
		if (s.words[0] == f.family) {
			s.words.erase(s.words.begin());
			f.decode(s);
			return true;
		}
	return false;
}

void decode(struct statement &s)
{
	if (!decode_arithmetic(s) && !decode_memory(s) && !decode_warp(s))
		s.fail("unknown opcode " + std::string(s.opcode));
	if (!s.i.run)
		s.fail("unknown form " + std::string(s.opcode));
}
