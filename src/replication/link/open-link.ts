import { once } from "node:events";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { Owner } from "../postgres/change-log.ts";
import type { FromLink, LinkSettings, ReplicaOptions, ToLink } from "./link-messages.ts";

/** The owner's connection to PostgreSQL: it stores the writer's commits there and keeps the lease. */
export interface Link {
  /** The replica for the journal's writer. */
  readonly replica: { readonly module: URL; readonly options: ReplicaOptions; readonly port: MessagePort };
  /** Tells the other processes the address of this one, and its settings of the projection. */
  readonly publish: (url: string, settings?: unknown) => void;
  /** Whether the lease is certainly still valid at this moment, even right after this process was paused. */
  readonly isOurs: () => boolean;
  /** Settles with the reason when this process no longer owns the deployment. */
  readonly lost: Promise<string>;
  /**
   * Releases the deployment, so that another process can own it. Settles when PostgreSQL knows; nothing more can be
   * stored.
   */
  readonly release: () => Promise<void>;
  /** Ends the thread, after a release. */
  readonly end: () => Promise<void>;
}

/** A thread that is connected to PostgreSQL and waits until this process owns the deployment. */
export interface PreparedLink {
  readonly begin: (owner: Owner) => Promise<Link>;
  /** Ends the thread, if this process does not become the owner. */
  readonly discard: () => Promise<void>;
}

export interface LinkNeeds {
  readonly url: string;
  readonly deployment: string;
  /** How long a commit is retried before it is refused. */
  readonly patienceMs: number;
}

/** The writer waits this much longer than the link itself, because the link knows better why something failed. */
const graceMs = 5_000;

/**
 * Opens the connection in a thread of its own, because the writer's thread sleeps while PostgreSQL stores its commit.
 */
export async function prepareLink({ url, deployment, patienceMs }: LinkNeeds): Promise<PreparedLink> {
  const { port1, port2 } = new MessageChannel();
  const isAnswered = new SharedArrayBuffer(4);
  const renewedAt = new SharedArrayBuffer(8);
  const since = new BigInt64Array(renewedAt);
  const settings: LinkSettings = { url, deployment, port: port1, isAnswered, renewedAt, patienceMs };
  const worker = new Worker(moduleUrl("./link-worker", import.meta.url), {
    workerData: settings,
    transferList: [port1],
  });
  const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
  const { promise: released, resolve: markReleased } = Promise.withResolvers<void>();
  worker.on("message", (message: FromLink) => {
    if (message === "released") markReleased();
    else if (typeof message === "object") lose(message.lost);
  });
  worker.on("error", (error) => lose(`the link to PostgreSQL failed: ${error.message}`));
  worker.on("exit", () => {
    markReleased();
    lose("the link to PostgreSQL has stopped");
  });
  await once(worker, "message");
  const send = (message: ToLink) => worker.postMessage(message);
  const link = (leaseNs: bigint): Link => ({
    replica: {
      module: replicaModule,
      options: { port: port2, isAnswered, patienceMs: 2 * patienceMs + graceMs },
      port: port2,
    },
    publish: (address, settings = {}) => send({ publish: { url: address, settings: JSON.stringify(settings) } }),
    isOurs: () => process.hrtime.bigint() - Atomics.load(since, 0) < leaseNs,
    lost,
    release: async () => {
      send("release");
      await released;
    },
    end: async () => {
      const exited = worker.threadId === -1 ? null : once(worker, "exit");
      send("end");
      await exited;
    },
  });
  return {
    begin: async (owner) => {
      const isReady = once(worker, "message");
      send({ begin: owner });
      await Promise.race([isReady, lost]);
      return link(BigInt(owner.leaseMs) * 1_000_000n);
    },
    discard: async () => {
      await worker.terminate();
    },
  };
}

/** The module by which the journal's writer talks to the link. */
export const replicaModule = moduleUrl("./replica", import.meta.url);

export async function openLink({ owner, ...needs }: Omit<LinkNeeds, "deployment"> & { readonly owner: Owner }) {
  const prepared = await prepareLink({ ...needs, deployment: owner.deployment });
  return await prepared.begin(owner);
}
