import { isPlainObject } from "../../../config/document/config-shape.ts";
import { NotEditable } from "../../../config/edit/edit-text.ts";
import type { GivenChange } from "../../../server/workshop/config-editor.ts";

/** What readers see in place of a secret. */
const hidden = "***";

/**
 * Puts secrets back where a change contains what readers see of them: whoever changes one member of a section sends the
 * others as they were shown. Throws NotEditable where it is not clear which secret was meant.
 */
export function withHiddenSecrets(change: GivenChange, before: unknown, mask: (text: string) => string): GivenChange {
  const shown = (value: unknown): unknown => JSON.parse(mask(JSON.stringify(value)));
  const restored = (was: unknown, is: unknown): unknown => {
    if (typeof is === "string") {
      if (!is.includes(hidden) || is === was) return is;
      if (typeof was === "string" && shown(was) === is) return was;
      throw new NotEditable(change.path, `${hidden} stands for a hidden secret; write the secret or where it is kept`);
    }
    if (Array.isArray(is)) {
      // If an element was added or removed, the others may have another place.
      const isSameLength = Array.isArray(was) && was.length === is.length;
      return is.map((one, index) => restored(isSameLength ? was[index] : undefined, one));
    }
    if (!isPlainObject(is)) return is;
    const member = (name: string) => (isPlainObject(was) && Object.hasOwn(was, name) ? was[name] : undefined);
    return Object.fromEntries(Object.entries(is).map(([name, one]) => [name, restored(member(name), one)]));
  };
  return { ...change, value: restored(before, change.value) };
}
