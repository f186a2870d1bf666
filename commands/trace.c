// SPDX-License-Identifier: MIT
// Records the kernel's trace into a folder, as CTF: `metadata` and a stream file for each CPU.
#include "common.h"

#include <errno.h>
#include <fcntl.h>
#include <orrery/errors.h>
#include <orrery/sys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <user/time.h>

#define SECOND_US 1000000
#define NAP_US 10000
#define PACKET_BYTES 65536 // the most that the kernel's packets have
#define SECONDS_DEFAULT 5
#define SECONDS_MAX 86400
#define KB_DEFAULT 4096
#define KB_MAX 0x400000

static struct {
    const char *folder;
    u64 mask, seconds, bytes_max;
    bool set_mask;
} wish = {.seconds = SECONDS_DEFAULT, .bytes_max = KB_DEFAULT * 1024UL};

static int files[ORRERY_MAX_CPUS]; // of streams, -1: none yet
static u32 cpu_count;
static u64 bytes_written, packets;
static char packet[PACKET_BYTES];

// ---- arguments ---------------------------------------------------------------------------------

// Returns the bit of a major by its name, any case; 0: there is none.
static u64 major_bit(const char *name)
{
    struct sys_trace_event event;

    for (u32 i = 0; sys_trace_event_get(i, &event) == 0; i++)
        if (strcasecmp(event.group, name) == 0)
            return 1UL << event.major;
    return 0;
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
    case 'm':
        wish.set_mask = true;
        return parse_mask(value, &wish.mask);
    case 'd':
        return parse_number(value, SECONDS_MAX, &wish.seconds);
    case 's':
        if (!parse_number(value, KB_MAX, &kb))
            return false;
        wish.bytes_max = kb * 1024;
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
    while ((option = getopt(argc - 1, argv + 1, "m:d:s:")) != -1)
        if (!parse_option((char)option, optarg))
            return false;
    if (optind != argc - 2)
        return false;
    wish.folder = argv[optind + 1];
    return true;
}

// ---- files -------------------------------------------------------------------------------------

static bool write_all(int file, const char *data, u64 bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, data, bytes);
        if (done <= 0)
            return false;
        data += done;
        bytes -= (u64)done;
    }
    return true;
}

static int create(const char *name)
{
    char path[512];
    int length = snprintf(path, sizeof(path), "%s/%s", wish.folder, name);

    if (length >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
}

static bool write_metadata(void)
{
    int file = create("metadata");
    u64 offset = 0;
    s64 got = 0;
    bool good = file >= 0;

    while (good && (got = sys_trace_metadata(offset, packet, sizeof(packet))) > 0) {
        good = write_all(file, packet, (u64)got);
        offset += (u64)got;
    }
    if (file >= 0)
        close(file);
    return good && got == 0;
}

static bool write_packet(u32 cpu, u64 bytes)
{
    char name[24];

    snprintf(name, sizeof(name), "stream_%u", (unsigned)cpu);
    if (files[cpu] < 0)
        files[cpu] = create(name);
    packets++;
    bytes_written += bytes;
    return files[cpu] >= 0 && write_all(files[cpu], packet, bytes);
}

// ---- recording ---------------------------------------------------------------------------------

static bool full(void)
{
    return bytes_written + PACKET_BYTES > wish.bytes_max;
}

// Takes all packets of a CPU, while there is room. Returns 0, or not 0 after it has reported an
// error.
static int take_cpu(u32 cpu, bool flush)
{
    s64 bytes = 0;

    while (!full() && (bytes = sys_trace_read(cpu, flush, packet, sizeof(packet))) > 0)
        if (!write_packet(cpu, (u64)bytes))
            return complain(wish.folder);
    return bytes < 0 ? complain_error("trace", bytes) : 0;
}

static int take_all(bool flush)
{
    int status = 0;

    for (u32 cpu = 0; cpu < cpu_count && status == 0; cpu++)
        status = take_cpu(cpu, flush);
    return status;
}

static int record_until_end(void)
{
    u64 end = time_now() + time_from_us(wish.seconds * SECOND_US);
    int status = 0;

    while (status == 0 && !full() && time_now() < end) {
        status = take_all(false);
        usleep(NAP_US);
    }
    s64 error = sys_trace_set_mask(0);
    if (error != 0)
        return complain_error("trace", error);
    return status != 0 ? status : take_all(true);
}

// Reports how many logged events are not in the folder.
static void report(void)
{
    u64 events = 0, discarded = 0, unread = 0;
    struct sys_trace_stat stat;

    for (u32 cpu = 0; cpu < cpu_count; cpu++) {
        if (sys_trace_stat(cpu, &stat) != 0)
            continue;
        events += stat.events;
        discarded += stat.discarded;
        unread += stat.unread;
    }
    printf("%lu events in %lu packets, %lu bytes; lost: %lu discarded, %lu over the size\n",
           events - unread, packets, bytes_written, discarded, unread);
}

static int record_in_mode(u64 mask, enum sys_trace_mode before)
{
    s64 error = sys_trace_set_mask(0);

    if (error == 0)
        error = sys_trace_set_mode(SYS_TRACE_DISCARD);
    if (error == 0)
        error = sys_trace_set_mask(wish.set_mask ? wish.mask : mask);
    int status = error != 0 ? complain_error("trace", error) : record_until_end();
    if (status == 0)
        report();
    sys_trace_set_mode(before);
    sys_trace_set_mask(mask);
    return status;
}

static int record(void)
{
    struct sys_trace_stat stat;
    s64 error = sys_trace_stat(0, &stat);

    if (error == 0)
        error = sys_trace_take(true);
    if (error == E_BUSY)
        return complain_text("trace", "somebody else takes its packets now, perhaps kov");
    if (error != 0)
        return complain_error("trace", error);
    if (mkdir(wish.folder, 0777) != 0)
        return complain(wish.folder);
    if (!write_metadata())
        return complain(wish.folder);
    return record_in_mode(sys_trace_mask(), (enum sys_trace_mode)stat.mode);
}

int main(int argc, char **argv)
{
    struct sys_info info;

    command_begin(argc, argv,
                  "trace record [-m MASK] [-d SECONDS] [-s KB] FOLDER\n"
                  "records the kernel's trace as CTF into a new folder, for `kov trace read`\n"
                  "MASK: a number, or names of majors (SCHED,LOCK); without it what is on\n"
                  "SECONDS: how long (5); KB: how much at most (4096)");
    if (!parse(argc, argv))
        return command_usage();
    s64 error = sys_info(&info);
    if (error != 0)
        return complain_error("system", error);
    cpu_count = info.cpu_count;
    for (u32 cpu = 0; cpu < ORRERY_MAX_CPUS; cpu++)
        files[cpu] = -1;
    int status = record();
    sys_trace_take(false);
    return status;
}
