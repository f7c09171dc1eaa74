# SPDX-License-Identifier: BSD-2-Clause
# The only entry. `make` builds build/sonde; `make help` lists the rest.
#
# Variables a user may set: CC CLANG BPFTOOL LIBBPF DEBIAN_MIRROR DESTDIR PREFIX V=1

B       := build
CC      ?= gcc
CLANG   ?= clang
BPFTOOL ?= $(shell scripts/find-bpftool)
PREFIX  ?= /usr/local
ARCH    := $(shell uname -m | sed 's/aarch64/arm64/; s/x86_64/x86/')
VERSION := $(shell git describe --always --dirty --tags 2>/dev/null || echo unknown)

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' $(1) $(2);)

# libbpf: a checkout of its repository named by the user, the submodule, or the
# distribution's source package (scripts/libbpf-source says which and fetches).
LIBBPF ?= $(shell scripts/libbpf-source --where)
LIBBPF_A := $(B)/libbpf/libbpf.a

CPPFLAGS = -D_GNU_SOURCE -Isrc -I. -I$(B)/gen -I$(B)/libbpf/include -I$(LIBBPF)/include/uapi
CFLAGS  ?= -O2 -g
CFLAGS  += -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -Wno-missing-field-initializers -Wstrict-prototypes \
	   -fno-strict-aliasing -ffunction-sections -fdata-sections
LDFLAGS += -static -Wl,--gc-sections
LDLIBS  := $(shell pkg-config --static --libs libelf 2>/dev/null || echo -lelf -lz) -llzma -lz -lpthread

BPF_CFLAGS = -target bpf -D__TARGET_ARCH_$(ARCH) -O2 -g -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter \
	     -I. -I$(B)/libbpf/include -I$(LIBBPF)/include/uapi

# Everything found by its place: a new tool or module is a new file and no change here.
SRC   := $(wildcard src/*/*.c) $(wildcard tools/*.c)
MAIN  := src/main.c
BPF   := $(wildcard bpf/*.bpf.c) $(wildcard tools/*.bpf.c)
SRC   := $(filter-out %.bpf.c,$(SRC))
OBJ   := $(SRC:%.c=$(B)/%.o) $(MAIN:%.c=$(B)/%.o)
SKEL  := $(patsubst %.bpf.c,$(B)/gen/%.skel.h,$(BPF))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all clean

all: $(B)/sonde

$(B)/sonde: $(B)/sonde.debug
	$(call say,STRIP,$@)strip -o $@ $<

$(B)/sonde.debug: $(OBJ) $(LIBBPF_A)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(OBJ) $(LIBBPF_A) $(LDLIBS)

$(B)/src/main.o: CPPFLAGS += -DSONDE_VERSION='"$(VERSION)"'

$(B)/%.o: %.c $(SKEL) $(LIBBPF_A) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/%.bpf.o: %.bpf.c $(LIBBPF_A) Makefile
	@mkdir -p $(@D)
	$(call say,BPF,$<)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@.tmp $<
	$(Q)sed -i 's|$@.tmp|$@|' $(@:.o=.o.d) 2>/dev/null; $(BPFTOOL) gen object $@ $@.tmp && rm -f $@.tmp

$(B)/gen/%.skel.h: $(B)/%.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $(subst .,_,$(notdir $(*F)))_bpf > $@

$(LIBBPF_A): $(wildcard $(LIBBPF)/src/*.[ch])
	$(Q)LIBBPF='$(LIBBPF)' scripts/libbpf-source --fetch
	$(call say,LIBBPF,$(LIBBPF))mkdir -p $(abspath $(B))/libbpf/obj && $(MAKE) -s -C $(LIBBPF)/src CC='$(CC)' \
		CFLAGS='-O2 -g -ffunction-sections -fdata-sections' BUILD_STATIC_ONLY=1 OBJDIR=$(abspath $(B))/libbpf/obj \
		INCLUDEDIR=/include LIBDIR=/ UAPIDIR=/include DESTDIR=$(abspath $(B))/libbpf install > $(B)/libbpf/log 2>&1 || { cat $(B)/libbpf/log; exit 1; }
	@touch $@

clean:
	rm -rf $(B)

-include $(OBJ:.o=.d) $(patsubst %.bpf.c,$(B)/%.bpf.o.d,$(BPF))
