// SPDX-License-Identifier: MIT
// What the CPUs and threads of a trace did, from hours to nanoseconds. The gateway makes the slices
// for the time and the width that are shown.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { type Interval, length, SECOND } from "../../base/time.ts";
import * as store from "../../model/store.ts";
import {
  activityName,
  leftOutOf,
  LOST,
  NO_THREAD,
  type Rows,
  rowsOf,
  threadTracksOf,
  type Track,
  tracksOf,
} from "../../wire/tracks.ts";
import { isProcessShown } from "../../model/filter.ts";
import { type Line, linesOf, openProcesses } from "../../model/lines.ts";
import { exact, shown as shownWindow } from "../../model/window.ts";
import { traceCommand } from "../kov.ts";
import { useHides } from "../hides.ts";
import { useGives } from "../use_gives.ts";
import { useTopic } from "../use_topic.ts";
import { EventList } from "./event_list.tsx";
import { Readout } from "./readout.tsx";
import { SliceDetails } from "./slice_details.tsx";
import { SliceTable } from "./slice_table.tsx";
import { TrackPicture } from "./track_picture.tsx";
import { processKey } from "./words.ts";

/** A zoom is many small steps: the gateway is asked when they pause. */
const SETTLED_MS = 60;
const WIDTH_FIRST = 1000;
const WIDTH_MOST = 4096;

export interface Shown {
  cpus: readonly Track[];
  threads: readonly Track[];
  /** Threads that the gateway leaves out. */
  leftOut: number;
  lines: readonly Line[];
  /** Threads that the filter hides. */
  hidden: number;
}

/** Returns the interval to ask for, once the window rests. */
function useWanted(window: Interval | undefined): Interval | undefined {
  const [wanted, setWanted] = useState<Interval>();
  useEffect(() => {
    const timer = setTimeout(() => setWanted(window), wanted ? SETTLED_MS : 0);
    return () => clearTimeout(timer);
  }, [window?.from, window?.to]);
  const margin = wanted ? (wanted.to - wanted.from) / 4 : 0; // for the next step aside
  // Before the trace is read, only why it cannot be may come.
  return (
    wanted && {
      from: Math.max(0, Math.floor(wanted.from - margin)),
      to: Math.ceil(wanted.to + margin),
    }
  );
}

/** Returns what was last made of a frame, while what is wanted now is still being asked for. */
function useLast<Frame, Made>(
  frame: Frame | undefined,
  make: (frame: Frame) => Made,
): Made | undefined {
  const last = useRef<{ machine: string; frame: Frame; made: Made }>();
  if (frame && frame !== last.current?.frame)
    last.current = { machine: store.machine.value, frame, made: make(frame) };
  return last.current?.machine === store.machine.value ? last.current.made : undefined;
}

function useSlices(window: Interval | undefined, width: number): [Shown | undefined, string] {
  const interval = useWanted(window);
  const asked = { ...interval, width: Math.min(WIDTH_MOST, Math.round(width * 1.5)) };
  const isTrace = store.isTrace.value;
  const cpuTopic = useTopic(isTrace ? { kind: "slices", ...asked } : undefined);
  const threadTopic = useTopic(
    isTrace ? { kind: "threads", ...asked, of: openProcesses() } : undefined,
  );
  const cpus = useLast(cpuTopic?.slices, tracksOf);
  const threads = useLast(threadTopic?.threads, (frame) => {
    const rows = rowsOf(frame);
    return { tracks: threadTracksOf(rows), leftOut: leftOutOf(rows) };
  });
  const error = cpuTopic?.error || threadTopic?.error || "";
  if (!cpus || !threads) return [undefined, error];
  const { tracks, leftOut } = threads;
  const shown = tracks.filter((track) =>
    isProcessShown(store.shownChips.value, processKey(track), store.things.value),
  );
  const lines = linesOf(cpus, shown, processKey);
  return [{ cpus, threads: shown, hidden: tracks.length - shown.length, leftOut, lines }, error];
}

export function Timeline(): JSX.Element {
  const window = shownWindow.value;
  const [width, setWidth] = useState(WIDTH_FIRST);
  const picture = useRef<HTMLCanvasElement | null>(null);
  const [said, error] = useSlices(window, width);
  useGives({
    csv: said && (() => ({ name: `${store.machine.value}-slices.csv`, text: asCsv(said) })),
    image: () => picture.current ?? undefined,
    kov: window && (() => traceCommand(exact(window.from, 1), exact(window.to, 1))),
  });
  useHides(said?.hidden ?? 0, (said?.hidden ?? 0) + (said?.threads.length ?? 0), "threads");
  return (
    <section class="view scrolls" aria-label="Timeline">
      {!window || !said ? (
        <div class="nothing" role="status">
          {error || whyNothing()}
        </div>
      ) : (
        <>
          <Head window={window} />
          {error && (
            <div class="trouble" role="status">
              {error}: what was known before is shown
            </div>
          )}
          {store.asTable.value ? (
            <SliceTable said={said} window={window} />
          ) : (
            <>
              <TrackPicture
                said={said}
                window={window}
                takeWidth={setWidth}
                take={(canvas) => {
                  picture.current = canvas;
                }}
              />
              {said.leftOut > 0 && (
                <div class="readout dim">
                  {count(said.leftOut)} threads, which ran least, are left out.
                </div>
              )}
              <Readout said={said} />
              <SliceDetails said={said} window={window} />
              <EventList window={window} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function whyNothing(): JSX.Element | string {
  if (store.isTrace.value) return "The trace is being read …";
  return (
    <>
      The Timeline shows traces: <code>kov trace record FOLDER</code> writes one of this machine,
      and <code>kov serve -m NAME=FOLDER</code> shows it, also beside machines.
    </>
  );
}

function Head(props: { window: Interval }): JSX.Element {
  const { from, to } = props.window;
  return (
    <div class="tools">
      <span class="number" data-shown={`${from} ${to}`}>
        {exact(from, to - from)} – {exact(to, to - from)} s <strong>{length(to - from)}</strong>
      </span>
      <span class="dim">
        <Key name="user" /> user <Key name="call" /> call, IPC <Key name="fault" /> fault{" "}
        <Key name="kernel" /> kernel, interrupt <Key name="idle" /> idle <Key name="ready" /> ready,
        dotted <Key name="blocked" /> blocked, an outline; hatched: unknown, in red lost
      </span>
    </div>
  );
}

const Key = (props: { name: string }): JSX.Element => <span class={`key key-${props.name}`} />;

function asCsv(said: Shown): string {
  const things = store.things.value;
  const rowsIn = (rows: Rows, track: string): (string | number)[][] =>
    Array.from({ length: rows.head.rows }, (_, row) => [
      track,
      rows.cpu[row],
      (rows.from[row] / SECOND).toFixed(9),
      (rows.to[row] / SECOND).toFixed(9),
      rows.time[row],
      rows.activity[row] === LOST ? "lost" : (activityName(rows.activity[row]) ?? "left out"),
      things.string(rows.what[row]),
      things.get(rows.process[row])?.key ?? "",
      numberOr(rows.thread[row]),
      rows.count[row],
      numberOr(rows.by?.[row]),
    ]);
  const [cpu] = said.cpus;
  const [thread] = said.threads;
  return csv([
    [
      ...["track", "cpu", "from_s", "to_s", "time_ns", "activity", "what", "process", "thread"],
      ...["count", "woken_by"],
    ],
    ...(cpu ? rowsIn(cpu.rows, "cpu") : []),
    ...(thread ? rowsIn(thread.rows, "thread") : []),
  ]);
}

const numberOr = (thread: number | undefined): number | string =>
  thread === undefined || thread === NO_THREAD ? "" : thread;
