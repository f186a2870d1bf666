// SPDX-License-Identifier: MIT
// What browsers ask once, and what controllers do.
#include "gateway/machine_state.h"
#include "machine/program.h"
#include "machine/regions.h"
#include "output/document.h"
#include "tools/clock.h"
#include "wire/dci.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *message, const char *name)
{
    const char *text = json_string_value(json_object_get(message, name));
    return text == NULL ? "" : text;
}

// That it is there, and its range, was checked (act_check).
static u64 number_of(const json_t *message, const char *name)
{
    return (u64)json_integer_value(json_object_get(message, name));
}

static void answer(struct machine *machine, const struct post *request, json_t *data)
{
    json_t *json = json_pack("{s:s, s:O, s:o}", "type", "answer", "id",
                             json_object_get(request->json, "id"), "data", data);
    machine_post(machine, (struct post){.kind = POST_ANSWER,
                                        .browser = request->browser,
                                        .block = block_of_json(json)});
}

static void answer_error(struct machine *machine, const struct post *request, const char *why)
{
    json_t *json = json_pack("{s:s, s:O, s:o}", "type", "error", "id",
                             json_object_get(request->json, "id"), "message", block_text(why));
    machine_post(machine, (struct post){.kind = POST_ANSWER,
                                        .browser = request->browser,
                                        .block = block_of_json(json)});
}

// ---- asking ------------------------------------------------------------------------------------

static void put_key(json_t *list, u32 pid, coid_t coid)
{
    char key[48];
    snprintf(key, sizeof(key), "o:%" PRIu32 ":%" PRIx64, pid, (u64)coid);
    put_text(list, NULL, key);
}

static void put_parents(json_t *list, const struct snapshot *snapshot,
                        const struct object_info *child)
{
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct object_info *object = &snapshot->objects[i];
        for (u32 c = 0; c < object->child_count && object->pid == child->pid; c++)
            if (object->children[c] == child->coid) {
                put_key(list, object->pid, object->coid);
                break;
            }
    }
}

static int ask_object(struct machine *machine, const struct post *request)
{
    struct ranking_thing thing;
    u32 cpu;
    const struct object_info *object = NULL;
    if (publish_thing(text_of(request->json, "of"), &thing, &cpu) && thing.by == RANKING_OBJECT)
        object = snapshot_object(&machine->snapshot, thing.pid, thing.coid);
    if (object == NULL) {
        answer_error(machine, request, "the last scan saw no such object: it is gone");
        return KOV_OK;
    }
    const struct class_info *class =
        snapshot_class(&machine->snapshot, object->pid, object->class_id);
    json_t *data = json_object();
    put_u64(data, "pid", object->pid);
    put_hex(data, "coid", object->coid);
    if (class != NULL) {
        put_text(data, "class", class->name);
        put_text(data, "implementation", class->implementation);
        put_u64(data, "size", class->size);
        put_bool(data, "distributed", class->distributed);
    }
    put_u64(data, "reps", object->reps);
    put_u64(data, "misses", object->misses);
    json_t *children = put_array(data, "children");
    for (u32 i = 0; i < object->child_count && i < 1000; i++)
        put_key(children, object->pid, object->children[i]);
    put_parents(put_array(data, "parents"), &machine->snapshot, object);
    answer(machine, request, data);
    return KOV_OK;
}

static int ask_regions(struct machine *machine, const struct post *request)
{
    struct ranking_thing thing;
    u32 cpu;
    if (!publish_thing(text_of(request->json, "of"), &thing, &cpu) || thing.by != RANKING_PROCESS) {
        answer_error(machine, request, "of: p:PID");
        return KOV_OK;
    }
    json_t *data = json_object();
    int code = regions_fetch(thing.pid, put_array(data, "regions"));
    if (code == KOV_OK)
        answer(machine, request, data);
    else
        json_decref(data);
    return code;
}

// Asks a trace folder.
static int ask_folder(struct machine *machine, const struct post *request, bool events)
{
    json_t *data = json_object();
    int code = !machine->timeline->is_whole ? fail(KOV_USAGE, "the trace is being read")
               : events                     ? folder_put_events(machine, request->json, data)
                                            : folder_put_arrows(machine, request->json, data);
    if (code == KOV_OK)
        answer(machine, request, data);
    else
        json_decref(data);
    return code;
}

// ---- acting ------------------------------------------------------------------------------------

static int kill_process(const json_t *message)
{
    Orrery__Dci__KillRequest body = ORRERY__DCI__KILL_REQUEST__INIT;
    body.pid = (u32)number_of(message, "number");
    body.status = PROGRAM_KILLED; // or who waits for it, `kov run` too, hears of success
    return dci_call(DCI_REQUEST(KILL, kill, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot end the process", NULL, NULL);
}

static int move_process(const json_t *message)
{
    Orrery__Dci__MoveRequest body = ORRERY__DCI__MOVE_REQUEST__INIT;
    body.pid = (u32)number_of(message, "number");
    body.cpu = (u32)number_of(message, "to");
    return dci_call(DCI_REQUEST(MOVE, move, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot move the process", NULL, NULL);
}

static int power_off(void)
{
    Orrery__Dci__PowerOffRequest body = ORRERY__DCI__POWER_OFF_REQUEST__INIT;
    return dci_call(DCI_REQUEST(POWER_OFF, power_off, &body), ORRERY__DCI__RESPONSE__BODY__NOT_SET,
                    "cannot power off", NULL, NULL);
}

// *id: of a workload that was started.
static int do_it(struct machine *machine, const json_t *message, u64 *id)
{
    enum acted_kind kind;
    const char *wrong = act_check(message, &kind);
    if (wrong != NULL)
        return fail(KOV_USAGE, "%s", wrong);
    switch (kind) {
    case ACTED_SAMPLE:
        return background_change(&machine->background, text_of(message, "text"));
    case ACTED_WORKLOAD_START:
        return runs_start(&machine->runs, text_of(message, "text"),
                          background_now(&machine->background), id);
    case ACTED_WORKLOAD_STOP:
        return workload_stop(number_of(message, "number"));
    case ACTED_KILL:
        return kill_process(message);
    case ACTED_MOVE:
        return move_process(message);
    case ACTED_CONSOLE:
        return console_history_type(text_of(message, "text"));
    default:
        return power_off();
    }
}

static int act(struct machine *machine, const struct post *request)
{
    json_t *data = json_object();
    u64 id = 0;
    int code = do_it(machine, request->json, &id);
    if (id != 0)
        put_u64(data, "id", id);
    if (code == KOV_OK)
        answer(machine, request, data);
    else
        json_decref(data);
    return code;
}

int request_answer(struct machine *machine, const struct post *request)
{
    if ((machine->player != NULL || machine->link == NULL) && machine->settings.of == NULL &&
        request->kind == REQUEST_ACT) {
        answer_error(machine, request,
                     machine->settings.folder == NULL
                         ? "a recording is played: nothing can be done to it"
                         : "a trace folder is shown: nothing can be done to it");
        return KOV_OK;
    }
    const char *what = text_of(request->json, "what");
    bool is_events = request->kind == REQUEST_ASK && strcmp(what, "events") == 0;
    bool is_arrows = request->kind == REQUEST_ASK && strcmp(what, "arrows") == 0;
    bool of_folder = is_events || is_arrows;
    bool known = request->kind == REQUEST_ASK && strcmp(what, "object") == 0; // by the last scan
    if (!machine->live && !known && !(of_folder && machine->timeline != NULL)) {
        answer_error(machine, request,
                     machine->settings.of != NULL        ? "this boot has ended"
                     : machine->settings.folder != NULL  ? "a trace folder does not tell"
                     : machine->settings.samples != NULL ? "a recording of samples does not tell"
                                                         : "the machine is not connected");
        return KOV_OK;
    }
    machine->failure[0] = 0;
    int code;
    if (request->kind == REQUEST_ACT)
        code = act(machine, request);
    else if (strcmp(what, "object") == 0)
        code = ask_object(machine, request);
    else if (strcmp(what, "regions") == 0)
        code = ask_regions(machine, request);
    else if (of_folder && machine->timeline != NULL)
        code = ask_folder(machine, request, is_events);
    else
        code = fail(KOV_USAGE, of_folder ? "only trace folders have events and arrows"
                                         : "what: one of object, regions, events, arrows");
    if (code != KOV_OK)
        answer_error(machine, request, machine->failure);
    return code == KOV_CONNECTION ? code : KOV_OK;
}
