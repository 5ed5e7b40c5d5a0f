/** A fault put into one source file of the implementation, for as long as one process runs. */
export interface PlantedFault {
  /** What it does, as a sentence without its subject. */
  readonly name: string;
  /** From the top of the repository. */
  readonly file: string;
  /** Has to stand there exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The sequence that is played first, because it notices the fault. If it no longer does, the others are played. */
  readonly foundBy?: string;
  /** Only a thread beside the main one loads the file. */
  readonly inThread?: true;
}

/** Each of them once led to wrong stock; the reference model has to notice it. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: "keeps the lowest amount ever pushed, so that a reduction cannot be partly taken back",
    foundBy: "a reduction survives that the waiting line is partly raised again",
    file: "src/store/changes/wanted.ts",
    find: "    else lines.push({ ...line, ...keptShortPicked(old), seq: isUnchanged ? old.seq : seq });",
    replace:
      "    else lines.push({ ...line, amount: Math.min(line.amount, old?.amount ?? line.amount), seq: isUnchanged ? old.seq : seq });",
  },
  {
    name: "forgets that a reduction was applied, and asks for no follow-up",
    foundBy: "… also where a part of them was picked",
    file: "src/store/ledger/ledger-line.ts",
    find: "  const cancelled = roundAmount(requested - Math.max(shown, line.picked));",
    replace: "  const cancelled = Math.min(line.cancelled, roundAmount(requested - Math.max(shown, line.picked)));",
  },
  {
    name: "makes no follow-up order of an increase",
    foundBy: "a reduction that was applied counts after a second one replaced it",
    file: "src/store/changes/reconcile.ts",
    find: "  const unassignedAmount = Math.max(0, spare);",
    replace: "  const unassignedAmount = members.some(({ isWaiting }) => isWaiting) ? Math.max(0, spare) : 0;",
  },
  {
    name: "counts what is too much by line and not by item",
    foundBy: "pieces picked of a line that was cancelled while it waited are counted",
    file: "src/store/changes/group/group-totals.ts",
    find: "sum + (line.decision?.excessAmount ?? 0) / baseFactor(line), 0);",
    replace: "sum + Math.max(0, line.decision?.excessAmount ?? 0) / baseFactor(line), 0);",
  },
  {
    name: "does not count what is picked when it decides what is left",
    foundBy: "… by item, and told with a cart step",
    file: "src/store/changes/reconcile.ts",
    find: "  const missingAmount = roundAmount(asked - picked);",
    replace: "  const missingAmount = roundAmount(asked);",
  },
  {
    name: "leaves a follow-up order that nobody needs any more",
    foundBy: "… and goes again with the increase",
    file: "src/store/changes/write-contents.ts",
    find: '  if (order?.state === "waiting") orders.setState(number, "cancelled");',
    replace: "",
  },
  {
    name: "takes a new request id of a known line for another line",
    foundBy: "an order fetched again with new request ids ends and frees its container",
    file: "src/store/ledger/match/match-lines.ts",
    find: "      : lines.filter((line) => line.requestId === null || !shownIds.has(line.requestId));",
    replace: "      : lines.filter((line) => line.requestId === null && !shownIds.has(line.requestId));",
  },
  {
    name: "calls a change applied that nothing shows",
    foundBy: "a reduction survives that the waiting line is partly raised again",
    file: "src/store/changes/filing/judge-change.ts",
    find: "  return { verdict: verdictOf(sums, lines), picked, isFinal: isEnded || isShown };",
    replace: '  return { verdict: "applied", picked, isFinal: true };',
  },
  {
    name: "offers an order as new that was worked on before it was pushed",
    foundBy: "an order that was worked on before it was pushed is not offered as new",
    file: "src/store/pushes/push-work-order.ts",
    find: "    if (state !== undefined) orders.recordWork(number);",
    replace: "",
  },
  {
    name: "does not tell removed with the end of the order",
    foundBy: "… less what the platform gave up",
    file: "src/store/changes/filing/judge-change.ts",
    find: "  const isEnded = group.members.every((_, index) => hasEnded(group, index, lines));",
    replace: "  const isEnded = false && group.members.every((_, index) => hasEnded(group, index, lines));",
  },
  {
    name: "guesses the factor of a unit from one of several contents",
    foundBy: "the content of an order that has ended was never served, and no change lowers it",
    file: "src/store/ledger/factor-memory.ts",
    find: "  if (amount === 0 || other !== undefined) return uncertainFactor;",
    replace: "  if (amount === 0) return uncertainFactor;",
  },
  {
    name: "asks again for what the floor cut short",
    foundBy: "the same amount once more asks for nothing that was cut short",
    file: "src/store/changes/reconcile.ts",
    find: "Math.max(0, wanted - shortPicked)",
    replace: "Math.max(0, wanted)",
  },
  {
    name: "cancels a line that was fetched without another that nothing tells from it",
    foundBy: "a line is kept that was fetched alone, and has a twin in the order as it is now",
    file: "src/store/changes/offers/apply-model.ts",
    find: "!positions.has(other.position) && remainingOf(other) > 0",
    replace: "!positions.has(other.position) && other.requestId !== null && remainingOf(other) > 0",
  },
  {
    name: "asks again for a line that was given up before the order was given back",
    foundBy: "a line that was given up stays given up when the order is given back with nothing picked",
    file: "src/store/changes/open-changes.ts",
    find: "      keepShortPicked(needs, orderNumber);",
    replace: "",
  },
  {
    name: "holds a model against contents from after it was shown",
    foundBy: "of two lines in metres that nothing tells apart one is given up, and the other keeps its factor",
    file: "src/store/changes/open-changes.ts",
    find: "      bookLastModel(needs, orderNumber);",
    replace: "",
  },
  {
    name: "says nothing of a line that only a waiting follow-up order had while the order itself is picked",
    foundBy: "a line that only a waiting follow-up had is called removed, whoever picks the order itself",
    file: "src/store/changes/filing/settle-group.ts",
    find: "    if (isWholeOrder(change)) return true;",
    replace: "    return true;",
  },
  {
    name: "leaves goods at the put wall with the line that has too many of them",
    foundBy:
      "goods at the put wall that one line has too many of are for another line of the item that is short of them",
    file: "src/store/changes/filing/settle-group.ts",
    find: "!evenOutWall(needs.ledger, before)",
    replace: "true",
  },
  {
    name: "counts as cut short what a line that nothing tells apart still brings",
    foundBy: "… also where its lines were pushed in another order",
    file: "src/store/events/cancel-work-order-request.ts",
    find: "openOfWholeLine(changes.readKept(orderNumber), given)",
    replace: "0",
  },
  {
    name: "takes a step beyond a line for the one before it, whatever the platform shows",
    foundBy: "two steps beyond a line that has nothing left are two where they show another model",
    file: "src/store/events/book-confirmation.ts",
    find: "mark: fullMark(step, confirmed.mark)",
    replace: "mark: confirmed.mark",
  },
  {
    name: "tells a cancellation that was taken back, for a line that nobody has",
    foundBy: "a cancelled order that is wanted again, line by line, gets no receipt of its own",
    file: "src/store/changes/filing/judge-change.ts",
    find: "if (group.lines.some(isOwn)) return !lines.some(isOwn);",
    replace: "if (lines.length > 0) return false;",
  },
  {
    name: "leaves a line alone that the first push of an order in work does not name",
    foundBy: "the first push of an order that the floor has already says all that is wanted of it",
    file: "src/store/changes/filing/file-change.ts",
    find: "isFirst ? withUnnamed(group, pushed) : group.wanted",
    replace: "group.wanted",
  },
  {
    name: "waits for a line that an order has not which the platform got by another way",
    foundBy: "… until a model shows that it is not",
    file: "src/store/changes/offers/apply-model.ts",
    find: "isByAnotherWay || isLackedByAny(",
    replace: "isLackedByAny(",
  },
  {
    name: "counts as served what an order was given after its end",
    foundBy: "the content of an order that has ended was never served, and no change lowers it",
    file: "src/store/changes/write-contents.ts",
    find: "  if (isOrderEnded(main)) {",
    replace: "  if (isOrderEnded(main) && isWaiting(main)) {",
  },
  {
    name: "says nothing of a change that comes too late for pieces beyond the request",
    foundBy: "a change below what is picked is too late, where the external system had come to want it",
    file: "src/store/changes/line-amounts.ts",
    find: "isLowered ? sumOfLedgerLines(line, ledgerLines, takenOf) : 0",
    replace: "0",
  },
  {
    name: "takes the most of each of several lines that nothing tells apart for the most of all of them",
    foundBy: "of lines that nothing tells apart no more is lowered than both had at one time",
    file: "src/store/changes/offers/count-indistinguishable.ts",
    find: "    if (own.length < 2) continue;",
    replace: "    if (own.length < 99) continue;",
  },
  {
    name: "takes a line for another one of the item that has its amount now, whatever the lot",
    foundBy: "of lines that were fetched again the lot tells which is which, whatever their amounts have become since",
    file: "src/store/ledger/line-ref.ts",
    find: "(isLotShown ? 12 : 2)",
    replace: "2",
  },
];
