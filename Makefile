# gpubench -- `make help` lists the targets.
#
#	MODE=release|debug|asan|tsan  build type; the output goes to build/<MODE> [release]
#	CUDA=0|1                      build without or with CUDA [1 if a usable nvcc is found]
#	SMS="80 90"                   GPU architectures [those of the local GPUs, else all]
#	PTX=1                         compile CUDA to PTX only, for the oldest architecture and sm_90,
#	                              or for SMS; the output goes to build/<MODE>-ptx
#	WERROR=1                      treat warnings as errors
#	PREFIX=/usr/local             target of `make install`; folder of `make deps PREFIX=...`
#	V=1                           print each command
#
# Without -j, as many jobs run as there are processors.

MODE     ?= release
PTX      ?=
V        ?= 0
Q        := $(if $(filter 1,$(V)),,@)
PYTHON   ?= /usr/bin/python3
NVCC     ?= nvcc
PREFIX   ?= /usr/local

# An -j of the user, on the command line or in MAKEFLAGS, has priority.
ifeq ($(MAKELEVEL)$(filter -j% --jobs%,$(shell echo "$$MAKEFLAGS")),0)
MAKEFLAGS += -j$(or $(shell nproc),1)
endif

# The compilers that `make deps PREFIX=...` made, which find the libraries in its folder.
-include build/deps.mk

# $(call found,N): word N of what find-nvcc.sh prints.  A recursive make reads this from its
# environment, unless an nvcc or a compiler was installed meanwhile.
cuda_absent := run make without CUDA=0
ifneq ($(CUDA),0)
nvcc_fetched := build/nvcc/bin/nvcc
asked := $(NVCC) $(CUDA_HOME) $(CXX) $(shell command -v $(lastword $(CXX))) \
	$(wildcard $(nvcc_fetched))
ifneq ($(nvcc_asked),$(asked))
nvcc_found := $(shell CXX='$(CXX)' CUDA_HOME='$(CUDA_HOME)' \
	scripts/find-nvcc.sh '$(lastword $(NVCC))')
nvcc_asked := $(asked)
export nvcc_asked nvcc_found
endif
found        = $(subst ^, ,$(filter-out -,$(word $(1),$(nvcc_found))))
nvcc_path    := $(call found,1)
nvcc         := $(if $(filter nvcc,$(NVCC)),$(nvcc_path),$(NVCC))
nvcc_version := $(call found,2)
nvcc_folder  := $(call found,3)
nvcc_lib     := $(call found,4)
nvcc_host    := $(call found,5)
nvcc_host_version := $(call found,6)
cuda_absent  := $(call found,7)
ifneq ($(cuda_absent),)
ifneq ($(CUDA)$(PTX),)
$(error $(if $(PTX),PTX=1,CUDA=1): $(cuda_absent); set NVCC or CXX$(if $(PTX),, or use CUDA=0))
else ifeq ($(MAKELEVEL)$(filter bench test help no,$(MAKECMDGOALS) $(firstword $(cuda_absent))),0)
$(warning the cuda variants are left out: $(cuda_absent))
endif
else ifeq ($(shell command -v nvcc),)
export PATH := $(PATH):$(if $(filter /%,$(nvcc_path)),,$(CURDIR)/)$(dir $(nvcc_path))
endif
ifeq ($(CUDA),)
CUDA      := $(if $(cuda_absent),0,1)
endif
endif
BUILD     := build/$(MODE)$(if $(PTX),-ptx)
SHARED    := build/$(MODE)

# ---- flags ---------------------------------------------------------------------------------

# One run of the preprocessor finds all optional headers.  Versions of make differ in how they pass
# \# to $(shell): as # or as \#.  A variable avoids this.
hash       := \#
headers    := hwy/contrib/sort/vqsort.h png.h vulkan/vulkan.h GraphBLAS.h boost/sort/sort.hpp \
	embree4/rtcore.h embree3/rtcore.h
headers    := $(shell for h in $(headers); do \
	printf '$(hash)if __has_include(<%s>)\n"%s"\n$(hash)endif\n' $$h $$h; done | \
	$(CXX) -E -P -x c++ - 2>/dev/null)
have_header = $(if $(filter "$(1)",$(headers)),1,0)
# Libraries with threads of their own, whose locks ThreadSanitizer does not see.
have_threaded = $(if $(filter tsan,$(MODE)),0,$(call have_header,$(1)))
# Highway before 1.0 sorts no pairs.
have_hwy   := $(shell echo '$(hash)include <hwy/contrib/sort/vqsort.h>' | $(CXX) -E -x c++ - \
	2>/dev/null | grep -q K32V32 && echo 1 || echo 0)
have_png   := $(call have_header,png.h)
have_vulkan := $(call have_header,vulkan/vulkan.h)
have_graphblas := $(call have_threaded,GraphBLAS.h)
# Templates.  Sanitizers, which look for our faults, take a minute to compile them.
have_template = $(if $(filter asan tsan,$(MODE)),0,$(call have_header,$(1)))
have_boost := $(call have_template,boost/sort/sort.hpp)
# The major version of Embree: 4 or 3, or 0.
have_embree := $(firstword $(foreach v,4 3,$(if \
	$(filter 1,$(call have_threaded,embree$v/rtcore.h)),$v)) 0)
# $(call with,LIBRARIES,TEXT): TEXT if one of these libraries is there.
with       = $(if $(filter 1,$(foreach l,$(1),$(have_$l))),$(2))

# Functions in one table share a signature, so some leave parameters unused.  C++ tables rely on
# zero initialisation of the members that they omit.
as_wanted := -Wno-unused-parameter
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wvla -Wundef -Wwrite-strings \
	-Wpointer-arith -Wcast-qual -Wformat=2 -Wdouble-promotion -Wnull-dereference \
	$(as_wanted)
# clang has NAN and INFINITY promoted from float, and does not know all that tests.mk switches off.
clang_warnings := -Wno-double-promotion -Wno-unknown-warning-option
cxx_warnings := -Wall -Wextra -Wshadow $(as_wanted) -Wno-missing-field-initializers
werror   := $(if $(filter 1,$(WERROR)),-Werror)

# -g1 gives profilers line numbers but omits variables, which slow down the compilation of large
# files.  Loops are aligned because the time of a short loop otherwise depends on the code that is
# linked before it.
optimise_release := -O3 -g1 -falign-functions=64 -falign-loops=64
optimise_debug   := -O0 -g
# At -O1, large files take up to ten times as long to compile under sanitizers as at -Og.
optimise_asan    := -Og -g1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
optimise_tsan    := -O1 -g1 -fsanitize=thread
optimise := $(optimise_$(MODE))
ifeq ($(optimise),)
$(error MODE=$(MODE) is not one of release, debug, asan, tsan)
endif
sanitize := $(filter -fsanitize%,$(optimise))

shared_cppflags := -I. -D_GNU_SOURCE -DGB_HAVE_HWY=$(have_hwy) -DGB_HAVE_PNG=$(have_png) \
	-DGB_HAVE_VULKAN=$(have_vulkan) \
	-DGB_HAVE_EMBREE=$(if $(filter 0,$(have_embree)),0,1) -DGB_EMBREE=$(have_embree)
cppflags := $(shared_cppflags) -I$(BUILD)/generated \
	-DGB_HAVE_CUDA=$(CUDA) -DGB_HAVE_CUB=$(CUDA)
# For the list of variants alone.
listed_cppflags := -DGB_HAVE_BOOST=$(have_boost) -DGB_HAVE_GRAPHBLAS=$(have_graphblas)
# a*b+c is never fused, so that results do not depend on the machine.
unfused  := -ffp-contract=off
cflags   = -std=c11 -fopenmp $(unfused) $(optimise) $(warnings) \
	$(if $(findstring clang,$(compilers)),$(clang_warnings)) $(werror)
cxxflags = -std=c++20 -fopenmp $(unfused) $(optimise) $(cxx_warnings) $(werror)
# The data of sanitizers has a pointer per check; each test's process would relocate all of them.
unmoved  := $(if $(filter asan,$(MODE)),-no-pie)
# musl takes the stacks of threads from the program's header; its default of 128 KiB is too small.
ldflags  := $(sanitize) $(unmoved) -Wl,--dynamic-list=common/plugin.syms -Wl,-z,stack-size=0x800000
ldlibs   := -fopenmp -lcjson -lz -lm -lpthread -ldl $(call with,png,-lpng)

ifeq ($(CUDA),1)
gpu_here := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | \
	tr -d . | sort -u | grep -E '^[0-9]+$$')
known    := $(patsubst sm_%,%,$(shell $(nvcc) --list-gpu-code))
all_sms  := $(filter $(known),75 80 86 87 89 90 100 110 120)
SMS      ?= $(if $(PTX),$(firstword $(all_sms)) $(filter 90,$(all_sms)),$(or $(gpu_here),$(all_sms)))
targets  := $(filter $(known),$(SMS))
ifeq ($(targets),)
$(error none of SMS="$(SMS)" is known to $(NVCC), which knows $(known))
endif
# PTX has two readers: the driver of a newer GPU, which compiles it, and the PTX executor in
# tests/ptx, which reads it uncompressed.
ptx_of   = -gencode arch=compute_$(1),code=compute_$(1)
gencode  := $(if $(PTX),$(foreach sm,$(targets),$(call ptx_of,$(sm))),$(foreach sm,$(targets),\
	-gencode arch=compute_$(sm),code=sm_$(sm)) $(call ptx_of,$(lastword $(targets)))) \
	--no-compress
nvflags  := -std=c++20 -O3 -lineinfo -Xcompiler \
	-Wall,-Wextra,-Wshadow,-Wno-unused-parameter,-Wno-missing-field-initializers \
	$(if $(werror),-Werror all-warnings) $(if $(PTX),,-Xptxas -v)
# The path of compute-sanitizer; empty if the tool or a GPU is missing.
gpu_sanitizer := $(if $(gpu_here),$(firstword $(shell command -v compute-sanitizer) \
	$(wildcard $(nvcc_folder)/bin/compute-sanitizer \
	$(nvcc_folder)/compute-sanitizer/compute-sanitizer)))
cudart   := -L$(nvcc_lib) -lcudart_static
ldlibs   += $(cudart) -ldl -lrt
endif
ldlibs   += -lstdc++

# ---- files ---------------------------------------------------------------------------------

# `asking` lists the C files whose objects depend on CUDA, version or commit.  The objects of
# all other C files are compiled once per MODE and shared by the builds of that MODE.
asking   := $(shell grep -rlE 'GB_HAVE_CU|(build_info|version|common/plugin)\.h' \
	--include='*.c' \
	cli common cpu cuda vulkan datasets tests)
object   = $(foreach f,$(1),$(if $(filter $(asking),$f),$(BUILD),$(SHARED))/$(basename $f).o)
# $(call files,FOLDERS,EXTENSION): all files with EXTENSION below FOLDERS, sorted.
files     = $(sort $(shell find $(1) -name '*.$(2)'))
embree   := cpu/lbvh/embree.c
graphblas := cpu/bfs/graphblas.c
sources  := $(filter-out $(if $(filter 0,$(have_embree)),$(embree)) \
	$(if $(filter 0,$(have_graphblas)),$(graphblas)),$(call files,cli common \
	cpu datasets $(call with,vulkan,vulkan),c))
cuda_c   := $(call files,cuda,c)
objects  := $(call object,$(sources) cli/report/embedded.S $(call files,cpu/primitives,cc) \
	cpu/radix/std.cc $(call with,hwy,cpu/radix/vqsort.cc) $(call with,boost,cpu/radix/boost.cc))
peers    := cuda/radix/cub.cu cuda/radix/cub_segments.cu
kernels  := $(filter-out $(peers),$(call files,cuda,cu))
ifeq ($(CUDA),1)
# CUB takes the longest to compile, so its object comes first.
objects  += $(peers:%.cu=$(BUILD)/%.cu.o) $(kernels:%.cu=$(BUILD)/%.cu.o) $(call object,$(cuda_c))
endif
.DEFAULT_GOAL := all

# $(call clock,WORD): what a compilation begins with; `make slowest` reads its times.
times := build/times
clock  = scripts/step.sh $(times) $(1) $<

## all: build gpubench and the link ./gpubench
all: $(BUILD)/gpubench
	$(Q)ln -sf $< gpubench

# $(call link,LIBRARIES): recipe that links a program.  The rule must list
# $(BUILD)/generated/link_flags as a prerequisite.  The CPU variants come first, so that other code
# does not move theirs: that has made a sort a tenth slower.
define link
	@echo "  LD    $@"
	$(Q)$(CC) $(ldflags) $(LDFLAGS) $(filter $(SHARED)/cpu/%.o,$^) \
		$(filter-out $(SHARED)/cpu/%.o,$(filter %.o %.a,$^)) $(1) $(LDLIBS) -o $@
endef
$(BUILD)/gpubench: $(objects) $(BUILD)/generated/code_hash.o $(BUILD)/generated/link_flags
	$(call link,$(ldlibs))

# Objects and programs depend on the compilers and flags that built them.  The files below hold
# these as text and are rewritten only if the text changes.  build_info.h does the same for the
# state of the repository.
compilers    := $(CC) $(CXX) $(shell for c in "$(CC)" "$(CXX)"; \
	do $$c --version | head -n 1; done 2>/dev/null)
shared_flags = $(compilers) $(shared_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) $(cxxflags) \
	$(CXXFLAGS)
flags        = $(shared_flags) $(cppflags) $(listed_cppflags) \
	$(if $(filter 1,$(CUDA)),$(nvcc_path) $(realpath $(nvcc_path)) \
	$(nvcc_version) $(nvcc_host) $(nvcc_host_version) \
	$(nvflags) $(gencode) $(NVCCFLAGS))
link_flags   = $(compilers) $(ldflags) $(LDFLAGS) $(ldlibs) $(LDLIBS)
$(SHARED)/generated/shared_flags $(BUILD)/generated/flags $(BUILD)/generated/link_flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$($(@F)))' | cmp -s - $@ || echo '$(subst ','\'',$($(@F)))' >$@

# A source archive names its commit and the time of that in seconds; a checkout asks git.
archived := $(shell cat scripts/commit)
archived := $(if $(findstring Format,$(archived)),,$(archived))
commit := $(if $(archived),$(shell printf %.12s $(firstword $(archived))),$(shell \
	git rev-parse --short=12 HEAD 2>/dev/null))
commit_date := $(if $(archived),$(shell date -ud @$(lastword $(archived)) +%FT%TZ),$(if \
	$(commit),$(shell TZ=UTC git log -1 --date=format-local:%FT%TZ --format=%cd 2>/dev/null)))
dirty  := $(if $(archived),0,$(if $(commit),$(if $(shell git status --porcelain \
	--untracked-files=no 2>/dev/null),1,0),0))
# The version is that of the newest heading.
version := $(shell sed -n 's/^.. \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
# Plug-ins must be compiled with the same headers as the program.
interface := $(shell cat common/*.h | cksum | tr ' ' -)
define build_info
/* Generated by the Makefile. */
#define GB_VERSION "$(version)"
#define GB_COMMIT "$(commit)"
#define GB_COMMIT_DATE "$(commit_date)"
#define GB_DIRTY $(dirty)
#define GB_MODE "$(MODE)"
#define GB_CFLAGS "$(strip $(optimise) $(CFLAGS))"
#define GB_NVCC "$(if $(filter 1,$(CUDA)),$(nvcc_version))"
#define GB_CUDA_ABSENT "$(cuda_absent)"
#define GB_ARCHS "$(targets)"
#define GB_INTERFACE "$(interface)"
endef
export build_info
$(BUILD)/generated/build_info.h: FORCE
	@mkdir -p $(@D)
	@echo "$$build_info" | cmp -s - $@ || echo "$$build_info" >$@

$(call object,common/variants.c): private cppflags += $(listed_cppflags)
# All of its functions that take vectors are inlined.
$(call object,cpu/lbvh/shared/kernels_plain.c): private cflags += -Wno-psabi
$(call object,$(asking)): $(BUILD)/%.o: %.c $(BUILD)/generated/flags | \
	$(BUILD)/generated/build_info.h
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(call clock,CC) $(CC) $(cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -MMD -MP -c $< -o $@

$(SHARED)/%.o: %.c $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(call clock,CC) $(CC) $(shared_cppflags) $(CPPFLAGS) $(cflags) $(CFLAGS) -MMD -MP -c $< -o $@

$(SHARED)/%.o: %.cc $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(call clock,CXX) $(CXX) $(shared_cppflags) $(CPPFLAGS) $(cxxflags) $(CXXFLAGS) -MMD -MP -c $< -o $@

# The program embeds the published result tables, and the style and script of pages.
$(SHARED)/generated/papers.bin: $(sort $(wildcard results/papers/*.json))
	@mkdir -p $(@D)
	$(Q)for file in $^; do cat $$file && printf '\0'; done >$@
$(SHARED)/cli/report/embedded.o: cli/report/embedded.S $(SHARED)/generated/papers.bin \
	cli/report/page.css cli/report/page.js $(SHARED)/generated/shared_flags
	@mkdir -p $(@D)
	@echo "  AS    $<"
	$(Q)$(CC) -I$(SHARED)/generated -I. -c $< -o $@

$(BUILD)/%.cu.o: %.cu $(BUILD)/generated/flags
	@mkdir -p $(@D)
	@echo "  NVCC  $<"
	$(Q)$(call clock,NVCC) $(nvcc) $(nvcc_host) $(cppflags) $(CPPFLAGS) $(nvflags) $(gencode) \
		$(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@ >$(@:.o=.ptxas) 2>&1; status=$$?; \
		grep -vE '^ptxas info|^    [0-9]+ bytes stack' $(@:.o=.ptxas) >&2; exit $$status

# Without Python, the program knows no hashes.
$(BUILD)/generated/code_hash.o: scripts/code_hash.py $(objects) $(BUILD)/generated/link_flags
	@echo "  HASH  $@"
	$(Q)if command -v $(PYTHON) >/dev/null; then $(PYTHON) $< \
		'$(subst ','\'',$(LDFLAGS) $(LDLIBS))' $(filter %.o,$^); fi >$(@:.o=.c)
	$(Q)$(CC) -c $(@:.o=.c) -o $@

# ---- user targets --------------------------------------------------------------------------

# Without a GPU, nothing runs compiled CUDA but the PTX executor.
ptx_alone = $(if $(gpu_here)$(filter 0,$(CUDA)),,PTX=1)
# Each sees what the one before has installed.
again     = +$(Q)$(MAKE) --no-print-directory

## bench: install missing dependencies, build, run all benchmarks at preset quick, report
bench: deps
	$(again) deps-nvcc
	$(again) bench-now
bench-now:
	$(again) $(ptx_alone) all
	./gpubench run --preset=quick --overwrite -o results/latest.jsonl
	$(Q)./gpubench report --format=html results/latest.jsonl >results/latest.html
	@echo "records: results/latest.jsonl   report: results/latest.html"

## submit: measure the GPU at hand for the table over GPUs in README.md
submit: all
	$(Q)$(PYTHON) scripts/submit.py

## deps: install missing dependencies; with PREFIX=FOLDER unpack them there, without root
deps:
	$(Q)scripts/install-deps.sh build \
		$(if $(filter command,$(origin PREFIX)),'--prefix=$(PREFIX)')
deps-nvcc:
	$(Q)$(if $(and $(filter nvcc,$(NVCC)),$(cuda_absent:CUDA=0%=)),scripts/install-nvcc.sh || :)

## dist: source archive of the commit with its SHA-256, in build/dist
dist:
	$(Q)mkdir -p build/dist && git archive --prefix=gpubench-$(version)/ HEAD | \
		gzip -9n >build/dist/gpubench-$(version).tar.gz
	$(Q)cd build/dist && sha256sum gpubench-$(version).tar.gz | tee gpubench-$(version).tar.gz.sha256

## install: install program and completion below PREFIX
## uninstall: remove the files that `make install` installed
prefix    := $(DESTDIR)$(PREFIX)
completed := bash-completion/completions/gpubench
install: all
	install -D -m 755 $(BUILD)/gpubench '$(prefix)/bin/gpubench'
	install -D -m 644 scripts/completion.bash '$(prefix)/share/$(completed)'

uninstall:
	rm -f '$(prefix)/bin/gpubench'
	cd '$(prefix)/share' && rm -f $(completed)

## clean: remove all build output, but not an nvcc that was fetched
clean:
	$(Q)rm -rf $(filter-out build/nvcc,$(wildcard build/*)) gpubench gpubench-ptx

# ---- help ----------------------------------------------------------------------------------

include tests/tests.mk tests/ptx/ptx.mk

## help: list the targets
help:
	@sed -n 's/^\#\# \([^:]*\): \(.*\)/  \1\t\2/p' Makefile tests/tests.mk tests/*/*.mk | \
		expand -t 20

.PHONY: all test bench bench-now submit deps deps-nvcc dist install uninstall clean help FORCE
FORCE:
-include $(shell find $(sort $(BUILD) $(SHARED)) -name '*.d' 2>/dev/null)
