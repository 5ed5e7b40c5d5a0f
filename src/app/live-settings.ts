import type { Budgets } from "../engine/budgets.ts";
import type { Retention } from "../engine/prune-regularly.ts";
import type { DateSettings } from "../sdk/dates.ts";
import type { Config } from "./config-schema.ts";

export interface LiveSettings {
  readonly dates: DateSettings;
  readonly budgets: Budgets;
  readonly retention: Retention;
  readonly served: { readonly dates: DateSettings; readonly invalidOrders: Config["orders"]["invalid"] };
  readonly repeatWindowMs: number;
}

/** Settings that always say what the configuration says now, for those that were made before it changed. */
export function liveSettings(current: () => Config): LiveSettings {
  const dates: DateSettings = {
    get timeZone() {
      return current().timeZone;
    },
    get timeOfDay() {
      return current().timeOfDay;
    },
  };
  return {
    dates,
    budgets: {
      get eventMs() {
        return current().budgets.eventMs;
      },
      get stepMs() {
        return current().budgets.stepMs;
      },
      get scanMs() {
        return current().budgets.scanMs;
      },
      get listMs() {
        return current().budgets.listMs;
      },
    },
    retention: {
      get bodiesDays() {
        return current().retention.bodiesDays;
      },
      get entriesDays() {
        return current().retention.entriesDays;
      },
    },
    served: {
      dates,
      get invalidOrders() {
        return current().orders.invalid;
      },
    },
    get repeatWindowMs() {
      return current().events.repeatWindowMinutes * 60_000;
    },
  };
}
