// SPDX-License-Identifier: MIT
// Tracks of CPUs and threads on a canvas. What a slice is can be seen by its shape as well as by
// its colour: user code fills the track, the kernel leaves a part above, idle is a line at the
// foot, unknown is hatched. Ready is dotted, blocked an outline. A group of short slices is a pile
// of its parts.

import { niceStep } from "../base/number.ts";
import { type Interval, SECOND } from "../base/time.ts";
import {
  BLOCKED,
  IDLE,
  isGroup,
  isRun,
  isUnknown,
  LOST,
  type Piece,
  READY,
  RUN,
  type Rows,
  type Track,
  UNKNOWN,
} from "../wire/tracks.ts";
import type { Box } from "./graph.ts";
import { hatch } from "./interval.ts";
import type { ColourName, Theme } from "./theme.ts";

type Context = CanvasRenderingContext2D;

const COLOURS: readonly ColourName[] = [
  "blocked",
  "line",
  "run-user",
  "run-call",
  "run-call",
  "run-fault",
  "run-kernel",
  "lost",
  "blocked",
  "run-user",
  "run-kernel",
  "run-user",
  "ready",
  "blocked",
];
/** The part of a track's height that a slice fills, from the foot. */
const HEIGHTS = [1, 0.14, 1, 0.78, 0.78, 0.6, 0.46, 1, 1, 1, 0.78, 1, 0.6, 0.3];
/** From the foot: what ran, then the kernel, then nothing. */
const PILE = [RUN, 3, 4, 5, 6, 9, 10, 11, READY, BLOCKED, UNKNOWN, 8, IDLE];
const LABEL_LEAST = 44;
const DOTS_APART = 4;

export interface Drawn {
  frame: Rows;
  shown: Interval;
  theme: Theme;
  /** Of the process of a row, and whether it is the kernel's, or the selected one. */
  label: (row: number) => string;
  isKernel: (row: number) => boolean;
  isSelected: (row: number) => boolean;
}

/** Returns the colour of a row: a thread of the kernel runs the kernel's code. */
const colourOf = (drawn: Drawn, row: number): ColourName => {
  const activity = drawn.frame.activity[row];
  return activity === RUN && drawn.isKernel(row) ? "run-kernel" : COLOURS[activity];
};

function drawPiece(context: Context, box: Box, drawn: Drawn, piece: Piece): void {
  const { frame } = drawn;
  if (!isGroup(frame, piece)) {
    const activity = frame.activity[piece.first];
    const height = Math.max(1, box.height * HEIGHTS[activity]);
    const part = { ...box, y: box.y + box.height - height, height };
    fillPart(context, part, drawn, piece.first);
    return;
  }
  const rows = Array.from({ length: piece.end - piece.first }, (_, i) => piece.first + i);
  rows.sort((a, b) => PILE.indexOf(frame.activity[a]) - PILE.indexOf(frame.activity[b]));
  const all = rows.reduce((sum, row) => sum + frame.time[row], 0);
  let foot = box.y + box.height;
  for (const row of rows) {
    const height = (box.height * frame.time[row]) / all;
    foot -= height;
    const part = { ...box, y: foot, height };
    if (frame.activity[row] !== IDLE) fillPart(context, part, drawn, row);
  }
}

function fillPart(context: Context, box: Box, drawn: Drawn, row: number): void {
  const activity = drawn.frame.activity[row];
  const colour = drawn.theme[colourOf(drawn, row)];
  if (isUnknown(activity)) hatchUnknown(context, box, drawn.theme);
  else if (activity === READY) dot(context, box, colour);
  else if (activity === BLOCKED) outline(context, box, colour);
  else fill(context, box, colour);
}

/** Columns of dots, from multiples of their distance so that they stand still. */
function dot(context: Context, box: Box, colour: string): void {
  if (box.width < DOTS_APART * 2 || box.height < DOTS_APART) {
    fill(context, box, colour);
    return;
  }
  const first = Math.ceil(box.x / DOTS_APART) * DOTS_APART;
  for (let x = first; x < box.x + box.width - 1; x += DOTS_APART)
    for (let y = box.y + 1; y < box.y + box.height - 1; y += DOTS_APART)
      fill(context, { x, y, width: 2, height: 2 }, colour);
}

function outline(context: Context, box: Box, colour: string): void {
  if (box.width < 4 || box.height < 4) {
    fill(context, { ...box, y: box.y + box.height - 1, height: 1 }, colour);
    return;
  }
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
}

function hatchUnknown(context: Context, box: Box, theme: Theme): void {
  if (box.width >= 2 && box.height >= 2) hatch(context, box, theme.blocked);
  else fill(context, box, theme.blocked);
}

function fill(context: Context, box: Box, colour: string): void {
  context.fillStyle = colour;
  context.fillRect(box.x, box.y, box.width, box.height);
}

function drawLabel(context: Context, box: Box, text: string, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(box.x, box.y, box.width, box.height);
  context.clip();
  context.fillStyle = colour;
  context.fillText(text, box.x + 4, box.y + box.height / 2);
  context.restore();
}

/** Writes what a group says. */
export function drawWords(context: Context, box: Box, text: string, theme: Theme): void {
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  drawLabel(context, box, text, theme.dim);
  context.restore();
}

export function drawTrack(context: Context, box: Box, drawn: Drawn, track: Track): void {
  const { frame, shown, theme } = drawn;
  const scale = box.width / (shown.to - shown.from);
  const place = (time: number): number =>
    Math.max(box.x, Math.min(box.x + box.width, box.x + (time - shown.from) * scale));
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const piece of track.pieces) {
    if (piece.to <= shown.from || piece.from >= shown.to) continue;
    const x = place(piece.from);
    const part = { ...box, x, width: Math.max(1, place(piece.to) - x) };
    drawPiece(context, part, drawn, piece);
    const activity = frame.activity[piece.first];
    const isText = part.width >= LABEL_LEAST && !isGroup(frame, piece);
    if (isText && !isUnknown(activity) && activity !== IDLE)
      drawLabel(
        context,
        isRun(activity) ? part : { ...part, y: box.y + box.height * 0.3 },
        drawn.label(piece.first),
        activity === READY || activity === BLOCKED ? theme.text : theme.ground,
      );
    if (drawn.isSelected(piece.first))
      fill(context, { ...part, y: box.y + box.height + 1, height: 2 }, theme.accent);
  }
  for (const row of track.losses) {
    const x = place(frame.from[row]);
    const part = { ...box, x, width: Math.max(3, place(frame.to[row]) - x) };
    if (frame.to[row] < shown.from || frame.from[row] > shown.to) continue;
    hatch(context, part, theme[COLOURS[LOST]]);
    fill(context, { ...part, y: box.y - 2, height: 2 }, theme[COLOURS[LOST]]);
  }
  context.restore();
}

/** Returns labels for any length of time, in seconds as kov shows them: at most `most`. */
export function timeLabels(shown: Interval, most: number): { time: number; text: string }[] {
  const step = niceStep(shown.to - shown.from, most);
  const digits = Math.max(0, -Math.floor(Math.log10(step / SECOND) + 1e-9));
  const labels: { time: number; text: string }[] = [];
  for (let at = Math.ceil(shown.from / step); at * step <= shown.to; at++)
    labels.push({ time: at * step, text: `${((at * step) / SECOND).toFixed(digits)} s` });
  return labels;
}

export function drawTimeLabels(
  context: Context,
  box: Box,
  shown: Interval,
  below: number,
  theme: Theme,
): void {
  const scale = box.width / (shown.to - shown.from);
  context.save();
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const tick of timeLabels(shown, Math.max(2, Math.floor(box.width / 130)))) {
    const x = Math.round(box.x + (tick.time - shown.from) * scale);
    fill(context, { x, y: box.y + 2, width: 1, height: box.height + below - 2 }, theme.line);
    context.fillStyle = theme.dim;
    if (x + 80 < box.x + box.width) context.fillText(tick.text, x + 4, box.y + box.height / 2);
  }
  context.restore();
}
