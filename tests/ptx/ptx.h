/* ptx.h -- a PTX program, parsed and decoded: what parse.cc makes and the machine executes.
 *
 *	lex.cc          text to tokens
 *	parse.cc        a module: variables, kernels, registers, labels
 *	decode*.cc      a statement to an instruction: which function, which operands
 *	allocate.cc     registers to places in a warp's register file
 *	op_*.cc         what each instruction does to the lanes of a warp
 *
 * Nothing is skipped: an opcode, a qualifier, a directive or an operand that is not known, or a
 * register whose width does not fit the instruction, stops the load with its line.
 */
#ifndef GPUBENCH_TESTS_PTX_PTX_H
#define GPUBENCH_TESTS_PTX_PTX_H

#include <stddef.h>
#include <stdint.h>

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

enum type : uint8_t {
	NONE,
	U8,
	S8,
	B8,
	U16,
	S16,
	B16,
	U32,
	S32,
	B32,
	U64,
	S64,
	B64,
	F32,
	F64,
	PRED
};
enum space : uint8_t { GENERIC, GLOBAL, SHARED, LOCAL, PARAM, CONSTANT_SPACE };

static inline unsigned type_bytes(enum type type)
{
	static const uint8_t bytes[] = { 0, 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 4, 8, 0 };

	return bytes[type];
}

/* Where the 32 lanes of an operand lie, side by side; a predicate is one word of 32 bits. */
enum operand_kind : uint8_t { REGISTER, CONSTANT, ABSENT };
struct operand {
	enum operand_kind kind = ABSENT;
	bool negated = false; /* of a predicate */
	uint8_t bytes = 0;    /* of one lane; 0: predicate */
	/* Byte offset in the warp's register file or in the kernel's constants; a register's
	 * number until allocate.cc has placed it. */
	uint32_t at = 0;
};

/* What the warp's scheduler has to know of an instruction; see warp.cc. */
enum action : uint8_t {
	PLAIN,
	BRANCH,
	EXIT,
	MEET,     /* .sync: waits for the lanes of a mask, named by its last source */
	MEET_ANY, /* the same, at whichever bar.warp.sync */
	BARRIER,
	CLUSTER_ARRIVE,
	CLUSTER_WAIT,
	PAUSE, /* nanosleep: let others run */
	TRAP,
};

/* For the counts. */
enum instruction_class : uint8_t {
	ARITHMETIC,
	FLOATING,
	CONTROL,
	WARP_OPERATION,
	SYNCHRONISATION,
	LOAD_GLOBAL,
	STORE_GLOBAL,
	ATOMIC_GLOBAL,
	LOAD_SHARED,
	STORE_SHARED,
	ATOMIC_SHARED,
	LOCAL_MEMORY,
	PARAMETER,
	FENCE,
	CLASSES,
};

enum memory_order : uint8_t { WEAK_ORDER, RELAXED, ACQUIRE, RELEASE, ACQ_REL, VOLATILE };
enum scope : uint8_t { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

enum { MAX_OUT = 4, MAX_IN = 11 };

struct warp;
struct instruction;
typedef void (*handler)(struct warp &w, const struct instruction &i, uint32_t mask);

struct instruction {
	handler run = nullptr;
	struct operand guard; /* ABSENT: none */
	enum action action = PLAIN;
	enum instruction_class kind = ARITHMETIC;
	enum space space = GENERIC;
	enum memory_order order = WEAK_ORDER;
	enum scope scope = SCOPE_CTA;
	uint8_t bytes = 0;  /* of one element in memory */
	uint8_t width = 1;  /* elements of a vector */
	uint8_t detail = 0; /* what the handler makes of it: a special register, a shfl mode, ... */
	uint8_t outs = 0, ins = 0;
	struct operand out[MAX_OUT], in[MAX_IN];
	int64_t offset = 0;  /* of an address: in[0] + offset */
	uint32_t target = 0; /* of a branch */
	uint32_t ptx_line = 0;
	uint16_t file = 0; /* of the source, by .loc; 0: unknown */
	uint32_t line = 0;
	std::string_view text; /* in the module's text */
};

struct parameter {
	std::string_view name;
	uint32_t at, bytes;
};

struct kernel {
	std::string name, demangled;
	struct module *module = nullptr;
	std::vector<struct instruction> code;
	std::vector<struct parameter> parameters;
	std::vector<uint8_t> constants; /* each 32 times, for 32 lanes */
	uint32_t parameter_bytes = 0;
	uint32_t register_bytes = 0; /* of a warp's register file */
	uint32_t registers = 0;      /* 32-bit registers live at once, at most */
	uint32_t shared_bytes = 0, local_bytes = 0;
	uint32_t max_threads = 0, min_blocks = 0;
	bool reached = false;
};

struct variable {
	uint8_t *at;
	size_t bytes;
};

struct module {
	std::string text;
	int capability = 0;             /* of .target sm_90: 90 */
	std::vector<std::string> files; /* by number, as .loc has it */
	std::map<std::string_view, struct kernel *> kernels;
	std::map<std::string_view, struct variable> variables; /* .global and .const */
	std::string error; /* why it could not be loaded; empty: it was */
};

/* Parse a module; on an error module->error says where and why, and it has no kernels. */
void module_parse(struct module *module);
/* All full opcodes met so far, and how often: "add.s32". */
std::map<std::string, uint64_t> &module_forms(void);

/* ---- inside the parser ------------------------------------------------------------------- */

struct token {
	std::string_view text;
	uint32_t line;
};
/* Empty tokens mark the end.  Throws std::runtime_error. */
std::vector<struct token> tokens_of(const std::string &text);

/* The operands and qualifiers of one statement, for the decoders. */
struct statement {
	struct parser *parser;
	std::string_view opcode;             /* "ld.global.u32" */
	std::vector<std::string_view> words; /* "ld", "global", "u32" */
	struct instruction i;

	/* Take a qualifier off the list, wherever it stands; true if it was there. */
	bool take(std::string_view word);
	/* The next qualifier, which must be a type. */
	enum type take_type(void);
	[[noreturn]] void fail(const std::string &why) const;
	/* Operands, in order.  out/in: add one of the given width (0: a predicate). */
	void comma(void);
	bool next_is(std::string_view text) const;
	void out(unsigned bytes);
	void in(unsigned bytes);
	void outs_vector(unsigned count, unsigned least_bytes); /* {a, b} or a; at least so wide */
	void ins_vector(unsigned count, unsigned least_bytes);  /* of one {a} as well */
	void in_constant(uint64_t value); /* of 4 bytes, that the text does not have */
	void address(enum space space);   /* [reg+imm], [var+imm] -> in[0], offset */
	uint64_t immediate(void);
	void label(void);
	std::string_view word(void); /* any token */
	std::string_view peek(void) const;
};

/* Sets run, operands and what else belongs to the opcode; throws on what it does not know. */
void decode(struct statement &s);
bool decode_arithmetic(struct statement &s); /* false: not its opcode */
bool decode_memory(struct statement &s);
bool decode_warp(struct statement &s);

/* Give registers their places; sets register_bytes and registers.  bytes: of register n. */
void allocate_registers(struct kernel *k, const std::vector<uint8_t> &bytes);

enum type type_of(std::string_view word); /* "u32"; NONE: no type */

#endif
