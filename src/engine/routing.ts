import type { OfferedId } from "../contract/operations.ts";
import type { OpenConnector, Operate } from "../sdk/connector.ts";

/** Who serves an operation. */
export interface Binding {
  readonly connector: OpenConnector;
  /** Tells of a resident connector take effect inside the journal's own transaction. */
  readonly resident: boolean;
}

export interface Routing {
  /** The ask, or the tell of a connector outside our database; undefined where it is not offered. */
  readonly operate: (id: OfferedId) => Operate<OfferedId> | undefined;
  readonly isResident: (id: OfferedId) => boolean;
}

/** Which connector serves which operation. So far one connector serves them all. */
export function routing({ connector, resident }: Binding): Routing {
  // An input is checked against its own row before it gets here; the union of all rows cannot express that.
  const operations = connector.operations as Partial<Record<OfferedId, Operate<OfferedId>>>;
  return { operate: (id) => operations[id], isResident: () => resident };
}
