// SPDX-License-Identifier: MIT
// The page begins here: token from the address, link into the store, connection, keys.

import { effect } from "@preact/signals";
import { render } from "preact";
import { forgetTheme } from "./draw/theme.ts";
import { keyOf, runKey } from "./model/commands.ts";
import { connect } from "./model/session.ts";
import * as store from "./model/store.ts";
import { readPlace, readToken, writePlace } from "./model/url.ts";
import { App } from "./views/app.tsx";
import { PROTOCOL } from "./wire/socket.ts";

const dial = (): WebSocket => new WebSocket(`ws://${location.host}/ws`, PROTOCOL);

/** Takes the token out of the address before anything is drawn. */
function takeToken(): string {
  const token = readToken(location.hash);
  if (token) {
    sessionStorage.setItem("token", token);
    history.replaceState(null, "", location.pathname);
  }
  return token ?? sessionStorage.getItem("token") ?? "";
}

/** Shares the token between tabs. A copied link has none, and a new gateway has another. */
function shareToken(token: string, take: (token: string) => void): void {
  const channel = new BroadcastChannel("orrery-token");
  channel.onmessage = ({ data }) => {
    if (data === "wanted") {
      const mine = sessionStorage.getItem("token");
      if (mine) channel.postMessage({ token: mine });
    } else if (
      typeof data?.token === "string" &&
      (["token", "refused"].includes(store.connection.value.phase) ||
        !sessionStorage.getItem("token"))
    ) {
      sessionStorage.setItem("token", data.token);
      take(data.token);
    }
  };
  channel.postMessage(token ? { token } : "wanted");
}

/** Writes the store into the address. Steps make a new entry; other changes replace it. */
function followPlace(): void {
  let viewBefore = store.view.value;
  let selectionBefore = store.selection.value;
  effect(() => {
    const hash = writePlace(store.place.value);
    if (hash === location.hash) return;
    const { view, selection } = store.place.value;
    const step = view !== viewBefore || selection !== selectionBefore;
    viewBefore = view;
    selectionBefore = selection;
    if (step) history.pushState(null, "", hash);
    else history.replaceState(null, "", hash);
  });
  addEventListener("popstate", () => {
    // A link with a token was opened where the page is already open.
    if (readToken(location.hash)) connect(dial, takeToken());
    else store.goTo(readPlace(location.hash));
  });
}

function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const target = event.target instanceof HTMLElement ? event.target : document.body;
    const inText = target.matches("input, textarea, select");
    const key = keyOf(event);
    if (inText && key === "Esc" && !store.dialog.value) {
      target.blur();
      return;
    }
    // Space holds wherever the focus is, and Enter presses the button that has it.
    if (runKey(key, inText)) event.preventDefault();
  });
}

function followTitle(): void {
  effect(() => {
    const name = store.machine.value;
    document.title = name ? `${name} – Orrery` : "Orrery";
  });
}

function followTheme(): void {
  const kept = localStorage.getItem("theme");
  if (kept === "dark" || kept === "light") store.theme.value = kept;
  effect(() => {
    const theme = store.theme.value;
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
    forgetTheme();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forgetTheme);
}

const token = takeToken();
store.goTo(readPlace(location.hash));
followTheme();
followTitle();
shareToken(token, (found) => connect(dial, found));
if (token) connect(dial, token);
else store.connection.value = { phase: "token" };
followPlace();
listenToKeys();
setInterval(() => store.listen(), 250);
const page = document.getElementById("page");
if (page) render(<App dial={dial} />, page);
