# simt.mk -- builds and runs the emulator's own tests.  From the top of the repository:
#
#	make -f tests/simt/simt.mk simt-test | simt-mutants | simt-stress  [SIMT_BUILD=folder]
#
# A "kind" is a way to compile device code: plain, asan, tsan (clang), check (our own checker behind
# gcc's -fsanitize=thread calls).  The engine itself is never instrumented.

SIMT_BUILD ?= build/simt-test
SIMT_CXX ?= g++
SIMT_CLANGXX ?= clang++
PYTHON ?= /usr/bin/python3
SEEDS ?= 40

simt_common := -std=c++20 -I. -Itests/simt -g -Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-missing-field-initializers -MMD -MP
simt_device := -x c++ -DGPUBENCH_SIMT=1 -Wno-unknown-pragmas
simt_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined

simt_cxx_plain := $(SIMT_CXX)
simt_cxx_asan := $(SIMT_CXX)
simt_cxx_tsan := $(SIMT_CLANGXX)
simt_cxx_check := $(SIMT_CXX)
simt_compile_plain := -O2
simt_compile_asan := -O1 -fno-omit-frame-pointer $(simt_asan)
simt_compile_tsan := -O1 -fsanitize=thread
simt_compile_check := -O1 -fno-tree-sra -fno-ipa-sra -fsanitize=thread
simt_link_plain :=
simt_link_asan := $(simt_asan)
simt_link_tsan := -fsanitize=thread
simt_link_check :=

simt_engine := $(patsubst %.cc,$(SIMT_BUILD)/engine/%.o,$(notdir $(filter-out \
	$(wildcard tests/simt/check*.cc),$(wildcard tests/simt/*.cc))))
simt_checker := $(patsubst %.cc,$(SIMT_BUILD)/engine/%.o,$(notdir $(wildcard tests/simt/check*.cc)))
simt_engine_check := $(simt_checker)

simt_kinds := plain asan check $(if $(shell command -v $(SIMT_CLANGXX)),tsan)
simt_selftest := selftest selftest_block selftest_grid selftest_runtime selftest_traffic
simt_faults := faults faults_block faults_grid faults_host

.PHONY: simt-all simt-test simt-mutants simt-stress
.SECONDARY:

$(SIMT_BUILD)/engine/%.o: tests/simt/%.cc
	@mkdir -p $(@D)
	$(SIMT_CXX) $(simt_common) -O2 -c $< -o $@

# The project's own kernels, and the part of its C that runs and judges them.
simt_project := $(filter-out %/cub.cu,$(shell find cuda -name '*.cu'))
simt_support := tests/simt/drive.c $(filter-out common/variants.c,$(wildcard common/*.c)) \
	$(wildcard cuda/*.c) $(shell find datasets cli/workloads -name '*.c') cpu/backend.c \
	cli/measuring/runner.c cli/measuring/stopping.c cli/measuring/sweep.c cli/records/key.c
simt_support_objects := $(simt_support:%.c=$(SIMT_BUILD)/support/%.o)

$(SIMT_BUILD)/support/%.o: %.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -I. -O2 -g -fopenmp -DGB_HAVE_CUDA=1 -DGB_HAVE_PNG=0 -DGPUBENCH_SIMT=1 -MMD -MP -c $< -o $@

define simt_kind
$(SIMT_BUILD)/$(1)/cuda/%.o: cuda/%.cu
	@mkdir -p $$(@D)
	$(simt_cxx_$(1)) $(simt_common) $(simt_device) -DGB_HAVE_CUDA=1 $(simt_compile_$(1)) -c $$< -o $$@
$(SIMT_BUILD)/$(1)/drive: $(simt_project:%.cu=$(SIMT_BUILD)/$(1)/%.o) \
		$(simt_support_objects) $(simt_engine) $(simt_engine_$(1))
	$(simt_cxx_$(1)) $(simt_link_$(1)) $$^ -o $$@ -fopenmp -lm -ldl -lpthread
$(SIMT_BUILD)/$(1)/%.o: tests/simt/%.cu
	@mkdir -p $$(@D)
	$(simt_cxx_$(1)) $(simt_common) $(simt_device) $(simt_compile_$(1)) -c $$< -o $$@
$(SIMT_BUILD)/$(1)/selftest: $(simt_selftest:%=$(SIMT_BUILD)/$(1)/%.o) $(simt_engine) $(simt_engine_$(1))
	$(simt_cxx_$(1)) $(simt_link_$(1)) $$^ -o $$@ -lpthread
$(SIMT_BUILD)/$(1)/faults: $(simt_faults:%=$(SIMT_BUILD)/$(1)/%.o) $(simt_engine) $(simt_engine_$(1))
	$(simt_cxx_$(1)) $(simt_link_$(1)) $$^ -o $$@ -lpthread
endef
$(foreach kind,$(simt_kinds),$(eval $(call simt_kind,$(kind))))

simt-all: $(foreach kind,$(simt_kinds),$(foreach program,selftest faults drive,$(SIMT_BUILD)/$(kind)/$(program)))

# Every seeded fault is caught; right kernels are not reported, neither the emulator's nor ours.
simt-test: simt-all
	$(PYTHON) tests/simt/faults.py $(SIMT_BUILD)
	$(SIMT_BUILD)/plain/selftest $(SEEDS)
	$(PYTHON) tests/simt/coalescing.py $(SIMT_BUILD)
	$(PYTHON) tests/simt/stress.py $(SIMT_BUILD) --seeds 1

# The same right kernels under many more schedules, and at larger sizes.
simt-stress: simt-all
	for kind in $(filter-out plain,$(simt_kinds)); do \
		$(SIMT_BUILD)/$$kind/selftest $(SEEDS) || exit 1; done
	$(PYTHON) tests/simt/stress.py $(SIMT_BUILD) --seeds $(SEEDS) --size large

# Broken copies of our right kernels: which share is found?
MUTANTS ?= 24
simt-mutants: simt-all
	$(PYTHON) tests/simt/mutants.py $(SIMT_BUILD) --count $(MUTANTS)

-include $(shell find $(SIMT_BUILD) -name "*.d" 2>/dev/null)
