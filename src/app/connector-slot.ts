import type { OfferedId } from "../contract/operations.ts";
import type { CallContext, OpenConnector } from "../sdk/connector.ts";
import { Fault } from "../sdk/fault.ts";
import type { HeldConnector } from "./held-connector.ts";

/**
 * The place of one named connector. Whoever calls through it reaches the one that is there now: an event that was
 * written down just before a reload must not be delivered by a connector that is closed by then.
 */
export interface ConnectorSlot {
  readonly name: string;
  readonly held: () => HeldConnector | null;
  /** Puts another one in, or none; the one before is the caller's to close. */
  readonly put: (next: HeldConnector | null) => void;
  /** What the one that is there offers, to be called through this place. */
  readonly offering: () => Pick<OpenConnector, "operations" | "notices" | "returnsUpdates" | "neverRefuses">;
}

export function connectorSlot(name: string): ConnectorSlot {
  let held: HeldConnector | null = null;
  const now = (): HeldConnector => {
    if (held === null) throw new Fault("unreachable", `the configuration has no connector named ${name} any more`);
    return held;
  };
  return {
    name,
    held: () => held,
    put: (next) => {
      held = next;
    },
    offering: () => {
      const { operations, notices, returnsUpdates, neverRefuses } = now().connector;
      const through = Object.keys(operations).map((id) => [
        id,
        // Each takes and gives what its own row says; a list of all of them cannot say that.
        (input: unknown, context: CallContext) => now().call(id as OfferedId, input, context),
      ]);
      return {
        operations: Object.fromEntries(through) as OpenConnector["operations"],
        ...(notices === undefined
          ? {}
          : { notices: (topic, payload, context) => now().notice(topic, payload, context) }),
        ...(returnsUpdates === undefined ? {} : { returnsUpdates }),
        ...(neverRefuses === undefined ? {} : { neverRefuses }),
      };
    },
  };
}
