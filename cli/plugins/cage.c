/* cage.c -- see cage.h.  A filter of system calls (seccomp), and no capabilities. */
#include "cli/plugins/cage.h"

#include <asm/sockios.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/text.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && !defined(__SANITIZE_ADDRESS__) && !defined(GPUBENCH_SIMT)
/* A call is denied always, unless or if an argument has the value, if that has none of the bits of
 * the value, or if it is a thread before that one: neither 0 nor as large. */
struct rule {
	long call;
	enum { ALWAYS, UNLESS, IF, WITHOUT, BEFORE } when;
	unsigned argument;
	uint32_t value;
};

enum { PER_RULE = 6, FIRST = 6, X32 = 0x40000000 };

/* Append the instructions of a rule.  The next one follows if it does not deny the call. */
static void append(struct sock_filter *code, const struct rule *rule)
{
	const size_t at = offsetof(struct seccomp_data, args) + (size_t)8 * rule->argument;
	const unsigned short test = rule->when == WITHOUT  ? BPF_JSET
				    : rule->when == BEFORE ? BPF_JGE
							   : BPF_JEQ;
	const unsigned less = rule->when == BEFORE; /* 0 then is the largest number */
	/* The instructions to skip if the test holds, and if it does not: 0 denies, 1 does not. */
	const unsigned char yes = rule->when != ALWAYS && rule->when != IF;
	const unsigned char no = rule->when == IF;
	/* The C library then calls clone(), whose flags can be read. */
	const uint32_t error = rule->call == SYS_clone3 ? ENOSYS : EPERM;

	code[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)rule->call, 0,
					       PER_RULE - 1);
	code[1] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)at);
	code[2] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, less);
	code[3] = (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, rule->value - less, yes, no);
	code[4] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
	code[5] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					       offsetof(struct seccomp_data, nr));
}

static enum gb_status filter_calls(struct gb_error *err)
{
	const uint32_t self = (uint32_t)getpid(), judge = (uint32_t)getppid();
	/* The judge's threads are older than this process, unless numbers have begun anew. */
	const struct rule its = judge < self ? (struct rule){ 0, BEFORE, 0, self }
					     : (struct rule){ 0, IF, 0, judge };
	const struct rule rules[] = {
#ifdef SYS_fork
		{ SYS_fork, ALWAYS, 0, 0 },
		{ SYS_vfork, ALWAYS, 0, 0 },
#endif
		{ SYS_clone, WITHOUT, 0, CLONE_THREAD },
		{ SYS_clone3, ALWAYS, 0, 0 },
		{ SYS_execve, ALWAYS, 0, 0 },
		{ SYS_execveat, ALWAYS, 0, 0 },
		{ SYS_ptrace, ALWAYS, 0, 0 },
		{ SYS_process_vm_readv, ALWAYS, 0, 0 },
		{ SYS_process_vm_writev, ALWAYS, 0, 0 },
		{ SYS_pidfd_open, ALWAYS, 0, 0 },
		{ SYS_pidfd_send_signal, ALWAYS, 0, 0 },
		{ SYS_kill, UNLESS, 0, self },
		{ SYS_tkill, ALWAYS, 0, 0 },
		{ SYS_tgkill, UNLESS, 0, self },
		{ SYS_rt_sigqueueinfo, UNLESS, 0, self },
		{ SYS_rt_tgsigqueueinfo, UNLESS, 0, self },
		{ SYS_prlimit64, UNLESS, 0, 0 },
		/* They send signals by way of a file. */
		{ SYS_fcntl, IF, 1, F_SETOWN },
		{ SYS_fcntl, IF, 1, F_SETOWN_EX },
		{ SYS_ioctl, IF, 1, FIOSETOWN },
		{ SYS_ioctl, IF, 1, SIOCSPGRP },
		{ SYS_prctl, IF, 0, PR_SET_PDEATHSIG },
		/* When the judge's threads have a processor. */
		{ SYS_setpriority, UNLESS, 0, PRIO_PROCESS },
		{ SYS_setpriority, its.when, 1, its.value },
		{ SYS_sched_setaffinity, its.when, 0, its.value },
		{ SYS_sched_setscheduler, its.when, 0, its.value },
		{ SYS_sched_setparam, its.when, 0, its.value },
		{ SYS_sched_setattr, its.when, 0, its.value },
	};
	struct sock_filter code[FIRST + PER_RULE * GB_COUNT(rules) + 1] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	const struct sock_fprog program = { .len = (unsigned short)GB_COUNT(code), .filter = code };

	for (size_t i = 0; i < GB_COUNT(rules); i++)
		append(code + FIRST + PER_RULE * i, &rules[i]);
	code[GB_COUNT(code) - 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return gb_fail(err, GB_ERUNTIME, "cannot restrict the plug-in's process: %s",
			       strerror(errno));
	return GB_OK;
}

/* Root's files may be in folders that only capabilities open. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	const uint32_t kept = 1U << CAP_DAC_READ_SEARCH;

	if (syscall(SYS_capget, &head, data))
		return;
	data[0].effective &= kept;
	data[0].permitted &= kept;
	data[0].inheritable = data[1].inheritable = 0;
	data[1].effective = data[1].permitted = 0;
	(void)syscall(SYS_capset, &head, data);
}

static enum gb_status confine(struct gb_error *err)
{
	const struct rlimit no_core = { 0, 0 };
	const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (file >= 0 && write(file, "1000", 4) < 0)
		errno = 0;
	if (file >= 0)
		(void)close(file);
	(void)setrlimit(RLIMIT_CORE, &no_core);
	drop_capabilities();
	return filter_calls(err);
}
#else
static enum gb_status confine(struct gb_error *err)
{
	return err->code;
}
#endif

enum gb_status gb_cage(struct gb_error *err)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	return confine(err);
}
