# SPDX-License-Identifier: MIT
# Programs and libraries of processes, and the initial file system that holds the programs. Every
# folder with a user.mk (USER_FILES below) has a program, several, or a library; docs/building.md
# describes the variables that it may set.
# A source sees its own folder, userlib's headers, the shared ones, and those of the libraries in
# its DEPS; a program's also those of the libraries that every program is linked with.

USER_FILES := $(sort $(wildcard userlib/user.mk userlib/*/user.mk ipc/user.mk servers/*/user.mk \
    commands/user.mk commands/*/user.mk workloads/*/user.mk \
    tests/guest/user/*/user.mk tests/fuzz/guest/*/user.mk))
USER_FILES := $(filter-out $(if $(filter undefined,$(SANITIZERS)),,%/undefined/user.mk \
    %/test-undefined/user.mk),$(USER_FILES))

USER := $(BUILD)/user
USER_LD := userlib/user.ld
USER_LIBRARIES :=
USER_PROGRAMS :=
USER_OBJS :=
# What lies in the initial file system, and what in that for tests besides.
INITRD_FILES :=
TESTS_FILES :=

# Libraries that every program is linked with, besides those in its DEPS. Unused functions stay out.
USER_ALWAYS = $(filter $(USER_LIBRARIES),pthread posix ipc inspection objects tracing user \
    undefined fallback)

USER_CFLAGS = -std=gnu17 -O2 -g -fno-common -ffixed-r13 -Wa,-mregnames $(USER_ABI) \
    -ffunction-sections \
    -fdata-sections -D_READ_WRITE_RETURN_TYPE=_ssize_t -D__DYNAMIC_REENT__ -D_GNU_SOURCE \
    -DORRERY_USER \
    -nostdinc -isystem $(NEWLIB_USER)/include -isystem $(KCC_INCLUDE)
USER_WARNINGS := $(WARNINGS) -Wconversion -Wno-sign-conversion
USER_LDFLAGS := -mabi=elfv1 -mbig-endian -nostdlib -static -no-pie -Wl,--build-id=sha1 \
    -Wl,--gc-sections \
    -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--no-warn-rwx-segments \
    $(patsubst %,-Wl$(comma)--wrap=_%_r,malloc memalign calloc free realloc malloc_usable_size)

# Generated sources that must exist before any user source is compiled.
.PHONY: user-ready
user-ready: $(TRACE_GEN) $(SYSCALLS_GEN) $(IPC_GEN) $(DCI_GEN) $(NEWLIB_USER_STAMP)

# ---- reading the user.mk files -------------------------------------------------------------------

# $(call user_initrd,folder)
user_initrd = $(if $(filter tests/%,$(1)),TESTS_FILES,INITRD_FILES)

# $(call user_register,folder,units): a unit is a program or a library;
# several programs share all but their source.
define user_register
$(if $(2),,$(error $(1)/user.mk sets none of PROGRAM, PROGRAMS, LIBRARY))
USER_$(if $(LIBRARY),LIBRARIES,PROGRAMS) += $(2)
$(foreach unit,$(2),$(eval $(call user_unit,$(1),$(unit))))
$(call user_initrd,$(1)) += $(foreach file,$(FILES), \
    $(firstword $(subst =, ,$(file)))=$(1)/$(lastword $(subst =, ,$(file))))
endef

define user_unit
u_$(2)_DIR := $(1)
u_$(2)_EVENTS := $(addprefix $(1)/,$(EVENTS))
u_$(2)_SRC := $(addprefix $(1)/,$(if $(PROGRAMS),$(2).c) $(SRC)) $(ROOT_SRC) \
    $(EVENTS:%.def=$(GEN)/events/$(2)/%.c)
u_$(2)_DEPS := $(DEPS)
u_$(2)_LIBS := $(LIBS)
u_$(2)_CFLAGS := $(CFLAGS)
u_$(2)_INC := $(addprefix $(1)/,$(PRIVATE_INC)) $(ROOT_INC) $(if $(EVENTS),$(GEN)/events/$(2))
u_$(2)_PUBLIC := $(wildcard $(1)/include) $(PUBLIC_INC)
u_$(2)_WHOLE := $(WHOLE)
u_$(2)_BARE := $(BARE)
u_$(2)_STACK := $(STACK)
endef

define user_load
PROGRAM :=
PROGRAMS :=
LIBRARY :=
SRC :=
ROOT_SRC :=
EVENTS :=
DEPS :=
CLIENT_OF :=
LIBS :=
CFLAGS :=
PRIVATE_INC :=
ROOT_INC :=
PUBLIC_INC :=
WHOLE :=
STACK :=
BARE :=
FILES :=
include $(1)
$$(eval $$(call user_register,$(patsubst %/,%,$(dir $(1))),$$(strip $$(PROGRAM) $$(PROGRAMS) \
    $$(LIBRARY))))
endef
$(foreach file,$(USER_FILES),$(eval $(call user_load,$(file))))

$(foreach unit,$(USER_LIBRARIES) $(USER_PROGRAMS),$(foreach dep,$(u_$(unit)_DEPS),\
    $(if $(filter $(USER_LIBRARIES),$(dep)),,\
    $(error $(u_$(unit)_DIR)/user.mk: no library $(dep) in DEPS; there are: $(USER_LIBRARIES)))))

# $(call user_closure,units,found): found, units and all libraries that they depend on.
user_closure = $(if $(1),$(call user_closure,$(filter-out $(1) $(2),\
    $(sort $(foreach unit,$(1),$(u_$(unit)_DEPS)))),$(2) $(filter-out $(2),$(1))),$(2))
user_libraries = $(if $(u_$(1)_BARE),,$(call user_closure,$(u_$(1)_DEPS) \
    $(filter-out $(u_$(1)_DEPS),$(USER_ALWAYS))))

# Events of its own: FOLDER/NAME.def gives NAME.h and NAME.c.
define user_events
user-ready: $(GEN)/events/$(1)/$(notdir $(2:.def=.h))
$(GEN)/events/$(1)/$(notdir $(2:.def=.made)): $(2) $(TRACE_TOOL) $(wildcard trace/events/*.def)
	$$(call say,GEN,$(2))
	$$(Q)$$(PYTHON) trace/tools/gen_events.py --defs trace/events --program $(2) \
	    --out $(GEN)/events/$(1)
	@touch $$@
$$(eval $$(call made_by,$(GEN)/events/$(1)/$(notdir $(2:.def=.made)),\
    $(addprefix $(GEN)/events/$(1)/,$(notdir $(2:.def=.c) $(2:.def=.h)))))
endef
$(foreach unit,$(USER_PROGRAMS) $(USER_LIBRARIES),$(foreach def,$(u_$(unit)_EVENTS),\
    $(eval $(call user_events,$(unit),$(def)))))

# ---- compiling -----------------------------------------------------------------------------------

user_visible = $(if $(filter $(1),$(USER_LIBRARIES)),$(call user_closure,$(u_$(1)_DEPS)), \
    $(call user_libraries,$(1)))
user_includes = $(addprefix -I,$(u_$(1)_INC) $(u_$(1)_DIR) $(u_$(1)_PUBLIC) userlib/include \
    include \
    $(foreach dep,$(call user_visible,$(1)),$(u_$(dep)_PUBLIC)) $(GEN)) \
    $(foreach lib,$(u_$(1)_LIBS),$($(lib)_INCLUDES))
user_flags = $(USER_CFLAGS) $(USER_WARNINGS) $(call user_includes,$(1)) $(u_$(1)_CFLAGS)
user_objects = $(foreach source,$(u_$(1)_SRC),$(USER)/obj/$(1)/$(source).o)

# lwIP's configuration is included by lwIP's headers alone, so the compiler does not list it.
define user_object
$(USER)/obj/$(1)/$(2).o: $(2) $(USER)/obj/$(1).flags \
    $(if $(filter lwip,$(u_$(1)_LIBS)),$(LWIP_PORT_FILES)) \
    | user-ready $(u_$(1)_LIBS:%=$(THIRD)/%.stamp)
	$$(call say,CC,$(2) [$(1)])
	@mkdir -p $$(@D)
	$$(Q)$$(KCC) $$(call user_flags,$(1)) $$(call sanitize_user_flags,$(2)) -MMD -MP -c $$< -o $$@
endef

define user_compile
$(USER)/obj/$(1).flags: FORCE
	$$(call remember,$$(KCC) $$(call user_flags,$(1)) $$(call sanitize_user_flags) \
	    $$(SANITIZE_USER_KEY))
$(foreach source,$(u_$(1)_SRC),$(eval $(call user_object,$(1),$(source))))
USER_OBJS += $(call user_objects,$(1))
endef
$(foreach unit,$(USER_LIBRARIES) $(USER_PROGRAMS),$(eval $(call user_compile,$(unit))))

# ---- libraries -----------------------------------------------------------------------------------

define user_library
$(USER)/obj/$(1).list: FORCE
	$$(call remember,$(call user_objects,$(1)))
$(USER)/lib$(1).a: $(call user_objects,$(1)) $(USER)/obj/$(1).list
	$$(call say,AR,$$@)
	@rm -f $$@
	$$(Q)$$(KAR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach library,$(USER_LIBRARIES),$(eval $(call user_library,$(library))))

# lwIP and nanopb for processes.
USER_LWIP_OBJS := $(LWIP_SRC:%=$(USER)/obj/lwip/%.o)
USER_NANOPB_OBJS := $(NANOPB_SRC:%=$(USER)/obj/nanopb/%.o)
USER_THIRD_FLAGS = $(USER_CFLAGS) -w $(lwip_INCLUDES) $(nanopb_INCLUDES) -Iinclude
$(USER)/obj/third_party.flags: FORCE
	$(call remember,$(USER_THIRD_FLAGS))
$(USER_LWIP_OBJS): $(USER)/obj/lwip/%.o: $(USER)/obj/third_party.flags $(LWIP_STAMP) \
    $(LWIP_PORT_FILES) | $(NEWLIB_USER_STAMP)
	$(call say,CC,lwip/$* [user])
	@mkdir -p $(@D)
	$(Q)$(KCC) $(USER_THIRD_FLAGS) -MMD -MP -c $(LWIP_DIR)/$*.c -o $@
$(USER_NANOPB_OBJS): $(USER)/obj/nanopb/%.o: $(USER)/obj/third_party.flags $(NANOPB_STAMP) | \
    $(NEWLIB_USER_STAMP)
	$(call say,CC,nanopb/$* [user])
	@mkdir -p $(@D)
	$(Q)$(KCC) $(USER_THIRD_FLAGS) -MMD -MP -c $(NANOPB_DIR)/$*.c -o $@
# newlib's patterns, for all programs.
USER_PATTERNS := $(USER)/third/libpatterns.a
USER_PATTERNS_OBJS := $(PATTERNS_SRC:%=$(USER)/obj/patterns/%.o)
USER_PATTERNS_FLAGS = $(USER_CFLAGS) -w -Iuserlib/posix/include $(PATTERNS_FLAGS)
$(USER)/obj/patterns.flags: FORCE
	$(call remember,$(USER_PATTERNS_FLAGS))
$(USER_PATTERNS_OBJS): $(USER)/obj/patterns/%.o: $(USER)/obj/patterns.flags $(NEWLIB_USER_STAMP)
	$(call say,CC,newlib/$* [user])
	@mkdir -p $(@D)
	$(Q)$(KCC) $(USER_PATTERNS_FLAGS) -MMD -MP -c $(PATTERNS_DIR)/$*.c -o $@
$(USER)/third/liblwip.a: $(USER_LWIP_OBJS)
$(USER)/third/libnanopb.a: $(USER_NANOPB_OBJS)
$(USER_PATTERNS): $(USER_PATTERNS_OBJS)
$(USER)/third/liblwip.a $(USER)/third/libnanopb.a $(USER_PATTERNS):
	$(call say,AR,$@)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)$(KAR) rcs $@ $^

# ---- programs, in two passes as the kernel (kernel.mk) -------------------------------------------

# The tables lie in a segment of their own behind everything else, so that pass 2 moves nothing.
user_archives = $(foreach library,$(call user_libraries,$(1)),$(USER)/lib$(library).a)
# Behind the C library: what it needs and no other library has.
USER_LAST := $(USER)/libfallback.a
user_whole = $(foreach library,$(call user_libraries,$(1)), \
    $(if $(u_$(library)_WHOLE),$(USER)/lib$(library).a))
user_third = $(sort $(foreach unit,$(1) $(call user_libraries,$(1)), \
    $(u_$(unit)_LIBS:%=$(USER)/third/lib%.a)))
user_link = $(KCC) $(USER_LDFLAGS) $(u_$(1)_STACK:%=-Wl,--defsym=stack_bytes=%) -T $(USER_LD) \
    $(call user_objects,$(1)) \
    -Wl,--whole-archive $(call user_whole,$(1)) -Wl,--no-whole-archive -Wl,--start-group \
    $(filter-out $(call user_whole,$(1)) $(USER_LAST),$(call user_archives,$(1))) \
    $(call user_third,$(1)) $(USER_PATTERNS) \
    $(NEWLIB_USER)/lib/libc.a $(NEWLIB_USER)/lib/libm.a $(KERNEL_LIBGCC) $(USER_LAST) \
    -Wl,--end-group

define user_program
$(USER)/obj/$(1).link: FORCE
	$$(call remember,$$(call user_link,$(1)))
$(USER)/pass1/$(1).elf: $(call user_objects,$(1)) $(call user_archives,$(1)) \
    $(call user_third,$(1)) $(USER_PATTERNS) \
    $(USER_LD) $(USER)/obj/$(1).link $(BUILD)/obj/tables/empty.o
	@mkdir -p $$(@D)
	$$(Q)$$(call user_link,$(1)) $(BUILD)/obj/tables/empty.o -o $$@
$(USER)/tables/$(1).S: $(USER)/pass1/$(1).elf $(TABLES)
	@mkdir -p $$(@D)
	$$(Q)$$(PYTHON) $$(TABLES) --elf $$< --out $$@
$(USER)/bin/$(1).elf: $(USER)/pass1/$(1).elf $(USER)/tables/$(1).o
	$$(call say,LD,bin/$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(call user_link,$(1)) $(USER)/tables/$(1).o -Wl,-Map,$(USER)/bin/$(1).map -o $$@
$(USER)/bin/$(1): $(USER)/bin/$(1).elf
	$$(Q)$(CROSS)objcopy -S $$< $$@
endef
$(foreach program,$(USER_PROGRAMS),$(eval $(call user_program,$(program))))

# Programs of tests/fuzz go into an initial file system of their own (fuzz.mk).
FUZZ_PROGRAMS := $(foreach program,$(USER_PROGRAMS), \
    $(if $(filter tests/fuzz/%,$(u_$(program)_DIR)),$(program)))
# USER_ONLY="NAME …": an initial file system with just these programs.
USER_ONLY ?= $(filter-out $(FUZZ_PROGRAMS),$(USER_PROGRAMS))
$(foreach program,$(USER_ONLY),$(eval $(call user_initrd,$(u_$(program)_DIR)) += \
    bin/$(program)=$(USER)/bin/$(program)))

$(USER)/tables/%.o: $(USER)/tables/%.S
	$(Q)$(KCC) $(USER_ABI) -c $< -o $@

# ---- the initial file systems --------------------------------------------------------------------

INITRD := $(BUILD)/initrd.cpio
BENCH_INITRD := $(BUILD)/initrd-bench.cpio
MKINITRD := scripts/mkinitrd.py

# $(call initrd,archive,files): each file as name=path
define initrd
$(BUILD)/obj/$(notdir $(1)).list: FORCE
	$$(call remember,$(2))
$(1): $(foreach file,$(2),$(lastword $(subst =, ,$(file)))) $(BUILD)/obj/$(notdir $(1)).list \
    $(MKINITRD)
	$$(call say,CPIO,$$@)
	$$(Q)$(PYTHON) $(MKINITRD) --out $$@ $(2)
endef
$(eval $(call initrd,$(INITRD),$(INITRD_FILES)))
$(eval $(call initrd,$(BENCH_INITRD),$(INITRD_FILES) $(TESTS_FILES)))

.PHONY: user initrd
user: $(USER_PROGRAMS:%=$(USER)/bin/%)
initrd: $(INITRD) $(BENCH_INITRD)

.SECONDARY: $(USER_PROGRAMS:%=$(USER)/tables/%.S) $(USER_PROGRAMS:%=$(USER)/pass1/%.elf)
-include $(USER_OBJS:.o=.d) $(USER_LWIP_OBJS:.o=.d) $(USER_NANOPB_OBJS:.o=.d) \
    $(USER_PATTERNS_OBJS:.o=.d)
