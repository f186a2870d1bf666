// SPDX-License-Identifier: MIT
// The processes; controllers end them and move their threads.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { UNKNOWN, count } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { isProcessShown } from "../../model/filter.ts";
import type { Process } from "../../model/said.ts";
import { act } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { SureButton } from "../../widgets/sure_button.tsx";
import { NothingToShow } from "../frame/trouble.tsx";
import { kovCommand } from "../kov.ts";
import { useHides } from "../hides.ts";
import { useGives } from "../use_gives.ts";
import { useProcesses } from "../use_processes.ts";
import { useTopic } from "../use_topic.ts";

const COLUMNS = [
  { name: "pid", title: "pid", text: false },
  { name: "name", title: "name", text: true },
  { name: "state", title: "state", text: true },
  { name: "cpu", title: "CPU %", text: false },
  { name: "memoryKb", title: "KB", text: false },
  { name: "faults", title: "faults", text: false },
  { name: "calls", title: "calls", text: false },
  { name: "priority", title: "priority", text: false },
  { name: "dispatchers", title: "dispatchers", text: false },
  { name: "parent", title: "started by", text: false },
] as const;

type Column = (typeof COLUMNS)[number]["name"];
const sortedBy = signal<Column>("pid");

/** Names and numbers of processes rise, amounts fall. */
const rises = (name: Column): boolean => ["name", "state", "pid", "parent"].includes(name);

const byColumn = (name: Column) => (a: Process, b: Process) => {
  const [one, other] = [a[name], b[name]];
  if (typeof one === "string" || typeof other === "string")
    return String(one).localeCompare(String(other));
  if (name === "pid" || name === "parent") return one - other;
  return (Number.isNaN(other) ? -1 : other) - (Number.isNaN(one) ? -1 : one);
};

export function Processes(): JSX.Element {
  const topic = useTopic({ kind: "processes" });
  const all = useProcesses(topic);
  const shown = all.filter((one) =>
    isProcessShown(store.shownChips.value, `p:${one.pid}`, store.things.value),
  );
  const rows = shown.sort(byColumn(sortedBy.value));
  useHides(all.length - rows.length, all.length, "processes");
  useGives({
    csv: () => ({
      name: `${store.machine.value}-processes.csv`,
      text: csv([
        COLUMNS.map((one) => one.name),
        ...rows.map((row) => COLUMNS.map((one) => row[one.name])),
      ]),
    }),
    kov: () => kovCommand("machine"),
  });
  return (
    <>
      <table class="numbers wide">
        <caption class="hidden">Processes</caption>
        <thead>
          <tr>
            {COLUMNS.map((one) => (
              <th
                key={one.name}
                scope="col"
                class={one.text ? "words-cell" : undefined}
                aria-sort={
                  sortedBy.value !== one.name
                    ? undefined
                    : rises(one.name)
                      ? "ascending"
                      : "descending"
                }
              >
                <button
                  type="button"
                  class="plain"
                  onClick={() => {
                    sortedBy.value = one.name;
                  }}
                >
                  {one.title}
                  {sortedBy.value !== one.name ? "" : rises(one.name) ? " ▴" : " ▾"}
                </button>
              </th>
            ))}
            {store.mayAct.value && <th scope="col">act</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ProcessRow key={row.pid} process={row} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <NothingToShow what="processes" topic={topic} />}
    </>
  );
}

function cellText(process: Process, name: Column): string {
  const value = process[name];
  if (typeof value === "string") return value || UNKNOWN;
  return name === "cpu" && !Number.isNaN(value) ? value.toFixed(1) : count(value);
}

function ProcessRow({ process }: { process: Process }): JSX.Element {
  const key = `p:${process.pid}`;
  return (
    <tr
      class={store.selection.value === key ? "chosen" : undefined}
      data-key={key}
      title={process.failure || undefined}
    >
      {COLUMNS.map((one) => (
        <td key={one.name} class={one.text ? "words-cell" : undefined}>
          {one.name === "name" ? (
            <button
              type="button"
              class="link"
              onClick={() => {
                store.selection.value = key;
              }}
            >
              {process.name || UNKNOWN}
            </button>
          ) : (
            cellText(process, one.name)
          )}
        </td>
      ))}
      {store.mayAct.value && (
        <td class="acts">
          {process.pid > 0 && (
            <>
              <SureButton
                title="kill"
                sure={`kill ${process.pid}?`}
                act={() => void act({ do: "kill", number: process.pid })}
              />
              <MoveChoice pid={process.pid} />
            </>
          )}
        </td>
      )}
    </tr>
  );
}

function MoveChoice({ pid }: { pid: number }): JSX.Element | null {
  const cpus = store.machineState.value?.cpus ?? 0;
  if (cpus < 2) return null;
  return (
    <select
      aria-label={`Move the threads of process ${pid}`}
      value=""
      onChange={(event) => {
        const cpu = event.currentTarget.value;
        event.currentTarget.value = "";
        if (cpu !== "") void act({ do: "move", number: pid, to: Number(cpu) });
      }}
    >
      <option value="">move …</option>
      {Array.from({ length: cpus }, (_, i) => (
        <option key={i} value={String(i)}>
          to CPU {i}
        </option>
      ))}
    </select>
  );
}
