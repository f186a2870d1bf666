# SPDX-License-Identifier: MIT
# Unit tests of kov. tests/viewer/ tests the program as a whole against a played machine.
KOV_UNIT_INC := viewer trace/include $(GEN)/host
KOV_UNIT_BASE := viewer/memory.c viewer/message.c viewer/text.c

UNIT += kov_json kov_text kov_frame kov_options kov_snapshot kov_tree kov_dref kov_aggregate kov_recording kov_packet \
    kov_number_list kov_counts kov_metrics

kov_json_SRC := tests/unit/viewer/json.c viewer/json.c $(KOV_UNIT_BASE)
kov_json_LIBS := m
kov_text_SRC := tests/unit/viewer/text.c $(KOV_UNIT_BASE)
kov_text_LIBS := m
kov_frame_SRC := tests/unit/viewer/frame.c viewer/frame.c $(KOV_UNIT_BASE)
kov_frame_LIBS := m
kov_options_SRC := tests/unit/viewer/options.c viewer/options.c $(KOV_UNIT_BASE)
kov_options_LIBS := m
kov_snapshot_SRC := tests/unit/viewer/snapshot.c viewer/snapshot.c $(KOV_UNIT_BASE)
kov_snapshot_LIBS := m
kov_tree_SRC := tests/unit/viewer/tree.c viewer/tree.c viewer/snapshot.c $(KOV_UNIT_BASE)
kov_tree_LIBS := m
kov_dref_SRC := tests/unit/viewer/dref.c viewer/dref_difference.c $(KOV_UNIT_BASE)
kov_dref_LIBS := m
kov_aggregate_SRC := tests/unit/viewer/aggregate.c $(addprefix viewer/,aggregate.c sort.c place.c intern.c symbols.c \
    samples.c snapshot.c programs.c) $(KOV_UNIT_BASE)
kov_aggregate_LIBS := dw elf m
kov_recording_SRC := tests/unit/viewer/recording.c $(addprefix viewer/,recording_read.c recording_write.c decode.c \
    frame.c samples.c snapshot.c) $(KOV_UNIT_BASE) $(GEN)/host/dci.pb-c.c
kov_recording_LIBS := protobuf-c m
kov_packet_SRC := tests/unit/viewer/packet.c viewer/packet.c
kov_packet_LIBS :=

kov_number_list_SRC := tests/unit/viewer/number_list.c viewer/number_list.c
kov_number_list_LIBS :=
kov_counts_SRC := tests/unit/viewer/counts.c viewer/counts.c
kov_counts_LIBS := m
kov_metrics_SRC := tests/unit/viewer/metrics.c viewer/metrics.c viewer/counts.c
kov_metrics_LIBS := m

$(foreach test,$(filter kov_%,$(UNIT)),$(eval $(test)_INC := $(KOV_UNIT_INC)) \
    $(eval $(test)_CFLAGS := -D_GNU_SOURCE))

unit-ready: $(HOST_DCI_GEN)
