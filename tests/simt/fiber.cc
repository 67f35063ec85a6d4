/* fiber.cc -- stacks, and the switch from one to another.
 *
 * On x86-64 the switch pushes the callee-saved registers on the old stack and returns on the new
 * one.  Other machines use ucontext, which is much slower: it also saves the signal mask.
 *
 * AddressSanitizer is notified of each switch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/simt/engine.h"

enum { PAGE = 4096 };

void quiet_fill(void *to, int value, size_t bytes)
{
#if defined(__x86_64__)
	asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(value) : "memory");
#else
	for (volatile char *p = (volatile char *)to; bytes--;)
		*p++ = (char)value;
#endif
}

void *fresh_memory(size_t bytes)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (memory == MAP_FAILED) {
		perror("simt: mmap");
		abort();
	}
	return memory;
}

/* ---- the switch ------------------------------------------------------------------------------ */

#if !defined(__x86_64__)

#include <ucontext.h>

static void prepare(struct simt_carrier *c)
{
	if (!c->sp)
		c->sp = calloc(1, sizeof(ucontext_t));

	ucontext_t *const context = (ucontext_t *)c->sp;

	getcontext(context);
	context->uc_stack.ss_sp = c->stack;
	context->uc_stack.ss_size = c->size;
	context->uc_link = NULL;
	makecontext(context, (void (*)())simt_carrier_main, 1, c);
}

static inline void swap(struct simt_carrier *from, struct simt_carrier *to)
{
	if (!from->sp)
		from->sp = calloc(1, sizeof(ucontext_t));
	swapcontext((ucontext_t *)from->sp, (ucontext_t *)to->sp);
}

#else

/* simt_swap(&save, load): push the registers, save = sp, sp = load, pop the registers, return.
 * simt_start: the return address of a new stack; calls simt_carrier_main(carrier). */
extern "C" void simt_swap(void **save, void *load);
extern "C" void simt_start(void);

asm(".text\n"
    ".p2align 4\n"
    ".type simt_swap,@function\n"
    "simt_swap:\n"
    "	pushq %rbp\n"
    "	pushq %rbx\n"
    "	pushq %r12\n"
    "	pushq %r13\n"
    "	pushq %r14\n"
    "	pushq %r15\n"
    "	movq %rsp,(%rdi)\n"
    "	movq %rsi,%rsp\n"
    "	popq %r15\n"
    "	popq %r14\n"
    "	popq %r13\n"
    "	popq %r12\n"
    "	popq %rbx\n"
    "	popq %rbp\n"
    "	popq %rcx\n"
    "	jmp *%rcx\n"
    ".size simt_swap,.-simt_swap\n"
    ".type simt_start,@function\n"
    "simt_start:\n"
    "	xorl %ebp,%ebp\n"
    "	andq $-16,%rsp\n"
    "	movq %r12,%rdi\n"
    "	call simt_carrier_main\n"
    "	ud2\n"
    ".size simt_start,.-simt_start\n");

/* Return the initial stack pointer of a new stack, laid out as simt_swap() leaves one. */
static void *first_frame(void **top, struct simt_carrier *c)
{
	*--top = (void *)simt_start;
	*--top = NULL; /* rbp */
	*--top = NULL; /* rbx */
	*--top = c;    /* r12 */
	*--top = NULL; /* r13, r14, r15 */
	*--top = NULL;
	*--top = NULL;
	return top;
}

static void prepare(struct simt_carrier *c)
{
	/* Stacks start at different offsets so that they do not compete for the same cache
	 * lines. */
	static unsigned colour;
	const size_t offset = (__atomic_fetch_add(&colour, 1, __ATOMIC_RELAXED) % 64) * 64;

	c->sp = first_frame((void **)(c->stack + ((c->size - 256) & ~(size_t)63) - offset), c);
}

static inline void swap(struct simt_carrier *from, struct simt_carrier *to)
{
	simt_swap(&from->sp, to->sp);
}

#endif

/* ---- carriers ------------------------------------------------------------------------------- */

/* The struct of the carrier is at the top of its stack; a guard page is below the stack. */
static struct simt_carrier *create(void)
{
	char *const memory = (char *)fresh_memory(PAGE + runtime_options.stack);
	struct simt_carrier *const c =
		(struct simt_carrier *)(memory + PAGE + runtime_options.stack - sizeof *c);

	mprotect(memory, PAGE, PROT_NONE);
	c->stack = memory + PAGE;
	c->size = runtime_options.stack - sizeof *c;
	prepare(c);
	c->next_all = simt_worker->all;
	simt_worker->all = c;
	return c;
}

struct simt_carrier *carrier_take(void)
{
	struct simt_carrier *const c = simt_worker->free;

	if (!c)
		return create();
	simt_worker->free = c->next;
	return c;
}

void carrier_give(struct simt_carrier *c)
{
	struct worker *const w = simt_worker;

	c->next = w->free;
	w->free = c;
}

void carrier_reset_all(void)
{
	simt_worker->free = NULL;
	for (struct simt_carrier *c = simt_worker->all; c; c = c->next_all) {
		IF_LINKED(__asan_unpoison_memory_region, c->stack, c->size);
		prepare(c);
		carrier_give(c);
	}
}

void carrier_describe_self(struct simt_carrier *c)
{
	pthread_attr_t attributes;
	void *stack = NULL;
	size_t size = 0;

	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstack(&attributes, &stack, &size);
		pthread_attr_destroy(&attributes);
	}
	c->stack = (char *)stack;
	c->size = size;
}

void carrier_switch(struct simt_carrier *to)
{
	struct worker *const w = simt_worker;
	struct simt_carrier *const from = w->running;

	w->running = to;
	w->switches++;
	IF_LINKED(__sanitizer_start_switch_fiber, &from->asan_fake_stack, to->stack, to->size);
	swap(from, to);
	IF_LINKED(__sanitizer_finish_switch_fiber, from->asan_fake_stack, NULL, NULL);
}
