import type { Config } from "../../config/config-schema.ts";

const callingTypes: readonly unknown[] = ["http", "webhook"];

/** Whether a configuration makes requests to other systems, so that the HTTP library will be needed. */
export const callsOut = ({ connectors, platform, alarms, senders }: Config): boolean =>
  Object.values(connectors).some(({ type }) => callingTypes.includes(type)) ||
  Object.values(platform.forward).some((topic) => topic !== undefined) ||
  alarms.webhook !== undefined ||
  Object.values(senders).some(({ auth }) => auth.kind === "jwt");
