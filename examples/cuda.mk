# Makefile -- builds the plug-in @NAME@.so.  gpubench/plugin.h is found by pkg-config, or in the
# compiler's folders, or below INCLUDE: make INCLUDE=/opt/gpubench/include

NVCC := $(or $(shell command -v nvcc),/usr/local/cuda/bin/nvcc)
# The driver compiles the PTX in the first run; -arch=native has nvcc compile for this GPU.
NVCCFLAGS := -O3
header := $(if $(INCLUDE),-I$(INCLUDE),$(shell pkg-config --cflags gpubench 2>/dev/null))

@NAME@.so: @SOURCE@
	$(NVCC) -std=c++20 $(NVCCFLAGS) $(header) -Xcompiler -fPIC,-Wall -shared $< -o $@

clean:
	rm -f @NAME@.so
.PHONY: clean
