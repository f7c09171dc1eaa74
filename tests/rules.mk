# SPDX-License-Identifier: BSD-2-Clause
# The programs that tests run: included by the Makefile ($(B) is the build directory).
#
# tests/programs/X.c is a static build/tests/X, tests/programs/X.dyn.c a dynamic build/tests/X.
# tests/programs/libX.so.c a shared library build/tests/libX.so, for dynamic programs beside it.
# tests/programs/X-*.c are further files of X; tests/programs/*.h is what several share. tests/bench/X.c is build/tests/bench-X,
# with tests/bench/X-*.c. tests/engines/X.c is build/tests/X, with all of src/ but main.c;
# tests/engines/{walker,exported,ring}.c with a BPF program of their own.

# Of these files, those that are not a further one of another.
main_files = $(filter-out $(foreach f,$(1),$(wildcard $(f:%.c=%)-*.c)),$(1))
TEST_MAIN := $(call main_files,$(wildcard tests/programs/*.c))
BENCH_MAIN := $(call main_files,$(wildcard tests/bench/*.c))
TEST_BIN  := $(patsubst tests/programs/%.c,$(B)/tests/%,$(TEST_MAIN:.dyn.c=.c)) $(B)/tests/traces $(B)/tests/ksyms \
	     $(BENCH_MAIN:tests/bench/%.c=$(B)/tests/bench-%) $(if $(filter x86,$(ARCH)),$(B)/tests/tsc)
# Functions that tests count must stay functions, with frames that differ from call to call.
TEST_CFLAGS := -std=gnu11 -O1 -g $(WARN) -D_GNU_SOURCE -fno-builtin -pthread

# Thousands are executed: nothing runs before its first line or behind its last.
$(B)/tests/noop: TEST_CFLAGS += -nostdlib -fno-stack-protector -Wl,--build-id=none
# Of a function in assembler perf takes the symbol's address, but not from a file whose debug information lacks it.
# And it unwinds no static program without .eh_frame_hdr, which gcc leaves out of static ones.
$(B)/tests/bench-calls: TEST_CFLAGS += -g0 -Wl,--eh-frame-hdr

# tests/programs/X.go is a build/tests/X in Go, and the same stripped and loaded anywhere.
GO_BIN := $(foreach f,$(wildcard tests/programs/*.go),$(f:tests/programs/%.go=$(B)/tests/%) \
	  $(f:tests/programs/%.go=$(B)/tests/%-stripped) $(f:tests/programs/%.go=$(B)/tests/%-pie))
TEST_BIN += $(GO_BIN)
GO_ARCH  := $(patsubst x86,amd64,$(ARCH))
# Without DWARF, for they travel into each guest.
GO_FLAGS  = -ldflags='-w$(if $(filter %-stripped,$@), -s)' $(if $(filter %-pie,$@),-buildmode=pie)

# What tests unwind is compiled as Debian compiles programs: only their tables say where the caller's frame is.
UNWOUND_CFLAGS := -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
$(B)/tests/deeps $(B)/tests/deeps-static $(B)/tests/libinside.so: TEST_CFLAGS += $(UNWOUND_CFLAGS)
# Bound when they are first called, as most programs' are.
$(B)/tests/deeps: TEST_CFLAGS += -DDEEPS_LIBRARY -Wl,-z,lazy
TEST_BIN += $(B)/tests/deeps-static
# A 32-bit program needs no library, hence no other compiler; for ARM, clang and its linker.
NARROW_CFLAGS := -nostdlib -fno-omit-frame-pointer -fno-pic -fno-stack-protector
ifneq ($(ARCH),x86)
TEST_BIN := $(filter-out $(B)/tests/narrow,$(TEST_BIN)) $(if $(shell command -v ld.lld),$(B)/tests/narrow-arm)
endif
$(B)/tests/narrow: TEST_CFLAGS += -m32 -march=i686 -no-pie $(NARROW_CFLAGS)
$(B)/tests/narrow-arm: tests/programs/narrow.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CLANG) --target=armv7-linux-gnueabi -fuse-ld=lld -static -std=gnu11 -O1 -marm \
		-Wno-unknown-attributes $(NARROW_CFLAGS) -o $@ $<

# tests/programs/X.cc is a static build/tests/X in C++, which needs nothing of its library. X.dyn.cc is a dynamic one.
CXX_BIN := $(patsubst tests/programs/%.cc,$(B)/tests/%,$(filter-out %.dyn.cc,$(wildcard tests/programs/*.cc)))
CXX_DYN := $(patsubst tests/programs/%.dyn.cc,$(B)/tests/%,$(wildcard tests/programs/*.dyn.cc))
TEST_BIN += $(CXX_BIN) $(CXX_DYN)

# Functions that end in every way that a compiler knows (tests/tools/returns_harmless.sh): tail calls, jump tables, cold
# parts. The first program has all marks for indirect jumps and signs return addresses, the second does not.
RETURNS_MARKS := $(if $(filter x86,$(ARCH)),-fcf-protection=full,-mbranch-protection=standard)
RETURNS_BARE := $(if $(filter x86,$(ARCH)),-fcf-protection=none,-mbranch-protection=none)
TEST_BIN += $(B)/tests/returns-bare
$(B)/tests/returns: TEST_CFLAGS += -O2 -g0 $(RETURNS_MARKS)
$(B)/tests/returns-bare: TEST_CFLAGS += -O2 -g0 -fomit-frame-pointer $(RETURNS_BARE)
$(B)/tests/returns-bare: tests/programs/returns.dyn.c tests/programs/workload.h
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -o $@ $<

# tests/programs/X.rs is a build/tests/X in Rust, where there is a compiler for the architecture.
RUST := $(if $(CROSS_COMPILE),,$(shell command -v rustc))
RUST_BIN := $(if $(RUST),$(patsubst tests/programs/%.rs,$(B)/tests/%,$(wildcard tests/programs/*.rs)))
TEST_BIN += $(RUST_BIN)
$(RUST_BIN): $(B)/tests/%: tests/programs/%.rs
	@mkdir -p $(@D)
	$(call say,RUST,$<)MAKEFLAGS= $(RUST) -C opt-level=2 -C debuginfo=0 -C strip=debuginfo -o $@ $<

# Engines side by side in one process, which has symbols to be traced by. Compiled code in the kernel.
ENGINE_BIN := $(addprefix $(B)/tests/,together ends kept paused emitted compiled bounds exported_script recorded)
TEST_BIN += $(ENGINE_BIN)
$(B)/tests/emitted: tests/lang/ir_interpret.h tests/lang/ir_random.h tests/lang/show_ir.c tests/lang/show_code.c
$(B)/tests/compiled: tests/lang/program_evaluate.h tests/lang/program_random.h tests/lang/ir_random.h
$(ENGINE_BIN): $(B)/tests/%: tests/engines/%.c $(LIB:%.c=$(B)/%.o) $(LIBBPF_A) $(ZYDIS_A) $(COMPAT_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -I$(B) -I$(B)/gen -I$(B)/libbpf/include -Wno-missing-field-initializers -static -Wl,--gc-sections -Wl,-S \
		-o $@ $(filter-out %.h $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

# What several share: headers, the child that the two exported ones trace, an engine whose counts are compared.
$(ENGINE_BIN) $(B)/tests/exported: $(wildcard tests/engines/*.h)
$(B)/tests/exported $(B)/tests/exported_script: tests/engines/traced.c
$(B)/tests/kept $(B)/tests/paused: tests/engines/counted.c

# One that another has the BPF program for.
$(B)/tests/bounds: $(B)/gen/tests/engines/exported.skel.h

# The unwinder alone, in each type of program; totals as an exporter reads them; rings.
TEST_BIN += $(B)/tests/walker $(B)/tests/exported $(B)/tests/ring
.SECONDARY: $(B)/tests/engines/walker.bpf.o $(B)/tests/engines/exported.bpf.o $(B)/tests/engines/ring.bpf.o
-include $(B)/tests/engines/walker.bpf.d $(B)/tests/engines/exported.bpf.d $(B)/tests/engines/ring.bpf.d
$(B)/tests/ring: tests/engines/ring.h tests/engines/ring_seen.h tests/engines/ring_seen.c tests/engines/fail.h
$(B)/tests/walker $(B)/tests/exported $(B)/tests/ring: $(B)/tests/%: tests/engines/%.c $(B)/gen/tests/engines/%.skel.h \
		$(LIB:%.c=$(B)/%.o) $(LIBBPF_A) $(ZYDIS_A) $(COMPAT_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -I$(B) -I$(B)/gen -I$(B)/libbpf/include -Wno-missing-field-initializers -static -Wl,--gc-sections -Wl,-S \
		-o $@ $(filter-out %.h $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

.PHONY: test-programs
test-programs: $(TEST_BIN) $(B)/unwind-rows $(B)/stack-files $(B)/flame-draw $(B)/metric-pages \
	$(B)/recordings $(B)/convert-files $(B)/return-guard

# For this machine alone: it is beside those that guests get.
$(B)/unwind-rows: tests/unwind/rows.c $(patsubst %.c,$(B)/%.o,$(wildcard src/unwind/*.c src/binary/*.c src/kernel/*.c src/base/*.c)) $(LIBBPF_A) $(COMPAT_A)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -static -Wl,--gc-sections -o $@ $(filter-out $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

# It knows what libbpf's copy of the kernel's headers knows, not what this machine's does.
$(B)/return-guard: tests/host/guard.c $(LIBBPF_A) $(COMPAT_A)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I$(B)/libbpf/include -static -o $@ $< $(COMPAT_A)

$(B)/stack-files: tests/output/stacks.c $(patsubst %.c,$(B)/%.o,$(wildcard src/output/*.c src/base/*.c))
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -Wno-missing-field-initializers -static -Wl,--gc-sections -o $@ $^ $(LDLIBS)

RECORDINGS_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard src/record/*.c src/binary/foreign.c src/kernel/syscalls.c \
	src/output/words.c src/base/*.c))
$(B)/recordings: tests/record/recordings.c $(RECORDINGS_OBJ) $(COMPAT_A)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -Wno-missing-field-initializers -static -Wl,--gc-sections \
		-o $@ $(filter-out $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

CONVERT_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard src/convert/*.c src/record/*.c src/output/*.c src/kernel/*.c \
	src/binary/*.c src/base/*.c))
$(B)/convert-files: tests/convert/convert.c $(CONVERT_OBJ) $(LIBBPF_A) $(ZYDIS_A) $(COMPAT_A)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -Wno-missing-field-initializers -static -Wl,--gc-sections \
		-o $@ $(filter-out $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

PAGES_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard src/metrics/*.c src/output/*.c src/base/*.c))
$(B)/metric-pages: tests/metrics/pages.c $(PAGES_OBJ) $(COMPAT_A)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -Wno-missing-field-initializers -static -Wl,--gc-sections \
		-o $@ $(filter-out $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

$(B)/flame-draw: tests/flame/draw.c $(patsubst %.c,$(B)/%.o,$(wildcard src/output/*.c src/base/*.c)) $(COMPAT_A)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -Isrc -static -Wl,--gc-sections -o $@ $(filter-out $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

# A session of our own, for guests.
$(B)/tests/ksyms: tests/guest/ksyms.c $(patsubst %.c,$(B)/%.o,$(wildcard src/kernel/*.c src/base/*.c)) $(LIBBPF_A) $(COMPAT_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I. -Isrc -static -Wl,--gc-sections -o $@ $(filter-out $(COMPAT_A),$^) $(LDLIBS) $(COMPAT_A)

$(B)/tests/traces $(B)/tests/tsc: $(B)/tests/%: tests/guest/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -static -o $@ $<

$(GO_BIN): tests/rules.mk
	@mkdir -p $(@D)
	$(call say,GO,$@)CGO_ENABLED=0 GO111MODULE=off GOFLAGS= GOARCH=$(GO_ARCH) GOCACHE=$(abspath $(B)/go) \
		go build -trimpath $(GO_FLAGS) -o $@ $(filter %.go,$^)
$(foreach f,$(wildcard tests/programs/*.go),$(eval $(filter $(f:tests/programs/%.go=$(B)/tests/%)%,$(GO_BIN)): $(f)))

$(CXX_BIN): $(B)/tests/%: tests/programs/%.cc tests/rules.mk
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(filter-out -std=%,$(TEST_CFLAGS)) -fno-exceptions -fno-rtti -fno-inline -static -o $@ $<

$(CXX_DYN): $(B)/tests/%: tests/programs/%.dyn.cc tests/rules.mk
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) -O2 -fomit-frame-pointer $(WARN) -pthread -o $@ $<

.SECONDEXPANSION:
$(B)/tests/bench-%: tests/bench/%.c $$(wildcard tests/bench/%-*.c) $(wildcard tests/bench/*.h) $(LIBBPF_A) $(COMPAT_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -I$(B)/libbpf/include -static -o $@ $(filter %.c,$^) $(LIBBPF_A) $(LDLIBS) $(COMPAT_A)

$(B)/tests/%: tests/programs/%.c $$(wildcard tests/programs/%-*.c) $(wildcard tests/programs/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -static -o $@ $(filter %.c,$^)

$(B)/tests/%: tests/programs/%.dyn.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -o $@ $(filter %.dyn.c %.so,$^) -Wl,-rpath,'$$ORIGIN'

$(B)/tests/lib%.so: tests/programs/lib%.so.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -shared -fPIC -Wl,-soname,$(@F) -o $@ $<

$(B)/tests/reader: $(B)/tests/libreadline.so
$(B)/tests/talks: $(B)/tests/libssl.so
$(B)/tests/dynframes: tests/programs/frames.c
$(B)/tests/deeps: $(B)/tests/libdeeps.so
$(B)/tests/pythons: TEST_CFLAGS += -rdynamic
test-programs: $(B)/tests/libinside.so

$(B)/tests/deeps-static: tests/programs/deeps.dyn.c $(wildcard tests/programs/*.h)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -static -o $@ $<

# Stripped: its symbols are looked for by its build-id, and by its debug link. That is a name, padded to words, and a
# checksum; the linker drops those that it meets.
test-programs: $(B)/tests/libhostile.so
$(B)/tests/libhostile.so: tests/programs/libhostile.so.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(TEST_CFLAGS) -shared -fPIC -s \
		-Wl,--build-id=0xabcdef0123456789abcdef0123456789abcdef01 -o $@ $<
	@printf '../../../../../../../../dev/ptmx\0\0\0\0\0\0\0\0' > $@.link && \
		$(CROSS_COMPILE)objcopy --add-section .gnu_debuglink=$@.link $@ && rm $@.link
