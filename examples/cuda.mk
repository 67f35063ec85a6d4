# Makefile -- builds the plug-in @NAME@.so.  gpubench/plugin.h is found beside the installed
# program, by pkg-config, or below INCLUDE: make INCLUDE=/opt/gpubench/include

NVCC := $(or $(shell command -v nvcc),/usr/local/cuda/bin/nvcc)
# The driver compiles the PTX in the first run; -arch=native has nvcc compile for this GPU.
NVCCFLAGS := -O3
program := $(filter %/bin/gpubench,$(shell command -v gpubench))
header := $(if $(INCLUDE),-I$(INCLUDE),$(or $(program:%/bin/gpubench=-I%/include),$(shell \
	pkg-config --cflags gpubench 2>/dev/null)))

@NAME@.so: @SOURCE@
	$(NVCC) -std=c++20 $(NVCCFLAGS) $(header) -Xcompiler -fPIC,-Wall -shared $< -o $@

# Without a GPU: the emulator checks the kernels for races, accesses outside memory and
# uninitialised reads; the PTX executor counts instructions and memory traffic, of the variants that
# BESIDE matches, too.
BESIDE := cuda/*
race: @NAME@-simt.so
	gpubench-simt check @BENCHMARK@ cuda/@NAME@ --plugin=./$<
counts: @NAME@-ptx.so
	gpubench-ptx @BENCHMARK@ cuda/@NAME@ $(BESIDE:%='%') @POINT@ --plugin=./$< --samples=1 \
		--warmup=0 -q --overwrite -o counts.jsonl
	gpubench report --counts counts.jsonl
@NAME@-simt.so: @SOURCE@
	gpubench-compile $< -o $@
@NAME@-ptx.so: @SOURCE@
	gpubench-compile --ptx $< -o $@

clean:
	rm -f @NAME@.so @NAME@-simt.so @NAME@-ptx.so
.PHONY: clean race counts
