// SPDX-License-Identifier: MIT
// The generated code of the interface of the net server, and what it is made of (ipc/src/packet.c).
// Whatever a request holds, its dispatch reads nothing beyond it, and writes nothing beyond the
// reply; whatever the server answers, the client's code reads nothing beyond the answer and writes
// nothing beyond the caller's room.
//
// bounds: any method and content; requests of 0 to 26 bytes, around the limit of each string and
//   buffer, and of 16 KB, with each first length; rooms of 0 to 3 and 8 bytes; answers of any
//   length and words
// proves: strings and buffers given to the server lie within the request, all that is sent lies
//   within its buffer
// seconds: 2
// quick: yes
// side: user
// includes: ipc/include
// eva: -eva-slevel 2000000 -eva-split-return full -eva-min-loop-unroll 8
#include "model/interface.h"

#include <ipc/net_client.c>
#include <ipc/net_server.c>
#include <proofs/net.h>

int main(void)
{
    any_request(net_dispatch, proof_methods, ARRAY_SIZE(proof_methods));
    any_call(proof_methods, ARRAY_SIZE(proof_methods));
    //@ check reached_end: \false;
    return 0;
}
