# SPDX-License-Identifier: MIT
# Third-party code: newlib, lwIP, nanopb. Sources come from Debian packages into $(THIRD), never into the repository; newlib
# is compiled there once, lwIP and nanopb are compiled here because they need our port headers.

NEWLIB_STAMP := $(THIRD)/newlib.stamp
NEWLIB_USER_STAMP := $(THIRD)/newlib-user.stamp
LWIP_STAMP := $(THIRD)/lwip.stamp
NANOPB_STAMP := $(THIRD)/nanopb.stamp

# A recipe runs again when its text or its flags change, not when a checkout gives its file a new date.
RECIPE_HASH = $(shell cat third_party/progress $(1) | sha256sum | cut -c 1-16)

$(THIRD)/newlib.key: FORCE
	$(call remember,$(call RECIPE_HASH,third_party/build-newlib) $(KERNEL_ABI))

$(THIRD)/newlib-user.key: FORCE
	$(call remember,$(call RECIPE_HASH,third_party/build-newlib) $(USER_ABI))

$(THIRD)/source.key: FORCE
	$(call remember,$(call RECIPE_HASH,third_party/fetch-source))

$(NEWLIB_STAMP): $(THIRD)/newlib.key
	$(Q)ABI='$(KERNEL_ABI)' third_party/build-newlib '$(abspath $(THIRD))/newlib' kernel
	@touch $@

$(NEWLIB_USER_STAMP): $(THIRD)/newlib-user.key
	$(Q)ABI='$(USER_ABI)' third_party/build-newlib '$(abspath $(THIRD))/newlib-user' user
	@touch $@

$(LWIP_STAMP) $(NANOPB_STAMP): $(THIRD)/%.stamp: $(THIRD)/source.key
	$(Q)third_party/fetch-source $* '$(abspath $(THIRD))/$*'
	@touch $@

.PHONY: third-party
third-party: $(NEWLIB_STAMP) $(NEWLIB_USER_STAMP) $(LWIP_STAMP) $(NANOPB_STAMP)

# lwIP without an operating system; the port headers are ours. With SSIZE_MAX it takes ssize_t from newlib instead of
# defining its own.
LWIP_PORT := servers/net/port/include
LWIP_DIR := $(THIRD)/lwip/src
# Included from system headers, so the compiler does not name them as prerequisites.
LWIP_PORT_FILES := $(wildcard $(LWIP_PORT)/*.h $(LWIP_PORT)/*/*.h)
lwip_INCLUDES := -I$(LWIP_PORT) -isystem $(LWIP_DIR)/include -DSSIZE_MAX=__LONG_MAX__
LWIP_SRC := $(addprefix core/,altcp altcp_alloc altcp_tcp def inet_chksum init ip mem memp netif pbuf \
    raw stats sys tcp tcp_in tcp_out timeouts udp) \
    $(addprefix core/ipv4/,etharp icmp ip4 ip4_addr ip4_frag) netif/ethernet
LWIP_OBJS := $(LWIP_SRC:%=$(BUILD)/obj/lwip/%.o)

NANOPB_DIR := $(THIRD)/nanopb
nanopb_INCLUDES := -isystem $(NANOPB_DIR)
NANOPB_SRC := pb_common pb_encode pb_decode
NANOPB_OBJS := $(NANOPB_SRC:%=$(BUILD)/obj/nanopb/%.o)

LIBRARY_FLAGS = $(KERNEL_BASE_CFLAGS) -w $(lwip_INCLUDES) $(nanopb_INCLUDES) -Iinclude

$(BUILD)/obj/third_party.flags: FORCE
	$(call remember,$(LIBRARY_FLAGS))


$(LWIP_OBJS): $(BUILD)/obj/lwip/%.o: $(BUILD)/obj/third_party.flags $(LWIP_STAMP) $(LWIP_PORT_FILES) | $(NEWLIB_STAMP)
	$(call say,CC,lwip/$*)
	@mkdir -p $(@D)
	$(Q)$(KCC) $(LIBRARY_FLAGS) -MMD -MP -c $(LWIP_DIR)/$*.c -o $@

$(NANOPB_OBJS): $(BUILD)/obj/nanopb/%.o: $(BUILD)/obj/third_party.flags $(NANOPB_STAMP) | $(NEWLIB_STAMP)
	$(call say,CC,nanopb/$*)
	@mkdir -p $(@D)
	$(Q)$(KCC) $(LIBRARY_FLAGS) -MMD -MP -c $(NANOPB_DIR)/$*.c -o $@

$(BUILD)/obj/no_files.o: third_party/no_files.c $(BUILD)/obj/third_party.flags | $(NEWLIB_STAMP)
	$(call say,CC,$<)
	$(Q)$(KCC) $(KERNEL_BASE_CFLAGS) $(KERNEL_WARNINGS) -D_READ_WRITE_RETURN_TYPE=_ssize_t -MMD -MP -c $< -o $@

$(BUILD)/liblwip.a: $(LWIP_OBJS)
$(BUILD)/libnanopb.a: $(NANOPB_OBJS)
$(BUILD)/libnofiles.a: $(BUILD)/obj/no_files.o
$(BUILD)/liblwip.a $(BUILD)/libnanopb.a $(BUILD)/libnofiles.a:
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(KAR) rcs $@ $^

# What some module asks for with LIBS, and what newlib may ask for.
USED_LIBS := $(sort $(foreach module,$(MODULES),$($(module)_LIBS)))
KERNEL_ARCHIVES := $(USED_LIBS:%=$(BUILD)/lib%.a) $(BUILD)/libnofiles.a

-include $(LWIP_OBJS:.o=.d) $(NANOPB_OBJS:.o=.d) $(BUILD)/obj/no_files.d
