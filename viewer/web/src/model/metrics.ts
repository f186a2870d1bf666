// SPDX-License-Identifier: MIT
// The metrics of kov by name, and their units.

export interface Metric {
  name: string;
  formula: string;
  percent: boolean;
}

export const METRICS: readonly Metric[] = [
  { name: "lock acquisition", formula: "4 (stcx - stcx-failed) / instructions", percent: true },
  { name: "spin contention", formula: "4 larx / instructions", percent: true },
  { name: "branch misprediction", formula: "mispredicted / branches", percent: true },
  {
    name: "TLB miss rate",
    formula: "(itlb-miss + dtlb-miss) / instructions",
    percent: true,
  },
  { name: "IPC", formula: "instructions / cycles", percent: false },
];

export const findMetric = (name: string): Metric | undefined =>
  METRICS.find((one) => one.name === name);
