# SPDX-License-Identifier: MIT
# Host unit tests. Fragments tests/unit/<module>/unit.mk name the test binaries;
# tests/unit/README.md has the format.

UNIT :=
include $(sort $(wildcard tests/unit/*/unit.mk))

UNIT_BINS := $(UNIT:%=$(BUILD)/unit/%)
UNIT_SHORT := $(foreach test,$(UNIT),$(if $($(test)_LONG),,$(BUILD)/unit/$(test)))
UNIT_SANITIZERS := address,undefined

# Libraries that a test may name in <test>_LIBS besides cmocka: our nanopb runtime and messages,
# or any -l library.
HOST_NANOPB_SRC = $(addprefix $(NANOPB_DIR)/,$(NANOPB_SRC:%=%.c)) $(GEN)/dci/dci.pb.c
unit_sources = $($(1)_SRC) $(if $(filter nanopb,$($(1)_LIBS)),$(HOST_NANOPB_SRC))
# Not optimised: most of the time goes to compiling.
unit_flags = $(HOST_CFLAGS) -O0 -fsanitize=$(or $($(1)_SANITIZERS),$(UNIT_SANITIZERS)) \
    -fno-sanitize-recover=all -fno-omit-frame-pointer -Iinclude $(addprefix -I,$($(1)_INC)) \
    -I$(GEN) \
    $(if $(filter nanopb,$($(1)_LIBS)),-I$(GEN)/dci $(nanopb_INCLUDES)) $($(1)_CFLAGS)

# Tests with the same flags share their objects, in the folder of the first of them.
# $(call unit_group_of,test)
UNIT_GROUPS :=
unit_same = $(if $(subst |$(strip $(1))|,,|$(strip $(2))|),,same)
unit_group_of = $(firstword $(foreach group,$(UNIT_GROUPS),\
    $(if $(call unit_same,$(call unit_flags,$(group)),$(call unit_flags,$(1))),$(group))) $(1))
unit_object = $(BUILD)/unit/$(1).obj/$(subst /,-,$(2:.c=)).o

# $(call unit_object_rule,group,source,object)
UNIT_OBJS :=
define unit_object_rule
UNIT_OBJS += $(3)
$(3): $(2) $(BUILD)/unit/$(1).flags
	$$(call say,HOSTCC,$(2) [$(1)])
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(call unit_flags,$(1)) $(if $(filter $(THIRD)/% $(GEN)/%,$(2)),-w) -MMD -MP \
	    -c $$< -o $$@
-include $(3:.o=.d)
endef

define unit_group_rules
UNIT_GROUPS += $(1)
$(BUILD)/unit/$(1).flags: FORCE | unit-ready
	$$(call remember,$$(CC) $$(call unit_flags,$(1)))
endef

# $(call unit_rules,test,group)
define unit_rules
$(if $(filter $(2),$(UNIT_GROUPS)),,$(eval $(call unit_group_rules,$(2))))
$(foreach source,$(call unit_sources,$(1)),\
$(if $(filter $(call unit_object,$(2),$(source)),$(UNIT_OBJS)),,\
    $(eval $(call unit_object_rule,$(2),$(source),$(call unit_object,$(2),$(source))))))
$(BUILD)/unit/$(1).sources: FORCE | unit-ready
	$$(call remember,$$(call unit_sources,$(1)) $$($(1)_LIBS))
$(BUILD)/unit/$(1): $(foreach source,$(call unit_sources,$(1)),$(call unit_object,$(2),$(source))) \
    $(BUILD)/unit/$(1).sources
	$$(call say,HOSTLD,$$@)
	$$(Q)$$(CC) -fsanitize=$(or $($(1)_SANITIZERS),$(UNIT_SANITIZERS)) $$(filter %.o,$$^) -lcmocka \
	    -lpthread \
	    $(addprefix -l,$(filter-out nanopb,$($(1)_LIBS))) -o $$@
endef
$(foreach test,$(UNIT),$(eval $(call unit_rules,$(test),$(call unit_group_of,$(test)))))

# The generated headers and nanopb's sources, before the first test is compiled.
.PHONY: unit-ready
unit-ready: $(TRACE_GEN) $(DCI_GEN) $(NANOPB_STAMP)
$(addprefix $(NANOPB_DIR)/,$(NANOPB_SRC:%=%.c)): $(NANOPB_STAMP) ;

.PHONY: unit
unit: $(UNIT_BINS)
