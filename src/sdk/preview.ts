import type { AskId } from "../contract/operations.ts";
import type { PushTopic } from "../contract/pushes.ts";

/** One record as it came from the external system, and what the mapping made of it. */
export interface Preview {
  readonly serves: AskId | PushTopic;
  readonly raw: unknown;
  /** Before any check against the contract: the one who shows it checks it. */
  readonly mapped: unknown;
  /** What the mapping itself could not do, such as an amount it must not round. */
  readonly problems: readonly { readonly field: string; readonly text: string }[];
  /** The source field that feeds a member of `mapped`. */
  readonly sourceOf: (field: string) => string | undefined;
}
