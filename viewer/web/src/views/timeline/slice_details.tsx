// SPDX-License-Identifier: MIT
// The selected slice: who, from, to, how long, what came then, and the ways along its arrows.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { count } from "../../base/number.ts";
import { type Interval, length } from "../../base/time.ts";
import { findPiece, isGroup, type Piece, pieceAt, type Track } from "../../wire/tracks.ts";
import type { ArrowEnd } from "../../model/said.ts";
import { askArrows, follow, keyOf, told, type Way, ways } from "../../model/slice.ts";
import * as store from "../../model/store.ts";
import { exact, show } from "../../model/window.ts";
import type { Shown } from "./timeline.tsx";
import { lineName, pieceWords, wakerOf, whatOf } from "./words.ts";

const LISTED_MOST = 20;
/** Nanoseconds: with less in the picture no slice is in a group. */
const SHORTEST = 100;

/** Keeps the ends of the selected slice, and asks for its arrows, once it is seen by itself. */
function useSlice(track: Track | undefined, piece: Piece | undefined, window: Interval): void {
  const slice = store.slice.value;
  const isSingle = track && piece && !isGroup(track.rows, piece);
  const wide = window.to - window.from;
  useEffect(() => {
    if (!slice || !piece) return;
    if (isSingle) {
      if (slice.from !== piece.from || slice.to !== piece.to)
        store.slice.value = { ...slice, from: piece.from, to: piece.to, seeks: false };
    } else if (slice.seeks && wide > SHORTEST)
      show({ from: slice.time - wide / 16, to: slice.time + wide / 16 });
  }, [slice, piece?.from, piece?.to, isSingle]);
  useEffect(() => {
    if (slice?.from !== undefined && store.connection.value.phase === "open") askArrows(slice);
  }, [slice?.line, slice?.from, slice?.to, store.connection.value.phase]);
}

export function SliceDetails(props: { said: Shown; window: Interval }): JSX.Element | null {
  const { said, window } = props;
  const slice = store.slice.value;
  const line = said.lines.find((one) => one.key === slice?.line);
  const track = line?.track;
  const piece = slice && track && pieceAt(track, slice.time);
  useSlice(track, piece, window);
  if (!slice) return null;
  return (
    <section
      class="slice-details"
      aria-label="Selected slice"
      aria-live="polite"
      data-slice={`${slice.line} ${slice.from ?? ""} ${slice.to ?? ""}`}
      data-arrows={told.value?.key === keyOf(slice) && told.value.arrows ? ways.value.length : ""}
    >
      {!line || !track || !piece ? (
        <p>
          The selected slice is in a line that is not shown: its process is folded, the filter hides
          it, or its thread is left out.
        </p>
      ) : (
        <Words said={said} name={lineName(line)} track={track} piece={piece} slice={slice} />
      )}
      <Ways said={said} slice={slice} />
    </section>
  );
}

interface WordsProps {
  said: Shown;
  name: string;
  track: Track;
  piece: Piece;
  slice: store.ChosenSlice;
}

function Words(props: WordsProps): JSX.Element {
  const { said, name, track, piece, slice } = props;
  if (!isGroup(track.rows, piece))
    return (
      <p>
        {name}: <strong>{pieceWords(track.rows, piece).join(" · ")}</strong>
        {endWords(said, track, piece)}
      </p>
    );
  const { from, to } = slice;
  if (from === undefined || to === undefined)
    return <p>{name}: it is among slices shorter than a pixel. Double click or Enter zooms in.</p>;
  return (
    <p>
      {name}: {exact(from, to - from)} – {exact(to, to - from)} s, {length(to - from)}, now among
      slices shorter than a pixel
    </p>
  );
}

/** Returns why a slice ended: what comes then. */
function endWords(said: Shown, track: Track, piece: Piece): string {
  const next = track.pieces[findPiece(track.pieces, piece.to)];
  if (!next || next.from !== piece.to) return "";
  if (isGroup(track.rows, next)) return " · then: slices shorter than a pixel";
  const waker = wakerOf(track.rows, next.first, said.threads);
  return ` · then: ${[whatOf(track.rows, next.first), waker].filter(Boolean).join(" ")}`;
}

const endName = (end: ArrowEnd): string => {
  const process = Number.isFinite(end.pid)
    ? `${end.process || (end.pid === 0 ? "kernel" : "pid")}:${end.pid} `
    : "";
  const user = Number.isFinite(end.userThread) ? `, its thread ${end.userThread}` : "";
  return Number.isFinite(end.thread)
    ? `${process}thread ${end.thread}${user}`
    : `${process}on CPU ${end.cpu}, thread not known`;
};

function wayWords({ arrow, isBack, other }: Way): string {
  const name = endName(other);
  const after = length(arrow.end.time - arrow.begin.time);
  if (arrow.kind === "call")
    return isBack
      ? `answered a call of ${name}, ${after} before`
      : `called; ${name} answered ${after} after`;
  if (isBack && arrow.interrupt)
    return `woken by an interrupt, in the time of ${name}, ${after} before it ran`;
  return isBack
    ? `woken by ${name}, ${after} before it ran`
    : `woke ${name}, which ran ${after} after`;
}

function Ways(props: { said: Shown; slice: store.ChosenSlice }): JSX.Element | null {
  const { slice } = props;
  const answer = told.value?.key === keyOf(slice) ? told.value : undefined;
  if (answer?.error) return <p class="error">{answer.error}</p>;
  const arrows = answer?.arrows;
  if (!arrows) return null;
  const listed = ways.value.slice(0, LISTED_MOST);
  const left = ways.value.length - listed.length;
  const first = (way: Way): boolean => ways.value.find((one) => one.isBack === way.isBack) === way;
  return (
    <>
      {listed.length === 0 && <p class="dim">No arrow begins or ends here.</p>}
      <ul>
        {listed.map((way, i) => (
          <li key={i}>
            <button
              type="button"
              class="link"
              data-way={`${way.arrow.kind} ${way.isBack ? "back" : "on"}`}
              data-ends={`${way.arrow.begin.time} ${way.arrow.end.time}`}
              onClick={() => follow(way)}
            >
              {way.isBack ? "←" : "→"} {wayWords(way)}
              {first(way) && (way.isBack ? " (,)" : " (.)")}
            </button>
          </li>
        ))}
      </ul>
      {(left > 0 || arrows.more) && (
        <p class="dim">
          {left > 0 ? `${count(left)} more arrows` : ""}
          {arrows.more ? " and further ones" : ""} are not listed: zoom in for a shorter slice.
        </p>
      )}
      {arrows.open > 0 && (
        <p class="dim">
          {count(arrows.open)} more had not ended at {exact(arrows.searched, 1)} s.
        </p>
      )}
      {arrows.forgotten > 0 && (
        <p class="dim">
          Where {count(arrows.forgotten)} of the trace's arrows began is not known any more.
        </p>
      )}
    </>
  );
}
