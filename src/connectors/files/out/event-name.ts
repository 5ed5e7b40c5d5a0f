import { Fault } from "../../../sdk/fault.ts";
import { namePart } from "../store/file-name.ts";
import type { EventSource } from "./event-source.ts";

const parts: Readonly<Record<string, (event: EventSource) => string>> = {
  entryId: ({ entryId }) => entryId,
  // As many digits as a journal will ever have, so that names sort as the events came.
  seq: ({ seq }) => String(seq).padStart(10, "0"),
  topic: ({ topic }) => topic,
  orderNumber: ({ orderNumber }) => orderNumber || "none",
  date: ({ receivedAt }) => receivedAt.slice(0, 10).replaceAll("-", ""),
};
const maxPartBytes = 60;

/** The name of an event's file by its pattern. The same entry has the same name on every attempt. */
export function eventName(pattern: string): (event: EventSource) => string {
  if (!pattern.includes("{entryId}")) {
    throw new Fault(
      "invalid",
      `name: ${pattern} needs {entryId}; without it one event would take the place of another`,
    );
  }
  if (/[/\\\0]/.test(pattern) || /^[.-]/.test(pattern)) {
    throw new Fault("invalid", `name: ${pattern} must be a plain file name; the folder is given by \`folder\``);
  }
  for (const [, name = ""] of pattern.matchAll(/\{([^}]*)\}/g)) {
    if (!Object.hasOwn(parts, name)) {
      throw new Fault(
        "invalid",
        `name: there is no {${name}}; there are ${Object.keys(parts)
          .map((it) => `{${it}}`)
          .join(", ")}`,
      );
    }
  }
  return (event) => pattern.replace(/\{(\w+)\}/g, (_, name: string) => short(namePart(parts[name]?.(event) ?? "")));
}

/** Long numbers are cut; the entry's id, which makes the name unique, is short. */
function short(text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > maxPartBytes) cut = [...cut].slice(0, -1).join("");
  return cut;
}
