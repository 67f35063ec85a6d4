/* parse.h -- the parser's state, shared by parse.cc and operand.cc. */
#ifndef GPUBENCH_TESTS_PTX_PARSE_H
#define GPUBENCH_TESTS_PTX_PARSE_H

#include "tests/ptx/ptx.h"

struct token {
	std::string_view text;
	uint32_t line;
};
/* Ends with empty tokens.  Throws std::runtime_error. */
std::vector<struct token> tokens_of(const std::string &text);

struct declared_register {
	uint32_t number;
	uint8_t bytes; /* 0: predicate */
};

/* The registers of one pair of braces: single names, and families like %r<44>. */
struct register_scope {
	std::unordered_map<std::string_view, struct declared_register> names;
	struct family {
		std::string_view prefix;
		uint32_t first, count;
		uint8_t bytes;
	};
	std::vector<struct family> families;
};

struct variable {
	std::string_view name;
	size_t bytes, align;
};

/* An operand whose value is known at the end of the kernel: the start of dynamic shared memory. */
struct late_value {
	uint32_t instruction;
	int in; /* operand number; -1: the offset of the address */
	int64_t addend;
};

struct kernel_parts {
	struct kernel *kernel = nullptr;
	std::vector<struct register_scope> scopes;
	std::vector<uint8_t> register_bytes;
	std::unordered_map<std::string_view, uint32_t> addresses; /* shared and local variables */
	std::unordered_map<std::string_view, uint32_t> labels;
	std::vector<std::pair<uint32_t, struct token>> jumps;
	std::vector<struct late_value> late;
	size_t dynamic_align = 1;
	std::map<std::pair<uint64_t, unsigned>, uint32_t> constants;
	std::string_view function;
	uint16_t file = 0, caller_file = 0;
	uint32_t line = 0, caller_line = 0;
};

struct parser : kernel_parts {
	struct module *module;
	std::vector<struct token> tokens;
	size_t at = 0;
	std::unordered_map<std::string_view, struct variable> module_shared;
	std::unordered_map<std::string_view, size_t> dynamic_shared; /* alignment */

	std::string_view text(void) const
	{
		return tokens[at].text;
	}
	bool is(std::string_view t) const
	{
		return tokens[at].text == t;
	}
	std::string_view next(void);
	void want(std::string_view t);
	bool accept(std::string_view t);
	uint64_t number(void); /* signed */
	[[noreturn]] void fail(const std::string &why) const;
};

/* The operands and qualifiers of one statement, for decode.cc. */
struct statement {
	struct parser *parser;
	std::string_view opcode; /* "ld.global.u32" */
	struct instruction i;

	/* Append an operand of the given width (0: a predicate), or of at least this width. */
	void out(unsigned bytes, bool wider);
	void in(unsigned bytes, bool wider);
	void add_in(const struct operand &o);
	void in_constant(uint64_t value); /* 4 bytes that are not in the text */
	void address(enum space space);   /* [reg+imm], [var+imm] -> in[0], offset */
	void offset_to_detail(void);
	void label(void);
};

/* Set run, the operands and the other fields from the opcode.  Throws if something is unknown. */
void decode(struct statement &s);

static inline size_t round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/* operand.cc */
bool parse_number(std::string_view text, uint64_t *value);
uint32_t new_register(struct parser *p, unsigned bytes);
const struct declared_register *find_register(struct parser *p, std::string_view name,
					      struct declared_register *room);
/* Place the variable after those that use the first *used bytes. */
uint32_t place_variable(uint32_t *used, const struct variable &v);
/* The place among the kernel's constants of `value` in every lane. */
uint32_t constant_at(struct parser *p, uint64_t value, unsigned bytes);

#endif
