// SPDX-License-Identifier: MIT
// What topics without frames say, as views want it. Most is read by wire/messages.ts.

import {
  type SaidArrow,
  type SaidArrowEnd,
  type SaidArrows,
  type SaidEvent,
  type SaidEvents,
  type SaidMark,
  type SaidObject,
  type SaidProcess,
  type SaidServerClient,
  type SaidStatus,
  readSaidArrows,
  readSaidEvents,
  readSaidMarks,
  readSaidObject,
  readSaidProcesses,
  readSaidServer,
  readSaidStatus,
  readSaidWorkloads,
} from "../wire/messages.ts";
import { text } from "../wire/said_fields.ts";
import type { TimeAccount } from "./cpu_share.ts";
import { readHelp } from "./workload_help.ts";

/** pid NaN: for which process is not known. */
export type EventRow = SaidEvent;
export type Events = Pick<SaidEvents, "more"> & { rows: EventRow[] };

export function readEvents(said: unknown): Events {
  const { events, more } = readSaidEvents(said);
  return { rows: events.map((row) => ({ ...row, process: row.process || "–" })), more };
}

/** thread, pid, userThread NaN: not known, or none. */
export type ArrowEnd = SaidArrowEnd;
export type Arrow = SaidArrow;
export type Arrows = SaidArrows;
export const readArrows = readSaidArrows;

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

export interface Client extends Pick<SaidServerClient, "client" | "role" | "address"> {
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
  ["sleepLocks", "watches sleep locks"],
  ["dref", "counts calls"],
] as const;

const asWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Returns the name and value of all numbers that are known. */
const numbersOf = (account: object): [string, string][] =>
  Object.entries(account)
    .filter(([, one]) => Number.isFinite(one))
    .map(([name, one]) => [asWords(name), text(one)]);

export function readServer(said: unknown): Server {
  const server = readSaidServer(said);
  return {
    network: numbersOf(server.network),
    server: numbersOf(server),
    clients: server.clients.map((one) => ({
      ...one,
      does: CLIENT_DOES.filter(([field]) => one[field])
        .map(([, does]) => does)
        .join(", "),
    })),
  };
}

export type ObjectAnswer = SaidObject;
export const readObject = readSaidObject;
