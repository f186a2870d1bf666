// SPDX-License-Identifier: MIT
// The token that kov shows to the machine of this thread's link: the one that was given; else, on
// this host, the one that `make run` left in a file for the machine's port; else "orrery".
#ifndef KOV_TOKEN_H
#define KOV_TOKEN_H

#define TOKEN_TEXT 65 // bytes, with the end: what a boot line may have

// Looks into the file each time, since a machine that is started again has another token. The text
// belongs to the link, until the next call.
const char *token_now(void);
// KOV_CONNECTION, with the message that the machine refuses it, and where it came from.
int token_refused(void);

#endif
