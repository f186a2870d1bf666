// SPDX-License-Identifier: MIT
// The top line: the machine, finding, views.

import type { JSX } from "preact";
import { findCommand } from "../../model/commands.ts";
import * as store from "../../model/store.ts";
import { VIEWS } from "../../model/views.ts";

const STATES: Record<string, string> = {
  live: "live",
  waiting: "waiting",
  lost: "lost",
  played: "recording",
  ended: "boot before",
};

export function Header(): JSX.Element {
  const state = store.machineState.value;
  const open = store.connection.value.phase === "open";
  const silence = store.silence.value;
  const known = store.isTrace.value ? "trace" : (STATES[state?.state ?? ""] ?? "no machine");
  const word = !open ? "no connection" : silence ? `not answering for ${silence} s` : known;
  const held = word === "live" && !store.isLive.value;
  return (
    <header class="header">
      <strong>Orrery</strong>
      <span class={word === "live" && !held ? "live good" : "live dim"} role="status">
        {word === "live" ? (held ? "‖ held" : "● live") : `○ ${word}`}
      </span>
      <MachineChoice />
      <button type="button" class="find" onClick={() => findCommand("find")?.run()}>
        <span class="dim">/</span>
        <span class="find-words"> object, class, process, command (Ctrl K)</span>
      </button>
      <nav aria-label="Views">
        {VIEWS.map((one) => (
          <button
            type="button"
            key={one.name}
            class={store.view.value === one.name ? "tab here" : "tab"}
            aria-current={store.view.value === one.name ? "page" : undefined}
            onClick={() => {
              store.view.value = one.name;
            }}
          >
            {one.key} {one.title}
          </button>
        ))}
      </nav>
      <button
        type="button"
        class="plain help"
        aria-label="Keys and commands"
        onClick={() => findCommand("help")?.run()}
      >
        ?
      </button>
    </header>
  );
}

/** Returns what to know of a machine that is not shown. */
function aside(name: string): string {
  const known = store.machineStates.value.get(name);
  const state = known?.state ?? "";
  if (known?.trace) return " · trace";
  return state === "live" ? "" : ` · ${STATES[state] ?? "no machine"}`;
}

function MachineChoice(): JSX.Element {
  const cpus = store.machineState.value?.cpus;
  const about = cpus ? ` · ${cpus} CPU${cpus === 1 ? "" : "s"}` : "";
  if (store.shownMachines.value.length < 2) return <span>{store.machine.value + about}</span>;
  return (
    <label>
      <span class="hidden">Machine</span>
      <select
        value={store.machine.value}
        onChange={(event) => store.chooseMachine(event.currentTarget.value)}
      >
        {store.shownMachines.value.map((name) => (
          <option key={name} value={name}>
            {name + (name === store.machine.value ? about : aside(name))}
          </option>
        ))}
      </select>
    </label>
  );
}
