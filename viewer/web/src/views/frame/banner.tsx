// SPDX-License-Identifier: MIT
// What is shown on top while a connection is missing, and what the gateway tells people.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { clock } from "../../base/time.ts";
import { clean } from "../../base/text.ts";
import * as store from "../../model/store.ts";
import { connect, retry } from "../../model/session.ts";
import type { Dial } from "../../wire/socket.ts";

export function Banner(props: { dial: Dial }): JSX.Element | null {
  const connection = store.connection.value;
  const state = store.machineState.value;
  if (connection.phase === "refused")
    return (
      <Line
        text={
          "kov serve was started again, and its tokens are new: what is shown is from before. " +
          "Open the link that it prints now, or put it here."
        }
      >
        <TokenForm dial={props.dial} />
      </Line>
    );
  if (connection.phase === "lost")
    return <LostGateway tries={connection.tries} again={connection.again} />;
  if (connection.phase === "connecting") return <Line text="Connecting …" />;
  if (!state) return null;
  // The message itself asks whether it is running.
  const why = state.message ? `: ${clean(state.message)}` : "";
  const tries = `${state.tries} tries`;
  if (state.state === "waiting")
    return (
      <Line
        text={`Waiting for ${clean(state.address)}, ${tries}${why || ". Is it running?"}`}
        command={why ? undefined : "make run"}
      />
    );
  if (state.state === "lost")
    return (
      <Line
        text={
          (state.panic
            ? `${clean(state.machine)} panicked. ${clean(state.panic)}; `
            : `No connection to ${clean(state.machine)}, ${tries}; `) +
          `what is shown is as it was at ${clock(store.now.value)}${state.panic ? "" : why}`
        }
      />
    );
  if (state.state === "ended")
    return (
      <Line
        text={
          `${clean(state.of)} was started again: this is its boot before, ` +
          (state.panic ? `which panicked. ${clean(state.panic)}; ` : "") +
          `as it was at ${clock(store.now.value)}.`
        }
      >
        <button type="button" onClick={() => store.chooseMachine(state.of ?? "")}>
          Its boot now
        </button>
      </Line>
    );
  if (store.silence.value > 0)
    return (
      <Line
        text={
          `${clean(state.machine)} has not answered for ${store.silence.value} s; ` +
          `what is shown is as it was at ${clock(store.now.value)}.`
        }
      />
    );
  if (state.state === "played" && state.message)
    return <Line text={`${clean(state.address)}: ${clean(state.message)}`} />;
  return null;
}

function Line(props: { text: string; command?: string; children?: JSX.Element }): JSX.Element {
  return (
    <div class="banner" role="alert">
      {props.text} {props.command && <code>{props.command}</code>} {props.children}
    </div>
  );
}

function LostGateway(props: { tries: number; again: number }): JSX.Element {
  const left = (): number => Math.max(0, Math.ceil((props.again - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left());
  useEffect(() => {
    setSeconds(left());
    const timer = setInterval(() => setSeconds(left()), 500);
    return () => clearInterval(timer);
  }, [props.again]);
  return (
    <Line text={`No connection to kov serve: try ${props.tries + 1} in ${seconds} s.`}>
      <button type="button" onClick={retry}>
        Try now
      </button>
    </Line>
  );
}

export function Notices(): JSX.Element {
  return (
    <div class="notices" role="log" aria-live="polite" aria-label="Notices">
      {store.notices.value.map((notice) => (
        <NoticeLine key={notice.text} notice={notice} />
      ))}
    </div>
  );
}

const SHOWN_MS = 6000;

function NoticeLine({ notice }: { notice: store.Notice }): JSX.Element {
  // A notice that is no warning goes by itself.
  useEffect(() => {
    if (notice.warning) return;
    const timer = setTimeout(() => store.dropNotice(notice), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class={notice.warning ? "notice warning" : "notice"}>
      {notice.warning && <strong>Note: </strong>}
      {notice.text}
      {notice.count > 1 ? ` (${notice.count} times)` : ""}
      <button
        type="button"
        class="plain"
        aria-label="Take the notice away"
        onClick={() => store.dropNotice(notice)}
      >
        ×
      </button>
    </div>
  );
}

/** Replaces the page: there is no token, or the gateway refuses it. */
export function TokenPage(props: { dial: Dial }): JSX.Element {
  const connection = store.connection.value;
  return (
    <main class="token">
      <h1>Orrery</h1>
      {connection.phase === "refused" && <p class="error">Refused: {connection.why}</p>}
      <p>
        This page needs the link that <code>kov serve</code> prints. Open that link, or put its
        token here.
      </p>
      <TokenForm dial={props.dial} />
    </main>
  );
}

function TokenForm(props: { dial: Dial }): JSX.Element {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("token");
        if (!(field instanceof HTMLInputElement)) return;
        const token = (/[#&]t=([\w-]+)/.exec(field.value)?.[1] ?? field.value).trim();
        if (!token) return;
        sessionStorage.setItem("token", token);
        connect(props.dial, token);
      }}
    >
      <label>
        Token or link <input name="token" type="password" autocomplete="off" />
      </label>
      <button type="submit">Connect</button>
    </form>
  );
}
