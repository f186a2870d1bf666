// SPDX-License-Identifier: MIT
// The dialogs: finding, what is counted, the range, the keys.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { best } from "../../base/fuzzy.ts";
import { count } from "../../base/number.ts";
import { clean } from "../../base/text.ts";
import { SECOND } from "../../base/time.ts";
import { COMMANDS, type Command } from "../../model/commands.ts";
import { act } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { type Thing, nameOf } from "../../model/things.ts";
import { Dialog } from "../../widgets/dialog.tsx";
import { sampleToo } from "./trouble.tsx";

const close = (): void => {
  store.dialog.value = "";
};

export function Dialogs(): JSX.Element | null {
  switch (store.dialog.value) {
    case "palette":
      return <Palette />;
    case "help":
      return <Help />;
    case "measure":
      return <MeasureChoice />;
    case "range":
      return <RangeChoice />;
    case "mark":
      return <MarkForm />;
    default:
      return null;
  }
}

interface Found {
  id: string;
  title: string;
  about: string;
  run: () => void;
}

const FOUND_MOST = 12;

const ofCommand = (one: Command): Found => ({
  id: one.id,
  title: one.title,
  about: one.keys.join(", "),
  run: one.run,
});

function ofThing(thing: Thing): Found {
  const process = thing.kind === "object" ? ` of ${store.things.value.processName(thing.pid)}` : "";
  return {
    id: thing.key,
    title: nameOf(thing),
    about: thing.kind + process,
    run: () => {
      store.selection.value = thing.key;
      store.inspectorOpen.value = true;
    },
  };
}

function* everything(): Iterable<Found> {
  for (const one of COMMANDS) if (!one.when || one.when()) yield ofCommand(one);
  for (const thing of store.things.value.all()) if (thing.kind !== "cpu") yield ofThing(thing);
}

function Palette(): JSX.Element {
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const found = best(wanted, everything(), (one) => `${one.title} ${one.about}`, FOUND_MOST);
  const chosen = Math.min(at, found.length - 1);
  const take = (one: Found | undefined): void => {
    close();
    one?.run();
  };
  return (
    <Dialog title="Find" close={close}>
      <input
        ref={field}
        role="combobox"
        aria-label="Object, class, process or command"
        aria-expanded={true}
        aria-controls="found"
        aria-activedescendant={chosen >= 0 ? `found-${chosen}` : undefined}
        value={wanted}
        maxLength={100}
        spellcheck={false}
        onInput={(event) => {
          setWanted(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, found.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
          else if (event.key === "Enter") take(found[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <div id="found" class="found" role="listbox" aria-label="Found">
        {found.map((one, i) => (
          <div
            key={one.id}
            id={`found-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            class={i === chosen ? "found-one chosen" : "found-one"}
            onClick={() => take(one)}
          >
            <span>{one.title}</span> <span class="dim">{one.about}</span>
          </div>
        ))}
        {found.length === 0 && <p class="dim">Nothing of that name.</p>}
      </div>
    </Dialog>
  );
}

const GROUPS: Record<Command["group"], string> = {
  views: "Views",
  show: "Show",
  time: "Time",
  choose: "Choose",
  give: "Take with you",
};

function Help(): JSX.Element {
  return (
    <Dialog title="Keys and commands" close={close}>
      <div class="help-groups">
        {Object.entries(GROUPS).map(([group, title]) => (
          <section key={group}>
            <h3>{title}</h3>
            <dl class="keys">
              {COMMANDS.filter((one) => one.group === group).map((one) => (
                <div key={one.id}>
                  <dt>
                    {one.keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{one.title}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="dim">
        In lists: arrows move, open and close; Enter opens. On the graphs: dragging chooses the
        range, Shift-drag moves, Ctrl-wheel zooms.
      </p>
      <button type="button" onClick={close}>
        Close
      </button>
    </Dialog>
  );
}

function MeasureChoice(): JSX.Element {
  const events = store.status.value.events;
  const choices = [
    ...events.map((one) => ({
      name: one.name,
      about: `${one.title}${Number.isFinite(one.period) ? `, every ${count(one.period)}th` : ""}`,
    })),
    { name: "drefs", about: "calls of objects, counted" },
    { name: "misses", about: "first uses of an object on a CPU, counted" },
  ];
  return (
    <Dialog title="What is counted" close={close}>
      <div class="choices">
        {choices.map((one) => (
          <button
            type="button"
            key={one.name}
            class={one.name === store.measure.value ? "choice chosen" : "choice"}
            aria-pressed={one.name === store.measure.value}
            onClick={() => {
              store.chooseMeasure(one.name);
              close();
            }}
          >
            <span>{one.name}</span> <span class="dim">{one.about}</span>
          </button>
        ))}
      </div>
      {store.mayAct.value ? (
        <>
          <PossibleEvents />
          <SampleForm />
        </>
      ) : (
        <p class="dim">{store.whyNoActs.value}</p>
      )}
    </Dialog>
  );
}

/** Events that are not sampled. One more can be added to those that are. */
function PossibleEvents(): JSX.Element | null {
  const others = store.status.value.possible.filter((one) => !store.isSampled(one));
  if (others.length === 0) return null;
  return (
    <>
      <h3>Not sampled yet</h3>
      <div class="choices row-of">
        {others.map((one) => (
          <button
            type="button"
            key={one}
            title={`Sample ${one} too`}
            onClick={async () => {
              if (!(await sampleToo(one))) return;
              store.chooseMeasure(one);
              close();
            }}
          >
            {one}
          </button>
        ))}
      </div>
    </>
  );
}

function SampleForm(): JSX.Element {
  const sampled = store.status.value.events
    .map((one) => (Number.isFinite(one.period) ? `${one.name}@${one.period}` : one.name))
    .join(",");
  return (
    <form
      class="line-form"
      onSubmit={async (event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("events");
        if (!(field instanceof HTMLInputElement)) return;
        if (await act({ do: "sample", text: field.value.trim() })) close();
      }}
    >
      <label>
        Sample: events, each with @ and a period{" "}
        <input name="events" defaultValue={sampled} maxLength={256} spellcheck={false} />
      </label>
      <button type="submit">Sample</button>
    </form>
  );
}

function MarkForm(): JSX.Element {
  const interval = store.rangeInterval.value;
  const seconds = interval ? ((interval.to - interval.from) / SECOND).toFixed(1) : "";
  return (
    <Dialog title="Mark the range" close={close}>
      <form
        class="line-form"
        onSubmit={(event) => {
          event.preventDefault();
          const field = event.currentTarget.elements.namedItem("name");
          if (!(field instanceof HTMLInputElement) || !interval) return;
          if (!store.addMark(field.value.trim(), interval))
            store.addNotice(`There are ${store.MARKS_MOST} marks already: M takes a range's away`);
          close();
        }}
      >
        <label>
          The name of these {seconds} seconds{" "}
          <input
            name="name"
            defaultValue={`mark ${store.ownMarks.value.length + 1}`}
            maxLength={40}
            spellcheck={false}
          />
        </label>
        <button type="submit">Mark</button>
      </form>
    </Dialog>
  );
}

const LIVE_SECONDS = [2, 10, 30, 60, 300];

function RangeChoice(): JSX.Element {
  const interval = store.rangeInterval.value;
  const initial = (time: number | undefined): string =>
    time === undefined ? "" : (time / SECOND).toFixed(1);
  const [trouble, setTrouble] = useState("");
  return (
    <Dialog title="The range" close={close}>
      <div class="choices row-of">
        {LIVE_SECONDS.map((seconds) => (
          <button
            type="button"
            key={seconds}
            onClick={() => {
              store.range.value = { live: seconds };
              store.axis.value = undefined;
              close();
            }}
          >
            live {seconds} s
          </button>
        ))}
      </div>
      <form
        class="line-form"
        onSubmit={(event) => {
          event.preventDefault();
          const numbers = ["from", "to"].map((name) => {
            const field = event.currentTarget.elements.namedItem(name);
            return field instanceof HTMLInputElement ? Number(field.value) * SECOND : Number.NaN;
          });
          const [from, to] = numbers;
          if (!(to > from)) {
            setTrouble("The range ends before it begins.");
            return;
          }
          store.showInterval({ from, to });
          close();
        }}
      >
        <label>
          from <input name="from" inputMode="decimal" defaultValue={initial(interval?.from)} />
        </label>
        <label>
          to <input name="to" inputMode="decimal" defaultValue={initial(interval?.to)} />
        </label>
        <span class="dim">seconds since the machine began</span>
        <button type="submit">Show</button>
      </form>
      {trouble && <p class="error">{trouble}</p>}
      {store.marks.value.length > 0 && (
        <div class="choices">
          {store.marks.value
            .filter((one) => !Number.isNaN(one.end))
            .slice(-8)
            .map((one) => (
              <button
                type="button"
                class="choice"
                key={`${one.name} ${one.begin}`}
                onClick={() => {
                  store.showInterval({ from: one.begin, to: one.end });
                  close();
                }}
              >
                {clean(one.name)}{" "}
                <span class="dim">{((one.end - one.begin) / SECOND).toFixed(1)} s</span>
              </button>
            ))}
        </div>
      )}
    </Dialog>
  );
}
