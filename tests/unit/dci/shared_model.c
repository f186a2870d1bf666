// SPDX-License-Identifier: MIT
// What everyone of a shared session must be told: the model takes each step that the session takes.
#include "shared_model.h"

#include "shared_clients.h"

static u32 numbers, begins, packets;
static u64 seed;

static struct shared_session session = {
    .missed_tag = dci_Event_trace_missed_tag,
    .ended_tag = dci_Event_trace_ended_tag,
};

// What a client knows and has, as the model says.
struct viewer {
    bool joined, knows;
    struct forms forms;
    u64 given, missed, missed_told, missed_all;
    bool waits;   // has claimed, and is not free yet
    bool borrows; // it only wants the session to be free for a moment
};

static struct {
    struct viewer viewers[CLIENTS];
    enum stage stage;
    s32 holder, waiter; // -1: nobody
    bool yields, displaced, awaited;
    bool stopping;     // by the holder's request
    struct viewer has; // the holder's forms and share
    u32 ended_for;     // whose session the last waiter has ended; 0: nobody's
    u32 heir;          // the number of the last one that waited
    u32 steps;         // of the end, so far
    u32 pushed;
} model;

// ---- the model ---------------------------------------------------------------------------------

static u32 draw(u32 below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (u32)(seed >> 33) % below;
}

static bool hears(u32 i)
{
    return clients[i].number != 0 && !clients[i].closing;
}

static void expect(u32 i, struct mail mail)
{
    assert_in_range(due[i].count, 0, MAILS_MAX - 1);
    if (hears(i))
        due[i].mails[due[i].count++] = mail;
}

static void expect_began(u32 i)
{
    struct viewer *viewer = &model.viewers[i];

    if (!hears(i))
        return;
    expect(i, (struct mail){.kind = MAIL_BEGAN, .number = begins});
    viewer->knows = true;
    viewer->given = viewer->missed = viewer->missed_told = 0;
}

// Those that were promised a begin are told that there is none.
static void expect_nobody_follows(void)
{
    if (!model.awaited)
        return;
    model.awaited = false;
    for (u32 i = 0; i < CLIENTS; i++)
        if (model.viewers[i].joined)
            expect(i, (struct mail){.kind = MAIL_ENDED,
                                    .reason = ORRERY__DCI__SHARING_END__SHARING_END_FAILED});
}

static void expect_end(bool more)
{
    struct mail mail = {
        .kind = MAIL_ENDED, .number = model.pushed, .more = more, .has_share = true};

    mail.reason = model.displaced             ? ORRERY__DCI__SHARING_END__SHARING_END_DISPLACED
                  : model.holder >= 0         ? ORRERY__DCI__SHARING_END__SHARING_END_STOPPED
                  : model.stage >= BEING_TOLD ? ORRERY__DCI__SHARING_END__SHARING_END_STOPPED
                                              : ORRERY__DCI__SHARING_END__SHARING_END_OWNER_GONE;
    mail.successor = model.displaced ? model.heir : 0;
    for (u32 i = 0; i < CLIENTS; i++) {
        struct viewer *viewer = &model.viewers[i];
        if (!viewer->knows)
            continue;
        mail.given = viewer->given;
        mail.missed = viewer->missed;
        expect(i, mail);
        viewer->knows &= more;
    }
    mail.given = model.has.given;
    mail.missed = model.has.missed;
    if (model.displaced && model.holder >= 0)
        expect((u32)model.holder, mail);
    model.awaited |= model.displaced;
}

static void model_over(void)
{
    model.stage = NOT_THERE;
    model.holder = -1;
    model.yields = model.displaced = model.stopping = false;
    if (model.waiter < 0)
        expect_nobody_follows();
}

// ---- what the user of the session does ----------------------------------------------------------

static void tell_end(bool more)
{
    struct frame frame;

    expect_end(more);
    shared_frame(&frame, dci_Event_trace_ended_tag);
    shared_tell_end(&session, &frame, more);
}

static void end(void)
{
    model_over();
    shared_end(&session);
}

static void start(u32 i, bool yielding)
{
    struct forms forms = {.sums = draw(2)};
    forms.stacks = forms.sums && draw(2);

    if (model.waiter != (s32)i)
        model.ended_for = 0;
    else
        model.waiter = -1;
    model.viewers[i].waits = false;
    model.stage = STARTING;
    model.holder = (s32)i;
    model.yields = yielding;
    model.pushed = 0;
    model.has = (struct viewer){.forms = forms};
    shared_start(&session, &clients[i], yielding, forms);
}

static void begin_frame(struct frame *frame)
{
    shared_frame(frame, dci_Event_trace_began_tag);
    frame_varint(frame, dci_TraceBegan_pushed_tag, begins);
}

// Checks that the response names the client that had to go, once.
static void check_displaced(u32 number)
{
    static u8 bytes[FRAME_BYTES_MAX];
    struct frame frame;

    frame_event_at(&frame, bytes, 0);
    u32 header = frame.used;
    shared_add_displaced(&session, &frame);
    if (number == 0) {
        assert_int_equal(frame.used, header);
        return;
    }
    Orrery__Dci__Response *response =
        orrery__dci__response__unpack(NULL, frame.used - header, bytes + header);
    assert_non_null(response);
    assert_non_null(response->displaced);
    assert_int_equal(response->displaced->number, number);
    orrery__dci__response__free_unpacked(response, NULL);
}

static void op_started(void)
{
    struct frame frame;

    if (model.stage != STARTING)
        return;
    if (draw(4) == 0) {
        expect_nobody_follows();
        model.awaited = false;
        model_over();
        shared_end(&session);
        return;
    }
    begins++;
    model.stage = GOING;
    model.awaited = false;
    for (u32 i = 0; i < CLIENTS; i++)
        if (model.viewers[i].joined && (s32)i != model.holder)
            expect_began(i);
    begin_frame(&frame);
    shared_started(&session, &frame);
    check_displaced(model.ended_for);
    check_displaced(0);
    model.ended_for = 0;
}

// A client asks for the session, or to have it free. It may have it, or claim it, already.
static void op_claim(u32 i)
{
    bool yielding = draw(2), borrows = draw(4) == 0, waits = false;
    s32 in_way = -1;

    if (!hears(i))
        return;
    if (model.waiter >= 0)
        in_way = model.waiter;
    else if (model.displaced)
        waits = true;
    else if (model.holder >= 0 && (yielding || !model.yields || model.holder == (s32)i))
        in_way = model.holder;
    else
        waits = model.holder >= 0;
    const struct client *other = shared_claim(&session, &clients[i], yielding);
    assert_ptr_equal(other, in_way >= 0 ? &clients[in_way] : NULL);
    if (in_way >= 0)
        return;
    if (waits) {
        model.waiter = (s32)i;
        model.ended_for = 0;
        model.heir = clients[i].number;
        model.viewers[i].waits = true;
        model.viewers[i].borrows = borrows;
        assert_false(shared_is_free(&session, &clients[i]));
    } else if (!borrows) {
        assert_true(shared_is_free(&session, &clients[i]));
        start(i, yielding);
    }
}

static void unclaim(u32 i)
{
    if (model.waiter == (s32)i) {
        model.waiter = -1;
        model.viewers[i].waits = false;
        if (!model.displaced)
            expect_nobody_follows();
    }
    shared_unclaim(&session, &clients[i]);
}

// A client looks if it may go on. Whoever has no claim displaces nobody.
static void op_look(u32 i)
{
    bool waits = model.waiter == (s32)i;
    bool now = waits && model.holder >= 0 && !model.displaced && model.stage == GOING;

    if (clients[i].number == 0)
        return;
    assert_int_equal(shared_displace(&session, &clients[i]), now);
    assert_false(shared_displace(&session, &clients[i]));
    if (now) {
        model.displaced = true;
        model.stopping = false; // the request fails
        model.ended_for = clients[model.holder].number;
        model.steps = 0;
    }
    bool is_free = !waits || (model.holder < 0 && !model.displaced);
    assert_int_equal(shared_is_free(&session, &clients[i]), is_free);
    if (!waits || !is_free)
        return;
    if (model.viewers[i].borrows)
        unclaim(i);
    else
        start(i, draw(2));
}

static void op_stop(void)
{
    if (model.stage != GOING || model.displaced || model.holder < 0)
        return;
    model.stopping = true;
    model.steps = 0;
}

// One step of an end: some that tell nothing, the end in parts or with none, and tidying up.
static void op_end_step(void)
{
    if (!model.displaced && !model.stopping)
        return;
    model.steps++;
    if (model.stage == TIDIED) {
        if (draw(2))
            end();
    } else if (model.stage == BEING_TOLD || (model.steps > 2 && draw(2))) {
        bool more = draw(3) == 0;
        if (model.stage == GOING && draw(4) != 0) {
            model.stage = BEING_TOLD;
            session.state = SHARED_TELLING;
            return;
        }
        tell_end(more);
        if (!more)
            model.stage = TIDIED;
        else if (model.stage == GOING) {
            model.stage = BEING_TOLD;
            session.state = SHARED_TELLING;
        }
    }
}

static bool gets(struct forms forms, enum form form)
{
    switch (form) {
    case FORM_SINGLE:
        return !forms.sums;
    case FORM_SUMS:
        return forms.sums;
    default:
        return forms.stacks;
    }
}

static void model_give(u32 i, struct viewer *viewer, u32 items, bool *all)
{
    if (hears(i) && has_room[i]) {
        if (viewer->missed_told != viewer->missed)
            expect(i, (struct mail){.kind = MAIL_MISSED,
                                    .has_share = true,
                                    .given = viewer->given,
                                    .missed = viewer->missed});
        viewer->missed_told = viewer->missed;
        viewer->given += items;
        expect(i, (struct mail){.kind = MAIL_PACKET, .number = packets});
        return;
    }
    viewer->missed += items;
    viewer->missed_all += items;
    *all = false;
}

static void op_push(void)
{
    enum form form = draw(3);
    u32 items = draw(3), i = (u32)model.holder;
    bool may_miss = draw(2), all = true, wanted = false;
    struct frame frame;

    if (model.stage == NOT_THERE)
        return;
    bool holder_gets = model.holder >= 0 && gets(model.has.forms, form);
    bool holder_takes = holder_gets && hears(i) && has_room[i];
    bool begun = shared_push_begin(&session, &frame, dci_Event_packet_tag, form, may_miss);
    assert_int_equal(begun, holder_takes || !holder_gets || may_miss);
    if (!begun)
        return;
    packets++;
    model.pushed += items;
    session.pushed += items;
    for (u32 j = 0; j < CLIENTS; j++) {
        struct viewer *viewer = &model.viewers[j];
        wanted |= viewer->knows && hears(j) && gets(viewer->forms, form);
    }
    assert_int_equal(shared_wanted(&session, form), wanted || holder_gets);
    if (holder_takes) {
        model.has.given += items;
        expect(i, (struct mail){.kind = MAIL_PACKET, .number = packets});
    } else if (holder_gets) {
        model.has.missed += items;
        all = false;
    }
    for (u32 j = 0; j < CLIENTS; j++) {
        struct viewer *viewer = &model.viewers[j];
        if (viewer->knows && hears(j) && gets(viewer->forms, form))
            model_give(j, viewer, items, &all);
    }
    frame_varint(&frame, dci_TracePacket_cpu_tag, packets);
    assert_int_equal(shared_push_end(&session, &frame, items, form), all);
}

static void op_join(u32 i)
{
    struct viewer *viewer = &model.viewers[i];
    struct forms forms = {.sums = draw(2)};
    struct frame frame;

    if (!hears(i))
        return;
    forms.stacks = forms.sums && draw(2);
    assert_int_equal(shared_join(&session, &clients[i], forms), !viewer->joined);
    if (viewer->joined)
        return; // what it gets stays as it was
    viewer->joined = true;
    viewer->forms = forms;
    viewer->missed_all = 0;
    bool goes = model.stage == GOING && model.holder != (s32)i;
    assert_int_equal(shared_by_another(&session, &clients[i]), goes);
    if (!goes)
        return;
    expect_began(i);
    begin_frame(&frame);
    shared_tell_began(&session, &clients[i], &frame);
}

static void leave(u32 i)
{
    struct viewer *viewer = &model.viewers[i];

    dci_Share share = shared_leave(&session, &clients[i]);
    assert_int_equal(share.given, viewer->given);
    assert_int_equal(share.missed, viewer->missed);
    bool waits = viewer->waits, borrows = viewer->borrows;
    *viewer = (struct viewer){.waits = waits, .borrows = borrows};
}

static void op_leave(u32 i)
{
    if (hears(i) && model.viewers[i].joined)
        leave(i);
}

// Cuts a client off, or lets another one have its place.
static void op_cut_off(u32 i)
{
    if (clients[i].number == 0) {
        clients[i].number = ++numbers;
        clients[i].closing = false;
        return;
    }
    leave(i);
    bool holds = model.holder == (s32)i;
    clients[i].closing = true; // it gets nothing any more
    if (model.waiter == (s32)i) {
        model.waiter = -1;
        if (!model.displaced)
            expect_nobody_follows();
    }
    model.viewers[i] = (struct viewer){0};
    if (holds)
        model.holder = -1;
    assert_int_equal(shared_lose(&session, &clients[i]), holds && !model.displaced);
    if (holds && !model.displaced && model.stage == STARTING) {
        expect_nobody_follows();
        model_over();
        shared_end(&session);
    } else if (holds && !model.displaced) {
        if (model.stage != TIDIED)
            tell_end(false);
        end();
    }
    clients[i].number = 0;
}

// ---- for the tests ------------------------------------------------------------------------------

void model_begin(void)
{
    model.holder = model.waiter = -1;
}

void model_seed(u64 value)
{
    seed = value;
}

enum stage model_stage(void)
{
    return model.stage;
}

const struct shared_session *model_session(void)
{
    return &session;
}

void model_all_come(void)
{
    for (u32 i = 0; i < CLIENTS; i++)
        if (clients[i].number == 0)
            op_cut_off(i); // it comes
}

void model_all_leave(void)
{
    for (u32 i = 0; i < CLIENTS; i++)
        if (clients[i].number != 0)
            op_cut_off(i);
    while (model.displaced)
        op_end_step();
}

void model_check_mail(void)
{
    for (u32 i = 0; i < CLIENTS; i++) {
        client_takes_mail(i);
        assert_int_equal(got[i].count, due[i].count);
        for (u32 k = 0; k < got[i].count; k++) {
            const struct mail *mail = &got[i].mails[k], *wanted = &due[i].mails[k];
            assert_int_equal(mail->kind, wanted->kind);
            assert_int_equal(mail->number, wanted->number);
            assert_int_equal(mail->reason, wanted->reason);
            assert_int_equal(mail->successor, wanted->successor);
            assert_int_equal(mail->more, wanted->more);
            assert_int_equal(mail->has_share, wanted->has_share);
            assert_int_equal(mail->given, wanted->given);
            assert_int_equal(mail->missed, wanted->missed);
        }
        got[i].count = due[i].count = 0;
    }
}

void model_check_state(void)
{
    bool is_idle = model.holder < 0 && model.waiter < 0 && !model.displaced;

    assert_int_equal(shared_is_idle(&session), is_idle);
    for (u32 i = 0; i < CLIENTS; i++) {
        const struct viewer *viewer = &model.viewers[i];
        if (!hears(i))
            continue;
        const struct member *member = shared_member(&session, &clients[i]);
        assert_int_equal(shared_joined(&session, &clients[i]), viewer->joined);
        assert_int_equal(member->missed_all, viewer->missed_all);
        assert_int_equal(shared_yields(&session, &clients[i]),
                         model.holder == (s32)i && model.yields);
        for (enum form form = 0; form <= FORM_STACKS; form++) {
            bool holds = model.holder == (s32)i;
            assert_int_equal(shared_gets(&session, &clients[i], form),
                             holds ? gets(model.has.forms, form)
                                   : viewer->knows && gets(viewer->forms, form));
        }
    }
}

void model_step(void)
{
    u32 i = draw(CLIENTS);

    switch (draw(16)) {
    case 0:
        return op_join(i);
    case 1:
        return op_leave(i);
    case 2:
    case 3:
        return op_claim(i);
    case 4:
    case 5:
        return op_look(i);
    case 6:
        return op_started();
    case 7:
        return op_stop();
    case 8:
    case 9:
    case 10:
        return op_end_step();
    case 11:
        return draw(3) == 0 || clients[i].number == 0 ? op_cut_off(i) : (void)0;
    case 12:
        return draw(2) ? client_changes_room(i) : (void)0;
    case 13:
        if (draw(8) == 0 && hears(i))
            clients[i].closing = true;
        return;
    case 14:
        return draw(8) == 0 || model.waiter < 0 ? unclaim(i) : (void)0;
    default:
        return op_push();
    }
}
