import type { pushes } from "../../../src/contract/pushes.ts";
import type { ServiceSettings } from "../service/service.ts";
import type { Mix } from "./floor-event.ts";

/** The direction: events from the floor to the external system, or pushes from there to the platform. */
export interface Way {
  readonly direction: "out" | "in";
  /** All kinds of events in this direction. */
  readonly mix: Mix;
  /** Only the kinds that are answered as soon as they are stored. */
  readonly stored: Mix;
  /** The settings of the service for a receiver at the end of this direction. */
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
