import type { Settings } from "../config/settings.ts";
import type { Log } from "../kit/log.ts";
import type { Open } from "../kit/open-all.ts";
import type { Timers } from "../kit/time/timers.ts";
import type { Telemetry } from "./telemetry/open-telemetry.ts";
import { versionInfo } from "./version-info.ts";

/**
 * Opens what the variables of OpenTelemetry ask for; undefined if they ask for nothing, and then its code is not
 * loaded.
 */
export async function telemetryOf(
  { telemetry: variables }: Pick<Settings, "telemetry">,
  needs: { readonly log: Log; readonly timers: Timers },
  open: Open,
): Promise<Telemetry | undefined> {
  if (variables === undefined) return undefined;
  const { openTelemetry } = await import("./telemetry/open-telemetry.ts");
  const { version } = versionInfo();
  const opened = await open(
    "telemetry",
    () => openTelemetry({ ...needs, variables, version }),
    (one) => one?.close(),
  );
  return opened ?? undefined;
}
