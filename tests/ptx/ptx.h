/* ptx.h -- a parsed and decoded PTX program: parse.cc builds it, the machine executes it.
 *
 *	lex.cc          text to tokens
 *	parse.cc        a module: variables, kernels, registers, labels
 *	decode.cc       a statement to an instruction: its form and operands
 *	allocate.cc     assigns registers to places in a warp's register file
 *	op_*.cc         the forms: the effect of each instruction on the lanes of a warp
 *
 * Nothing is ignored: an unknown opcode, qualifier, directive or operand, or a register whose width
 * does not match the instruction, is an error with its line.
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

enum space : uint8_t { GENERIC, GLOBAL, SHARED, LOCAL, PARAM };

/* The storage of an operand: 32 consecutive lanes.  A predicate is one word of 32 bits. */
enum operand_kind : uint8_t { REGISTER, CONSTANT, ABSENT };
struct operand {
	enum operand_kind kind = ABSENT;
	bool negated = false; /* the negation of a predicate */
	uint8_t bytes = 0;    /* bytes per lane; 0: predicate */
	/* Byte offset in the warp's register file or in the kernel's constants.  Until allocate.cc
	 * has run, the number of the register. */
	uint32_t at = 0;
};

/* The scheduler's action for an instruction; see warp.cc. */
enum action : uint8_t {
	PLAIN,
	BRANCH,
	EXIT,
	MEET,     /* .sync: waits for the lanes of the mask in its last source */
	MEET_ANY, /* the same, at any bar.warp.sync */
	BARRIER,
	CLUSTER_ARRIVE,
	CLUSTER_WAIT,
	PAUSE, /* nanosleep: let other warps run */
	TRAP,
};

/* Classes that counts.cc distinguishes. */
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
enum scope : uint8_t { SCOPE_CTA, SCOPE_GPU };

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
	bool stale = false; /* gpu_ld_stale(): the load may race */
	uint8_t bytes = 0;  /* per element in memory */
	uint8_t width = 1;  /* elements of a vector */
	uint8_t detail = 0; /* for the handler: a special register, a shfl mode, ... */
	uint8_t outs = 0, ins = 0;
	struct operand out[MAX_OUT], in[MAX_IN];
	int64_t offset = 0;  /* offset of an address: in[0] + offset */
	uint32_t target = 0; /* target of a branch */
	uint32_t ptx_line = 0;
	uint16_t file = 0;         /* source file, from .loc; 0: unknown */
	std::string_view function; /* label of the name of an inlined function; empty: none */
	uint16_t caller_file = 0;  /* where it was inlined */
	uint32_t line = 0, caller_line = 0;
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
	std::vector<uint8_t> constants; /* each repeated for 32 lanes */
	uint32_t parameter_bytes = 0;
	uint32_t register_bytes = 0; /* size of a warp's register file */
	uint32_t registers = 0;      /* most 32-bit registers live at once */
	uint32_t shared_bytes = 0, local_bytes = 0;
	uint32_t max_threads = 0, min_blocks = 0;
	bool reached = false;
	bool fences = false; /* it has memory fences */
	bool polls = false;  /* it has loops that wait for other blocks */
};

struct module {
	std::string text;
	int capability = 0;             /* 90 for .target sm_90 */
	std::vector<std::string> files; /* by the number that .loc uses */
	std::map<std::string_view, struct kernel *> kernels;
	std::map<std::string_view, std::string> functions; /* mangled names by label */
	std::string error; /* why loading failed; empty: it did not */
};

/* Parse a module.  On an error module->error has the line and the reason, and there are no
 * kernels. */
void module_parse(struct module *module);
/* All full opcodes met so far, such as "add.s32", and their numbers of occurrences. */
std::map<std::string, uint64_t> &module_forms(void);

/* Assign places to registers, and set register_bytes and registers. bytes[n] is the width of
 * register n. */
void allocate_registers(struct kernel *k, const std::vector<uint8_t> &bytes);

#endif
