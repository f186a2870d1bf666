// SPDX-License-Identifier: MIT
// What the CPUs of a trace did, from hours to nanoseconds. The gateway makes the slices for the
// time and the width that are shown.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { csv } from "../../base/text.ts";
import { type Interval, length, SECOND } from "../../base/time.ts";
import * as store from "../../model/store.ts";
import { ACTIVITIES, LOST, NO_THREAD, type Track, tracksOf } from "../../wire/tracks.ts";
import { exact, shown as shownWindow } from "../../model/window.ts";
import type { FrameSlices } from "../../wire/messages.ts";
import { traceCommand } from "../kov.ts";
import { useGives } from "../use_gives.ts";
import { useTopic } from "../use_topic.ts";
import { EventList } from "./event_list.tsx";
import { Readout } from "./readout.tsx";
import { SliceTable } from "./slice_table.tsx";
import { TrackPicture } from "./track_picture.tsx";

/** A zoom is many small steps: the gateway is asked when they pause. */
const SETTLED_MS = 60;
const WIDTH_FIRST = 1000;
const WIDTH_MOST = 4096;

export interface Shown {
  frame: FrameSlices;
  tracks: Track[];
}

/** Returns what was last said, while what is wanted now is still being asked for. */
function useSlices(window: Interval | undefined, width: number): [Shown | undefined, string] {
  const [wanted, setWanted] = useState<Interval>();
  const last = useRef<{ machine: string; shown: Shown }>();
  useEffect(() => {
    const timer = setTimeout(() => setWanted(window), wanted ? SETTLED_MS : 0);
    return () => clearTimeout(timer);
  }, [window?.from, window?.to]);
  const margin = wanted ? (wanted.to - wanted.from) / 4 : 0; // for the next step aside
  // Before the trace is read, only why it cannot be may come.
  const interval = wanted && {
    from: Math.max(0, Math.floor(wanted.from - margin)),
    to: Math.ceil(wanted.to + margin),
  };
  const topic = useTopic(
    store.isTrace.value
      ? { kind: "slices", ...interval, width: Math.min(WIDTH_MOST, Math.round(width * 1.5)) }
      : undefined,
  );
  const frame = topic?.slices;
  if (frame && frame !== last.current?.shown.frame)
    last.current = { machine: store.machine.value, shown: { frame, tracks: tracksOf(frame) } };
  const kept = last.current?.machine === store.machine.value ? last.current.shown : undefined;
  return [kept, topic?.error ?? ""];
}

export function Timeline(): JSX.Element {
  const window = shownWindow.value;
  const [width, setWidth] = useState(WIDTH_FIRST);
  const picture = useRef<HTMLCanvasElement | null>(null);
  const [said, error] = useSlices(window, width);
  useGives({
    csv: said && (() => ({ name: `${store.machine.value}-slices.csv`, text: asCsv(said.frame) })),
    image: () => picture.current ?? undefined,
    kov: window && (() => traceCommand(exact(window.from, 1), exact(window.to, 1))),
  });
  return (
    <section class="view scrolls" aria-label="Timeline">
      {!window || !said ? (
        <div class="nothing" role="status">
          {error || whyNothing()}
        </div>
      ) : (
        <>
          <Head window={window} />
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
              <Readout said={said} />
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
        <Key name="kernel" /> kernel, interrupt <Key name="idle" /> idle; hatched: unknown, in red
        lost
      </span>
    </div>
  );
}

const Key = (props: { name: string }): JSX.Element => <span class={`key key-${props.name}`} />;

function asCsv(frame: FrameSlices): string {
  const things = store.things.value;
  return csv([
    ["cpu", "from_s", "to_s", "time_ns", "activity", "what", "process", "thread", "count"],
    ...Array.from({ length: frame.head.rows }, (_, row) => [
      frame.cpu[row],
      (frame.from[row] / SECOND).toFixed(9),
      (frame.to[row] / SECOND).toFixed(9),
      frame.time[row],
      frame.activity[row] === LOST ? "lost" : ACTIVITIES[frame.activity[row]],
      things.string(frame.what[row]),
      things.get(frame.process[row])?.key ?? "",
      frame.thread[row] === NO_THREAD ? "" : frame.thread[row],
      frame.count[row],
    ]),
  ]);
}
