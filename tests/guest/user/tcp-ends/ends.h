// SPDX-License-Identifier: MIT
// What one side of a connection does, and what it sees. Plain POSIX: the host compiles it, too.
#ifndef TCP_ENDS_H
#define TCP_ENDS_H

#include <stddef.h>

#define ENDS_TEXT 64 // bytes of what an act says, with its NUL

// Does one thing on *fd, and says into text (ENDS_TEXT) what came of it: a count, names of events
// or of an error.
//   w  writes five bytes        r  reads all there is     t  reads two bytes
//   c  closes                   l  resets (SO_LINGER)     p  polls for POLLIN and POLLOUT
//   s  shuts down writing       d  reading                x  both         e  SO_ERROR
void ends_act(char act, int *fd, char *text);
// Waits until what was done has arrived at the other side, and back.
void ends_settle(int ms);
// Sockets: a descriptor, or the program's end with a message.
int ends_listen(const char *address, int port);
int ends_connect(const char *address, int port);
int ends_accept(int listener);

#endif
