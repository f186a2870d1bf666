// SPDX-License-Identifier: MIT
// Why there is nothing to see, or not all, and one button that helps.

import type { JSX } from "preact";
import { act } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import type { Topic } from "../../model/topics.ts";
import { kov, shellWord } from "../kov.ts";

/** The period for rare events, as kov has it. */
const PERIOD = 100_000;

/** Samples the measure in addition to what is already sampled. */
export function sampleToo(measure: string): Promise<boolean> {
  const events = store.status.value.events.map((one) => `${one.name}@${one.period}`);
  return act({ do: "sample", text: [...events, `${measure}@${PERIOD}`].join(",") });
}

/** Returns a line above the numbers, or nothing. */
export function measureTrouble(
  measure: string,
  topic: Topic | undefined,
  samples: number,
  value: number,
): JSX.Element | null {
  const status = store.status.value;
  const name = store.machine.value;
  const state = store.machineState.value?.state;
  if (!status.known || (state !== "live" && state !== "played")) return null;
  if (topic?.error) return <Line text={topic.error} />;
  if (measure === "")
    return (
      <Line text="Nothing is sampled.">
        {store.mayAct.value && <SampleButton measure="larx" />}
      </Line>
    );
  if (!store.COUNTED.includes(measure) && !store.isSampled(measure))
    return (
      <Line text={`${measure} is not sampled.`}>
        {store.mayAct.value ? (
          <SampleButton measure={measure} />
        ) : (
          <span class="dim">
            {store.isPlayed.value
              ? ""
              : `A controller can: ${kov()} record -e ${shellWord(measure)}`}
          </span>
        )}
      </Line>
    );
  if (status.owner && !status.mine)
    return <Line text={`${status.owner} samples: shown until it ends.`} />;
  const heard = topic !== undefined && topic.version.value > 0;
  if (heard && samples === 0 && value === 0)
    return (
      <Line text={`No ${measure} on ${name} in this range.`}>
        <button
          type="button"
          onClick={() => {
            store.range.value = { live: 60 };
          }}
        >
          The last 60 s
        </button>
      </Line>
    );
  if (topic && topic.leftOut > 0)
    return <Line text={`This browser left out ${topic.leftOut} messages; no other is affected.`} />;
  return null;
}

function SampleButton(props: { measure: string }): JSX.Element {
  return (
    <button type="button" onClick={() => sampleToo(props.measure)}>
      Sample every {PERIOD.toLocaleString("en")}th {props.measure}
    </button>
  );
}

function Line(props: { text: string; children?: JSX.Element | false | null }): JSX.Element {
  return (
    <div class="trouble" role="status">
      {props.text} {props.children}
    </div>
  );
}

/** Stands in place of an empty list or picture. */
export function NothingToShow(props: { what: string; topic: Topic | undefined }): JSX.Element {
  const state = store.machineState.value;
  let text = `No ${props.what} yet.`;
  if (props.topic?.error) text = props.topic.error;
  else if (state?.state === "waiting") text = "";
  else if (props.topic && props.topic.version.value > 0) text = `No ${props.what} here.`;
  return (
    <div class="nothing" role="status">
      {text}
    </div>
  );
}
