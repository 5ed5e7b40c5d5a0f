import type { PlantedFault } from "./planted-faults.ts";

/** Found by long runs of other seeds; each of them came up once in ten thousand sequences. */
export const laterPlantedFaults: readonly PlantedFault[] = [
  {
    name: "keeps the answer to a scan though the order stands otherwise by now",
    file: "src/store/changes/filing/settle-group.ts",
    find: "  needs.orders.markCachesOutdated();",
    replace: "",
  },
  {
    name: "does not offer an order again that was begun and given back a second time",
    file: "src/store/events/change-status.ts",
    find: " && !isWorkedSince(number, status)",
    replace: "",
  },
  {
    name: "opens an order again after its end by what it showed before",
    file: "src/store/events/change-status.ts",
    find: "    changes.bookLastModel(number);",
    replace: "",
  },
  {
    name: "takes a push of a follow-up order that nothing is left of for the same again",
    file: "src/store/changes/filing/changes-of-follow-up.ts",
    find: "  return !isOrderEnded(member) && runningContent(group, index) === null;",
    replace: "  return false;",
  },
  {
    name: "leaves goods cut short that came after all, beyond what was fetched again",
    file: "src/store/ledger/book-step.ts",
    find: "  const back = Math.min(stillShortPicked(line, cancelled), cancelled, roundAmount(over - line.overPicked));",
    replace: "  const back = 0;",
  },
  {
    name: "leaves a unit in doubt for ever that other orders have shown",
    file: "src/store/ledger/open-ledger.ts",
    find: "    return learnFactor({ base, amounts, unit: line.unit, carried });\n  };",
    replace: "    return base < 0 ? learnFactor({ base, amounts, unit: line.unit, carried }) : uncertainFactor;\n  };",
  },
  {
    name: "raises an item in a line that the latest push left out",
    file: "src/store/changes/wanted.ts",
    find: "lastWanted(wanted, meant);",
    replace: "meant.at(-1);",
  },
];
