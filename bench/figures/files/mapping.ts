import type { MapResult, MapSettings } from "../../clients/map-orders.ts";
import { median } from "../../harness/median.ts";
import { startMapByHand, startMapOrders, withChildren } from "../../harness/programs.ts";
import type { Figure } from "../../harness/report/measurement.ts";
import { sideBySide } from "../../harness/side-by-side.ts";
import { listStore, mapRounds } from "../sizes.ts";

export const mapping: Figure = {
  name: "mapping",
  chapter: "Answers",
  summary:
    "10,000 orders of an ERP with 10 lines each become orders of the contract by the rules of a configuration (paths, a date, " +
    "a lookup, unit factors, a joined identifier), against TypeScript written by hand for that one ERP with the same " +
    "conversions and checks. Records and results are in memory on both sides, and the results are compared.",
  measure: async () => {
    const settings: MapSettings = listStore;
    const [ours, bare] = [await startMapOrders(settings), await startMapByHand(settings)];
    return await withChildren([ours, bare], async () => {
      const results = await sideBySide({
        rounds: mapRounds,
        ours: () => ours.run<MapResult>(),
        bare: () => bare.run<MapResult>(),
      });
      if (results.ours[0]?.sample !== results.bare[0]?.sample) throw new Error("the two sides made different orders");
      return [
        {
          what: "Mapping of 10,000 orders of 10 lines",
          unit: "ms",
          ours: median(results.ours.map(({ ms }) => ms)),
          bare: median(results.bare.map(({ ms }) => ms)),
          bar: { of: "ratio", at: "most", limit: 3 },
        },
      ];
    });
  },
};
