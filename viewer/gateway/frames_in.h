// SPDX-License-Identifier: MIT
// What browsers send is looked at before libwebsockets reads it. libwebsockets takes frames without
// a mask, and ends the connection without a code when a control frame or a message is too long; it
// has no hook for either. Therefore this is the program's recv(): it looks at the frames' heads, of
// the connections of the thread that said frames_in_begin(), and keeps back what breaks a rule.
#ifndef KOV_FRAMES_IN_H
#define KOV_FRAMES_IN_H

#include <orrery/types.h>

// status: with which the connection is to be closed. Nothing that comes afterwards is given on.
typedef void (*frames_in_fault_t)(void *context, u16 status);

// A connection begins: what comes is HTTP.
void frames_in_begin(int socket);
// Returns whether it has sent nothing behind the head of its request, as far as that is known: a
// libwebsockets that reads by another call than recv() is not looked at. Who asks for a WebSocket
// may not send frames before the answer.
bool frames_in_waits(int socket);
// From now on frames come. on_fault is called once at most, with the first that breaks a rule.
void frames_in_watch(int socket, frames_in_fault_t on_fault, void *context);
void frames_in_end(int socket);

#endif
