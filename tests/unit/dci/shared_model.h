// SPDX-License-Identifier: MIT
// A model of shared sessions, next to one of the server, with steps that are drawn by lot: claims,
// begins that succeed or fail, joins at any time, packets with and without room, ends by request or
// for another, clients that are cut off; and requests that are wrong or come twice.
#ifndef TESTS_DCI_SHARED_MODEL_H
#define TESTS_DCI_SHARED_MODEL_H

#include "shared_session.h"

enum stage { NOT_THERE, STARTING, GOING, BEING_TOLD, TIDIED, STAGES };

// Before all else: nobody has the session.
void model_begin(void);
// The same value makes the same steps.
void model_seed(u64 value);
// Does one step with the session and with the model, and checks what the session answers.
void model_step(void);
// All clients' mail since the last time is what the model says, word by word.
void model_check_mail(void);
// What the session says of itself and of each client is what the model says.
void model_check_state(void);
// Clients take the places that are free.
void model_all_come(void);
// All clients are cut off, and an end for another, if one goes on, is done to its last step.
void model_all_leave(void);
enum stage model_stage(void);
const struct shared_session *model_session(void);

#endif
