import type { PlantedFault } from "./planted-faults.ts";

/** Found by long runs of other seeds; each of them came up once in ten thousand sequences. */
export const laterPlantedFaults: readonly PlantedFault[] = [
  {
    name: "keeps the answer to a scan though the order stands otherwise by now",
    foundBy: "a reduction that was applied counts after a second one replaced it",
    file: "src/store/changes/filing/settle-group.ts",
    find: "  needs.orders.markCachesOutdated();",
    replace: "",
  },
  {
    name: "does not offer an order again that was begun and given back a second time",
    foundBy: "an order that is begun and given back twice is available again each time",
    file: "src/store/events/change-status.ts",
    find: " && !isWorkedSince(number, status)",
    replace: "",
  },
  {
    name: "opens an order again after its end by what it showed before",
    foundBy:
      "an order that was fetched again and completed has ended, though a model had shown its lines under new ids",
    file: "src/store/events/change-status.ts",
    find: "    changes.bookLastModel(number);",
    replace: "",
  },
  {
    name: "takes a push of a follow-up order that nothing is left of for the same again",
    foundBy:
      "a push under the number of a follow-up that nothing is left of asks for it again, also with the amount it had",
    file: "src/store/changes/filing/changes-of-follow-up.ts",
    find: "  return !isOrderEnded(member) && runningContent(group, index) === null;",
    replace: "  return false;",
  },
  {
    name: "leaves goods cut short that came after all, beyond what was fetched again",
    foundBy: "goods that come after all, beyond what was fetched again of a line that was given up, were not cut short",
    file: "src/store/ledger/book-step.ts",
    find: "  const back = Math.min(stillShortPicked(line, cancelled), cancelled, roundAmount(over - line.overPicked));",
    replace: "  const back = 0;",
  },
  {
    name: "leaves a unit in doubt for ever that other orders have shown",
    foundBy: "a unit in doubt is certain with the next step of its line, once other orders have shown it",
    file: "src/store/ledger/base-units.ts",
    find: "    return learnFactor({ base, amounts, unit: line.unit, carried });\n  };",
    replace: "    return base < 0 ? learnFactor({ base, amounts, unit: line.unit, carried }) : uncertainFactor;\n  };",
  },
  {
    name: "raises an item in a line that the latest push left out",
    foundBy: "a line that a follow-up's push leaves nothing of comes last, as one that a push of the order leaves out",
    file: "src/store/changes/wanted.ts",
    find: "lastWanted(wanted, meant);",
    replace: "meant.at(-1);",
  },
];
