# SPDX-License-Identifier: MIT
# Modules: every folder with a module.mk. A module's sources see its own folder, its own include/,
# the include/ of the modules that it names in DEPS, and generated headers: including anything else
# fails. The variables that a module.mk may set are described in docs/building.md.

MODULE_FILES := $(wildcard include/module.mk */module.mk tests/guest/module.mk)
MODULE_FILES := $(sort $(MODULE_FILES))
MODULES :=

# $(call register,folder): takes over what the module.mk just read has set.
define register
$(if $(MODULE),,$(error $(1)/module.mk sets no MODULE))
MODULES += $(MODULE)
$(MODULE)_DIR := $(1)
$(MODULE)_SRC := $(addprefix $(1)/,$(KERNEL_SRC))
$(MODULE)_DEPS := $(DEPS)
$(MODULE)_CFLAGS := $(KERNEL_CFLAGS)
$(MODULE)_PRIVATE := $(addprefix $(1)/,$(PRIVATE_INC))
$(MODULE)_IMAGE := $(or $(IMAGE),kernel)
endef

define load
MODULE :=
KERNEL_SRC :=
DEPS :=
KERNEL_CFLAGS :=
PRIVATE_INC :=
IMAGE :=
include $(1)
$$(eval $$(call register,$(patsubst %/,%,$(dir $(1)))))
endef
$(foreach file,$(MODULE_FILES),$(eval $(call load,$(file))))

$(foreach module,$(MODULES),$(foreach dep,$(filter-out $(MODULES),$($(module)_DEPS)),\
    $(error $($(module)_DIR)/module.mk: no module $(dep) in DEPS; there are: $(MODULES))))

# $(call dep_include,module): its public headers. The module `orrery` is the folder include/ itself.
dep_include = $(if $(filter orrery,$(1)),include,$($(1)_DIR)/include)

# $(call includes,module): every -I of a module.
includes = $(addprefix -I,$(sort include $(call dep_include,$(1)) $($(1)_PRIVATE) \
    $(foreach dep,$($(1)_DEPS),$(call dep_include,$(dep)))) $($(1)_DIR) $(BUILD)/gen)

# The objects of the kernel, and those that the image for tests has besides.
kernel_OBJS :=
tests_OBJS :=

# $(call object,module,source,object)
define object
$(3): $(2) $(BUILD)/obj/$(subst /,-,$(1)).flags | kernel-ready
	$$(call say,CC,$(2))
	@mkdir -p $$(@D)
	$$(Q)$$(KCC) $$(call module_flags,$(1)) $$(call sanitize_flags,$(2)) -MMD -MP -c $$< -o $$@
$($(1)_IMAGE)_OBJS += $(3)
endef

# ABSENT: what this kernel is built without (kernel/module.mk).
module_flags = $(KERNEL_BASE_CFLAGS) $(KERNEL_WARNINGS) $(call includes,$(1)) $($(1)_CFLAGS) \
    $(ABSENT:%=-DWITHOUT_%)

define module_rules
$(BUILD)/obj/$(subst /,-,$(1)).flags: FORCE
	$$(call remember,$$(KCC) $$(call module_flags,$(1)) $$(SANITIZE_KEY))
$(foreach source,$($(1)_SRC),$(eval $(call object,$(1),$(source),$(BUILD)/obj/$(source).o)))
endef
$(foreach module,$(MODULES),$(eval $(call module_rules,$(module))))
