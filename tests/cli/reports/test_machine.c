/* test_machine.c -- the text of `gpubench env`, from run lines with all facts, with few and with
 * none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/reports/machine.h"
#include "tests/line_of.h"

#define NO_TOOL                                                                               \
	"gpubench  unknown, unknown build\ncompiler  unknown unknown\nnvcc      not in this " \
	"build\n"
#define NO_HOST    "host      unknown, unknown, unknown, unknown\n"
#define NO_CPU     "cpu       unknown"
#define NO_CACHE   "\ncaches   \n"
#define NO_MEMORY  "memory   , huge pages: unknown\n"
#define NO_CUDA    "cuda      runtime unknown, driver unknown (CUDA unknown)\n"
#define NO_CARE    NO_CACHE NO_MEMORY NO_CUDA
#define CPU(facts) "\"host\":{" facts "}"

static const struct {
	const char *members, *text;
} row[] = {
	{ "\"gpus\":[]", NO_TOOL NO_HOST NO_CPU NO_CARE },
	{ "\"tool\":{\"version\":\"1.2\",\"commit\":\"abc\",\"dirty\":true,\"mode\":\"release\","
	  "\"compiler\":\"gcc 12\",\"cflags\":\"-O3\",\"nvcc\":\"12.2\",\"archs\":\"sm_80\"},"
	  "\"cuda_absent\":\"no driver\",\"vulkan_absent\":\"no loader\"",
	  "gpubench  1.2, commit abc with changes, release build\ncompiler  gcc 12 -O3\n"
	  "nvcc      12.2, for sm_80\n" NO_HOST NO_CPU NO_CACHE NO_MEMORY
	  "cuda      none: no driver\nvulkan    none: no loader\n" },
	{ "\"tool\":{\"commit\":\"abc\",\"dirty\":false,\"nvcc\":\"12.2\"},"
	  "\"cuda\":{\"runtime\":\"12.2\",\"driver\":\"535.1\",\"driver_api\":\"12.3\"},"
	  "\"environment\":{\"OMP_A\":\"1\\u001b[1m\",\"OMP_B\":\"2\"}",
	  "gpubench  unknown, commit abc, unknown build\ncompiler  unknown unknown\n"
	  "nvcc      12.2, for unknown\n" NO_HOST NO_CPU NO_CACHE NO_MEMORY
	  "cuda      runtime 12.2, driver 535.1 (CUDA 12.3)\nenv       OMP_A=1?[1m\n"
	  "env       OMP_B=2\n" },
	{ CPU("\"hostname\":\"h\",\"os\":\"o\",\"kernel\":\"k\",\"machine\":\"m\",\"cpu\":\"Z80\","
	      "\"sockets\":1,\"cores\":2,\"logical_cpus\":4,\"usable_cpus\":3,\"cpu_quota\":0.5,"
	      "\"numa_nodes\":1,\"governor\":\"performance\",\"virtualized\":true,"
	      "\"cache_from\":\"sysfs\",\"cache_bytes\":4096,\"l1d_bytes\":32768,"
	      "\"l2_bytes\":1048576,\"l3_bytes\":33554432,\"memory_bytes\":17179869184,"
	      "\"available_bytes\":8589934592,\"huge_pages\":\"always\",\"load\":[0.126,2,3]"),
	  NO_TOOL "host      h, o, k, m\ncpu       Z80; 1 socket, 2 cores, 4 logical CPUs, "
		  "3 usable CPUs, limited to 0.5 CPUs, 1 NUMA node, governor performance, "
		  "virtualized\ncaches    L1d 32.0 KiB, L2 1.00 MiB, L3 32.0 MiB\n"
		  "memory    16.0 GiB, 8.00 GiB available, huge pages: always\n"
		  "load      0.13\n" NO_CUDA },
	{ CPU("\"sockets\":2,\"cores\":1,\"logical_cpus\":4,\"usable_cpus\":4,\"cpu_quota\":1,"
	      "\"numa_nodes\":2,\"virtualized\":false,\"cache_from\":\"assumed\","
	      "\"cache_bytes\":33554432"),
	  NO_TOOL NO_HOST NO_CPU
	  "; 2 sockets, 1 core, 4 logical CPUs, limited to 1 CPU, "
	  "2 NUMA nodes\ncaches    unknown; 32.0 MiB assumed for the flush\n" NO_MEMORY NO_CUDA },
	{ "\"gpus\":[{\"id\":0,\"name\":\"A\",\"uuid\":\"U\",\"persistence\":true,\"mig\":false}]",
	  NO_TOOL NO_HOST NO_CPU NO_CARE "gpu 0     A, U, persistence mode on, MIG off\n" },
	{ "\"gpus\":[{\"id\":12,\"name\":\"B\",\"persistence\":false,\"mig\":true,\"cc\":\"9.0\","
	  "\"sm_count\":132,\"sm_clock_khz\":1980400,\"memory_bytes\":85899345920,"
	  "\"peak_bytes_per_s\":3.35e12,\"l2_bytes\":52428800},{\"id\":3,\"sm_count\":1,"
	  "\"vulkan\":{\"api\":\"1.3\"},\"emulated\":true},{\"id\":4,\"vulkan\":{\"driver\":\"d\"}}"
	  ","
	  "{\"id\":5,\"name\":\"C\",\"vulkan\":{\"api\":\"1.3\",\"driver\":\"d\"}}]",
	  NO_TOOL NO_HOST NO_CPU NO_CARE
	  "gpu 12    B, cc 9.0, 132 SMs at 1980 MHz, 80.0 GiB at 3.35 TB/s, L2 50.0 MiB, "
	  "persistence mode off, MIG on\n"
	  "gpu 3     unknown, 1 SM; Vulkan 1.3, unknown; no GPU: emulated on the CPU\n"
	  "gpu 4     unknown\ngpu 5     C; Vulkan 1.3, d\n" },
};

Test(machine, env)
{
	for (size_t i = 0; i < GB_COUNT(row); i++) {
		struct gb_records records = { 0 };
		char line[1200], *text = NULL;
		size_t size;
		FILE *stream = open_memstream(&text, &size);

		(void)snprintf(line, sizeof line, "{\"type\":\"run\",%s}", row[i].members);
		add_line_of(&records, line);
		gb_env_print(stream, records.run[0]);
		(void)fclose(stream);
		cr_expect_str_eq(text, row[i].text, "row %zu: %s\nis not\n%s", i, text,
				 row[i].text);
		free(text);
		gb_records_release(&records);
	}
}
