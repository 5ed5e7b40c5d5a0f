import type { DeploymentOptions } from "../../../config/sections/deployment-options.ts";
import type { Timers } from "../../../kit/time/timers.ts";
import { writeAdapterFile } from "../../adapter-file.ts";
import { apiKey } from "../../api-key.ts";
import { databaseFingerprint, isKnownIdle } from "../idle-file.ts";
import type { Deployment } from "../load-deployments.ts";
import { staysOpen } from "../open-deployment.ts";
import type { KeptMember } from "./open-member.ts";

export interface AttendNeeds {
  readonly members: () => Iterable<KeptMember>;
  readonly options: () => DeploymentOptions;
  /** Whether the store is a PostgreSQL. */
  readonly isShared: boolean;
  readonly isClosing: () => boolean;
  readonly url: () => string;
  readonly timers: Timers;
}

/** Opens the deployments that have something to do, and closes those that nobody uses. */
export function attendMembers({ members, options, isShared, isClosing, url, timers }: AttendNeeds) {
  /** Deployments that have something to do and could not be opened. */
  const overdue = new Set<string>();
  let cancel = () => {};

  /** Writes the files by which commands on this machine find a deployment in its data folder, open or not. */
  const announce = ({ deployment: { loaded } }: KeptMember) => {
    const { settings: own, config } = loaded;
    apiKey({ given: own.apiKey, dataFolder: own.dataFolder });
    writeAdapterFile(own.dataFolder, { url: url() + config.basePath, pid: process.pid });
  };

  /**
   * Opens deployments one after the other, because opening uses a processor core for some time and requests come first.
   */
  const attend = async (some: readonly KeptMember[]) => {
    for (const one of some) {
      if (isClosing()) return;
      try {
        announce(one);
        if (isDue(one.deployment, isShared)) await one.wake();
      } catch (error) {
        overdue.add(one.name);
        one.log.error({ err: error }, "the deployment could not be opened; it is tried again");
      }
      await new Promise<void>((resolve) => timers.soon(resolve));
    }
  };

  const closeUnusedRegularly = () => {
    const unusedMs = options().sleepAfterMinutes * 60_000;
    cancel = timers.after(Math.min(unusedMs / 4, 60_000), async () => {
      for (const one of members()) await one.closeIfUnused(unusedMs);
      const again = [...members()].filter(({ name }) => overdue.delete(name));
      if (!isClosing()) closeUnusedRegularly();
      await attend(again);
    });
  };

  return {
    /** Opens those of them that are due. */
    attend,
    /** Looks at all deployments now and then, until the returned function is called. */
    begin: () => {
      closeUnusedRegularly();
      return () => cancel();
    },
  };
}

/** Whether the deployment may have something to do without a request: waiting entries, polls, alarms. */
function isDue({ loaded: { config, settings }, fingerprint }: Deployment, isShared: boolean): boolean {
  // The data folder is no proof if the store is shared: another process may have opened the deployment since.
  if (isShared || databaseFingerprint(settings.dataFolder) === null) return staysOpen(config);
  return !isKnownIdle(settings.dataFolder, fingerprint);
}
