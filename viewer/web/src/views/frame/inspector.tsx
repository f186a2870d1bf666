// SPDX-License-Identifier: MIT
// The selected thing: what it is, how often it is used, what is above and below it.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { UNKNOWN, count, percent, plusMinusPart, scaled, withError } from "../../base/number.ts";
import { SECOND, clock } from "../../base/time.ts";
import { drawGraph, drawTimeAxis, reduce, topOf } from "../../draw/graph.ts";
import { drawInterval } from "../../draw/interval.ts";
import { readTheme } from "../../draw/theme.ts";
import { pinOfSelection } from "../../model/commands.ts";
import { copyText } from "../../model/hand_out.ts";
import { type ObjectAnswer, type Process, readObject } from "../../model/said.ts";
import { ask } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { classKey, parseKey, splitClass } from "../../model/things.ts";
import type { Topic } from "../../model/topics.ts";
import { Canvas } from "../../widgets/canvas.tsx";
import { type Points, summarize } from "../../wire/columns.ts";
import { drawCursor, moveCursor, pointAtCursor } from "../cursor.ts";
import { useDrag } from "../drag.ts";
import { kovCommand } from "../kov.ts";
import { useProcesses } from "../use_processes.ts";
import { useTopic } from "../use_topic.ts";
import { CallsOf } from "./calls.tsx";
import { FunctionsOf } from "./functions.tsx";

export function Inspector(): JSX.Element {
  const key = store.selection.value;
  return (
    <aside class={key ? "inspector" : "inspector empty"} aria-label="Inspector">
      <button
        type="button"
        class="plain close"
        aria-label="Hide the inspector"
        title="Q"
        onClick={() => {
          store.inspectorOpen.value = false;
        }}
      >
        ×
      </button>
      {key ? <Selected key={key} of={key} /> : <NothingSelected />}
    </aside>
  );
}

function NothingSelected(): JSX.Element {
  return (
    <p class="dim">
      Nothing is selected. A click on a row, or the arrow keys in the list, select what is shown
      here.
    </p>
  );
}

function Selected({ of }: { of: string }): JSX.Element {
  if (store.isTrace.value) return <OfTrace of={of} />;
  const { kind } = parseKey(of);
  const name = store.things.value.name(of);
  const command = kovCommand("ranking", store.measure.value, of);
  return (
    <>
      <h2>{name}</h2>
      {kind === "object" && <AboutObject of={of} />}
      {kind === "process" && <AboutProcess of={of} />}
      {(kind === "class" || kind === "machine") && (
        <dl class="facts">
          <Fact name="kind" value={kind} />
        </dl>
      )}
      <Rates of={of} />
      {kind === "process" && <CallsOf of={of} />}
      <FunctionsOf of={of} />
      <div class="buttons">
        <PinButton />
        {["object", "process", "class"].includes(kind) && (
          <>
            <FilterButton of={of} not={false} />
            <FilterButton of={of} not={true} />
          </>
        )}
      </div>
      {!store.isPlayed.value && (
        <div class="buttons">
          <code class="kov">{command}</code>
          <button type="button" onClick={() => copyText(command, command)}>
            copy
          </button>
        </div>
      )}
    </>
  );
}

function OfTrace({ of }: { of: string }): JSX.Element {
  return (
    <>
      <h2>{store.things.value.name(of)}</h2>
      <CallsOf of={of} />
    </>
  );
}

function Fact(props: { name: string; value: JSX.Element | string }): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

type Asked = { about: ObjectAnswer } | { error: string } | undefined;

/** Milliseconds until it asks again, because representatives and misses grow. */
const ASK_AGAIN_MS = 4000;

function useObject(of: string): Asked {
  const [asked, setAsked] = useState<Asked>();
  const phase = store.connection.value.phase;
  useEffect(() => {
    let wanted = true;
    const once = (): void => {
      ask({ what: "object", of }).then(
        (data) => wanted && setAsked({ about: readObject(data) }),
        (error) => wanted && setAsked({ error: String(error.message ?? error) }),
      );
    };
    if (phase !== "open") return;
    once();
    const timer = setInterval(once, ASK_AGAIN_MS);
    return () => {
      wanted = false;
      clearInterval(timer);
    };
  }, [of, phase]);
  return asked;
}

function AboutObject({ of }: { of: string }): JSX.Element {
  const asked = useObject(of);
  const thing = store.things.value.find(of);
  if (asked && "error" in asked) return <p class="error">{asked.error}</p>;
  const about = asked?.about;
  const [name, implementation] = splitClass(about?.class ?? "");
  const reps = about ? count(about.reps) : UNKNOWN;
  return (
    <dl class="facts">
      <Fact
        name="class"
        value={
          <ClassLink name={name || thing?.className || ""} of={thing ? classKey(thing) : ""} />
        }
      />
      <Fact
        name="implementation"
        value={about?.implementation || implementation || thing?.implementation || UNKNOWN}
      />
      <Fact name="of" value={<ThingLink of={`p:${thing?.pid ?? parseKey(of).pid ?? 0}`} />} />
      <Fact
        name="representatives"
        value={about?.class && !about.distributed ? `${reps} shared` : reps}
      />
      <Fact name="misses" value={count(about?.misses)} />
      <Fact
        name="size"
        value={about && Number.isFinite(about.size) ? `${count(about.size)} bytes` : UNKNOWN}
      />
      {about && about.parents.length > 0 && (
        <Fact name="part of" value={<Links of={about.parents} />} />
      )}
      {about && about.children.length > 0 && (
        <Fact name="parts" value={<Links of={about.children} />} />
      )}
    </dl>
  );
}

const LINKS_MOST = 12;

function Links({ of }: { of: readonly string[] }): JSX.Element {
  return (
    <>
      {of.slice(0, LINKS_MOST).map((key) => (
        <div key={key}>
          <ThingLink of={key} />
        </div>
      ))}
      {of.length > LINKS_MOST && <span class="dim">{of.length - LINKS_MOST} more</span>}
    </>
  );
}

function ThingLink({ of }: { of: string }): JSX.Element {
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        store.selection.value = of;
      }}
    >
      {store.things.value.name(of)}
    </button>
  );
}

function ClassLink({ name, of }: { name: string; of: string }): JSX.Element {
  if (!name) return <span>{UNKNOWN}</span>;
  return (
    <button
      type="button"
      class="link"
      onClick={() => {
        store.selection.value = of || `k:${name}`;
      }}
    >
      {name}
    </button>
  );
}

function AboutProcess({ of }: { of: string }): JSX.Element {
  const topic = useTopic({ kind: "processes" });
  const pid = parseKey(of).pid;
  const one: Process | undefined = useProcesses(topic).find((process) => process.pid === pid);
  return (
    <dl class="facts">
      <Fact name="pid" value={String(pid)} />
      <Fact name="state" value={one?.state || UNKNOWN} />
      <Fact name="CPU" value={Number.isFinite(one?.cpu) ? `${one?.cpu.toFixed(1)} %` : UNKNOWN} />
      <Fact
        name="memory"
        value={Number.isFinite(one?.memoryKb) ? `${count(one?.memoryKb)} KB` : UNKNOWN}
      />
      {one?.failure && <Fact name="not looked into" value={one.failure} />}
      <Fact name="page faults" value={count(one?.faults)} />
      <Fact name="calls" value={count(one?.calls)} />
      {one && Number.isFinite(one.parent) && (
        <Fact name="started by" value={<ThingLink of={`p:${one.parent}`} />} />
      )}
    </dl>
  );
}

/** Rates over the range, and the measure over time. */
function Rates({ of }: { of: string }): JSX.Element {
  const measure = store.measure.value;
  const topic = useTopic(measure !== "" ? { kind: "series", measure, of } : undefined);
  const heated = useTopic(
    measure !== "" ? { kind: "heat", measure, ...store.rangeSubscription.value } : undefined,
  );
  // A part of an object has a rate of its own.
  const isObject = parseKey(of).kind === "object";
  return (
    <>
      <dl class="facts">
        {topic && <Share of={of} heated={heated} />}
        {topic && (
          <Fact
            name={isObject ? `${measure}, its own` : measure}
            value={rateInRange(of, heated) ?? rate(topic)}
          />
        )}
      </dl>
      {topic && <SeriesGraph topic={topic} name={measure} />}
    </>
  );
}

/** Its own part of all that is not idle in the range, as Objects and Ranking have it. */
function Share(props: { of: string; heated: Topic | undefined }): JSX.Element | null {
  const { of } = props;
  const things = store.things.value;
  const rows = props.heated?.heat.rows;
  const own = rows?.get(things.find(of)?.number ?? 0);
  const { kind } = parseKey(of);
  if (!rows?.has(things.find("m")?.number ?? 0) || kind === "class" || kind === "idle") return null;
  const value = own
    ? withError(own.share, own.shareError, percent).join(" ").trimEnd()
    : `${UNKNOWN} no samples`;
  return <Fact name="share, its own" value={value} />;
}

const perSecond = (value: number): string => `${scaled(value)}/s`;

/** Returns the rate that Objects has, too. Undefined: heat has no rows of such a thing. */
function rateInRange(of: string, heated: Topic | undefined): string | undefined {
  const own = heated?.heat.rows.get(store.things.value.find(of)?.number ?? 0);
  if (!own || heated?.error) return undefined;
  if (own.samples === 0) return perSecond(own.value); // it was counted
  return withError(own.value, own.error, perSecond, plusMinusPart).join(" ").trimEnd();
}

function rate(topic: Topic): string {
  if (topic.error) return topic.error;
  const range = store.rangeInterval.value;
  const sum = summarize(topic.points, range?.from ?? 0, range?.to ?? Number.MAX_VALUE);
  if (sum.known === 0) return `${UNKNOWN} not measured in this range`;
  if (sum.error === 0) return perSecond(sum.mean);
  return withError(sum.mean, sum.error, perSecond, plusMinusPart).join(" ").trimEnd();
}

const valueAt = (points: Points, at: number): string =>
  `${clock(points.time[at], 0)}: ` +
  withError(points.value[at], points.error[at], perSecond, plusMinusPart).join(" ").trimEnd();

function SeriesGraph(props: { topic: Topic; name: string }): JSX.Element {
  const shown = store.axisInterval.value;
  const { points } = props.topic;
  const drag = useDrag();
  const range = drag.preview ?? store.rangeInterval.value;
  const at = pointAtCursor(points, shown);
  store.theme.value;
  return (
    <>
      <Canvas
        class="inspector-graph"
        label={`${props.name} of the selection, ${clock(shown.from, 0)} to ${clock(shown.to, 0)}`}
        draw={(context, size) => {
          const theme = readTheme();
          const width = Math.floor(size.width);
          const box = { x: 0, y: 4, width, height: size.height - 22 };
          const columns = reduce(points, shown, width);
          if (range && range.to - range.from < shown.to - shown.from - SECOND)
            drawInterval(context, box, shown, range, theme.accent);
          drawGraph(context, box, columns, topOf(columns), theme["series-2"], theme);
          drawTimeAxis(context, { ...box, y: size.height - 16, height: 16 }, shown, theme);
          drawCursor(context, box, shown, theme);
        }}
        on={{ ...drag.on, onKeyDown: (event) => moveCursor(points, event) }}
      />
      <div class="chart-words dim small" role="status">
        {at < 0 ? `0 … ${scaled(topOf(reduce(points, shown, 1)))}/s` : valueAt(points, at)}
      </div>
    </>
  );
}

function PinButton(): JSX.Element {
  const pin = pinOfSelection();
  const pinned = store.isPinned(pin);
  return (
    <button
      type="button"
      title="P"
      aria-pressed={pinned}
      disabled={pin.name === ""}
      onClick={() => {
        if (!store.togglePin(pin))
          store.addNotice(`The strip holds ${store.PINS_MOST} pins: take one away first`);
      }}
    >
      {pinned ? "Unpin" : "Pin"}
    </button>
  );
}

function FilterButton(props: { of: string; not: boolean }): JSX.Element {
  return (
    <button
      type="button"
      title={props.not ? "Shift+X" : "Shift+O"}
      onClick={() => store.addChip({ not: props.not, any: [props.of] })}
    >
      {props.not ? "Not this" : "Only this"}
    </button>
  );
}
