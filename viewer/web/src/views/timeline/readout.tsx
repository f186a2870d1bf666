// SPDX-License-Identifier: MIT
// The value at the cursor: what, who, from, to, how long.

import type { JSX } from "preact";
import { isGroup, pieceAt } from "../../wire/tracks.ts";
import { cursor } from "../../model/window.ts";
import type { Shown } from "./timeline.tsx";
import { lossWords, pieceWords } from "./words.ts";

export function Readout(props: { said: Shown }): JSX.Element {
  const { frame, tracks } = props.said;
  const at = cursor.value;
  const track = at && tracks.find((one) => one.cpu === at.cpu);
  const piece = track && pieceAt(track, at.time);
  const losses = track
    ? track.losses.filter((row) => frame.from[row] <= at.time && at.time <= frame.to[row])
    : [];
  if (!track || !piece)
    return (
      <div class="readout dim" aria-live="polite">
        Point at a slice. Drag: range. Shift and drag: move. Wheel, W, S: zoom. Arrows: from slice
        to slice.
      </div>
    );
  const [first, ...rest] = pieceWords(frame, piece);
  return (
    <div
      class="readout"
      aria-live="polite"
      data-piece={`${track.cpu} ${piece.from} ${piece.to}`}
      data-activity={isGroup(frame, piece) ? "group" : frame.activity[piece.first]}
    >
      CPU {track.cpu}: <strong>{first}</strong> {rest.join(" · ")}
      {losses.map((row) => (
        <div class="error" key={row}>
          {lossWords(frame, row)}
        </div>
      ))}
    </div>
  );
}
