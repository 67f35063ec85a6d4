# ptx.mk -- builds and runs the PTX executor; a part of the Makefile.

.PHONY: ptx gpubench-ptx ptx-test ptx-test-long ptx-weak ptx-checks ptx-drive

# A build contains the PTX of its last architecture; another architecture needs another build.
ptx_make = $(MAKE) --no-print-directory \
	PTX=$(filter-out $(lastword $(filter $(known),$(SMS))),$(or $(PTX),90))

## ptx: build ./gpubench-ptx, which interprets the PTX of the release build's cuda variants
ptx:
	+$(Q)$(ptx_make) gpubench-ptx
gpubench-ptx: $(BUILD)/gpubench-ptx
	$(Q)ln -sf $< $@

# The same objects with the PTX executor instead of the CUDA runtime.  Loops over the 32 lanes of a
# warp become vector code; mul and add are never fused.
ifeq ($(CUDA),1)
# GCC 12 reports false overlaps inside std::string, hence -Wno-restrict.
ptx_optimise := -O3 -g1 -march=native -ffp-contract=off -fno-strict-aliasing -Wno-restrict
$(BUILD)/tests/%.o: tests/%.cc $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(CXX) $(cppflags) -DGPUBENCH_PTX=1 $(cuda_include) $(CPPFLAGS) $(cxxflags) \
		$(ptx_optimise) $(CXXFLAGS) -MMD -MP -c $< -o $@
executor := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/cudart/*.cc tests/ptx/*.cc))
# GCC searches /usr/include last; -isystem /usr/include would break that order.
cuda_include := $(if $(filter-out /usr,$(CUDA_HOME)),-isystem $(CUDA_HOME)/include)
# Plug-ins call this program's CUDA runtime.
ptx_libs := $(filter-out $(cudart),$(ldlibs)) -Wl,--dynamic-list=tests/cudart/plugin.syms
$(addprefix $(BUILD)/,gpubench-ptx unit-ptx drive ptx-selftest): \
		$(BUILD)/generated/link_flags
$(BUILD)/unit-ptx: $(test_objects) $(filter-out %/cli/commands/main.o,$(objects)) $(executor) \
		$(SHARED)/git2/libgit2.so
	$(call link,$(ptx_libs) $(criterion))
# drive runs the variants alone.  $(BUILD)/objects lists the objects that a mutant is linked with.
ptx_support := $(call object,tests/simt/drive.c) $(executor) $(BUILD)/support.a
$(BUILD)/support.a: $(filter-out %/main.o %/variants.o %.cu.o,$(objects))
	$(Q)rm -f $@ && ar rcs $@ $^
$(BUILD)/drive: $(kernels:%.cu=$(BUILD)/%.cu.o) $(ptx_support)
	$(call link,$(ptx_libs))
	$(Q)echo $(ptx_support) $(ptx_libs) $(LDLIBS) >$(BUILD)/objects
ptx_selftest := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/ptx/selftest/*.cc))
$(BUILD)/gpubench-ptx: $(objects) $(executor)
	$(call link,$(ptx_libs))
$(BUILD)/ptx-selftest: $(executor) $(ptx_selftest)
	$(call link,$(ptx_libs))
endif

## ptx-test: the PTX executor's own tests, the cuda variants on it, coverage
## ptx-test-long: the cuda variants with weak memory, under the schedules WEAK_SEEDS="1 2 ..."
ptx-test:
	+$(Q)$(ptx_make) ptx-checks

ptx-test-long:
	+$(Q)$(ptx_make) ptx-weak

# A missing ordering shows as a wrong result, a report or a hang.
WEAK_SEEDS ?= 1 2 3 4 5 6 7 8
weak_cbt := cbt --op=bitfield,cycle,update --depth=3,11 --shape=random --fill=0.4 --frames=2
ptx-weak: $(BUILD)/drive
	$(Q)$(PYTHON) tests/simt/stress.py $(BUILD) --weak --seeds $(words $(WEAK_SEEDS))
	$(Q)set -e; for seed in $(WEAK_SEEDS); do echo "seed $$seed"; \
		GPUBENCH_PTX_WEAK=1 GPUBENCH_PTX_SEED=$$seed $(BUILD)/drive --once \
			"radix --count=33,5000 --type=u32,pairs --distribution=uniform,few" \
			"octree --count=33,1000 --dist=plummer,pairs --bucket=1,16" \
			"lbvh --scene=terrain,copies --primitives=33,700" \
			"$(weak_cbt)" \
			"bfs --vertices=33,1100 --p=0.03 --sources=1 --result=both" \
			"bfs --graph=grid --vertices=144 --sources=1 --result=both"; done

# Each process has one OS thread, so that its schedule is reproducible; stress.py has another one.
# `small` has more shapes than `check` has sizes.  The self-test must cover every opcode.
ptx-checks: $(BUILD)/gpubench-ptx $(BUILD)/unit-ptx $(BUILD)/ptx-selftest $(BUILD)/drive
	$(Q)rm -f $(BUILD)/reached*
	$(Q)tests/ptx/coverage.sh $(BUILD) >$(BUILD)/coverage.txt 2>&1 & \
	GPUBENCH_PTX_REACHED=$(BUILD)/reached $(BUILD)/gpubench-ptx check --backend=cuda && \
	GPUBENCH_PTX_REACHED=$(BUILD)/reached.small $(BUILD)/gpubench-ptx radix cuda/small \
		--count=1500,20k,40k,70k --type=u32,u64,f32,pairs \
		--cold --warmup=0 --samples=1 --quiet && \
	$(BUILD)/ptx-selftest $(BUILD)/reached; passed=$$?; \
	wait $$! || { cat $(BUILD)/coverage.txt; exit 1; }; exit $$passed
	$(Q)$(PYTHON) tests/ptx/reached.py $(BUILD)/reached*
	$(Q)$(PYTHON) tests/ptx/reached.py --self-test
	$(Q)$(PYTHON) tests/simt/stress.py $(BUILD) --weak --seeds 1
	$(Q)$(PYTHON) tests/ptx/words.py
	$(Q)$(PYTHON) tests/ptx/words.py --self-test
	$(Q)$(PYTHON) tests/counts.py $(BUILD)/gpubench-ptx
	$(Q)tests/devices.sh $(BUILD)/gpubench-ptx

ptx-drive: $(BUILD)/drive
	$(Q)ln -sfn $(notdir $(BUILD)) build/ptx-drive

