# SPDX-License-Identifier: MIT
# make SANITIZE=address, SANITIZE=undefined, SANITIZE=address,undefined: the kernel with checks in
# its code (kernel/sanitize/README.md).

SANITIZE ?=
comma := ,
SANITIZERS := $(subst $(comma), ,$(SANITIZE))
$(foreach one,$(SANITIZERS),$(if $(filter $(one),address undefined),,\
    $(error SANITIZE=$(SANITIZE): there are address, undefined, and address,undefined)))

# Sources that only an image with that sanitizer has.
SANITIZE_FOLDER := kernel/sanitize
SANITIZE_SRC_undefined := $(SANITIZE_FOLDER)/undefined_kernel.c
SANITIZE_SRC_shared := $(SANITIZE_FOLDER)/report.c
SANITIZE_SRC_address := $(filter-out $(SANITIZE_SRC_undefined) \
    $(SANITIZE_SRC_shared),$(wildcard $(SANITIZE_FOLDER)/*.c))
SANITIZE_SRC := $(if $(SANITIZERS),$(SANITIZE_SRC_shared)) \
    $(foreach one,$(SANITIZERS),$(SANITIZE_SRC_$(one)))
SANITIZE_OMITTED := $(filter-out $(SANITIZE_SRC),$(wildcard $(SANITIZE_FOLDER)/*.c))

# ---- address -------------------------------------------------------------------------------------

# Physical address of the shadow: behind the image and the initial file system, whatever their
# sizes. The compiler adds the offset to an eighth of an address: that of 0xC000000000000000 has its
# shadow there.
SANITIZE_SHADOW_START := 0x08000000
SANITIZE_SHADOW_OFFSET := 0xA800000008000000

SANITIZE_CHECK_address := -fsanitize=kernel-address -fasan-shadow-offset=$(SANITIZE_SHADOW_OFFSET) \
    --param asan-globals=1 --param asan-stack=1 -fsanitize-address-use-after-scope \
    --param asan-instrumentation-with-call-threshold=1000000
# A literal of its own type: assembly takes it, too.
SANITIZE_CPPFLAGS_address := -DSANITIZE_ADDRESS -DSANITIZE_SHADOW_START=$(SANITIZE_SHADOW_START) \
    -DSANITIZE_SHADOW_OFFSET=$(SANITIZE_SHADOW_OFFSET)

# Of runtime/, which programs share: what tells of undefined behaviour, and what is checked around.
SANITIZE_TELLS := runtime/src/undefined.c
SANITIZE_COPIES := runtime/src/memcpy.S runtime/src/memset.c

# Not checked, because they work on memory that is nobody's, or are what checks call. What they call
# of the functions below they call without the check, too.
SANITIZE_EXEMPT := \
    $(wildcard $(SANITIZE_FOLDER)/*.c) \
    kernel/mem/pages.c \
    kernel/mem/slab.c \
    kernel/mem/kmalloc.c \
    $(SANITIZE_TELLS) $(SANITIZE_COPIES)

# Functions that the linker puts a check in front of (kernel/sanitize/copies.c).
SANITIZE_WRAPPED := memcpy memset frame_zero user_copy user_copy_string safe_read_bytes fpu_save \
    fpu_load \
    memmove memcmp memchr strlen strcmp strncmp strncasecmp strchr strrchr strcspn strcpy strncpy \
    strlcpy vsnprintf snprintf
SANITIZE_UNCHECKED := $(filter-out $(SANITIZE_COPIES),$(SANITIZE_EXEMPT))

# ---- undefined -----------------------------------------------------------------------------------

SANITIZE_CHECK_undefined := -fsanitize=undefined
SANITIZE_CPPFLAGS_undefined := -DSANITIZE_UNDEFINED

# ---- what the build uses -------------------------------------------------------------------------

# $(call sanitize_flags,source)
sanitize_flags = $(if $(SANITIZERS),-DSANITIZE) \
    $(foreach one,$(SANITIZERS),$(SANITIZE_CPPFLAGS_$(one))) \
    $(if $(filter address,$(SANITIZERS)),\
        $(if $(filter $(1),$(SANITIZE_EXEMPT)),,$(SANITIZE_CHECK_address)) \
        $(if $(filter $(1),$(SANITIZE_UNCHECKED)), \
            $(foreach name,$(SANITIZE_WRAPPED),-D$(name)=__real_$(name)))) \
    $(if $(filter undefined,$(SANITIZERS)), \
        $(if $(filter $(SANITIZE_FOLDER)/% $(SANITIZE_TELLS),$(1)),,$(SANITIZE_CHECK_undefined)))
# Programs: undefined behaviour alone, and not in code of others, nor where a test does wrong for
# the kernel to end it, nor in the fuzzer's target, which has no library that could report.
SANITIZE_DELIBERATE := $(addprefix tests/guest/user/,test-isolation/attempts.c \
    test-memory/crashes.c test-spawn/child.c) tests/fuzz/guest/target/%
sanitize_user_flags = $(if $(filter undefined,$(SANITIZERS)),$(SANITIZE_CPPFLAGS_undefined) \
    $(if $(filter $(SANITIZE_TELLS) userlib/undefined/% \
    $(SANITIZE_DELIBERATE),$(1)),,$(SANITIZE_CHECK_undefined)))

# For tests: which ones there are.
ifneq ($(SANITIZERS),)
SANITIZE_MARK := $(BUILD)/sanitizers
$(SANITIZE_MARK): FORCE
	$(call remember,$(SANITIZERS))
endif

# For what has to be made anew when any of that changes.
SANITIZE_KEY := $(foreach one,$(SANITIZERS),$(SANITIZE_CHECK_$(one)) $(SANITIZE_CPPFLAGS_$(one))) \
    $(if $(filter address,$(SANITIZERS)),$(SANITIZE_EXEMPT) $(SANITIZE_WRAPPED))
SANITIZE_USER_KEY := $(if $(filter undefined,$(SANITIZERS)),$(SANITIZE_DELIBERATE))
SANITIZE_LDFLAGS := $(if $(filter address,$(SANITIZERS)),$(SANITIZE_WRAPPED:%=-Wl$(comma)--wrap=%))
