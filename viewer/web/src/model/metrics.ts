// SPDX-License-Identifier: MIT
// The metrics of kov by name, and their units.

import type { FrameMetrics } from "../wire/messages.ts";
import type { Things } from "./things.ts";

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

/** A metric of an interval, of all that was counted in it. */
export interface IntervalMetric {
  value: number;
  error: number;
  /** CPUs that are not in it. */
  leftOut: readonly number[];
}

const UNKNOWN: IntervalMetric = { value: Number.NaN, error: Number.NaN, leftOut: [] };

/** Returns what the gateway says of the interval. */
export function metricOf(
  frame: FrameMetrics | undefined,
  name: string,
  things: Things,
): IntervalMetric {
  for (let row = 0; frame && row < frame.head.rows; row++)
    if (things.string(frame.metric[row]) === name)
      return {
        value: frame.value[row],
        error: frame.error[row],
        leftOut: Array.from({ length: 32 }, (_, cpu) => cpu).filter(
          (cpu) => (frame.left_out[row] >>> cpu) & 1,
        ),
      };
  return UNKNOWN;
}

/** Names the CPUs that are left out; "": none is. */
export function leftOutWords({ value, leftOut }: IntervalMetric): string {
  if (leftOut.length === 0 || Number.isNaN(value)) return "";
  const cpus = leftOut.length === 1 ? "CPU" : "CPUs";
  return `without ${cpus} ${leftOut.join(", ")}: too little was measured there`;
}
