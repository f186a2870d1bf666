# SPDX-License-Identifier: MIT
# Unit tests of the parts of the QEMU plugin that run without QEMU.

UNIT += pmu_plugin_decode
pmu_plugin_decode_SRC := tests/unit/pmu_plugin/decode.c pmu/model/decode.c
pmu_plugin_decode_INC := pmu/model
