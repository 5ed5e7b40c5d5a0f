import type { Preview } from "../../sdk/connector.ts";

interface Line {
  readonly id: string | null;
  /** What a person would recognise the line by. */
  readonly content: string;
  readonly item: string;
  readonly lot: string;
}

interface Order {
  readonly number: string;
  readonly lines: readonly Line[];
}

const servesOrders: readonly string[] = ["listWorkOrders", "findWorkOrderByCode", "workOrders"];

/** Whether a second reading can show anything, which needs orders whose lines have ids. */
export const hasLineIds = (previews: readonly Preview[]): boolean =>
  ordersIn(previews).some(({ lines }) => lines.some(({ id }) => id !== null));

/**
 * Warns about line ids that do not identify a line for long. The adapter finds a line by its id in every later content
 * of its order. With unstable ids, a changed order would seem to have other lines, and bookings would go to the wrong
 * ones.
 */
export function lineIdWarnings(first: readonly Preview[], second: readonly Preview[]): readonly string[] {
  const orders = ordersIn(first);
  const again = new Map(ordersIn(second).map((order) => [order.number, order]));
  const found = [
    orders.map(sharedId).find((text) => text !== undefined),
    orders.map(withoutId).find((text) => text !== undefined),
    orders.map((order) => changedIds(order, again.get(order.number))).find((text) => text !== undefined),
  ];
  return found.flatMap((text) => (text === undefined ? [] : [text]));
}

function sharedId({ number, lines }: Order): string | undefined {
  const ids = lines.flatMap(({ id }) => (id === null ? [] : [id]));
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  return twice === undefined
    ? undefined
    : `order ${number} has two lines with the id ${twice}: they are taken for one line. Map requestExternalIdentifier from what differs, or set \`lineKey\``;
}

function withoutId({ number, lines }: Order): string | undefined {
  const bare = lines.filter(({ id }) => id === null);
  const twice = bare.find((line) => bare.some((other) => other !== line && isSameGoods(other, line)));
  return twice === undefined
    ? undefined
    : `order ${number} has ${twice.item} on several lines without requestExternalIdentifier: a step or a change cannot say which one it means. Map an id that stays, or set \`lineKey\``;
}

function changedIds({ number, lines }: Order, again: Order | undefined): string | undefined {
  if (again === undefined || lines.length !== again.lines.length) return undefined;
  // An order that was changed meanwhile shows nothing about its ids.
  if (lines.some((line, index) => line.content !== again.lines[index]?.content)) return undefined;
  const index = lines.findIndex((line, at) => line.id !== again.lines[at]?.id);
  return index < 0
    ? undefined
    : `the id of a line of order ${number} was ${lines[index]?.id} and, read again at once, ${again.lines[index]?.id}: such ids are not stable. Set \`lineKey\` to members that stay the same, such as [itemNumber, lotNumber]`;
}

const isSameGoods = (one: Line, other: Line): boolean => one.item === other.item && one.lot === other.lot;

function ordersIn(previews: readonly Preview[]): readonly Order[] {
  return previews
    .filter(({ serves }) => servesOrders.includes(serves))
    .flatMap(({ mapped }): Order[] => {
      if (!isObject(mapped) || !Array.isArray(mapped["requests"])) return [];
      const requests: readonly unknown[] = mapped["requests"];
      return [{ number: String(mapped["number"] ?? "?"), lines: requests.filter(isObject).map(lineOf) }];
    });
}

function lineOf(line: Readonly<Record<string, unknown>>): Line {
  const { requestExternalIdentifier: id, requestExternalData: _data, ...content } = line;
  const isNamed = (typeof id === "string" && id !== "") || typeof id === "number";
  return {
    id: isNamed ? String(id) : null,
    content: JSON.stringify(content),
    item: String(line["itemNumber"] ?? ""),
    lot: String(line["lotNumber"] ?? ""),
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
