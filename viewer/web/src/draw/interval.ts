// SPDX-License-Identifier: MIT
// Intervals on canvases. A shade alone is hard to see, so lines in full colour bound or hatch it.

import type { Interval } from "../base/time.ts";
import type { Box } from "./graph.ts";

/** How much an interval's colour covers. Lines and texts are drawn on top of it. */
export const SHADE = 0.15;
const HATCH_APART = 6;

type Context = CanvasRenderingContext2D;

/** Returns the part of a box that an interval covers. Undefined: it is out of sight. */
function partOf(box: Box, shown: Interval, interval: Interval): Box | undefined {
  const scale = box.width / (shown.to - shown.from);
  const from = Math.max(0, (interval.from - shown.from) * scale);
  const to = Math.min(box.width, (interval.to - shown.from) * scale);
  if (to < from || from > box.width) return undefined;
  return { ...box, x: box.x + from, width: Math.max(1, to - from) };
}

/** Draws diagonal lines over a box. */
export function hatch(context: Context, box: Box, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  // From multiples of the distance, so that the lines stand still while the box grows.
  const first = Math.floor(box.x / HATCH_APART) * HATCH_APART;
  for (let x = first; x < box.x + box.width + box.height; x += HATCH_APART) {
    context.moveTo(x, box.y);
    context.lineTo(x - box.height, box.y + box.height);
  }
  context.stroke();
  context.restore();
}

/** Fills with the full colour: a mark at the foot, a cursor. */
export function fillInterval(
  context: Context,
  box: Box,
  shown: Interval,
  interval: Interval,
  colour: string,
): void {
  const part = partOf(box, shown, interval);
  if (!part) return;
  context.fillStyle = colour;
  context.fillRect(part.x, part.y, part.width, part.height);
}

/** Draws an interval over the whole height: the range, the baseline, a workload. */
export function drawInterval(
  context: Context,
  box: Box,
  shown: Interval,
  interval: Interval,
  colour: string,
): void {
  context.save();
  context.globalAlpha = SHADE;
  fillInterval(context, box, shown, interval, colour);
  context.restore();
  for (const end of [interval.from, interval.to])
    if (end >= shown.from && end <= shown.to)
      fillInterval(context, box, shown, { from: end, to: end }, colour);
}

/** Draws an interval of which the machine told nothing. */
export function drawGap(
  context: Context,
  box: Box,
  shown: Interval,
  interval: Interval,
  colour: string,
): void {
  const part = partOf(box, shown, interval);
  if (!part) return;
  drawInterval(context, box, shown, interval, colour);
  hatch(context, part, colour);
}
