import { availableParallelism } from "node:os";
import { embeddedName } from "../config/checks/check-references.ts";
import type { Config } from "../config/config-schema.ts";
import type { QueryId } from "../contract/operations.ts";
import { capabilityOf } from "../engine/queries/routing.ts";
import type { Clock } from "../kit/time/clock.ts";
import type { Timers } from "../kit/time/timers.ts";
import type { BulkHandler } from "../server/connection/bulk-parser.ts";
import type { PushHandler } from "../server/inbound/inbound-reading.ts";
import { openBulkHandler } from "./bulk-handler.ts";
import { openPushHandler } from "./pushes/push-handler.ts";
import { pushThread } from "./pushes/push-thread.ts";

/** Secrets of connectors must not reach another thread. */
const withoutSecrets = (config: Config): Config => ({ ...config, connectors: {}, senders: {} });

/** More threads would only take memory, because they share the processor with the main thread. */
const maxThreads = 2;

/** Reads large pushes for one configuration. The first of them starts the thread. */
export function pushHandler(config: Config, needs: { readonly clock: Clock; readonly timers: Timers }): PushHandler {
  return openPushHandler({ ...needs, thread: pushThread(withoutSecrets(config)), waitMs: config.budgets.listMs });
}

/** Answers large bodies for one configuration, from the database. The first of them starts the threads. */
export function bulkHandler(
  config: Config,
  needs: {
    readonly databaseFile: string;
    /** The queries whose lists may be answered in parts. */
    readonly byElement: readonly QueryId[];
    readonly timers: Timers;
  },
): BulkHandler {
  const { databaseFile, byElement, timers } = needs;
  const threadCount = Math.min(availableParallelism(), maxThreads);
  const settings = { config: withoutSecrets(config), databaseFile };
  return {
    ...openBulkHandler({ settings, byElement, threadCount, timers }),
    takes: (id) => {
      const capability = capabilityOf(id);
      return capability === undefined || (config.serve[capability] ?? embeddedName) === embeddedName;
    },
  };
}
