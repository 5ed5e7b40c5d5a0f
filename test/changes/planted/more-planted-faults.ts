import type { PlantedFault } from "./planted-faults.ts";

/** Like those of planted-faults.ts. */
export const morePlantedFaults: readonly PlantedFault[] = [
  {
    name: "gives goods at the put wall to a line that was given up, although another one of the item is short of them",
    foundBy:
      "goods at the put wall are for a line that was given up and raised since, before they are for one that is given up",
    file: "src/store/ledger/book-placement.ts",
    find: "const more = give(Math.min(open, most));",
    replace: "const more = give(0);",
  },
  {
    name: "books all that is missing of two lines that nothing tells apart on the first one at the put wall",
    foundBy:
      "the put wall fills each of two lines that nothing tells apart, and what is wanted beyond both is followed up",
    file: "src/store/ledger/book-placement.ts",
    find: "for (const index of places) add(",
    replace: "for (const index of places.slice(0, 0)) add(",
  },
  {
    name: "calls a line removed at once that a waiting follow-up order had",
    foundBy: "a line that only a waiting follow-up had is not called removed at once: that one may have been fetched",
    file: "src/store/changes/filing/judge-change.ts",
    find: "isWithdrawn(group, index) || lines.every((line) => mostServed(member, line.key) === 0)",
    replace: "lines.every((line) => (line.decision?.heldAmounts[index] ?? 0) === 0)",
  },
  {
    name: "asks again for what was cut short in the order when its follow-up is pushed",
    foundBy: "… nor does another amount of the follow-up",
    file: "src/store/changes/filing/changes-of-follow-up.ts",
    find: "(factor === null ? 0 : facts.shortPicked / factor)",
    replace: "0",
  },
  {
    name: "takes a change of one line of a follow-up for one on all lines of the item",
    foundBy: "… also where the last of them is named by its item only",
    file: "src/store/changes/filing/changes-of-follow-up.ts",
    find: "lot, lineKey: line.key, amount }",
    replace: "lot, amount }",
  },
  {
    name: "tells operators to put goods aside that they were told of before",
    foundBy: "… less what the platform gave up",
    file: "src/store/changes/offers/operator-text.ts",
    find: "notYetAnnounced(one.amount, announced.of(orderNumber, one.item))",
    replace: "one.amount",
  },
  {
    name: "tells to put goods aside of a cancelled order, and not to stop",
    foundBy: "a reduction that was applied counts after a second one replaced it",
    file: "src/store/changes/offers/operator-text.ts",
    find: '  if (isCalledOff(group)) return "events.order-cancelled";',
    replace: "",
  },
  {
    name: "says nothing of pieces picked twice of an order that never changed and was fetched again",
    foundBy: "an order that never changed and was fetched again tells what is picked twice",
    file: "src/store/events/book-confirmation.ts",
    find: "const group = isAgain ?",
    replace: "const group = isAgain && order === null ?",
  },
  {
    name: "tells nothing of a change of a line that a follow-up never had",
    foundBy: "a change of a line that a follow-up never had is told as removed",
    file: "src/store/changes/filing/file-change.ts",
    find: "  if (changes.length === 0)",
    replace: "  if (changes.length < 0)",
  },
  {
    name: "keeps what is wanted on the later one of two lines that nothing tells apart, where that was worked on first",
    foundBy: "of two lines that nothing tells apart the earlier one keeps what is wanted, whichever is worked on first",
    file: "src/store/changes/offers/apply-model.ts",
    find: "  const group = inModelOrder(counted, orderNumber, ledgerLines);",
    replace: "  const group = counted;",
  },
  {
    name: "takes the second of two lines that nothing tells apart, and that a push left out, for another line of the item",
    foundBy: "… nor for a line of the item that has a lot",
    file: "src/store/ledger/match/adopt-line.ts",
    find: "most > table.byOrder(orderNumber).filter(isOwn).length",
    replace: "!table.byOrder(orderNumber).some(isOwn)",
  },
  {
    name: "knows a line by the amount it has now, and not by the one it was fetched with",
    foundBy: "a line is not taken for one with a lot that was added with the amount it had when it was fetched",
    file: "src/store/ledger/line-ref.ts",
    find: "fitOf(line, ref.requested, amounts?.served(line))",
    replace: "fitOf(line, ref.requested)",
  },
];
