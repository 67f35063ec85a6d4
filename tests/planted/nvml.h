/* nvml.h -- what a test plants in the stand-in for NVML. */
#ifndef GPUBENCH_TESTS_PLANTED_NVML_H
#define GPUBENCH_TESTS_PLANTED_NVML_H

struct nvml_planted {
	int asked;      /* how often the time with lowered clocks was asked for */
	int first, end; /* the questions, from 0, before which they were lowered for 1 us */
	unsigned long long lowered_ns;
	int energy_asked;
};

#endif
