# SPDX-License-Identifier: MIT
# Third-party code: newlib, lwIP, nanopb. Sources come from Debian packages into $(THIRD), never
# into the repository; newlib is compiled there once; lwIP and nanopb are compiled with the programs
# (scripts/make/user.mk) and the unit tests. Prometheus, which a test runs, comes compiled.

NEWLIB_STAMP := $(THIRD)/newlib.stamp
NEWLIB_USER_STAMP := $(THIRD)/newlib-user-completed.stamp
LWIP_STAMP := $(THIRD)/lwip.stamp
NANOPB_STAMP := $(THIRD)/nanopb.stamp
PROMETHEUS_STAMP := $(THIRD)/prometheus.stamp

# A recipe runs again when its text or its flags change,
# not when a checkout gives its file a new date.
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

$(THIRD)/newlib-user.stamp: $(THIRD)/newlib-user.key
	$(Q)ABI='$(USER_ABI)' third_party/build-newlib '$(abspath $(THIRD))/newlib-user' user
	@touch $@

$(THIRD)/newlib-user-completed.key: FORCE
	$(call remember,$(call RECIPE_HASH,third_party/complete-newlib))

$(NEWLIB_USER_STAMP): $(THIRD)/newlib-user.stamp $(THIRD)/newlib-user-completed.key
	$(Q)third_party/complete-newlib '$(abspath $(THIRD))/newlib-user'
	@touch $@

$(LWIP_STAMP) $(NANOPB_STAMP): $(THIRD)/%.stamp: $(THIRD)/source.key
	$(Q)third_party/fetch-source $* '$(abspath $(THIRD))/$*'
	@touch $@

$(THIRD)/program.key: FORCE
	$(call remember,$(call RECIPE_HASH,third_party/fetch-program))

$(PROMETHEUS_STAMP): $(THIRD)/program.key
	$(Q)third_party/fetch-program prometheus '$(abspath $(THIRD))/prometheus'
	@touch $@

.PHONY: third-party
third-party: $(NEWLIB_STAMP) $(NEWLIB_USER_STAMP) $(LWIP_STAMP) $(NANOPB_STAMP)

# lwIP without an operating system; the port headers are ours. With SSIZE_MAX it takes ssize_t from
# newlib instead of defining its own.
LWIP_PORT := servers/net/port/include
LWIP_DIR := $(THIRD)/lwip/src
# Included from system headers, so the compiler does not name them as prerequisites.
LWIP_PORT_FILES := $(wildcard $(LWIP_PORT)/*.h $(LWIP_PORT)/*/*.h)
lwip_INCLUDES := -I$(LWIP_PORT) -isystem $(LWIP_DIR)/include -DSSIZE_MAX=__LONG_MAX__
LWIP_SRC := $(addprefix core/,altcp altcp_alloc altcp_tcp def inet_chksum init ip mem memp netif \
    pbuf \
    raw stats sys tcp tcp_in tcp_out timeouts udp) \
    $(addprefix core/ipv4/,etharp icmp ip4 ip4_addr ip4_frag) netif/ethernet

NANOPB_DIR := $(THIRD)/nanopb
nanopb_INCLUDES := -isystem $(NANOPB_DIR)
NANOPB_SRC := pb_common pb_encode pb_decode

# What newlib has of POSIX and does not compile for this target: patterns of texts and of names of
# files. There are no users whose folders could be named, and no tables of orders of letters.
PATTERNS_DIR := $(THIRD)/newlib-user/posix
PATTERNS_SRC := collate collcmp glob regcomp regerror regexec regfree
PATTERNS_FLAGS := -D_ELIX_LEVEL=3 -D__NETBSD_SYSCALLS -Dglob=newlib_glob -isystem $(PATTERNS_DIR)

NO_FILES_FLAGS = $(KERNEL_BASE_CFLAGS) $(KERNEL_WARNINGS) -D_READ_WRITE_RETURN_TYPE=_ssize_t

$(BUILD)/obj/no_files.flags: FORCE
	$(call remember,$(NO_FILES_FLAGS))

$(BUILD)/obj/no_files.o: third_party/no_files.c $(BUILD)/obj/no_files.flags | $(NEWLIB_STAMP)
	$(call say,CC,$<)
	$(Q)$(KCC) $(NO_FILES_FLAGS) -MMD -MP -c $< -o $@

# What newlib may ask for.
KERNEL_ARCHIVES := $(BUILD)/libnofiles.a
$(KERNEL_ARCHIVES): $(BUILD)/obj/no_files.o
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(KAR) rcs $@ $^

-include $(BUILD)/obj/no_files.d
