# SPDX-License-Identifier: MIT
# The page of `kov serve`: $(BUILD)/web has its files, compressed, for viewer/gateway/assets.S. npm
# installs what package-lock.json names, once; after that nothing needs the network.

PAGE := viewer/web
WEB_OUT := $(BUILD)/web
WEB_MESSAGES := $(PAGE)/src/wire/messages.ts
WEB_SRC := $(filter-out $(WEB_MESSAGES),$(shell find $(PAGE)/src -type f))
# What the build needs, and what checks and tests need besides. The second holds the first.
WEB_MODULES := $(PAGE)/node_modules/.installed
WEB_TOOLS := $(PAGE)/node_modules/.tools-installed
NPM_CI := npm ci --prefix $(PAGE) --no-audit --no-fund --loglevel=error

$(WEB_MODULES): $(PAGE)/package-lock.json
	$(call say,NPM,$(PAGE): what the page is built with)
	$(Q)$(NPM_CI) --omit=dev
	@touch $@
$(WEB_TOOLS): $(PAGE)/package-lock.json | $(WEB_MODULES) # one npm at a time
	$(call say,NPM,$(PAGE): what the page is checked and tested with)
	$(Q)$(NPM_CI)
	@touch $(WEB_MODULES) $@

$(WEB_MESSAGES): viewer/gateway/messages.py viewer/gateway/messages.def
	$(call say,GEN,$@)
	$(Q)$(PYTHON) $< --ts $(@D) viewer/gateway/messages.def

$(WEB_OUT)/assets.stamp: $(WEB_SRC) $(WEB_MESSAGES) $(PAGE)/build.mjs $(WEB_MODULES)
	$(call say,WEB,$(WEB_OUT))
	@mkdir -p $(@D)
	$(Q)node $(PAGE)/build.mjs $(abspath $(WEB_OUT)) > $(WEB_OUT)/size
	$(Q)cd $(WEB_OUT) && gzip -9 -n -k -f index.html icon.svg main.js style.css
	@touch $@

# Frames as the gateway's own code writes them.
$(WEB_OUT)/vectors: $(BUILD)/unit/gateway_messages
	@mkdir -p $(@D)
	$(Q)$< $@

.PHONY: web-tools
web-tools: $(WEB_TOOLS)

# Types, style, imports and unit tests of the page.
.PHONY: web-check
web-check: $(WEB_MESSAGES) $(WEB_TOOLS) $(WEB_OUT)/vectors
	$(Q)cd $(PAGE) && npm run --silent check && \
	    WEB_VECTORS=$(abspath $(WEB_OUT)/vectors) npm run --silent test
