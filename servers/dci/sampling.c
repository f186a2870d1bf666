// SPDX-License-Identifier: MIT
// Requests about sampling, and the pushing of samples to the client that owns the session. While
// its queue is full the samples stay in the kernel's buffers, which count what is lost. Members get
// copies. Who asked for sums gets those in place of samples; the table of sums waits for it.
#include "sampling.h"

#include "counting.h"
#include "sample_frames.h"
#include "sampling_request.h"
#include "service.h"

#include <orrery/sys.h>
#include <string.h>

#define SAMPLE_BYTES_MAX (sizeof(struct sys_sample) + SYS_CALLERS_MAX * sizeof(u64))

struct shared_session sampling_shared = {
    .missed_tag = dci_Event_sampling_missed_tag,
    .ended_tag = dci_Event_sampling_ended_tag,
};
static struct shared_session *const shared = &sampling_shared;
static s64 session; // the running or the last one; 0: none yet
// The owner's request, with the periods as they have been changed since.
static dci_SamplingStartRequest asked;
static u64 began;
static bool stopped;                                   // the owner has asked for the end
static u64 due;                                        // time of the next look at the buffers
static u64 interval;                                   // ms from one look to the next
static u64 most_of_batch;                              // bytes of a buffer, so far
static bool cut[ORRERY_MAX_CPUS][SYS_SAMPLING_EVENTS]; // the last read left samples in the buffer

static u64 filtered[ORRERY_MAX_CPUS][SYS_SAMPLING_EVENTS]; // samples that are not wanted

static struct sample_sums sums;     // of what was read since sums_from
static u64 sums_from;               // as SampleSums.from
static struct sample_stacks stacks; // of what was read since stacks_from
static u64 stacks_from;
static bool tell_again; // somebody does not know the frames of all stacks
static u64 told_again;  // when they were told again
static struct {
    u64 time, before; // of an event's last change: when it was, and the period until then
} changed[SYS_SAMPLING_EVENTS];

static u32 sampling_owned_by(const struct client *client)
{
    return shared->owner.client == client;
}

u64 sampling_of_another(const struct client *client)
{
    return shared_by_another(shared, client) ? (u64)session : 0;
}

// ---- samples -----------------------------------------------------------------------------------

// Adds a stream's losses and turns to a batch.
static void add_account(struct frame *frame, u32 cpu, u32 index)
{
    struct sys_sampling_stat stat;

    if (sys_sampling_stat(session, cpu, index, &stat) != 0)
        return;
    frame_varint(frame, dci_Samples_lost_tag, stat.lost);
    sample_frame_turns(frame, dci_Samples_turns_tag, &stat);
}

// Returns the period of the time when the sample was taken. No sample is older than the last change
// but one, because a change is made when all buffers are read.
static u32 weight_of(const struct sys_sample *sample, u32 index)
{
    return (u32)(sample->time < changed[index].time ? changed[index].before
                                                    : asked.events[index].period);
}

// Adds the wanted samples of server_records to the frame (NULL: nobody gets it) and to the sums.
// Returns how many.
static u32 add_samples(struct frame *frame, u32 cpu, u32 index, u64 bytes)
{
    bool wants_sums = shared_wanted(shared, FORM_SUMS),
         wants_stacks = shared_wanted(shared, FORM_STACKS);
    u32 added = 0;

    if (!wants_sums && sums.count != 0)
        sample_sums_drop(&sums, sums.count); // who comes later gets none from before this gap
    if (!wants_stacks)
        sample_stacks_forget(&stacks);
    for (u64 at = 0; at < bytes;) {
        const struct sys_sample *sample = (const struct sys_sample *)(server_records + at);
        at += sys_sample_bytes(sample);
        if (!sampling_wants(&asked, sample->pid)) {
            filtered[cpu][index]++;
            continue;
        }
        if (frame != NULL)
            sample_frame_add(frame, sample);
        if (wants_sums)
            sample_sums_add(&sums, cpu, index, weight_of(sample, index), sample);
        if (wants_stacks)
            sample_stacks_add(&stacks, cpu, index, weight_of(sample, index), sample);
        added++;
    }
    return added;
}

// Begins a frame for those that get this form. Returns false if the owner has no room. last: the
// session is being ended, and the owner misses what it has no room for.
static bool begin_batch(struct frame *frame, enum form form, bool last)
{
    static const u32 bodies[] = {[FORM_SINGLE] = dci_Event_samples_tag,
                                 [FORM_SUMS] = dci_Event_sample_sums_tag,
                                 [FORM_STACKS] = dci_Event_sample_stacks_tag};

    return shared_push_begin(shared, frame, bodies[form], form, last);
}

void sampling_tell_stacks(void)
{
    tell_again = true;
}

// Pushes the sums by stack. Returns false if some are left, because the owner has no room. Who
// misses a frame does not know its stacks. All frames are told again once in a while at most:
// whoever misses them each time takes no more of others' room.
static bool push_stacks(u64 now, bool last)
{
    struct frame frame;

    if (!shared_wanted(shared, FORM_STACKS))
        sample_stacks_forget(&stacks);
    if (tell_again && now - told_again >= server_ticks(SUMS_INTERVAL_MS)) {
        stacks.told = 0;
        told_again = now;
        tell_again = false;
    }
    while (stacks.sums.count != 0) {
        if (!begin_batch(&frame, FORM_STACKS, last))
            return false;
        u32 added = sample_frame_stacks(&frame, &stacks, stacks_from, now);
        sample_sums_drop(&stacks.sums, added);
        if (!shared_push_end(shared, &frame, 0, FORM_STACKS))
            tell_again = true;
        if (stacks.sums.count == 0)
            sample_stacks_pushed(&stacks);
    }
    stacks_from = now;
    return true;
}

// Pushes the sums. Returns false if some are left, because the owner has no room.
static bool push_sums(bool last)
{
    u64 now = sys_time();
    struct frame frame;

    if (!shared_wanted(shared, FORM_SUMS))
        sample_sums_drop(&sums, sums.count); // they were for someone that has gone
    while (sums.count != 0) {
        u32 samples;
        if (!begin_batch(&frame, FORM_SUMS, last))
            return false;
        u32 added = sample_frame_sums(&frame, &sums, sums_from, now, &samples);
        sample_sums_drop(&sums, added);
        shared_push_end(shared, &frame, samples, FORM_SUMS);
    }
    sums_from = now;
    return push_stacks(now, last);
}

// Reads at most as much of a buffer as `room`, into a frame if somebody wants samples.
static s64 read_batch(struct frame *frame, u32 cpu, u32 index, u64 room)
{
    s64 bytes = sys_sampling_read(session, cpu, index, server_records, room);

    cut[cpu][index] = bytes > 0 && room - (u64)bytes < SAMPLE_BYTES_MAX;
    if (bytes <= 0)
        return 0;
    if (frame != NULL) {
        frame_varint(frame, dci_Samples_cpu_tag, cpu);
        frame_varint(frame, dci_Samples_index_tag, index);
        add_account(frame, cpu, index);
    }
    // Without wanted samples the frame is not ended, and so leaves no trace.
    u32 samples = add_samples(frame, cpu, index, (u64)bytes);
    shared->pushed += samples;
    if (frame != NULL && samples != 0)
        shared_push_end(shared, frame, samples, FORM_SINGLE);
    return bytes;
}

// Takes at most one frame of samples out of an event's buffer on a CPU. Returns the bytes read, 0
// if the buffer was empty, or E_AGAIN if the owner has no room. Sets `cut` if samples are left.
// last: the session is being ended, and the owner misses the samples that it has no room for.
static s64 push_batch(u32 cpu, u32 index, bool last)
{
    // A long read would have more sites than the table.
    bool is_long = cut[cpu][index] && !shared_wanted(shared, FORM_SUMS);
    bool is_single = shared_wanted(shared, FORM_SINGLE);
    u32 most = SAMPLES_BYTES_FEW / sizeof(struct sys_sample);
    struct frame frame;

    if (is_single && !begin_batch(&frame, FORM_SINGLE, last))
        return E_AGAIN;
    s64 bytes = read_batch(is_single ? &frame : NULL, cpu, index,
                           is_long ? sizeof(server_records) : SAMPLES_BYTES_FEW);
    if (sample_sums_near_full(&sums, most) || sample_stacks_near_full(&stacks, most))
        push_sums(last); // without room, more sites become others
    return bytes;
}

// Returns the number of buffers. They are numbered CPU by CPU.
static u32 stream_count(void)
{
    return (u32)server_system.cpu_count * asked.events_count;
}

struct batch {
    u64 most;     // bytes that came of one buffer
    bool more;    // a buffer holds more
    bool blocked; // the owner has no room
};

// Pushes a batch of each buffer.
static struct batch push_all(void)
{
    struct batch batch = {0};

    for (u32 stream = 0; stream < stream_count() && !batch.blocked; stream++) {
        u32 cpu = stream / asked.events_count, index = stream % asked.events_count;
        s64 bytes = push_batch(cpu, index, false);
        batch.blocked = bytes == E_AGAIN;
        batch.most = bytes > 0 && (u64)bytes > batch.most ? (u64)bytes : batch.most;
        batch.more |= !batch.blocked && cut[cpu][index];
    }
    return batch;
}

// Takes all that the buffers hold now. Returns false if the owner has no room for it, or if new
// samples come faster.
static bool push_present(void)
{
    struct batch batch = {.more = true};

    for (u32 pass = 0; pass < SUMS_PASSES && batch.more && !batch.blocked; pass++)
        batch = push_all();
    return !batch.more && !batch.blocked;
}

// Returns how long to wait for the next look, in ms. Single samples are waited for by someone. Sums
// can wait for as long as a buffer that has not grown has room. Precise samples have the time at
// which they are read, and the unit's rings are short.
static u64 next_interval(u64 most)
{
    bool quick = shared_wanted(shared, FORM_SINGLE);
    u64 sums_max = asked.precise ? SUMS_POLL_PRECISE_MS : SUMS_POLL_MS;
    u64 max = quick ? SAMPLING_INTERVAL_MS_MAX : sums_max;
    u64 less = quick ? SAMPLING_INTERVAL_MS : interval / 2;

    if (most > (quick ? SAMPLES_BYTES_FEW / 4 : SAMPLES_BYTES_FEW - SAMPLE_BYTES_MAX))
        return less > SAMPLING_INTERVAL_MS ? less : SAMPLING_INTERVAL_MS;
    if (!quick && most > SAMPLES_BYTES_FEW / 2)
        return interval;
    return 2 * interval < max ? 2 * interval : max;
}

// Pushes samples when it is time, not at every round of the server's loop. There is a round
// whenever there is something to send. So the samples of the sending itself would go on for ever,
// one a frame. If samples are few they wait longer: a look costs the same for one as for many.
static u64 sampling_work(u64 now)
{
    if (shared->owner.client == NULL)
        return UINT64_MAX;
    if (now < due)
        return due;
    struct batch batch = push_all();
    most_of_batch = batch.most > most_of_batch ? batch.most : most_of_batch;
    if (now - sums_from >= server_ticks(SUMS_INTERVAL_MS))
        push_sums(false);
    due = now;
    if (!batch.more) {
        interval = next_interval(most_of_batch);
        most_of_batch = 0;
        due += server_ticks(interval);
    }
    return due;
}

// ---- statistics --------------------------------------------------------------------------------

static void add_stat(struct frame *frame, u32 field, u32 cpu, u32 index)
{
    struct sys_sampling_stat stat;

    if (sys_sampling_stat(session, cpu, index, &stat) == 0)
        sample_frame_stat(frame, field, cpu, index, filtered[cpu][index], &stat);
}

static void fill_stat(struct frame *frame, bool running)
{
    frame_varint(frame, dci_SamplingStatReply_session_tag, (u64)session);
    for (u32 stream = 0; stream < stream_count(); stream++)
        add_stat(frame, dci_SamplingStatReply_cpus_tag, stream / asked.events_count,
                 stream % asked.events_count);
    for (u32 index = 0; index < asked.events_count; index++)
        frame_record(frame, dci_SamplingStatReply_events_tag, dci_SampledEvent_fields,
                     &asked.events[index]);
    frame_varint(frame, dci_SamplingStatReply_running_tag, running);
    frame_varint(frame, dci_SamplingStatReply_time_tag, sys_time());
}

static s64 reply_stat(struct client *client, u32 body)
{
    struct frame frame;

    client_frame_begin(client, &frame, body);
    fill_stat(&frame, shared->owner.client != NULL);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

static s64 sampling_stat_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (session == 0)
        return client_error(client, E_NOENT, "nothing has been sampled yet");
    // So that sums and statistics are of the same time.
    if (shared_gets(shared, client, FORM_SUMS)) {
        push_present();
        push_sums(false);
    }
    return REQUEST_GOES_ON;
}

static s64 sampling_stat_step(struct client *client)
{
    return reply_stat(client, dci_Response_sampling_stat_tag);
}

// ---- the end -----------------------------------------------------------------------------------

static void tell_end(void)
{
    struct frame frame;

    shared_frame(&frame, dci_Event_sampling_ended_tag);
    u32 mark = frame_open(&frame, dci_SamplingEnded_stat_tag);
    fill_stat(&frame, false);
    frame_close(&frame, mark);
    shared_tell_end(shared, &frame, false);
    shared_end(shared);
}

// Ends the session for a reason other than its owner's request. The rest of the buffers goes to
// everyone, as far as there is room.
static void end_session(void)
{
    if (!stopped)
        sys_sampling_stop(session);
    u32 streams = shared->owner.client != NULL || shared->told_of != 0 ? stream_count() : 0;
    for (u32 stream = 0; stream < streams; stream++)
        while (push_batch(stream / asked.events_count, stream % asked.events_count, true) > 0)
            continue;
    push_sums(true);
    tell_end();
}

bool sampling_give_way(const struct client *client)
{
    if (shared_is_idle(shared) || shared_claim(shared, client, false) != NULL)
        return false;
    shared_displace(shared, client);
    end_session();
    shared_unclaim(shared, client);
    return true;
}

static u32 stopping; // the next stream of the owner's stop

static s64 sampling_stop_begin(struct client *client, const dci_Request *request)
{
    (void)request;
    if (shared->owner.client != client)
        return client_error(client, E_NOENT, "this client does not sample");
    s64 error = sys_sampling_stop(session);
    stopped = error >= 0;
    stopping = 0;
    return error < 0 ? error : REQUEST_GOES_ON;
}

static s64 sampling_stop_step(struct client *client)
{
    if (shared->owner.client != client)
        return client_error(client, E_NOENT, "another client has taken over meanwhile");
    if (stopping == stream_count()) {
        if (sums.count != 0 || stacks.sums.count != 0)
            return push_sums(false) ? REQUEST_GOES_ON : REQUEST_WAITS;
        tell_end();
        return reply_stat(client, dci_Response_sampling_stop_tag);
    }
    s64 result = push_batch(stopping / asked.events_count, stopping % asked.events_count, false);
    if (result == 0)
        stopping++;
    return result == E_AGAIN ? REQUEST_WAITS : REQUEST_GOES_ON;
}

static void sampling_release(struct client *client)
{
    if (shared_lose(shared, client))
        end_session();
}

// ---- start and change --------------------------------------------------------------------------

void sampling_add_began(struct frame *frame, bool for_sums)
{
    shared_frame(frame, dci_Event_sampling_began_tag);
    frame_varint(frame, dci_SamplingBegan_session_tag, (u64)session);
    frame_varint(frame, dci_SamplingBegan_time_tag, began);
    frame_record(frame, dci_SamplingBegan_owner_tag, dci_SharingClient_fields, &shared->name);
    frame_record(frame, dci_SamplingBegan_start_tag, dci_SamplingStartRequest_fields, &asked);
    frame_varint(frame, dci_SamplingBegan_pushed_tag,
                 shared->pushed - (for_sums ? sums.samples : 0));
}

static void begin_session(struct client *client, const dci_SamplingStartRequest *start)
{
    struct frame frame;

    shared_start(shared, client, start->yielding,
                 (struct forms){.sums = start->sums, .stacks = start->stacks});
    asked = *start;
    began = sys_time();
    stopped = false;
    due = 0;
    interval = SAMPLING_INTERVAL_MS;
    memset(cut, 0, sizeof(cut));
    memset(filtered, 0, sizeof(filtered));
    memset(changed, 0, sizeof(changed));
    sample_sums_drop(&sums, sums.count);
    sample_stacks_forget(&stacks);
    tell_again = false;
    told_again = 0;
    sums_from = stacks_from = began;
    sampling_add_began(&frame, false);
    shared_started(shared, &frame);
}

static s64 reply_start(struct client *client)
{
    dci_SamplingStartReply reply = {.session = (u64)session, .time = began};
    struct frame frame;

    client_frame_begin(client, &frame, 0);
    frame_record(&frame, dci_Response_sampling_start_tag, dci_SamplingStartReply_fields, &reply);
    shared_add_displaced(shared, &frame);
    client_frame_end(client, &frame, false);
    return REQUEST_REPLIED;
}

// Ends the session that is in the way. First it checks that nothing else speaks against the new
// one: the machine looks for a running session (E_BUSY) after all else. Returns 0 or that other
// error.
static s64 displace(const struct client *client, const struct sys_sampling *sampling, char *message,
                    u64 bytes)
{
    s64 result = stopped ? E_BUSY : sys_sampling_start(sampling, message, bytes);

    if (result != E_BUSY)
        return result;
    shared_displace(shared, client);
    end_session();
    message[0] = 0;
    return 0;
}

// Starts a session. If its counters are taken, yielding sessions of counting give way.
static s64 start_beside(const struct client *client, const struct sys_sampling *sampling,
                        char *message, u64 bytes)
{
    s64 result = sys_sampling_start(sampling, message, bytes);
    bool yields = (sampling->flags & SYS_SAMPLING_TURNS) != 0;

    if (result == E_BUSY && !yields && counting_give_way(client))
        result = sys_sampling_start(sampling, message, bytes);
    return result;
}

static s64 sampling_start_begin(struct client *client, const dci_Request *request)
{
    const dci_SamplingStartRequest *start = &request->body.sampling_start;
    struct sys_sampling sampling;
    char message[sizeof(client->message)] = "";

    s64 result = sampling_request_check(client, start);
    if (result != 0)
        return result;
    const struct client *other = shared_claim(shared, client, start->yielding);
    if (other != NULL)
        return client_error(client, E_BUSY, "client %u samples already", (unsigned)other->number);
    sampling_request_fill(&sampling, start);
    if (shared->owner.client != NULL)
        result = displace(client, &sampling, message, sizeof(message));
    if (result == 0)
        result = start_beside(client, &sampling, message, sizeof(message));
    if (result < 0) {
        shared_unclaim(shared, client);
        return client_error(client, result, "%s", sampling_refusal(result, message));
    }
    session = result;
    begin_session(client, start);
    return reply_start(client);
}

static void fill_changed(struct frame *frame, const dci_SamplingChanged *changed)
{
    frame_message(frame, dci_SamplingChanged_fields, changed);
    for (u32 cpu = 0; cpu < server_system.cpu_count; cpu++)
        add_stat(frame, dci_SamplingChanged_cpus_tag, cpu, changed->index);
}

// Changes a period. It first reads what the buffers hold, so that at most one change is younger
// than a sample, and makes sure of room for the news: a client that adds samples up must know of
// the change.
static s64 sampling_change_begin(struct client *client, const dci_Request *request)
{
    const dci_SamplingChangeRequest *change = &request->body.sampling_change;
    struct frame frame;

    if (shared->owner.client == NULL)
        return client_error(client, E_NOENT, "nobody samples");
    if (change->index >= asked.events_count)
        return client_error(client, E_INVAL, "the session has %u events",
                            (unsigned)asked.events_count);
    s64 error = sampling_period_check(client, change->index, change->period, change->randomise,
                                      asked.precise);
    if (error != 0)
        return error;
    bool is_read = push_present() && push_sums(false);
    if (!is_read ||
        !client_push_begin(shared->owner.client, &frame, dci_Event_sampling_changed_tag))
        return client_error(client, E_AGAIN, "the client that samples does not read");
    error = sys_sampling_change(session, change->index, change->period, change->randomise);
    if (error < 0)
        return error; // the frame is not ended, and so leaves no trace
    dci_SamplingChanged news = {
        .index = change->index,
        .period = change->period,
        .randomise = change->randomise,
        .time = sys_time(),
    };
    changed[change->index].time = news.time;
    changed[change->index].before = asked.events[change->index].period;
    asked.events[change->index].period = change->period;
    asked.events[change->index].randomise = change->randomise;
    interval = SAMPLING_INTERVAL_MS; // the buffers may fill faster
    due = 0;
    fill_changed(&frame, &news);
    client_push_end(shared->owner.client, &frame);
    shared_frame(&frame, dci_Event_sampling_changed_tag);
    fill_changed(&frame, &news);
    shared_tell(shared->told_of, &frame);
    return REQUEST_DONE;
}

static const struct request_kind kinds[] = {
    REQUEST(sampling_start, dci_Role_ROLE_CONTROLLER, sampling_start_begin, NULL),
    REQUEST(sampling_stop, dci_Role_ROLE_CONTROLLER, sampling_stop_begin, sampling_stop_step),
    REQUEST(sampling_stat, dci_Role_ROLE_OBSERVER, sampling_stat_begin, sampling_stat_step),
    REQUEST(sampling_change, dci_Role_ROLE_CONTROLLER, sampling_change_begin, NULL),
};

const struct service sampling_service = {.kinds = kinds,
                                         .kind_count = ARRAY_SIZE(kinds),
                                         .work = sampling_work,
                                         .release = sampling_release,
                                         .held_by = sampling_owned_by};
