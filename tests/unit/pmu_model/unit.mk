# SPDX-License-Identifier: MIT
# Unit tests of the modelled machine, each model against a second implementation.

# $(call model_unit,concept): pmu/model/models/<concept>.c against reference_<concept>.c.
define model_unit
UNIT += pmu_model_$(1)
pmu_model_$(1)_SRC := tests/unit/pmu_model/$(1).c tests/unit/pmu_model/reference_$(1).c \
    tests/unit/pmu_model/streams.c pmu/model/models/$(1).c
pmu_model_$(1)_INC := pmu/model
pmu_model_$(1)_CFLAGS := -Wconversion
pmu_model_$(1)_LIBS := z
endef
$(foreach test,branch cache tlb,$(eval $(call model_unit,$(test))))

UNIT += pmu_model_machine
pmu_model_machine_SRC := tests/unit/pmu_model/machine.c tests/unit/pmu_model/streams.c \
    pmu/model/models/machine.c
pmu_model_machine_INC := pmu/model
pmu_model_machine_CFLAGS := -Wconversion
pmu_model_machine_LIBS := z

# Only for recording anew: recorder.c says how.
$(BUILD)/pmu-recorder.so: tests/unit/pmu_model/recorder.c
	$(call say,HOSTLD,$@)
	$(Q)$(CC) $(HOST_CFLAGS) -Wconversion -fPIC -shared -Iinclude -Ipmu/model $< -o $@

pmu_model_branch_LONG := 1
