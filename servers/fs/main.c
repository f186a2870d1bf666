// SPDX-License-Identifier: MIT
// The fs server (docs/files.md): the initial file system at /, memory files, pipes, the mount
// table. Serves ipc/fs.idl as "fs".
#include "backing.h"
#include "filesystem.h"
#include "mount_table.h"
#include "opening.h"
#include "pages.h"
#include "share.h"
#include "store.h"

#include <co/manager.h>
#include <ipc/fs.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <posix/service.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <user/heap.h>
#include <user/thread.h>

#define MOUNT_FILE "/etc/mounts"
#define MOUNT_FILE_MAX 4096
#define SAVE_US 1000000 // between two saves of /data

bool heap_is_committed = true; // without memory a call fails, and the server goes on

static const char *const directories[] = {"/bin", "/dev", "/etc", "/proc", "/tmp"};

static void check(s64 status, const char *what)
{
    if (status >= 0)
        return;
    fprintf(stderr, "fs: %s: %s\n", what, orrery_strerror(status));
    exit(1);
}

// Maps the initial file system, read-only. Returns NULL if it is empty.
static const u8 *map_archive(cap_t memory, u64 bytes)
{
    struct sys_region region = {
        .bytes = ALIGN_UP(bytes, 4096UL), .kind = REGION_PRIVATE, .prot = PROT_R, .memory = memory};
    if (bytes == 0)
        return NULL;
    check(sys_region_create(0, &region), "mapping the initial file system");
    return (const u8 *)region.address;
}

static void load_archive(void)
{
    s64 memory = sys_initrd();
    if (memory < 0) {
        fprintf(stderr, "fs: no initial file system: %s\n", orrery_strerror(memory));
        return;
    }
    s64 bytes = sys_memory_bytes((cap_t)memory);
    check(bytes, "size of the initial file system");
    const u8 *archive = map_archive((cap_t)memory, (u64)bytes);
    if (archive == NULL)
        return;
    bool damaged;
    check(initial_load(archive, (u64)bytes, (cap_t)memory, &damaged), "start");
    if (damaged)
        fprintf(stderr, "fs: the initial file system is damaged; files may be missing\n");
}

static void make_directories(void)
{
    for (u32 i = 0; i < ARRAY_SIZE(directories); i++) {
        s64 status = filesystem_make_directory(directories[i]);
        if (status != E_EXIST)
            check(status, directories[i]);
    }
    struct node *null = null_file_create("null");
    check(null == NULL ? E_NOMEM : filesystem_add("/dev/null", null), "/dev/null");
}

// Saves /data once a second, if it has changed, until the server ends. Prints an error only if it
// differs from the one before.
static __attribute__((noreturn)) s64 save_forever(void *argument)
{
    (void)argument;
    s64 before = 0;
    for (;;) {
        thread_sleep_us(SAVE_US);
        s64 status = store_save();
        if (status != 0 && status != before)
            fprintf(stderr, "fs: " STORE_POINT " could not be saved: %s\n",
                    orrery_strerror(status));
        before = status;
    }
}

static void tell_store(s64 found, const struct store_about *about)
{
    static const char rest[] = "what can be read is there, and nothing can be written";
    if (found == STORE_FOUND_OLDER)
        fprintf(stderr, "fs: " STORE_POINT ": one state is damaged; this is the newest that is "
                        "whole\n");
    if (found == STORE_FOUND_DAMAGED)
        fprintf(stderr,
                "fs: " STORE_POINT ": the disk's contents are damaged; %s (`kov disk "
                "format` begins anew)\n",
                rest);
    if (found == STORE_FOUND_RESIZED)
        fprintf(stderr,
                "fs: " STORE_POINT ": the disk was made with %lu bytes and has %lu: it was "
                "%s; %s\n",
                about->made_for, about->bytes,
                about->bytes < about->made_for ? "cut" : "lengthened", rest);
    if (found < 0)
        fprintf(stderr, "fs: " STORE_POINT ": %s%s\n",
                found == E_EXIST ? "the disk holds something else" : orrery_strerror(found),
                about->partly ? "; files may be missing, and nothing can be written" : "");
}

static void start_store(void)
{
    struct store_about about;
    s64 status = store_start(&about);
    if (status == E_NOENT || status == E_PERM)
        return;
    tell_store(status, &about);
    if (status > 0)
        check(thread_create(NULL,
                            &(struct thread_attributes){.name = "save",
                                                        .cpu = THREAD_HERE,
                                                        .priority = THREAD_PRIORITY_DEFAULT,
                                                        .detached = true},
                            save_forever, NULL),
              "thread");
}

// Reads one line of /etc/mounts: "POINT SERVICE", or a comment.
static void mount_line(char *line)
{
    char *rest;
    const char *point = strtok_r(line, " \t", &rest);
    const char *service = strtok_r(NULL, " \t", &rest);
    if (point == NULL || point[0] == '#')
        return;
    s64 status = E_INVAL;
    if (service != NULL && strlen(service) <= FS_SERVICE_MAX && strlen(point) <= FS_NAME_MAX)
        status = mount_table_set(point, service);
    if (status != 0)
        fprintf(stderr, "fs: %s: %s: %s\n", MOUNT_FILE, point, orrery_strerror(status));
}

static void read_mounts(void)
{
    static char text[MOUNT_FILE_MAX + 1];
    struct node *node;
    char *rest;
    if (filesystem_find(MOUNT_FILE, &node) != 0)
        return;
    s64 bytes = CO_CALL(struct server_file, node->root.coid, read, 0, text, MOUNT_FILE_MAX);
    node_put(node);
    text[bytes > 0 ? bytes : 0] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        mount_line(line);
}

static s64 dispatch(struct ipc_caller *caller, struct ipc_packet *request, struct ipc_packet *reply)
{
    pages_work_for(caller->pid);
    s64 status = fs_dispatch(caller, request, reply);
    pages_work_for(0);
    return status;
}

int main(void)
{
    static const struct ipc_service service = {.dispatch = dispatch};
    struct sys_info info;
    check(sys_info(&info), "system information");
    check(pages_start(), "threads");
    memory_files_limit(info.free_bytes / 4);
    check(filesystem_create(), "start");
    load_archive();
    make_directories();
    filesystem_fix();
    start_store();
    read_mounts();
    check(openings_create(), "open files");
    check(co_add_service(filesystem_coid()), "FileSystem");
    check(co_add_service(openings_coid()), "OpenFileTable");
    s64 endpoint = ipc_interface_endpoint(&service);
    check(endpoint, "endpoint");
    backing_start((cap_t)endpoint);
    share_start((cap_t)endpoint);
    check(service_register("fs", (cap_t)endpoint), "registering");
    check(handles_sweep_forever(&open_files), "ends of processes");
    return 1;
}
