import type { pushes } from "../../../src/contract/pushes.ts";
import type { ServiceSettings } from "../service/service.ts";
import type { Mix } from "./floor-event.ts";

/** Which way what is told goes: from the floor to the external system, or pushed by that and on to the platform. */
export interface Way {
  readonly direction: "out" | "in";
  /** Everything that is told this way. */
  readonly mix: Mix;
  /** Only what is answered as soon as it is stored. */
  readonly stored: Mix;
  /** The receiver at the end of it. */
  readonly service: (
    receiverUrl: string,
    timeouts?: object,
  ) => Pick<ServiceSettings, "target" | "targetOptions" | "config">;
}

export const toExternalSystem: Way = {
  direction: "out",
  mix: "mixed",
  stored: "placements",
  service: (target, timeouts) => ({ target, ...(timeouts === undefined ? {} : { targetOptions: { timeouts } }) }),
};

export const toPlatform: Way = {
  direction: "in",
  mix: "pushes",
  stored: "pushes without a key",
  service: (url, timeouts) => {
    const request = (number: string) => ({
      mode: "both",
      request: { url, headers: { "ce-subject": number }, ...(timeouts === undefined ? {} : { timeouts }) },
    });
    const forward = {
      workOrders: request("{input.number}"),
      cancellations: request("{input.workOrderNumber}"),
    } satisfies Partial<Record<keyof typeof pushes, object>>;
    return { config: { platform: { forward } } };
  },
};
