/* nvml.h -- state that a test plants in the fake NVML. */
#ifndef GPUBENCH_TESTS_PLANTED_NVML_H
#define GPUBENCH_TESTS_PLANTED_NVML_H

struct nvml_planted {
	int asked;      /* number of queries of the throttle time so far */
	int first, end; /* clocks are lowered for 1 us before these queries, counted from 0 */
	unsigned long long lowered_ns;
	int energy_asked;
	unsigned warmer; /* degrees that each query of the temperature adds */
	int reasons_asked;
	int clears_after; /* queries of the reasons for lowered clocks after which there is none */
	int knows_all;    /* the functions succeed that old libraries and virtual GPUs lack */
};

#endif
