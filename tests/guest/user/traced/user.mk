# SPDX-License-Identifier: MIT
# Does what the trace is to tell, and so many times.
PROGRAMS := traced
