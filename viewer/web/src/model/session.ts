// SPDX-License-Identifier: MIT
// The one connection of the page. What the gateway sends goes into the store and the topics.

import { batch } from "@preact/signals";
import { clean } from "../base/text.ts";
import type { ClientAct, ClientAsk, GatewayMachine, GatewayMessage } from "../wire/messages.ts";
import { type Dial, Socket } from "../wire/socket.ts";
import * as store from "./store.ts";
import { Topics } from "./topics.ts";

let socket: Socket | undefined;
let lastId = 0;
const nextId = (): number => ++lastId;

export const topics = new Topics((message) => socket?.send(message), nextId);

interface Pending {
  done: (data: Record<string, unknown>) => void;
  failed: (why: Error) => void;
}
const pending = new Map<number, Pending>();

export function connect(dial: Dial, token: string): void {
  socket?.end();
  store.connection.value = { phase: "connecting" };
  socket = new Socket(dial, token, {
    welcome: (message) => {
      batch(() => {
        store.connection.value = { phase: "open" };
        store.role.value = clean(message.role);
        store.machineSpoke();
        store.machines.value = (message.machines ?? []).map(clean);
        if (!store.machines.value.includes(store.machine.value))
          store.machine.value = store.machines.value[0] ?? "";
      });
      topics.watchAgain();
    },
    message: take,
    frame: (frame) => topics.find(frame.head.topic)?.take(frame),
    lost: (tries, pause) => {
      store.connection.value = { phase: "lost", tries, again: Date.now() + pause };
      failAll("the connection was lost");
    },
    refused: (why) => {
      store.connection.value = {
        phase: "refused",
        why: clean(why),
        before: store.role.value !== "",
      };
      failAll("the connection was refused");
    },
  });
}

export const retry = (): void => socket?.retry();

function failAll(why: string): void {
  for (const one of pending.values()) one.failed(new Error(why));
  pending.clear();
}

function take(message: GatewayMessage): void {
  switch (message.type) {
    case "machine":
      takeMachine(message);
      break;
    case "names":
      store.thingsOf(message.machine).add(message);
      store.thingsVersion.value++;
      break;
    case "notice":
      store.addNotice(message.message, message.count ?? 1, message.warning ?? true);
      break;
    case "state": {
      const topic = topics.find(message.id);
      if (!topic) break;
      topic.data = message.data;
      topic.error = "";
      if (topic.machine === store.machine.value) {
        if (topic.subscription.kind === "status") {
          store.takeStatus(message.data);
          store.machineSpoke();
        } else if (topic.subscription.kind === "marks") store.marksSaid.value = message.data;
      }
      topic.changed();
      break;
    }
    case "answer":
      pending.get(message.id)?.done(message.data ?? {});
      pending.delete(message.id);
      break;
    case "error":
    case "stopped": {
      pending.get(message.id)?.failed(new Error(clean(message.message)));
      pending.delete(message.id);
      const topic = topics.find(message.id);
      if (!topic) break;
      topic.error = clean(message.message);
      topic.changed();
      break;
    }
  }
}

// Another boot has other things and another time axis.
function takeMachine(message: GatewayMachine): void {
  const before = store.machineStates.value.get(message.machine);
  if (before?.boot && message.boot && before.boot !== message.boot) {
    store.forgetThings(message.machine);
    topics.forget(message.machine);
    store.addNotice(
      message.of
        ? `Of ${message.of} an earlier boot was kept, which is gone`
        : `${message.machine} was started again: times begin anew. The boot before is above`,
      1,
      false,
    );
    if (message.machine === store.machine.value)
      store.goTo({ ...store.place.value, range: undefined, baseline: undefined, marks: [] });
  }
  // The banner is about the machine that is shown.
  if (
    before?.state === "live" &&
    message.state === "lost" &&
    message.machine !== store.machine.value
  )
    store.addNotice(`No connection to ${message.machine}`);
  batch(() => {
    store.machineStates.value = new Map(store.machineStates.value).set(message.machine, message);
    if (message.machine === store.machine.value) {
      store.machineSpoke();
      store.showTrace();
    }
    store.findBoot();
  });
}

type WithoutId<Message extends { id: number; type: string }> = Omit<
  Message,
  "id" | "type" | "machine"
>;

function request(message: ClientAsk | ClientAct): Promise<Record<string, unknown>> {
  return new Promise((done, failed) => {
    if (!socket?.send(message)) failed(new Error("there is no connection"));
    else pending.set(message.id, { done, failed });
  });
}

export const ask = (what: WithoutId<ClientAsk>): Promise<Record<string, unknown>> =>
  request({ type: "ask", id: nextId(), machine: store.machine.value, ...what });

/** Does something. A failure becomes a notice. */
export async function act(what: WithoutId<ClientAct>): Promise<boolean> {
  try {
    await request({ type: "act", id: nextId(), machine: store.machine.value, ...what });
    return true;
  } catch (error) {
    store.addNotice(error instanceof Error ? error.message : String(error));
    return false;
  }
}
