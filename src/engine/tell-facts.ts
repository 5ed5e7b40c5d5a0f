import type { TellId } from "../contract/operations.ts";
import { lanesOfTell } from "./lanes.ts";
import { type SayingRule, sayingRule } from "./repeat-rule.ts";

/** What the engine has to know of an event to store it: plain data, since large events are read in another thread. */
export interface TellFacts {
  readonly lanes: readonly string[];
  readonly rule: SayingRule;
}

export const tellFacts = (id: TellId, input: unknown): TellFacts => ({
  lanes: lanesOfTell(id, input),
  rule: sayingRule(id, input),
});
