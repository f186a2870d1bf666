// SPDX-License-Identifier: MIT
// Functions of the selection: the hottest, who calls them, and the lines of the one that is chosen.

import type { ComponentChildren, JSX } from "preact";
import { count, percent, plusMinus } from "../../base/number.ts";
import { csv } from "../../base/text.ts";
import { functionsSubscription } from "../../model/functions.ts";
import { saveText } from "../../model/hand_out.ts";
import * as store from "../../model/store.ts";
import type { Topic } from "../../model/topics.ts";
import {
  type SaidFunctionLine,
  type SaidFunctions,
  readSaidFunctions,
} from "../../wire/messages.ts";
import { useTopic } from "../use_topic.ts";

const HOTTEST_MOST = 8;
const CALLERS_MOST = 8;
const LINES_MOST = 40;

interface Part {
  name: string;
  samples: number;
  share: number;
  error: number;
  /** Its row can be chosen. */
  isFunction: boolean;
}

export function FunctionsOf({ of }: { of: string }): JSX.Element | null {
  const measure = store.measure.value;
  const name = store.chosenFunction.value;
  const range = store.rangeSubscription.value;
  const all = useTopic(functionsSubscription(of, measure, range));
  const one = useTopic(name ? functionsSubscription(of, measure, range, name) : undefined);
  if (!all) return null;
  if (all.error) return <p class="dim">{all.error}</p>;
  if (all.version.value === 0) return null;
  const said = readSaidFunctions(all.data);
  return (
    <section class="functions-of" aria-label="Functions">
      <Parts
        title="Hottest functions"
        tells={`${measure}, of all that is not idle`}
        parts={said.rows.filter((row) => row.samples > 0).map(partOf)}
        most={HOTTEST_MOST}
      />
      {said.samples === 0 && <p class="dim">No samples with a stack in this range.</p>}
      <Unsaid said={said} />
      {name ? (
        <OneFunction name={name} topic={one} />
      ) : (
        <Parts
          title="Called from"
          tells="who called the functions, of all these samples"
          parts={said.callers.map(partOf)}
          most={CALLERS_MOST}
        />
      )}
    </section>
  );
}

const partOf = (row: {
  function: string;
  samples: number;
  share: number;
  error: number;
}): Part => ({
  ...row,
  name: row.function || "no function is known",
  isFunction: row.function !== "",
});

/** Tells of samples whose function is not known, and why. */
function Unsaid({ said }: { said: SaidFunctions }): JSX.Element | null {
  const words = [
    said.pending > 0 && `${count(said.pending)} samples: their functions are being looked up.`,
    said.unknown > 0 && `${count(said.unknown)} samples are in no function that is known.`,
    said.why !== "" && `Addresses stand for functions: ${said.why}.`,
    said.others > 0 && `Of ${count(said.others)} samples of the machine no stack is known.`,
  ].filter(Boolean);
  return words.length === 0 ? null : (
    <p class="dim" role="status">
      {words.join(" ")}
    </p>
  );
}

function OneFunction(props: { name: string; topic: Topic | undefined }): JSX.Element {
  const { name, topic } = props;
  const said = readSaidFunctions(topic?.data);
  const isSaid = topic !== undefined && topic.version.value > 0;
  return (
    <div data-function={name}>
      <h3>
        {name}{" "}
        <button type="button" onClick={() => store.chooseFunction("")} title="Esc">
          all functions
        </button>
      </h3>
      {topic?.error && <p class="error">{topic.error}</p>}
      {isSaid && (
        <>
          <Parts
            title="Called from"
            tells="of all samples with it in the stack"
            parts={said.callers.map(partOf)}
            most={CALLERS_MOST}
          />
          {said.inlined.length > 0 && (
            <Parts
              title="Inlined in it"
              tells="of its own samples"
              parts={said.inlined.map((row) => ({ ...partOf(row), isFunction: false }))}
              most={CALLERS_MOST}
            />
          )}
          <Lines name={name} lines={said.lines} />
        </>
      )}
    </div>
  );
}

function Lines(props: { name: string; lines: readonly SaidFunctionLine[] }): JSX.Element {
  const { lines, name } = props;
  return (
    <Parts
      title="Source lines"
      tells="of its own samples"
      parts={lines.map((row) => ({ ...row, name: lineName(row), isFunction: false }))}
      most={LINES_MOST}
    >
      {lines.length > 0 && (
        <button
          type="button"
          onClick={() =>
            saveText(linesAsCsv(name, lines), `${store.machine.value}-lines-${fileName(name)}.csv`)
          }
        >
          CSV
        </button>
      )}
    </Parts>
  );
}

const lineName = (row: SaidFunctionLine): string =>
  row.file ? `${row.file}:${row.line}` : "no line is known";

const fileName = (text: string): string => text.replace(/[^A-Za-z0-9_.-]/g, "-");

const linesAsCsv = (name: string, lines: readonly SaidFunctionLine[]): string =>
  csv([
    ["function", "file", "line", "samples", "share_percent", "share_error"],
    ...lines.map((row) => [
      name,
      row.file,
      row.file ? row.line : "",
      row.samples,
      row.share,
      row.error,
    ]),
  ]);

/** The largest parts of something. */
function Parts(props: {
  title: string;
  tells: string;
  parts: readonly Part[];
  most: number;
  children?: ComponentChildren;
}): JSX.Element {
  const { parts, most, title } = props;
  return (
    <table class="numbers parts" aria-label={title}>
      <caption>
        <strong>{title}</strong> <span class="small">{props.tells}</span> {props.children}
      </caption>
      <tbody>
        {parts.slice(0, most).map((part) => (
          <tr key={part.name} data-part={part.name}>
            <td class="part-name">
              <PartName part={part} />
            </td>
            <td>{percent(part.share)}</td>
            <td class="dim">{plusMinus(part.error)}</td>
            <td class="dim" title="samples">
              {count(part.samples)}
            </td>
          </tr>
        ))}
      </tbody>
      {parts.length > most && (
        <tfoot>
          <tr>
            <td class="part-name dim">{parts.length - most} more</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

function PartName({ part }: { part: Part }): JSX.Element {
  if (!part.isFunction) return <span title={part.name}>{part.name}</span>;
  return (
    <button
      type="button"
      class="link"
      aria-pressed={part.name === store.chosenFunction.value}
      onClick={() => store.chooseFunction(part.name)}
    >
      {part.name}
    </button>
  );
}
