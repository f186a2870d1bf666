// SPDX-License-Identifier: MIT
// Processes that clients leave out of counting. The kernel knows only that a process is left out.
// This file knows for which clients, and has the process counted again when the last of them is
// content or gone.
#include "exclusion.h"

#include "service.h"

#include <orrery/pmu.h>
#include <orrery/process.h>
#include <orrery/sys.h>
#include <string.h>

#define NOTES_MAX (2 * CLIENTS_MAX * EXCLUDED_MAX)

// Processes that were left out, and the latest session of each that they were left out of.
static struct note {
    u32 pid;
    s64 session;
} notes[NOTES_MAX];
static s64 latest;       // session
static s64 latest_noted; // the latest session of any note

// The processes that each client leaves out.
static struct exclusion {
    u32 pids[EXCLUDED_MAX];
    u32 count;
} exclusions[SLOTS_MAX];

static bool contains(const u32 *pids, u32 count, u32 pid)
{
    for (u32 i = 0; i < count; i++)
        if (pids[i] == pid)
            return true;
    return false;
}

static bool held_by(const struct exclusion *own, u32 pid)
{
    return contains(own->pids, own->count, pid);
}

// Notes that a process is left out of the latest session. Replaces the oldest note.
static void note(u32 pid)
{
    struct note *place = &notes[0];

    for (u32 i = 0; i < NOTES_MAX && place->pid != pid; i++)
        if (notes[i].pid == pid || notes[i].session < place->session)
            place = &notes[i];
    *place = (struct note){.pid = pid, .session = latest};
    latest_noted = latest;
}

void exclusion_session_begin(s64 session)
{
    latest = session;
    for (u32 i = 0; i < SLOTS_MAX; i++)
        for (u32 k = 0; k < exclusions[i].count; k++)
            note(exclusions[i].pids[k]);
}

void exclusion_add(struct frame *frame, u32 field, s64 session)
{
    if (latest_noted < session)
        return; // as nearly always: nobody leaves anything out
    for (u32 i = 0; i < NOTES_MAX; i++)
        if (notes[i].pid != 0 && notes[i].session >= session)
            frame_varint(frame, field, notes[i].pid);
}

void exclusion_begin(void)
{
    struct sys_process_info info;
    u64 cursor = 0;

    while (sys_process_list(&cursor, &info, sizeof(info)) > 0)
        if (sys_pmu_exclude(info.pid, false) == E_NOTSUP)
            return;
}

// ---- requests ----------------------------------------------------------------------------------

// Has a process counted again, unless another client leaves it out.
static void take_in(const struct exclusion *own, u32 pid)
{
    for (u32 i = 0; i < SLOTS_MAX; i++)
        if (&exclusions[i] != own && held_by(&exclusions[i], pid))
            return;
    sys_pmu_exclude(pid, false); // an error: it has ended
}

// Leaves out the pids that the client does not leave out yet. If one fails, none is left out.
static s64 leave_out(struct client *client, const u32 *pids, u32 count)
{
    const struct exclusion *own = &exclusions[client_slot(client)];

    for (u32 i = 0; i < count; i++) {
        if (held_by(own, pids[i]))
            continue;
        s64 error = sys_pmu_exclude(pids[i], true);
        if (error == 0)
            continue;
        client_error(client, error, "process %u cannot be left out: %s", (unsigned)pids[i],
                     orrery_strerror(error));
        while (i-- > 0)
            if (!held_by(own, pids[i]))
                take_in(own, pids[i]);
        return error;
    }
    return 0;
}

// Has all of the client's processes counted again, but for these.
static void take_in_but(const struct exclusion *own, const u32 *pids, u32 count)
{
    for (u32 i = 0; i < own->count; i++)
        if (!contains(pids, count, own->pids[i]))
            take_in(own, own->pids[i]);
}

static s64 count_exclude_begin(struct client *client, const dci_Request *request)
{
    const dci_CountExcludeRequest *body = &request->body.count_exclude;
    struct exclusion *own = &exclusions[client_slot(client)];

    if (contains(body->pids, body->pids_count, 0))
        return client_error(client, E_INVAL, "the kernel cannot be left out: it is no process");
    s64 error = leave_out(client, body->pids, body->pids_count);
    if (error != 0)
        return error;
    take_in_but(own, body->pids, body->pids_count);
    memcpy(own->pids, body->pids, body->pids_count * sizeof(body->pids[0]));
    own->count = body->pids_count;
    for (u32 i = 0; i < body->pids_count; i++)
        note(body->pids[i]);
    return REQUEST_DONE;
}

static void exclusion_release(struct client *client)
{
    struct exclusion *own = &exclusions[client_slot(client)];

    take_in_but(own, NULL, 0);
    own->count = 0;
}

static const struct request_kind kinds[] = {
    REQUEST(count_exclude, dci_Role_ROLE_CONTROLLER, count_exclude_begin, NULL),
};

const struct service exclusion_service = {
    .kinds = kinds, .kind_count = ARRAY_SIZE(kinds), .release = exclusion_release};
