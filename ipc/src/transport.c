// SPDX-License-Identifier: MIT
// Packets over the library's calls (user/ipc.h).
#include <ipc/packet.h>
#include <user/ipc.h>

s64 ipc_exchange(cap_t server, struct ipc_packet *packet)
{
    if (packet->error != 0)
        return packet->error;
    // Field by field, and all of them: an initialiser would be a call of memset.
    struct ipc_message message;
    message.send = packet->bulk;
    message.send_bytes = packet->bytes;
    message.send_more = packet->more;
    message.send_more_bytes = packet->more_bytes;
    message.receive = packet->bulk;
    message.receive_max = packet->room;
    message.send_cap = packet->cap;
    if (packet->receive != NULL) {
        message.receive = packet->bulk = packet->receive;
        message.receive_max = packet->room = packet->receive_room;
    }
    __builtin_memcpy(message.words, packet->words, sizeof(message.words));
    s64 status = ipc_call(server, &message);
    packet->cap = message.received_cap;
    packet->bytes = message.received;
    __builtin_memcpy(packet->words, message.words, sizeof(message.words));
    if (message.received > packet->room) {
        packet->error = E_PROTO;
        packet->bytes = 0;
    }
    if (status < 0 && packet->cap != 0)
        ipc_drop(packet->cap);
    return status;
}

void ipc_drop(cap_t cap)
{
    sys_cap_drop(cap);
}

static void fill_reply(struct ipc_request *request, const struct ipc_packet *reply)
{
    __builtin_memcpy(request->reply, reply->words, sizeof(request->reply));
    request->reply_data = reply->bulk;
    request->reply_bytes = reply->bytes;
    request->reply_cap = reply->cap;
}

s64 ipc_answer_packet(u64 call, s64 status, struct ipc_packet *packet)
{
    struct ipc_request
        reply; // only the lower part is used: an initialiser would be a call of memset
    if (packet->error != 0)
        status = packet->error;
    if (status != 0)
        return ipc_answer(call, status, NULL);
    fill_reply(&reply, packet);
    reply.drop_reply_cap = false;
    return ipc_answer(call, status, &reply);
}

// The answer is made behind the request, in case both lie in the same memory: gen_stubs.py has
// checked that there is room for both.
static s64 handle(struct ipc_request *call)
{
    const struct ipc_service *service = call->context;
    struct ipc_caller caller = {.context = service->context, .call = call->call, .pid = call->pid};
    u32 behind = ALIGN_UP(call->bytes, 8U);
    struct ipc_packet request, reply;
    if (call->call == 0)
        return 0; // an asynchronous message: no interface has any
    ipc_packet_init(&request, (u8 *)(uintptr_t)call->data, call->bytes, 0);
    request.cap = call->cap;
    request.bytes = call->bytes;
    __builtin_memcpy(request.words, call->words, sizeof(request.words));
    ipc_packet_init(&reply, call->buffer + behind, MESSAGE_BYTES - behind, 0);
    s64 status = service->dispatch(&caller, &request, &reply);
    if (status != 0 && status != IPC_LATER) {
        if (call->cap != 0)
            ipc_drop(call->cap);
        return status;
    }
    if (status == 0)
        fill_reply(call, &reply);
    call->drop_reply_cap = caller.drop_answer;
    return status;
}

s64 ipc_interface_endpoint(const struct ipc_service *service)
{
    return ipc_endpoint(handle, (void *)(uintptr_t)service);
}
