// SPDX-License-Identifier: MIT
// What topics without frames say, as views want it. Most is read by wire/messages.ts.

import { clean } from "../base/text.ts";
import {
  type SaidMark,
  type SaidProcess,
  type SaidStatus,
  readSaidMarks,
  readSaidProcesses,
  readSaidStatus,
  readSaidWorkloads,
} from "../wire/messages.ts";
import { flag, list, number, object, text } from "../wire/said_fields.ts";
import type { TimeAccount } from "./cpu_share.ts";
import { readHelp } from "./workload_help.ts";

/** An event of a trace, or a loss ("lost"). pid NaN: for which process is not known. */
export interface EventRow {
  time: number;
  cpu: number;
  pid: number;
  process: string;
  event: string;
  text: string;
}

export interface Events {
  rows: EventRow[];
  more: boolean;
}

export function readEvents(said: unknown): Events {
  const data = object(said);
  const rows = list(data.events).map((row) => ({
    time: number(row.time),
    cpu: number(row.cpu),
    pid: number(row.pid),
    process: text(row.process ?? "–"),
    event: text(row.event),
    text: text(row.text),
  }));
  return { rows, more: flag(data.more) };
}

export interface Status extends SaidStatus {
  known: boolean;
}

export function readStatus(said: unknown): Status {
  const status = readSaidStatus(said);
  const events = status.events.filter((one) => one.name !== "");
  return { ...status, events, known: said !== undefined };
}

export interface Process extends Omit<SaidProcess, "state"> {
  state: string;
  /** Percent of one CPU. NaN: one account of times tells nothing of that. */
  cpu: number;
}

const PROCESS_STATES = ["new", "live", "ending"];

/** Returns the CPU time of processes. */
export function readTimeAccount(said: unknown): TimeAccount | undefined {
  const { time, processes } = readSaidProcesses(said);
  const known = processes.filter((one) => Number.isFinite(one.pid + one.cpuTicks));
  const ticks = new Map(known.map((one) => [one.pid, one.cpuTicks]));
  return Number.isFinite(time) && ticks.size > 0 ? { time, ticks } : undefined;
}

export const readProcesses = (said: unknown): Process[] =>
  readSaidProcesses(said)
    .processes.filter((one) => Number.isInteger(one.pid))
    .map((one) => ({
      ...one,
      state: PROCESS_STATES[one.state] ?? text(one.state),
      cpu: Number.NaN,
    }));

export interface Parameter {
  name: string;
  initial: string;
  summary: string;
}
export interface WorkloadKind {
  name: string;
  parameters: Parameter[];
}
export interface WorkloadRun {
  id: number;
  name: string;
  running: boolean;
  error: string;
  report: string;
  begin: number;
  end: number;
}

export function readWorkloads(said: unknown): { kinds: WorkloadKind[]; runs: WorkloadRun[] } {
  const { kinds, runs } = readSaidWorkloads(said);
  return {
    kinds: kinds
      .filter((one) => one.name !== "")
      .map(({ name, help }) => ({ name, parameters: readHelp(help) })),
    runs: runs
      .filter((one) => Number.isInteger(one.id))
      .map((one) => ({ ...one, error: one.error ? text(one.error) : "" })),
  };
}

/** Its end is NaN until it has ended. */
export type Mark = SaidMark;

export const readMarks = (said: unknown): Mark[] =>
  readSaidMarks(said)
    .marks.filter((one) => Number.isFinite(one.begin))
    .map((one) => ({ ...one, end: one.end > 0 ? one.end : Number.NaN }));

export interface Client {
  number: number;
  role: string;
  address: string;
  does: string;
}
export interface Server {
  network: [string, string][];
  server: [string, string][];
  clients: Client[];
}

const CLIENT_DOES = [
  ["self", "this kov"],
  ["sampling", "samples"],
  ["tracing", "traces"],
  ["counting", "counts"],
  ["sleep_locks", "watches sleep locks"],
  ["dref", "counts calls"],
];

const words = (value: unknown): [string, string][] =>
  Object.entries(object(value))
    .filter(([, one]) => typeof one === "number" || typeof one === "string")
    .map(([name, one]) => [clean(name).replace(/_/g, " "), text(one)]);

export const readServer = (said: unknown): Server => ({
  network: words(object(said).network),
  // All numbers and groups of numbers.
  server: [...words(said), ...words(object(said).server)],
  clients: list(object(said).clients).map((one) => ({
    number: number(one.client ?? one.number),
    role: text(one.role),
    address: text(one.address),
    does: CLIENT_DOES.filter(([field]) => one[field] === true)
      .map(([, does]) => does)
      .join(", "),
  })),
});

export interface ObjectAnswer {
  className: string;
  implementation: string;
  size: number;
  distributed: boolean | undefined;
  reps: number;
  misses: number;
  children: string[];
  parents: string[];
  process: string;
}

const keys = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

export function readObject(said: unknown): ObjectAnswer {
  const data = object(said);
  return {
    className: text(data.class),
    implementation: text(data.implementation),
    size: number(data.size),
    distributed: typeof data.distributed === "boolean" ? data.distributed : undefined,
    reps: number(data.reps),
    misses: number(data.misses),
    children: keys(data.children),
    parents: keys(data.parents),
    process: text(data.process),
  };
}
