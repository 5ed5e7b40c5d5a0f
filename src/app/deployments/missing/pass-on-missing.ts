import type { IncomingMessage, ServerResponse } from "node:http";
import type { Config } from "../../../config/config-schema.ts";
import type { StandbyView } from "../../../replication/standby/standby.ts";
import { callerOf, nothingDone, takeCaller } from "../../../server/connection/passed-on.ts";
import { shortestWaitMs } from "../../listener/wait-limits.ts";
import { passedAnswers } from "../../replicated/answers/passed-answers.ts";
import { type StandbyHandler, standbyHandler } from "../../replicated/passing/standby-handler.ts";
import { deploymentFinder } from "../find-deployment.ts";
import type { MissingDeployment } from "./missing-among.ts";
import type { MissingWatch } from "./watch-missing.ts";

export interface PassOnMissingNeeds {
  readonly watch: MissingWatch;
  /** The configuration of the process; of the deployment nothing is known but its address. */
  readonly config: Pick<Config, "budgets" | "platform" | "timeZone">;
  readonly secret: string;
  /** A process that may have the configuration of a deployment that is asleep; null if there is none. */
  readonly otherProcess: (deployment: string) => { readonly name: string; readonly url: string } | null;
}

/** Answers for deployments that only other processes know. */
export interface MissingHandler {
  /** False if no other process is known to serve the address, either. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
  readonly close: () => void;
}

export function passOnMissing({ watch, config, secret, otherProcess }: PassOnMissingNeeds): MissingHandler {
  const handlers = new Map<string, StandbyHandler & { readonly basePath: string }>();

  /** The owner; of a deployment that is asleep, a process that opens it. */
  const viewOf = (name: string): StandbyView => {
    void watch.refresh();
    const one = watch.served().find((other) => other.name === name);
    const other = one === undefined ? otherProcess(name) : null;
    return {
      ...{ behind: 0, position: null, differs: [], troubleSince: null },
      trouble: "this process has no configuration of the deployment and passes its requests on",
      owner: one?.owner ?? other?.name ?? null,
      ownerUrl: one?.ownerUrl ?? other?.url ?? null,
    };
  };
  const handlerFor = ({ name, basePath }: MissingDeployment): StandbyHandler => {
    const before = handlers.get(name);
    if (before?.basePath === basePath) return before;
    before?.end();
    const { cert: certificate } = config.platform.tls ?? {};
    const handler = standbyHandler({
      ...{ config: { ...config, basePath }, answers: passedAnswers(), secret: () => secret },
      view: () => viewOf(name),
      mount: { name, waitMs: shortestWaitMs, certificate },
      onNobody: () => {
        if (!watch.served().some((one) => one.name === name)) watch.forget(name);
      },
    });
    handlers.set(name, { ...handler, basePath });
    return handler;
  };
  const find = (request: IncomingMessage) =>
    // One without a path and host name of its own would take every request.
    deploymentFinder(watch.known().filter(({ basePath, hosts }) => basePath !== "" || hosts !== undefined))(request);

  return {
    handle: async (request, response) => {
      takeCaller(request, secret);
      if (callerOf(request) !== undefined) {
        // The process that passed it on finds one that has the configuration; a 404 would be an answer.
        request.resume();
        response.writeHead(503, nothingDone(request)).end();
        return true;
      }
      if (find(request) === null) await watch.refresh();
      const one = find(request);
      if (one === null) return false;
      handlerFor(one).handle(request, response);
      return true;
    },
    close: () => {
      watch.close();
      for (const one of handlers.values()) one.end();
    },
  };
}
