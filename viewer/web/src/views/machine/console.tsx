// SPDX-License-Identifier: MIT
// The machine's console; controllers write to it.

import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { cleanOutput } from "../../base/text.ts";
import { act } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { useTopic } from "../use_topic.ts";

/** The console goes along when it is nearer to the end than this. */
const NEAR_END = 40;

export function Console(): JSX.Element {
  const topic = useTopic({ kind: "console" });
  const output = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  const text = cleanOutput(topic?.output ?? "");
  useLayoutEffect(() => {
    if (output.current && follows.current) output.current.scrollTop = output.current.scrollHeight;
  }, [text]);
  return (
    <section class="panel" aria-label="Console">
      <h2>Console</h2>
      <pre
        class="console"
        ref={output}
        role="log"
        aria-label="Output of the console"
        tabIndex={0}
        onScroll={(event) => {
          const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
          follows.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
        }}
      >
        {text || topic?.error || "Nothing was printed yet."}
      </pre>
      {store.mayAct.value ? (
        <form
          class="console-input"
          onSubmit={async (event) => {
            event.preventDefault();
            const form = event.currentTarget;
            const field = form.elements.namedItem("line");
            if (!(field instanceof HTMLInputElement)) return;
            follows.current = true;
            if (await act({ do: "console", text: `${field.value}\n` })) form.reset();
          }}
        >
          <input
            name="line"
            aria-label="Input of the console"
            maxLength={200}
            spellcheck={false}
            autocomplete="off"
          />
          <button type="submit">Send</button>
        </form>
      ) : (
        <p class="dim">{store.whyNoActs.value}</p>
      )}
    </section>
  );
}
