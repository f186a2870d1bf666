// SPDX-License-Identifier: MIT
// The page: the frame around the chosen view.

import type { JSX } from "preact";
import * as store from "../model/store.ts";
import type { ViewName } from "../model/views.ts";
import type { Dial } from "../wire/socket.ts";
import { Banner, Notices, TokenPage } from "./frame/banner.tsx";
import { Dialogs } from "./frame/dialogs.tsx";
import { Header } from "./frame/header.tsx";
import { Inspector } from "./frame/inspector.tsx";
import { Replay } from "./frame/replay.tsx";
import { StatusLine } from "./frame/status_line.tsx";
import { Strip } from "./frame/strip.tsx";
import { Words } from "./frame/words.tsx";
import { Machine } from "./machine/machine.tsx";
import { Metrics } from "./metrics/metrics.tsx";
import { Objects } from "./objects/objects.tsx";
import { Ranking } from "./ranking/ranking.tsx";
import { Timeline } from "./timeline/timeline.tsx";
import { useTopic } from "./use_topic.ts";

const PICTURES: Record<ViewName, () => JSX.Element> = {
  objects: Objects,
  metrics: Metrics,
  ranking: Ranking,
  timeline: Timeline,
  machine: Machine,
};

export function App(props: { dial: Dial }): JSX.Element {
  const connection = store.connection.value;
  if (connection.phase === "token" || (connection.phase === "refused" && !connection.before))
    return <TokenPage dial={props.dial} />;
  const View = PICTURES[store.view.value];
  return (
    <>
      <Header />
      <Banner dial={props.dial} />
      <Standing />
      <Replay />
      {!store.isTrace.value && <Strip />}
      <Words />
      <main class={store.isStale.value ? "main stale" : "main"}>
        <View />
        {showsInspector() && <Inspector />}
      </main>
      <StatusLine />
      <Notices />
      <Dialogs />
    </>
  );
}

/**
 * A trace tells nothing of a process but its slices, and its calls if somebody wants them. Without
 * a selection the inspector has something to say only beside a list.
 */
const showsInspector = (): boolean =>
  store.inspectorOpen.value &&
  (!store.isTrace.value || store.showsCalls.value) &&
  (store.selection.value !== "" || ["objects", "ranking"].includes(store.view.value));

/** Watches as long as the page exists. The session puts what comes into the store. */
function Standing(): null {
  useTopic({ kind: "status" });
  useTopic({ kind: "marks" });
  return null;
}
