// SPDX-License-Identifier: MIT
// The bottom line: rates, losses, how old the picture is, what this page may do.

import type { JSX } from "preact";
import { count, scaled } from "../../base/number.ts";
import type { Status } from "../../model/said.ts";
import * as store from "../../model/store.ts";
import { costTitle, costWords } from "../../model/watching.ts";

const minutes = (seconds: number): string =>
  Number.isFinite(seconds)
    ? `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`
    : "–";

const megabytes = (bytes: number): string =>
  Number.isFinite(bytes) ? (bytes / 2 ** 20).toFixed(0) : "–";

const milliseconds = (seconds: number): string =>
  Number.isFinite(seconds) ? `${(seconds * 1000).toFixed(0)} ms` : "–";

export function StatusLine(): JSX.Element {
  const status = store.status.value;
  const { bytes, lost } = status.recording;
  return (
    <footer class="status-line">
      <Loss
        text={`samples ${scaled(status.rate)}/s, lost ${count(status.lost)} since sampling began`}
        grows={store.losing.value.samples}
        title={`missed ${count(status.missed)}`}
      />
      <span>
        scan {Number.isFinite(status.scanAge) ? `${status.scanAge.toFixed(1)} s ago` : "–"},{" "}
        {milliseconds(status.scanSeconds)}
      </span>
      <span>
        history {minutes(status.historySeconds)}
        {Number.isFinite(status.historyLimitBytes) &&
          `, ${megabytes(status.historyBytes)} of ${megabytes(status.historyLimitBytes)} MB`}
      </span>
      {Number.isFinite(status.stacksMax) && (
        <Loss
          text={stackWords(status)}
          grows={store.losing.value.stacks}
          title="the history's table of stacks; samples of stacks without room have no function"
        />
      )}
      {Number.isFinite(bytes) && (
        <Loss
          text={`recorded ${megabytes(bytes)} MB, lost ${count(lost)}`}
          grows={store.losing.value.records}
          title="answers of the machine that the file has not"
        />
      )}
      {!store.isTrace.value && (
        <span title={costTitle(status.watching)} data-cost={status.watching.event}>
          {costWords(status.watching)}
          {status.watching.why && `: ${status.watching.why}`}
        </span>
      )}
      <span class="words-rest" />
      <span>{store.role.value}</span>
    </footer>
  );
}

const stackWords = (status: Status): string =>
  `stacks ${count(status.stacks)} of ${count(status.stacksMax)}` +
  (status.stacksRefused > 0 ? `, without room ${count(status.stacksRefused)} times` : "");

/** Red only while more is lost: what was lost once cannot be helped. */
function Loss(props: { text: string; grows: boolean; title?: string }): JSX.Element {
  return (
    <span class={props.grows ? "error" : undefined} title={props.title}>
      {props.text}
    </span>
  );
}
