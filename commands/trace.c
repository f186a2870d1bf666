// SPDX-License-Identifier: MIT
// Records the trace of the kernel and of all processes into a folder, as CTF. If this is killed,
// the kernel sets its masks and mode back (sys_trace_take), and a program of ours those of live
// processes.
#include "common.h"

#include <errno.h>
#include <orrery/errors.h>
#include <orrery/ipc.h>
#include <orrery/sys.h>
#include <posix/spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <user/recording.h>
#include <user/time.h>

#define SECOND_US 1000000
#define NAP_US 10000
#define PROCESS_NAPS 10 // between two readings of processes
#define SECONDS_DEFAULT 5
#define SECONDS_MAX 86400
#define KB_DEFAULT 4096
#define KB_MAX 0x400000
#define PATH_BYTES 512
#define RESTORE "restore" // the word by which this starts itself

static struct {
    const char *folder;
    u64 mask, seconds, bytes_max;
    bool keep_mask; // no mask is wanted: what is on stays as it is
    bool all;
    char **program; // that is recorded until its end, with its arguments; NULL: none
} wanted = {.seconds = UINT64_MAX, .bytes_max = KB_DEFAULT * 1024UL, .keep_mask = true};

static u32 cpu_count;
static s32 program_status;
static bool folder_failed;
static _Alignas(struct trace_packet) char packet[TRACE_SUBBUFFER_SIZE];

// ---- arguments ---------------------------------------------------------------------------------

// Returns the bit of a major by its name, any case, or the bits of "all"; 0: there is none.
static u64 major_bit(const char *name)
{
    struct sys_trace_event event;
    u64 bits = 0;

    for (u32 i = 0; sys_trace_event_get(i, &event) == 0; i++)
        if (strcasecmp(event.group, name) == 0 || strcasecmp(name, "all") == 0)
            bits |= 1UL << event.major;
    return bits;
}

// Parses a number, or names of majors with commas between.
static bool parse_mask(char *text, u64 *mask)
{
    char *end, *rest;

    errno = 0;
    *mask = strtoul(text, &end, 0);
    if (*text != '\0' && *end == '\0' && errno == 0)
        return true;
    *mask = 0;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        u64 bit = major_bit(name);
        if (bit == 0) {
            complain_text(name, "is no major of the trace");
            return false;
        }
        *mask |= bit;
    }
    return *mask != 0;
}

static bool parse_option(char letter, char *value)
{
    u64 kb;

    switch (letter) {
    case 'a':
        return wanted.all = true;
    case 'm':
        wanted.keep_mask = false;
        return parse_mask(value, &wanted.mask);
    case 'd':
        return parse_number(value, SECONDS_MAX, &wanted.seconds);
    case 's':
        if (!parse_number(value, KB_MAX, &kb))
            return false;
        wanted.bytes_max = kb * 1024;
        return true;
    default:
        return false;
    }
}

static bool parse(int argc, char **argv)
{
    int option;

    if (argc < 2 || strcmp(argv[1], "record") != 0)
        return false;
    while ((option = getopt(argc - 1, argv + 1, "+am:d:s:")) != -1)
        if (!parse_option((char)option, optarg))
            return false;
    if (optind > argc - 2)
        return false;
    wanted.folder = argv[optind + 1];
    if (optind < argc - 2)
        wanted.program = argv + optind + 2;
    if (wanted.seconds == UINT64_MAX)
        wanted.seconds = wanted.program == NULL ? SECONDS_DEFAULT : SECONDS_MAX;
    return true;
}

// ---- recording ---------------------------------------------------------------------------------

static bool full(void)
{
    return recording_sums.bytes + TRACE_SUBBUFFER_SIZE > wanted.bytes_max;
}

// Returns whether there is room for another packet after this one.
static bool take(const struct trace_packet *taken, u64 bytes)
{
    folder_failed = folder_failed || !recording_append(taken, bytes);
    return !folder_failed && !full();
}

// Takes all packets, while there is room. Returns 0, or not 0 after it has reported an error.
static int take_all(bool processes, bool flush)
{
    s64 bytes = 0;

    for (u32 cpu = 0; cpu < cpu_count && bytes == 0 && !full(); cpu++)
        while ((bytes = sys_trace_read(cpu, flush, packet, sizeof(packet))) > 0)
            if (!take((const void *)packet, (u64)bytes))
                break;
    if (bytes < 0)
        return complain_error("trace", bytes);
    if (processes && !folder_failed && !full())
        recording_read_processes(flush, (void *)packet, take);
    return folder_failed ? complain(wanted.folder) : 0;
}

// Starts the program, if there is one. Returns its pid, 0, or an error.
static s64 start_program(void)
{
    struct process_spawn spawn = PROCESS_SPAWN;
    char path[PATH_BYTES];
    cap_t process;

    if (wanted.program == NULL)
        return 0;
    snprintf(path, sizeof(path), "%s%s", strchr(*wanted.program, '/') == NULL ? "/bin/" : "",
             *wanted.program);
    spawn.path = path;
    spawn.argv = (const char *const *)wanted.program;
    spawn.rights = PROCESS_SAME_RIGHTS;
    s64 pid = posix_spawn_program(&spawn, NULL, 0, &process);
    if (pid > 0)
        sys_cap_drop(process);
    return pid;
}

static int record_until_end(u64 process_mask)
{
    u64 end = time_now() + time_from_us(wanted.seconds * SECOND_US);
    s64 pid = start_program();
    int status = pid < 0 ? complain_error(*wanted.program, pid) : 0;

    for (u32 nap = 0; status == 0 && !full() && time_now() < end; nap++) {
        if (pid > 0 && process_wait((u32)pid, &program_status, 0) != E_TIMEOUT)
            break;
        status = take_all(nap % PROCESS_NAPS == 0, false);
        usleep(NAP_US);
    }
    sys_trace_waits(); // what has begun to wait meanwhile; without memory it is not told
    if (!wanted.keep_mask) {
        sys_trace_set_process_mask(process_mask);
        recording_tell_processes(0);
    }
    s64 error = sys_trace_set_mask(0);
    if (error != 0)
        return complain_error("trace", error);
    return status != 0 ? status : take_all(true, true);
}

// Reports how many logged events are not in the folder.
static void report(u32 mute)
{
    const struct recording_sums *sums = &recording_sums;
    u64 events = sums->process_events, discarded = sums->process_lost, unread = 0;
    struct sys_trace_stat stat;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (sys_trace_stat(cpu, &stat) != 0)
            continue;
        events += stat.events - stat.unread;
        discarded += stat.discarded;
        unread += stat.unread;
    }
    printf("%lu events in %lu packets, %lu bytes; lost: %lu discarded, %lu over the size\n", events,
           sums->packets, sums->bytes, discarded, unread);
    if (mute > 0)
        printf("%u processes did not answer: their own events are not in it\n", (unsigned)mute);
}

static int record_in_mode(u64 mask, u64 process_mask, enum sys_trace_mode before)
{
    s64 error = sys_trace_set_mask(0);
    u32 mute = 0;

    if (error == 0)
        error = sys_trace_set_mode(SYS_TRACE_DISCARD);
    if (error == 0)
        error = sys_trace_set_mask((wanted.keep_mask ? mask : wanted.mask) | major_bit("STATE"));
    if (error == 0 && !wanted.keep_mask) {
        sys_trace_set_process_mask(wanted.mask);
        mute = recording_tell_processes(SYS_TRACE_DISCARD);
    }
    if (error == 0)
        sys_trace_state(); // if memory is short, the trace has no state_end
    int status = error != 0 ? complain_error("trace", error) : record_until_end(process_mask);
    // Programs may have described events meanwhile.
    if (status == 0 && !recording_describe())
        status = complain(wanted.folder);
    if (status == 0)
        report(mute);
    sys_trace_set_mode(before);
    sys_trace_set_mask(mask);
    return status;
}

static int record(u64 process_mask)
{
    struct sys_trace_stat stat;
    s64 error = sys_trace_stat(0, &stat);

    if (error != 0)
        return complain_error("trace", error);
    if (!recording_create(wanted.folder))
        return complain(wanted.folder);
    int status = recording_describe() ? record_in_mode(sys_trace_mask(), process_mask,
                                                       (enum sys_trace_mode)stat.mode)
                                      : complain(wanted.folder);
    if (status != 0 && recording_sums.packets == 0)
        recording_discard();
    return status;
}

// ---- what a killed recording leaves -------------------------------------------------------------

// Waits until the program at the other end of standard input says that it is done, or is killed.
// Then the kernel sets the mask back that processes start with, once that program is gone, and live
// processes get it from here.
static int restore(void)
{
    struct sys_process_info info;
    char done;
    u32 pid = sys_process_info(0, &info) == 0 ? info.parent : 0;

    if (read(STDIN_FILENO, &done, 1) == 1)
        return 0;
    while (sys_process_info(pid, &info) == 0)
        usleep(NAP_US);
    recording_tell_processes(0);
    return 0;
}

// Starts a program that restores. Returns the descriptor to which `done` is told, or an error.
static s64 start_restorer(void)
{
    static const char *const argv[] = {"trace", RESTORE, NULL};
    struct process_spawn spawn = PROCESS_SPAWN;
    int ends[2];

    if (pipe(ends) != 0)
        return E_NOMEM;
    const struct posix_spawn_fd fds[] = {{STDIN_FILENO, ends[0]}, {STDERR_FILENO, STDERR_FILENO}};
    cap_t process;

    spawn.path = "/bin/trace";
    spawn.name = "trace-" RESTORE;
    spawn.argv = argv;
    spawn.rights = PROCESS_SAME_RIGHTS;
    s64 pid = posix_spawn_program(&spawn, fds, 2, &process);
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return pid;
    }
    sys_cap_drop(process);
    return ends[1];
}

// Records with the packets reserved.
static int record_reserved(void)
{
    s64 process_mask = sys_trace_process_mask(), error = 0, restorer = -1;

    if (!wanted.keep_mask)
        error = restorer = start_restorer();
    if (error >= 0 && !wanted.all)
        error = sys_trace_leave_out((u32)sys_process_pid(0), true);
    int status = error < 0 ? complain_error("trace", error) : record((u64)process_mask);
    if (restorer >= 0)
        write((int)restorer, "", 1);
    return status;
}

int main(int argc, char **argv)
{
    struct sys_info info;

    command_begin(argc, argv,
                  "trace record [-a] [-m MASK] [-d SECONDS] [-s KB] FOLDER [PROGRAM ARGUMENT…]\n"
                  "records the trace of the kernel and of processes as CTF into a new folder, for\n"
                  "`kov trace read`; with PROGRAM while it runs, and with its exit status\n"
                  "MASK: a number, or names of majors (SCHED,LOCK), or all; without it what is on\n"
                  "SECONDS: how long (5; PROGRAM as long as it runs); KB: how much at most (4096)\n"
                  "-a: also what the kernel does for this program");
    if (argc == 2 && strcmp(argv[1], RESTORE) == 0)
        return restore();
    if (!parse(argc, argv))
        return command_usage();
    s64 error = sys_info(&info);
    if (error == 0) {
        cpu_count = info.cpu_count;
        error = sys_trace_take(true);
    }
    if (error == E_BUSY)
        return complain_text("trace", "somebody else takes its packets now, perhaps kov");
    if (error == E_NOTSUP)
        return complain_text("trace", "this kernel was built without a trace");
    if (error != 0)
        return complain_error("trace", error);
    int status = record_reserved();
    sys_trace_take(false);
    return status != 0 ? status : program_status;
}
