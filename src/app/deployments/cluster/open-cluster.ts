import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "pg";
import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { reconnectingClient } from "../../../replication/postgres/connection/reconnecting-client.ts";
import { whileBusy } from "../../../replication/postgres/connection/while-busy.ts";
import { prepareTables, unsafeSettings } from "../../../replication/postgres/prepare-tables.ts";
import {
  removeProcess,
  reportProcess,
  type ServingProcess,
  servedDeployments,
} from "../../../replication/postgres/processes.ts";
import { sharedSecret } from "../../../replication/postgres/shared-secret.ts";
import { storeUnusable } from "../../../replication/postgres/store-unusable.ts";
import type { Together } from "../missing/missing-among.ts";
import { choiceAmong, numberIn, takenDeployments, takerOf } from "./taken-deployments.ts";

/** The processes that serve the same deployments. */
export interface Cluster {
  /** The name of this process. Owners of this process have names that begin with it and a slash. */
  readonly name: string;
  /** Whether this process should own a deployment; true as long as no other process is known. */
  readonly isWanted: (deployment: string) => boolean;
  /** Whether a person chose the process that should own it. */
  readonly isTaken: (deployment: string) => boolean;
  /** A person wants this process to own the deployment, until it stops or another process is given it. */
  readonly take: (deployment: string) => void;
  /** Takes that back. */
  readonly withdraw: (deployment: string) => void;
  /** What became of that: the other processes know it; they may not know it yet; or another process was given it later. */
  readonly taking: (deployment: string) => "known" | "not-known" | "lost";
  /** Why PostgreSQL did not answer the last report, and since when it does not; null if it did. */
  readonly trouble: () => string | null;
  /** Whether this process should take the deployment over, because the process of its owner is about to stop. */
  readonly isHeir: (deployment: string, owner: string) => boolean;
  /** Whether another process follows the deployment, so that it will be able to take it over. */
  readonly hasFollower: (deployment: string) => boolean;
  /** A process that should own the deployment, among the others that have an address and are not about to stop. */
  readonly otherProcess: (deployment: string) => { readonly name: string; readonly url: string } | null;
  /** What all processes serve, as PostgreSQL says it now. */
  readonly served: () => Promise<Together>;
  /** The secret that all processes of this PostgreSQL know. */
  readonly secret: string;
  /** Whether another process is there that is not about to stop. */
  readonly hasOthers: () => boolean;
  /** Tells the others that this process is about to stop, so that they take its deployments over. */
  readonly leave: () => void;
  readonly isLeaving: () => boolean;
  readonly close: () => Promise<void>;
}

export interface ClusterNeeds {
  readonly store: string;
  readonly weight: () => number;
  /** The deployments that this process could take over at once, and those that it follows. */
  readonly standby: () => Pick<ServingProcess, "warm" | "follows">;
  /** What else the others are told of this process. */
  readonly about: () => Pick<ServingProcess, "lacks" | "hosts" | "url">;
  /** Whether the deployment is open in this process. */
  readonly isOpen: (deployment: string) => boolean;
  /** The deployments that this process owns. Those that are not `placed` are moved only when it is about to stop. */
  readonly owned: () => readonly { readonly name: string; readonly isPlaced: boolean }[];
  /**
   * Called when another process, named second, should own this deployment and is ready to take it over. The number is
   * another one if a person wanted it anew; 0 if nobody did.
   */
  readonly onSuccessor: (deployment: string, successor: string, number: number) => void;
  /** Called when the processes are known anew. */
  readonly onReport: () => void;
  /** Whether something is about to be moved, so that the processes should hear of each other soon. */
  readonly isMoving: () => boolean;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
}

const reportEveryMs = 500;
/** While deployments are moved. */
const reportSoonMs = 50;
const timeoutMs = 5_000;

/** Reports this process to the others, and hands over the deployments that they should own. */
export async function openCluster(needs: ClusterNeeds): Promise<Cluster> {
  const { store, weight, standby, owned, onSuccessor, timers, log } = needs;
  if (!URL.canParse(store)) throw storeUnusable(null, store);
  const name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const connection = reconnectingClient({ url: store, name: "crossdock process", timeoutMs });
  let alive: readonly ServingProcess[] = [];
  const taken = takenDeployments();
  let trouble: string | null = null;
  let isLeaving = false;
  let isClosed = false;
  let cancel = () => {};
  let reporting = Promise.resolve();
  let secret: string;

  const report = async () => {
    const given = taken.list(needs.isOpen);
    const own = { name, weight: isLeaving ? 0 : weight(), ...standby(), ...needs.about(), taken: given };
    alive = await connection.request((client) => reportProcess(client, own));
    // Another process was given it later.
    for (const one of given) if (takerOf(alive, one.name)?.name !== name) taken.withdraw(one.name, one.number);
    needs.onReport();
    for (const { name: deployment, isPlaced } of owned()) {
      const number = numberIn(takerOf(alive, deployment)?.taken ?? [], deployment);
      if (!isPlaced && number === 0 && !isLeaving) continue;
      const successor = isLeaving ? heirOf(deployment) : choiceAmong(alive, deployment);
      if (successor !== null && successor.name !== name && successor.warm.includes(deployment))
        onSuccessor(deployment, successor.name, number);
    }
  };
  /** The process that should own the deployment, among those that follow it and are not about to stop. */
  const heirOf = (deployment: string) =>
    choiceAmong(
      alive.filter((one) => one.weight > 0 && one.name !== name && one.follows.includes(deployment)),
      deployment,
    );
  const reportRegularly = () => {
    cancel = timers.after(isLeaving || needs.isMoving() ? reportSoonMs : reportEveryMs, () => {
      reporting = reportOnce();
    });
  };
  const reportOnce = async () => {
    try {
      await report();
      trouble = null;
    } catch (error) {
      if (trouble === null) log.warn({ err: error }, "the other processes are not known: PostgreSQL is not reached");
      trouble ??= `${storeUnusable(error, store).message} (since ${new Date(needs.clock.now()).toISOString()})`;
    }
    if (!isClosed) reportRegularly();
  };

  try {
    const notices = await whileBusy(() => connection.request(prepareStore), timers);
    for (const text of notices) log.warn({ notice: `${text}.` }, "the store reports");
    secret = await whileBusy(() => connection.request(sharedSecret), timers);
    await whileBusy(report, timers);
  } catch (error) {
    await connection.close();
    throw storeUnusable(error, store);
  }
  reportRegularly();
  return {
    name,
    isWanted: (deployment) => {
      const wanted = choiceAmong(alive, deployment);
      return wanted === null || wanted.name === name;
    },
    isTaken: (deployment) => takerOf(alive, deployment) !== null,
    taking: (deployment) => {
      if (!taken.has(deployment)) return "lost";
      return takerOf(alive, deployment)?.name === name ? "known" : "not-known";
    },
    trouble: () => trouble,
    take: (deployment) => taken.take(deployment, alive),
    withdraw: taken.withdraw,
    isHeir: (deployment, owner) => {
      if (!alive.some((one) => one.weight === 0 && owner.startsWith(`${one.name}/`))) return false;
      const candidates = alive.filter((one) => one.weight > 0 && one.follows.includes(deployment));
      return choiceAmong(candidates, deployment)?.name === name;
    },
    otherProcess: (deployment) => {
      const others = alive.flatMap((one) =>
        one.url === null || one.weight === 0 || one.name === name ? [] : [{ ...one, url: one.url }],
      );
      return choiceAmong(others, deployment);
    },
    served: async () => ({
      processes: alive.filter((one) => one.name !== name),
      served: (await connection.request((client) => servedDeployments(client))).filter(
        ({ owner }) => !owner.startsWith(`${name}/`),
      ),
    }),
    secret,
    hasOthers: () => alive.some((one) => one.weight > 0 && one.name !== name),
    hasFollower: (deployment) => heirOf(deployment) !== null,
    leave: () => {
      isLeaving = true;
    },
    isLeaving: () => isLeaving,
    close: async () => {
      isClosed = true;
      cancel();
      await reporting;
      await connection
        .request((client) => removeProcess(client, name))
        .catch(() => {
          // The other processes notice that this one is gone.
        });
      await connection.close();
    },
  };
}

/** Done once for all deployments of the process. Returns what people should know about PostgreSQL's settings. */
async function prepareStore(client: Client): Promise<readonly string[]> {
  await prepareTables(client);
  return await unsafeSettings(client);
}
