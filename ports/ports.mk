# SPDX-License-Identifier: MIT
# Programs of others, from Debian's source packages; README.md describes the variables of a recipe.
# Nothing is fetched or built unless it is asked for: make ports, make run PORTS=1, make test-ports.

PORT_RECIPES := $(sort $(wildcard ports/*/port.mk))
PORT_PACKAGES :=
PORT_PROGRAMS :=
PORT_OBJS :=
# What lies in their initial file system besides all that the tests have.
PORT_FILES :=

PORT_DIR = $(THIRD)/$(PACKAGE)
port_name = $(firstword $(subst =, ,$(1)))
port_path = $(lastword $(subst =, ,$(1)))

# $(call port_load,recipe)
define port_load
PACKAGE :=
PREPARE :=
PROGRAMS :=
SRC :=
OWN :=
INC :=
CFLAGS :=
STACK :=
FILES :=
include $(1)
$$(eval $$(call port_register,$$(PACKAGE)))
endef

# What the programs of a package share is a library of third-party code to user.mk.
define port_register
PORT_PACKAGES += $(1)
PORT_FILES += $(FILES)
p_$(1)_PREPARE := $(PREPARE)
p_$(1)_SRC := $(SRC)
p_$(1)_OWN := $(OWN)
p_$(1)_FETCHED := $(filter $(THIRD)/%,$(foreach file,$(FILES),$(call port_path,$(file))))
p_$(1)_FLAGS := $(addprefix -I$(PORT_DIR)/,$(INC)) $(CFLAGS)
$(foreach one,$(PROGRAMS),$(eval $(call port_program,$(1),$(call port_name,$(one)),\
    $(call port_path,$(one)))))
endef

define port_program
PORT_PROGRAMS += $(2)
PORT_FILES += bin/$(2)=$(USER)/bin/$(2)
u_$(2)_SRC := $(PORT_DIR)/$(strip $(3))
u_$(2)_LIBS := $(1)
u_$(2)_STACK := $(STACK)
endef
$(foreach recipe,$(PORT_RECIPES),$(eval $(call port_load,$(recipe))))

# ---- fetching ------------------------------------------------------------------------------------

define port_fetch
$(THIRD)/$(1).key: FORCE
	$$(call remember,$$(call RECIPE_HASH,third_party/fetch-source) $(p_$(1)_PREPARE))
$(if $(p_$(1)_FETCHED),$(p_$(1)_FETCHED): $(THIRD)/$(1).stamp ;)
$(THIRD)/$(1).stamp: $(THIRD)/$(1).key
	$$(Q)third_party/fetch-source $(1) '$(abspath $(THIRD))/$(1)'
	$$(Q)$(if $(p_$(1)_PREPARE),cd $(THIRD)/$(1) && { $(p_$(1)_PREPARE); } >> ../$(1).log 2>&1)
	@touch $$@
endef
$(foreach package,$(PORT_PACKAGES),$(eval $(call port_fetch,$(package))))

# ---- compiling: as our own programs, but that warnings are for those who wrote them --------------

PORT_CFLAGS = $(USER_CFLAGS) -w $(call user_includes,)
port_objects = $(p_$(1)_SRC:%=$(USER)/obj/port-$(1)/%.o) \
    $(p_$(1)_OWN:%=$(USER)/obj/port-$(1)/own/%.o)

# $(call port_object,package,source,object)
define port_object
PORT_OBJS += $(3)
$(3): $(THIRD)/$(1).stamp $(USER)/obj/port-$(1).flags | user-ready
	$$(call say,CC,$(notdir $(2)) [$(1)])
	@mkdir -p $$(@D)
	$$(Q)$$(KCC) $$(PORT_CFLAGS) $(p_$(1)_FLAGS) -MMD -MP -c $(2) -o $$@
endef

define port_compile
$(USER)/obj/port-$(1).flags: FORCE
	$$(call remember,$$(KCC) $$(PORT_CFLAGS) $(p_$(1)_FLAGS) $(p_$(1)_SRC) $(p_$(1)_OWN))
$(foreach source,$(p_$(1)_SRC),$(eval $(call port_object,$(1),$(THIRD)/$(1)/$(source),$(strip \
    $(USER)/obj/port-$(1)/$(source).o))))
$(foreach source,$(p_$(1)_OWN),$(eval $(call port_object,$(1),$(source),$(strip \
    $(USER)/obj/port-$(1)/own/$(source).o))))
$(USER)/third/lib$(1).a: $(call port_objects,$(1)) $(USER)/obj/port-$(1).flags
	$$(call say,AR,$$@)
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(Q)$$(KAR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach package,$(PORT_PACKAGES),$(eval $(call port_compile,$(package))))
$(foreach program,$(PORT_PROGRAMS),$(eval $(call port_object,$(u_$(program)_LIBS),$(strip \
    $(u_$(program)_SRC)),$(call user_objects,$(program)))))
$(foreach program,$(PORT_PROGRAMS),$(eval $(call user_program,$(program))))

# ---- the same sources for the host, as a witness of what they should say -------------------------

PORT_HOST := $(BUILD)/host/ports
define port_host
$(PORT_HOST)/$(1): $(THIRD)/$(2).stamp $(USER)/obj/port-$(2).flags $(p_$(2)_OWN)
	$$(call say,HOSTCC,$(1))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -O1 -w $(p_$(2)_FLAGS) $(u_$(1)_SRC) $(p_$(2)_SRC:%=$(THIRD)/$(2)/%) \
	    $(p_$(2)_OWN) -lm -o $$@
endef
$(foreach program,$(PORT_PROGRAMS),$(eval $(call port_host,$(program),$(u_$(program)_LIBS))))

# ---- what people call ----------------------------------------------------------------------------

PORTS_INITRD := $(BUILD)/initrd-ports.cpio
$(eval $(call initrd,$(PORTS_INITRD),$(INITRD_FILES) $(TESTS_FILES) $(PORT_FILES)))

ports-now: $(PORTS_INITRD)

test-ports-now: $(BENCH_ELF) $(PORTS_INITRD) $(PORT_PROGRAMS:%=$(PORT_HOST)/%)
	@ORRERY_BUILD=$(abspath $(BUILD)) ORRERY_THIRD=$(abspath $(THIRD)) \
	    PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -m pytest -p no:cacheprovider -v ports/tests

.SECONDARY: $(PORT_PROGRAMS:%=$(USER)/tables/%.S) $(PORT_PROGRAMS:%=$(USER)/pass1/%.elf)
-include $(PORT_OBJS:.o=.d)
