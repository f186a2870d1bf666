// SPDX-License-Identifier: MIT
// Requests about the server that places processes (docs/scheduler.md): what it has decided, and
// which policy it follows. It is asked as any process is, so it may hang or lie.
#include "round.h"
#include "service.h"

#include <orrery/inspect.h>
#include <orrery/place.h>
#include <orrery/sched.h>
#include <orrery/sys.h>
#include <orrery/user.h>
#include <orrery/utf8.h>
#include <string.h>

#define ANSWER_BYTES (sizeof(struct sched_state) + SCHED_DECISIONS * sizeof(struct sched_decision))
_Static_assert(ANSWER_BYTES <= INSPECT_BYTES, "the answer comes in one piece");
// Of a decision in a frame at most: times, numbers and texts, lengths, candidates, pairs, there.
#define DECISION_BYTES_MAX                                                                         \
    (70 + PROCESS_NAME_MAX + SCHED_POLICY_BYTES + SCHED_READINGS * SCHED_CPUS +                    \
     SCHED_CANDIDATES * 14 + SCHED_PAIRS * 46 + 2 * 17)
_Static_assert(SCHED_DECISIONS *DECISION_BYTES_MAX + 1024 <= FRAME_BYTES_MAX, "and so does ours");

// Returns the pid of the scheduler, or 0. Others may have its name, but not its right and priority.
static u32 find_scheduler(void)
{
    struct sys_process_info *processes = (struct sys_process_info *)server_records;
    u64 cursor = 0;
    s64 bytes;

    while ((bytes = sys_process_list(&cursor, processes, sizeof(server_records))) > 0)
        for (u64 i = 0; i < (u64)bytes / sizeof(*processes); i++)
            if (strcmp(processes[i].name, SCHED_PROGRAM) == 0 &&
                processes[i].priority == PROCESS_SERVER && (processes[i].rights & RIGHT_PLACE) != 0)
                return processes[i].pid;
    return 0;
}

static s64 begin_round(struct client *client, const struct round_kind *kind)
{
    u32 pid = find_scheduler();

    if (pid == 0)
        return client_error(client, E_NOENT, "the server " SCHED_PROGRAM " does not run");
    client->walk.round = round_begin(kind, dci_Scope_SCOPE_PROCESS, pid);
    return client->walk.round != NULL ? REQUEST_GOES_ON : E_NOMEM;
}

// ---- decisions ---------------------------------------------------------------------------------

static u32 ask_state(const struct round *round, const struct visit *visit, u64 arguments[4],
                     u32 *room)
{
    (void)round;
    (void)visit;
    *room = ANSWER_BYTES;
    arguments[0] = *room;
    return INSPECT_SCHED;
}

static enum answer_flaw check_state(struct visit *visit, u64 now)
{
    const struct sched_state *state = (const struct sched_state *)visit->question->bytes;
    u64 bytes = visit->question->count;

    (void)now;
    if (bytes < sizeof(*state))
        return ANSWER_CUT;
    return (bytes - sizeof(*state)) % sizeof(struct sched_decision) == 0 &&
                   (bytes - sizeof(*state)) / sizeof(struct sched_decision) == state->count
               ? ANSWER_SOUND
               : ANSWER_LENGTH;
}

static const struct round_kind state_kind = {.ask = ask_state, .check = check_state};

static void add_text(struct frame *frame, u32 field, const char *text, u32 bytes)
{
    char copy[PROCESS_NAME_MAX + 1] = "", sound[PROCESS_NAME_MAX + 1];

    memcpy(copy, text, bytes);
    utf8_copy(sound, copy, sizeof(sound));
    frame_string(frame, field, sound);
}

static void add_pair(struct frame *frame, u32 field, const struct sched_pair *pair)
{
    u32 mark = frame_open(frame, field);

    frame_varint(frame, dci_SchedPair_client_tag, pair->client);
    frame_varint(frame, dci_SchedPair_server_tag, pair->server);
    frame_varint(frame, dci_SchedPair_calls_tag, pair->calls);
    frame_varint(frame, dci_SchedPair_across_tag, pair->across);
    frame_varint(frame, dci_SchedPair_client_cpu_tag, pair->client_cpu);
    frame_varint(frame, dci_SchedPair_server_cpu_tag, pair->server_cpu);
    frame_varint(frame, dci_SchedPair_server_cpus_tag, pair->server_cpus);
    frame_varint(frame, dci_SchedPair_flags_tag, pair->flags);
    frame_varint(frame, dci_SchedPair_idle_ms_tag, pair->idle_ms);
    frame_varint(frame, dci_SchedPair_client_permille_tag, pair->client_permille);
    frame_close(frame, mark);
}

static void add_numbers_of_calls(struct frame *frame, const struct sched_decision *decision)
{
    frame_varint(frame, dci_SchedDecision_pairs_ms_tag, decision->pairs_ms);
    frame_varint(frame, dci_SchedDecision_pairs_age_ms_tag, decision->pairs_age_ms);
    for (u32 i = 0; i < decision->pair_count && i < SCHED_PAIRS; i++)
        add_pair(frame, dci_SchedDecision_pairs_tag, &decision->pairs[i]);
    for (u32 i = 0; i < ARRAY_SIZE(decision->there); i++) {
        u32 there = frame_open(frame, dci_SchedDecision_there_tag);
        frame_varint(frame, dci_SchedAffinity_calls_tag, decision->there[i].calls);
        frame_varint(frame, dci_SchedAffinity_permille_tag, decision->there[i].permille);
        frame_varint(frame, dci_SchedAffinity_age_ms_tag, decision->there[i].age_ms);
        frame_close(frame, there);
    }
}

static void add_decision(struct frame *frame, const struct sched_decision *decision)
{
    u32 mark = frame_open(frame, dci_SchedReply_decisions_tag);
    u32 candidates =
        decision->candidate_count < SCHED_CANDIDATES ? decision->candidate_count : SCHED_CANDIDATES;

    frame_varint(frame, dci_SchedDecision_time_tag, decision->time);
    frame_varint(frame, dci_SchedDecision_number_tag, decision->number);
    frame_varint(frame, dci_SchedDecision_pid_tag, decision->pid);
    add_text(frame, dci_SchedDecision_name_tag, decision->name, sizeof(decision->name));
    add_text(frame, dci_SchedDecision_policy_tag, decision->policy, sizeof(decision->policy));
    frame_varint(frame, dci_SchedDecision_from_tag, decision->from);
    frame_varint(frame, dci_SchedDecision_to_tag, decision->to);
    frame_sint(frame, dci_SchedDecision_result_tag, decision->result);
    frame_varint(frame, dci_SchedDecision_cpus_tag, decision->cpus);
    u32 lengths = frame_open(frame, dci_SchedDecision_lengths_tag);
    frame_bytes(frame, decision->lengths, sizeof(decision->lengths));
    frame_close(frame, lengths);
    for (u32 i = 0; i < candidates; i++) {
        u32 candidate = frame_open(frame, dci_SchedDecision_candidates_tag);
        frame_varint(frame, dci_SchedCandidate_pid_tag, decision->candidates[i].pid);
        frame_varint(frame, dci_SchedCandidate_permille_tag, decision->candidates[i].permille);
        frame_close(frame, candidate);
    }
    frame_varint(frame, dci_SchedDecision_action_tag, decision->action);
    add_numbers_of_calls(frame, decision);
    frame_close(frame, mark);
}

static s64 sched_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    return begin_round(client, &state_kind);
}

static s64 failed(struct client *client, const struct visit *visit)
{
    return client_error(client, visit->failure.error, "the scheduler (process %u) %s",
                        (unsigned)visit->pid, visit->failure.text);
}

static s64 sched_step(struct client *client)
{
    const struct visit *visit = round_next(client->walk.round);
    struct frame frame;

    if (visit == NULL)
        return REQUEST_WAITS;
    if (visit->failure.error != 0)
        return failed(client, visit);
    if (visit->question->count == 0)
        return client_error(client, E_PROTO, "the scheduler answered nothing");
    const struct sched_state *state = (const struct sched_state *)visit->question->bytes;
    const struct sched_decision *decisions = (const struct sched_decision *)(state + 1);
    client_frame_begin(client, &frame, dci_Response_sched_tag);
    frame_varint(&frame, dci_SchedReply_pid_tag, visit->pid);
    add_text(&frame, dci_SchedReply_policy_tag, state->policy, sizeof(state->policy));
    frame_varint(&frame, dci_SchedReply_readings_tag, state->readings);
    frame_varint(&frame, dci_SchedReply_decided_tag, state->decisions);
    frame_varint(&frame, dci_SchedReply_held_back_tag, state->held_back);
    frame_varint(&frame, dci_SchedReply_failures_tag, state->failures);
    frame_varint(&frame, dci_SchedReply_pair_count_tag, state->pair_count);
    frame_varint(&frame, dci_SchedReply_pairs_ms_tag, state->pairs_ms);
    frame_varint(&frame, dci_SchedReply_pairs_age_ms_tag, state->pairs_age_ms);
    frame_varint(&frame, dci_SchedReply_cut_tag, state->cut);
    frame_varint(&frame, dci_SchedReply_others_tag, state->others);
    for (u32 i = 0; i < state->pair_count && i < SCHED_TOP_PAIRS; i++)
        add_pair(&frame, dci_SchedReply_pairs_tag, &state->pairs[i]);
    for (u32 i = 0; i < state->count; i++)
        add_decision(&frame, &decisions[i]);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

// ---- changes -----------------------------------------------------------------------------------

static u32 ask_policy(const struct round *round, const struct visit *visit, u64 arguments[4],
                      u32 *room)
{
    (void)visit;
    *room = 0;
    arguments[0] = round->values[0];
    arguments[1] = round->values[1];
    return INSPECT_SCHED_POLICY;
}

static const struct round_kind policy_kind = {.ask = ask_policy};

static s64 sched_policy_begin(struct client *client, const dci_Request *request)
{
    char name[SCHED_POLICY_BYTES] = "";

    strncpy(name, request->body.sched_policy.policy, sizeof(name) - 1);
    s64 result = begin_round(client, &policy_kind);
    if (result == REQUEST_GOES_ON)
        memcpy(client->walk.round->values, name, sizeof(name));
    return result;
}

static s64 sched_policy_step(struct client *client)
{
    const struct visit *visit = round_next(client->walk.round);

    if (visit == NULL)
        return REQUEST_WAITS;
    bool refused = visit->question != NULL && visit->question->outcome == QUESTION_ANSWERED;
    if (refused && visit->failure.error == E_NOENT)
        return client_error(client, E_NOENT, "there is no such policy");
    if (refused && visit->failure.error == E_BUSY)
        return client_error(client, E_BUSY, "another process owns the logs");
    return visit->failure.error == 0 ? REQUEST_DONE : failed(client, visit);
}

// The place is the kernel's, and policies ask it: this works without the scheduler, too.
static s64 sched_pin_begin(struct client *client, const dci_Request *request)
{
    const dci_SchedPinRequest *body = &request->body.sched_pin;
    struct sys_placement place = {.flags = PLACE_UNPINNED};

    if (body->pid == 0)
        return client_error(client, E_INVAL, "the kernel is no process");
    if (body->pinned && body->cpu >= server_system.cpu_count)
        return client_error(client, E_INVAL, "there are %u CPUs",
                            (unsigned)server_system.cpu_count);
    if (body->pinned)
        place = (struct sys_placement){.cpus = 1UL << body->cpu, .flags = PLACE_PINNED};
    s64 error = sys_place(body->pid, &place);
    return error < 0 ? error : REQUEST_DONE;
}

static const struct request_kind kinds[] = {
    REQUEST(sched, dci_Role_ROLE_OBSERVER, sched_begin, sched_step),
    REQUEST(sched_policy, dci_Role_ROLE_CONTROLLER, sched_policy_begin, sched_policy_step),
    REQUEST(sched_pin, dci_Role_ROLE_CONTROLLER, sched_pin_begin, NULL),
};

const struct service scheduler_service = {.kinds = kinds, .kind_count = ARRAY_SIZE(kinds)};
