import type { Config } from "../../config/config-schema.ts";
import type { Settings } from "../../config/settings.ts";
import { newReference } from "../../kit/ids.ts";
import type { Log } from "../../kit/log.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Timers } from "../../kit/time/timers.ts";
import { mostConnections } from "../../server/create-listener.ts";
import { removeAdapterFile, writeAdapterFile } from "../adapter-file.ts";
import { answerUnavailable } from "../deployments/gate/unavailable-answer.ts";
import { exchangedHandler } from "./exchanged-handler.ts";
import type { Mount } from "./mount.ts";
import { openListener, type ProcessListener } from "./open-listener.ts";

/** The listener of a process with one deployment, as a place for whichever handler its role needs. */
export interface OwnMount extends Pick<ProcessListener, "reloadCertificates" | "close"> {
  readonly mount: Mount;
}

export interface OwnMountNeeds {
  readonly config: Pick<Config, "basePath" | "platform">;
  readonly settings: Pick<Settings, "host" | "port" | "socketFd" | "dataFolder">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Listens from the first handler on, until the process stops. */
export function ownMount({ config, settings, clock, timers, log }: OwnMountNeeds): OwnMount {
  const { basePath, platform } = config;
  const exchange = exchangedHandler({
    timers,
    answerLate: (request, response) => answerUnavailable(request, response, { basePath, newReference }),
  });
  let opening: Promise<ProcessListener> | null = null;
  const open = async () => {
    const listener = await openListener({
      ...{ ...settings, clock, timers, log, tls: platform.tls, connections: mostConnections },
      handle: exchange.handle,
    });
    writeAdapterFile(settings.dataFolder, { url: listener.url + basePath, pid: process.pid });
    return listener;
  };
  return {
    mount: {
      ...{ waitMs: 0, certificate: platform.tls?.cert },
      listening: async () => {
        opening ??= open();
        return (await opening).url + basePath;
      },
      serve: exchange.serve,
      leave: exchange.leave,
      opened: () => {
        // Nobody asks: the process is open as long as its only deployment.
      },
    },
    reloadCertificates: (files) => void opening?.then((listener) => listener.reloadCertificates(files)),
    close: async (closeBehind) => {
      // Whoever asked for the address got the error.
      const listener = await opening?.catch(() => null);
      if (listener === undefined || listener === null) {
        await closeBehind();
        return;
      }
      removeAdapterFile(settings.dataFolder);
      await listener.close(async () => {
        await closeBehind();
        exchange.close();
      });
    },
  };
}
