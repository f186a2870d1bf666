# SPDX-License-Identifier: MIT
# The kernel's link, in two passes: the symbol table and the unwind map describe the linked kernel, and are part of it.
# Pass 1 links with empty tables; mktables.py reads the result; pass 2 links the true tables, and a second run of
# mktables.py must give the same again.

KERNEL_ELF := $(BUILD)/orrery.elf
KERNEL_LD := boot/orrery.ld
TABLES := scripts/mktables.py

# boot's start.S comes first: the machine enters the image at its lowest byte.
KERNEL_START := $(filter %/start.S.o,$(KERNEL_OBJS))
KERNEL_OBJS := $(KERNEL_START) $(filter-out $(KERNEL_START),$(KERNEL_OBJS))

KERNEL_LIBS = -Wl,--start-group $(KERNEL_ARCHIVES) $(NEWLIB)/lib/libc.a $(KERNEL_LIBGCC) -Wl,--end-group

# $(call link,tables object)
define link
	$(call say,LD,$@)
	$(Q)$(KCC) $(KERNEL_LDFLAGS) $(SANITIZE_LDFLAGS) -T $(KERNEL_LD) -Wl,-Map,$@.map $(KERNEL_OBJS) $(1) $(KERNEL_LIBS) -o $@
endef

$(BUILD)/obj/link.flags: FORCE
	$(call remember,$(KERNEL_LDFLAGS) $(SANITIZE_LDFLAGS) $(KERNEL_OBJS) $(KERNEL_LIBS))

LINK_INPUTS = $(KERNEL_OBJS) $(KERNEL_ARCHIVES) $(KERNEL_LD) $(BUILD)/obj/link.flags

$(BUILD)/obj/tables/empty.S: $(TABLES)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $(TABLES) --empty --out $@

$(BUILD)/obj/tables/full.S: $(BUILD)/orrery.pass1.elf $(TABLES)
	$(call say,TABLES,$@)
	$(Q)$(PYTHON) $(TABLES) --elf $< --out $@

$(BUILD)/obj/tables/%.o: $(BUILD)/obj/tables/%.S
	$(Q)$(KCC) $(KERNEL_ABI) -c $< -o $@

$(BUILD)/orrery.pass1.elf: $(LINK_INPUTS) $(BUILD)/obj/tables/empty.o
	$(call link,$(BUILD)/obj/tables/empty.o)

# Linked under another name first: an image whose tables disagree with it must not be left behind to be run.
$(BUILD)/orrery.pass2.elf: $(BUILD)/obj/tables/full.o $(BUILD)/orrery.pass1.elf
	$(call link,$(BUILD)/obj/tables/full.o)

$(KERNEL_ELF): $(BUILD)/orrery.pass2.elf | $(SANITIZE_MARK)
	$(call say,CHECK,$@)
	$(Q)$(PYTHON) $(TABLES) --elf $< --out $(BUILD)/obj/tables/check.S
	$(Q)cmp $(BUILD)/obj/tables/full.S $(BUILD)/obj/tables/check.S \
	    || { echo 'the tables changed between the link passes: $(TABLES) moved code' >&2; exit 1; }
	$(Q)cp $< $@

.PHONY: kernel
kernel: $(KERNEL_ELF)

-include $(KERNEL_OBJS:.o=.d)
