import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Config } from "../../../config/config-schema.ts";
import { routeMatcher } from "../../../contract/derive/match-route.ts";
import { operationRow } from "../../../contract/operations.ts";
import { budgetMs as rowBudgetMs } from "../../../engine/queries/call.ts";
import type { Log } from "../../../kit/log.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { StoreUnusable } from "../../../replication/postgres/store-unusable.ts";
import type { MountedAdapter } from "../../listener/mount.ts";
import { pushWaitMs, shortestWaitMs } from "../../listener/wait-limits.ts";
import type { Share } from "./fair-shares.ts";
import { answerUnavailable } from "./unavailable-answer.ts";

export type GateState = "asleep" | "opening" | "open" | "closing";

/** An open deployment. */
export interface Opened extends MountedAdapter {
  readonly handle: RequestListener;
  /** Whether another process owns the deployment, so that requests are passed on to that process. */
  readonly isStandby: () => boolean;
  readonly close: () => Promise<void>;
}

export interface GateNeeds {
  readonly address: Pick<Config, "basePath" | "budgets" | "timeZone">;
  /** Opens the deployment. The gate never calls this twice at the same time. */
  readonly open: () => Promise<Opened>;
  /** Called when the deployment was closed, with whether nothing waits in it. */
  readonly onClosed: (isIdle: boolean) => void;
  readonly share: Share;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
  readonly newReference: () => string;
}

/** Passes requests to one deployment: opens it for its first request and closes it when it is no longer used. */
export interface Gate {
  readonly handle: RequestListener;
  readonly state: () => GateState;
  /** Opens the deployment without a request. It is no use of it. */
  readonly wake: () => Promise<void>;
  /** Opens the deployment and uses it without a request: it is not closed before the work is done. */
  readonly use: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Closes the deployment if it was unused for this long and nothing waits in it; false if it stays open. */
  readonly closeIfUnused: (unusedMs: number) => Promise<boolean>;
  /** When the deployment was last used, by the timers. */
  readonly usedAt: () => number;
  readonly opened: () => Opened | null;
  /** Why the deployment could not be opened the last time; null if it could. */
  readonly failure: () => string | null;
  /** Closes the gate for good. */
  readonly close: () => Promise<void>;
}

export function openGate({ address, open, onClosed, share, timers, clock, log, newReference }: GateNeeds): Gate {
  const { basePath, timeZone } = address;
  const match = routeMatcher(basePath);
  const watched = ["/health/live", "/health/ready", "/metrics"].map((path) => `${basePath}${path}`.toLowerCase());
  const liveUrl = `${basePath}/admin/live`.toLowerCase();
  let opened: Opened | null = null;
  let opening: Promise<Opened> | null = null;
  let closing: Promise<void> | null = null;
  let isOver = false;
  let inProgress = 0;
  let usedAt = timers.passed();
  let failure: string | null = null;
  /** Since when PostgreSQL cannot be used; null if it could the last time. */
  let storeAwaySince: number | null = null;

  const ready = (): Promise<Opened> => {
    opening ??= (async () => {
      try {
        await closing;
        if (isOver) throw new Error("the process is stopping");
        opened = await open();
        failure = null;
        storeAwaySince = null;
        return opened;
      } catch (error) {
        storeAwaySince = error instanceof StoreUnusable ? (storeAwaySince ?? clock.now()) : null;
        failure = error instanceof Error ? error.message : String(error);
        throw error;
      } finally {
        opening = null;
      }
    })();
    return opening;
  };

  const waitMs = ({ method = "GET", url = "/" }: IncomingMessage): number => {
    if (method === "POST" && url.startsWith(`${basePath}/inbound/`)) return pushWaitMs;
    const found = match(method, url);
    const budgetMs = found === null || "allow" in found ? 0 : rowBudgetMs(operationRow(found.id), address.budgets);
    return Math.max(shortestWaitMs, budgetMs);
  };

  const run = (one: Opened, request: IncomingMessage, response: ServerResponse) => {
    const begin = () => one.handle(request, response);
    // These requests do not count in the share. A console that only listens keeps its answer open for hours. A request
    // that is passed on waits for the owner, and would block requests that come back to this process.
    if (request.url?.toLowerCase().startsWith(liveUrl) || one.isStandby()) begin();
    else share.run(response, begin);
  };

  const waitForOpening = (request: IncomingMessage, response: ServerResponse) => {
    let isLate = false;
    const cancel = timers.after(waitMs(request), () => {
      isLate = true;
      answerUnavailable(request, response, { basePath, newReference });
    });
    ready().then(
      (one) => {
        cancel();
        if (!isLate) run(one, request, response);
      },
      (error: unknown) => {
        cancel();
        if (isLate) return;
        if (isOver) {
          answerUnavailable(request, response, { basePath, newReference });
          return;
        }
        const onFailed = (reference: string) =>
          log.error({ reference, err: error }, "the deployment could not be opened");
        const store = storeAwaySince === null ? undefined : { since: storeAwaySince, timeZone };
        answerUnavailable(request, response, { basePath, newReference, onFailed, store });
      },
    );
  };

  /** Opens the deployment if it is closed, or about to be. */
  const wake = async () => {
    if (opened === null || closing !== null) await ready();
  };

  /** The deployment is not closed until the returned function is called. */
  const keepOpen = ({ isUse }: { readonly isUse: boolean }) => {
    const noteUse = () => {
      if (isUse) usedAt = timers.passed();
    };
    inProgress++;
    noteUse();
    return () => {
      inProgress--;
      noteUse();
    };
  };

  const isIdleNow = (one: Opened): boolean => {
    try {
      return one.isIdle();
    } catch (error) {
      log.error({ err: error }, "the journal could not be read; the deployment stays open");
      return false;
    }
  };

  const shut = (one: Opened): Promise<void> => {
    const isIdle = isIdleNow(one);
    closing = (async () => {
      try {
        await one.close();
        onClosed(isIdle);
      } catch (error) {
        log.error({ err: error }, "the deployment could not be closed properly");
      } finally {
        opened = null;
        closing = null;
      }
    })();
    return closing;
  };

  return {
    handle: (request, response) => {
      // A supervisor's health check every few seconds must not keep the deployment open.
      const isUse = !watched.includes(request.url?.split("?", 1)[0]?.toLowerCase() ?? "");
      response.once("close", keepOpen({ isUse }));
      // While the deployment closes for good, requests that came before are still served.
      if (opened !== null && (closing === null || isOver)) run(opened, request, response);
      else waitForOpening(request, response);
    },
    state: () => (closing !== null ? "closing" : opened !== null ? "open" : opening !== null ? "opening" : "asleep"),
    wake,
    use: async (work) => {
      const end = keepOpen({ isUse: true });
      try {
        await wake();
        return await work();
      } finally {
        end();
      }
    },
    closeIfUnused: async (unusedMs) => {
      if (opened === null || closing !== null || inProgress > 0 || timers.passed() - usedAt < unusedMs) return false;
      if (!isIdleNow(opened)) return false;
      await shut(opened);
      return true;
    },
    usedAt: () => usedAt,
    opened: () => opened,
    failure: () => failure,
    close: async () => {
      isOver = true;
      await opening?.catch(() => {
        // The callers that waited for the opening got the error.
      });
      await (closing ?? (opened === null ? undefined : shut(opened)));
    },
  };
}
