// SPDX-License-Identifier: MIT
// The tracks, with pointer and keys: point for the value, click to select the slice, drag for the
// range, Shift-drag to move, wheel to zoom at the pointer, arrows from slice to slice. A group's
// line says what is in it; a click on its name, or Enter, folds and unfolds it.

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Interval, length } from "../../base/time.ts";
import { drawInterval } from "../../draw/interval.ts";
import { readTheme } from "../../draw/theme.ts";
import { type Drawn, drawTimeLabels, drawTrack, drawWords } from "../../draw/tracks.ts";
import * as store from "../../model/store.ts";
import { type Piece, type Track, findPiece, isRun, pieceAt } from "../../wire/tracks.ts";
import { type Line, lineAt, turn } from "../../model/lines.ts";
import { type Cursor, cursor, exact, show, showTime, zoom } from "../../model/window.ts";
import { Canvas, type Size } from "../../widgets/canvas.tsx";
import { scaledPixels } from "../../widgets/rem.ts";
import { ArrowLines } from "./arrow_lines.tsx";
import type { Shown } from "./timeline.tsx";
import { lineName, stateWords, whatOf, whoOf } from "./words.ts";

const AXIS = scaledPixels(20);
const TRACK = scaledPixels(32);
const BAR = scaledPixels(26);
const CLICK = 4;
const WHEEL_STEP = 1.25;

interface Props {
  said: Shown;
  window: Interval;
  takeWidth: (width: number) => void;
  take: (canvas: HTMLCanvasElement | null) => void;
}

export function TrackPicture(props: Props): JSX.Element {
  const { said, window } = props;
  const pointer = usePointer(props);
  const height = AXIS + said.lines.length * TRACK;
  store.theme.value;
  const range = pointer.preview ?? (store.isLive.value ? undefined : store.rangeInterval.value);

  const draw = (context: CanvasRenderingContext2D, size: Size): void => {
    props.takeWidth(Math.floor(size.width));
    const theme = readTheme();
    const axis = { x: 0, y: 0, width: size.width, height: AXIS };
    drawTimeLabels(context, axis, window, height - AXIS, theme);
    for (const [i, line] of said.lines.entries()) {
      const box = { ...axis, y: AXIS + i * TRACK + 2, height: BAR };
      if (line.track) drawTrack(context, box, drawnOf(line.track, window, theme), line.track);
      else drawWords(context, box, stateWords(line), theme);
    }
    const whole = { ...axis, height: size.height };
    if (range) drawInterval(context, whole, window, range, theme.accent);
  };
  const time = window.to - window.from;
  return (
    <div class="tracks">
      <div class="track-names">
        {said.lines.map((line) => (
          <Name key={line.key} line={line} />
        ))}
      </div>
      <div class="tracks-picture" style={{ position: "relative" }}>
        <Canvas
          class="tracks-picture"
          label={
            `${said.cpus.length} CPUs and ${said.threads.length} threads from ` +
            `${exact(window.from, time)} to ${exact(window.to, time)} s; arrows go from slice to ` +
            "slice, Enter folds and unfolds a group, T shows a table"
          }
          draw={draw}
          take={props.take}
          on={{ ...pointer.on, style: { width: "100%", height: `${height}px` } }}
        />
        <CursorLine window={window} />
        <ArrowLines lines={said.lines} window={window} top={AXIS} height={TRACK} />
        {pointer.preview && (
          <div class="small number" role="status">
            {length(pointer.preview.to - pointer.preview.from)}
          </div>
        )}
      </div>
    </div>
  );
}

function Name(props: { line: Line }): JSX.Element {
  const { line } = props;
  const chosen = cursor.value?.line === line.key ? "chosen" : "";
  if (line.track)
    return (
      <div class={chosen} title={lineName(line)}>
        {lineName(line)}
      </div>
    );
  return (
    <button
      type="button"
      class={chosen}
      aria-expanded={line.isOpen}
      data-group={line.key}
      onClick={() => turn(line.key)}
    >
      {line.isOpen ? "▾" : "▸"} {lineName(line)}
    </button>
  );
}

function drawnOf(track: Track, window: Interval, theme: Drawn["theme"]): Drawn {
  const frame = track.rows;
  const things = store.things.value;
  const selected = things.find(store.selection.value)?.number ?? 0;
  const kernel = things.find("p:0")?.number ?? 0;
  return {
    frame,
    shown: window,
    theme,
    label: (row) =>
      frame.by
        ? whatOf(frame, row)
        : isRun(frame.activity[row])
          ? whoOf(frame, row)
          : `${whatOf(frame, row)} ${whoOf(frame, row)}`,
    isKernel: (row) => kernel !== 0 && frame.process[row] === kernel,
    isSelected: (row) => selected !== 0 && frame.process[row] === selected,
  };
}

/** Follows the cursor without drawing the tracks again. */
function CursorLine(props: { window: Interval }): JSX.Element | null {
  const { from, to } = props.window;
  const at = cursor.value;
  if (!at || at.time < from || at.time > to) return null;
  return (
    <div class="track-cursor" style={{ left: `${((at.time - from) / (to - from)) * 100}%` }} />
  );
}

interface Grip {
  x: number;
  time: number;
  shown: Interval;
  pans: boolean;
}

function usePointer(props: Props): {
  preview: Interval | undefined;
  on: JSX.HTMLAttributes<HTMLCanvasElement>;
} {
  const { said, window } = props;
  const grip = useRef<Grip>();
  const [preview, setPreview] = useState<Interval>();
  const placeOf = (event: MouseEvent, of = window): Cursor => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const line = lineAt(said.lines, (event.clientY - box.top - AXIS) / TRACK);
    const part = (event.clientX - box.left) / box.width;
    return placeIn(line, of.from + part * (of.to - of.from));
  };
  return {
    preview,
    on: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        const { time } = placeOf(event);
        grip.current = { x: event.clientX, time, shown: window, pans: event.shiftKey };
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event) => {
        const held = grip.current;
        const place = placeOf(event, held?.shown);
        if (!held) {
          cursor.value = place;
          return;
        }
        if (Math.abs(event.clientX - held.x) < CLICK) return;
        const by = held.time - place.time;
        if (held.pans) show({ from: held.shown.from + by, to: held.shown.to + by });
        else
          setPreview({
            from: Math.max(0, Math.min(held.time, place.time)),
            to: Math.max(held.time, place.time),
          });
      },
      onPointerUp: (event) => {
        const held = grip.current;
        grip.current = undefined;
        setPreview(undefined);
        if (preview) store.range.value = preview;
        else if (held && !held.pans) select(said, placeOf(event));
      },
      onPointerCancel: () => {
        grip.current = undefined;
        setPreview(undefined);
      },
      onDblClick: (event) => showPiece(said, placeOf(event)),
      onWheel: (event) => {
        event.preventDefault();
        zoom(event.deltaY > 0 ? WHEEL_STEP : 1 / WHEEL_STEP, placeOf(event).time);
      },
      onKeyDown: (event) => {
        if (event.ctrlKey || event.altKey || !moveCursor(said, window, event.key)) return;
        event.preventDefault();
        event.stopPropagation();
      },
    },
  };
}

/** Returns a place in a line. The CPU is that of the slice there. */
function placeIn(line: Line | undefined, time: number): Cursor {
  const track = line?.track;
  const piece = track && pieceAt(track, time);
  const cpu = piece ? track.rows.cpu[piece.first] : (track?.cpu ?? -1);
  return { line: line?.key ?? "", cpu, time };
}

const lineOf = (said: Shown, key: string): Line | undefined =>
  said.lines.find((one) => one.key === key);

/** Selects a slice, and its process; or a group's process. */
function select(said: Shown, place: Cursor): void {
  const things = store.things.value;
  const line = lineOf(said, place.line);
  const track = line?.track;
  const piece = track && pieceAt(track, place.time);
  const thing = piece ? things.get(track.rows.process[piece.first]) : things.find(place.line);
  cursor.value = place;
  store.selection.value = thing?.kind === "process" ? thing.key : "";
  store.slice.value = piece && line ? { line: line.key, time: place.time } : undefined;
}

/** Shows a slice with a little of what is around it. */
function showPiece(said: Shown, place: Cursor): void {
  const track = lineOf(said, place.line)?.track;
  const piece = track && pieceAt(track, place.time);
  if (!piece) return;
  const margin = (piece.to - piece.from) / 4;
  show({ from: piece.from - margin, to: piece.to + margin });
}

/** Moves by a slice or a line, folds or unfolds. Returns whether the key was one of these. */
function moveCursor(said: Shown, window: Interval, key: string): boolean {
  const { lines } = said;
  const first = lines.find((one) => one.track) ?? lines[0];
  if (!first) return false;
  const at = cursor.value ?? placeIn(first, (window.from + window.to) / 2);
  const found = lines.findIndex((one) => one.key === at.line);
  const row = found < 0 ? lines.indexOf(first) : found;
  const line = lines[row];
  if (key === "Enter") {
    if (!line.track) turn(line.key);
    else {
      select(said, at);
      showPiece(said, at);
    }
  } else if (key === "ArrowUp" || key === "ArrowDown") {
    const next = Math.min(lines.length - 1, Math.max(0, row + (key === "ArrowUp" ? -1 : 1)));
    cursor.value = placeIn(lines[next], at.time);
  } else if (key === "ArrowLeft" || key === "ArrowRight") {
    if (!line.track) turn(line.key, key === "ArrowRight");
    else step(line, line.track, key === "ArrowLeft" ? -1 : 1, window);
  } else return false;
  return true;
}

/** Goes to the slice before or behind. */
function step(line: Line, track: Track, direction: number, window: Interval): void {
  const by = cursor.value ? direction : 0;
  const time = cursor.value?.time ?? (window.from + window.to) / 2;
  const piece = track.pieces[findPiece(track.pieces, time) + by];
  if (piece) goTo(line, piece);
  else goOn(line, track, by, window);
}

/** Goes beyond what the gateway has told so far: it is asked for what lies there. */
function goOn(line: Line, track: Track, by: number, window: Interval): void {
  const last = track.pieces[by > 0 ? track.pieces.length - 1 : 0];
  if (!last) return;
  const half = (window.to - window.from) / 2;
  const time = by > 0 ? last.to : last.from - 1;
  cursor.value = placeIn(line, time);
  show({ from: time - half, to: time + half });
}

/** Puts the cursor into a slice, and moves the picture if that is out of sight. */
function goTo(line: Line, piece: Piece): void {
  const time = (piece.from + piece.to) / 2;
  cursor.value = placeIn(line, time);
  showTime(time);
}
