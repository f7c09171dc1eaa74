# SPDX-License-Identifier: BSD-2-Clause
# The fuzzers: included by the Makefile. tests/fuzz/X.c becomes build/fuzz/X, of clang, libFuzzer and the sanitizers,
# with what of ours it needs: the parsers' layers, of the unit tests' objects, once, as a library. For the machine that
# builds only.
FUZZ      := $(if $(CROSS_COMPILE),,$(wildcard tests/fuzz/*.c))
FUZZ_BIN  := $(FUZZ:tests/fuzz/%.c=$(B)/fuzz/%)
FUZZ_OBJ  := $(FUZZ:%.c=$(B)/checked/%.o)
FUZZ_ROOMS := attach base binary convert engine interp kernel lang lang/* metrics options output probe record recorder \
	     report strace symbols traces unwind why
FUZZ_EXPORT := $(patsubst %,src/export/%.c,config conn http listen server) src/run/systemd.c
FUZZ_LIB  := $(patsubst %.c,$(B)/checked/%.o,$(wildcard $(FUZZ_ROOMS:%=src/%/*.c) tests/lang/*.c) $(FUZZ_EXPORT))

.PHONY: fuzzers
fuzzers: $(FUZZ_BIN)

# Nothing names the language's functions, so the linker would not take them out of the library.
FUZZ_ROWS := $(filter $(B)/checked/src/lang/functions/%,$(FUZZ_LIB))

$(FUZZ_BIN): $(B)/fuzz/%: $(B)/checked/tests/fuzz/%.o $(FUZZ_ROWS) $(B)/fuzz/ours.a $(LIBBPF_A) $(ZYDIS_A)
	$(call say,LINK,$@)$(CLANG) $(SANITIZE) -fsanitize=fuzzer -o $@ $^ -lelf -llzma -lz -liberty -lpthread

$(B)/fuzz/ours.a: $(FUZZ_LIB) $(B)/sources
	@mkdir -p $(@D)
	$(Q)rm -f $@ && ar rcs $@ $(filter-out $(FUZZ_ROWS),$(FUZZ_LIB))

-include $(FUZZ_OBJ:.o=.d)
