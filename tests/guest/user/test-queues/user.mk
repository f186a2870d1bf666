# SPDX-License-Identifier: MIT
# Queues of sleep locks, and their logs.
PROGRAM := test-queues
SRC := main.c agents.c order.c logging.c churn.c known.c
DEPS := expect rows waiting
