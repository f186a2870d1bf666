// SPDX-License-Identifier: MIT
// Of a recording: where in its history the page is, and a button that plays from there.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { SECOND, clock } from "../../base/time.ts";
import * as replay from "../../model/replay.ts";
import * as store from "../../model/store.ts";

export function Replay(): JSX.Element | null {
  // What is chosen by hand meanwhile stays.
  useEffect(() => replay.pause, [store.machine.value]);
  const ends = replay.ends.value;
  if (!ends) return null;
  const playing = replay.isPlaying.value;
  return (
    <div class="replay" role="group" aria-label="Replay">
      <button type="button" onClick={playing ? replay.pause : replay.play} title="Y">
        {playing ? "Pause" : "Play"}
      </button>
      <select
        aria-label="Speed"
        onChange={(event) => {
          replay.speed.value = Number(event.currentTarget.value);
        }}
      >
        {replay.SPEEDS.map((one) => (
          <option key={one} value={one} selected={one === replay.speed.value}>
            {one} ×
          </option>
        ))}
      </select>
      <input
        type="range"
        aria-label="End of the range"
        aria-valuetext={clock(ends.at)}
        min={ends.from / SECOND}
        max={ends.to / SECOND}
        step="any"
        value={ends.at / SECOND}
        onInput={(event) => replay.moveTo(Number(event.currentTarget.value) * SECOND)}
      />
      <span class="number">
        {clock(ends.at)} of {clock(ends.to)}
      </span>
    </div>
  );
}
