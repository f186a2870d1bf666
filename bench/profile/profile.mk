# SPDX-License-Identifier: MIT
# The plugin of `make bench-profile`.

PROFILE_PLUGIN := $(BUILD)/profile.so
PROFILE_CFLAGS := -std=gnu17 -O2 -g -fPIC -fvisibility=hidden $(WARNINGS) -Wconversion \
    -D_GNU_SOURCE -Iinclude -Ipmu/model -Itests/guest/user/told
$(PROFILE_PLUGIN): bench/profile/profile.c tests/guest/user/told/told.h pmu/model/qemu_plugin.h
	$(call say,HOSTCC,$<)
	$(Q)$(CC) $(PROFILE_CFLAGS) -shared $< -o $@
