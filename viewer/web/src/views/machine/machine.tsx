// SPDX-License-Identifier: MIT
// Runs the machine: processes, workloads, console, the network's and server's account.

import type { JSX } from "preact";
import { UNKNOWN } from "../../base/number.ts";
import { clean } from "../../base/text.ts";
import { type Server, readServer } from "../../model/said.ts";
import { act } from "../../model/session.ts";
import * as store from "../../model/store.ts";
import { SureButton } from "../../widgets/sure_button.tsx";
import { useTopic } from "../use_topic.ts";
import { Console } from "./console.tsx";
import { Processes } from "./processes.tsx";
import { Workloads } from "./workloads.tsx";

export function Machine(): JSX.Element {
  return (
    <section class="view scrolls" aria-label="Machine">
      <Processes />
      <div class="panels">
        <Workloads />
        <Console />
        <Accounts />
      </div>
    </section>
  );
}

function Accounts(): JSX.Element {
  const topic = useTopic({ kind: "server" });
  const server = readServer(topic?.data);
  const state = store.machineState.value;
  return (
    <section class="panel" aria-label="Machine and server">
      <h2>Machine and server</h2>
      <Pairs
        name="machine"
        pairs={[
          ["address", clean(state?.address)],
          ["version", clean(state?.version)],
          ["boot", clean(state?.boot)],
        ]}
      />
      <Pairs name="network" pairs={server.network} />
      <Pairs name="server" pairs={server.server} />
      <Clients clients={server.clients} />
      {store.mayAct.value && (
        <SureButton
          title="Power off"
          sure="Power off, really?"
          act={() => void act({ do: "power_off" })}
        />
      )}
    </section>
  );
}

function Pairs(props: { name: string; pairs: readonly [string, string][] }): JSX.Element {
  return (
    <dl class="facts" aria-label={props.name}>
      {props.pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value || UNKNOWN}</dd>
        </div>
      ))}
    </dl>
  );
}

function Clients({ clients }: { clients: Server["clients"] }): JSX.Element {
  return (
    <table class="numbers">
      <caption>Clients of the machine</caption>
      <thead>
        <tr>
          <th scope="col">client</th>
          <th scope="col" class="words-cell">
            role
          </th>
          <th scope="col" class="words-cell">
            address
          </th>
          <th scope="col" class="words-cell">
            does
          </th>
        </tr>
      </thead>
      <tbody>
        {clients.map((one) => (
          <tr key={one.client}>
            <td>{one.client}</td>
            <td class="words-cell">{one.role}</td>
            <td class="words-cell">{one.address}</td>
            <td class="words-cell">{one.does || UNKNOWN}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
