// SPDX-License-Identifier: MIT
// The Timeline as tables: how long each CPU and each thread did what, and the slices in order.

import type { JSX } from "preact";
import { count, percent } from "../../base/number.ts";
import { type Interval, length } from "../../base/time.ts";
import {
  ACTIVITIES,
  isGroup,
  type Piece,
  type Rows,
  STATES,
  statesOf,
  sumsOf,
  type Track,
} from "../../wire/tracks.ts";
import { exact } from "../../model/window.ts";
import type { Shown } from "./timeline.tsx";
import { lineName, wakerOf, whatOf, whoOf } from "./words.ts";

const ROWS_MOST = 200;

export function SliceTable(props: { said: Shown; window: Interval }): JSX.Element {
  const { said, window } = props;
  const seen = (track: Track): Track => ({
    ...track,
    pieces: track.pieces.filter((one) => one.to > window.from && one.from < window.to),
  });
  const cpus = said.cpus.map(seen);
  const pieces = said.lines
    .flatMap((line) => {
      const track = line.track && seen(line.track);
      return track ? track.pieces.map((piece) => ({ line, track, piece })) : [];
    })
    .sort((a, b) => a.piece.from - b.piece.from);
  return (
    <>
      <Sums tracks={cpus} />
      <ThreadSums tracks={said.threads.map(seen)} />
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
            <th scope="col">track</th>
            <th scope="col" class="words-cell">
              what
            </th>
            <th scope="col" class="words-cell">
              of
            </th>
          </tr>
        </thead>
        <tbody>
          {pieces.slice(0, ROWS_MOST).map(({ line, track, piece }) => (
            <tr key={`${line.key} ${piece.first}`}>
              <td>{exact(piece.from, 1)}</td>
              <td>{exact(piece.to, 1)}</td>
              <td>{length(piece.to - piece.from)}</td>
              <td>{lineName(line)}</td>
              <td class="words-cell">{whatIs(said, track.rows, piece)}</td>
              <td class="words-cell">
                {isGroup(track.rows, piece) ? "" : whoOf(track.rows, piece.first)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function whatIs(said: Shown, frame: Rows, piece: Piece): string {
  if (!isGroup(frame, piece))
    return `${whatOf(frame, piece.first)} ${wakerOf(frame, piece.first, said.threads)}`.trim();
  let slices = 0;
  for (let row = piece.first; row < piece.end; row++) slices += frame.count[row];
  return `${count(slices)} slices`;
}

function ThreadSums(props: { tracks: readonly Track[] }): JSX.Element {
  return (
    <table class="numbers">
      <caption>
        Time of each thread; of threads in folded processes, in all of what was asked for
      </caption>
      <thead>
        <tr>
          <th scope="col">thread</th>
          <th scope="col" class="words-cell">
            of
          </th>
          {STATES.map((one) => (
            <th scope="col" key={one}>
              {one}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.tracks.map((track) => {
          const thread = track.key.slice(2);
          const first = track.pieces[0]?.first;
          return (
            <tr key={thread} data-thread={thread}>
              <th scope="row">{thread}</th>
              <td class="words-cell">{first === undefined ? "" : whoOf(track.rows, first)}</td>
              {statesOf([track]).map((time, state) => (
                <td key={STATES[state]} data-state={STATES[state]} data-time={time}>
                  {length(time)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Sums(props: { tracks: readonly Track[] }): JSX.Element | null {
  const { tracks } = props;
  if (tracks.length === 0) return null;
  const frame = tracks[0].rows;
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
