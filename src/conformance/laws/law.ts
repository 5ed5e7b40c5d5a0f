import type { OperationId } from "../../contract/operations.ts";
import type { Exchange } from "../exchange.ts";
import type { Basis } from "../sentences.ts";

/** A promise about every single answer of an endpoint, whatever was asked. */
export interface Law {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly basis: Basis;
  readonly appliesTo: (operation: OperationId) => boolean;
  /** What should have been; null where all is well, undefined where this answer says nothing about it. */
  readonly judge: (exchange: Exchange) => string | null | undefined;
}
