// SPDX-License-Identifier: MIT
// The Timeline as tables: how long each CPU did what, and the slices in order.

import type { JSX } from "preact";
import { count, percent } from "../../base/number.ts";
import { type Interval, length } from "../../base/time.ts";
import { ACTIVITIES, isGroup, type Piece, sumsOf } from "../../wire/tracks.ts";
import { exact } from "../../model/window.ts";
import type { FrameSlices } from "../../wire/messages.ts";
import type { Shown } from "./timeline.tsx";
import { whatOf, whoOf } from "./words.ts";

const ROWS_MOST = 200;

export function SliceTable(props: { said: Shown; window: Interval }): JSX.Element {
  const { said, window } = props;
  const visible = said.tracks.map((track) => ({
    ...track,
    pieces: track.pieces.filter((one) => one.to > window.from && one.from < window.to),
  }));
  const pieces = visible
    .flatMap((track) => track.pieces.map((piece) => ({ cpu: track.cpu, piece })))
    .sort((a, b) => a.piece.from - b.piece.from || a.cpu - b.cpu);
  return (
    <>
      <Sums said={{ ...said, tracks: visible }} />
      <table class="numbers">
        <caption>
          {pieces.length > ROWS_MOST
            ? `The first ${ROWS_MOST} of ${count(pieces.length)} slices and groups`
            : "Slices, and groups of those that are too short for a pixel"}
        </caption>
        <thead>
          <tr>
            <th scope="col">from s</th>
            <th scope="col">to s</th>
            <th scope="col">time</th>
            <th scope="col">CPU</th>
            <th scope="col" class="words-cell">
              what
            </th>
            <th scope="col" class="words-cell">
              of
            </th>
          </tr>
        </thead>
        <tbody>
          {pieces.slice(0, ROWS_MOST).map(({ cpu, piece }) => (
            <tr key={`${cpu} ${piece.first}`}>
              <td>{exact(piece.from, 1)}</td>
              <td>{exact(piece.to, 1)}</td>
              <td>{length(piece.to - piece.from)}</td>
              <td>{cpu}</td>
              <td class="words-cell">{whatIs(said.frame, piece)}</td>
              <td class="words-cell">
                {isGroup(said.frame, piece) ? "" : whoOf(said.frame, piece.first)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function whatIs(frame: FrameSlices, piece: Piece): string {
  if (!isGroup(frame, piece)) return whatOf(frame, piece.first);
  let slices = 0;
  for (let row = piece.first; row < piece.end; row++) slices += frame.count[row];
  return `${count(slices)} slices`;
}

function Sums(props: { said: Shown }): JSX.Element {
  const { frame, tracks } = props.said;
  return (
    <table class="numbers">
      <caption>Time of each CPU in the slices and groups that can be seen</caption>
      <thead>
        <tr>
          <th scope="col">CPU</th>
          {ACTIVITIES.map((one) => (
            <th scope="col" key={one}>
              {one}
            </th>
          ))}
          <th scope="col">lost packets</th>
          <th scope="col">lost events</th>
        </tr>
      </thead>
      <tbody>
        {sumsOf(frame, tracks).map((sums) => {
          const all = sums.time.reduce((sum, one) => sum + one, 0);
          return (
            <tr key={sums.cpu} data-cpu={sums.cpu}>
              <th scope="row">{sums.cpu}</th>
              {ACTIVITIES.map((one, i) => (
                <td key={one} data-activity={one} data-time={sums.time[i]}>
                  {length(sums.time[i])}{" "}
                  <span class="dim">{percent((sums.time[i] / all) * 100)}</span>
                </td>
              ))}
              <td>{count(sums.lostPackets)}</td>
              <td>{count(sums.lostEvents)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
