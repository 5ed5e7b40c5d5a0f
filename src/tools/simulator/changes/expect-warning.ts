import { UnitOfMeasure } from "../../../contract/enums.ts";
import type { Tally } from "../calls/call-tally.ts";
import { type MemberOrder, type OrderGroup, pickedOf } from "./simulated-order-group.ts";

/**
 * Reads from a text how many pieces to put aside now, by item, in any language: `item: … amount …`, or a list at its
 * very end.
 */
function asideIn(message: string | null): ReadonlyMap<string, number> {
  const single = /^(?<item>\S+) ?: \D*(?<amount>[\d.]*\d)/.exec(message ?? "")?.groups;
  if (single !== undefined) return new Map([[single["item"] ?? "", Number(single["amount"])]]);
  const list = (/: ([^:]+)\.$/.exec(message ?? "")?.[1]?.split(", ") ?? []).filter((one) => one !== "…");
  const parts = list.map((one) => /^(\S+) × ([\d.]+)(?: \S+)?$/.exec(one));
  // A list with another sentence after it is about what is still to be picked.
  if (parts.includes(null)) return new Map();
  return new Map(parts.flatMap((found) => (found === null ? [] : [[found[1] ?? "", Number(found[2])] as const])));
}

function countAnnounced({ announcedExcess }: MemberOrder, message: string | null): void {
  for (const [item, amount] of asideIn(message)) announcedExcess.set(item, (announcedExcess.get(item) ?? 0) + amount);
}

/**
 * Counts what the operator was told to put aside of an order that has not changed. An order that was fetched again may
 * be picked twice, and the adapter does not repeat after a change what it has already told. A text that names no order
 * is about a single line and does not count.
 */
export function noteAnnounced(orderGroup: OrderGroup, order: string, message: string | null): void {
  const member = orderGroup.members.find(({ number }) => number === order);
  if (member !== undefined && message?.includes(order) === true) countAnnounced(member, message);
}

/**
 * An operator who holds more of an item than is wanted must be told how many pieces to put aside. All texts together
 * must name exactly the surplus, because pieces that already lie aside are not named again.
 */
export function expectWarning(
  orderGroup: OrderGroup,
  { item, order, message }: { readonly item: string; readonly order: string; readonly message: string | null },
  tally: Tally,
): void {
  const lines = [...orderGroup.lines.values()].filter(({ content }) => content.itemNumber === item);
  const [first] = lines;
  if (first === undefined) return;
  const groups = new Set(lines.map(({ group }) => group));
  const picked = [...groups].reduce((sum, group) => sum + pickedOf(orderGroup, group), 0);
  const wanted = lines.reduce((sum, line) => sum + line.wanted, 0);
  // Numbers of orders and items contain digits too.
  const text = message?.replaceAll(order, "").replaceAll(item, "") ?? null;
  const note = (what: string, expected: string) =>
    tally.note({
      kind: "change",
      order,
      item,
      text: what,
      expected,
      found: message ?? "no text",
      calls: [...orderGroup.history],
    });
  const member = orderGroup.members.find(({ number }) => number === order);
  if (member === undefined) return;
  const { announcedExcess } = member;
  countAnnounced(member, message);
  const tooMuch = picked / first.factor - wanted;
  // The surplus that an adapter would compute if it read both amounts in the same unit.
  const misread = picked - wanted;
  if (tooMuch <= 0 && misread > 0 && isNamed(misread, text)) {
    note("the operator is told to put goods aside that are wanted", "no such text");
  }
  const here = [...groups].reduce((sum, group) => sum + (member.picked.get(group) ?? 0), 0) / first.factor;
  // Only pieces picked in this order are put aside here. Pieces of other orders may be named in the texts of those.
  const most = Math.min(here, tooMuch);
  const least = tooMuch - (picked / first.factor - here);
  const announced = announcedExcess.get(item) ?? 0;
  // Pieces that are wanted again are no surplus any more. They have to be named again if they become one later.
  announcedExcess.set(item, Math.min(announced, Math.max(0, most)));
  if (first.unit !== UnitOfMeasure.Piece) return;
  const found =
    announced < least ? "not told to put aside all pieces that are too much" : "told to put aside too many pieces";
  if (announced >= least && (announced <= Math.max(0, most) || asideIn(message).size === 0)) return;
  note(`the operator is ${found}`, `${least === most ? most : `${least} to ${most}`} in all, ${announced} were told`);
}

const isNamed = (amount: number, message: string | null): boolean =>
  new RegExp(`(?<!\\d)${amount}(?!\\d)`).test((message ?? "").replace(/(?<=\d)[\s.,](?=\d{3}(?!\d))/g, ""));
