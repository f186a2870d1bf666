// SPDX-License-Identifier: MIT
// Calls of the selected process: what it calls, and who calls it. They are counted only while this
// is open, because a trace is work for the machine.

import type { JSX } from "preact";
import { UNKNOWN, count, scaled } from "../../base/number.ts";
import { SECOND, clock } from "../../base/time.ts";
import * as store from "../../model/store.ts";
import { parseKey } from "../../model/things.ts";
import type { Topic } from "../../model/topics.ts";
import { type SaidCall, type SaidCalls, readSaidCalls } from "../../wire/messages.ts";
import { useTopic } from "../use_topic.ts";

const CALLS_MOST = 12;

export function CallsOf({ of }: { of: string }): JSX.Element {
  const isOpen = store.callsOpen.value;
  const topic = useTopic(
    isOpen ? { kind: "calls", of, ...store.rangeSubscription.value } : undefined,
  );
  return (
    <section class="calls-of" aria-label="Calls">
      <h3>
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          title="C"
          onClick={() => {
            store.callsOpen.value = !isOpen;
          }}
        >
          {isOpen ? "▾" : "▸"} Calls
        </button>{" "}
        {!isOpen && <span class="dim small">{hint()}</span>}
      </h3>
      {topic?.error && <p class="dim">{topic.error}</p>}
      {topic && !topic.error && <Said of={of} topic={topic} />}
    </section>
  );
}

const hint = (): string =>
  store.isTrace.value ? "by server and method" : "by server and method: traces the machine";

function Said(props: { of: string; topic: Topic }): JSX.Element {
  const { of, topic } = props;
  if (topic.version.value === 0) return <p class="dim">Nothing has been counted yet.</p>;
  const said = readSaidCalls(topic.data);
  const pid = parseKey(of).pid;
  const made = said.rows.filter((row) => row.client === pid);
  const answered = said.rows.filter((row) => row.server === pid);
  return (
    <>
      <Words said={said} />
      <Table
        title="It calls"
        rows={made}
        who={(row) => ({ key: `p:${row.server}`, name: row.serverName })}
      />
      <Table
        title="Called by"
        rows={answered}
        who={(row) => ({
          key: Number.isNaN(row.client) ? "" : `p:${row.client}`,
          name: row.clientName || UNKNOWN,
        })}
      />
      {said.seconds > 0 && made.length + answered.length === 0 && (
        <p class="dim">No calls in this range.</p>
      )}
    </>
  );
}

const seconds = (value: number): string => `${value.toFixed(1)} s`;
const bytes = (value: number): string => `${scaled(value)} bytes`;

/** For how long calls were counted, what that cost, and what is missing. */
function Words({ said }: { said: SaidCalls }): JSX.Element {
  const known = said.seconds > 0;
  const span = Number.isNaN(said.from)
    ? ""
    : ` from ${clock(said.from, 1)} to ${clock(said.to, 1)}`;
  const words = [
    known
      ? `Counted for ${seconds(said.seconds)}${span}.`
      : `${UNKNOWN} no calls were counted in this range.`,
    known && said.packets > 0 && cost(said),
    said.owner !== "" && `The trace is that of ${said.owner}.`,
    said.rest > 0 && `${count(said.rest)} calls are in further rows.`,
    said.others > 0 && `${count(said.others)} calls of the machine were not told apart.`,
  ].filter(Boolean);
  return (
    <>
      <p class="dim small" role="status">
        {words.join(" ")}
      </p>
      {said.why !== "" && <p class="dim">Not all is known: {said.why}.</p>}
      {said.cut && <p class="error">{lost(said)}</p>}
    </>
  );
}

const cost = (said: SaidCalls): string => {
  const span = (said.to - said.from) / SECOND;
  return (
    `That took ${count(said.packets)} packets of a trace, ` +
    `${bytes(said.bytes / span)} a second.`
  );
};

const lost = (said: SaidCalls): string =>
  `Some of the trace is missing (${count(said.lostPackets)} packets, ${count(said.discarded)} ` +
  "events): there were more calls than these.";

function Table(props: {
  title: string;
  rows: readonly SaidCall[];
  who: (row: SaidCall) => { key: string; name: string };
}): JSX.Element | null {
  const { title, rows, who } = props;
  if (rows.length === 0) return null;
  return (
    <table class="numbers parts" aria-label={title}>
      <caption>
        <strong>{title}</strong> <span class="small">calls a second, and their number</span>
      </caption>
      <tbody>
        {rows.slice(0, CALLS_MOST).map((row) => (
          <Row
            key={`${row.client} ${row.server} ${row.endpoint} ${row.method}`}
            row={row}
            who={who(row)}
          />
        ))}
      </tbody>
      {rows.length > CALLS_MOST && (
        <tfoot>
          <tr>
            <td class="part-name dim">{rows.length - CALLS_MOST} more</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

function Row(props: { row: SaidCall; who: { key: string; name: string } }): JSX.Element {
  const { row, who } = props;
  return (
    <tr data-method={row.method} data-who={who.key} data-endpoint={row.endpoint}>
      <td class="part-name" title={`endpoint ${row.endpoint} of ${row.serverName}`}>
        {row.method}
      </td>
      <td>
        <Who of={who.key} name={who.name} />
      </td>
      <td>{Number.isFinite(row.rate) ? `${scaled(row.rate)}/s` : UNKNOWN}</td>
      <td class="dim" title="calls">
        {count(row.count)}
      </td>
    </tr>
  );
}

function Who({ of, name }: { of: string; name: string }): JSX.Element {
  if (of === "") return <span title="the trace does not tell who called">{name}</span>;
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        store.selection.value = of;
      }}
    >
      {name}
    </button>
  );
}
