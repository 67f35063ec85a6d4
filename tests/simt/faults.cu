/* faults.cu -- runs one seeded fault by its name; faults.h says more. */
#include "tests/simt/faults.h"

enum { WRONG = 1, REFUSED = 3 };

uint32_t fault_host[FAULT_COUNT], fault_expected[FAULT_COUNT];
uint32_t *fault_in, *fault_out, *fault_words;

static const struct fault *const tables[] = { block_faults, grid_faults, host_faults };

static void finish(const char *verdict, int status)
{
	(void)cudaFree(fault_in);
	(void)cudaFree(fault_out);
	(void)cudaFree(fault_words);
	printf("result %s\n", verdict);
	exit(status);
}

void fault_verdict(bool right)
{
	cudaError_t error = cudaGetLastError();

	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	if (error != cudaSuccess)
		finish(cudaGetErrorName(error), REFUSED);
	finish(right ? "right" : "wrong", right ? 0 : WRONG);
	abort();
}

void fault_end(void)
{
	static uint32_t result[FAULT_COUNT];
	cudaError_t error = cudaGetLastError();

	if (error == cudaSuccess)
		error = cudaMemcpy(result, fault_out, sizeof result, cudaMemcpyDeviceToHost);
	if (error != cudaSuccess)
		finish(cudaGetErrorName(error), REFUSED);
	fault_verdict(memcmp(result, fault_expected, sizeof result) == 0);
}

static void begin(void)
{
	for (uint32_t i = 0; i < FAULT_COUNT; i++)
		fault_host[i] = fault_expected[i] = i * 2654435761u >> 8;
	if (cudaMalloc(&fault_in, sizeof fault_host) != cudaSuccess ||
	    cudaMalloc(&fault_out, sizeof fault_host) != cudaSuccess ||
	    cudaMalloc(&fault_words, sizeof fault_host) != cudaSuccess)
		finish("no memory", REFUSED);
	(void)cudaMemcpy(fault_in, fault_host, sizeof fault_host, cudaMemcpyHostToDevice);
	(void)cudaMemset(fault_out, 0, sizeof fault_host);
	(void)cudaMemset(fault_words, 0, sizeof fault_host);
}

int main(int argc, char **argv)
{
	for (const struct fault *table : tables) {
		for (const struct fault *f = table; f->name; f++) {
			if (argc == 2 && strcmp(argv[1], "--list") == 0) {
				printf("%s %s\n", f->name, f->caught_by);
			} else if (argc == 2 && strcmp(argv[1], f->name) == 0) {
				begin();
				f->run();
			}
		}
	}
	return argc == 2 && strcmp(argv[1], "--list") == 0 ? 0 : 2;
}
