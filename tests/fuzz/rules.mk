# SPDX-License-Identifier: BSD-2-Clause
# The fuzzers: included by the Makefile. tests/fuzz/X.c becomes build/fuzz/X, of clang, libFuzzer and the sanitizers,
# with what of ours it needs: the parsers' layers, once, as a library. For the machine that builds only.
FUZZ      := $(if $(CROSS_COMPILE),,$(wildcard tests/fuzz/*.c))
FUZZ_BIN  := $(FUZZ:tests/fuzz/%.c=$(B)/fuzz/%)
FUZZ_OBJ  := $(FUZZ:%.c=$(B)/fuzz/%.o)
FUZZ_ROOMS := attach base binary convert engine interp kernel lang lang/* metrics options output probe record recorder \
	     report strace symbols traces unwind why
FUZZ_EXPORT := $(patsubst %,src/export/%.c,config conn http listen server) src/run/systemd.c
FUZZ_LIB  := $(patsubst %.c,$(B)/fuzz/%.o,$(wildcard $(FUZZ_ROOMS:%=src/%/*.c) tests/lang/*.c) $(FUZZ_EXPORT))
FUZZ_SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_COVERAGE := -fsanitize=fuzzer-no-link

.PHONY: fuzzers
fuzzers: $(FUZZ_BIN)

# Nothing names the language's functions, so the linker would not take them out of the library.
FUZZ_ROWS := $(filter $(B)/fuzz/src/lang/functions/%,$(FUZZ_LIB))

$(FUZZ_BIN): $(B)/fuzz/%: $(B)/fuzz/tests/fuzz/%.o $(FUZZ_ROWS) $(B)/fuzz/ours.a $(LIBBPF_A) $(ZYDIS_A)
	$(call say,LINK,$@)$(CLANG) $(FUZZ_SANITIZE) -fsanitize=fuzzer -o $@ $^ -lelf -llzma -lz -liberty -lpthread

$(B)/fuzz/ours.a: $(FUZZ_LIB) $(B)/sources
	$(Q)rm -f $@ && ar rcs $@ $(filter-out $(FUZZ_ROWS),$(FUZZ_LIB))

$(FUZZ_OBJ) $(FUZZ_LIB): $(B)/fuzz/%.o: %.c Makefile tests/fuzz/rules.mk $(B)/flags | $(SKEL) $(SYSCALLS) $(EMBED) $(ANSWERS) $(LIBBPF_A) $(ZYDIS_A)
	@mkdir -p $(@D)
	$(call say,FUZZ,$<)$(CLANG) $(C_CPPFLAGS) $(C_FLAGS) $(FUZZ_SANITIZE) $(FUZZ_COVERAGE) -c -o $@ $<

$(B)/fuzz/src/recorder/record_host.o: private DEFINES := -DSONDE_VERSION='"fuzz"'
-include $(FUZZ_OBJ:.o=.d) $(FUZZ_LIB:.o=.d)
$(B)/fuzz/src/binary/instruction.o: private DEFINES := $(ZYDIS_CPPFLAGS)
