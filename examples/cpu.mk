# Makefile -- builds the plug-in @NAME@.so.  gpubench/plugin.h is found beside the installed
# program, by pkg-config, or below INCLUDE: make INCLUDE=/opt/gpubench/include

CFLAGS := -O3 -march=native -fopenmp -Wall
program := $(filter %/bin/gpubench,$(shell command -v gpubench))
header := $(if $(INCLUDE),-I$(INCLUDE),$(or $(program:%/bin/gpubench=-I%/include),$(shell \
	pkg-config --cflags gpubench 2>/dev/null)))

# Without -ffp-contract=off the compiler fuses products and sums, and lbvh.h's arithmetic changes.
@NAME@.so: @SOURCE@
	$(CC) -std=c11 $(CFLAGS) -ffp-contract=off $(header) -fPIC -shared $< -o $@

clean:
	rm -f @NAME@.so
.PHONY: clean
