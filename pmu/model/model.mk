# SPDX-License-Identifier: MIT
# The model unit: `make pmu-model` builds $(BUILD)/pmu-model.so, a plugin for qemu-system-ppc64.

PMU_MODEL := $(BUILD)/pmu-model.so
PMU_MODEL_SRC := $(wildcard pmu/model/*.c pmu/model/models/*.c)
# What it includes of the machine (make lint).
PMU_MODEL_MACHINE := orrery/%
PMU_MODEL_CFLAGS = -std=gnu17 -O2 -g -fPIC -fvisibility=hidden $(WARNINGS) -Wconversion \
    -D_GNU_SOURCE -Iinclude -Ipmu/model
PMU_MODEL_OBJS := $(PMU_MODEL_SRC:pmu/model/%.c=$(BUILD)/pmu-model/%.o)

$(BUILD)/pmu-model/flags: FORCE
	$(call remember,$(CC) $(PMU_MODEL_CFLAGS) $(PMU_MODEL_SRC))

$(BUILD)/pmu-model/%.o: pmu/model/%.c $(BUILD)/pmu-model/flags
	$(call say,HOSTCC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(PMU_MODEL_CFLAGS) -MMD -MP -c $< -o $@

# QEMU itself provides what is undefined.
$(PMU_MODEL): $(PMU_MODEL_OBJS)
	$(call say,HOSTLD,$@)
	$(Q)$(CC) -shared $^ -lpthread -o $@

.PHONY: pmu-model
pmu-model: $(PMU_MODEL)

-include $(PMU_MODEL_OBJS:.o=.d)
