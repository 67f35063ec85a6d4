# ptx.mk -- builds and runs the PTX executor; a part of the Makefile.

## ptx: build ./gpubench-ptx, which interprets the PTX of the cuda variants
ptx:
	$(again) PTX=1 gpubench-ptx
gpubench-ptx: $(BUILD)/gpubench-ptx
	$(Q)ln -sf $< $@

# The objects of a build with PTX=1, with the PTX executor instead of the CUDA runtime.  Loops over
# the 32 lanes of a warp become vector code; mul and add are never fused.
ifneq ($(and $(filter 1,$(CUDA)),$(PTX)),)
# GCC 12 reports false overlaps inside std::string, hence -Wno-restrict.
ptx_optimise := -O3 -g1 -march=native -ffp-contract=off -fno-strict-aliasing -Wno-restrict
# GCC searches /usr/include last; -isystem /usr/include would break that order.
cuda_include := $(if $(filter-out /usr,$(nvcc_folder)),-isystem $(nvcc_folder)/include)
$(BUILD)/tests/%.o: tests/%.cc $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(call clock,CXX) $(CXX) $(cppflags) -DGPUBENCH_PTX=1 $(cuda_include) $(CPPFLAGS) \
		$(cxxflags) $(ptx_optimise) $(CXXFLAGS) -MMD -MP -c $< -o $@
executor := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/cudart/*.cc tests/ptx/*.cc))
# Plug-ins call this program's CUDA runtime.
ptx_libs := $(filter-out $(cudart),$(ldlibs)) -Wl,--dynamic-list=tests/cudart/plugin.syms
$(addprefix $(BUILD)/,gpubench-ptx unit-ptx ptx-selftest ptx-faults): \
		$(BUILD)/generated/link_flags
$(BUILD)/gpubench-ptx: $(objects) $(executor) $(BUILD)/generated/code_hash.o
	$(call link,$(ptx_libs))
$(BUILD)/unit-ptx: $(test_objects) $(filter-out %/cli/commands/main.o,$(objects)) $(executor) \
		$(SHARED)/git2/libgit2.so
	$(call link,$(ptx_libs) $(criterion))
ptx_selftest := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/ptx/selftest/*.cc))
$(BUILD)/ptx-selftest: $(executor) $(ptx_selftest)
	$(call link,$(ptx_libs))
# Kernels with planted faults.
$(BUILD)/ptx-faults: $(executor) $(patsubst %.cu,$(BUILD)/%.cu.o,$(wildcard tests/ptx/faults/*.cu))
	$(call link,$(ptx_libs))
endif

# Each of these writes the kernels and opcodes that it has reached.
reached = env GPUBENCH_PTX_REACHED=$(BUILD)/reached.$(@:test-%=%)
test-ptx-check: $(BUILD)/gpubench-ptx
	@rm -f $(BUILD)/reached.$(@:test-%=%)
	$(try) $(reached) $< check --backend=cuda
test-ptx-unit: $(BUILD)/unit-ptx $(BUILD)/nvml.so
	@rm -f $(BUILD)/reached.$(@:test-%=%)
	$(try) $(reached) $< --jobs 2 --filter '@(backend|primitives|bfs_cuda|stream|variants)*/*'
test-ptx-other: $(BUILD)/gpubench-ptx
	@rm -f $(BUILD)/reached.$(@:test-%=%)
	$(try) $(reached) tests/ptx/other.sh $<
# The self-test must cover every opcode.
test-ptx-selftest: $(BUILD)/ptx-selftest test-ptx-check
	$(try) $< $(BUILD)/reached.ptx-check
test-ptx-faults: $(BUILD)/ptx-faults
	$(try) $(PYTHON) tests/ptx/faults/faults.py $<
test-ptx-reached: test-ptx-check test-ptx-unit test-ptx-other
	$(try) $(PYTHON) tests/ptx/reached.py $(^:test-%=$(BUILD)/reached.%)
# test-ptx-check looks for races; here a missing order shows as a wrong result.
test-ptx-weak: $(BUILD)/gpubench-ptx
	$(try) tests/ptx/weak.sh $<
test-ptx-counts: $(BUILD)/gpubench-ptx
	$(try) $(PYTHON) tests/counts.py $<
test-ptx-code-hash: $(objects)
	$(try) $(PYTHON) tests/code_hash.py '$(nvcc_words)' $^
nvcc_words = $(nvcc) $(nvcc_host) $(cppflags) $(CPPFLAGS) $(nvflags) $(gencode) $(NVCCFLAGS)
test-ptx-hang: $(BUILD)/gpubench-ptx
	$(try) tests/hang.sh $< $(BUILD) cuda $(nvcc)
test-ptx-devices: $(BUILD)/gpubench-ptx $(BUILD)/nvtx.so $(BUILD)/nvml.so
	$(try) tests/devices.sh $^ $(firstword $(targets))

## ptx-seeds: the cuda variants under SEEDS random schedules, with strong and weak memory; all sorts (long)
SEEDS ?= 1 2 3 4 5 6 7 8
ptx-seeds: $(BUILD)/gpubench-ptx
	$(Q)set -e; for seed in $(SEEDS); do for weak in 0 1; do echo "seed $$seed, WEAK=$$weak"; \
		GPUBENCH_PTX_WEAK=$$weak GPUBENCH_PTX_SEED=$$seed $< check --backend=cuda; done; done
	$(Q)tests/ptx/sorts.sh $<

.PHONY: ptx gpubench-ptx ptx-seeds
