// SPDX-License-Identifier: MIT
// Reads what a workload tells of its parameters, "work=27-9-3-1 (calls of four objects), cpus=all
// (…)".

import type { Parameter } from "./said.ts";

const PARAMETER = /([A-Za-z_][\w-]*)=([^\s,()]+)(?:\s*\(([^)]*)\))?/g;

export const readHelp = (help: string): Parameter[] =>
  [...help.matchAll(PARAMETER)].map(([, name, initial, summary]) => ({
    name,
    initial,
    summary: summary ?? "",
  }));
