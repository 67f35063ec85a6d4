GPUBENCH_COPY=all gpubench radix --count=100
