# SPDX-License-Identifier: MIT
# init: the manifest, and the pauses before restarts.
UNIT += init_manifest
init_manifest_SRC := tests/unit/init/manifest.c servers/init/manifest.c
init_manifest_INC := servers/init
