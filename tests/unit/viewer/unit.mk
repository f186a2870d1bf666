# SPDX-License-Identifier: MIT
# Unit tests of kov. tests/viewer/ tests the program as a whole against a played machine.
KOV_UNIT_INC := viewer trace/include $(GEN) $(GEN)/host
KOV_UNIT_BASE := viewer/tools/memory.c viewer/tools/message.c viewer/tools/text.c \
    viewer/tools/clock.c viewer/machine/failures.c

UNIT += kov_disassemble kov_source kov_export
kov_disassemble_SRC := tests/unit/viewer/disassemble.c viewer/symbols/disassemble.c
kov_disassemble_LIBS := capstone
kov_source_SRC := tests/unit/viewer/source.c viewer/symbols/source.c $(KOV_UNIT_BASE)
kov_source_LIBS := m
kov_export_SRC := tests/unit/viewer/export.c $(addprefix viewer/,export/export_folded.c \
    export/export_perf.c \
    export/export_pprof.c \
    export/export_stack.c export/profile.c tools/gzip.c symbols/code.c symbols/symbols.c \
    symbols/programs.c symbols/images.c tools/intern.c symbols/place.c samples/sample_names.c \
    samples/sample_choice.c \
    samples/recording_event.c samples/sample_sum.c \
    samples/samples.c samples/sampled_events.c samples/default_period.c \
    counts/count_request.c counts/event_list.c \
    tools/number_list.c machine/snapshot.c) \
    $(KOV_UNIT_BASE) $(GEN)/host/pprof.pb-c.c $(GEN)/host/dci.pb-c.c
kov_export_LIBS := protobuf-c dw elf z m

UNIT += kov_document kov_text kov_frame kov_options kov_snapshot kov_tree kov_dref kov_aggregate \
    kov_recording kov_packet \
    kov_number_list kov_counts kov_metrics kov_sampled_events kov_count_error kov_count_log \
    kov_task_counts \
    kov_configuration kov_sleep_account

kov_document_SRC := tests/unit/viewer/document.c viewer/output/document.c \
    viewer/output/columns.c viewer/tools/lines.c $(KOV_UNIT_BASE)
kov_document_LIBS := jansson m
kov_text_SRC := tests/unit/viewer/text.c $(KOV_UNIT_BASE)
kov_text_LIBS := m
kov_frame_SRC := tests/unit/viewer/frame.c viewer/wire/frame.c $(KOV_UNIT_BASE)
kov_frame_LIBS := m
kov_options_SRC := tests/unit/viewer/options.c viewer/tools/options.c viewer/tools/near.c \
    $(KOV_UNIT_BASE)
kov_options_LIBS := m
kov_snapshot_SRC := tests/unit/viewer/snapshot.c viewer/machine/snapshot.c $(KOV_UNIT_BASE)
kov_snapshot_LIBS := m
UNIT += kov_contention
kov_contention_SRC := tests/unit/viewer/contention.c \
    $(addprefix viewer/,locks/contention.c samples/aggregate.c samples/sample_names.c \
    samples/share.c samples/sort.c symbols/place.c tools/intern.c \
    symbols/symbols.c samples/sample_sum.c \
    samples/samples.c machine/snapshot.c symbols/programs.c symbols/images.c) $(KOV_UNIT_BASE)
kov_contention_LIBS := dw elf m
UNIT += kov_ranking kov_ranking_change kov_track kov_history kov_history_sums
KOV_UNIT_RANKING := $(addprefix viewer/,samples/sample_names.c \
    samples/ranking.c samples/share.c samples/site_parts.c samples/site_sums.c samples/sort.c \
    symbols/place.c tools/intern.c symbols/symbols.c samples/sample_sum.c counts/metrics.c \
    counts/counts.c \
    counts/count_error.c samples/samples.c machine/snapshot.c symbols/programs.c \
    symbols/images.c) $(KOV_UNIT_BASE)
kov_ranking_SRC := tests/unit/viewer/ranking.c viewer/locks/contention.c \
    viewer/samples/aggregate.c $(KOV_UNIT_RANKING)
kov_ranking_LIBS := dw elf m
kov_ranking_change_SRC := tests/unit/viewer/ranking_change.c $(KOV_UNIT_RANKING)
kov_ranking_change_LIBS := dw elf m
kov_track_SRC := tests/unit/viewer/track.c viewer/gateway/track.c $(KOV_UNIT_BASE)
kov_track_LIBS := m
KOV_UNIT_HISTORY := $(addprefix viewer/,gateway/history.c gateway/count_log.c gateway/track.c \
    samples/site_sums.c samples/share.c samples/stack_table.c \
    samples/sample_sum.c samples/samples.c samples/sampled_events.c \
    samples/default_period.c counts/metrics.c counts/counts.c counts/count_error.c \
    counts/count_request.c counts/event_list.c tools/number_list.c) $(KOV_UNIT_BASE) \
    $(GEN)/host/dci.pb-c.c
kov_history_SRC := tests/unit/viewer/history.c $(KOV_UNIT_HISTORY)
kov_history_LIBS := protobuf-c m
kov_history_sums_SRC := tests/unit/viewer/history_sums.c viewer/samples/decode_sums.c \
    $(KOV_UNIT_HISTORY)
kov_history_sums_LIBS := protobuf-c m
UNIT += kov_stacks
kov_stacks_SRC := tests/unit/viewer/stacks.c \
    $(addprefix viewer/,samples/decode_sums.c samples/stack_table.c samples/site_sums.c \
    samples/share.c samples/sample_sum.c samples/samples.c samples/sampled_events.c \
    samples/default_period.c counts/counts.c counts/count_error.c counts/count_request.c \
    counts/event_list.c tools/number_list.c) $(KOV_UNIT_BASE) $(GEN)/host/dci.pb-c.c
kov_stacks_LIBS := protobuf-c m
UNIT += kov_sample_sum
kov_sample_sum_SRC := tests/unit/viewer/sample_sum.c \
    $(addprefix viewer/,samples/sample_sum.c \
    samples/samples.c) $(KOV_UNIT_BASE)
kov_sample_sum_LIBS := m
UNIT += kov_object_counts
kov_object_counts_SRC := tests/unit/viewer/object_counts.c \
    $(addprefix viewer/,samples/object_counts.c samples/sample_names.c counts/metrics.c \
    counts/counts.c \
    counts/count_error.c tools/intern.c symbols/symbols.c samples/sample_sum.c \
    samples/samples.c machine/snapshot.c \
    symbols/programs.c symbols/images.c) $(KOV_UNIT_BASE)
kov_object_counts_LIBS := dw elf m
kov_tree_SRC := tests/unit/viewer/tree.c viewer/machine/tree.c viewer/machine/snapshot.c \
    $(KOV_UNIT_BASE)
kov_tree_LIBS := m
kov_dref_SRC := tests/unit/viewer/dref.c viewer/counts/dref_difference.c $(KOV_UNIT_BASE)
kov_dref_LIBS := m
kov_aggregate_SRC := tests/unit/viewer/aggregate.c $(addprefix viewer/,samples/aggregate.c \
    samples/sort.c symbols/place.c \
    tools/intern.c symbols/symbols.c \
    samples/sample_sum.c \
    samples/samples.c machine/snapshot.c symbols/programs.c symbols/images.c \
    samples/sample_names.c) $(KOV_UNIT_BASE)
kov_aggregate_LIBS := dw elf m
kov_recording_SRC := tests/unit/viewer/recording.c $(addprefix viewer/,samples/recording_read.c \
    samples/recording_write.c machine/decode_machine.c samples/decode_samples.c \
    wire/frame.c samples/sample_sum.c output/out_file.c output/document.c \
    samples/samples.c samples/sampling_message.c machine/snapshot.c) $(KOV_UNIT_BASE) \
    $(GEN)/host/dci.pb-c.c
kov_recording_LIBS := protobuf-c jansson m
kov_packet_SRC := tests/unit/viewer/packet.c viewer/trace/packet.c
kov_packet_LIBS :=
UNIT += kov_id_rows
kov_id_rows_SRC := tests/unit/viewer/id_rows.c viewer/tools/id_rows.c $(KOV_UNIT_BASE)
kov_id_rows_LIBS := m
UNIT += kov_listed
kov_listed_SRC := tests/unit/viewer/listed.c viewer/trace/listed.c $(KOV_UNIT_BASE)
kov_listed_LIBS := m

# The trace engine, with the table of events that kov has.
KOV_UNIT_ENGINE := $(wildcard viewer/trace/*.c) \
    viewer/tools/keyed_rows.c viewer/tools/id_rows.c trace/src/table.c trace/src/waits.c \
    $(GEN)/trace/event_table.c $(KOV_UNIT_BASE)
UNIT += kov_trace_model
kov_trace_model_SRC := tests/unit/viewer/trace_model.c $(KOV_UNIT_ENGINE)
kov_trace_model_LIBS := m
# With the machine's own rings, which stand in the dump.
UNIT += kov_memory_waits
kov_memory_waits_SRC := tests/unit/viewer/memory_waits.c viewer/trace/memory_waits.c \
    trace/src/waits.c $(KOV_UNIT_BASE)

UNIT += kov_dump
kov_dump_SRC = $(sort tests/unit/viewer/dump.c $(KOV_UNIT_ENGINE) $(TRACE_CORE) trace/src/dump.c)
kov_dump_LIBS := m

# Tools that answer from a trace, each with a folder that its test makes.
KOV_UNIT_TOOL := $(sort $(KOV_UNIT_ENGINE) $(addprefix viewer/,\
    tools/histogram.c tools/intern.c tools/near.c tools/number_list.c \
    tools/lines.c output/document.c output/columns.c machine/snapshot.c \
    symbols/symbols.c symbols/kernel.c symbols/programs.c symbols/images.c \
    symbols/place.c \
    record/event_name.c analyses/trace_choice.c analyses/trace_walk.c analyses/trace_needs.c \
    analyses/trace_tool.c analyses/event_words.c analyses/syscall_name.c \
    analyses/method_name.c))
UNIT += kov_engine
kov_engine_SRC := tests/unit/viewer/engine.c $(KOV_UNIT_ENGINE) \
    $(addprefix viewer/analyses/,arrows.c slices.c slice_walk.c state_walk.c timeline.c \
    trace_walk.c)
kov_engine_LIBS := m
UNIT += kov_histogram kov_trace_locks kov_trace_profile kov_trace_sched \
    kov_trace_idle kov_trace_count kov_trace_waits
kov_histogram_SRC := tests/unit/viewer/histogram.c viewer/tools/histogram.c \
    viewer/tools/keyed_rows.c $(KOV_UNIT_BASE)
kov_histogram_LIBS := m
kov_trace_locks_SRC := tests/unit/viewer/trace_locks.c viewer/analyses/trace_locks.c \
    viewer/analyses/trace_holds.c $(KOV_UNIT_TOOL)
kov_trace_locks_LIBS := jansson dw elf m
kov_trace_profile_SRC := tests/unit/viewer/trace_profile.c viewer/analyses/trace_profile.c \
    viewer/samples/share.c viewer/samples/sample_sum.c $(KOV_UNIT_TOOL)
kov_trace_profile_LIBS := jansson dw elf m
kov_trace_sched_SRC := tests/unit/viewer/trace_sched.c viewer/analyses/trace_sched.c \
    viewer/analyses/trace_reasons.c viewer/analyses/state_walk.c $(KOV_UNIT_TOOL)
kov_trace_sched_LIBS := jansson dw elf m
kov_trace_idle_SRC := tests/unit/viewer/trace_idle.c viewer/analyses/trace_idle.c $(KOV_UNIT_TOOL)
kov_trace_idle_LIBS := jansson dw elf m
kov_trace_count_SRC := tests/unit/viewer/trace_count.c viewer/analyses/trace_count.c \
    $(KOV_UNIT_TOOL)
kov_trace_count_LIBS := jansson dw elf m
kov_trace_waits_SRC := tests/unit/viewer/trace_waits.c viewer/analyses/trace_waits.c \
    viewer/analyses/trace_waits_graph.c $(KOV_UNIT_TOOL)
kov_trace_waits_LIBS := jansson dw elf m

kov_number_list_SRC := tests/unit/viewer/number_list.c viewer/tools/number_list.c
kov_number_list_LIBS :=
kov_sleep_account_SRC := tests/unit/viewer/sleep_account.c viewer/locks/sleep_account.c \
    $(KOV_UNIT_BASE)
kov_sleep_account_LIBS := m
kov_counts_SRC := tests/unit/viewer/counts.c viewer/counts/counts.c viewer/counts/count_error.c
kov_counts_LIBS := m
kov_metrics_SRC := tests/unit/viewer/metrics.c viewer/counts/metrics.c viewer/counts/counts.c \
    viewer/counts/count_error.c
kov_metrics_LIBS := m
kov_count_error_SRC := tests/unit/viewer/count_error.c viewer/counts/count_error.c \
    viewer/counts/counts.c \
    pmu/src/multiplex.c tests/unit/pmu/estimate.c
kov_count_error_LIBS := m
kov_count_log_SRC := tests/unit/viewer/count_log.c viewer/gateway/count_log.c \
    viewer/counts/counts.c viewer/counts/count_error.c pmu/src/multiplex.c \
    tests/unit/pmu/estimate.c $(KOV_UNIT_BASE)
kov_count_log_LIBS := m
kov_task_counts_SRC := tests/unit/viewer/task_counts.c viewer/counts/task_counts.c \
    viewer/counts/counts.c \
    viewer/counts/count_error.c \
    viewer/tools/pid_list.c $(KOV_UNIT_BASE)
kov_task_counts_LIBS := m
kov_configuration_SRC := tests/unit/viewer/event_configuration.c \
    viewer/counts/event_configuration.c viewer/counts/event_configuration_built_in.c \
    viewer/tools/number_list.c $(KOV_UNIT_BASE)
kov_configuration_LIBS := m

kov_sampled_events_SRC := tests/unit/viewer/sampled_events.c \
    $(addprefix viewer/,samples/sampled_events.c samples/sample_sum.c \
    samples/samples.c samples/default_period.c \
    counts/count_request.c counts/event_list.c tools/number_list.c) $(KOV_UNIT_BASE) \
    $(GEN)/host/dci.pb-c.c
kov_sampled_events_LIBS := protobuf-c m

# Threads with a link each, under both kinds of sanitizers.
KOV_UNIT_LINK := tests/unit/viewer/link.c $(addprefix viewer/,wire/link.c wire/dci.c \
    wire/session.c wire/token.c wire/connect.c wire/frame.c wire/patience.c wire/resume.c \
    output/progress.c tools/interrupt.c tools/lines.c) \
    $(KOV_UNIT_BASE) $(GEN)/host/dci.pb-c.c
UNIT += kov_link kov_link_race
kov_link_SRC := $(KOV_UNIT_LINK)
kov_link_LIBS := protobuf-c m
kov_link_race_SRC := $(KOV_UNIT_LINK)
kov_link_race_LIBS := protobuf-c m
kov_link_race_SANITIZERS := thread

$(foreach test,$(filter kov_%,$(UNIT)),$(eval $(test)_INC := $(KOV_UNIT_INC) \
    $(if $(filter %error %count_log,$(test)),pmu/include tests/unit/pmu) \
    $(if $(filter %dump,$(test)),trace tests/unit/trace)) \
    $(eval $(test)_CFLAGS := -D_GNU_SOURCE$(if $(filter %dump,$(test)), -DTRACE_HOST_POINTS)))

unit-ready: $(HOST_DCI_GEN) $(PPROF_GEN)

kov_engine_LONG := 1
kov_dump_LONG := 1
kov_trace_sched_LONG := 1
kov_ranking_LONG := 1
