# SPDX-License-Identifier: BSD-2-Clause
# The only entry point. `make` builds build/sonde; `make help` lists the other targets.
#
# Variables for users: CC CLANG BPFTOOL CFLAGS CPPFLAGS LDFLAGS LIBBPF ZYDIS PKG_CONFIG
# DEBIAN_MIRROR DESTDIR PREFIX ETC B (the build directory) V=1 (show the commands) WERROR=1 (treat
# warnings as errors) FOREIGN= (make test without a guest of arm64)
# KERNELS (make test: guests of these kernels only) TESTS (make test: in guests, these tests only)
# FULL=1 (make test: every test on every kernel) SINCE=REV (make test: what can notice a change since REV)
# PART=K/N (make test: the K-th of N parts, for N machines) FAULT (make faults: these only).
# CROSS_COMPILE=aarch64-linux-gnu- builds for arm64, in build-aarch64-linux-gnu.

B      := build$(patsubst %-,-%,$(notdir $(CROSS_COMPILE)))
PREFIX ?= /usr/local
ETC    ?= /etc
ifeq ($(origin CC),default)
CC     := $(CROSS_COMPILE)gcc
endif
ifeq ($(origin CXX),default)
CXX    := $(CROSS_COMPILE)g++
endif
CLANG  ?= clang
CFLAGS ?= -O2 -g

# Finds the machine's tools and libraries, once. `make help` and `make clean` need none.
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),all)),)
ifndef BPFTOOL
BPFTOOL := $(shell scripts/find-bpftool)
endif
# The compiler names the target architecture; without a compiler, uname does.
TRIPLET := $(or $(shell $(CC) -dumpmachine 2>/dev/null),$(shell uname -m))
ARCH    := $(patsubst x86_64%,x86,$(patsubst aarch64%,arm64,$(TRIPLET)))
VERSION := $(shell scripts/version)
DATE    := $(shell scripts/version --date)
# pkg-config, for the target architecture, says whether libelf.a needs zstd.
PKG_CONFIG ?= $(if $(CROSS_COMPILE),PKG_CONFIG_LIBDIR=/usr/lib/$(TRIPLET)/pkgconfig )pkg-config
# zlib comes before libelf as well: newer elfutils (Debian sid) have a crc32() of their own in
# libelf.a, which the linker would take.
LDLIBS  := -lz $(shell $(PKG_CONFIG) --static --libs libelf liblzma 2>/dev/null || echo -lelf -llzma) -lz -liberty -lpthread
# Source trees of libraries that we build: named by the user, a submodule, or the distribution's
# source package.
LIBBPF_TREE := $(shell LIBBPF='$(LIBBPF)' scripts/source-of libbpf --where)
ZYDIS_TREE  := $(if $(filter x86,$(ARCH)),$(shell ZYDIS='$(ZYDIS)' scripts/source-of zydis --where))
endif

# A compiler that is newer than this tree can print new warnings. `make lint` and CI make them
# errors for us; a user's build must not fail.
WARN       := -Wall -Wextra -Wno-unused-parameter $(if $(WERROR),-Werror)
INCLUDES   := -I. -I$(B)/libbpf/include
C_CPPFLAGS  = -D_GNU_SOURCE -Isrc -I$(B) -I$(B)/gen $(INCLUDES) $(CPPFLAGS) $(DEFINES) -MMD -MP
C_FLAGS    := -std=gnu11 $(WARN) -Wno-missing-field-initializers -Wstrict-prototypes -fno-strict-aliasing
# No unwind tables: nothing unwinds sonde at run time, and the debug file has .debug_frame. They would be 70 KB.
SHIPPED    := -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -fno-unwind-tables
ALL_CFLAGS  = $(C_FLAGS) $(SHIPPED) $(CFLAGS)
# Where clang cannot find a source file it leaves the file's lines out of the BTF. They would be a fifth of each object,
# and attach loads programs without them.
BPF_CFLAGS := -target bpf -O2 -g -mcpu=v3 -fdebug-compilation-dir=/sonde -fdebug-prefix-map=./=/sonde/ $(WARN) $(INCLUDES) -MMD -MP
# Without recovery, so that whatever the sanitizers find fails the test. By clang, whose libFuzzer needs objects of clang.
SANITIZE   := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer

# Files are found by their place: a new tool, module or test is a new file and no change here.
LIB   := $(wildcard src/*/*.c src/*/*/*.c)
TOOLS := $(filter-out %.bpf.c,$(wildcard tools/*.c))
SRC   := $(LIB) $(TOOLS) src/main.c
BPF   := $(wildcard bpf/*.bpf.c tools/*.bpf.c)
UNIT  := $(wildcard tests/unit/*.c tests/lang/*.c)
# Tools that are scripts. The binary looks for them in share/sonde beside it, and in ../share/sonde.
SCRIPTS := $(patsubst tools/%,$(B)/share/sonde/%,$(wildcard tools/*.bt))
# What is in the Debian package. Another architecture's program cannot print its man pages here.
PACKAGED := $(wildcard packaging/* packaging/*/* docs/*.md README.md NEWS)
PACKAGE  := $(if $(CROSS_COMPILE),,$(B)/deb/made)

OBJ      := $(SRC:%.c=$(B)/%.o)
SKEL     := $(BPF:%.bpf.c=$(B)/gen/%.skel.h)
UNIT_OBJ := $(patsubst %.c,$(B)/checked/%.o,$(LIB) $(TOOLS) $(UNIT))
SYSCALLS := $(B)/gen/syscalls.inc $(B)/gen/syscalls_32.inc
EMBED    := $(patsubst %,$(B)/gen/%.inc,$(notdir $(wildcard src/output/*.css src/output/*.js)))
ANSWERS  := $(B)/gen/coming_from.inc $(B)/gen/constants.inc $(B)/gen/ioctls.inc $(B)/gen/netlink.inc
LIBBPF_A := $(B)/libbpf/libbpf.a
COMPAT_A := $(B)/compat/libelf.a
# Zydis decodes x86's instructions. Those of arm64 are all of one length and need no decoder.
ZYDIS_A  := $(if $(filter x86,$(ARCH)),$(B)/zydis/libzydis.a)

# make try and make test use all processors, unless -j was given
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

ifeq ($(V),)
Q   := @
say  = @printf '  %-7s %s\n' $(1) $(2);
endif

.DELETE_ON_ERROR:
.SECONDARY: $(SKEL) $(BPF:%.bpf.c=$(B)/%.bpf.o)
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.PHONY: all help deps try test fresh check tests test-programs fuzz random faults stress bench bench-peers bench-service bench-strace bench-python soak \
	stacks lint lint-bpf docs fmt man install uninstall deb clean FORCE

all: $(B)/sonde $(SCRIPTS) ## build/sonde (the default)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo '  CROSS_COMPILE=aarch64-linux-gnu- with deps (also for its guests), all, test-programs: for arm64, in build-aarch64-linux-gnu'

deps: ## install what building needs (apt, as root); besides this only try, test, fresh, bench-peers and lint install
	@scripts/deps build $(if $(CROSS_COMPILE),guest)

try: ## install what is missing, build, and count something on this machine (as root)
	@scripts/deps build
	@$(MAKE) --no-print-directory $(JOBS) all
	@scripts/try

test: ## install what is missing, build, run every test (as root)
	@scripts/deps build test
	@$(MAKE) --no-print-directory $(JOBS) all $(if $(filter-out 1/%,$(PART)),test-programs $(SCRIPTS) $(PACKAGE),tests)
	@$(if $(FOREIGN),CROSS_COMPILE=$(FOREIGN) scripts/deps build guest)
	@$(if $(FOREIGN),$(MAKE) --no-print-directory $(JOBS) CROSS_COMPILE=$(FOREIGN) all test-programs)
	@tests/run $(if $(FOREIGN),--foreign) $(if $(FULL),--full) $(if $(SINCE),--since $(SINCE)) $(if $(PART),-S $(PART)) \
		$(KERNELS:%=-k %) $(TESTS:%=-t '%')

# The other architecture, as far as one machine can test it: on x86-64 a guest of arm64 that QEMU
# emulates. FOREIGN= leaves it out.
FOREIGN = $(if $(filter x86,$(ARCH)),aarch64-linux-gnu-)

fresh: ## `make try` and an eighth of `make test` in a minimal system of Debian 13 or sid, by turns (as root)
	@scripts/deps build fresh
	@scripts/fresh --test by-turns

check: all tests ## the quick tests, about a minute: one guest, and without the dearest tests (slow=yes), which test runs
	@tests/run --quick

tests: $(B)/unit/unit $(SCRIPTS) test-programs fuzzers $(PACKAGE) ## build the tests, run none

fuzz: ## every parser of foreign files for a minute each, with what libFuzzer makes up
	@scripts/deps build test
	@$(MAKE) --no-print-directory $(JOBS) fuzzers
	@tests/fuzz/run 60

random: all tests ## compile 100,000 random programs and ten million mutated ones, for days (PROGRAMS=, MUTATED=, SEED=)
	@tests/fuzz/random $(PROGRAMS) $(MUTATED) $(SEED)

stress: all test-programs ## return probes on thousands of functions of real programs under load (in guests)
	@GUEST_TESTS=tests/stress GUEST_TIMEOUT=$${GUEST_TIMEOUT:-21600} tests/guest/run $(addprefix -k ,$(or $(KERNELS),newest)) $(TESTS:%=-t '%')

faults: all test-programs ## put faults into copies of the tree, and look whether tests notice each of them (in guests)
	@tests/faults/run $(FAULT)

bench: all tests ## measure the costs against an empty BPF program, and the most important beside the peers
	@tests/bench/run

soak: all tests ## export known events for 30 minutes (MINUTES=), and compare counts and memory
	@tests/bench/soak $(MINUTES)

bench-peers: ## the same beside bcc, bpftrace, perf, trace-cmd, strace (as root; installs what is missing): docs/BENCHMARKS.md
	@scripts/deps build test
	@$(MAKE) --no-print-directory $(JOBS) all tests
	@tests/bench/peers/run

bench-service: all tests ## restart, upgrade and scrape the exporter as a service, in guests, for an hour
	@tests/bench/service/run

bench-strace: all ## compare the lines of sonde strace with strace's, of the same runs, for 81 commands (as root)
	@tests/bench/strace/compare -k

bench-python: all ## compare profile with other profilers of Python, on this machine (as root; installs nothing outside its cache)
	@tests/bench/python/run

stacks: ## compare stacks of real programs with those of perf and gdb, on this machine (as root; installs what is missing)
	@scripts/deps build test stacks
	@$(MAKE) --no-print-directory $(JOBS) all test-programs
	@tests/stacks/run

lint: ## layers, lengths, conventions, licence lines, format, cppcheck, shellcheck, warnings, size of the binary
	@scripts/deps build lint
	@scripts/lint
	@$(MAKE) --no-print-directory $(JOBS) WERROR=1 B=$(LINT_B) all lint-bpf
	@scripts/lint --size $(LINT_B)/sonde

# Objects that were built without -Werror would not be compiled again. In CI everything is built
# with it.
LINT_B := $(if $(WERROR),$(B),$(B)/lint)

# Compiles the kernel side for the other architecture, so that an error there is reported at once.
OTHER_ARCH := $(filter-out $(ARCH),x86 arm64)
lint-bpf: $(BPF:%.bpf.c=$(B)/lint/%.bpf.o)

$(B)/lint/%.bpf.o: %.bpf.c FORCE | $(LIBBPF_A)
	@mkdir -p $(@D)
	$(call say,BPF,"$< ($(OTHER_ARCH))")$(CLANG) -D__TARGET_ARCH_$(OTHER_ARCH) $(BPF_CFLAGS) -c -o $@ $<

docs: ## write docs/COMING-FROM.md from docs/coming-from.txt
	@scripts/coming-from --page > docs/COMING-FROM.md

fmt: ## apply the format
	@scripts/lint --files | xargs clang-format -i

# --- the binary ---

$(B)/sonde: $(B)/sonde.debug
	$(call say,STRIP,$@)$(CROSS_COMPILE)strip -o $@ $<

$(B)/sonde.debug: $(OBJ) $(LIBBPF_A) $(ZYDIS_A) $(COMPAT_A) $(B)/sources
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) -static -Wl,--gc-sections $(LDFLAGS) -o $@ $(OBJ) $(LIBBPF_A) $(ZYDIS_A) $(LDLIBS) $(COMPAT_A)

# Nobody else may write to a script that sonde runs as root.
$(B)/share/sonde/%.bt: tools/%.bt
	@install -d -m 755 $(@D)
	$(call say,SCRIPT,$<)install -m 644 $< $@

$(COMPAT_A): $(B)/compat/libelf.o
	$(Q)rm -f $@; $(CROSS_COMPILE)ar rcs $@ $<

# The first compilation needs all skeletons. After that the .d files know which object needs which.
$(B)/%.o: %.c Makefile $(B)/flags | $(SKEL) $(SYSCALLS) $(EMBED) $(ANSWERS) $(LIBBPF_A) $(ZYDIS_A)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(C_CPPFLAGS) $(ALL_CFLAGS) $(SMALL) -c -o $@ $<

# Built for size, 170 KB less: code that runs once, and output, where rows took no longer to print.
SMALL_ROOMS := interp traces options run symbols lang script probe output metrics export report whynot why strace \
	convert graph recorder record engine engines attach kernel base binary unwind
SMALL_OBJECTS := $(SMALL_ROOMS:%=$(B)/src/%/%.o) $(B)/tools/%.o
$(SMALL_OBJECTS): private SMALL := $(if $(filter -O2,$(CFLAGS)),-Os)

# Without the encoder and the formatter.
ZYDIS_CPPFLAGS := -DZYDIS_STATIC_BUILD -DZYDIS_MINIMAL_MODE -DZYDIS_DISABLE_ENCODER -DZYDIS_DISABLE_FORMATTER \
		  -DZYCORE_STATIC_BUILD -isystem $(B)/zydis/include

$(B)/src/binary/instruction.o $(B)/checked/src/binary/instruction.o: private DEFINES := $(ZYDIS_CPPFLAGS)
VERSIONED := $(B)/src/main.o $(patsubst %,$(B)/%/self.o,src/export checked/src/export) \
	$(patsubst %,$(B)/%/record_host.o,src/recorder checked/src/recorder)
$(VERSIONED): private DEFINES := -DSONDE_VERSION='"$(VERSION)"' -DSONDE_DATE='"$(DATE)"'
$(VERSIONED): $(B)/version

# Things that no file's time stamp shows: each file is rewritten only if its contents change.
$(B)/version: NOW = $(VERSION) $(DATE)
$(B)/sources: NOW = $(SRC) $(UNIT)
$(B)/objects: NOW = $(BPF:%.bpf.c=%.bpf.o)
$(B)/flags: NOW = $(CC) $(CLANG) $(BPFTOOL) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
$(B)/version $(B)/sources $(B)/objects $(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(NOW)' | cmp -s - $@ || echo '$(NOW)' > $@

# The machine's syscall numbers, from its own header.
# Headers of an architecture without calls of 32-bit programs make an empty file.
$(B)/gen/syscalls.inc: UNISTD := asm/unistd.h
$(B)/gen/syscalls_32.inc: UNISTD := asm/unistd_32.h
$(SYSCALLS): Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)printf '#if __has_include(<%s>)\n#include <%s>\n#endif\n' $(UNISTD) $(UNISTD) | \
		$(CC) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z_][a-z0-9_]*\) .*/SYSCALL(\1)/p' | sort > $@

# Files that become a part of what sonde writes: strings of C, without indentation, empty lines and lines of comments.
$(EMBED): $(B)/gen/%.inc: src/output/% Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@){ echo 'static const char $(subst .,_,$*)[] =' && \
		sed -e 's/^\t*//' -e '/^$$/d' -e '/^\/[/*]/d' -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $< && echo ';'; } > $@

# What sonde answers to the names of other tracers' tools, from the table of docs/COMING-FROM.md.
$(B)/gen/coming_from.inc: docs/coming-from.txt scripts/coming-from
	@mkdir -p $(@D)
	$(call say,GEN,$@)scripts/coming-from --answers > $@

# The constants of C's headers: those of this architecture, compressed.
$(B)/gen/constants.inc: src/kernel/constants.txt Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)awk '/^\043/ { next } NF == 3 { $$2 = $(if $(filter arm64,$(ARCH)),$$3,$$2) } \
		{ print NF == 1 ? $$1 : $$1 " " $$2 }' $< > $@.text
	@{ echo '#define CONSTANTS_SIZE '$$(stat -c %s $@.text) && echo 'static const unsigned char packed[] = {' && \
		gzip -9n < $@.text | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g' && echo '};'; } > $@

# The names of ioctl's requests, compressed.
$(B)/gen/ioctls.inc: src/strace/ioctls.txt Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)sed '/^\#/d; s/^0x//' $< > $@.text
	@{ echo '#define IOCTLS_SIZE '$$(stat -c %s $@.text) && echo '#define IOCTLS_LINES '$$(wc -l < $@.text) && \
		echo 'static const unsigned char packed[] = {' && \
		gzip -9n < $@.text | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g' && echo '};'; } > $@

# What strace prints of netlink's messages, compressed; "$NAME" stands for a text.
$(B)/gen/netlink.inc: src/strace/netlink.txt Makefile
	@mkdir -p $(@D)
	$(call say,GEN,$@)awk '/^#/ { next } /^\$$/ { at = index($$0, " "); text[substr($$0, 2, at - 2)] = substr($$0, at + 1); next } \
		{ while (match($$0, /\$$[a-z]+/)) $$0 = substr($$0, 1, RSTART - 1) text[substr($$0, RSTART + 1, RLENGTH - 1)] \
		substr($$0, RSTART + RLENGTH); print }' $< > $@.text
	@{ echo '#define NETLINK_SIZE '$$(stat -c %s $@.text) && echo 'static const unsigned char packed[] = {' && \
		gzip -9n < $@.text | od -An -v -tu1 | sed 's/[0-9][0-9]*/&,/g' && echo '};'; } > $@

# --- BPF: compiled, linked by bpftool (which removes the DWARF), turned into a skeleton ---

$(B)/%.bpf.o: %.bpf.c Makefile $(B)/flags | $(LIBBPF_A)
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) -D__TARGET_ARCH_$(ARCH) $(BPF_CFLAGS) -MT $@ -MF $(@:.o=.d) -c -o $@.tmp $< && \
		$(BPFTOOL) gen object $@ $@.tmp && rm -f $@.tmp

# tools/reset-trace.bpf.c becomes struct reset_trace_bpf
$(B)/gen/%.skel.h: $(B)/%.bpf.o scripts/pack-skeleton scripts/slim-object
	@mkdir -p $(@D)
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $(subst -,_,$(subst .,_,$(notdir $*)))_bpf > $@.whole && \
		scripts/pack-skeleton $< < $@.whole > $@ && rm -f $@.whole

# --- libbpf: its headers are copied, so that nothing else reads its tree ---

$(B)/tools-found:
	@mkdir -p $(@D)
	@scripts/deps --check build
	@touch $@

$(B)/libbpf/tree: WHERE = $(LIBBPF_TREE)
$(B)/zydis/tree: WHERE = $(ZYDIS_TREE)
$(B)/libbpf/tree $(B)/zydis/tree: $(B)/%/tree: FORCE | $(B)/tools-found
	@mkdir -p $(@D)
	@echo '$(WHERE)' | cmp -s - $@ || LIBBPF='$(LIBBPF)' ZYDIS='$(ZYDIS)' scripts/source-of $* --fetch > $@

$(LIBBPF_A): $(B)/libbpf/tree Makefile $(wildcard $(LIBBPF_TREE)/src/*.[ch])
	$(call say,LIBBPF,$$(cat $<))to=$(abspath $(B)/libbpf) && from=$$(cat $<) && rm -rf $$to/obj && mkdir -p $$to/obj && \
	$(MAKE) -s -C $$from/src CC='$(CC)' AR=$(CROSS_COMPILE)ar CFLAGS='-O2 -g -fPIC -fvisibility=hidden $(SHIPPED)' BUILD_STATIC_ONLY=1 \
		OBJDIR=$$to/obj DESTDIR=$$to INCLUDEDIR=/include LIBDIR=/ install > $$to/log 2>&1 || { cat $$to/log; exit 1; }; \
	cp -r $$from/include/uapi/. $$to/include/ && rm -f $@ && $(CROSS_COMPILE)ar rcs $@ $$to/obj/staticobjs/*.o

# --- Zydis: the decoder only. Its own headers, and Zycore's if its tree has them ---

$(B)/zydis/libzydis.a: $(B)/zydis/tree Makefile $(B)/flags
	$(call say,ZYDIS,$$(cat $<))to=$(B)/zydis && from=$$(cat $<) && rm -rf $$to/include $$to/*.o && cp -r $$from/include $$to/ && \
	if [ -d $$from/dependencies/zycore/include ]; then cp -r $$from/dependencies/zycore/include/. $$to/include/; fi && \
	for part in Decoder DecoderData SharedData; do \
		$(CC) $(ZYDIS_CPPFLAGS) -I$$from/src -O2 -g $(SHIPPED) -c -o $$to/$$part.o $$from/src/$$part.c || exit 1; \
	done && rm -f $@ && $(CROSS_COMPILE)ar rcs $@ $$to/*.o

# --- tests: one Criterion binary under the sanitizers, and fuzzers of the same objects ---

# A unit test opens every BPF object file by its path. Criterion starts the program for each test: at a fixed address, half
# a million relocations less.
$(B)/unit/unit: $(UNIT_OBJ) $(LIBBPF_A) $(ZYDIS_A) $(B)/sources $(B)/objects
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CLANG) $(SANITIZE) -no-pie $(LDFLAGS) -o $@ $(UNIT_OBJ) $(LIBBPF_A) $(ZYDIS_A) -lcriterion \
		-lelf -llzma -lz -liberty -lpthread -lm

# The coverage guides libFuzzer. It costs the unit tests less than a second compilation of everything would. Criterion's
# macros compare what they are given, often with a constant.
$(B)/checked/%.o: %.c Makefile $(B)/flags | $(SKEL) $(SYSCALLS) $(EMBED) $(ANSWERS) $(LIBBPF_A) $(ZYDIS_A)
	@mkdir -p $(@D)
	$(call say,CHECKED,$<)$(CLANG) $(C_CPPFLAGS) $(C_FLAGS) $(SANITIZE) -fsanitize=fuzzer-no-link -Wno-sign-compare -c -o $@ $<

# --- installation ---

BIN  = $(DESTDIR)$(PREFIX)/bin
MAN8 = $(DESTDIR)$(PREFIX)/share/man/man8
COMP = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
SHARE = $(DESTDIR)$(PREFIX)/share/sonde
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/system
CONF  = $(DESTDIR)$(ETC)/sonde
UNIT_FILES := sonde-export.service sonde-export.socket
CONF_FILES := metrics.conf export.env

man: $(B)/man/made ## the man pages, in build/man

$(B)/man/made: $(B)/sonde $(SCRIPTS)
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call say,MAN,$(@D))$< help --man > $(@D)/sonde.8 && names=$$($< help --names) && \
	for name in $$names; do $< help --man $$name > $(@D)/sonde-$$name.8 || exit 1; done
	@touch $@

install: all man ## to DESTDIR, PREFIX=/usr/local, ETC=/etc: binary, scripts, links, man pages, completion, units
	install -d $(BIN) $(MAN8) $(COMP) $(SHARE) $(UNITS) $(CONF)
	install -m 755 $(B)/sonde $(BIN)/sonde
	install -m 644 $(B)/man/*.8 $(MAN8)
	$(if $(SCRIPTS),install -m 644 $(SCRIPTS) $(SHARE))
	$(B)/sonde help --completion bash > $(COMP)/sonde
	$(Q)names=$$($(B)/sonde help --links) && for name in $$names; do \
		ln -sf sonde $(BIN)/$$name && ln -sf sonde $(COMP)/$$name && ln -sf sonde-$$name.8 $(MAN8)/$$name.8 || exit 1; \
	done
	$(Q)for unit in $(UNIT_FILES); do \
		sed 's#@BIN@#$(PREFIX)/bin#; s#@ETC@#$(ETC)#' packaging/$$unit > $(UNITS)/$$unit && \
		chmod 644 $(UNITS)/$$unit || exit 1; \
	done
	$(Q)for file in $(CONF_FILES); do \
		[ -e $(CONF)/$$file ] || install -m 644 packaging/$$file $(CONF) || exit 1; \
	done

# Removes links that point to sonde, but nothing of the same name that somebody else put there.
uninstall: ## remove what install put there; a configuration that was changed stays
	$(Q)find $(BIN) $(COMP) -maxdepth 1 -type l -lname sonde -delete 2> /dev/null || :
	$(Q)find $(MAN8) -maxdepth 1 -type l -lname 'sonde-*.8' -delete 2> /dev/null || :
	rm -f $(BIN)/sonde $(COMP)/sonde $(MAN8)/sonde.8 $(MAN8)/sonde-*.8 $(addprefix $(SHARE)/,$(notdir $(SCRIPTS)))
	rm -f $(addprefix $(UNITS)/,$(UNIT_FILES))
	$(Q)for file in $(CONF_FILES); do ! cmp -s packaging/$$file $(CONF)/$$file || rm -f $(CONF)/$$file; done
	$(Q)rmdir $(SHARE) $(CONF) 2> /dev/null || :

deb: ## a Debian package, build/deb/sonde_VERSION_ARCH.deb (installs debhelper)
	@scripts/deps build deb
	@$(MAKE) --no-print-directory $(JOBS) $(B)/deb/made
	@ls $(B)/deb/*.deb

$(B)/deb/made: $(B)/sonde $(SCRIPTS) $(B)/man/made $(PACKAGED) scripts/deb
	@rm -rf $(@D) && mkdir -p $(@D)
	$(call say,DEB,$(@D))$(MAKE) -s install DESTDIR=$(abspath $(@D))/staged PREFIX=/usr ETC=/etc > $(@D)/log && \
		scripts/deb $(@D)
	@touch $@

clean: ## remove build/
	rm -rf $(B)

-include $(OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(BPF:%.bpf.c=$(B)/%.bpf.d)

# The programs that the tests trace; their rules are in tests/.
-include tests/rules.mk
include tests/fuzz/rules.mk
