import { once } from "node:events";
import type { Client } from "pg";
import type { Change } from "../change.ts";
import { changesAfter, type Owner } from "../postgres/change-log.ts";
import type { ReconnectingClient } from "../postgres/connection/reconnecting-client.ts";
import { publishUrl, releaseOwnership, renewLease } from "../postgres/ownership.ts";
import { storeChange } from "../postgres/store-change.ts";
import {
  callState,
  type FromLink,
  type LinkAnswer,
  type LinkCall,
  type LinkSettings,
  type Numbered,
  noteRenewed,
  sinceRenewedMs,
  type ToLink,
} from "./link-messages.ts";

/** The connection is used at least once in so many leases. */
const mostIdleLeases = 4;

/** Keeps one deployment in this thread: stores its commits and renews its lease. A thread may keep several. */
export async function hostLink(settings: LinkSettings, request: ReconnectingClient["request"]): Promise<void> {
  try {
    await keepLink(settings, request);
  } catch (error) {
    // Only this deployment is lost: the thread has others.
    const { control, port } = settings;
    control.postMessage({ lost: describeFailure(error) } satisfies FromLink);
    control.postMessage("ended" satisfies FromLink);
    control.close();
    port.close();
  }
}

async function keepLink(
  { deployment, control, port, callState: calls, renewedAt, patienceMs }: LinkSettings,
  request: ReconnectingClient["request"],
): Promise<void> {
  const state = new Int32Array(calls);
  const send = (message: FromLink) => control.postMessage(message);
  // Connected before this process owns the deployment: nobody is served between the claim and the first renewal.
  await request(async () => {}).catch(() => {
    // The renewal connects again.
  });
  send("prepared");
  // The other side sends nothing else before this one is ready.
  const [first] = (await once(control, "message")) as [ToLink];
  if (typeof first !== "object" || !("begin" in first)) {
    finish();
    return;
  }
  const owner: Owner = first.begin;
  let lost: string | null = null;
  /** From now on nothing more is stored, by the writer itself neither. */
  const markLost = (reason: string): void => {
    lost ??= reason;
    Atomics.store(state, 1, 1);
    Atomics.notify(state, 1);
  };
  const renewedSince = (sentAt: number) =>
    noteRenewed(renewedAt, process.hrtime.bigint() - BigInt(Math.round((performance.now() - sentAt) * 1e6)));
  let isBeating = false;
  let beating: NodeJS.Timeout | undefined;
  /** Runs one statement at a time, in the order of the calls. */
  let turn: Promise<unknown> = Promise.resolve();

  /** When this thread last had something to do at PostgreSQL. */
  let usedAt = performance.now();

  const inTurn = <Done>(work: () => Promise<Done>): Promise<Done> => {
    usedAt = performance.now();
    const done = turn.then(work, work);
    turn = done.catch(() => {
      // The caller gets the error.
    });
    return done;
  };

  /** Runs a statement that renews the lease if this process still owns the deployment. */
  const renewing = async (work: (client: Client) => Promise<boolean>): Promise<boolean> => {
    const sentAt = performance.now();
    const isOurs = await request(work);
    if (isOurs) renewedSince(sentAt);
    return isOurs;
  };

  /** Calls that have no answer yet, and whether PostgreSQL may have what they store. */
  const unanswered = new Map<number, { isBegun: boolean }>();
  const answer = (id: number, content: LinkAnswer): void => {
    if (!unanswered.delete(id)) return;
    port.postMessage({ id, content } satisfies Numbered<LinkAnswer>);
    Atomics.compareExchange(state, 0, callState.waiting, callState.answered);
    Atomics.notify(state, 0);
  };
  /** Nobody waits for a PostgreSQL that does not answer; what it may have stored, the next owner finds there. */
  const refuseWaiting = (reason: string): void => {
    for (const [id, { isBegun }] of unanswered) answer(id, { refused: reason, isDoubtful: isBegun });
  };

  const lose = (reason: string): void => {
    if (lost !== null) return;
    markLost(reason);
    send({ lost: reason });
    refuseWaiting(reason);
  };

  const append = async (change: Change, isUnknown = false): Promise<LinkAnswer> => {
    const needs = { owner, request, patienceMs, lost: () => lost, onRenewed: renewedSince, isUnknown };
    const outcome = await storeChange(needs, change);
    if (outcome === "stored") return { stored: true };
    if ("lost" in outcome) lose(outcome.lost);
    return { refused: "lost" in outcome ? outcome.lost : outcome.refused, isDoubtful: outcome.isDoubtful };
  };

  const answerTo = async (call: LinkCall): Promise<LinkAnswer> => {
    try {
      if ("append" in call) return await append(call.append, call.isUnknown);
      return { changes: await request((open) => changesAfter(open, owner.deployment, call.changesAfter)) };
    } catch (error) {
      return { refused: `PostgreSQL cannot be read: ${describe(error)}` };
    }
  };

  port.on("message", ({ id, content }: Numbered<LinkCall>) => {
    const call = { isBegun: false };
    unanswered.set(id, call);
    // Not in its turn: the statement before it may still wait for PostgreSQL.
    if (lost !== null) return answer(id, { refused: lost });
    return void inTurn(() => {
      call.isBegun = true;
      return answerTo(content);
    }).then((found) => answer(id, found));
  });

  const obey = (message: ToLink) => {
    if (message === "release") void release();
    else if (message === "end") {
      clearInterval(beating);
      // A commit that is still being tried must not be tried again.
      markLost(`the deployment ${deployment} was given up`);
      refuseWaiting(lost ?? "");
      finish();
    } else if ("publish" in message)
      inTurn(() => request((open) => publishUrl(open, owner, message.publish))).catch((error) => lose(describe(error)));
  };
  control.on("message", (message: ToLink) => {
    try {
      obey(message);
    } catch (error) {
      lose(describeFailure(error));
    }
  });

  const release = async (): Promise<void> => {
    clearInterval(beating);
    // If the deployment is lost there is nothing to release, and PostgreSQL may not answer.
    if (lost === null) {
      // Queued behind the last change, so nothing of this process is stored after the release.
      const released = inTurn(() => request((open) => releaseOwnership(open, owner)));
      markLost(`the deployment ${deployment} was released`);
      await released.catch(() => {
        // The lease ends by itself.
      });
    }
    send("released");
  };

  const takenOver = `the deployment ${owner.deployment} was taken over by another process`;
  const renew = () => renewing((open) => renewLease(open, owner));
  /**
   * Writes renew the lease as well; this does it while nothing is written. It also keeps the connection of this thread in
   * use while the writer uses its own: a firewall may forget an idle one, and then the first pause would cost the lease.
   */
  const beat = () => {
    const silentMs = sinceRenewedMs(renewedAt);
    if (silentMs > owner.leaseMs) lose(`the lease could not be renewed for ${Math.round(silentMs)} ms`);
    const isUnused = performance.now() - usedAt > mostIdleLeases * owner.leaseMs;
    if ((silentMs < owner.leaseMs / 4 && !isUnused) || isBeating || lost !== null) return;
    isBeating = true;
    inTurn(renew)
      .then((isOurs) => {
        if (!isOurs) lose(takenOver);
      })
      .catch(() => {
        // The next beat tries again, until the lease is over.
      })
      .finally(() => {
        isBeating = false;
      });
  };
  // The lease of the takeover is longer than the one that is kept from here on.
  await inTurn(async () => {
    try {
      return await renew();
    } catch {
      // The connection may have broken since it was prepared, so one failure says little.
      return await renew();
    }
  }).then(
    (isOurs) => {
      if (!isOurs) lose(takenOver);
    },
    (error) => lose(`the lease could not be renewed: ${describe(error)}`),
  );
  beating = setInterval(beat, owner.leaseMs / 8);
  send("ready");

  function finish(): void {
    send("ended");
    control.close();
    port.close();
  }
}

const describeFailure = (error: unknown) => `the link to PostgreSQL failed: ${describe(error)}`;

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
