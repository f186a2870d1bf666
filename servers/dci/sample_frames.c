// SPDX-License-Identifier: MIT
#include "sample_frames.h"

// The most that one sum takes: 13 fields with their tags, and those around it.
#define SUM_BYTES_MAX 96
// The most that one stack takes: 7 fields with their tags, and those around it.
#define STACK_BYTES_MAX (64 + SYS_CALLERS_MAX * sizeof(u64))
#define REST_BYTES 32 // `more`, with room to spare

void sample_frame_add(struct frame *frame, const struct sys_sample *sample)
{
    u32 mark = frame_open(frame, dci_Samples_samples_tag);

    frame_fixed64(frame, dci_Sample_time_tag, sample->time);
    frame_varint(frame, dci_Sample_coid_tag, sample->coid);
    frame_fixed64(frame, dci_Sample_pc_tag, sample->pc);
    frame_varint(frame, dci_Sample_flags_tag, sample->flags);
    frame_varint(frame, dci_Sample_thread_tag, sample->thread);
    frame_varint(frame, dci_Sample_pid_tag, sample->pid);
    frame_varint(frame, dci_Sample_event_tag, sample->event);
    frame_packed_fixed64(frame, dci_Sample_callers_tag, sample->callers, sample->caller_count);
    frame_close(frame, mark);
}

void sample_frame_turns(struct frame *frame, u32 field, const struct sys_sampling_stat *stat)
{
    if (stat->total == 0)
        return;
    u32 mark = frame_open(frame, field);
    frame_varint(frame, dci_SamplingTurns_measured_tag, stat->measured);
    frame_varint(frame, dci_SamplingTurns_total_tag, stat->total);
    frame_varint(frame, dci_SamplingTurns_turns_tag, stat->turns);
    frame_close(frame, mark);
}

// A client that keeps a history asks for these each second: so not by a description of the message.
void sample_frame_stat(struct frame *frame, u32 field, u32 cpu, u32 index, u64 filtered,
                       const struct sys_sampling_stat *stat)
{
    u32 mark = frame_open(frame, field);

    frame_varint(frame, dci_SamplingStat_cpu_tag, cpu);
    frame_varint(frame, dci_SamplingStat_taken_tag, stat->taken);
    frame_varint(frame, dci_SamplingStat_lost_tag, stat->lost);
    frame_varint(frame, dci_SamplingStat_attributed_tag, stat->attributed);
    frame_varint(frame, dci_SamplingStat_unattributed_tag, stat->unattributed);
    frame_varint(frame, dci_SamplingStat_stale_tag, stat->stale);
    frame_varint(frame, dci_SamplingStat_idle_tag, stat->idle);
    frame_varint(frame, dci_SamplingStat_buffer_bytes_tag, stat->buffer_bytes);
    frame_varint(frame, dci_SamplingStat_buffer_grown_tag, stat->buffer_grown);
    frame_varint(frame, dci_SamplingStat_ticks_in_handler_tag, stat->ticks_in_handler);
    frame_varint(frame, dci_SamplingStat_missed_tag, stat->missed);
    frame_varint(frame, dci_SamplingStat_filtered_tag, filtered);
    frame_varint(frame, dci_SamplingStat_index_tag, index);
    frame_varint(frame, dci_SamplingStat_overflows_tag, stat->overflows);
    sample_frame_turns(frame, dci_SamplingStat_turns_tag, stat);
    frame_close(frame, mark);
}

static bool has_room(const struct frame *frame, u32 bytes)
{
    return frame->used + bytes + REST_BYTES <= FRAME_BYTES_MAX;
}

static void add_sum(struct frame *frame, u32 field, const struct summed_site *sum)
{
    u32 mark = frame_open(frame, field);
    bool is_stack = sum->kind == dci_SampleSumKind_SUM_STACK;

    frame_varint(frame, dci_SampleSum_index_tag, sum->index);
    frame_varint(frame, dci_SampleSum_cpu_tag, sum->cpu);
    frame_varint(frame, dci_SampleSum_kind_tag, sum->kind);
    frame_varint(frame, dci_SampleSum_pid_tag, sum->pid);
    frame_varint(frame, is_stack ? dci_SampleSum_stack_tag : dci_SampleSum_coid_tag, sum->coid);
    frame_varint(frame, dci_SampleSum_weight_tag, sum->weight);
    frame_varint(frame, dci_SampleSum_samples_tag, sum->samples);
    frame_varint(frame, dci_SampleSum_soft_masked_tag, sum->soft_masked);
    frame_varint(frame, dci_SampleSum_latest_turn_tag, sum->latest_turn);
    if (sum->first_samples != 0) {
        frame_varint(frame, dci_SampleSum_first_turn_tag, sum->first_turn);
        frame_varint(frame, dci_SampleSum_first_samples_tag, sum->first_samples);
        frame_varint(frame, dci_SampleSum_latest_samples_tag, sum->latest_samples);
        frame_varint(frame, dci_SampleSum_turn_squares_tag, sum->turn_squares);
    }
    frame_close(frame, mark);
}

u32 sample_frame_sums(struct frame *frame, const struct sample_sums *sums, u64 from, u64 to,
                      u32 *samples)
{
    u32 added = 0;

    *samples = 0;
    frame_varint(frame, dci_SampleSums_from_tag, from);
    frame_varint(frame, dci_SampleSums_to_tag, to);
    while (added < sums->count && has_room(frame, SUM_BYTES_MAX)) {
        const struct summed_site *sum = &sums->sums[added++];
        add_sum(frame, dci_SampleSums_sums_tag, sum);
        *samples += sum->kind == dci_SampleSumKind_SUM_ALL ? sum->samples : 0;
    }
    frame_varint(frame, dci_SampleSums_more_tag, added < sums->count);
    return added;
}

static void add_stack(struct frame *frame, u32 number, const struct stack *stack)
{
    u32 mark = frame_open(frame, dci_SampleStacks_stacks_tag);

    frame_varint(frame, dci_SampleStack_number_tag, number);
    frame_varint(frame, dci_SampleStack_pid_tag, stack->pid);
    frame_varint(frame, dci_SampleStack_kernel_tag, stack->kernel);
    frame_varint(frame, dci_SampleStack_kind_tag, stack->kind);
    frame_varint(frame, dci_SampleStack_coid_tag, stack->coid);
    frame_fixed64(frame, dci_SampleStack_pc_tag, stack->pc);
    frame_packed_fixed64(frame, dci_SampleStack_callers_tag, stack->callers, stack->caller_count);
    frame_close(frame, mark);
}

u32 sample_frame_stacks(struct frame *frame, struct sample_stacks *stacks, u64 from, u64 to)
{
    const struct sample_sums *sums = &stacks->sums;
    u32 added = 0;

    frame_varint(frame, dci_SampleStacks_from_tag, from);
    frame_varint(frame, dci_SampleStacks_to_tag, to);
    frame_varint(frame, dci_SampleStacks_table_tag, stacks->table);
    while (stacks->told < stacks->count && has_room(frame, STACK_BYTES_MAX)) {
        add_stack(frame, stacks->told + 1, &stacks->stacks[stacks->told]);
        stacks->told++;
    }
    bool all_told = stacks->told == stacks->count;
    while (all_told && added < sums->count && has_room(frame, SUM_BYTES_MAX))
        add_sum(frame, dci_SampleStacks_sums_tag, &sums->sums[added++]);
    frame_varint(frame, dci_SampleStacks_more_tag, added < sums->count);
    return added;
}
