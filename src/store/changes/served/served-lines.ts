import type { WorkOrder } from "../../../contract/schemas/work-order.ts";
import { type LineNames, lineKey, type ServedLine, sameLine } from "../../ledger/line-ref.ts";
import type { OrderStore } from "../../order-store.ts";
import { reuseLines, type ServedContent, servedContent, versionsByName } from "./served-content.ts";

/** All contents that an order was served with, grouped by line. */
interface ServedLines {
  readonly orderNumber: string;
  readonly served: readonly ServedContent[];
  readonly present: WorkOrder | undefined;
  /** The version of all contents when the present one was read. */
  version: number;
  readonly byKey: ReadonlyMap<string, readonly ServedContent[]>;
  readonly byItem: () => ReadonlyMap<string, readonly ServedContent[]>;
}

/**
 * Finds a line, and lines that cannot be told apart from it, in the contents of an order, the present one last. The
 * lines of the latest order are kept: a step asks for each line of its model, and reading all contents for each would
 * take minutes.
 */
export function openServedLines(
  orders: Pick<OrderStore, "find" | "contentVersion">,
): (orderNumber: string, served: readonly ServedContent[], line: LineNames) => readonly ServedContent[] {
  let latest: ServedLines | null = null;
  const linesOf = (orderNumber: string, served: readonly ServedContent[]): ServedLines => {
    const version = orders.contentVersion();
    const known = latest?.orderNumber === orderNumber && latest.served === served ? latest : null;
    if (known?.version === version) return known;
    const present = orders.find(orderNumber)?.workOrder;
    if (known !== null && known.present === present) {
      known.version = version;
      return known;
    }
    const contents = withPresent(served, present);
    let byItem: ServedLines["byKey"] | undefined;
    latest = {
      ...{ orderNumber, served, present, version },
      byKey: versionsByName(contents, lineKey),
      byItem: () => {
        byItem ??= versionsByName(contents, itemOf);
        return byItem;
      },
    };
    return latest;
  };
  return (orderNumber, served, line) => {
    const { byKey, byItem } = linesOf(orderNumber, served);
    const own = byKey.get(lineKey(line));
    if (own !== undefined) return own;
    // A line seen without its external id is found by its item and lot. One with an id that no content has may be one
    // without an id.
    return having(byItem().get(itemOf(line)) ?? [], (one) => sameLine(one, line));
  };
}

/** Every content that the platform may have fetched, including the present one. */
export const withPresent = (
  served: readonly ServedContent[],
  present: WorkOrder | undefined,
): readonly ServedContent[] =>
  present === undefined ? served : [...served, reuseLines(servedContent(present.requests), served.at(-1))];

const having = (contents: readonly ServedContent[], isMeant: (served: ServedLine) => boolean): ServedContent[] =>
  contents.map((content) => content.filter(isMeant)).filter((lines) => lines.length > 0);

const itemOf = ({ itemNumber }: LineNames): string => itemNumber ?? "";
