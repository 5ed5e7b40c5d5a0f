import { type Scope, scopeAt } from "../../sdk/http/template.ts";
import type { WhenOptions } from "./request-options.ts";

/** Whether a condition holds; none at all always does. */
export function isMet(when: WhenOptions | undefined, scope: Scope): boolean {
  if (when === undefined) return true;
  const found = scopeAt(scope, when.path);
  return when.equals === undefined ? found !== undefined && found !== null && found !== false : found === when.equals;
}
