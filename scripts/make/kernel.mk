# SPDX-License-Identifier: MIT
# The kernel's link, in two passes: the symbol table and the unwind map describe
# the linked kernel, and are part of it.
# Pass 1 links with empty tables; mktables.py reads the result; pass 2 links the true tables, and a
# second run of mktables.py must give the same again.
# orrery-bench.elf is the same with the objects of the modules that say IMAGE := tests.

KERNEL_ELF := $(BUILD)/orrery.elf
BENCH_ELF := $(BUILD)/orrery-bench.elf
KERNEL_LD := boot/orrery.ld
TABLES := scripts/mktables.py

# boot's start.S comes first: the machine enters the image at its lowest byte.
KERNEL_START := $(filter %/start.S.o,$(kernel_OBJS))
KERNEL_OBJS := $(KERNEL_START) $(filter-out $(KERNEL_START),$(kernel_OBJS))

KERNEL_LIBS = -Wl,--start-group $(KERNEL_ARCHIVES) $(NEWLIB)/lib/libc.a $(KERNEL_LIBGCC) \
    -Wl,--end-group

$(BUILD)/obj/tables/empty.S: $(TABLES)
	@mkdir -p $(@D)
	$(Q)$(PYTHON) $(TABLES) --empty --out $@

$(BUILD)/obj/tables/%.o: $(BUILD)/obj/tables/%.S
	$(Q)$(KCC) $(KERNEL_ABI) -c $< -o $@

# $(call link,objects,tables object)
define link
	$(call say,LD,$@)
	$(Q)$(KCC) $(KERNEL_LDFLAGS) $(SANITIZE_LDFLAGS) -T $(KERNEL_LD) -Wl,-Map,$@.map $(1) $(2) \
	    $(KERNEL_LIBS) -o $@
endef

# $(call image,name,objects). Linked under another name first: an image whose tables disagree with
# it must not be left behind to be run.
define image
$(BUILD)/obj/$(1).link: FORCE
	$$(call remember,$$(KERNEL_LDFLAGS) $$(SANITIZE_LDFLAGS) $(2) $$(KERNEL_LIBS))

$(BUILD)/$(1).pass1.elf: $(2) $(KERNEL_ARCHIVES) $(KERNEL_LD) $(BUILD)/obj/$(1).link \
    $(BUILD)/obj/tables/empty.o
	$$(call link,$(2),$(BUILD)/obj/tables/empty.o)

$(BUILD)/obj/tables/$(1).S: $(BUILD)/$(1).pass1.elf $(TABLES)
	$$(call say,TABLES,$$@)
	$$(Q)$$(PYTHON) $(TABLES) --elf $$< --out $$@

$(BUILD)/$(1).pass2.elf: $(BUILD)/obj/tables/$(1).o $(BUILD)/$(1).pass1.elf
	$$(call link,$(2),$$<)

$(BUILD)/$(1).elf: $(BUILD)/$(1).pass2.elf | $(SANITIZE_MARK)
	$$(call say,CHECK,$$@)
	$$(Q)$$(PYTHON) $(TABLES) --elf $$< --out $(BUILD)/obj/tables/$(1).check
	$$(Q)cmp $(BUILD)/obj/tables/$(1).S $(BUILD)/obj/tables/$(1).check \
	    || { echo 'the tables changed between the link passes: $(TABLES) moved code' >&2; exit 1; }
	$$(Q)cp $$< $$@
endef
$(eval $(call image,orrery,$(KERNEL_OBJS)))
.PHONY: kernel
ifneq ($(filter trace,$(OBSERVERS)),)
$(eval $(call image,orrery-bench,$(KERNEL_OBJS) $(tests_OBJS)))
kernel: $(KERNEL_ELF) $(BENCH_ELF)
else
kernel: $(KERNEL_ELF)
$(BENCH_ELF): FORCE
	@echo '$@ measures the trace: OBSERVERS= must name it' >&2; exit 1
endif

-include $(KERNEL_OBJS:.o=.d) $(tests_OBJS:.o=.d)
