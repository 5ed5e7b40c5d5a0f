import { MessageChannel, type MessagePort } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { Owner } from "../postgres/change-log.ts";
import { callState, type FromLink, isLeased, type ReplicaOptions, type ToLink } from "./link-messages.ts";
import { type LinkThread, startLinkThread } from "./link-thread.ts";

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
  /** Ends the link, after a release. */
  readonly end: () => Promise<void>;
}

/** A link that is connected to PostgreSQL and waits until this process owns the deployment. */
export interface PreparedLink {
  readonly begin: (owner: Owner) => Promise<Link>;
  /** Ends the link, if this process does not become the owner. */
  readonly discard: () => Promise<void>;
}

/** The writer waits this much longer than the link itself, because the link knows better why something failed. */
const graceMs = 5_000;

/**
 * Adds a deployment to the thread that talks to PostgreSQL and keeps the leases. That is never the writer's own thread,
 * which may be busy with a commit for longer than a lease.
 */
export async function prepareLink(thread: LinkThread, deployment: string): Promise<PreparedLink> {
  const { port1, port2 } = new MessageChannel();
  const calls = new SharedArrayBuffer(8);
  const renewedAt = new SharedArrayBuffer(8);
  const control = thread.add({ deployment, port: port1, callState: calls, renewedAt });
  const { promise: lost, resolve: lose } = Promise.withResolvers<string>();
  const { promise: prepared, resolve: markPrepared } = Promise.withResolvers<void>();
  const { promise: ready, resolve: markReady } = Promise.withResolvers<void>();
  const { promise: released, resolve: markReleased } = Promise.withResolvers<void>();
  const { promise: ended, resolve: markEnded } = Promise.withResolvers<void>();
  control.on("message", (message: FromLink) => {
    if (message === "prepared") markPrepared();
    else if (message === "ready") markReady();
    else if (message === "released") markReleased();
    else if (message === "ended") finish("the link to PostgreSQL has ended");
    else lose(message.lost);
  });
  const finish = (reason: string) => {
    forgetThread();
    control.close();
    lose(reason);
    // A writer that waits for an answer would sleep on, and with it all journals of its thread.
    const state = new Int32Array(calls);
    Atomics.store(state, 0, callState.over);
    Atomics.store(state, 1, 1);
    for (const index of [0, 1]) Atomics.notify(state, index);
    for (const mark of [markPrepared, markReleased, markEnded]) mark();
  };
  let forgetThread = () => {};
  forgetThread = thread.onGone(finish);
  await prepared;
  const send = (message: ToLink) => control.postMessage(message);
  const end = async () => {
    send("end");
    await ended;
  };
  const link = (owner: Owner): Link => ({
    replica: {
      module: replicaModule,
      options: {
        ...{ port: port2, callState: calls, patienceMs: 2 * thread.patienceMs + graceMs },
        ...{ renewedAt, leaseMs: owner.leaseMs, direct: thread.direct(owner) },
      },
      port: port2,
    },
    publish: (address, settings = {}) => send({ publish: { url: address, settings: JSON.stringify(settings) } }),
    isOurs: () => isLeased({ renewedAt, leaseMs: owner.leaseMs }),
    lost,
    release: async () => {
      send("release");
      await released;
    },
    end,
  });
  return {
    begin: async (owner) => {
      send({ begin: owner });
      await Promise.race([ready, lost]);
      return link(owner);
    },
    discard: end,
  };
}

/** The module by which the journal's writer talks to the link. */
export const replicaModule = moduleUrl("./replica", import.meta.url);

/** A link in a thread of its own. */
export async function openLink(given: {
  readonly url: string;
  readonly patienceMs: number;
  readonly owner: Owner;
}): Promise<Link> {
  const { url, patienceMs, owner } = given;
  const thread = startLinkThread({ url, patienceMs, name: `crossdock ${owner.deployment}`, connections: 1 });
  const link = await (await prepareLink(thread, owner.deployment)).begin(owner);
  return {
    ...link,
    end: async () => {
      await link.end();
      await thread.close();
    },
  };
}
