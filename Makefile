# gpubench -- `make help` lists what can be made.
#
#	MODE=release|debug|asan|tsan   flavour of the build, each in build/<MODE>
#	CUDA=0|1                       leave CUDA out or in (default: in if an nvcc is found that will do)
#	PTX=90|80|75                   PTX of that architecture alone, for `make ptx`, in build/<MODE>-ptx<PTX>
#	                               (default: the 90 that a build for SMS="... 90" holds anyway)
#	SIMT=1                         the cuda variants on the SIMT emulator, in build/<MODE>-simt
#	SMS="80 90"                    GPU architectures (default: the GPU that is here, else 80 90)
#	V=1                            show the commands

MODE     ?= release
SIMT     ?= 0
PTX      ?=
V        ?= 0
Q        := $(if $(filter 1,$(V)),,@)
PYTHON   ?= /usr/bin/python3
NVCC     ?= nvcc
PREFIX   ?= /usr/local

nvcc_path := $(shell command -v $(NVCC) 2>/dev/null)
CUDA_HOME ?= $(patsubst %/bin/,%,$(dir $(realpath $(nvcc_path))))
ifeq ($(SIMT),1)
override CUDA := 0
endif
cuda_absent := $(if $(filter 1,$(SIMT)),,CUDA=0 was given)

# What is wrong with that nvcc, and the host compiler that it takes: $(CXX), or its own.  A make within
# this one has the answers from its environment.
ifneq ($(CUDA),0)
nvcc_takes = $(shell $(nvcc_path) $(1) -std=c++20 -x cu -E /dev/null >/dev/null 2>&1 && echo yes)
ifneq ($(nvcc_asked),$(nvcc_path) $(CXX))
nvcc_version := $(if $(nvcc_path),$(shell $(nvcc_path) --version 2>/dev/null | sed -n 's/.*release.*, V//p'))
nvcc_fault :=
nvcc_host  := -ccbin $(CXX)
ifeq ($(nvcc_path),)
nvcc_fault := no nvcc was found
else ifneq ($(shell [ "$(firstword $(subst ., ,$(nvcc_version)))" -ge 12 ] 2>/dev/null && echo new),new)
nvcc_fault := $(NVCC) is version $(or $(nvcc_version),unknown), and 12.0 is the least that will do
else ifneq ($(call nvcc_takes,$(nvcc_host)),yes)
nvcc_host  :=
ifneq ($(call nvcc_takes),yes)
nvcc_fault := $(NVCC) $(nvcc_version) does not take $(CXX) $(shell $(CXX) -dumpversion) as its host compiler
endif
endif
nvcc_asked := $(nvcc_path) $(CXX)
export nvcc_asked nvcc_version nvcc_fault nvcc_host
endif
ifneq ($(nvcc_fault),)
ifneq ($(CUDA)$(PTX),)
$(error $(if $(PTX),PTX=$(PTX),CUDA=1): $(nvcc_fault); set NVCC or CXX$(if $(PTX),, or use CUDA=0))
endif
ifeq ($(MAKELEVEL)$(if $(nvcc_path),,none),0)
$(warning the cuda variants are left out: $(nvcc_fault))
endif
endif
cuda_absent := $(nvcc_fault)
ifeq ($(CUDA),)
CUDA      := $(if $(nvcc_fault),0,1)
endif
endif
BUILD     := build/$(MODE)$(if $(filter 1,$(SIMT)),-simt)$(if $(PTX),-ptx$(PTX))
SHARED    := build/$(MODE)

# ---- flags ---------------------------------------------------------------------------------

# \# within $(shell) is # or \#, as make's version has it.
hash       := \#
have_header = $(shell printf '$(hash)include <$(1)>\n' | $(CXX) -E -x c++ - >/dev/null 2>&1 && echo 1 || echo 0)
have_hwy   := $(call have_header,hwy/contrib/sort/vqsort.h)
have_png   := $(call have_header,png.h)
have_sqlite := $(call have_header,sqlite3.h)
have_vulkan := $(call have_header,vulkan/vulkan.h)
# The major version of Embree, 4 or 3; 0: there is none.
have_embree := $(firstword $(if $(filter tsan,$(MODE)),,$(foreach v,4 3,$(if \
	$(filter 1,$(call have_header,embree$v/rtcore.h)),$v))) 0)

# Operations of one table take what any of them needs; members left out of a table are zero.
as_wanted := -Wno-unused-parameter
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wvla -Wundef -Wwrite-strings \
	-Wpointer-arith -Wcast-qual -Wformat=2 -Wdouble-promotion -Wnull-dereference \
	$(as_wanted)
cxx_warnings := -Wall -Wextra -Wshadow $(as_wanted) -Wno-missing-field-initializers
werror   := $(if $(CI),-Werror)

# Lines, for profilers, and no variables: following those doubles the time of the largest files.
optimise_release := -O3 -g1
optimise_debug   := -O0 -g
optimise_asan    := -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
optimise_tsan    := -O1 -g1 -fsanitize=thread
optimise := $(optimise_$(MODE))
ifeq ($(optimise),)
$(error MODE=$(MODE) is not one of release, debug, asan, tsan)
endif
sanitize := $(filter -fsanitize%,$(optimise))

shared_cppflags := -I. -D_GNU_SOURCE -DGB_HAVE_HWY=$(have_hwy) -DGB_HAVE_PNG=$(have_png) \
	-DGB_HAVE_SQLITE=$(have_sqlite) -DGB_HAVE_VULKAN=$(have_vulkan) \
	-DGB_HAVE_EMBREE=$(if $(filter 0,$(have_embree)),0,1) -DGB_EMBREE=$(have_embree)
cppflags := $(shared_cppflags) -I$(BUILD)/generated -DGB_HAVE_CUDA=$(if $(filter 1,$(CUDA) $(SIMT)),1,0) \
	-DGB_HAVE_CUB=$(CUDA) $(if $(filter 1,$(SIMT)),-DGPUBENCH_SIMT=1 -Itests/simt)
cflags   = -std=c11 -fopenmp $(optimise) $(warnings) $(werror)
cxxflags = -std=c++20 -fopenmp $(optimise) $(cxx_warnings) $(werror)
ldflags  := $(sanitize)
ldlibs   := -fopenmp -lcjson -lm -lpthread -ldl $(if $(filter 1,$(have_hwy)),-lhwy_contrib -lhwy) \
	$(if $(filter 1,$(have_png)),-lpng) $(if $(filter 1,$(have_sqlite)),-lsqlite3) $(if $(filter-out 0,$(have_embree)),-lembree$(have_embree))

ifeq ($(CUDA),1)
gpu_here := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -u | grep -E '^[0-9]+$$')
SMS      ?= $(if $(gpu_here),$(gpu_here),80 90)
known    := $(patsubst sm_%,%,$(shell $(NVCC) --list-gpu-code))
targets  := $(filter $(known),$(or $(PTX),$(SMS)))
ifeq ($(targets),)
$(error none of SMS="$(SMS)" is known to $(NVCC), which knows $(known))
endif
# The PTX is there to be read as well: by the driver of a later GPU, and by the executor in tests/ptx.
ptx_gencode := -gencode arch=compute_$(lastword $(targets)),code=compute_$(lastword $(targets)) --no-compress
gencode  := $(if $(PTX),,$(foreach sm,$(targets),-gencode arch=compute_$(sm),code=sm_$(sm))) $(ptx_gencode)
nvflags  := -std=c++20 -O3 -lineinfo -Xcompiler -Wall,-Wextra,-Wshadow,-Wno-unused-parameter,-Wno-missing-field-initializers \
	-Werror all-warnings -Xptxas -v
# compute-sanitizer, where there is a GPU to use it on.
gpu_sanitizer := $(if $(gpu_here),$(firstword $(shell command -v compute-sanitizer) \
	$(wildcard $(CUDA_HOME)/bin/compute-sanitizer $(CUDA_HOME)/compute-sanitizer/compute-sanitizer)))
cudart   := -L$(CUDA_HOME)/lib64 -lcudart_static
ldlibs   += $(cudart) -lstdc++ -ldl -lrt
endif
ifneq ($(filter 1,$(SIMT) $(have_hwy)),)
ldlibs   += -lstdc++
endif

# ---- what is built -------------------------------------------------------------------------

# The C files whose objects depend on CUDA, SIMT or the commit; those of the others are shared by all builds of
# a MODE, and made once.
asking   := $(shell grep -rlE 'GB_HAVE_CU|GPUBENCH_SIMT|build_info\.h' --include='*.c' cli common cpu cuda vulkan datasets tests)
object   = $(foreach f,$(1),$(if $(filter $(asking),$f),$(BUILD),$(SHARED))/$(basename $f).o)
# $(call files,FOLDER...,ENDING): all files below those folders, sorted.
files     = $(sort $(shell find $(1) -name '*.$(2)'))
embree   := $(wildcard cpu/lbvh/embree*.c cpu/lbvh/parts/embree*.c)
sources  := $(filter-out $(if $(filter 0,$(have_embree)),$(embree)),$(call files,cli common cpu datasets $(if $(filter 1,$(have_vulkan)),vulkan),c))
cuda_c   := $(call files,cuda,c)
linted   := $(sources) $(cuda_c)
objects  := $(call object,$(sources) results/papers.S $(if $(filter 1,$(have_hwy)),cpu/radix/vqsort.cc))
peers    := cuda/radix/cub.cu
kernels  := $(filter-out $(peers),$(call files,cuda,cu))
ifeq ($(CUDA),1)
# The peers first: CUB takes longest.
objects  += $(peers:%.cu=$(BUILD)/%.cu.o) $(kernels:%.cu=$(BUILD)/%.cu.o) $(call object,$(cuda_c))
endif
ifeq ($(SIMT),1)
emulator := $(sort $(filter-out $(wildcard tests/simt/check*.cc),$(wildcard tests/simt/*.cc tests/cudart/*.cc)))
objects  += $(kernels:%.cu=$(BUILD)/%.cu.o) $(emulator:%.cc=$(BUILD)/%.o) $(call object,$(cuda_c))
endif
tests    := $(foreach t,$(call files,tests,c),$(if $(filter test_%,$(notdir $t)),$t))
test_objects := $(call object,$(tests) tests/criterion.c)
ifneq ($(filter 1,$(CUDA) $(SIMT)),)
test_objects += $(patsubst %.cu,$(BUILD)/%.cu.o,$(call files,tests/cuda,cu))
endif

formatted = $(foreach e,c h cc cu,$(call files,cli common cpu cuda vulkan datasets tests,$e))

link     := gpubench$(if $(filter 1,$(SIMT)),-simt)

.DEFAULT_GOAL := all

## all: build gpubench and the link ./gpubench
all: $(BUILD)/gpubench
	$(Q)ln -sf $< $(link)

$(BUILD)/gpubench: $(objects)
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ldlibs) $(LDLIBS) -o $@

# Objects depend on the flags they were built with, and records/machine.c on the state of the repository.
shared_flags = $(CC) $(CXX) $(shared_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) $(cxxflags)
flags        = $(shared_flags) $(cppflags) $(nvflags) $(gencode)
$(SHARED)/generated/shared_flags $(BUILD)/generated/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$($(@F)))' | cmp -s - $@ || echo '$(subst ','\'',$($(@F)))' >$@

commit := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
commit_date := $(if $(commit),$(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null))
dirty  := $(if $(commit),$(if $(shell git status --porcelain --untracked-files=no 2>/dev/null),1,0),0)
define build_info
/* Generated by the Makefile. */
#define GB_COMMIT "$(commit)"
#define GB_COMMIT_DATE "$(commit_date)"
#define GB_DIRTY $(dirty)
#define GB_MODE "$(MODE)"
#define GB_CFLAGS "$(strip $(optimise) $(CFLAGS))"
#define GB_NVCC "$(if $(filter 1,$(CUDA)),$(nvcc_version))"
#define GB_CUDA_ABSENT "$(cuda_absent)"
#define GB_ARCHS "$(targets)"
endef
export build_info
$(BUILD)/generated/build_info.h: FORCE
	@mkdir -p $(@D)
	@echo "$$build_info" | cmp -s - $@ || echo "$$build_info" >$@

$(call object,$(asking)): $(BUILD)/%.o: %.c $(BUILD)/generated/flags | $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -MMD -MP -c $< -o $@

$(SHARED)/%.o: %.c $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(shared_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -MMD -MP -c $< -o $@

$(SHARED)/%.o: %.cc $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(CXX) $(shared_cppflags) $(CPPFLAGS) $(cxxflags) $(CXXFLAGS) -MMD -MP -c $< -o $@

# The published tables are part of the program.
papers   := $(sort $(wildcard results/papers/*.json))
$(SHARED)/generated/papers.bin: $(papers)
	@mkdir -p $(@D)
	$(Q)for paper in $^; do cat $$paper && printf '\0'; done >$@
$(SHARED)/results/papers.o: results/papers.S $(SHARED)/generated/papers.bin $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  AS    $<"
	$(Q)$(CC) -I$(SHARED)/generated -c $< -o $@

ifeq ($(SIMT),1)
# The engine switches stacks: it tells the sanitizers so, and is never instrumented itself.
$(BUILD)/tests/simt/%.o $(BUILD)/tests/cudart/%.o: private optimise := -O2 -g1
$(BUILD)/%.o: %.cc $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(CXX) $(cppflags) $(CPPFLAGS) $(cxxflags) $(CXXFLAGS) -MMD -MP -c $< -o $@
# Kernels spend their time in the engine, and are compiled quickly.
ifeq ($(MODE),release)
$(BUILD)/%.cu.o: private optimise := -O1 -g1
endif
$(BUILD)/%.cu.o: %.cu $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  SIMT  $<"
	$(Q)$(CXX) -x c++ $(cppflags) $(CPPFLAGS) $(cxxflags) $(CXXFLAGS) -MMD -MP -c $< -o $@
else
$(BUILD)/%.cu.o: %.cu $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  NVCC  $<"
	$(Q)$(NVCC) $(nvcc_host) $(cppflags) $(CPPFLAGS) $(nvflags) $(gencode) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) \
		-c $< -o $@ >$(@:.o=.ptxas) 2>&1; status=$$?; \
		grep -vE '^ptxas info|^    [0-9]+ bytes stack' $(@:.o=.ptxas) >&2; exit $$status
endif

# The same objects on the executor of PTX in place of the CUDA runtime.  Loops over the 32 lanes of a
# warp become vector code; mul and add are never fused.
ifeq ($(CUDA),1)
# GCC 12 sees overlaps inside std::string that are none: -Wno-restrict.
ptx_optimise := -O3 -g1 -march=native -ffp-contract=off -fno-strict-aliasing -Wno-restrict
$(BUILD)/tests/%.o: tests/%.cc $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(CXX) $(cppflags) -DGPUBENCH_PTX=1 $(cuda_include) $(CPPFLAGS) $(cxxflags) $(ptx_optimise) \
		$(CXXFLAGS) -MMD -MP -c $< -o $@
executor := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/cudart/*.cc tests/ptx/*.cc))
# GCC has /usr/include last, and would not find it behind its own any more.
cuda_include := $(if $(filter-out /usr,$(CUDA_HOME)),-isystem $(CUDA_HOME)/include)
ptx_libs := $(filter-out $(cudart),$(ldlibs)) $(LDLIBS)
# Sorts that count by 64 bits, which otherwise takes 2^30 keys.
wide_sorts := primitives/sort.cu radix/cub.cu
$(BUILD)/wide/%.cu.o: cuda/%.cu $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  NVCC  $< (wide)"
	$(Q)$(NVCC) $(nvcc_host) $(cppflags) $(CPPFLAGS) $(nvflags) $(ptx_gencode) -DGPU_SORT_WIDE=1 $(NVCCFLAGS) \
		-MMD -MP -MF $(@:.o=.d) -c $< -o $@ >$(@:.o=.ptxas) 2>&1 || { cat $(@:.o=.ptxas); exit 1; }
$(BUILD)/gpubench-ptx-wide: $(filter-out $(wide_sorts:%=$(BUILD)/cuda/%.o),$(objects)) $(wide_sorts:%=$(BUILD)/wide/%.o) \
		$(executor)
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ptx_libs) -o $@
$(BUILD)/unit-ptx: $(test_objects) $(filter-out %/cli/commands/main.o,$(objects)) $(executor)
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ptx_libs) -lcriterion -o $@
# The variants alone; objects: what a mutant of them is linked with.
ptx_support := $(call object,tests/simt/drive.c) $(executor) $(BUILD)/support.a
$(BUILD)/support.a: $(filter-out %/main.o %/variants.o %.cu.o,$(objects))
	$(Q)rm -f $@ && ar rcs $@ $^
$(BUILD)/drive: $(kernels:%.cu=$(BUILD)/%.cu.o) $(ptx_support)
	@echo "  LD    $@"
	$(Q)echo $(ptx_support) $(ptx_libs) >$(BUILD)/objects
	$(Q)$(CXX) $(ldflags) $(LDFLAGS) $^ $(ptx_libs) -o $@
ptx_selftest := $(patsubst %.cc,$(BUILD)/%.o,$(wildcard tests/ptx/selftest/*.cc))
$(BUILD)/gpubench-ptx: $(objects) $(executor)
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ptx_libs) -o $@
$(BUILD)/ptx-selftest: $(executor) $(ptx_selftest)
	@echo "  LD    $@"
	$(Q)$(CXX) $(ldflags) $(LDFLAGS) $^ -o $@ -lpthread
endif

# ---- tests ---------------------------------------------------------------------------------

# Criterion's macros convert implicitly, declare without prototypes and use extensions.
$(BUILD)/tests/%.o $(SHARED)/tests/%.o: private warnings += -Wno-conversion -Wno-missing-prototypes -Wno-strict-prototypes \
	-Wno-pedantic -Wno-cast-qual -Wno-double-promotion -Wno-null-dereference \
	-Wno-write-strings -Wno-discarded-qualifiers
# Tests wait for what they test, and are compiled quickly.
ifeq ($(MODE),release)
$(SHARED)/tests/%.o: private optimise := -O1 -g1
endif
$(BUILD)/tests/ptx/selftest/%.o: private ptx_optimise += -O1 -g1

$(BUILD)/unit: $(test_objects) $(filter-out %/cli/commands/main.o,$(objects))
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ldlibs) $(LDLIBS) -lcriterion -o $@

# gpubench with one more variant, which is wrong.
planted := $(BUILD)/tests/planted/variants.o $(BUILD)/tests/planted/radix_planted.o
$(BUILD)/tests/planted/variants.o: common/variants.c common/variants.def tests/planted/common/variants.def $(BUILD)/generated/flags | $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	$(Q)$(CC) -Itests/planted $(cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -c $< -o $@
$(BUILD)/gpubench-planted: $(filter-out %/common/variants.o,$(objects)) $(planted)
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ldlibs) $(LDLIBS) -o $@

# gpubench with radix cpu/best slower by a tenth.
slow     := $(BUILD)/tests/planted/variants_slow.o $(BUILD)/tests/planted/radix_slow.o
$(BUILD)/tests/planted/variants_slow.o: common/variants.c common/variants.def $(BUILD)/generated/flags | $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	$(Q)$(CC) -Dradix_cpu_best=radix_cpu_slow $(cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -c $< -o $@
$(BUILD)/gpubench-slow: $(filter-out %/common/variants.o,$(objects)) $(slow)
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ldlibs) $(LDLIBS) -o $@

# `ab` tried on launches that are kept (results/gates.md).
$(BUILD)/gate-trials: $(BUILD)/tests/gate_trials.o $(filter-out %/cli/commands/main.o,$(objects))
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ldlibs) $(LDLIBS) -o $@

# Preloaded, they let one allocation fail, and take /sys away; or a library stands in for NVML.
$(BUILD)/nvml.so: private soname := -Wl,-soname,libnvidia-ml.so.1
$(BUILD)/nomemory.so $(BUILD)/nosys.so $(BUILD)/nvml.so: $(BUILD)/%.so: tests/planted/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 -Wall -Wextra -shared -fPIC -I. $(soname) $< -o $@
# In place of the Vulkan loader, which it passes calls on to.
$(BUILD)/recorder/libvulkan.so.1: tests/vulkan/recorder.c
	@mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 -Wall -Wextra -shared -fPIC $< -o $@

# Criterion does not fail on leaks: reports go to files, and any report file is a failure.
reports  := $(BUILD)/sanitizer
export GOMP_SPINCOUNT ?= 100
sanitized := rm -f $(reports).*; ASAN_OPTIONS=log_path=$(CURDIR)/$(reports) \
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
	UBSAN_OPTIONS=print_stacktrace=1:log_path=$(CURDIR)/$(reports)
no_reports := ! cat $(reports).* 2>/dev/null

## test: layers, unit tests, the cuda variants in the emulator and on a GPU, the emulator's own, command line
test: deps-test
	$(Q)$(MAKE) --no-print-directory test-layers
	$(Q)$(MAKE) --no-print-directory test-unit
	$(Q)$(if $(gpu_sanitizer),$(MAKE) --no-print-directory gpu-check,:)
	$(Q)$(MAKE) --no-print-directory SIMT=1 test-simt $(if $(filter 1,$(CUDA)),EVERY_POINT=no)
	$(Q)$(MAKE) --no-print-directory simt-test
	$(Q)$(if $(filter 1,$(CUDA)),$(MAKE) --no-print-directory ptx-test,echo "ptx-test is left out: $(cuda_absent)")
	$(Q)$(MAKE) --no-print-directory test-cli

# Waiting OpenMP threads yield soon, as they do in gpubench itself: several tests run at once.
patient := GOMP_SPINCOUNT=2000 GPUBENCH_COPY=16Mi

# Includes and calls in the order of the layers, and no circles; then planted errors, to be found.
test-layers:
	$(Q)$(PYTHON) tests/layers
	$(Q)$(PYTHON) tests/layers --self-test

# The unit tests alone; FILTER='sweep/*' picks some.  The vulkan variants run on lavapipe where it was unpacked.
lavapipe := $(wildcard $(CURDIR)/build/lavapipe/lvp_icd.json)
test-unit: $(BUILD)/unit
	$(Q)$(sanitized) $(patient) $(if $(lavapipe),VK_DRIVER_FILES=$(lavapipe) VK_ICD_FILENAMES=$(lavapipe)) $(BUILD)/unit $(if $(FILTER),--filter '$(FILTER)')
	$(Q)$(no_reports)

# Every cuda variant in the emulator; not at the points of `check` where ptx-test runs those (EVERY_POINT=no).
test-simt: $(BUILD)/unit $(BUILD)/nvml.so
	$(Q)$(sanitized) $(patient) $(BUILD)/unit --filter \
		'@(variants|primitives|bfs_cuda|simt|stream|backend)*/$(if $(filter no,$(EVERY_POINT)),!(every_point),*)'
	$(Q)$(no_reports)

# A build holds the PTX of its last architecture; that of another one is a build of its own.
ptx_make = $(MAKE) --no-print-directory \
	PTX=$(filter-out $(lastword $(filter $(known),$(SMS))),$(or $(PTX),90))

## ptx-test: the PTX executor's own tests, the cuda variants on it under two schedules, coverage
## ptx-test-long: variants whose threads talk to each other, with weak memory and WEAK_SEEDS="1 2 ..." seeds
ptx-test:
	+$(Q)$(ptx_make) ptx-checks

ptx-test-long:
	+$(Q)$(ptx_make) ptx-weak

# Missing order shows as a wrong result, as a report, or as a hang.
WEAK_SEEDS ?= 1 2 3 4 5 6 7 8
ptx-weak: $(BUILD)/drive
	$(Q)set -e; for seed in $(WEAK_SEEDS); do echo "seed $$seed"; \
		GPUBENCH_PTX_WEAK=1 GPUBENCH_PTX_SEED=$$seed $(BUILD)/drive --once \
			"radix --count=33,5000 --type=u32,pairs --distribution=uniform,few" \
			"octree --count=33,1000 --dist=plummer,pairs --bucket=1,16" \
			"lbvh --scene=terrain,copies --primitives=33,700" \
			"cbt --op=bitfield,cycle,update --depth=3,11 --shape=random --fill=0.4 --frames=2" \
			"bfs --vertices=33,1100 --p=0.03 --sources=1 --result=both" \
			"bfs --graph=grid --vertices=144 --sources=1 --result=both"; done

# Two processes of one OS thread each: the schedules repeat.  `small` has more shapes than `check` has
# sizes.  The self-test has to cover every opcode that the program has.
ptx-checks: $(BUILD)/gpubench-ptx $(BUILD)/gpubench-ptx-wide $(BUILD)/unit-ptx $(BUILD)/ptx-selftest
	$(Q)rm -f $(BUILD)/reached*
	$(Q)GPUBENCH_PTX_SEED=2 $(BUILD)/gpubench-ptx check --backend=cuda >$(BUILD)/check-2.txt 2>&1 & \
	GPUBENCH_PTX_SEED=1 GPUBENCH_PTX_REACHED=$(BUILD)/reached \
		$(BUILD)/gpubench-ptx check --backend=cuda; first=$$?; \
	wait $$! || { cat $(BUILD)/check-2.txt; exit 1; }; exit $$first
	$(Q)tail -n 1 $(BUILD)/check-2.txt
	$(Q)GPUBENCH_PTX_REACHED=$(BUILD)/reached.small $(BUILD)/gpubench-ptx radix cuda/small --count=1500,20k,40k,70k \
		--type=u32,u64,f32,pairs --cold --warmup=0 --samples=1 --quiet
	$(Q)$(BUILD)/ptx-selftest $(BUILD)/reached
	$(Q)tests/ptx/coverage.sh $(BUILD) >$(BUILD)/coverage.txt || { cat $(BUILD)/coverage.txt; exit 1; }
	$(Q)$(PYTHON) tests/ptx/reached.py $(BUILD)/reached*
	$(Q)$(PYTHON) tests/ptx/words.py
	$(Q)$(PYTHON) tests/ptx/words.py --self-test
	$(Q)$(PYTHON) tests/counts.py $(BUILD)/gpubench-ptx
	$(Q)tests/devices.sh $(BUILD)/gpubench-ptx

## ptx-mutants: broken copies of the cuda variants under both executors: who finds which? (long)
MUTANTS_EVERY ?= 40
ptx-mutants:
	$(Q)$(MAKE) --no-print-directory SIMT=1 simt-all
	+$(Q)$(ptx_make) ptx-drive
	$(PYTHON) tests/simt/mutants.py --simt build/simt-test --ptx build/ptx-drive --every $(MUTANTS_EVERY) \
		--keep build/mutants.jsonl
	$(PYTHON) tests/simt/mutants.py --simt build/simt-test --ptx build/ptx-drive --every $(MUTANTS_EVERY) \
		--keep build/mutants.jsonl --table

## ptx-mutants-order: words that order memory, each made relaxed in one place, with weak memory
ptx-mutants-order:
	+$(Q)$(ptx_make) ptx-drive
	$(PYTHON) tests/simt/mutants.py --ptx build/ptx-drive --count 0 --operator '*relaxed' --least 50

ptx-drive: $(BUILD)/drive
	$(Q)ln -sfn $(notdir $(BUILD)) build/ptx-drive

## gpu-check: the cuda variants on the GPU under compute-sanitizer (part of `make test` where both are)
gpu-check: $(BUILD)/gpubench
	$(if $(gpu_sanitizer),,$(error gpu-check needs a GPU and compute-sanitizer))
	$(Q)set -e; for tool in memcheck racecheck initcheck synccheck; do \
		echo "compute-sanitizer --tool $$tool"; \
		$(gpu_sanitizer) --tool $$tool --error-exitcode 9 \
			$(BUILD)/gpubench check --backend=cuda --require-gpu; done

## test-resume: a sweep killed KILLS=20 times at random moments, resumed each time (make test: 3 times, a small sweep)
KILLS ?= 20
test-resume: $(BUILD)/gpubench
	$(Q)tests/resume.sh $(BUILD)/gpubench $(KILLS)

## test-slurm: the job array of scripts/sweep.slurm on a Slurm of one node, started here (as root)
test-slurm: $(BUILD)/gpubench
	$(Q)tests/slurm.sh $(BUILD)/gpubench

## test-ab: how often `ab` finds a slow-down of 10 %, and cries wolf, on this machine (a quarter of an hour)
test-ab: $(BUILD)/gpubench $(BUILD)/gpubench-slow
	$(Q)tests/ab.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow $(BUILD)/ab

## test-gate: the recipe for a build server, whole: unchanged, with a planted slow-down, with a benchmark removed (an hour)
test-gate: $(BUILD)/gpubench $(BUILD)/gpubench-slow
	$(Q)tests/gate.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow whole

## gate-trials: `ab` tried on the launches in results/measured/launches.txt; prints results/gates.md (a minute)
gate-trials: $(BUILD)/gate-trials
	$(Q)$< results/measured/launches.txt >$(BUILD)/gates.md && mv $(BUILD)/gates.md results/gates.md

## history-trials: `history` tried on made series, beside Apache Otava; prints results/history.md (minutes)
# Otava is a Python package (pip install apache-otava), which OTAVA_PYTHON finds.
OTAVA_PYTHON ?= python3
$(BUILD)/history-trials: $(BUILD)/tests/history_trials.o $(filter-out %/cli/commands/main.o,$(objects))
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $^ $(ldlibs) $(LDLIBS) -o $@
history-trials: $(BUILD)/history-trials
	$(Q)$< results/measured/launches.txt --series >$(BUILD)/series.txt
	$(Q)$(OTAVA_PYTHON) tests/otava_verdicts.py $(BUILD)/series.txt >$(BUILD)/otava.txt
	$(Q)$< results/measured/launches.txt $(BUILD)/otava.txt >$(BUILD)/history.md && \
		mv $(BUILD)/history.md results/history.md

# Golden command-line cases; and the program as a whole, test by test, several at once under make -j.
whole    := page papers plots reading resume signals memory nvcc nosys counts gate exchange recipes vulkan
# A hundred launches copy 16 MiB, not 256, to know what share of the bandwidth a time is.
test-cli: export GPUBENCH_COPY = 16Mi
test-cli: $(whole:%=whole-%)
	$(Q)$(sanitized) tests/golden/run.sh $(BUILD)/gpubench
	$(Q)$(no_reports)
$(whole:%=whole-%): $(BUILD)/gpubench $(BUILD)/gpubench-planted $(BUILD)/gpubench-slow $(BUILD)/nomemory.so $(BUILD)/nosys.so
whole-page:    ; $(Q)tests/page.sh $(BUILD)/gpubench
whole-plots:   ; $(Q)$(PYTHON) tests/plots.py $(BUILD)/gpubench
whole-papers:  ; $(Q)tests/papers.sh $(BUILD)/gpubench
whole-reading: ; $(Q)tests/reading.sh $(BUILD)/gpubench
whole-resume:  ; $(Q)tests/resume.sh $(BUILD)/gpubench 3 1 radix 'cpu/*' --count=1k,4k,16k --type=u32,u64,pairs
whole-signals: ; $(Q)tests/signals.py $(BUILD)/gpubench
whole-memory:  ; $(Q)tests/memory.sh $(BUILD)/gpubench $(BUILD)/nomemory.so
whole-nvcc:    ; $(Q)tests/nvcc.sh
whole-nosys:   ; $(Q)tests/nosys.sh $(BUILD)/gpubench $(BUILD)/nosys.so
whole-counts:  ; $(Q)$(PYTHON) tests/counts.py
whole-gate:    ; $(Q)tests/gate.sh $(BUILD)/gpubench $(BUILD)/gpubench-slow
whole-exchange: ; $(Q)$(PYTHON) tests/exchange.py $(BUILD)/gpubench
whole-vulkan:  $(if $(filter 1,$(have_vulkan)),$(BUILD)/recorder/libvulkan.so.1)
whole-vulkan:  ; $(Q)$(sanitized) tests/vulkan.sh $(BUILD)/gpubench $(BUILD)/recorder && $(no_reports)
whole-recipes: ; $(Q)$(PYTHON) tests/recipes.py $(BUILD)/gpubench $(BUILD)/gpubench-slow

## asan: unit and command-line tests under AddressSanitizer and UBSan (kernels: simt-test)
asan: deps-test
	$(Q)$(MAKE) --no-print-directory MODE=asan CUDA=0 test-unit
	$(Q)$(MAKE) --no-print-directory MODE=asan CUDA=0 test-cli

## tsan: the cpu variants under ThreadSanitizer (clang, libomp and its archer)
tsan:
	$(Q)$(MAKE) --no-print-directory MODE=tsan CUDA=0 CC=clang CXX=clang++ build/tsan/gpubench
	$(Q)TSAN_OPTIONS=ignore_noninstrumented_modules=1 build/tsan/gpubench check --backend=cpu

## simt-test: the emulator's own tests: seeded faults are caught, right kernels are not reported
## simt-stress: the cuda variants under every checker and many schedules (long)
## simt-mutants: broken copies of the cuda variants: the share that is found (long)
ifeq ($(MODE)$(SIMT),release1)
include tests/simt/simt.mk
else
simt-test simt-stress simt-mutants:
	$(Q)$(MAKE) --no-print-directory MODE=release SIMT=1 $@
endif

## fuzz: the readers under libFuzzer, SECONDS_EACH=60 each (needs clang and its runtime)
SECONDS_EACH ?= 60
fuzzers  := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/*.c))
fuzzed   := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(filter-out cli/commands/main.c $(embree) vulkan/%,$(sources)))
.SECONDARY: $(fuzzed) $(fuzzers:$(BUILD)/fuzz/%=$(BUILD)/fuzz/tests/fuzz/%.o)
fuzz: $(fuzzers)
	$(Q)set -e; for f in $^; do mkdir -p $$f.corpus; \
		cp tests/fuzz/seeds/$${f##*/fuzz_}/* $$f.corpus 2>/dev/null || :; \
		$$f -max_total_time=$(SECONDS_EACH) -artifact_prefix=$$f. -print_final_stats=1 \
			-close_fd_mask=1 $$f.corpus; done
$(BUILD)/fuzz/%.o: %.c $(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	@echo "  FUZZ  $<"
	$(Q)clang -std=c11 -I. -I$(BUILD)/generated -D_GNU_SOURCE -DGB_HAVE_CUDA=0 -DGB_HAVE_HWY=0 -DGB_HAVE_PNG=0 -DGB_HAVE_SQLITE=0 \
		-DGB_HAVE_EMBREE=0 -DGB_HAVE_VULKAN=0 -fopenmp -O1 -g -fsanitize=fuzzer-no-link,address,undefined -MMD -MP -c $< -o $@
$(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o $(fuzzed) $(SHARED)/results/papers.o
	$(Q)clang -fopenmp -fsanitize=fuzzer,address,undefined $^ -lcjson -lm -lpthread -o $@

## simt: build ./gpubench-simt, whose cuda variants run in the emulator
simt:
	$(Q)$(MAKE) --no-print-directory SIMT=1 all

## ptx: build ./gpubench-ptx, whose cuda variants are the release build's PTX, interpreted
ptx:
	+$(Q)$(ptx_make) gpubench-ptx
gpubench-ptx: $(BUILD)/gpubench-ptx
	$(Q)ln -sf $< $@

## bench: install what is missing, build, run all benchmarks at preset quick, print the tables
bench: deps
	$(Q)$(MAKE) --no-print-directory all
	./gpubench run --preset=quick --overwrite -o results/latest.jsonl
	$(Q)./gpubench report --format=html results/latest.jsonl >results/latest.html
	@echo "records: results/latest.jsonl   report: results/latest.html"

## measure: measure on this CPU what the pages in results/ show, and print their tables (twelve minutes)
measure: all
	$(Q)folder=results/measured/cpu-$$(date +%F); \
		scripts/measure.sh $$folder && scripts/figures.sh $$folder

## bench-peers: CPU variants beside the field's libraries, like with like: where is a library ahead? (half an hour)
bench-peers: all
	$(Q)scripts/measure.sh results/latest.peers peers
	$(Q)for case in results/latest.peers/*.jsonl; do echo "# $${case##*/}"; ./gpubench report --launches=pooled --format=peers $$case; done

deps:
	$(Q)scripts/install-deps.sh build

deps-test:
	$(Q)scripts/install-deps.sh test

## check: verify every variant of this build on small inputs
check: all
	./gpubench check

# ---- quality -------------------------------------------------------------------------------

## lint: clang-tidy, one analyzer, no warnings tolerated
# How many states of a function the analyzer goes through: its own 225000 take five times as long.
LINT_NODES ?= 30000
lint: $(BUILD)/generated/build_info.h
	$(Q)ls -S $(linted) | xargs -P "$$(nproc)" -I{} \
		clang-tidy --quiet {} -- $(cppflags) -std=c11 -fopenmp \
		-Xclang -analyzer-config -Xclang max-nodes=$(LINT_NODES)

## format: rewrite the sources with clang-format
format:
	$(Q)clang-format -i $(formatted)

## format-check: fail if `make format` would change anything
format-check:
	$(Q)clang-format --dry-run -Werror $(formatted)

## ptxas: compile every .cu for all architectures, or SMS; compare registers and spills with the kept table
ptxas:
	$(Q)$(MAKE) --no-print-directory $(if $(filter file undefined,$(origin SMS)),BUILD=build/ptxas \
		SMS="75 80 86 89 90 100 120") ptxas-check
ptxas-check: $(filter $(BUILD)/cuda/%.cu.o,$(objects))
	$(Q)scripts/ptxas-table.sh --check $(BUILD)

## counts: the exact counts of every cuda kernel (PTX executor); compare them with the kept ones
## counts-write: keep the present ones, after a change that is meant, and the pages made from them
counts counts-write: ptx
	$(Q)$(PYTHON) scripts/counts.py ./gpubench-ptx \
		$(if $(filter counts,$@),--check results/counts.jsonl,>build/counts.jsonl)
	$(Q)$(if $(filter counts,$@),:,mv build/counts.jsonl results/counts.jsonl && \
		$(PYTHON) scripts/predict.py >results/predictions.md && \
		$(PYTHON) scripts/literature.py >results/literature.md && \
		$(PYTHON) scripts/counters.py --page >results/counters.md)

## test-counts: an extra load, a bank conflict and an uncoalesced store, planted: does counts name them?
test-counts: ptx
	$(Q)$(PYTHON) tests/counts.py --planted

## shaders: the SPIR-V that is built in, anew from vulkan/'s GLSL (needs glslangValidator)
GLSLANG ?= glslangValidator
shaders  := $(foreach e,comp rgen rmiss rchit,$(call files,vulkan,$e))
shaders: $(shaders:%=%.inc)
%.inc: % $(call files,vulkan,glsl)
	@echo "  GLSL  $<"
	$(Q)$(GLSLANG) --quiet --target-env vulkan1.2 -g0 -x $< -o $@

## man: manual pages from the program's help, in build/man (needs help2man)
man: all
	$(Q)scripts/man.sh $(BUILD)/gpubench build/man

## install: program, completion and, if `make man` was run, manual pages, into DESTDIR and PREFIX
share := $(DESTDIR)$(PREFIX)/share
install: all
	install -D -m 755 $(BUILD)/gpubench $(DESTDIR)$(PREFIX)/bin/gpubench
	install -D -m 644 scripts/completion.bash $(share)/bash-completion/completions/gpubench
	$(Q)for page in build/man/*.1; do \
		[ ! -e "$$page" ] || install -D -m 644 "$$page" "$(share)/man/man1/$${page##*/}"; done

## clean: remove what was built
clean:
	$(Q)rm -rf build gpubench gpubench-simt gpubench-ptx

# ---- help ----------------------------------------------------------------------------------

## help: this list
help:
	@sed -n 's/^## \([^:]*\): \(.*\)/  \1\t\2/p' Makefile | expand -t 16

.PHONY: $(whole:%=whole-%) all test gpu-check test-layers test-unit test-simt test-cli test-resume test-slurm test-ab test-gate gate-trials history-trials asan tsan fuzz simt ptx gpubench-ptx ptx-test ptx-test-long ptx-checks ptx-weak ptx-mutants ptx-mutants-order ptx-drive counts counts-write test-counts simt-test simt-stress simt-mutants bench bench-peers measure deps deps-test check shaders lint format \
	format-check ptxas ptxas-check man install clean help FORCE
FORCE:
-include $(shell find $(sort $(BUILD) $(SHARED)) -name '*.d' 2>/dev/null)
