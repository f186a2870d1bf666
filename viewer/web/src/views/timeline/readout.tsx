// SPDX-License-Identifier: MIT
// The value at the cursor: what, who, from, to, how long; who woke it.

import type { JSX } from "preact";
import { isGroup, pieceAt } from "../../wire/tracks.ts";
import { cursor } from "../../model/window.ts";
import type { Shown } from "./timeline.tsx";
import { lineName, lossWords, pieceWords, stateWords, wakerOf } from "./words.ts";

export function Readout(props: { said: Shown }): JSX.Element {
  const { lines, threads } = props.said;
  const at = cursor.value;
  const line = at && lines.find((one) => one.key === at.line);
  const track = at && line?.track;
  const piece = track && pieceAt(track, at.time);
  const losses =
    at && track
      ? track.losses.filter(
          (row) => track.rows.from[row] <= at.time && at.time <= track.rows.to[row],
        )
      : [];
  if (line && !track)
    return (
      <div class="readout" aria-live="polite" data-line={line.key}>
        <strong>{lineName(line)}</strong>: {stateWords(line)}.{" "}
        {line.isOpen ? "Enter or ← folds it." : "Enter or → unfolds it."}
      </div>
    );
  if (!track || !piece)
    return (
      <div class="readout dim" aria-live="polite">
        Point at a slice. Drag: range. Shift and drag: move. Wheel, W, S: zoom. Arrows: from slice
        to slice, and from line to line. Enter: fold or unfold a group.
      </div>
    );
  const { rows } = track;
  const [first, ...rest] = pieceWords(rows, piece);
  const waker = isGroup(rows, piece) ? "" : wakerOf(rows, piece.first, threads);
  return (
    <div
      class="readout"
      aria-live="polite"
      data-line={track.key}
      data-piece={`${track.key.slice(2)} ${piece.from} ${piece.to}`}
      data-activity={isGroup(rows, piece) ? "group" : rows.activity[piece.first]}
    >
      {lineName(line)}:{" "}
      <strong>
        {first} {waker}
      </strong>{" "}
      {rest.join(" · ")}
      {losses.map((row) => (
        <div class="error" key={row}>
          {lossWords(rows, row)}
        </div>
      ))}
    </div>
  );
}
