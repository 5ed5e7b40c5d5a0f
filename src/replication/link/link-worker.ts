import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import type { Client } from "pg";
import type { Change } from "../change.ts";
import { changesAfter, type Owner } from "../postgres/change-log.ts";
import { reconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { publishUrl, releaseOwnership, renewLease } from "../postgres/ownership.ts";
import { storeChange } from "../postgres/store-change.ts";
import type { FromLink, LinkAnswer, LinkCall, LinkSettings, Numbered, ToLink } from "./link-messages.ts";

if (parentPort === null) throw new Error("the link to PostgreSQL runs only as a worker thread");
const parent = parentPort;
// `open-link.ts` starts this thread with these settings.
const { url, deployment, port, isAnswered, renewedAt: sharedTime, patienceMs } = workerData as LinkSettings;
const flag = new Int32Array(isAnswered);
const send = (message: FromLink) => parent.postMessage(message);

const { request, close } = reconnectingClient({
  url,
  name: `crossdock ${deployment}`,
  timeoutMs: patienceMs,
});
// Connected before this process owns the deployment: nobody is served between the claim and the first renewal.
await request(async () => {}).catch(() => {
  // The renewal connects again.
});
send("prepared");
// The parent sends nothing else before this thread is ready.
const [{ begin: owner }] = (await once(parent, "message")) as [{ readonly begin: Owner }];
let lost: string | null = null;
/** When the last statement that renewed the lease was sent: PostgreSQL counts the lease from then on at the earliest. */
let renewedAt = 0;
const shared = new BigInt64Array(sharedTime);
const renewedSince = (sentAt: number) => {
  renewedAt = sentAt;
  Atomics.store(shared, 0, process.hrtime.bigint() - BigInt(Math.round((performance.now() - sentAt) * 1e6)));
};
let isBeating = false;
let isReleased = false;
/** Runs one statement at a time, in the order of the calls. */
let turn: Promise<unknown> = Promise.resolve();

const inTurn = <Done>(work: () => Promise<Done>): Promise<Done> => {
  const done = turn.then(work, work);
  turn = done.catch(() => {
    // The caller gets the error.
  });
  return done;
};

/** Runs a statement that renews the lease if this process still owns the deployment. */
async function renewing(work: (client: Client) => Promise<boolean>): Promise<boolean> {
  const sentAt = performance.now();
  const isOurs = await request(work);
  if (isOurs) renewedSince(sentAt);
  return isOurs;
}

async function append(change: Change): Promise<LinkAnswer> {
  const outcome = await storeChange({ owner, request, patienceMs, lost: () => lost, onRenewed: renewedSince }, change);
  if (outcome === "stored") return { stored: true };
  if ("lost" in outcome) lose(outcome.lost);
  return { refused: "lost" in outcome ? outcome.lost : outcome.refused, isDoubtful: outcome.isDoubtful };
}

function lose(reason: string): void {
  if (lost !== null) return;
  lost = reason;
  send({ lost: reason });
}

async function answerTo(call: LinkCall): Promise<LinkAnswer> {
  try {
    if ("append" in call) return await append(call.append);
    return { changes: await request((open) => changesAfter(open, owner.deployment, call.changesAfter)) };
  } catch (error) {
    return { refused: `PostgreSQL cannot be read: ${describe(error)}` };
  }
}

port.on("message", ({ id, content }: Numbered<LinkCall>) => {
  void inTurn(() => answerTo(content)).then((answer) => {
    port.postMessage({ id, content: answer } satisfies Numbered<LinkAnswer>);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
});

parent.on("message", (message: ToLink) => {
  if (message === "release") void release();
  else if (message === "end") void end();
  else if ("publish" in message)
    inTurn(() => request((open) => publishUrl(open, owner, message.publish))).catch((error) => lose(describe(error)));
});

async function release(): Promise<void> {
  clearInterval(beating);
  // If the deployment is lost there is nothing to release, and PostgreSQL may not answer.
  if (lost === null) {
    // Queued behind the last change, so nothing of this process is stored after the release.
    const released = inTurn(() => request((open) => releaseOwnership(open, owner)));
    lost = `the deployment ${deployment} was released`;
    isReleased = true;
    await released.catch(() => {
      // The lease ends by itself.
    });
  }
  send("released");
}

async function end(): Promise<void> {
  // A lost deployment may mean that PostgreSQL does not answer.
  if (isReleased) await close();
  process.exit();
}

const takenOver = `the deployment ${owner.deployment} was taken over by another process`;
// The lease of the takeover is longer than the one that is kept from here on.
await inTurn(() => renewingWithRetries()).then(
  (isOurs) => {
    if (!isOurs) lose(takenOver);
  },
  (error) => lose(`the lease could not be renewed: ${describe(error)}`),
);

/** The connection may have broken since it was prepared, so one failure says little. */
async function renewingWithRetries(): Promise<boolean> {
  const renew = () => renewing((open) => renewLease(open, owner));
  try {
    return await renew();
  } catch {
    return await renew();
  }
}

/** Writes renew the lease as well; this does it while nothing is written. */
const beating = setInterval(() => {
  const silentMs = performance.now() - renewedAt;
  if (silentMs > owner.leaseMs) lose(`the lease could not be renewed for ${Math.round(silentMs)} ms`);
  if (silentMs < owner.leaseMs / 4 || isBeating || lost !== null) return;
  isBeating = true;
  inTurn(() => renewing((open) => renewLease(open, owner)))
    .then((isOurs) => {
      if (!isOurs) lose(takenOver);
    })
    .catch(() => {
      // The next beat tries again, until the lease is over.
    })
    .finally(() => {
      isBeating = false;
    });
}, owner.leaseMs / 8);

send("ready");

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
