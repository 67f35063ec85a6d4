/* test_identity.c -- the machine that a time belongs to, and the files that may be appended to. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#include "cli/records/machine.h"
#include "common/text.h"

/* A host with all members known; the arguments are the start of some of them. */
#define HOST(name, cores, l3, memory, kernel, model)                                          \
	"\"host\":{\"hostname\":\"" name "\",\"kernel\":\"" kernel "\",\"cpu\":\"AMD EPYC\"," \
	"\"sockets\":1,\"cores\":" cores ",\"usable_cpus\":2,\"l1d_bytes\":32768,"            \
	"\"l2_bytes\":1048576,\"l3_bytes\":" l3 ",\"memory_bytes\":" memory model "}"
#define X86                                                                    \
	",\"cpu_vendor\":\"AuthenticAMD\",\"cpu_family\":25,\"cpu_model\":17," \
	"\"cpu_stepping\":1"
#define MB110 "115343360"
#define MB503 "527433728"
#define GIB8  "8589934592"

static struct gb_context *run_of(const char *id, const char *members)
{
	struct gb_error err = { 0 };
	char text[2048];
	struct gb_context *context;

	(void)snprintf(text, sizeof text, "{\"type\":\"run\",\"schema\":2,\"run_id\":\"%s\",%s}",
		       id, members);
	context = gb_context_parse(cJSON_Parse(text), &err);
	cr_assert(context, "%s: %s", text, err.message);
	gb_identify(context);
	return context;
}

/* Check whether runs of two ids are of the same CPU, or of the same GPU. */
static void expect_same(const char *a, const char *b, bool cpu, bool same)
{
	struct gb_context *x = run_of("1", a), *y = run_of("2", b);
	const struct gb_machine *of_x = cpu ? &x->on_cpu : &x->on_gpu;
	const struct gb_machine *of_y = cpu ? &y->on_cpu : &y->on_gpu;

	cr_expect_eq(gb_same_machine(of_x, of_y), same, "%s | %s", of_x->text, of_y->text);
	cr_expect_eq(gb_same_machine(of_y, of_x), same, "%s | %s", of_y->text, of_x->text);
	gb_context_free(x);
	gb_context_free(y);
}

#define MILAN \
	",\"cpu_vendor\":\"AuthenticAMD\",\"cpu_family\":25,\"cpu_model\":1,\"cpu_stepping\":1"
#define ARM(part) ",\"cpu_vendor\":\"0x41\",\"cpu_part\":\"" part "\""
#define GPU(host, uuid)                                                          \
	"\"host\":{\"hostname\":\"" host                                         \
	"\"},\"settings\":{\"device\":0},\"gpus\":[{\"id\":0,\"name\":\"H100\"," \
	"\"memory_bytes\":85899345920" uuid "}]"

/* Hostnames come and go: a machine is identified by its components. */
Test(identity, a_machine_is_identified_by_its_components)
{
	static const char here[] = HOST("a", "2", MB110, GIB8, "6.1", X86);
	static const char v2[] = HOST("a", "2", MB110, GIB8, "6.1", ARM("0xd4f"));
	static const char gpu[] = GPU("x", ",\"uuid\":\"GPU-a\"");
	static const struct {
		const char *a, *b;
		bool cpu, same;
	} row[] = {
		{ here, here, true, true },
		{ here, HOST("b", "2", MB110, GIB8, "6.2", X86), true, true },
		/* Kernels report slightly different sizes of the same memory. */
		{ here, HOST("b", "2", MB110, "8500000000", "6.2", X86), true, true },
		{ here, HOST("a", "2", MB503, GIB8, "6.1", X86), true, false },
		{ here, HOST("a", "4", MB110, GIB8, "6.1", X86), true, false },
		{ here, HOST("a", "2", MB110, "17179869184", "6.1", X86), true, false },
		{ here, HOST("a", "2", MB110, GIB8, "6.1", MILAN), true, false },
		/* Without vendor and family the host's name counts. */
		{ HOST("a", "2", MB110, GIB8, "6.1", ""), HOST("b", "2", MB110, GIB8, "6.1", ""),
		  true, false },
		{ v2, HOST("b", "2", MB110, GIB8, "6.1", ARM("0xd4f")), true, true },
		{ v2, HOST("b", "2", MB110, GIB8, "6.1", ARM("0xd0c")), true, false },
		{ v2, HOST("a", "2", MB110, GIB8, "6.1", ARM("0xd0c")), true, false },
		/* Without a hostname nothing distinguishes the two hosts. */
		{ "\"host\":{\"cpu\":\"AMD EPYC\"}", "\"host\":{\"cpu\":\"AMD EPYC\"}", true,
		  true },
		{ "\"host\":{}", "\"host\":{}", true, true },
		{ gpu, GPU("y", ",\"uuid\":\"GPU-a\""), false, true },
		{ gpu, GPU("x", ",\"uuid\":\"GPU-b\""), false, false },
		{ GPU("x", ""), GPU("x", ""), false, true },
		{ GPU("x", ""), GPU("y", ""), false, false },
		{ GPU("x", ""), gpu, false, false },
	};
	struct gb_context
		*run = run_of("1", here),
		*small = run_of(
			"1",
			"\"host\":{\"hostname\":\"x\"}"
			",\"settings\":{\"device\":0},\"gpus\":[{\"id\":0,\"uuid\":\"GPU-a\"}]");

	for (size_t i = 0; i < GB_COUNT(row); i++)
		expect_same(row[i].a, row[i].b, row[i].cpu, row[i].same);
	cr_expect_str_eq(run->on_cpu.text,
			 "AMD EPYC, 1 socket, 2 cores, L1d 32.0 KiB, L2 1.00 MiB, "
			 "L3 110 MiB, 8 GiB, AuthenticAMD 25-17-1");
	cr_expect_str_eq(small->on_gpu.text, "unknown, GPU-a"); /* the UUID suffices */
	gb_context_free(run);
	gb_context_free(small);
}

Test(identity, missing_members_never_match_on_another_host)
{
	static const char *const member[] = {
		"\"sockets\":1,",
		"\"cores\":2,",
		"\"l1d_bytes\":32768,",
		"\"l2_bytes\":1048576,",
		"\"l3_bytes\":" MB110 ",",
		"\"cpu_family\":25,",
		"\"cpu_vendor\":\"AuthenticAMD\",",
	};
	const char *const whole[] = { HOST("a", "2", MB110, GIB8, "6.1", X86),
				      HOST("b", "2", MB110, GIB8, "6.1", X86) };

	for (size_t i = 0; i < GB_COUNT(member); i++) {
		char lacks[2][1024];

		for (size_t k = 0; k < 2; k++) {
			const char *at = strstr(whole[k], member[i]);

			cr_assert(at, "%s", member[i]);
			(void)snprintf(lacks[k], sizeof lacks[k], "%.*s%s", (int)(at - whole[k]),
				       whole[k], at + strlen(member[i]));
		}
		expect_same(lacks[0], lacks[0], true, true); /* the same host */
		expect_same(lacks[0], lacks[1], true, false);
		expect_same(lacks[0], whole[1], true, false);
	}
}
