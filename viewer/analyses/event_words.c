// SPDX-License-Identifier: MIT
// Words for the numbers of a trace. One table says of which kind a field is, one function for each
// kind how its numbers are named.
#include "analyses/event_words.h"
#include "symbols/place.h"
#include "tools/memory.h"
#include "analyses/method_name.h"
#include "analyses/syscall_name.h"

#include <inttypes.h>
#include <orrery/errors.h>
#include <orrery/memory.h>
#include <orrery/sys.h>
#include <orrery/thread_layout.h>
#include <stdlib.h>
#include <string.h>
#include <trace/reasons.h>

#define KERNEL_SPACE 63 // bit of an address

enum word_kind {
    WORD_NONE,
    WORD_SYSCALL,
    WORD_ERROR, // if it is negative
    WORD_REASON,
    WORD_THREAD,
    WORD_WAKER, // a thread; 0: an interrupt
    WORD_PROCESS,
    WORD_OBJECT,
    WORD_CLASS,
    WORD_ENDPOINT,
    WORD_METHOD,
    WORD_VARIABLE, // an address of what has a name, as a lock; 0: of nothing
    WORD_WAITED,   // the same, with THREAD_WAITS_BITS
    WORD_CODE,
    WORD_CALLER, // an address behind a call
    WORD_VECTOR,
    WORD_ACCESS,
    WORD_FAULT_RESULT,
    WORD_MAJORS,
    WORD_PENDING,
    WORD_SAMPLE,
    WORD_LIST, // of the lists below
    WORD_THREAD_STATE = WORD_LIST,
    WORD_PROCESS_STATE,
    WORD_WAITS,
    WORD_SLEEPING,
    WORD_HANDED,
    WORD_BLOCK,
    WORD_DROP,
    WORD_KINDS
};

// Of all events of a major ("SCHED:"), or of a kind.
static const struct {
    const char *major; // NULL: of the kind alone
    enum event_kind of;
    const char *field;
    enum word_kind kind;
} fields[] = {
    {"SYSCALL:", EVENT_OTHER, "number", WORD_SYSCALL},
    {"SYSCALL:", EVENT_OTHER, "result", WORD_ERROR},
    {"SCHED:", EVENT_OTHER, "reason", WORD_REASON},
    {"SCHED:", EVENT_OTHER, "from", WORD_THREAD},
    {"SCHED:", EVENT_OTHER, "to", WORD_THREAD},
    {"SCHED:", EVENT_OTHER, "thread", WORD_THREAD},
    {"SCHED:", EVENT_OTHER, "by", WORD_WAKER},
    {"SCHED:", EVENT_OTHER, "pid", WORD_PROCESS},
    {"SCHED:", EVENT_OTHER, "parent", WORD_PROCESS},
    {"SCHED:", EVENT_OTHER, "coid", WORD_OBJECT},
    {NULL, EVENT_STATE_USER_THREAD, "pid", WORD_PROCESS},
    {NULL, EVENT_STATE_USER_THREAD, "mutex", WORD_WAITED},
    {NULL, EVENT_STATE_DISPATCHER, "pid", WORD_PROCESS},
    {NULL, EVENT_STATE_DISPATCHER, "thread", WORD_THREAD},
    {NULL, EVENT_STATE_DISPATCHER, "waits", WORD_WAITS},
    {NULL, EVENT_STATE_PROCESS, "pid", WORD_PROCESS},
    {NULL, EVENT_STATE_PROCESS, "parent", WORD_PROCESS},
    {NULL, EVENT_STATE_PROCESS, "state", WORD_PROCESS_STATE},
    {NULL, EVENT_STATE_THREAD, "thread", WORD_THREAD},
    {NULL, EVENT_STATE_THREAD, "state", WORD_THREAD_STATE},
    {NULL, EVENT_STATE_LOCK, "thread", WORD_THREAD},
    {NULL, EVENT_STATE_LOCK, "owner", WORD_THREAD},
    {NULL, EVENT_STATE_LOCK, "lock", WORD_VARIABLE},
    {NULL, EVENT_STATE_CALL, "thread", WORD_THREAD},
    {NULL, EVENT_STATE_CALL, "server", WORD_PROCESS},
    {NULL, EVENT_STATE_CHILD, "parent", WORD_OBJECT},
    {NULL, EVENT_STATE_CHILD, "child", WORD_OBJECT},
    {"STATE:", EVENT_OTHER, "coid", WORD_OBJECT},
    {NULL, EVENT_STATE_OBJECT, "class_id", WORD_CLASS},
    {"STATE:", EVENT_OTHER, "mask", WORD_MAJORS},
    {"OBJ:", EVENT_OTHER, "coid", WORD_OBJECT},
    {"OBJ:", EVENT_OTHER, "class_id", WORD_CLASS},
    {"MEM:", EVENT_OTHER, "object", WORD_OBJECT},
    {"MEM:", EVENT_OTHER, "region", WORD_OBJECT},
    {"MEM:", EVENT_OTHER, "fcm", WORD_OBJECT},
    {"MEM:", EVENT_OTHER, "status", WORD_ERROR},
    {"FAULT:", EVENT_OTHER, "region", WORD_OBJECT},
    {"FAULT:", EVENT_OTHER, "fcm", WORD_OBJECT},
    {"FAULT:", EVENT_OTHER, "address", WORD_VARIABLE},
    {"FAULT:", EVENT_OTHER, "access", WORD_ACCESS},
    {"FAULT:", EVENT_OTHER, "result", WORD_FAULT_RESULT},
    {"EXC:", EVENT_OTHER, "vector", WORD_VECTOR},
    {"EXC:", EVENT_OTHER, "pc", WORD_CODE},
    {NULL, EVENT_EXC_FIXUP, "address", WORD_VARIABLE},
    {"IRQ:", EVENT_OTHER, "pending", WORD_PENDING},
    {"IPC:", EVENT_OTHER, "endpoint", WORD_ENDPOINT},
    {NULL, EVENT_IPC_CALL, "server", WORD_PROCESS},
    {NULL, EVENT_IPC_CALL, "method", WORD_METHOD},
    {NULL, EVENT_IPC_ENDPOINT, "pid", WORD_PROCESS},
    {NULL, EVENT_IPC_SEND, "from", WORD_PROCESS},
    {"IPC:", EVENT_OTHER, "status", WORD_ERROR},
    {"IPC:", EVENT_OTHER, "error", WORD_ERROR},
    {NULL, EVENT_IPC_CALL, "handed", WORD_HANDED},
    {"LOCK:", EVENT_OTHER, "lock", WORD_VARIABLE},
    {"LOCK:", EVENT_OTHER, "caller0", WORD_CALLER},
    {"LOCK:", EVENT_OTHER, "caller1", WORD_CALLER},
    {"LOCK:", EVENT_OTHER, "caller2", WORD_CALLER},
    {"LOCKHOLD:", EVENT_OTHER, "lock", WORD_VARIABLE},
    {"LOCKHOLD:", EVENT_OTHER, "owner", WORD_THREAD},
    {"LOCKHOLD:", EVENT_OTHER, "sleeping", WORD_SLEEPING},
    {"LOCKHOLD:", EVENT_OTHER, "caller0", WORD_CALLER},
    {"LOCKHOLD:", EVENT_OTHER, "caller1", WORD_CALLER},
    {"LOCKHOLD:", EVENT_OTHER, "caller2", WORD_CALLER},
    {"BLOCK:", EVENT_OTHER, "type", WORD_BLOCK},
    {"BLOCK:", EVENT_OTHER, "status", WORD_ERROR},
    {"NET:", EVENT_OTHER, "reason", WORD_DROP},
    {"DCI:", EVENT_OTHER, "error", WORD_ERROR},
    {"TRACE:", EVENT_OTHER, "mask", WORD_MAJORS},
    {"PROGRAM:", EVENT_OTHER, "pid", WORD_PROCESS},
    {NULL, EVENT_SAMPLE, "pc", WORD_CODE},
    {NULL, EVENT_SAMPLE, "coid", WORD_OBJECT},
    {NULL, EVENT_SAMPLE, "thread", WORD_THREAD},
    {NULL, EVENT_SAMPLE, "flags", WORD_SAMPLE},
    {"MONITOR:", EVENT_OTHER, "id", WORD_THREAD},
    {NULL, EVENT_MONITOR_SWITCH, "reason", WORD_REASON},
    {NULL, EVENT_MONITOR_WAKE, "reason", WORD_REASON},
    {NULL, EVENT_MONITOR_FAULT, "word0", WORD_VARIABLE},
    {NULL, EVENT_MONITOR_FAULT, "word1", WORD_ACCESS},
    {NULL, EVENT_MONITOR_SYSCALL, "word0", WORD_SYSCALL},
    {NULL, EVENT_MONITOR_SYSCALL, "word1", WORD_ERROR},
};

#define LIST_MAX 5
static const char *const lists[WORD_KINDS - WORD_LIST][LIST_MAX] = {
    [WORD_THREAD_STATE - WORD_LIST] = {"runs", "parked", "ready", "ended", "asks"},
    [WORD_PROCESS_STATE - WORD_LIST] = {"new", "live", "ending"},
    [WORD_WAITS - WORD_LIST] = {"no", "event", "answer"},
    [WORD_SLEEPING - WORD_LIST] = {"no", "yes"},
    [WORD_HANDED - WORD_LIST] = {"no", "yes"},
    [WORD_BLOCK - WORD_LIST] = {[0] = "read", [1] = "write", [4] = "flush"},
    [WORD_DROP - WORD_LIST] = {NULL, "malformed", "too-long", "no-buffer", "fault"},
};

struct number_name {
    u64 number;
    const char *name;
};

static const struct number_name vectors[] = {
    {0x100, "system-reset"},
    {0x200, "machine-check"},
    {0x300, "data-storage"},
    {0x380, "data-segment"},
    {0x400, "instruction-storage"},
    {0x480, "instruction-segment"},
    {0x500, "external"},
    {0x600, "alignment"},
    {0x700, "program"},
    {0x800, "floating-point"},
    {0x900, "decrementer"},
    {0xa00, "doorbell"},
    {0xc00, "system-call"},
    {0xd00, "trace"},
    {0xf00, "performance-monitor"},
    {0xf20, "vector-unavailable"},
    {0xf40, "vsx-unavailable"},
    {0xf60, "facility-unavailable"},
};
// Bits, in the order in which they are written.
static const struct number_name pending_bits[] = {{0x01, "decrementer"}, {0x02, "external"}};
static const struct number_name access_bits[] = {
    {PROT_R, "read"}, {PROT_W, "write"}, {PROT_X, "execute"}};
static const struct number_name sample_bits[] = {{SYS_SAMPLE_KERNEL, "kernel"},
                                                 {SYS_SAMPLE_SOFT_MASKED, "masked"},
                                                 {SYS_SAMPLE_IDLE, "idle"},
                                                 {SYS_SAMPLE_ATTRIBUTED, "attributed"},
                                                 {SYS_SAMPLE_STALE, "stale"}};

// ---- words -------------------------------------------------------------------------------------

static bool put_word(char text[WORD_BYTES], const char *word)
{
    if (word != NULL)
        snprintf(text, WORD_BYTES, "%s", word);
    return word != NULL;
}

static const char *name_of(const struct number_name *names, size_t count, u64 number)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].number == number)
            return names[i].name;
    return NULL;
}

// Writes the names of bits, and as a number those that have none. Returns false if none has.
static bool word_of_bits(const struct number_name *names, size_t count, u64 bits,
                         char text[WORD_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if ((bits & names[i].number) != 0 && used < WORD_BYTES) {
            used += (size_t)snprintf(text + used, WORD_BYTES - used, "%s%s", used > 0 ? "|" : "",
                                     names[i].name);
            bits &= ~names[i].number;
        }
    if (used > 0 && bits != 0 && used < WORD_BYTES)
        snprintf(text + used, WORD_BYTES - used, "|%#" PRIx64, bits);
    return used > 0;
}

static bool word_of_majors(u64 mask, char text[WORD_BYTES])
{
    struct number_name names[64];
    u64 all = 0;
    for (u32 i = 0; i < trace_major_count; i++) {
        names[i] = (struct number_name){1UL << trace_majors[i].number, trace_majors[i].name};
        all |= names[i].number;
    }
    return (mask & all) == all ? put_word(text, "all")
                               : word_of_bits(names, trace_major_count, mask, text);
}

static const char *error_name(s64 error)
{
    switch (error) {
#define ERROR_NAME(name, value, text)                                                              \
    case value:                                                                                    \
        return #name;
        ORRERY_ERRORS(ERROR_NAME)
#undef ERROR_NAME
    default:
        return NULL;
    }
}

bool word_of_process(const struct labels *labels, u64 pid, char text[WORD_BYTES])
{
    const char *name = pid == 0 ? NULL : labels_find(labels, LABEL_PROCESS, pid);
    if (pid == 0)
        return put_word(text, "kernel");
    if (name != NULL)
        snprintf(text, WORD_BYTES, "%s:%" PRIu64, name, pid);
    else
        snprintf(text, WORD_BYTES, "%" PRIu64, pid);
    return name != NULL;
}

bool word_of_object(const struct labels *labels, u64 coid, char text[WORD_BYTES])
{
    const char *class = labels_class_of(labels, coid);
    snprintf(text, WORD_BYTES, "%s%s%#" PRIx64, class == NULL ? "" : class,
             class == NULL ? "" : ":", coid);
    return class != NULL;
}

bool word_of_endpoint(const struct labels *labels, u64 endpoint, char text[WORD_BYTES])
{
    char owner[WORD_BYTES / 2];
    u64 pid;
    if (!labels_owner_of(labels, endpoint, &pid) || !word_of_process(labels, pid, text))
        return word_of_object(labels, endpoint, text);
    snprintf(owner, sizeof(owner), "%s", text);
    snprintf(text, WORD_BYTES, "%s:%#" PRIx64, owner, endpoint);
    return true;
}

void event_words_put_process(json_t *row, const char *key, const struct labels *labels, u64 pid)
{
    char text[WORD_BYTES];
    word_of_process(labels, pid, text);
    put_text(row, key, text);
}

void event_words_put_endpoint(json_t *row, const struct labels *labels, u64 endpoint)
{
    char text[WORD_BYTES];
    put_hex(row, "endpoint", endpoint);
    word_of_endpoint(labels, endpoint, text);
    put_text(row, "endpoint_name", text);
}

void event_words_put_method(json_t *row, u64 method)
{
    char text[24];
    const char *name = method_name(method);
    snprintf(text, sizeof(text), "%" PRIu64, method);
    put_u64(row, "method", method);
    put_text(row, "method_name", name != NULL ? name : text);
}

bool word_of_lock(struct trace_walk *walk, struct symbols *symbols, u64 address, u64 from, u64 to,
                  char text[WORD_BYTES])
{
    char object[WORD_BYTES / 2];
    u64 coid, offset;
    if (place_variable(symbols_find(symbols, address), address, text, WORD_BYTES))
        return true;
    if (walk == NULL || !labels_object_at(&walk->labels, address, from, to, &coid, &offset))
        return false;
    word_of_object(&walk->labels, coid, text);
    snprintf(object, sizeof(object), "%s", text);
    snprintf(text, WORD_BYTES, "%s+0x%" PRIx64, object, offset);
    return true;
}

void event_words_put_lock(json_t *row, struct trace_walk *walk, struct symbols *symbols,
                          u64 address)
{
    char text[WORD_BYTES];
    put_hex(row, "lock", address);
    word_of_lock(walk, symbols, address, walk != NULL ? walk->begin : 0,
                 walk != NULL ? walk->end : 0, text);
    put_text(row, "lock_name", text);
}

// A dispatcher's thread is named by its process, others by their own name.
static bool word_of_thread(const struct trace_walk *walk, u64 thread, char text[WORD_BYTES])
{
    char process[WORD_BYTES / 2] = "";
    const char *name = labels_find(&walk->labels, LABEL_THREAD, thread);
    u64 pid = trace_walk_pid(walk, thread);
    if (pid != 0 && pid != ACTIVITY_NO_PID && word_of_process(&walk->labels, pid, text)) {
        snprintf(process, sizeof(process), "%s", text);
        name = process;
    }
    if (name == NULL && pid == 0)
        name = "kernel";
    if (name != NULL)
        snprintf(text, WORD_BYTES, "%s/%" PRIu64, name, thread);
    return name != NULL;
}

// ---- code --------------------------------------------------------------------------------------

static struct symbols *symbols_of(struct event_words *words, u64 address, u64 pid)
{
    struct snapshot *snapshot = &words->names.snapshot;
    if (address >> KERNEL_SPACE != 0)
        return trace_names_kernel(&words->names, words->descriptions);
    if (pid == 0 || pid > UINT32_MAX)
        return NULL;
    if (snapshot_process(snapshot, (u32)pid) == NULL)
        trace_names_by_labels(&words->names, &words->walk->labels);
    return snapshot_process(snapshot, (u32)pid) == NULL
               ? NULL
               : program_symbols(&words->names.programs, snapshot, (u32)pid);
}

static bool word_of_code(struct symbols *symbols, u64 address, char text[WORD_BYTES])
{
    struct symbol symbol = symbols_find(symbols, address);
    if (symbol.function != NULL)
        snprintf(text, WORD_BYTES, "%s+%#" PRIx64, symbol.function, symbol.offset);
    return symbol.function != NULL;
}

// ---- fields ------------------------------------------------------------------------------------

static u8 kind_of(const struct event_description *description, const char *field)
{
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if ((fields[i].major != NULL
                 ? strncmp(description->full_name, fields[i].major, strlen(fields[i].major)) == 0
                 : description->known.name == fields[i].of) &&
            strcmp(fields[i].field, field) == 0)
            return (u8)fields[i].kind;
    return WORD_NONE;
}

void event_words_begin(struct event_words *words, struct trace_walk *walk,
                       const struct descriptions *descriptions)
{
    free(words->kinds);
    words->walk = walk;
    words->descriptions = descriptions;
    words->kinds = memory_get(descriptions->count * sizeof(*words->kinds) + 1);
    for (size_t i = 0; i < descriptions->count; i++)
        for (u32 field = 0; field < descriptions->events[i].info.field_count; field++)
            words->kinds[i][field] =
                kind_of(&descriptions->events[i], descriptions->events[i].info.fields[field].name);
}

void event_words_free(struct event_words *words)
{
    free(words->kinds);
    trace_names_free(&words->names);
    *words = (struct event_words){0};
}

// Words of what only the kernel's events speak of: threads and the kernel's objects.
static bool word_of_kernel(const struct event_words *words, u8 kind, u64 value,
                           char text[WORD_BYTES])
{
    const struct trace_walk *walk = words->walk;
    switch (kind) {
    case WORD_WAKER:
        return value == 0 ? put_word(text, "interrupt") : word_of_thread(walk, value, text);
    case WORD_THREAD:
        return word_of_thread(walk, value, text);
    case WORD_OBJECT:
        return word_of_object(&walk->labels, value, text);
    case WORD_CLASS:
        return put_word(text, labels_find(&walk->labels, LABEL_CLASS, value));
    case WORD_ENDPOINT:
        return word_of_endpoint(&walk->labels, value, text);
    default:
        return false;
    }
}

static bool word_of_number(u8 kind, u64 value, char text[WORD_BYTES])
{
    static const char *const reasons[REASONS] = REASON_NAMES;
    static const char *const results[] = {"done", "bad-address", "no-memory", "waits"};
    const char *call;
    switch (kind) {
    case WORD_SYSCALL:
        call = syscall_name(value);
        return call[0] != '?' && put_word(text, call);
    case WORD_ERROR:
        return put_word(text, error_name((s64)value));
    case WORD_REASON:
        return value < REASONS && put_word(text, reasons[value]);
    case WORD_METHOD:
        return put_word(text, method_name(value));
    case WORD_VECTOR:
        return put_word(text, name_of(vectors, ARRAY_SIZE(vectors), value));
    case WORD_ACCESS:
        return word_of_bits(access_bits, ARRAY_SIZE(access_bits), value, text);
    case WORD_FAULT_RESULT:
        return value < ARRAY_SIZE(results) && put_word(text, results[value]);
    case WORD_MAJORS:
        return word_of_majors(value, text);
    case WORD_PENDING:
        return word_of_bits(pending_bits, ARRAY_SIZE(pending_bits), value, text);
    case WORD_SAMPLE:
        return word_of_bits(sample_bits, ARRAY_SIZE(sample_bits), value, text);
    default:
        return kind >= WORD_LIST && value < LIST_MAX &&
               put_word(text, lists[kind - WORD_LIST][value]);
    }
}

// Returns the process whose addresses an event has: the one that it tells itself, or `pid`.
static u64 process_of(const struct event_words *words, const struct trace_event *event,
                      const u64 values[TRACE_MAX_FIELDS], u64 pid)
{
    const struct described_kind *known = &event->description->known;
    if (known->kind >= EVENT_MONITOR_SWITCH && known->kind <= EVENT_MONITOR_SENSOR)
        return trace_walk_pid(words->walk, values[known->places[0]]);
    if (known->kind == EVENT_STATE_USER_THREAD)
        return values[known->places[0]];
    return event->pid != 0 ? event->pid : pid;
}

bool event_word(struct event_words *words, const struct trace_event *event, u32 field,
                const u64 values[TRACE_MAX_FIELDS], u64 pid, char text[WORD_BYTES])
{
    u8 kind = words->kinds[event->description - words->descriptions->events][field];
    u64 value = values[field];
    switch (kind) {
    case WORD_NONE:
        return false;
    case WORD_PROCESS:
        return word_of_process(&words->walk->labels, value, text);
    case WORD_WAITED:
        value &= ~THREAD_WAITS_BITS;
        // fall through
    case WORD_VARIABLE:
        pid = process_of(words, event, values, pid);
        return value != 0 &&
               word_of_lock(event->pid == 0 ? words->walk : NULL, symbols_of(words, value, pid),
                            value, event->time, event->time, text);
    case WORD_CODE:
        return word_of_code(symbols_of(words, value, pid), value, text);
    case WORD_CALLER:
        return put_word(text, symbols_find_call(symbols_of(words, value, pid), value).function);
    case WORD_WAKER:
    case WORD_THREAD:
    case WORD_OBJECT:
    case WORD_CLASS:
    case WORD_ENDPOINT:
        return event->pid == 0 && word_of_kernel(words, kind, value, text);
    default:
        return word_of_number(kind, value, text);
    }
}

// ---- the text ----------------------------------------------------------------------------------

// Writes one conversion of a format, which is for 64 bits or for a text's address.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void plain_text(const char *format, int length, u64 value, char text[WORD_BYTES])
{
    char one[24];
    snprintf(one, sizeof(one), "%.*s", length, format);
    snprintf(text, WORD_BYTES, one, value);
}
#pragma GCC diagnostic pop

void event_words_text(struct event_words *words, const struct trace_event *event,
                      const u64 values[TRACE_MAX_FIELDS], const char *string, u64 pid, char *text,
                      size_t size)
{
    const struct trace_event_info *info = &event->description->info;
    const char *at = info->format;
    size_t used = 0;
    text[0] = '\0';
    for (u32 field = 0; *at != '\0' && used < size; field++) {
        char word[WORD_BYTES] = "";
        int before = (int)strcspn(at, "%");
        const char *conversion = at + before;
        int length = (int)strcspn(conversion, "duxs") + 1;
        bool last = *conversion == '\0' || field >= info->field_count;
        if (!last && info->fields[field].type == TRACE_TEXT)
            snprintf(word, sizeof(word), "%s", string != NULL ? string : "");
        else if (!last && !event_word(words, event, field, values, pid, word))
            plain_text(conversion, length, values[field], word);
        used += (size_t)snprintf(text + used, size - used, "%.*s%s", before, at, word);
        at = last ? "" : conversion + length;
    }
}
