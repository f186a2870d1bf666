// SPDX-License-Identifier: MIT
// `kov sched`: what the machine's scheduler in user mode has decided, from which numbers, and its
// policy.
#include "commands/commands.h"
#include "output/columns.h"
#include "tools/text.h"
#include "wire/dci.h"
#include "wire/session.h"

#include <inttypes.h>
#include <orrery/errors.h>
#include <sched/policies/policy.h>
#include <string.h>

typedef Orrery__Dci__SchedDecision dci_decision;

// ---- decisions ---------------------------------------------------------------------------------

// Returns how long a queue was in a reading, or 0 if that was not told.
static u8 length_of(const dci_decision *decision, u32 reading, u32 cpu)
{
    size_t at = (size_t)reading * SCHED_CPUS + cpu;
    return at < decision->lengths.len ? decision->lengths.data[at] : 0;
}

static void put_lengths(json_t *row, const dci_decision *decision)
{
    json_t *readings = put_array(row, "queues");
    u32 cpus = decision->cpus < SCHED_CPUS ? decision->cpus : SCHED_CPUS;
    for (u32 reading = 0; reading < SCHED_READINGS; reading++) {
        json_t *lengths = put_array(readings, NULL);
        for (u32 cpu = 0; cpu < cpus; cpu++)
            json_array_append_new(lengths, json_integer(length_of(decision, reading, cpu)));
    }
}

static void put_candidates(json_t *row, const dci_decision *decision)
{
    json_t *candidates = put_array(row, "candidates");
    for (size_t i = 0; i < decision->n_candidates; i++) {
        json_t *candidate = put_object(candidates, NULL);
        put_u64(candidate, "pid", decision->candidates[i]->pid);
        put_number(candidate, "percent", decision->candidates[i]->permille / 10.0);
    }
}

static void put_pairs(json_t *row, Orrery__Dci__SchedPair *const *from, size_t count)
{
    json_t *pairs = put_array(row, "pairs");
    for (size_t i = 0; i < count; i++) {
        json_t *pair = put_object(pairs, NULL);
        bool called = from[i]->client != 0;
        put_u64(pair, "server", from[i]->server);
        put_u64(pair, "server_cpu", from[i]->server_cpu);
        put_u64(pair, "client_cpu", from[i]->client_cpu);
        if (called) {
            put_u64(pair, "client", from[i]->client);
            put_u64(pair, "calls", from[i]->calls);
            put_u64(pair, "across", from[i]->across);
            put_number(pair, "client_percent", from[i]->client_permille / 10.0);
        } else {
            put_u64(pair, "idle_ms", from[i]->idle_ms);
        }
    }
}

// A number that may not be known: then null.
static void put_known(json_t *row, const char *key, u32 number)
{
    if (number == SCHED_UNKNOWN)
        json_object_set_new(row, key, json_null());
    else
        put_u64(row, key, number);
}

static void put_affinities(json_t *row, const dci_decision *decision)
{
    static const char *const keys[] = {"at_from", "at_to"};
    for (size_t i = 0; i < decision->n_there && i < ARRAY_SIZE(keys); i++) {
        json_t *there = put_object(row, keys[i]);
        put_u64(there, "calls", decision->there[i]->calls);
        put_known(there, "permille", decision->there[i]->permille);
        put_known(there, "age_ms", decision->there[i]->age_ms);
    }
}

static const char *action_of(const dci_decision *decision)
{
    static const char *const actions[] = {"move", "spread", "gather"};
    return (u32)decision->action < ARRAY_SIZE(actions) ? actions[decision->action] : "unknown";
}

static void put_decision(json_t *list, const dci_decision *decision)
{
    json_t *row = put_object(list, NULL);
    text_make_printable(decision->name, false);
    text_make_printable(decision->policy, false);
    put_u64(row, "number", decision->number);
    put_number(row, "time", (double)decision->time / (double)session_machine()->timebase_hz);
    put_text(row, "policy", decision->policy);
    put_text(row, "action", action_of(decision));
    put_u64(row, "pid", decision->pid);
    put_text(row, "name", decision->name);
    put_u64(row, "from", decision->from);
    put_u64(row, "to", decision->to);
    put_text(row, "result", decision->result == 0 ? "done" : orrery_strerror(decision->result));
    put_lengths(row, decision);
    put_candidates(row, decision);
    put_known(row, "pairs_ms", decision->pairs_ms);
    put_known(row, "pairs_age_ms", decision->pairs_age_ms);
    put_pairs(row, decision->pairs, decision->n_pairs);
    put_affinities(row, decision);
}

// Each queue's lengths in the order of readings: "4 4 4 4 4 | 0 0 0 0 0".
static void queues_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *readings = json_object_get(row, column->key);
    size_t length = 0;
    text[0] = '\0';
    for (size_t cpu = 0; cpu < json_array_size(json_array_get(readings, 0)); cpu++) {
        for (size_t reading = 0; reading < json_array_size(readings); reading++) {
            const json_t *one = json_array_get(json_array_get(readings, reading), cpu);
            length +=
                (size_t)snprintf(text + length, CELL_BYTES - length, "%s%" JSON_INTEGER_FORMAT,
                                 reading > 0 ? " "
                                 : cpu > 0   ? " | "
                                             : "",
                                 json_integer_value(one));
        }
    }
}

static void candidates_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *candidate, *candidates = json_object_get(row, column->key);
    size_t i, length = 0;
    text[0] = '\0';
    json_array_foreach(candidates, i, candidate)
    {
        length += (size_t)snprintf(text + length, CELL_BYTES - length,
                                   "%s%" JSON_INTEGER_FORMAT ": %.1f %%", i > 0 ? ", " : "",
                                   json_integer_value(json_object_get(candidate, "pid")),
                                   json_number_value(json_object_get(candidate, "percent")));
        if (length >= CELL_BYTES)
            return; // a machine may name any number of them
    }
}

// The pair that a decision is about: "7 > 5: 812 of 815/s across".
static void pair_text(const struct column *column, const json_t *row, char text[CELL_BYTES])
{
    const json_t *pair = json_array_get(json_object_get(row, column->key), 0);
    const json_t *client = json_object_get(pair, "client");
    text[0] = '\0';
    if (client != NULL)
        snprintf(text, CELL_BYTES,
                 "%" JSON_INTEGER_FORMAT " > %" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT
                 " of %" JSON_INTEGER_FORMAT "/s across",
                 json_integer_value(client), json_integer_value(json_object_get(pair, "server")),
                 json_integer_value(json_object_get(pair, "across")),
                 json_integer_value(json_object_get(pair, "calls")));
    else if (pair != NULL)
        snprintf(text, CELL_BYTES, "no call for %" JSON_INTEGER_FORMAT " ms",
                 json_integer_value(json_object_get(pair, "idle_ms")));
}

static const struct column columns[] = {
    COLUMN("TIME", "time", 10, .decimals = 3, .unit = " s"),
    HIDDEN("number"),
    COLUMN("POLICY", "policy", -8),
    COLUMN("ACTION", "action", -6),
    COLUMN("PID", "pid", 5, .rank = RANK_KEEP),
    COLUMN("NAME", "name", -12, .rank = RANK_KEEP),
    COLUMN("FROM", "from", 4, .rank = RANK_KEEP),
    COLUMN("TO", "to", 4, .rank = RANK_KEEP),
    COLUMN("RESULT", "result", -6),
    COLUMN("QUEUES", "queues", -1, .compose = queues_text),
    COLUMN("RAN MOST THERE", "candidates", -1, .compose = candidates_text),
    COLUMN("CALLS", "pairs", -1, .compose = pair_text),
    COLUMNS_END,
};
static const struct sheet sheets[] = {{"decisions", columns}, {NULL, NULL}};

static void tell_pairs(const json_t *document)
{
    const json_t *pair, *pairs = json_object_get(document, "pairs");
    size_t i;
    char text[CELL_BYTES];
    if (!json_is_integer(json_object_get(document, "pairs_ms")))
        return;
    printf("%" JSON_INTEGER_FORMAT " pairs called in %" JSON_INTEGER_FORMAT
           " ms, which ended %" JSON_INTEGER_FORMAT " ms ago\n",
           json_integer_value(json_object_get(document, "pair_count")),
           json_integer_value(json_object_get(document, "pairs_ms")),
           json_integer_value(json_object_get(document, "pairs_age_ms")));
    json_array_foreach(pairs, i, pair)
    {
        json_t *row = json_pack("{s:[O]}", "pairs", pair);
        pair_text(&(struct column){.key = "pairs"}, row, text);
        printf("  %s\n", text);
        json_decref(row);
    }
}

static int take_decisions(void *context, const dci_response *response)
{
    json_t *document = context;
    const Orrery__Dci__SchedReply *reply = response->sched;
    text_make_printable(reply->policy, false);
    put_text(document, "policy", reply->policy);
    put_u64(document, "pid", reply->pid);
    put_u64(document, "readings", reply->readings);
    put_u64(document, "decided", reply->decided);
    put_u64(document, "held_back", reply->held_back);
    put_u64(document, "failed_readings", reply->failures);
    put_u64(document, "cut_readings", reply->cut);
    put_u64(document, "processes_in_one_domain", reply->others);
    put_known(document, "pairs_ms", reply->pairs_ms);
    put_known(document, "pairs_age_ms", reply->pairs_age_ms);
    put_u64(document, "pair_count", reply->pair_count);
    put_pairs(document, reply->pairs, reply->n_pairs);
    json_t *list = put_array(document, "decisions");
    for (size_t i = 0; i < reply->n_decisions; i++)
        put_decision(list, reply->decisions[i]);
    return KOV_OK;
}

static int fetch(dci_response_handler *take, void *context)
{
    Orrery__Dci__SchedRequest body = ORRERY__DCI__SCHED_REQUEST__INIT;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    return dci_call(DCI_REQUEST(SCHED, sched, &body), ORRERY__DCI__RESPONSE__BODY_SCHED,
                    "cannot ask the scheduler", take, context);
}

static int list_decisions(void)
{
    json_t *document = json_object();
    int code = fetch(take_decisions, document);
    if (code != KOV_OK) {
        json_decref(document);
        return code;
    }
    if (output_form() == OUTPUT_TABLES)
        printf("policy %s; %" JSON_INTEGER_FORMAT " decisions, %" JSON_INTEGER_FORMAT
               " held back; %" JSON_INTEGER_FORMAT " readings\n",
               json_string_value(json_object_get(document, "policy")),
               json_integer_value(json_object_get(document, "decided")),
               json_integer_value(json_object_get(document, "held_back")),
               json_integer_value(json_object_get(document, "readings")));
    if (output_form() == OUTPUT_TABLES)
        tell_pairs(document);
    document_show(document, sheets);
    return KOV_OK;
}

// ---- why ---------------------------------------------------------------------------------------

struct question {
    u32 pid;
    json_t *document; // of the last decision about it; NULL: there is none
};

// Makes the view again that the policy had, as far as its decision depends on it.
static void make_view(const dci_decision *decision, struct view *view)
{
    *view = (struct view){.cpus = decision->cpus < SCHED_CPUS ? decision->cpus : SCHED_CPUS};
    for (u32 reading = 0; reading < SCHED_READINGS; reading++)
        for (u32 cpu = 0; cpu < view->cpus; cpu++)
            view->lengths[reading][cpu] = length_of(decision, reading, cpu);
    for (size_t i = 0; i < decision->n_candidates && i < SCHED_CANDIDATES; i++)
        view->processes[view->count++] =
            (struct view_process){.pid = decision->candidates[i]->pid,
                                  .cpu = decision->from,
                                  .permille = decision->candidates[i]->permille};
    view->pairs_ms = (u16)decision->pairs_ms;
    view->pairs_age_ms = (u16)decision->pairs_age_ms;
    for (size_t i = 0; i < decision->n_pairs && i < SCHED_PAIRS; i++) {
        const Orrery__Dci__SchedPair *pair = decision->pairs[i];
        view->pairs[view->pair_count++] =
            (struct sched_pair){.client = pair->client,
                                .server = pair->server,
                                .calls = pair->calls,
                                .across = pair->across,
                                .client_cpu = (u8)pair->client_cpu,
                                .server_cpu = (u8)pair->server_cpu,
                                .server_cpus = (u8)pair->server_cpus,
                                .flags = (u8)pair->flags,
                                .idle_ms = (u16)pair->idle_ms,
                                .client_permille = (u16)pair->client_permille};
    }
}

static void replay(const dci_decision *decision, json_t *document)
{
    const struct policy *policy = policy_find(decision->policy);
    struct view view;
    struct proposal proposal = {0};
    make_view(decision, &view);
    bool known = policy != NULL && policy->decide != NULL;
    bool decided = known && policy->decide(&view, &proposal);
    bool same = decided && proposal.pid == decision->pid && proposal.from == decision->from &&
                proposal.to == decision->to && (u32)proposal.action == (u32)decision->action;
    put_text(document, "replay", !known ? NULL : same ? "same" : "different");
}

static int take_last(void *context, const dci_response *response)
{
    struct question *question = context;
    for (size_t i = response->sched->n_decisions; i > 0 && question->document == NULL; i--) {
        const dci_decision *decision = response->sched->decisions[i - 1];
        if (decision->pid != question->pid)
            continue;
        question->document = json_object();
        put_decision(put_array(question->document, "decisions"), decision);
        replay(decision, question->document);
    }
    return KOV_OK;
}

static int tell_why(u32 pid)
{
    struct question question = {.pid = pid};
    int code = fetch(take_last, &question);
    if (code != KOV_OK)
        return code;
    if (question.document == NULL)
        return fail(KOV_FAILED, "none of the scheduler's last decisions is about process %u", pid);
    const char *replayed = json_string_value(json_object_get(question.document, "replay"));
    bool same = replayed != NULL && strcmp(replayed, "same") == 0;
    if (output_form() == OUTPUT_TABLES)
        printf("from these numbers the policy decides %s\n", same ? "the same again"
                                                             : replayed == NULL
                                                                 ? "nothing that this kov knows"
                                                                 : "something else");
    document_show(question.document, sheets);
    return same ? KOV_OK : KOV_FAILED;
}

// ---- changes -----------------------------------------------------------------------------------

static void tell_policy(const json_t *document)
{
    printf("policy %s\n", json_string_value(json_object_get(document, "policy")));
}

static int set_policy(char *name)
{
    Orrery__Dci__SchedPolicyRequest body = ORRERY__DCI__SCHED_POLICY_REQUEST__INIT;
    if (strlen(name) >= SCHED_POLICY_BYTES)
        return fail(KOV_USAGE, "no policy has a name of more than %d bytes",
                    SCHED_POLICY_BYTES - 1);
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    body.policy = name;
    code = dci_call(DCI_REQUEST(SCHED_POLICY, sched_policy, &body),
                    ORRERY__DCI__RESPONSE__BODY__NOT_SET, "cannot change the policy", NULL, NULL);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_text(document, "policy", name);
    document_tell(document, tell_policy);
    return KOV_OK;
}

static int pin(u32 pid, const char *cpu)
{
    Orrery__Dci__SchedPinRequest body = ORRERY__DCI__SCHED_PIN_REQUEST__INIT;
    u64 number = 0;
    body.pid = pid;
    body.pinned = strcmp(cpu, "none") != 0;
    if (body.pinned && !text_to_u64(cpu, 0, UINT32_MAX, &number))
        return fail(KOV_USAGE, "'%s' is no CPU, nor none", cpu);
    body.cpu = (u32)number;
    int code = session_begin(true);
    if (code != KOV_OK)
        return code;
    code = dci_call(DCI_REQUEST(SCHED_PIN, sched_pin, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot pin the process", NULL, NULL);
    if (code != KOV_OK)
        return code;
    json_t *document = json_object();
    put_u64(document, "pid", pid);
    put_bool(document, "pinned", body.pinned);
    document_tell(document, NULL);
    return KOV_OK;
}

static int run(const struct arguments *arguments)
{
    char **words = arguments->values;
    u64 pid = 0;
    if (arguments->count == 0)
        return list_decisions();
    if (arguments->count == 2 && strcmp(words[0], "policy") == 0)
        return set_policy(words[1]);
    bool why = arguments->count == 2 && strcmp(words[0], "why") == 0;
    if (!why && (arguments->count != 3 || strcmp(words[0], "pin") != 0))
        return fail(KOV_USAGE, "give nothing, or policy NAME, pin PID CPU|none, why PID");
    if (!text_to_u64(words[1], 1, UINT32_MAX, &pid))
        return fail(KOV_USAGE, "'%s' is no number of a process: see `kov ps`", words[1]);
    return why ? tell_why((u32)pid) : pin((u32)pid, words[2]);
}

const struct command command_sched = {
    .name = "sched",
    .synopsis = "[policy NAME | pin PID CPU|none | why PID]",
    .summary = "Show what the scheduler in user mode has decided, and why; change its policy",
    .details =
        "Without words: its last 160 decisions, with the lengths of the run queues in the five\n"
        "readings before each, by CPU, the processes that had run most, and the calls that it is\n"
        "about. policy: none, balance or calls. pin: the process stays on a CPU, and policies\n"
        "leave it alone. why: the last decision about a process, and whether its policy decides\n"
        "the same from its numbers.",
    .max_arguments = 3,
    .has_csv = true,
    .run = run,
};
