# SPDX-License-Identifier: MIT
# Unit tests of the gateway (viewer/gateway) without a machine. tests/viewer/ and tests/web/ test it
# as a whole.
GATEWAY_UNIT_BASE := $(addprefix viewer/,gateway/blocks.c tools/memory.c tools/message.c \
    tools/text.c) $(GEN)/gateway/messages.c
GATEWAY_UNIT_HUB := $(addprefix viewer/gateway/,hub.c access.c topics.c outbox.c posts.c) \
    tests/unit/gateway/played.c $(GATEWAY_UNIT_BASE)

UNIT += gateway_access gateway_outbox gateway_topics gateway_messages gateway_names gateway_hub \
    gateway_fuzz gateway_net_fuzz gateway_exposition gateway_posts \
    gateway_posts_race gateway_tape gateway_player gateway_gone
gateway_access_SRC := tests/unit/gateway/access.c viewer/gateway/access.c $(GATEWAY_UNIT_BASE)
gateway_outbox_SRC := tests/unit/gateway/outbox.c viewer/gateway/outbox.c $(GATEWAY_UNIT_BASE)
gateway_topics_SRC := tests/unit/gateway/topics.c viewer/gateway/topics.c $(GATEWAY_UNIT_BASE)
gateway_messages_SRC := tests/unit/gateway/messages.c $(GEN)/gateway/vectors.c $(GATEWAY_UNIT_BASE)
gateway_names_SRC := tests/unit/gateway/names.c viewer/gateway/names.c viewer/tools/intern.c \
    viewer/machine/snapshot.c viewer/machine/failures.c viewer/tools/text.c viewer/tools/clock.c \
    $(GATEWAY_UNIT_BASE)
gateway_hub_SRC := tests/unit/gateway/hub.c $(GATEWAY_UNIT_HUB)
gateway_fuzz_SRC := tests/unit/gateway/fuzz.c $(GATEWAY_UNIT_HUB)
gateway_net_fuzz_SRC := tests/unit/gateway/net_fuzz.c $(addprefix viewer/gateway/,net.c \
    frames_in.c header_lists.c exposition.c) viewer/tools/interrupt.c viewer/tools/clock.c \
    $(GATEWAY_UNIT_HUB)
gateway_exposition_SRC := tests/unit/gateway/exposition.c viewer/gateway/exposition.c \
    viewer/tools/clock.c $(GATEWAY_UNIT_BASE)
gateway_gone_SRC := tests/unit/gateway/gone.c viewer/gateway/gone.c $(GATEWAY_UNIT_BASE)
gateway_tape_SRC := tests/unit/gateway/tape.c $(addprefix viewer/,gateway/tape_read.c \
    gateway/tape_write.c wire/frame.c tools/clock.c \
    output/out_file.c output/document.c) $(GATEWAY_UNIT_BASE)
gateway_player_SRC := tests/unit/gateway/player.c $(addprefix viewer/,gateway/player.c \
    gateway/player_answers.c gateway/tape_read.c gateway/tape_write.c wire/frame.c tools/clock.c \
    output/out_file.c output/document.c) \
    $(GEN)/host/dci.pb-c.c $(GATEWAY_UNIT_BASE)

UNIT += gateway_call_counts
gateway_call_counts_SRC := tests/unit/gateway/call_counts.c viewer/gateway/call_counts.c \
    viewer/tools/keyed_rows.c $(GATEWAY_UNIT_BASE)

# With files that the test makes up.
UNIT += gateway_resolver
gateway_resolver_SRC := tests/unit/gateway/resolver.c $(addprefix viewer/,gateway/resolver.c \
    tools/intern.c symbols/place.c) $(GATEWAY_UNIT_BASE)
gateway_resolver_race_SRC := $(gateway_resolver_SRC)
gateway_resolver_race_SANITIZERS := thread
UNIT += gateway_resolver_race

UNIT += gateway_watching
gateway_watching_SRC := tests/unit/gateway/watching.c $(addprefix viewer/,gateway/watching.c \
    gateway/history.c gateway/count_log.c gateway/track.c machine/snapshot.c machine/failures.c \
    output/document.c \
    output/out_file.c samples/ranking.c samples/sample_names.c samples/share.c samples/site_sums.c \
    samples/site_parts.c samples/stack_table.c samples/sample_sum.c samples/samples.c \
    samples/sampled_events.c samples/default_period.c \
    counts/metrics.c counts/counts.c counts/count_error.c counts/count_request.c \
    counts/event_list.c symbols/symbols.c symbols/programs.c \
    symbols/images.c symbols/place.c tools/intern.c tools/clock.c \
    tools/number_list.c) $(GEN)/host/dci.pb-c.c $(GATEWAY_UNIT_BASE)

# Threads, under both kinds of sanitizers.
gateway_posts_SRC := tests/unit/gateway/posts.c viewer/gateway/posts.c $(GATEWAY_UNIT_BASE)
gateway_posts_race_SRC := $(gateway_posts_SRC)
gateway_posts_race_SANITIZERS := thread

$(foreach test,$(filter gateway_%,$(UNIT)),$(eval $(test)_CFLAGS := -D_GNU_SOURCE) \
    $(eval $(test)_INC := viewer tests/unit/viewer tests/unit/gateway $(GEN)/host $(GEN)/gateway) \
    $(eval $(test)_LIBS := jansson m))
gateway_net_fuzz_LIBS += websockets
gateway_watching_LIBS := jansson protobuf-c dw elf m
gateway_tape_LIBS := jansson z m
gateway_player_LIBS := jansson protobuf-c z m

unit-ready: $(HOST_DCI_GEN) $(MESSAGES_GEN)
