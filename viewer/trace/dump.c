// SPDX-License-Identifier: MIT
// A source that reads a dump of the machine's memory: an ELF core of QEMU's dump-guest-memory, or a
// raw file of pmemsave. It finds the trace by its descriptor (trace/dump.h). It reads the dump in
// small parts and trusts nothing in it.
#include "tools/kov.h"
#include "tools/memory.h"
#include "trace/arrange.h"
#include "trace/file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace/dump.h>
#include <unistd.h>

#define MAX_SEGMENTS 4096
#define MAX_SUBBUFFERS 4096
#define TEXT_BYTES_MAX (1UL << 20) // of a metadata text
#define SEARCH_BYTES (1UL << 20)

struct segment {
    u64 physical, offset, bytes;
};

struct dump {
    const char *path;
    int fd;
    bool is_raw; // the address of its only segment follows from the descriptor's own address
    struct segment *segments;
    size_t count, capacity;
    struct trace_descriptor descriptor; // in this host's byte order
};

// Returns the segment that has all of it, or NULL.
static const struct segment *segment_of(const struct dump *dump, u64 physical, u64 bytes)
{
    for (size_t i = 0; i < dump->count; i++) {
        const struct segment *segment = &dump->segments[i];
        u64 at = physical - segment->physical;
        if (physical >= segment->physical && at <= segment->bytes && bytes <= segment->bytes - at)
            return segment;
    }
    return NULL;
}

// Reads all of it. Returns false if it is not in the dump.
static bool read_physical(const void *context, u64 physical, void *into, u64 bytes)
{
    const struct dump *dump = context;
    const struct segment *segment = segment_of(dump, physical, bytes);
    return segment != NULL &&
           file_read(dump->fd, into, bytes, segment->offset + physical - segment->physical) ==
               (s64)bytes;
}

static int no_trace(const struct dump *dump, const char *why)
{
    return fail(KOV_FAILED, "%s: %s", dump->path, why);
}

static int not_there(const struct dump *dump, u64 physical)
{
    return fail(KOV_FAILED, "%s: physical address %#" PRIx64 " is not in the dump", dump->path,
                physical);
}

// ---- segments ----------------------------------------------------------------------------------

static void add_segment(struct dump *dump, u64 physical, u64 offset, u64 bytes)
{
    dump->segments =
        memory_grow(dump->segments, dump->count, &dump->capacity, sizeof(*dump->segments));
    dump->segments[dump->count++] = (struct segment){physical, offset, bytes};
}

static int read_elf(struct dump *dump, const Elf64_Ehdr *header, u64 size)
{
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2MSB)
        return no_trace(dump, "an ELF file, but not a 64-bit big-endian one");
    u64 table = TRACE_BE64(header->e_phoff);
    u32 count = __builtin_bswap16(header->e_phnum), step = __builtin_bswap16(header->e_phentsize);
    for (u32 i = 0; i < count && i < MAX_SEGMENTS; i++) {
        Elf64_Phdr entry;
        if (file_read(dump->fd, &entry, sizeof(entry), table + (u64)i * step) != sizeof(entry))
            break;
        u64 offset = TRACE_BE64(entry.p_offset), bytes = TRACE_BE64(entry.p_filesz);
        if (TRACE_BE32(entry.p_type) == PT_LOAD && offset < size)
            add_segment(dump, TRACE_BE64(entry.p_paddr), offset,
                        bytes < size - offset ? bytes : size - offset);
    }
    return dump->count > 0 ? KOV_OK : no_trace(dump, "an ELF file without memory segments");
}

static int read_segments(struct dump *dump)
{
    struct stat about;
    Elf64_Ehdr header = {0};
    if (fstat(dump->fd, &about) != 0 || !S_ISREG(about.st_mode) ||
        file_read(dump->fd, &header, sizeof(header), 0) < 0)
        return fail(KOV_FAILED, "cannot read %s", dump->path);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        return read_elf(dump, &header, (u64)about.st_size);
    dump->is_raw = true;
    add_segment(dump, 0, 0, (u64)about.st_size);
    return KOV_OK;
}

// ---- the descriptor ----------------------------------------------------------------------------

static bool read_cpu(const struct dump *dump, u32 number, struct trace_cpu *cpu)
{
    return read_physical(dump, dump->descriptor.cpus[number], cpu, sizeof(*cpu)) &&
           TRACE_BE64(cpu->magic) == TRACE_CPU_MAGIC;
}

// Returns whether the descriptor is at `at`. A copy of it, such as the one in the image, does not
// have its own address.
static bool is_descriptor(struct dump *dump, struct segment *segment, u64 at)
{
    struct trace_descriptor *found = &dump->descriptor;
    if (file_read(dump->fd, found, sizeof(*found), segment->offset + at) != sizeof(*found))
        return false;
    u64 self = TRACE_BE64(found->self);
    if (dump->is_raw && self >= at)
        segment->physical = self - at;
    if (self != segment->physical + at)
        return false;
    found->cpu_count = TRACE_BE32(found->cpu_count);
    found->subbuffer_size = TRACE_BE32(found->subbuffer_size);
    found->linear_base = TRACE_BE64(found->linear_base);
    found->preamble = TRACE_BE64(found->preamble);
    found->events = TRACE_BE64(found->events);
    found->places = TRACE_BE64(found->places);
    bool has_cpus = false;
    for (u32 i = 0; i < ORRERY_MAX_CPUS; i++) {
        struct trace_cpu cpu;
        found->cpus[i] = TRACE_BE64(found->cpus[i]);
        has_cpus |= found->cpus[i] != 0 && read_cpu(dump, i, &cpu);
    }
    return has_cpus && found->subbuffer_size >= TRACE_PACKET_HEADER_SIZE &&
           found->subbuffer_size <= PACKET_BYTES_MAX;
}

static bool search_segment(struct dump *dump, struct segment *segment, u8 *piece)
{
    const size_t length = sizeof(TRACE_DESCRIPTOR_MAGIC) - 1;
    for (u64 offset = 0; offset < segment->bytes; offset += SEARCH_BYTES - length) {
        u64 wanted =
            segment->bytes - offset < SEARCH_BYTES ? segment->bytes - offset : SEARCH_BYTES;
        s64 bytes = file_read(dump->fd, piece, wanted, segment->offset + offset);
        const u8 *at = piece, *end = piece + (bytes < 0 ? 0 : bytes);
        while ((at = memmem(at, (size_t)(end - at), TRACE_DESCRIPTOR_MAGIC, length)) != NULL)
            if (is_descriptor(dump, segment, offset + (u64)(at++ - piece)))
                return true;
    }
    return false;
}

static int find_descriptor(struct dump *dump)
{
    u8 *piece = memory_get(SEARCH_BYTES);
    bool found = false;
    for (size_t i = 0; i < dump->count && !found; i++)
        found = search_segment(dump, &dump->segments[i], piece);
    free(piece);
    return found ? KOV_OK
                 : no_trace(dump, "no trace in it: not a dump of Orrery, or from before "
                                  "tracing was set up");
}

// Appends the NUL-terminated text at an address, without the NUL.
static bool append_text(const struct dump *dump, u64 physical, struct bytes *text)
{
    char piece[256];
    for (u64 done = 0; done < TEXT_BYTES_MAX; done++) {
        // Single bytes, if a larger part would go beyond the memory that the dump has.
        size_t bytes = sizeof(piece);
        if (!read_physical(dump, physical + done, piece, bytes)) {
            bytes = 1;
            if (!read_physical(dump, physical + done, piece, bytes))
                return false;
        }
        size_t length = strnlen(piece, bytes);
        bytes_append(text, piece, length);
        if (length < bytes)
            return true;
        done += length - 1;
    }
    return false;
}

static int read_metadata(struct engine *engine, const struct dump *dump)
{
    struct bytes text = {0};
    int code = append_text(dump, dump->descriptor.preamble, &text) &&
                       append_text(dump, dump->descriptor.events, &text)
                   ? KOV_OK
                   : no_trace(dump, "the metadata of the trace is not in the dump");
    bytes_append(&text, "", 1);
    if (code == KOV_OK)
        code = descriptions_read(&engine->descriptions, (const char *)text.data, dump->path);
    bytes_free(&text);
    return code;
}

// ---- packets -----------------------------------------------------------------------------------

static int read_packet(void *context, const struct packet_stream *stream,
                       const struct packet_entry *entry, u8 *content)
{
    const struct dump *dump = context;
    (void)stream;
    return read_physical(dump, entry->place, content, entry->bytes) ? KOV_OK
                                                                    : not_there(dump, entry->place);
}

static void close_dump(void *context)
{
    struct dump *dump = context;
    if (dump->fd >= 0)
        close(dump->fd);
    free(dump->segments);
    free(dump);
}

// Returns the time base of the last event. The events' lengths are checked when they are read.
static u64 last_time(const u8 *events, size_t bytes, u64 time)
{
    for (size_t at = 0; at + sizeof(u64) <= bytes;) {
        u64 word;
        memcpy(&word, events + at, sizeof(word));
        word = TRACE_BE64(word);
        time += (u32)(trace_event_time(word) - (u32)time);
        at += (trace_event_length(word) + (trace_event_length(word) == 0)) * sizeof(u64);
    }
    return time;
}

// Gives the open packet the header that it would have got when it was closed. An event is committed
// when the position moves.
static bool repair(const struct dump *dump, const struct trace_cpu *cpu, u64 physical,
                   struct trace_packet *packet)
{
    u64 pos = TRACE_BE64(cpu->pos), high = TRACE_BE64(cpu->bound) & ~(u64)UINT32_MAX;
    u64 bytes = (high | (u32)pos) - dump->descriptor.linear_base - physical;
    if (bytes < sizeof(*packet) || bytes > dump->descriptor.subbuffer_size)
        return false;
    u64 content = bytes - sizeof(*packet);
    u8 *events = memory_get(content);
    bool there = read_physical(dump, physical + sizeof(*packet), events, content);
    u64 end = there ? last_time(events, content, TRACE_BE64(packet->timestamp_begin)) : 0;
    free(events);
    packet->timestamp_end = TRACE_BE64(end);
    packet->content_bits = TRACE_BE64(bytes * 8);
    packet->events_discarded = cpu->discarded;
    packet->event_count = TRACE_BE32((u32)(pos >> 32) - (u32)TRACE_BE64(cpu->events));
    return there;
}

static void leave_out(struct engine *engine, const struct packet_stream *stream, u64 number,
                      const char *problem)
{
    char place[48];
    snprintf(place, sizeof(place), "packet %" PRIu64 " of %s", number, stream->name);
    engine_leave_out(engine, place, problem);
}

static void add_packet(struct engine *engine, const struct dump *dump, struct packet_stream *stream,
                       const struct trace_cpu *cpu, u64 number)
{
    static const char missing[] = "it is not in the dump";
    struct packet_entry entry;
    struct trace_packet packet;
    u64 count = TRACE_BE32(cpu->subbuffer_count), bytes, linear;
    u64 slot = TRACE_BE64(cpu->subbuffers) - dump->descriptor.linear_base + 8 * (number % count);
    u32 pid, number_of_cpu;
    bool there = read_physical(dump, slot, &linear, sizeof(linear));
    u64 physical = there ? TRACE_BE64(linear) - dump->descriptor.linear_base : 0;
    if (!there || !read_physical(dump, physical, &packet, sizeof(packet))) {
        leave_out(engine, stream, number, missing);
        return;
    }
    const char *problem = NULL;
    if (number == TRACE_BE64(cpu->closed) && !repair(dump, cpu, physical, &packet))
        problem = "the position is outside of it";
    // The sub-buffers of packets that were taken for reading hold something else by now.
    if (TRACE_BE32(packet.magic) != TRACE_PACKET_MAGIC || packet.event_count == 0 ||
        TRACE_BE32(packet.packet_seq_num) != (u32)number)
        return;
    if (problem == NULL)
        problem = stream_read_header((const u8 *)&packet, &entry, &pid, &number_of_cpu, &bytes);
    if (problem == NULL && (pid != 0 || number_of_cpu != stream->cpu))
        problem = "it is another CPU's";
    if (problem == NULL && segment_of(dump, physical + sizeof(packet), entry.bytes) == NULL)
        problem = missing;
    entry.place = physical + sizeof(packet);
    if (problem == NULL)
        stream_collect(stream, &entry);
    else
        leave_out(engine, stream, number, problem);
}

// Adds every packet that is still in the ring, oldest first, whether it was read or not.
static void add_cpu(struct engine *engine, const struct dump *dump, u32 number)
{
    struct trace_cpu cpu;
    char name[16];
    snprintf(name, sizeof(name), "CPU %" PRIu32, number);
    bool whole = read_cpu(dump, number, &cpu);
    engine->cpus |= 1U << number;
    u64 begun = TRACE_BE64(cpu.begun), count = TRACE_BE32(cpu.subbuffer_count);
    if (!whole || count < 2 || count > MAX_SUBBUFFERS) {
        warn("%s: the trace state of %s is damaged", dump->path, name);
        return;
    }
    struct packet_stream *stream = engine_add_stream(engine, 0, number, name);
    for (u64 next = begun > count ? begun - count : 0; next < begun; next++)
        add_packet(engine, dump, stream, &cpu, next);
}

int engine_open_dump(struct engine *engine, const char *path)
{
    struct dump *dump = memory_get(sizeof(*dump));
    *dump = (struct dump){.path = path, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    *engine = (struct engine){.where = path, .source = {read_packet, close_dump, dump}};
    if (dump->fd < 0)
        return fail(KOV_FAILED, "cannot open %s: %s", path, strerror(errno));
    int code = read_segments(dump);
    if (code == KOV_OK)
        code = find_descriptor(dump);
    if (code == KOV_OK)
        code = read_metadata(engine, dump);
    for (u32 i = 0; code == KOV_OK && i < ORRERY_MAX_CPUS; i++)
        if (dump->descriptor.cpus[i] != 0)
            add_cpu(engine, dump, i);
    if (code == KOV_OK) {
        engine_arrange(engine);
        memory_waits_read(&engine->waits, dump->descriptor.places, dump->descriptor.linear_base,
                          read_physical, dump);
    }
    return code;
}
