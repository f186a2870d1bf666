// SPDX-License-Identifier: MIT
// Finds the token that kov shows to the machine of this thread's link. It takes the one that was
// given. Else, on this host, it takes the one that `make run` left in a file for the machine's
// port. Else it takes "orrery".
#ifndef KOV_TOKEN_H
#define KOV_TOKEN_H

#define TOKEN_TEXT 65 // bytes, with the end; a boot line takes no longer one

// Returns the token. It reads the file each time, since a machine that is started again has another
// token. The text belongs to the link and is valid until the next call.
const char *token_now(void);
// Prints that the machine refuses the token, and where the token came from. Returns KOV_CONNECTION.
int token_refused(void);

#endif
