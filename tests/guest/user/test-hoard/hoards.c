// SPDX-License-Identifier: MIT
// Memory of others that is held when its reason has gone: contents of removed files, closed
// sockets; and memory that others need to do what they are asked for.
#include "hoards.h"

#include <ipc/fs.h>
#include <ipc/names.h>
#include <ipc/net.h>
#include <ipc/net_session.h>
#include <net/protocol.h>
#include <orrery/memory.h>
#include <orrery/monitors.h>
#include <stdio.h>
#include <unistd.h>
#include <user/ipc.h>
#include <user/scheduler.h>

#define FAR_OUT (16UL << 20) // where a file's one byte stands
#define MUCH 1000000         // uses after which contents are shared
#define REFUSALS 20          // in a row: there is no more
#define PIPE_BYTES 0x4000
#define SOCKETS 64
#define RINGS (1UL << 20) // of a monitor, on all CPUs together
#define PIECE (1UL << 20)
#define PIECES 64 // more than any limit here allows

static cap_t server(const char *name)
{
    cap_t endpoint = 0;
    names_lookup(CAP_NAMES, name, &endpoint);
    return endpoint;
}

static s64 never(struct ipc_request *request)
{
    (void)request;
    return IPC_LATER;
}

// Makes a file, keeps its memory, and removes the file. Returns the memory's bytes.
static u64 hoard_file(cap_t fs, u64 number)
{
    struct fs_sharing sharing = {.bytes = 0};
    struct fs_stat info;
    char path[40];
    u64 file, bytes;
    cap_t memory;
    snprintf(path, sizeof(path), "/tmp/hoard-%d-%lu", (int)getpid(), (unsigned long)number);
    if (fs_open(fs, path, FS_READ | FS_WRITE | FS_CREATE, &file, &info) != 0)
        return 0;
    s64 status = fs_write(fs, file, FAR_OUT - 1, 0, "x", 1, &bytes);
    if (status == 0)
        status = fs_share(fs, file, MUCH, &sharing, &memory);
    fs_close(fs, file);
    fs_remove(fs, path);
    return status == 0 ? sharing.bytes : 0;
}

u64 hoard_files(void)
{
    cap_t fs = server("fs");
    u64 bytes = 0, refused = 0;
    for (u64 i = 0; refused < REFUSALS; i++) {
        u64 more = hoard_file(fs, i);
        bytes += more;
        refused = more != 0 ? 0 : refused + 1;
    }
    return bytes;
}

u64 hoard_pipes(void)
{
    cap_t fs = server("fs");
    u64 ends[2], bytes = 0;
    while (fs_pipe(fs, &ends[0], &ends[1]) == 0)
        bytes += PIPE_BYTES;
    return bytes;
}

// Fills a session with sockets, keeps their memory, and closes them. Returns how many it got.
static u32 hoard_session(cap_t session)
{
    u32 sockets[SOCKETS], count = 0, kept, wake;
    cap_t memory;
    while (count < SOCKETS && net_session_create(session, &sockets[count], &memory) == 0)
        count++;
    for (u32 i = 0; i < count; i++)
        net_session_close(session, sockets[i], 0, &kept, &wake);
    return count;
}

u64 hoard_sockets(void)
{
    cap_t session;
    s64 wake = ipc_endpoint(never, NULL);
    u64 count = 0, refused = 0;
    if (net_open(server("net"), (cap_t)wake, &session) != 0)
        return 0;
    while (refused < REFUSALS) {
        u32 more = hoard_session(session);
        count += more;
        refused = more != 0 ? 0 : refused + 1;
    }
    return count * NET_SOCKET_BYTES;
}

u64 hoard_monitors(void)
{
    u64 total = 0;
    for (u32 i = 0; i < PIECES; i++) {
        u64 bytes = RINGS / user_cpu_count();
        if (sys_monitor_create(&bytes) <= 0)
            break;
        total += bytes * user_cpu_count();
    }
    return total;
}

u64 hoard_lent(void)
{
    u64 total = 0;
    for (u32 i = 0; i < PIECES; i++) {
        struct ipc_message message = {.words = {0}};
        if (ipc_call(SLOT_LEND, &message) != 0 || message.received_cap == 0)
            break;
        total += PIECE;
    }
    return total;
}

// Makes a piece, all there, and gives it away. Returns whether it could.
static bool give_away(void)
{
    s64 memory = sys_memory_new("made", PIECE);
    struct sys_region region = {
        .bytes = PIECE, .kind = REGION_SHARED, .prot = PROT_R | PROT_W, .memory = (cap_t)memory};
    struct ipc_message message = {.send_cap = (cap_t)memory};
    if (memory < 0)
        return false;
    bool given = false;
    if (sys_region_create(0, &region) == 0) {
        given = sys_region_commit(region.address, PIECE, region.prot) == 0 &&
                ipc_call(SLOT_LEND, &message) == 0;
        sys_region_destroy(region.address);
    }
    sys_cap_drop((cap_t)memory);
    return given;
}

u64 hoard_made(void)
{
    u64 total = 0;
    for (u32 i = 0; i < PIECES && give_away(); i++)
        total += PIECE;
    return total;
}

// ---- the other side -----------------------------------------------------------------------------

static cap_t kept[PIECES];
static u32 kept_count;

static s64 lend_or_keep(struct ipc_request *request)
{
    if (request->call == 0)
        return 0;
    if (request->cap != 0) {
        if (kept_count == PIECES) {
            sys_cap_drop(request->cap);
            return E_LIMIT;
        }
        kept[kept_count++] = request->cap;
        return 0;
    }
    s64 memory = sys_memory_new("lent", PIECE);
    if (memory < 0)
        return memory;
    request->reply_cap = (cap_t)memory;
    request->drop_reply_cap = true;
    return 0;
}

s64 lender(void)
{
    static s64 endpoint;
    if (endpoint == 0)
        endpoint = ipc_endpoint(lend_or_keep, NULL);
    return endpoint;
}

void lender_forgets(void)
{
    while (kept_count > 0)
        sys_cap_drop(kept[--kept_count]);
}
