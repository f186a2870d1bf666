// SPDX-License-Identifier: MIT
// The events from the cursor on, as `kov trace show` lists them.

import type { JSX } from "preact";
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Interval, length } from "../../base/time.ts";
import { type EventRow, type Events, readEvents } from "../../model/said.ts";
import { ask } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { cursor, exact, show } from "../../model/window.ts";

/** The pointer has rested so long. */
const RESTED_MS = 200;

const isOpen = signal(true);
const only = signal("");
const where = signal("");
const ofCpu = signal(false);

type Asked = Events | { error: string };

/** Asks for the events from a time to the end of what is shown. */
function useEvents(from: number, to: number, of: string | undefined): Asked | undefined {
  const [asked, setAsked] = useState<Asked>();
  const { machine, connection } = store;
  const wanted = [machine.value, connection.value.phase, from, to, of, only.value, where.value];
  useEffect(() => {
    if (connection.value.phase !== "open" || !isOpen.value) return;
    let isWanted = true;
    const timer = setTimeout(() => {
      ask({ what: "events", from, to, of, only: only.value, where: where.value }).then(
        (data) => isWanted && setAsked(readEvents(data)),
        (error) => isWanted && setAsked({ error: String(error.message ?? error) }),
      );
    }, RESTED_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [...wanted, isOpen.value]);
  return asked;
}

const isAtCursor = (row: EventRow): boolean =>
  row.time === cursor.value?.time && row.cpu === cursor.value.cpu;

export function EventList(props: { window: Interval }): JSX.Element {
  const { window } = props;
  const begin = useRef<{ time: number; cpu: number }>({ time: window.from, cpu: 0 });
  const listed = useRef<EventRow[]>([]);
  const at = cursor.value;
  // While the cursor is at a listed event, the list stays.
  if (!listed.current.some(isAtCursor))
    begin.current =
      at && at.time >= window.from && at.time < window.to ? at : { time: window.from, cpu: 0 };
  const { time, cpu } = begin.current;
  const [from, to] = [Math.floor(time), Math.ceil(window.to)];
  const asked = useEvents(from, to, ofCpu.value && at && cpu >= 0 ? `c:${cpu}` : undefined);
  listed.current = asked && "rows" in asked ? asked.rows : [];
  return (
    <details
      class="event-list"
      data-asked={`${from} ${to}`}
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>Events from the cursor on</summary>
      <Choice />
      {asked && "error" in asked && <p class="error">{asked.error}</p>}
      {asked && "rows" in asked && <Rows events={asked} window={window} />}
    </details>
  );
}

function Choice(): JSX.Element {
  const take = (into: typeof only) => (event: JSX.TargetedEvent<HTMLInputElement>) => {
    into.value = event.currentTarget.value.trim();
  };
  return (
    <div class="tools">
      <label>
        only{" "}
        <input
          name="only"
          placeholder="SCHED,page_fault"
          value={only.value}
          maxLength={256}
          spellcheck={false}
          onChange={take(only)}
        />
      </label>
      <label>
        where{" "}
        <input
          name="where"
          placeholder="field > number"
          value={where.value}
          maxLength={256}
          spellcheck={false}
          onChange={take(where)}
        />
      </label>
      <label>
        <input
          name="cpu"
          type="checkbox"
          checked={ofCpu.value}
          onChange={(event) => {
            ofCpu.value = event.currentTarget.checked;
          }}
        />{" "}
        of the cursor's CPU
      </label>
    </div>
  );
}

function Rows(props: { events: Events; window: Interval }): JSX.Element {
  const { rows, more } = props.events;
  if (rows.length === 0) return <p class="dim">No such event up to the end of what is shown.</p>;
  return (
    <table class="numbers wide">
      <caption>
        {more ? `The first ${rows.length}` : `${rows.length} up to the end of what is shown`}; a
        click takes the cursor there
      </caption>
      <thead>
        <tr>
          <th scope="col">s</th>
          <th scope="col">since the one before</th>
          <th scope="col">CPU</th>
          <th scope="col" class="words-cell">
            process
          </th>
          <th scope="col" class="words-cell">
            event
          </th>
          <th scope="col" class="words-cell">
            text
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, i) => (
          <tr
            key={i}
            data-event={row.event}
            data-time={row.time}
            class={isAtCursor(row) ? "chosen" : row.event === "lost" ? "error" : ""}
            onClick={() => goTo(row, props.window)}
          >
            <td>{exact(row.time, 1)}</td>
            <td>{i > 0 ? length(row.time - rows[i - 1].time) : ""}</td>
            <td>{row.cpu}</td>
            <td class="words-cell">{row.process}</td>
            <td class="words-cell">{row.event}</td>
            <td class="words-cell text-cell">{row.text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function goTo(row: EventRow, window: Interval): void {
  cursor.value = { line: `c:${row.cpu}`, cpu: row.cpu, time: row.time };
  if (Number.isFinite(row.pid)) store.selection.value = `p:${row.pid}`;
  if (row.time >= window.from && row.time < window.to) return;
  const half = (window.to - window.from) / 2;
  show({ from: row.time - half, to: row.time + half });
}
