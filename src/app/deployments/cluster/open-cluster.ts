import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Log } from "../../../kit/log.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { removeProcess, reportProcess, type ServingProcess } from "../../../replication/postgres/processes.ts";
import { reconnectingClient } from "../../../replication/postgres/reconnecting-client.ts";
import { storeUnusable } from "../../../replication/postgres/store-unusable.ts";
import { prepareTables } from "../../../replication/postgres/tables.ts";
import { wantedProcess } from "./wanted-process.ts";

/** The processes that serve the same deployments. */
export interface Cluster {
  /** Whether this process should own a deployment; true as long as no other process is known. */
  readonly isWanted: (deployment: string) => boolean;
  readonly close: () => Promise<void>;
}

export interface ClusterNeeds {
  readonly store: string;
  readonly weight: () => number;
  /** The deployments that this process follows and of which it has every change. */
  readonly warm: () => readonly string[];
  /** Called when another process should own this deployment and is ready to take it over. */
  readonly onSuccessor: (deployment: string) => void;
  /** The deployments that this process owns. */
  readonly owned: () => readonly string[];
  readonly timers: Timers;
  readonly log: Log;
}

const reportEveryMs = 500;
/** A process that was not seen for this long does not count; its leases are over by then. */
const aliveMs = 3_000;
const timeoutMs = 5_000;

/** Reports this process to the others, and hands over the deployments that they should own. */
export async function openCluster(needs: ClusterNeeds): Promise<Cluster> {
  const { store, weight, warm, owned, onSuccessor, timers, log } = needs;
  if (!URL.canParse(store)) throw storeUnusable(null, store);
  const name = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const connection = reconnectingClient({ url: store, name: "crossdock process", timeoutMs });
  let alive: readonly ServingProcess[] = [];
  let isReached = true;
  let isClosed = false;
  let cancel = () => {};
  let reporting = Promise.resolve();

  const report = async () => {
    alive = await connection.request((client) =>
      reportProcess(client, { name, weight: weight(), warm: warm() }, aliveMs),
    );
    for (const deployment of owned()) {
      const wanted = wantedProcess(alive, deployment);
      if (wanted !== null && wanted.name !== name && wanted.warm.includes(deployment)) onSuccessor(deployment);
    }
  };
  const reportRegularly = () => {
    cancel = timers.after(reportEveryMs, () => {
      reporting = (async () => {
        try {
          await report();
          isReached = true;
        } catch (error) {
          if (isReached) log.warn({ err: error }, "the other processes are not known: PostgreSQL is not reached");
          isReached = false;
        }
        if (!isClosed) reportRegularly();
      })();
    });
  };

  try {
    await connection.request(prepareTables);
    await report();
  } catch (error) {
    await connection.close();
    throw storeUnusable(error, store);
  }
  reportRegularly();
  return {
    isWanted: (deployment) => {
      const wanted = wantedProcess(alive, deployment);
      return wanted === null || wanted.name === name;
    },
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
