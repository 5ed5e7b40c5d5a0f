import { userInfo } from "node:os";
import { CommandFailure } from "./command-failure.ts";

export const personOptions = {
  as: { value: "NAME", description: "who decides this, for the audit (else your user name)" },
} as const;

/** The name a decision is written down under. */
export function actingPerson(given: string | undefined): string {
  if (given !== undefined) return given;
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    throw new CommandFailure("this user has no name", { next: "say who decides this with --as NAME" });
  }
}

export function neededReason(given: string | undefined, action: string): string {
  if (given !== undefined && given.trim() !== "") return given;
  throw new CommandFailure(`${action} needs a reason`, { next: `say why with --reason "…"; it goes into the audit` });
}
