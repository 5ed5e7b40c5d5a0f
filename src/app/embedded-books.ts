import type { PushTopic } from "../contract/pushes.ts";
import type { ServedSettings } from "../engine/check-served.ts";
import type { RecordBooks } from "../engine/quarantine/order-sieve.ts";
import type { Quarantine } from "../engine/quarantine/quarantine.ts";
import { embeddedName } from "./check-references.ts";

/** Records of our own store that an earlier version took and this one does not serve are kept back under its name. */
export function embeddedBooks(
  served: Pick<ServedSettings, "dates" | "invalidOrders">,
  quarantine: Pick<Quarantine, "keep" | "holds" | "release">,
): ServedSettings {
  const booksOf = (kind: PushTopic): RecordBooks => ({
    keep: (number, problems, raw) => quarantine.keep({ source: embeddedName, kind, number, problems, raw }),
    holds: (number) => quarantine.holds(embeddedName, kind, number),
    release: (number) => quarantine.release(embeddedName, kind, number),
  });
  return {
    dates: served.dates,
    // Asked anew every time: a configuration may be changed while it runs.
    get invalidOrders() {
      return served.invalidOrders;
    },
    books: booksOf("workOrders"),
    itemBooks: booksOf("items"),
  };
}
