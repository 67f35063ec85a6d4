# tests.mk -- the tests and other checks of a change; a part of the Makefile.

tests    := $(foreach t,$(call files,tests,c),$(if $(filter test_%,$(notdir $t)),$t))
test_objects := $(call object,$(tests) tests/criterion.c $(if $(QEMU),tests/arm/exec.c))
ifneq ($(filter 1,$(CUDA) $(SIMT)),)
test_objects += $(patsubst %.cu,$(BUILD)/%.cu.o,$(call files,tests/cuda,cu))
endif
$(addprefix $(BUILD)/,unit gpubench-planted gpubench-slow): $(BUILD)/generated/link_flags

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
# Without a GPU, only the PTX executor runs the kernels of tests.
ifeq ($(gpu_here),)
$(BUILD)/tests/%.cu.o: private gencode := $(ptx_gencode)
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

# gpubench with an extra, faulty variant, and with radix cpu/best slower by a tenth.
$(BUILD)/tests/planted/variants.o: private planted := -Itests/planted
$(BUILD)/tests/planted/variants_slow.o: private planted := -Dradix_cpu_best=radix_cpu_slow
$(BUILD)/tests/planted/variants.o $(BUILD)/tests/planted/variants_slow.o: \
		common/variants.c $(BUILD)/generated/flags | $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	$(Q)$(CC) $(planted) $(cppflags) $(listed_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) \
		-MMD -MP -c $< -o $@
$(BUILD)/gpubench-planted: $(BUILD)/tests/planted/variants.o \
		$(addprefix $(SHARED)/tests/planted/,radix_planted.o radix_patterns.o)
$(BUILD)/gpubench-slow: $(BUILD)/tests/planted/variants_slow.o $(SHARED)/tests/planted/radix_slow.o
$(addprefix $(BUILD)/gpubench-,planted slow): $(filter-out %/common/variants.o,$(objects))
	$(call link,$(ldlibs))

# Preloaded libraries that make allocations fail or hide /sys, and a fake NVML.
$(BUILD)/nvml.so: private soname := -Wl,-soname,libnvidia-ml.so.1
$(BUILD)/nomemory.so $(BUILD)/nosys.so $(BUILD)/nvml.so: $(BUILD)/%.so: tests/planted/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 -Wall -Wextra -shared -fPIC -I. $(soname) $< -o $@
# Loaded in place of the Vulkan loader, to which it passes calls on.
$(BUILD)/recorder/libvulkan.so.1: tests/vulkan/recorder.c
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 -Wall -Wextra -shared -fPIC $< -o $@

# Waiting OpenMP threads sleep soon, because several tests run at once.
export GOMP_SPINCOUNT ?= 100

# Criterion does not fail on leaks: reports go to files, and any report file is a failure.
# gcc before 14 takes one dynamic TLS block in 256 for glibc 2.19's and then reads wild addresses
# (github.com/google/sanitizers/issues/1322), hence intercept_tls_get_addr=0.
reports  = $(BUILD)/sanitizer-$@
sanitized = rm -f $(reports).*; \
	ASAN_OPTIONS="log_path='$(CURDIR)/$(reports)':intercept_tls_get_addr=0" \
	LSAN_OPTIONS="suppressions='$(CURDIR)/tests/lsan.supp':print_suppressions=0" \
	UBSAN_OPTIONS="print_stacktrace=1:log_path='$(CURDIR)/$(reports)'"
no_reports = ! cat $(reports).* 2>/dev/null

# A launch copies 16 MiB for the bandwidth instead of 256 MiB.  OpenMP's threads wait as the program
# makes them, since those that spin take a busy machine's cores from the test.
copied := GPUBENCH_COPY=16Mi GOMP_SPINCOUNT=2000

## test-layers: includes and calls follow the order of the layers, without cycles
test-layers: $(objects)
	$(Q)$(PYTHON) tests/layers $^
	$(Q)$(PYTHON) tests/layers --self-test

## test-unit: the unit tests; FILTER='sweep/*' selects some
# The vulkan variants run on lavapipe if it was unpacked.
lavapipe := $(if $(wildcard build/lavapipe/lvp_icd.json),'$(CURDIR)/build/lavapipe/lvp_icd.json')
test-unit: $(BUILD)/unit $(BUILD)/nvml.so
	$(Q)$(sanitized) $(copied) \
		$(if $(lavapipe),VK_DRIVER_FILES=$(lavapipe) VK_ICD_FILENAMES=$(lavapipe)) \
		$(BUILD)/unit $(if $(FILTER),--filter '$(FILTER)')
	$(Q)$(no_reports)

## test-relaxed: variants that share memory by atomics, under every order that C11 allows (gcc)
# tests/relaxed/ has its own runtime for what gcc makes of these sources.
relaxed_c := tests/relaxed/litmus.c $(addprefix cpu/,octree/lf.c octree/lf_amac.c \
	octree/parts/builder.c octree/parts/insert.c lbvh/parts/hierarchy.c bfs/basic.c \
	bfs/parts/search.c bfs/parts/topdown.c cbt/descent.c cbt/parts/tree.c)
$(BUILD)/relaxed/%.o: private optimise := -O1 -g1 -fsanitize=thread \
	--param=tsan-instrument-func-entry-exit=0 -Dmemset=relaxed_memset \
	-Dmemcpy=relaxed_memcpy
$(BUILD)/relaxed/%.o: %.c $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  CC    $< (relaxed)"
	$(Q)$(CC) $(shared_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -MMD -MP -c $< -o $@
$(BUILD)/unit-relaxed: $(relaxed_c:%.c=$(BUILD)/relaxed/%.o) \
		$(filter-out %/cli/commands/main.o $(relaxed_c:%.c=$(SHARED)/%.o),$(objects)) \
		$(patsubst %,$(SHARED)/tests/relaxed/%.o,main calls memory threads) \
		$(BUILD)/generated/link_flags
	$(call link,$(ldlibs) -lstdc++)
test-relaxed: $(if $(findstring clang,$(compilers)),,$(BUILD)/unit-relaxed)
	$(Q)$(if $^,$<,echo "test-relaxed is left out: it needs gcc")

## test-arm: cross-build for aarch64; `check` and unit tests under qemu (install-deps.sh arm)
# The unit tests are those of data, records and numbers, and some that compare NEON with portable C:
# others take minutes there, of variants that `check` also runs, or need real time, or this kernel's
# limits.  build/arm64 has no libstdc++.
arm_cc   := $(filter ccache,$(CC)) aarch64-linux-gnu-g%% --sysroot=build/arm64
arm_make := $(MAKE) --no-print-directory CUDA=0 QEMU=1 BUILD=build/aarch64 SHARED=build/aarch64 \
	have_gnu=0 CC="$(subst %%,cc,$(arm_cc))" CXX="$(subst %%,++,$(arm_cc))"
arm_run  := $(copied) QEMU_COMMAND=$$(command -v qemu-aarch64) \
	QEMU_LD_PREFIX='$(CURDIR)/build/arm64' qemu-aarch64 build/aarch64
arm_unit := @($(subst $() ,|,$(addsuffix /*,archs bodies cbt_layout cbt_trees cbt_verify \
	criterion graph identity image key keys leaf_narrow leaf_pairs lines mesh octree_box \
	order record rng setups simd stats suggest text value) \
	cbt_cpu/non_temporal_stores lbvh_trace/axes octree_cpu/keys_of_all_instruction_sets \
	radix_cpu/patterns))
test-arm:
	+$(Q)if scripts/install-deps.sh --check arm >/dev/null; then \
		$(arm_make) build/aarch64/gpubench build/aarch64/unit && \
		$(arm_run)/gpubench check --backend=cpu && \
		$(arm_run)/unit --filter '$(arm_unit)'; \
	else echo "test-arm is left out: scripts/install-deps.sh arm installs what is missing"; fi

# A build without any optional library.
plain_cppflags := -I. -I$(BUILD)/generated -D_GNU_SOURCE $(addprefix -DGB_HAVE_,CUDA=0 CUB=0 HWY=0 \
	PNG=0 EMBREE=0 VULKAN=0) -DGB_EMBREE=0

## test-musl: what uses more than ISO C compiles with musl (install-deps.sh arm)
iso_headers := ctype|errno|float|immintrin|inttypes|limits|locale|math|omp|signal|std.*|string|time
beyond_iso := include <(?!($(iso_headers))\.h|png|Random123)
test-musl: $(BUILD)/generated/build_info.h
	$(Q)mkdir -p build/musl && ln -sfn "/usr/include/$$(uname -m)-linux-gnu/asm" \
		$(addprefix /usr/include/,asm-generic cjson linux Random123) build/musl
	$(Q)if command -v musl-gcc >/dev/null; then \
		musl-gcc -fsyntax-only -std=c11 -fopenmp $(warnings) -Werror $(plain_cppflags) \
			-isystem build/musl $$(grep -lP '$(beyond_iso)' \
			$(filter-out $(embree) $(graphblas) vulkan/%,$(sources))); \
	else echo "test-musl is left out: scripts/install-deps.sh arm installs musl-gcc"; fi

## test-simt: with SIMT=1: every cuda variant in the emulator
# BESIDES_PTX=1 leaves out what ptx-test runs: the points of `check`, and suites of coverage.sh.
simt_suites := @(variants|primitives|bfs_cuda|simt|stream|backend)*/*
ifeq ($(BESIDES_PTX),1)
simt_suites := @(variants!(_@(lbvh?(_wide)|octree|radix))|@(simt|stream|backend)*)/!(every_point)
endif
test-simt: $(BUILD)/unit $(BUILD)/nvml.so
	$(Q)$(sanitized) $(copied) $(BUILD)/unit --filter '$(simt_suites)'
	$(Q)$(no_reports)

## gpu-check: the cuda variants on the GPU under compute-sanitizer (run by `make test` if possible)
# gpu-drive sorts on one multiprocessor, so that its blocks sort several tiles of few keys.
$(BUILD)/gpu-drive: $(call object,tests/simt/drive.c) \
		$(filter-out %/main.o,$(objects)) $(BUILD)/generated/link_flags
	$(call link,$(ldlibs))
gpu-check: $(BUILD)/gpubench $(BUILD)/gpu-drive
	$(if $(gpu_sanitizer),,$(error gpu-check needs a GPU and compute-sanitizer))
	$(Q)set -e; for tool in memcheck racecheck initcheck synccheck; do \
		echo "compute-sanitizer --tool $$tool"; \
		$(gpu_sanitizer) --tool $$tool --error-exitcode 9 \
			$(BUILD)/gpubench check --backend=cuda --require-gpu; \
		$(gpu_sanitizer) --tool $$tool --error-exitcode 9 \
			$(BUILD)/gpu-drive --processors 1 --only onesweep \
			"radix --count=21000,70000 --type=u32,u64,f32 \
			 --distribution=uniform,few"; done

## test-resume: a sweep killed KILLS=20 times at random times and resumed (make test: a small one)
KILLS ?= 20
test-resume: $(BUILD)/gpubench
	$(Q)tests/resume.sh $(BUILD)/gpubench $(KILLS)

## test-slurm: the job array of scripts/sweep.slurm on a one-node Slurm, started here (as root)
test-slurm: $(BUILD)/gpubench
	$(Q)tests/slurm.sh $(BUILD)/gpubench

## test-roots: docs/install.md and packages in bare Debians (as root, with debootstrap; an hour)
test-roots:
	$(Q)tests/roots.sh

## test-gate: the build server recipe: same build, slower build, benchmark removed (minutes)
test-gate: $(BUILD)/gpubench $(BUILD)/gpubench-slow
	$(Q)tests/gate.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow whole

## test-cli: golden command-line cases and tests of the whole program
# Those that take longest come first.
whole    := golden plugin plots page verdicts reading resume \
	signals memory install joins latex gate recipes deps nvcc nosys counts exchange vulkan \
	figures docs papers
# Each launch copies 1 MiB instead of 256 MiB for the bandwidth, since there are many.
test-cli: export GPUBENCH_COPY = 1Mi
test-cli: $(whole:%=whole-%)
$(whole:%=whole-%): $(BUILD)/gpubench $(BUILD)/gpubench-planted $(BUILD)/gpubench-slow \
		$(BUILD)/nomemory.so $(BUILD)/nosys.so
# One that hangs ends after TEST_SECONDS [7200], without the programs that it has started.
$(whole:%=whole-%): private SHELL := timeout
$(whole:%=whole-%): private .SHELLFLAGS := --foreground $(or $(TEST_SECONDS),7200) sh -c
whole-golden:  ; $(Q)$(sanitized) tests/golden/run.sh $(BUILD)/gpubench && $(no_reports)
whole-plugin:  ; $(Q)tests/plugin.sh $(BUILD)
whole-page:    ; $(Q)tests/page.sh $(BUILD)/gpubench
whole-figures: ; $(Q)GPUBENCH=$(BUILD)/gpubench scripts/figures.py --check
whole-docs:    ; $(Q)$(PYTHON) tests/docs.py $(BUILD)/gpubench
whole-joins:   ; $(Q)$(PYTHON) tests/joins.py $(BUILD)/gpubench
whole-plots:   ; $(Q)$(PYTHON) tests/plots.py $(BUILD)/gpubench
whole-latex:   ; $(Q)$(PYTHON) tests/latex.py $(BUILD)/gpubench
whole-papers:  ; $(Q)tests/papers.sh $(BUILD)/gpubench
whole-reading: ; $(Q)tests/reading.sh $(BUILD)/gpubench
whole-resume:  ; $(Q)tests/resume.sh $(BUILD)/gpubench 3 1 \
		radix 'cpu/[lqsv]*' cpu/best --count=1k,4k,16k --type=u32,u64,pairs
whole-signals: ; $(Q)tests/signals.py $(BUILD)/gpubench
whole-memory:  ; $(Q)tests/memory.sh $(BUILD)/gpubench $(BUILD)/nomemory.so
whole-install: ; +$(Q)tests/install.sh $(BUILD)/gpubench
whole-deps:    ; $(Q)tests/deps.sh
whole-nvcc:    ; $(Q)tests/nvcc.sh
whole-nosys:   ; $(Q)tests/nosys.sh $(BUILD)/gpubench $(BUILD)/nosys.so
whole-counts:  ; $(Q)$(PYTHON) tests/counts.py
whole-gate:    ; $(Q)tests/gate.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow
whole-exchange: ; $(Q)$(PYTHON) tests/exchange.py $(BUILD)/gpubench
whole-vulkan:  $(if $(filter 1,$(have_vulkan)),$(BUILD)/recorder/libvulkan.so.1)
whole-vulkan:  ; $(Q)$(sanitized) tests/vulkan.sh $(BUILD)/gpubench $(BUILD)/recorder && \
		$(no_reports)
whole-verdicts: ; $(Q)$(PYTHON) tests/verdicts.py $(BUILD)/gpubench
whole-recipes: ; $(Q)$(PYTHON) tests/recipes.py $(BUILD)/gpubench $(BUILD)/gpubench-slow

deps-test:
	$(Q)scripts/install-deps.sh test

## simt: build ./gpubench-simt, whose cuda variants run in the emulator
simt:
	$(Q)$(MAKE) --no-print-directory SIMT=1 all

ifeq ($(MODE)$(SIMT),release1)
include tests/simt/simt.mk
else
simt-test simt-stress simt-all:
	$(Q)$(MAKE) --no-print-directory MODE=release SIMT=1 $@
endif

## asan: unit and command-line tests under AddressSanitizer and UBSan (kernels: simt-test)
asan: deps-test
	$(Q)$(MAKE) --no-print-directory MODE=asan CUDA=0 test-unit
	$(Q)$(MAKE) --no-print-directory MODE=asan CUDA=0 test-cli

## tsan: the cpu variants under ThreadSanitizer (clang, libomp and its archer)
tsan:
	$(Q)$(MAKE) --no-print-directory MODE=tsan CUDA=0 CC=clang CXX=clang++ build/tsan/gpubench
	$(Q)TSAN_OPTIONS=ignore_noninstrumented_modules=1 build/tsan/gpubench check --backend=cpu

## fuzz: the readers under libFuzzer, SECONDS_EACH=60 each (needs clang and its runtime)
SECONDS_EACH ?= 60
fuzzers  := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))
fuzzed   := $(patsubst %.c,$(BUILD)/fuzz/%.o,\
	$(filter-out cli/commands/main.c $(embree) $(graphblas) vulkan/%,$(sources)))
.SECONDARY: $(fuzzed) $(fuzzers:$(BUILD)/fuzz/%=$(BUILD)/fuzz/tests/fuzz/%.o)
fuzz: $(fuzzers)
	$(Q)set -e; for f in $^; do mkdir -p $$f.corpus; \
		cp tests/fuzz/seeds/$${f##*/fuzz_}/* $$f.corpus 2>/dev/null || :; \
		$$f -max_total_time=$(SECONDS_EACH) -artifact_prefix=$$f. -print_final_stats=1 \
			-close_fd_mask=1 $$f.corpus; done
$(BUILD)/fuzz/%.o: %.c $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	@echo "  FUZZ  $<"
	$(Q)clang -std=c11 $(plain_cppflags) -fopenmp -O1 -g \
		-fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
$(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(fuzzed) $(SHARED)/cli/commands/embedded.o
	$(Q)clang -fopenmp -fsanitize=fuzzer,address,undefined $^ -lcjson -lm -lpthread -o $@

## fuzz-records: every reading command on records with one spoiled member, for SECONDS_EACH=60
fuzz-records: $(BUILD)/gpubench
	$(Q)$(PYTHON) tests/fuzz/records.py $(BUILD)/gpubench $(SECONDS_EACH)

# ---- quality -------------------------------------------------------------------------------

linted   := $(sources) $(cuda_c)
formatted = $(foreach e,c h cc cu,\
	$(call files,cli common cpu cuda vulkan datasets examples tests,$e))

## lint: clang's warnings, clang-tidy and the analyzer, all as errors; English; fuzzers
# The analyzer's limit of states per function; its default of 225000 takes much longer.
LINT_NODES ?= 30000
lint: $(BUILD)/generated/build_info.h
	$(Q)$(PYTHON) tests/words
	$(Q)$(CC) -fsyntax-only $(cppflags) -std=c11 $(warnings) -Wno-missing-prototypes -Werror \
		$(wildcard tests/fuzz/*.c)
	$(Q)ls -S $(linted) | xargs -P "$$(nproc)" -I{} \
		clang-tidy --quiet {} -- $(cppflags) -std=c11 -fopenmp $(warnings) \
		$(clang_warnings) -Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES)

## format: rewrite the sources with clang-format
format:
	$(Q)clang-format -i $(formatted)

## format-check: fail if `make format` would change anything
format-check:
	$(Q)clang-format --dry-run -Werror $(formatted)

## ptxas: compile every .cu for all architectures, or SMS; check registers and spills
ptxas:
	$(Q)$(MAKE) --no-print-directory \
		$(if $(filter file undefined,$(origin SMS)),BUILD=build/ptxas \
		SMS="$(all_sms)") ptxas-check
ptxas-check: $(filter $(BUILD)/cuda/%.cu.o,$(objects))
	$(Q)scripts/ptxas-table.sh --check $(BUILD)

## counts: the exact counts of every cuda kernel (PTX executor), compared with the stored ones
## counts-write: store new counts after an intended change, and regenerate their pages
counts counts-write: ptx
	$(Q)$(PYTHON) scripts/counts.py ./gpubench-ptx \
		$(if $(filter counts,$@),--check results/counts.jsonl,>build/counts.jsonl)
	$(Q)$(if $(filter counts,$@),:,mv build/counts.jsonl results/counts.jsonl && \
		$(PYTHON) scripts/predict.py >docs/predictions.md && \
		$(PYTHON) scripts/literature.py >docs/literature.md && \
		$(PYTHON) scripts/counters.py --page >docs/counters.md)

## test-counts: counts must find a planted extra load, bank conflict and uncoalesced store
test-counts: ptx
	$(Q)$(PYTHON) tests/counts.py --planted

## shaders: rebuild the built-in SPIR-V from the GLSL in vulkan/ (needs glslangValidator)
GLSLANG ?= glslangValidator
shaders  := $(foreach e,comp rgen rmiss rchit,$(call files,vulkan,$e))
shaders: $(shaders:%=%.inc)
%.inc: % $(call files,vulkan,glsl)
	@echo "  GLSL  $<"
	$(Q)$(GLSLANG) --quiet --target-env vulkan1.2 -g0 -x $< -o $@

## measure: measure the CPU figures of the pages in docs/ and print their tables (40 minutes)
measure: all
	$(Q)folder=results/measured/cpu-$$(date +%F); \
		scripts/measure.sh $$folder && scripts/figures.py $$folder

.PHONY: $(whole:%=whole-%) test-layers test-unit test-relaxed test-arm test-musl test-simt \
	test-cli gpu-check test-resume test-slurm test-gate test-roots deps-test simt simt-test \
	simt-stress simt-all asan tsan fuzz lint fuzz-records format format-check ptxas \
	ptxas-check counts counts-write test-counts shaders measure
