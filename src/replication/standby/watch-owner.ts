import type { Client } from "pg";
import type { Timers } from "../../kit/time/timers.ts";
import { findDeployment } from "../postgres/change-log.ts";
import { hangUp } from "../postgres/open-client.ts";
import { ownerNews } from "./owner-news.ts";

export interface WatchOwnerNeeds {
  readonly url: string;
  readonly deployment: string;
  readonly pollMs: number;
  /** The time limit for connecting and for each statement. */
  readonly timeoutMs: number;
  readonly timers: Timers;
}

/** Who owns a deployment, without a copy of its data. */
export interface OwnerWatch {
  readonly view: () => { readonly owner: string | null; readonly ownerUrl: string | null };
  readonly stop: () => void;
}

/**
 * Watches the owner of a deployment. A process that hands a deployment over uses it: to follow again, it would have to
 * close and open its files first, while requests wait for the address of the next owner.
 */
export function watchOwner({ url, deployment, pollMs, timeoutMs, timers }: WatchOwnerNeeds): OwnerWatch {
  const news = ownerNews(deployment, timers);
  let view: ReturnType<OwnerWatch["view"]> = { owner: null, ownerUrl: null };
  let isStopped = false;
  const watch = async () => {
    let client: Client | null = null;
    while (!isStopped) {
      try {
        client ??= await news.connect({ url, name: `crossdock owner of ${deployment}`, timeoutMs });
        const state = await findDeployment(client, deployment);
        view = { owner: state?.owner ?? null, ownerUrl: state?.ownerUrl ?? null };
      } catch {
        // Tried again after the pause.
        const broken = client;
        client = null;
        if (broken !== null) void hangUp(broken);
      }
      if (!isStopped) await news.pause(pollMs);
    }
    if (client !== null) await hangUp(client);
  };
  void watch();
  return {
    view: () => view,
    stop: () => {
      isStopped = true;
      news.wake();
    },
  };
}
