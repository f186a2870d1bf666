// SPDX-License-Identifier: MIT
// Reads what topics without frames say, field by field. A field that is missing or has another type
// is unknown, and does no harm.

import { clean, cleanLines } from "../base/text.ts";
import type { TimeAccount } from "./cpu_share.ts";
import { readHelp } from "./workload_help.ts";

type Unread = Record<string, unknown>;

const object = (value: unknown): Unread =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Unread) : {};
const list = (value: unknown): Unread[] => (Array.isArray(value) ? value.map(object) : []);
const number = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
const text = (value: unknown): string => clean(typeof value === "number" ? `${value}` : value);
const flag = (value: unknown): boolean => value === true;

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

export interface SampledEvent {
  name: string;
  title: string;
  period: number;
  mode: string;
}

export interface Status {
  known: boolean;
  events: SampledEvent[];
  rate: number;
  lost: number;
  missed: number;
  unattributed: number;
  /** Who samples, and whether that is the gateway itself. */
  owner: string;
  mine: boolean;
  traceRate: number;
  traceLost: number;
  scanAge: number;
  scanSeconds: number;
  historySeconds: number;
  historyLimitSeconds: number;
  historyBytes: number;
  historyLimitBytes: number;
  /** Bytes of the file to which it records. NaN: it does not record. */
  recordedBytes: number;
  recordedLost: number;
  /** Events that could be sampled. */
  possible: string[];
  now: number;
  /** Of a trace folder: its begin, its events, and what is missing in it. */
  begin: number;
  traceEvents: number;
  lostPackets: number;
  discarded: number;
}

export function readStatus(said: unknown): Status {
  const data = object(said);
  return {
    known: said !== undefined,
    events: list(data.events)
      .map((one) => ({
        name: text(one.name),
        title: text(one.title),
        period: number(one.period),
        mode: text(one.mode),
      }))
      .filter((one) => one.name !== ""),
    rate: number(data.rate),
    lost: number(data.lost),
    missed: number(data.missed),
    unattributed: number(data.unattributed),
    owner: text(data.owner),
    mine: flag(data.mine),
    traceRate: number(data.trace_rate),
    traceLost: number(data.trace_lost),
    scanAge: number(data.scan_age),
    scanSeconds: number(data.scan_seconds),
    historySeconds: number(data.history_seconds),
    historyLimitSeconds: number(data.history_limit_seconds),
    historyBytes: number(data.history_bytes),
    historyLimitBytes: number(data.history_limit_bytes),
    recordedBytes: number(object(data.recording).bytes),
    recordedLost: number(object(data.recording).lost),
    possible: Array.isArray(data.possible) ? data.possible.map(clean).filter(Boolean) : [],
    now: number(data.now),
    begin: number(data.begin),
    traceEvents: number(data.trace_events),
    lostPackets: number(data.lost_packets),
    discarded: number(data.discarded),
  };
}

export interface Process {
  pid: number;
  name: string;
  /** Why the machine could not look into the process. */
  failure: string;
  parent: number;
  state: string;
  cpu: number;
  memory: number;
  faults: number;
  calls: number;
  priority: number;
  dispatchers: number;
}

const PROCESS_STATES = ["new", "live", "ending"];

const state = (value: unknown): string =>
  typeof value === "number" ? (PROCESS_STATES[value] ?? text(value)) : text(value);

/** Returns the CPU time of processes, if the gateway tells that and not their part of a CPU. */
export function readTimeAccount(said: unknown): TimeAccount | undefined {
  const data = object(said);
  const ticks = new Map<number, number>();
  for (const one of list(data.processes))
    if (typeof one.pid === "number" && typeof one.cpu_ticks === "number")
      ticks.set(one.pid, one.cpu_ticks);
  return typeof data.time === "number" && ticks.size > 0 ? { time: data.time, ticks } : undefined;
}

export const readProcesses = (said: unknown): Process[] =>
  list(object(said).processes)
    .map((one) => ({
      pid: number(one.pid),
      name: text(one.name),
      parent: number(one.parent),
      state: state(one.state),
      failure: text(one.failure),
      cpu: number(one.cpu),
      memory: number(one.memory_kb),
      faults: number(one.faults),
      calls: number(one.calls),
      priority: number(one.priority),
      dispatchers: number(one.dispatchers),
    }))
    .filter((one) => Number.isInteger(one.pid));

export interface Parameter {
  name: string;
  initial: string;
  summary: string;
}
export interface WorkloadKind {
  name: string;
  summary: string;
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

export const readWorkloads = (said: unknown): { kinds: WorkloadKind[]; runs: WorkloadRun[] } => ({
  kinds: list(object(said).kinds)
    .map((one) => ({
      name: text(one.name),
      summary: text(one.summary),
      parameters: readHelp(cleanLines(one.help)),
    }))
    .filter((one) => one.name !== ""),
  runs: list(object(said).runs)
    .map((one) => ({
      id: number(one.id),
      name: text(one.name),
      running: flag(one.running),
      // 0: none.
      error: one.error === 0 ? "" : text(one.error),
      report: cleanLines(one.report),
      begin: number(one.begin),
      end: number(one.end),
    }))
    .filter((one) => Number.isInteger(one.id)),
});

export interface Mark {
  name: string;
  begin: number;
  /** NaN: it has not ended. */
  end: number;
  kind: string;
}

export const readMarks = (said: unknown): Mark[] =>
  list(object(said).marks)
    .map((one) => ({
      name: text(one.name),
      begin: number(one.begin),
      end: typeof one.end === "number" && one.end > 0 ? one.end : Number.NaN,
      kind: text(one.kind),
    }))
    .filter((one) => Number.isFinite(one.begin));

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
