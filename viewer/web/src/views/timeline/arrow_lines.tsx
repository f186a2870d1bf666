// SPDX-License-Identifier: MIT
// The selected slice and its arrows, over the tracks.

import type { JSX } from "preact";
import type { Interval } from "../../base/time.ts";
import { CPUS, type Line, NO_PROCESS } from "../../model/lines.ts";
import type { ArrowEnd } from "../../model/said.ts";
import { ways } from "../../model/slice.ts";
import * as store from "../../model/store.ts";

interface Props {
  lines: readonly Line[];
  window: Interval;
  /** Pixels above the first line, and of each. */
  top: number;
  height: number;
}

/** SVG takes numbers up to some 10^7: what is far outside stays outside. */
const FAR = 1e5;

/** Returns the line of an end: its thread's, its folded process's, or its CPU's. */
function lineOf(lines: readonly Line[], end: ArrowEnd, ofCpu: boolean): number {
  const find = (key: string): number => lines.findIndex((line) => line.key === key);
  const keys = ofCpu
    ? [`c:${end.cpu}`, CPUS]
    : [`t:${end.thread}`, Number.isFinite(end.pid) ? `p:${end.pid}` : NO_PROCESS, `c:${end.cpu}`];
  return keys.map(find).find((place) => place >= 0) ?? -1;
}

export function ArrowLines(props: Props): JSX.Element | null {
  const { lines, window, top, height } = props;
  const slice = store.slice.value;
  const own = slice ? lines.findIndex((line) => line.key === slice.line) : -1;
  if (!slice || own < 0) return null;
  const part = (time: number): number => {
    const percent = ((time - window.from) / (window.to - window.from)) * 100;
    return Math.min(FAR, Math.max(-FAR, percent));
  };
  const middle = (line: number): number => top + (line + 0.5) * height;
  const { from = slice.time, to = slice.time } = slice;
  return (
    <svg class="track-arrows" aria-hidden="true">
      <defs>
        <marker id="arrow" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      <rect
        x={`${part(from)}%`}
        y={top + own * height + 1}
        width={`${part(to) - part(from)}%`}
        height={height - 3}
      />
      {ways.value.map(({ arrow, isBack, other }, i) => {
        const at = lineOf(lines, other, slice.line.startsWith("c:"));
        if (at < 0) return null;
        const [first, second] = isBack ? [at, own] : [own, at];
        return (
          <line
            key={i}
            data-kind={arrow.kind}
            x1={`${part(arrow.begin.time)}%`}
            y1={middle(first)}
            x2={`${part(arrow.end.time)}%`}
            y2={middle(second)}
            marker-end="url(#arrow)"
          />
        );
      })}
    </svg>
  );
}
