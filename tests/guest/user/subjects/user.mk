# SPDX-License-Identifier: MIT
# Subjects of tests that watch from outside: processes whose objects, threads and work are known.
PROGRAMS := keep-objects churn-objects many-threads
SRC := known.c
DEPS := waiting
