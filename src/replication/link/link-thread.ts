import { EventEmitter } from "node:events";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { moduleUrl } from "../../kit/module-url.ts";
import type { Owner } from "../postgres/change-log.ts";
import type { DirectSettings, LinkSettings, LinkThreadSettings } from "./link-messages.ts";

/** A thread that talks to PostgreSQL for the deployments that this process owns. */
export interface LinkThread {
  /** Adds a deployment; returns the port by which its link is controlled. */
  readonly add: (settings: Omit<LinkSettings, "control" | "patienceMs">) => MessagePort;
  readonly patienceMs: number;
  /** How the writer of a deployment connects to PostgreSQL itself; null if the process has many deployments. */
  readonly direct: (owner: Owner) => DirectSettings | null;
  /** Calls back with the reason when the thread has ended; the returned function cancels that. */
  readonly onGone: (listener: (reason: string) => void) => () => void;
  readonly close: () => Promise<void>;
}

/** The thread of a process, which is started when it is needed, and again after a failure. */
export interface LinkThreads {
  readonly thread: () => LinkThread;
  readonly close: () => Promise<void>;
}

export function linkThreads(settings: LinkThreadSettings): LinkThreads {
  let current: LinkThread | null = null;
  return {
    thread: () => {
      if (current !== null) return current;
      const started = startLinkThread(settings);
      current = started;
      started.onGone(() => {
        if (current === started) current = null;
      });
      return started;
    },
    close: async () => {
      await current?.close();
    },
  };
}

export function startLinkThread(settings: LinkThreadSettings): LinkThread {
  const { url, name, patienceMs, connections } = settings;
  const worker = new Worker(moduleUrl("./link-worker", import.meta.url), { workerData: settings });
  // Every link of the thread listens, and stops to listen when it ends: a thread outlives thousands of links.
  const events = new EventEmitter().setMaxListeners(0);
  let gone: string | null = null;
  const end = (reason: string) => {
    if (gone !== null) return;
    gone = reason;
    events.emit("gone", reason);
  };
  worker.on("error", (error) => end(`the link to PostgreSQL failed: ${error.message}`));
  worker.on("exit", () => end("the link to PostgreSQL has stopped"));
  const onGone: LinkThread["onGone"] = (listener) => {
    if (gone === null) events.once("gone", listener);
    else listener(gone);
    return () => void events.off("gone", listener);
  };
  return {
    patienceMs,
    direct: (owner) =>
      // Many deployments would need as many connections.
      connections > 1 ? null : { url, name: `${name}, writer`, owner, timeoutMs: Math.min(patienceMs, owner.leaseMs) },
    onGone,
    add: (given) => {
      const { port1, port2 } = new MessageChannel();
      const link: LinkSettings = { ...given, patienceMs, control: port2 };
      worker.postMessage(link, [port2, given.port]);
      return port1;
    },
    close: async () => {
      worker.postMessage("end");
      await new Promise(onGone);
    },
  };
}
