import { type OfferedId, operationIds, operationRow } from "../contract/operations.ts";
import type { OpenConnector } from "./connector.ts";

/** What a connector can be bound to. */
export interface Offer {
  readonly operations: readonly OfferedId[];
  /** Whether it takes what the adapter tells on its own account. */
  readonly takesNotices: boolean;
  /** Whether it brings pushes in by itself. */
  readonly bringsIn: boolean;
}

/** What an open one offers. */
export const offerOf = ({
  operations,
  notices,
  source,
}: Pick<OpenConnector, "operations" | "notices" | "source">): Offer => ({
  operations: offeredAmong(operations),
  takesNotices: notices !== undefined,
  bringsIn: source !== undefined,
});

/** The operations of the contract that are named in it. */
export const offeredAmong = (named: Readonly<Partial<Record<OfferedId, unknown>>>): OfferedId[] =>
  operationIds.filter(
    (id): id is OfferedId => operationRow(id).budget !== "none" && named[id as OfferedId] !== undefined,
  );
