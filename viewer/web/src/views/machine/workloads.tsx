// SPDX-License-Identifier: MIT
// Workloads: a form of their parameters, those that run, and the accounts of those that ended.

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { SECOND, clock, length } from "../../base/time.ts";
import { type WorkloadKind, type WorkloadRun, readWorkloads } from "../../model/said.ts";
import { act } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { SureButton } from "../../widgets/sure_button.tsx";
import { useTopic } from "../use_topic.ts";

const chosen = signal("");

export function Workloads(): JSX.Element {
  const topic = useTopic({ kind: "workloads" });
  const { kinds, runs } = readWorkloads(topic?.data);
  const kind = kinds.find((one) => one.name === chosen.value) ?? kinds[0];
  return (
    <section class="panel" aria-label="Workloads">
      <h2>Workloads</h2>
      {topic?.error && <p class="error">{topic.error}</p>}
      {kind && (
        <>
          <label>
            <span class="hidden">Workload</span>
            <select
              value={kind.name}
              onChange={(event) => {
                chosen.value = event.currentTarget.value;
              }}
            >
              {kinds.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
          <StartForm key={kind.name} kind={kind} />
        </>
      )}
      {!kind && <p class="dim">The machine has told of no workloads.</p>}
      {[...runs].reverse().map((run) => (
        <Run key={run.id} run={run} />
      ))}
    </section>
  );
}

/** Returns NAME key=value …, with only the values that differ from the default. */
export function workloadText(kind: WorkloadKind, values: ReadonlyMap<string, string>): string {
  const words = kind.parameters
    .map((one) => [one.name, (values.get(one.name) ?? "").trim(), one.initial] as const)
    .filter(([, value, initial]) => value !== "" && value !== initial)
    .map(([name, value]) => `${name}=${value}`);
  return [kind.name, ...words].join(" ");
}

/** Workloads that end the machine: they are asked about twice. */
const BREAKING = ["crash"];

function start(kind: WorkloadKind, form: HTMLFormElement | null): void {
  const values = new Map<string, string>();
  if (form)
    for (const [name, value] of new FormData(form))
      if (typeof value === "string") values.set(name, value);
  void act({ do: "workload_start", text: workloadText(kind, values) });
}

function StartForm({ kind }: { kind: WorkloadKind }): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const breaks = BREAKING.includes(kind.name);
  return (
    <form
      class="parameters"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        if (!breaks) start(kind, event.currentTarget);
      }}
    >
      {kind.parameters.map((one) => (
        <label key={one.name}>
          <span>{one.name}</span>
          <input
            name={one.name}
            defaultValue={one.initial}
            disabled={!store.mayAct.value}
            maxLength={100}
            spellcheck={false}
          />
          <span class="dim">{one.summary}</span>
        </label>
      ))}
      {!store.mayAct.value && <span class="dim">{store.whyNoActs.value}</span>}
      {store.mayAct.value && !breaks && <button type="submit">Start</button>}
      {store.mayAct.value && breaks && (
        <SureButton
          title="Start"
          sure={`${kind.name}: end ${store.machine.value}?`}
          act={() => start(kind, form.current)}
        />
      )}
    </form>
  );
}

function Run({ run }: { run: WorkloadRun }): JSX.Element {
  const end = run.running ? store.now.value : run.end;
  const state = run.error ? "failed" : run.running ? "running" : "ended";
  return (
    <div class="run" data-run={run.id}>
      <strong>{run.name}</strong>{" "}
      <span class={run.error ? "error" : run.running ? "good" : "dim"} role="status">
        {state} {length(end - run.begin)}, from {clock(run.begin)}
        {Number.isNaN(run.error) && "; how is not known"}
      </span>
      <span class="buttons">
        {run.running && store.mayAct.value && (
          <button type="button" onClick={() => void act({ do: "workload_stop", number: run.id })}>
            Stop
          </button>
        )}
        {end - run.begin > SECOND / 10 && (
          <button type="button" onClick={() => store.showInterval({ from: run.begin, to: end })}>
            Make it the range
          </button>
        )}
      </span>
      {run.error && <p class="error">{run.error}</p>}
      {run.report && <pre class="report">{run.report}</pre>}
    </div>
  );
}
