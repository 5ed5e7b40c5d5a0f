/** A fault put into one source file of the implementation, for as long as one process runs. */
export interface PlantedFault {
  /** What it does, as a sentence without its subject. */
  readonly name: string;
  /** From the top of the repository. */
  readonly file: string;
  /** Has to stand there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Only a thread beside the main one loads the file. */
  readonly inThread?: true;
}

/** Each of them once led to wrong stock; the reference model has to notice it. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "keeps the lowest amount ever pushed, so that a reduction cannot be partly taken back",
    file: "src/store/changes/wanted.ts",
    find: "    return { ...line, ...keptShortPicked(old), seq: isUnchanged ? old.seq : seq };",
    replace:
      "    return { ...line, amount: Math.min(line.amount, old?.amount ?? line.amount), seq: isUnchanged ? old.seq : seq };",
  },
  {
    name: "forgets that a reduction was applied, and asks for no follow-up",
    file: "src/store/ledger/ledger-line.ts",
    find: "  const cancelled = roundAmount(requested - Math.max(shown, line.picked));",
    replace: "  const cancelled = Math.min(line.cancelled, roundAmount(requested - Math.max(shown, line.picked)));",
  },
  {
    name: "makes no follow-up order of an increase",
    file: "src/store/changes/reconcile.ts",
    find: "  const unassignedAmount = Math.max(0, spare);",
    replace: "  const unassignedAmount = members.some(({ isWaiting }) => isWaiting) ? Math.max(0, spare) : 0;",
  },
  {
    name: "counts what is too much by line and not by item",
    file: "src/store/changes/order-group.ts",
    find: "sum + (line.decision?.excessAmount ?? 0) / baseFactor(line), 0);",
    replace: "sum + Math.max(0, line.decision?.excessAmount ?? 0) / baseFactor(line), 0);",
  },
  {
    name: "does not count what is picked when it decides what is left",
    file: "src/store/changes/reconcile.ts",
    find: "  const missingAmount = roundAmount(asked - picked);",
    replace: "  const missingAmount = roundAmount(asked);",
  },
  {
    name: "leaves a follow-up order that nobody needs any more",
    file: "src/store/changes/write-contents.ts",
    find: '  if (order?.state === "waiting") orders.setState(number, "cancelled");',
    replace: "",
  },
  {
    name: "takes a new request id of a known line for another line",
    file: "src/store/ledger/open-ledger.ts",
    find: "      : lines.filter((line) => line.requestId === null || !shownIds.has(line.requestId));",
    replace: "      : lines.filter((line) => line.requestId === null && !shownIds.has(line.requestId));",
  },
  {
    name: "calls a change applied that nothing shows",
    file: "src/store/changes/filing/judge-change.ts",
    find: "  return { verdict: verdictOf(sums, lines), picked, isFinal: isEnded || isShown };",
    replace: '  return { verdict: "applied", picked, isFinal: true };',
  },
  {
    name: "offers an order as new that was worked on before it was pushed",
    file: "src/store/pushes/push-work-order.ts",
    find: "    if (state !== undefined) orders.recordWork(number);",
    replace: "",
  },
  {
    name: "does not tell removed with the end of the order",
    file: "src/store/changes/filing/judge-change.ts",
    find: "  const isEnded = group.members.every((_, index) => hasEnded(group, index, lines));",
    replace: "  const isEnded = false && group.members.every((_, index) => hasEnded(group, index, lines));",
  },
  {
    name: "guesses the factor of a unit from one of several contents",
    file: "src/store/ledger/factor-memory.ts",
    find: "  if (distinct.size !== 1) return uncertainFactor;",
    replace: "",
  },
  {
    name: "asks again for what the floor cut short",
    file: "src/store/changes/reconcile.ts",
    find: "Math.max(0, wanted - shortPicked)",
    replace: "Math.max(0, wanted)",
  },
  {
    name: "cancels a line that was fetched without another that nothing tells from it",
    file: "src/store/changes/offers/apply-model.ts",
    find: "!positions.has(other.position) && remainingOf(other) > 0",
    replace: "!positions.has(other.position) && other.requestId !== null && remainingOf(other) > 0",
  },
  {
    name: "asks again for a line that was given up before the order was given back",
    file: "src/store/changes/open-changes.ts",
    find: "      keepShortPicked(needs, orderNumber);",
    replace: "",
  },
  {
    name: "holds a model against contents from after it was shown",
    file: "src/store/changes/open-changes.ts",
    find: "      bookLastModel(needs, orderNumber);",
    replace: "",
  },
  {
    name: "says nothing of a line that only a waiting follow-up order had while the order itself is picked",
    file: "src/store/changes/filing/settle-group.ts",
    find: "    if (isWholeOrder(change)) return true;",
    replace: "    return true;",
  },
  {
    name: "leaves goods at the put wall with the line that has too many of them",
    file: "src/store/changes/filing/settle-group.ts",
    find: "!evenOutWall(needs.ledger, before)",
    replace: "true",
  },
  {
    name: "counts as cut short what a line that nothing tells apart still brings",
    file: "src/store/events/cancel-work-order-request.ts",
    find: "openOfWholeLine(changes.readKept(orderNumber), given)",
    replace: "0",
  },
  {
    name: "takes a step beyond a line for the one before it, whatever the platform shows",
    file: "src/store/events/book-confirmation.ts",
    find: "mark: fullMark(step, confirmed.mark)",
    replace: "mark: confirmed.mark",
  },
  {
    name: "tells a cancellation that was taken back, for a line that nobody has",
    file: "src/store/changes/filing/judge-change.ts",
    find: "if (group.lines.some(isOwn)) return !lines.some(isOwn);",
    replace: "if (lines.length > 0) return false;",
  },
  {
    name: "leaves a line alone that the first push of an order in work does not name",
    file: "src/store/changes/filing/file-change.ts",
    find: "isFirst ? withUnnamed(group, pushed) : group.wanted",
    replace: "group.wanted",
  },
  {
    name: "waits for a line that an order has not which the platform got by another way",
    file: "src/store/changes/offers/apply-model.ts",
    find: "isByAnotherWay || member.served.some",
    replace: "member.served.some",
  },
  {
    name: "counts as served what an order was given after its end",
    file: "src/store/changes/write-contents.ts",
    find: "  if (isOrderEnded(main)) {",
    replace: "  if (isOrderEnded(main) && isWaiting(main)) {",
  },
  {
    name: "says nothing of a change that comes too late for pieces beyond the request",
    file: "src/store/changes/line-amounts.ts",
    find: "isLowered ? sumOfLedgerLines(line, ledgerLines, takenOf) : 0",
    replace: "0",
  },
  {
    name: "takes the most of each of several lines that nothing tells apart for the most of all of them",
    file: "src/store/changes/offers/count-indistinguishable.ts",
    find: "    if (own.length < 2) continue;",
    replace: "    if (own.length < 99) continue;",
  },
  {
    name: "takes a line for another one of the item that has its amount now, whatever the lot",
    file: "src/store/ledger/line-ref.ts",
    find: "(isLotShown ? 12 : 2)",
    replace: "2",
  },
  {
    name: "gives goods at the put wall to a line that was given up, although another one of the item is short of them",
    file: "src/store/ledger/book-placement.ts",
    find: "const more = give(Math.min(open, most));",
    replace: "const more = give(0);",
  },
  {
    name: "books all that is missing of two lines that nothing tells apart on the first one at the put wall",
    file: "src/store/ledger/book-placement.ts",
    find: "for (const index of places) add(",
    replace: "for (const index of places.slice(0, 0)) add(",
  },
  {
    name: "calls a line removed at once that a waiting follow-up order had",
    file: "src/store/changes/filing/judge-change.ts",
    find: "isWithdrawn(group, index) || lines.every((line) => mostServed(member, line.key) === 0)",
    replace: "lines.every((line) => (line.decision?.heldAmounts[index] ?? 0) === 0)",
  },
  {
    name: "asks again for what was cut short in the order when its follow-up is pushed",
    file: "src/store/changes/filing/changes-of-follow-up.ts",
    find: "(factor === null ? 0 : facts.shortPicked / factor)",
    replace: "0",
  },
  {
    name: "takes a change of one line of a follow-up for one on all lines of the item",
    file: "src/store/changes/filing/changes-of-follow-up.ts",
    find: "lot, lineKey: line.key, amount }",
    replace: "lot, amount }",
  },
  {
    name: "tells operators to put goods aside that they were told of before",
    file: "src/store/changes/offers/operator-text.ts",
    find: "notYetAnnounced(one.amount, announced.of(orderNumber, one.item))",
    replace: "one.amount",
  },
  {
    name: "tells to put goods aside of a cancelled order, and not to stop",
    file: "src/store/changes/offers/operator-text.ts",
    find: '  if (isCalledOff(group)) return "events.order-cancelled";',
    replace: "",
  },
  {
    name: "says nothing of pieces picked twice of an order that never changed and was fetched again",
    file: "src/store/events/book-confirmation.ts",
    find: "const group = isAgain ?",
    replace: "const group = isAgain && order === null ?",
  },
  {
    name: "tells nothing of a change of a line that a follow-up never had",
    file: "src/store/changes/filing/file-change.ts",
    find: "  if (changes.length === 0)",
    replace: "  if (changes.length < 0)",
  },
  {
    name: "keeps what is wanted on the later one of two lines that nothing tells apart, where that was worked on first",
    file: "src/store/changes/offers/apply-model.ts",
    find: "  const group = inModelOrder(counted, orderNumber, ledgerLines);",
    replace: "  const group = counted;",
  },
  {
    name: "takes the second of two lines that nothing tells apart, and that a push left out, for another line of the item",
    file: "src/store/ledger/open-ledger.ts",
    find: "most > table.byOrder(orderNumber).filter(isOwn).length",
    replace: "!table.byOrder(orderNumber).some(isOwn)",
  },
  {
    name: "knows a line by the amount it has now, and not by the one it was fetched with",
    file: "src/store/ledger/line-ref.ts",
    find: "fitOf(line, ref.requested, amounts?.served(line))",
    replace: "fitOf(line, ref.requested)",
  },
];
