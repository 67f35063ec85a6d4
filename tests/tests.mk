# tests.mk -- the tests and other checks of a change; a part of the Makefile.

tests    := $(foreach t,$(call files,tests,c),$(if $(filter test_%,$(notdir $t)),$t))
test_objects := $(call object,$(tests) tests/criterion.c)
ifeq ($(CUDA),1)
test_objects += $(patsubst %.cu,$(BUILD)/%.cu.o,$(call files,tests/cuda,cu))
endif
$(addprefix $(BUILD)/,unit gpubench-planted): \
		$(BUILD)/generated/link_flags

# Criterion's macros convert implicitly, declare without prototypes and use extensions.
$(BUILD)/tests/%.o $(SHARED)/tests/%.o: private warnings += -Wno-conversion \
	-Wno-missing-prototypes -Wno-strict-prototypes -Wno-pedantic -Wno-cast-qual \
	-Wno-double-promotion -Wno-null-dereference \
	-Wno-write-strings -Wno-discarded-qualifiers \
	-Wno-incompatible-pointer-types-discards-qualifiers
# Tests spend their time in the code under test, so they are compiled with little optimisation.
ifeq ($(MODE),release)
$(SHARED)/tests/%.o: private optimise := -O1 -g1
endif
# UBSan looks at the code under test; in Criterion's macros it costs more time than ASan.
ifeq ($(MODE),asan)
$(BUILD)/tests/%.o $(SHARED)/tests/%.o: private optimise += -fno-sanitize=undefined
endif
$(BUILD)/tests/ptx/selftest/%.o: private ptx_optimise += -O1 -g1
# Without a GPU, only the PTX executor runs the kernels of tests, as code for the newest.
ifeq ($(gpu_here),)
$(BUILD)/tests/%.cu.o: private gencode := $(call ptx_of,$(lastword $(targets))) --no-compress
endif

# tests/git2.c stands between Criterion and the libgit2 that it is linked with.
criterion := -lcriterion -L$(SHARED)/git2 -Wl,--no-as-needed -lgit2 \
	-Wl,-rpath,'$$ORIGIN/../$(notdir $(SHARED))/git2'
$(SHARED)/git2/libgit2.so: tests/git2.c
	@mkdir -p $(@D)
	$(Q)name=$$(readelf -d "$$($(CC) -print-file-name=libcriterion.so)" | \
		sed -n 's/.*NEEDED.*\[\(libgit2[^]]*\)].*/\1/p'); name=$${name:-libgit2.none}; \
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -shared -fPIC -Wl,-soname,$$name \
		-DLIBGIT2="\"$$($(CC) -print-file-name=$$name)\"" $< -o $@ && \
		ln -sf $(@F) $(@D)/$$name
$(BUILD)/unit: $(test_objects) $(filter-out %/cli/commands/main.o,$(objects)) \
		$(SHARED)/git2/libgit2.so 
	$(call link,$(ldlibs) $(criterion))

# gpubench with an extra, faulty variant.
$(BUILD)/tests/planted/variants.o: private planted := -Itests/planted
$(BUILD)/tests/planted/variants.o: common/variants.c $(BUILD)/generated/flags | $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(planted) $(cppflags) $(listed_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) \
		-MMD -MP -c $< -o $@
$(BUILD)/gpubench-planted: $(BUILD)/tests/planted/variants.o \
		$(addprefix $(SHARED)/tests/planted/,radix_planted.o radix_patterns.o)
$(BUILD)/gpubench-planted: $(filter-out %/common/variants.o,$(objects))
	$(call link,$(ldlibs))

# A preloaded library that makes allocations fail, and a fake NVML.
$(BUILD)/nvml.so: private soname := -Wl,-soname,libnvidia-ml.so.1
$(BUILD)/nomemory.so $(BUILD)/nvml.so: $(BUILD)/%.so: tests/planted/%.c
$(BUILD)/nomemory.so $(BUILD)/nvml.so:
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 -Wall -Wextra -shared -fPIC -I. $(soname) $< -o $@
# A tool for NVTX.
$(BUILD)/nvtx.so: tests/planted/nvtx.c
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -O2 -Wall -Wextra -shared -fPIC $(cuda_include) $< -o $@
# Loaded in place of the Vulkan loader, to which it passes calls on.
$(BUILD)/faults/libvulkan.so.1: tests/vulkan/faults.c
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 -Wall -Wextra -shared -fPIC $< -o $@

# ---- make test -----------------------------------------------------------------------------

# Each test is a target, test-NAME.  Its output goes to build/tests/NAME; make prints one line.
tests_run := build/tests
try       = $(Q)scripts/step.sh --test $(tests_run) $(@:test-%=%)
# Criterion does not fail on leaks, so sanitizers write reports, and each report is a failure.
sanitized = $(if $(sanitize),tests/sanitized.sh $(tests_run)/$(@:test-%=%).report)
# Several tests run at once: waiting OpenMP threads sleep soon.  A launch copies 1 MiB instead of
# 256 MiB for the bandwidth.
export GOMP_SPINCOUNT ?= 100
test-%: export GPUBENCH_COPY ?= 1Mi

# Those that take longest come first.
on_cpu := unit golden check plugin hang plots signals page reading resume memory install recipes fetch deps nvcc \
	counts contributing vulkan figures docs papers layers
ifneq ($(PTX),)
on_ptx := ptx-check ptx-unit ptx-other ptx-selftest ptx-faults ptx-weak ptx-reached ptx-devices ptx-hang ptx-counts
endif
steps  := $(addprefix test-,$(on_ptx) $(if $(gpu_sanitizer),gpu) $(on_cpu))

## test: layers, units, command-line cases, and every CUDA kernel in the PTX executor or on a GPU
test: deps-test
	$(again) deps-nvcc
	$(again) test-now
# $(call tried,WORDS OF MAKE...): runs tests, and prints the output of those that failed.
tried = +$(Q)rm -rf $(tests_run); status=0; \
	$(foreach words,$(1),$(MAKE) --no-print-directory -k $(subst ^, ,$(words)) || status=1;) \
	scripts/step.sh --sum $(tests_run) $$status
test-now:
	$(call tried,tests^$(ptx_alone) $(if $(gpu_here),tests-ptx^PTX=1))
tests: $(steps)
tests-ptx: $(on_ptx:%=test-%)
deps-test:
	$(Q)scripts/install-deps.sh test

## slowest: the ten compilations and the ten tests that took most time
slowest:
	$(Q)scripts/step.sh --slowest $(times) $(tests_run)/times

whole := $(filter-out unit layers,$(on_cpu))
$(whole:%=test-%): $(BUILD)/gpubench $(BUILD)/gpubench-planted $(BUILD)/nomemory.so
test-layers: $(objects)
	$(try) $(PYTHON) tests/layers $^
# FILTER='sweep/*' selects some.  The vulkan variants run on lavapipe if it was unpacked.
lavapipe := $(if $(wildcard build/lavapipe/lvp_icd.json),'$(CURDIR)/build/lavapipe/lvp_icd.json')
test-unit: private export GPUBENCH_COPY := 16Mi
test-unit: private export GOMP_SPINCOUNT := 2000
ifneq ($(lavapipe),)
test-unit: private export VK_DRIVER_FILES := $(lavapipe)
test-unit: private export VK_ICD_FILENAMES := $(lavapipe)
endif
test-unit: $(BUILD)/unit $(BUILD)/nvml.so
	$(try) $(sanitized) $(BUILD)/unit $(if $(FILTER),--filter '$(FILTER)')
test-check: ; $(try) $(sanitized) $(BUILD)/gpubench check
test-plugin: ; $(try) tests/plugin.sh $(BUILD)
test-hang: ; $(try) tests/hang.sh $(BUILD)/gpubench $(BUILD) cpu
test-golden: ; $(try) $(sanitized) tests/golden/run.sh $(BUILD)/gpubench
test-page: ; $(try) tests/page.sh $(BUILD)/gpubench
test-figures: ; $(try) env GPUBENCH=$(BUILD)/gpubench scripts/figures.py --check
test-docs: ; $(try) $(PYTHON) tests/docs.py $(BUILD)/gpubench
test-plots: ; $(try) $(PYTHON) tests/plots.py $(BUILD)/gpubench
test-papers: ; $(try) tests/papers.sh $(BUILD)/gpubench
test-reading: ; $(try) tests/reading.sh $(BUILD)/gpubench
KILLS ?= 3
test-resume: ; $(try) tests/resume.sh $(BUILD)/gpubench $(KILLS) 1 \
		radix 'cpu/[lqsv]*' cpu/best --count=1k,4k,16k --values=none,u32
test-signals: ; $(try) tests/signals.py $(BUILD)/gpubench
test-memory: ; $(try) tests/memory.sh $(BUILD)/gpubench $(BUILD)/nomemory.so
test-install: ; +$(try) tests/install.sh $(BUILD)/gpubench
test-deps: ; $(try) tests/deps.sh
test-nvcc: ; $(try) sh -c 'tests/nvcc_wheels.sh && tests/nvcc.sh'
test-counts: ; $(try) $(PYTHON) tests/counts.py
test-vulkan: $(if $(filter 1,$(have_vulkan)),$(BUILD)/faults/libvulkan.so.1)
	$(try) $(sanitized) tests/vulkan.sh $(BUILD)/gpubench $(BUILD)/faults
test-fetch: ; $(try) $(PYTHON) tests/fetch.py
test-contributing: ; +$(try) tests/contributing.sh $(BUILD) $(SHARED)
test-recipes: ; $(try) $(PYTHON) tests/recipes.py $(BUILD)/gpubench

# The cuda variants on a GPU.
test-gpu: $(BUILD)/gpubench
	$(try) tests/gpu.sh '$(gpu_sanitizer)' $^

# ---- make test-long ------------------------------------------------------------------------

## test-long: what takes longer: sanitizers, random schedules, fuzzing, all architectures
test-long: deps-test
	$(again) asan
	$(again) PTX=1 ptx-seeds
	$(again) fuzz
	$(again) ptxas
	$(again) test-resume KILLS=20
	+$(Q)if scripts/install-deps.sh --check arm >/dev/null; then \
		$(MAKE) --no-print-directory CUDA=0 BUILD=build/aarch64 SHARED=build/aarch64 \
			CC="$(subst %%,cc,$(arm_cc))" CXX="$(subst %%,++,$(arm_cc))" objects; \
	else echo "aarch64 is left out: scripts/install-deps.sh arm installs what is missing"; fi
# Headers of libraries are those of this machine, and nothing is linked.
arm_cc   := $(filter ccache,$(CC)) aarch64-linux-gnu-g%% -idirafter /usr/include
objects: $(objects)

## asan: unit tests, check and command-line tests, or ASAN, under AddressSanitizer and UBSan
ASAN ?= unit check golden vulkan
asan: deps-test
	$(again) MODE=asan CUDA=0 tests_run=build/tests-asan asan-now
asan-now:
	$(call tried,$(subst $() ,^,$(ASAN:%=test-%)))

## tsan: the cpu variants under ThreadSanitizer (clang, libomp and its archer)
tsan:
	$(again) MODE=tsan CUDA=0 CC=clang CXX=clang++ build/tsan/gpubench
	$(Q)TSAN_OPTIONS=ignore_noninstrumented_modules=1 build/tsan/gpubench check --backend=cpu

# A build without any optional library.
plain_cppflags := -I. -I$(BUILD)/generated -D_GNU_SOURCE $(addprefix -DGB_HAVE_,CUDA=0 CUB=0 HWY=0 \
	PNG=0 EMBREE=0 VULKAN=0 BOOST=0 GRAPHBLAS=0) -DGB_EMBREE=0

## fuzz: the readers under libFuzzer, SECONDS_EACH=60 each (needs clang)
SECONDS_EACH ?= 60
fuzzers  := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))
fuzzed   := $(patsubst %.c,$(BUILD)/fuzz/%.o,\
	$(filter-out cli/commands/main.c $(embree) $(graphblas) vulkan/%,$(sources)))
.SECONDARY: $(fuzzed) $(fuzzers:$(BUILD)/fuzz/%=$(BUILD)/fuzz/tests/fuzz/%.o)
fuzz: $(fuzzers)
	$(Q)set -e; for f in $(fuzzers); do mkdir -p $$f.corpus; \
		cp tests/golden/files/* tests/fuzz/seeds/$${f##*/fuzz_}/* $$f.corpus 2>/dev/null || :; \
		$$f -max_total_time=$(SECONDS_EACH) -artifact_prefix=$$f. -print_final_stats=1 \
			-close_fd_mask=1 $$f.corpus; done
$(BUILD)/fuzz/%.o: %.c $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	@echo "  FUZZ  $<"
	$(Q)clang -std=c11 $(plain_cppflags) -fopenmp -O1 -g \
		-fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
$(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(fuzzed) $(SHARED)/cli/commands/embedded.o
	$(Q)clang -fopenmp -fsanitize=fuzzer,address,undefined $^ -lcjson -lz -lm -lpthread -o $@

# ---- quality -------------------------------------------------------------------------------

linted   := $(sources) $(cuda_c)
formatted = $(foreach e,c h cc cu,\
	$(call files,cli common cpu cuda vulkan datasets examples tests,$e))

## lint: clang's warnings, clang-tidy and the analyzer, all as errors
# The analyzer's limit of states per function; its default of 225000 takes much longer.
LINT_NODES ?= 30000
lint: $(BUILD)/generated/build_info.h
	$(Q)$(CC) -fsyntax-only $(cppflags) -std=c11 $(warnings) -Wno-missing-prototypes -Werror \
		$(wildcard tests/fuzz/*.c)
	$(Q)ls -S $(linted) | xargs -P "$$(nproc)" -I{} \
		clang-tidy --quiet {} -- $(cppflags) $(listed_cppflags) -std=c11 -fopenmp $(warnings) \
		$(clang_warnings) -Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES)

## format: rewrite the sources with clang-format
format:
	$(Q)clang-format -i $(formatted)

## format-check: fail if `make format` would change anything, or at leftovers of a merge or patch
format-check:
	$(Q)leftover=$$(find . -path ./build -prune -o -path ./.git -prune -o \
		\( -name '*.orig' -o -name '*.rej' \) -print) && \
		[ -z "$$leftover" ] || { echo "remove" $$leftover; exit 1; }
	$(Q)clang-format --dry-run -Werror $(formatted)

## ptxas: compile every .cu for all architectures, or SMS; check registers and spills
ptxas:
	$(again) $(if $(filter file undefined,$(origin SMS)),BUILD=build/ptxas \
		SMS="$(all_sms)") ptxas-check
ptxas-check: $(filter $(BUILD)/cuda/%.cu.o,$(objects))
	$(Q)scripts/ptxas-table.sh --check $(BUILD)

## counts: the exact counts of every cuda kernel (PTX executor), against the stored; WRITE=1 stores them
counts: ptx
ifeq ($(WRITE),)
	$(Q)$(PYTHON) scripts/counts.py ./gpubench-ptx --check results/counts.jsonl
else
	$(Q)$(PYTHON) scripts/counts.py ./gpubench-ptx >build/counts.jsonl && \
		mv build/counts.jsonl results/counts.jsonl
endif

## shaders: rebuild the built-in SPIR-V from the GLSL in vulkan/ (needs glslangValidator)
GLSLANG ?= glslangValidator
shaders  := $(call files,vulkan,comp)
shaders: $(shaders:%=%.inc)
%.inc: % $(call files,vulkan,glsl)
	@echo "  GLSL  $<"
	$(Q)$(GLSLANG) --quiet --target-env vulkan1.2 -g0 -x $< -o $@

.PHONY: objects $(steps) $(on_ptx:%=test-%) test-now tests tests-ptx asan-now test-long deps-test slowest asan tsan fuzz lint \
	format format-check ptxas ptxas-check counts shaders
