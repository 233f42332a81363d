# SPDX-License-Identifier: GPL-2.0-only
# vmmprof: `make help` lists what can be made.  Everything built lies in build/.

BUILD ?= build
prefix ?= /usr/local
CC ?= gcc
CLANG ?= clang
OPT ?= -O2 -g
WARN := -Wall -Wextra -Werror
KDIR ?= /lib/modules/$(shell uname -r)/build

CFLAGS_ALL = -std=gnu11 -D_GNU_SOURCE $(OPT) $(WARN) -Iinclude -Ianalyzer -I. \
	     -MMD -MP $(CFLAGS)
LIBS := -lelf -ldw -llzma -lz -ljansson -lseccomp -lcapstone -lresolv -lncursesw -ltinfo -lstdc++ -lm

# Sanitizers of the unit tests and cases.
SAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined \
       -fno-omit-frame-pointer

SRC := $(filter-out analyzer/main.c,$(wildcard analyzer/*/*.c analyzer/*/*/*.c))
TESTS := $(basename $(notdir $(wildcard tests/unit/test_*.c)))

.PHONY: all help analyzer guest-mapper kmod check check-all quick test-programs unit cases \
	torture soak bench bench-agent bench-fleet fuzz demo docs-pictures style format clean
.DEFAULT_GOAL := all

all: analyzer guest-mapper

help:
	@sed -n 's/^## //p' Makefile

## make                build/vmmprof and build/vmmprof-guest
## make kmod           vmmprof.ko for the running kernel (KDIR=... for another)
## make demo           install packages, build all, profile three guests on the
##                     emulated KVM host and print the report (HOST_CPU=amd:
##                     a host with an AMD CPU)
## make docs-pictures  the pictures of docs/, from the session of make demo
## make check          install packages, run the tests
## make check-all      ... and those that `make check` has no time for
## make quick          style, unit tests and cases: two minutes on two CPUs
## make unit           unit tests only, under ASan and UBSan
## make cases          command-line cases only
## make torture        the module's tests on kernels that look at memory, locks,
##                     races and calls, built once in forty minutes, then recordings
##                     while everything happens at once (MINUTES=60)
## make soak           the agent for so long, while VMs come and go (MINUTES=60)
## make bench          CPU time and memory over 1 and 10 million samples, and perf's;
##                     of a refresh of top
## make bench-agent    what vmmprof agent takes of a host of 32 CPUs and 20 VMs
## make bench-fleet    the metrics of 1,000 hosts in VictoriaMetrics and Prometheus:
##                     right answers, what the stores take
## make fuzz           fuzz each parser (SECONDS=60)
## make style          checkpatch, clang-format, file rules
## make install        prefix=/usr/local DESTDIR=; `make uninstall` undoes it
## make install-dkms   the module's source for dkms(8)
## make install-modules-load  the module is loaded when the host starts
## make deb            Debian packages in build/deb/ (MAINTAINER="Name <address>")
## make rpm            RPM packages in build/rpm/
## make clean          remove build/

analyzer: $(BUILD)/vmmprof

kmod:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

-include guest-mapper/Makefile.inc
-include tests/fuzz/Makefile.inc

$(BUILD)/vmmprof: $(BUILD)/o/analyzer/main.o $(BUILD)/libvmmprof.a
	$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/libvmmprof.a: $(SRC:%.c=$(BUILD)/o/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/o/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -c -o $@ $<

# What the assembler reads into it.
HTML := $(wildcard analyzer/view/html/*)
$(BUILD)/o/analyzer/view/html_files.o $(BUILD)/asan/analyzer/view/html_files.o: $(HTML)

# The same code for the tests, under the sanitizers.
$(BUILD)/asan/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -O1 -g1 $(SAN) -c -o $@ $<

$(BUILD)/asan/libvmmprof.a: $(SRC:%.c=$(BUILD)/asan/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/asan/vmmprof: $(BUILD)/asan/analyzer/main.o $(BUILD)/asan/libvmmprof.a
	$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/unit/%: $(BUILD)/asan/tests/unit/%.o $(BUILD)/asan/tests/unit/main.o \
		 $(BUILD)/asan/libvmmprof.a
	@mkdir -p $(@D)
	$(CC) $(SAN) $(LDFLAGS) -o $@ $^ $(LIBS)

# Code of the module, on a kernel that is made up.
$(BUILD)/asan/tests/unit/test_guest_walk.o: CFLAGS_ALL += -Itests/unit/kernel

# As users have it, but its readers keep their rights, as under the sanitizers:
# for valgrind, which needs more than readers may do.
UNCONFINED := cmd/confined sandbox/limits sym/demangle

$(BUILD)/unconfined/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -D__SANITIZE_ADDRESS__ -c -o $@ $<

$(BUILD)/unconfined/vmmprof: $(BUILD)/o/analyzer/main.o \
			     $(UNCONFINED:%=$(BUILD)/unconfined/analyzer/%.o) \
			     $(BUILD)/libvmmprof.a
	$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(LIBS)

# Without sanitizers, for emulated kernels.
$(BUILD)/plain/%: $(BUILD)/o/tests/unit/%.o $(BUILD)/o/tests/unit/main.o \
		  $(BUILD)/libvmmprof.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

.SECONDARY:

# What unit and cases run.
test-programs: $(TESTS:%=$(BUILD)/unit/%) $(BUILD)/asan/vmmprof \
	       $(BUILD)/vmmprof $(BUILD)/vmmprof-guest $(BUILD)/gen/bigsession \
	       $(BUILD)/gen/packsession $(BUILD)/gen/spooler $(BUILD)/gen/agentfeed $(BUILD)/unconfined/vmmprof

unit: $(TESTS:%=$(BUILD)/unit/%) $(BUILD)/gen/bigsession
	@tests/unit/run $(TESTS:%=$(BUILD)/unit/%)

# Sessions and perf.data of many samples; sessions packed.
$(BUILD)/gen/%: tests/gen/%.c tests/gen/draw.h $(BUILD)/libvmmprof.a
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE $(OPT) $(WARN) -Iinclude -Ianalyzer -o $@ $< $(BUILD)/libvmmprof.a $(LIBS)

# Reads a guest out of its memory, for tests/introspect/run.
$(BUILD)/introspect-test/look: $(BUILD)/o/tests/introspect/look.o \
			       $(BUILD)/libvmmprof.a
	@mkdir -p $(@D)
	$(CC) $(OPT) $(LDFLAGS) -o $@ $^ $(LIBS)

# What to run before a commit.  The cases run the program as users have it: the
# unit tests are under the sanitizers already.
quick: all test-programs
	@scripts/style > $(BUILD)/style.log 2>&1 & style=$$!; \
	tests/unit/run $(TESTS:%=$(BUILD)/unit/%) && \
	QUICK=1 JOBS=$$(($$(nproc) + 1)) PROGRAMS=$(abspath $(BUILD))/vmmprof \
		tests/cases/run; \
	tests=$$?; wait $$style; style=$$?; cat $(BUILD)/style.log; \
	[ $$tests -eq 0 ] && [ $$style -eq 0 ]

cases: $(BUILD)/asan/vmmprof $(BUILD)/vmmprof $(BUILD)/vmmprof-guest \
       $(BUILD)/gen/bigsession $(BUILD)/gen/packsession $(BUILD)/gen/spooler $(BUILD)/gen/agentfeed $(BUILD)/unconfined/vmmprof
	@tests/cases/run

bench: $(BUILD)/vmmprof $(BUILD)/gen/bigsession $(BUILD)/gen/perfdata $(BUILD)/gen/topfeed
	@tests/bench/run
	@echo
	@tests/bench/top

bench-agent: $(BUILD)/gen/bigsession $(BUILD)/gen/agentfeed
	@tests/bench/agent

bench-fleet: $(BUILD)/vmmprof $(BUILD)/gen/bigsession $(BUILD)/gen/agentfeed
	@tests/fleet/run

style:
	@scripts/style

format:
	clang-format-14 -i $$(scripts/style --files)

check:
	@scripts/setup check
	@scripts/check

# With the scenarios of the emulated host that say much the same of another
# kernel or another number of CPUs.
check-all:
	@scripts/setup check
	@LONGER=1 scripts/check

MINUTES ?= 60
torture:
	@scripts/setup torture
	@$(MAKE) --no-print-directory -s all
	@tests/kmod/debug-kernels $(MINUTES)

soak: analyzer
	@tests/record/soak --minutes $(MINUTES)

demo:
	@scripts/setup demo
	@echo "demo: building vmmprof"
	@$(MAKE) --no-print-directory -s -j2 all
	@scripts/demo

docs-pictures: $(BUILD)/vmmprof
	@scripts/docs_pictures

-include scripts/install/Makefile.inc

clean:
	rm -rf $(BUILD)

-include $(wildcard $(BUILD)/o/analyzer/*.d $(BUILD)/o/analyzer/*/*.d $(BUILD)/o/analyzer/*/*/*.d)
-include $(wildcard $(BUILD)/o/tests/*/*.d)
-include $(wildcard $(BUILD)/unconfined/analyzer/*/*.d)
-include $(wildcard $(BUILD)/asan/analyzer/*.d $(BUILD)/asan/analyzer/*/*.d $(BUILD)/asan/analyzer/*/*/*.d)
-include $(wildcard $(BUILD)/asan/tests/unit/*.d)
