# simt.mk -- builds and runs the emulator's own tests; a part of the Makefile's SIMT=1.
#
# A "kind" is a way to compile device code: plain, as in every SIMT=1 build, asan, check (our own
# checker as the target of gcc's -fsanitize=thread calls).  The engine itself and the project's C
# are never instrumented: they are the objects of the SIMT=1 build.

SIMT_BUILD ?= build/simt-test
SEEDS ?= 40

simt_compile := $(cppflags) -std=c++20 -g1 $(cxx_warnings) -Wno-unknown-pragmas
simt_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined

simt_compile_plain := -O2
# -Og compiles in half of the time of -O1.
simt_compile_asan := -Og -fno-omit-frame-pointer $(simt_asan)
# Statement frontiers attribute an access to its own line even after inlining, as under -g.
simt_compile_check := -gstatement-frontiers -O1 -fno-tree-sra -fno-ipa-sra -fsanitize=thread
simt_link_asan := $(simt_asan)

simt_kinds := plain asan check
simt_selftest := $(wildcard tests/simt/selftest*.cu) tests/simt/case.cu
simt_faults := $(wildcard tests/simt/faults*.cu) tests/simt/case.cu
simt_engine := $(patsubst %.cc,$(BUILD)/%.o,$(filter-out tests/simt/check%,$(emulator)))
simt_engine_check := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/simt/check*.cc))

# The project's own kernels; drive.c, which runs them; and the parts of the project that it needs.
simt_support := $(call object,tests/simt/drive.c) $(SIMT_BUILD)/support.a
simt_libs := -fopenmp -lcjson -lm -ldl -lpthread $(filter -lpng,$(ldlibs))
simt_kernels = $(kernels:%=$(if $(filter plain,$(1)),$(BUILD),$(SIMT_BUILD)/$(1))/%.o)

$(SIMT_BUILD)/support.a: $(filter-out %/main.o %/variants.o %.cu.o $(simt_engine) \
	$(simt_engine_check),$(objects))
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $^

define simt_kind
$(SIMT_BUILD)/$(1)/gpu.h.gch: $(BUILD)/generated/flags
	$$(call precompile,$$(simt_compile) $$(simt_compile_$(1)))
$(SIMT_BUILD)/$(1)/%.cu.o: %.cu $(BUILD)/generated/flags $(call precompiled,$(SIMT_BUILD)/$(1))
	$$(call emulate,$$(simt_compile) $$(simt_compile_$(1)),$(1))
$(SIMT_BUILD)/$(1)/drive: $(simt_kernels) $(simt_support)
$(SIMT_BUILD)/$(1)/selftest: $(simt_selftest:%=$(SIMT_BUILD)/$(1)/%.o)
$(SIMT_BUILD)/$(1)/faults: $(simt_faults:%=$(SIMT_BUILD)/$(1)/%.o)
$(foreach program,drive selftest faults,$(SIMT_BUILD)/$(1)/$(program)): \
		$(simt_engine) $(simt_engine_$(1))
	@echo "  LD    $$@"
	$$(Q)$(CXX) $(simt_link_$(1)) $$^ $(simt_libs) -o $$@
endef
$(foreach kind,$(simt_kinds),$(eval $(call simt_kind,$(kind))))

.PHONY: simt-all
.SECONDARY:
# KIND/objects lists the objects that a mutant is linked with, besides kernels.
simt-all: $(foreach kind,$(simt_kinds),\
		$(foreach program,selftest faults drive,$(SIMT_BUILD)/$(kind)/$(program)))
	$(Q)$(foreach kind,$(simt_kinds),echo $(simt_support) $(simt_engine) \
		$(simt_engine_$(kind)) $(simt_libs) >$(SIMT_BUILD)/$(kind)/objects;)

## simt-test: the emulator's own tests: it finds seeded faults and accepts correct kernels
simt-test: simt-all $(BUILD)/gpubench $(BUILD)/nvml.so
	$(PYTHON) tests/ptx/reached.py --self-test
	$(PYTHON) tests/simt/faults.py $(SIMT_BUILD)
	$(PYTHON) tests/gpu_suite.py $(BUILD)/gpubench
	$(SIMT_BUILD)/plain/selftest $(SEEDS)
	$(PYTHON) tests/simt/stress.py $(SIMT_BUILD) --seeds 1

## simt-stress: the cuda variants under every checker with more schedules and larger sizes (long)
simt-stress: simt-all
	for kind in $(filter-out plain,$(simt_kinds)); do \
		$(SIMT_BUILD)/$$kind/selftest $(SEEDS) || exit 1; done
	$(PYTHON) tests/simt/stress.py $(SIMT_BUILD) --seeds $(SEEDS) --size large

-include $(shell find $(SIMT_BUILD) -name "*.d" 2>/dev/null)
