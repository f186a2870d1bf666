# SPDX-License-Identifier: MIT
# Tools and flags. docs/building.md says why each unusual flag is there.

CROSS   ?= powerpc64-linux-gnu-
COMPILE := scripts/make/compile
KCC     := $(COMPILE) $(CROSS)gcc
KAR     := $(CROSS)ar
PYTHON  := /usr/bin/python3
ifeq ($(origin CC),default)
CC      := gcc
endif
override CC := $(COMPILE) $(filter-out $(COMPILE),$(CC))

# With 1 a warning is an error, also in what an earlier make has compiled with a warning.
WERROR ?= 0
export WERROR
ifeq ($(WERROR),1)
WARNED := $(shell find $(BUILD) -name '*.warned' 2> /dev/null)
$(if $(WARNED),$(shell rm -f $(WARNED) $(WARNED:.warned=)))
endif

# Code generation for this machine, shared by the kernel and its newlib.
KERNEL_ABI := -mabi=elfv1 -mbig-endian -mcpu=power8 -mno-altivec -mno-vsx -msoft-float \
    -mcmodel=medium -mlong-double-64 -ffreestanding -fno-pic -fno-pie -fno-stack-protector \
    -fno-optimize-sibling-calls -fno-shrink-wrap -fno-strict-aliasing

# Processes may use the FPU.
USER_ABI := $(filter-out -msoft-float,$(KERNEL_ABI))

WARNINGS := -Wall -Wextra -Werror -Wmissing-prototypes -Wstrict-prototypes

# The compiler may not be installed when this is read (set-up comes first),
# so it is asked on first use, once.
KCC_INCLUDE = $(eval KCC_INCLUDE := $$(shell $(KCC) -print-file-name=include))$(KCC_INCLUDE)
KERNEL_LIBGCC = $(shell $(KCC) -print-libgcc-file-name)

NEWLIB := $(THIRD)/newlib/powerpc64-unknown-none
NEWLIB_USER := $(THIRD)/newlib-user/powerpc64-unknown-none

KERNEL_BASE_CFLAGS = -std=gnu17 -O2 -g -fno-common -ffixed-r13 -Wa,-mregnames $(KERNEL_ABI) \
    -nostdinc -isystem $(NEWLIB)/include -isystem $(KCC_INCLUDE)
KERNEL_WARNINGS := $(WARNINGS) -Wconversion
KERNEL_LDFLAGS := -mabi=elfv1 -mbig-endian -nostdlib -static -no-pie -Wl,--build-id=sha1 \
    -Wl,-z,max-page-size=65536 -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments

HOST_CFLAGS := -std=gnu17 -g -O1 $(WARNINGS)

# One line a step; V=1 shows the commands.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n' $(1) '$(2)'
endif

# $(call remember,text): recipe that rewrites its target only when the text differs, so that what
# depends on the target is remade when, and only when, its flags or its list of files have changed.
remember = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ \
    || printf '%s\n' '$(subst ','\'',$(1))' > $@
