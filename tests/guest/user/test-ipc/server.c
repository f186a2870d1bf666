// SPDX-License-Identifier: MIT
// The server role: what the operations do.
#include "check.h"
#include "peer.h"

#include <string.h>
#include <user/scheduler.h>
#include <user/thread.h>
#include <user/time.h>

#define KEPT_MAX 1024
#define FORGED 2000

static cap_t own;
static struct mutex lock;
static u64 kept[KEPT_MAX];
static u32 kept_count;
static u64 messages, message_sum, wrong_messages;

static s64 echo(struct ipc_request *request)
{
    const u8 *data = request->data;

    for (u32 i = 0; i < request->bytes; i++)
        request->buffer[i] = data[i] ^ 0xa5;
    request->reply_data = request->buffer;
    request->reply_bytes = request->bytes;
    request->reply[0] = request->pid;
    for (u32 i = 1; i < MESSAGE_WORDS; i++)
        request->reply[i] = request->words[i] + 1;
    return 0;
}

static s64 keep(struct ipc_request *request)
{
    mutex_lock(&lock);
    s64 status = kept_count < KEPT_MAX ? IPC_LATER : E_LIMIT;
    if (status == IPC_LATER)
        kept[kept_count++] = request->call;
    mutex_unlock(&lock);
    return status;
}

static s64 flush(struct ipc_request *request)
{
    struct ipc_request answer = {.reply = {4711}};

    mutex_lock(&lock);
    request->reply[0] = kept_count;
    while (kept_count != 0)
        request->reply[1] += ipc_answer(kept[--kept_count], 0, &answer) != 0;
    mutex_unlock(&lock);
    return 0;
}

static s64 call_back(struct ipc_request *request)
{
    request->reply[0] = (u64)call_echo(request->cap, request->words[1], 100);
    request->reply_cap = request->cap;
    request->drop_reply_cap = true;
    return 0;
}

static s64 descend(struct ipc_request *request)
{
    struct ipc_message message = {.words = {OP_DESCEND, request->words[1] - 1}, .send_cap = own};
    s64 status = 0;

    if (request->words[1] != 0) {
        status = ipc_call(request->cap, &message);
        request->reply[0] = message.words[0];
    }
    request->reply[0]++;
    sys_cap_drop(request->cap);
    return status;
}

// Ids near our own, and anything.
static s64 forge(struct ipc_request *request)
{
    const u64 words[MESSAGE_WORDS] = {0};
    u64 seed = request->call, taken = 0;

    for (u64 i = 0; i < FORGED; i++) {
        u64 id = random_below(&seed, UINT32_MAX) << 32 | random_below(&seed, UINT32_MAX);
        if (i % 2 == 0)
            id = request->call ^ 1ul << i / 2 % 64;
        taken += raw_reply(id, 0, 0, words) != E_NOENT;
    }
    request->reply[0] = taken;
    return 0;
}

static s64 hold(struct ipc_request *request)
{
    u32 before = user_disable();
    u64 end = time_after_us(request->words[1]);

    request->reply[0] = time_now();
    while (time_now() < end)
        __asm__ volatile("or 31,31,31");
    request->reply[1] = time_now();
    user_enable(before);
    return 0;
}

static s64 spin(struct ipc_request *request)
{
    u64 end = time_after_us(request->words[1]);

    while (time_now() < end)
        __asm__ volatile("or 31,31,31");
    return 0;
}

static s64 count_messages(struct ipc_request *request)
{
    mutex_lock(&lock);
    request->reply[0] = messages;
    request->reply[1] = message_sum;
    request->reply[2] = wrong_messages;
    messages = message_sum = wrong_messages = 0;
    mutex_unlock(&lock);
    return 0;
}

static s64 message_came(const struct ipc_request *request)
{
    mutex_lock(&lock);
    messages++;
    message_sum += request->words[1];
    wrong_messages += request->words[5] != ~request->words[1] || request->pid == 0;
    mutex_unlock(&lock);
    return 0;
}

static s64 serve(struct ipc_request *request)
{
    if (request->call == 0)
        return message_came(request);
    switch (request->words[0]) {
    case OP_ECHO:
        return echo(request);
    case OP_EXIT:
        sys_exit(7);
    case OP_KEEP:
        return keep(request);
    case OP_FLUSH:
        return flush(request);
    case OP_KEPT:
        request->reply[0] = kept_count;
        return 0;
    case OP_BACK:
        return call_back(request);
    case OP_CPU:
        request->reply[0] = user_cpu();
        return 0;
    case OP_CLOSE:
        return ipc_endpoint_close(own);
    case OP_FORGE:
        return forge(request);
    case OP_ID:
        request->reply[0] = request->call;
        return 0;
    case OP_HOLD:
        return hold(request);
    case OP_MESSAGES:
        return count_messages(request);
    case OP_DESCEND:
        return descend(request);
    case OP_SPIN:
        return spin(request);
    default:
        return E_NOTSUP;
    }
}

int server_main(void)
{
    s64 endpoint = ipc_endpoint(serve, NULL);
    if (endpoint < 0)
        return 1;
    own = (cap_t)endpoint;
    struct ipc_message hello = {.send_cap = own};
    if (ipc_call(CAP_PARENT, &hello) != 0)
        return 2;
    ipc_serve();
}
