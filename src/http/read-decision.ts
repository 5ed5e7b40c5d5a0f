import type { Decision } from "../engine/overview/act-on-entry.ts";
import type { ActionName } from "../engine/overview/action-states.ts";
import type { BulkDecision } from "../engine/overview/bulk-act.ts";
import type { EditedBody } from "../engine/overview/check-edit.ts";
import type { QueryErrors } from "./read-entry-query.ts";
import { readJson } from "./read-json.ts";

export type DecisionReading =
  | { readonly decision: Decision; readonly operator: string }
  | { readonly errors: QueryErrors };
type Members = Readonly<Record<string, unknown>>;

const maxCharacters = 1000;

/** Who decided what and why: a decision without a name, or an edit without a reason, is not taken. */
export function readDecision(action: ActionName, members: Members): DecisionReading {
  const named = readOperator(members);
  const reason = action === "retry" ? "" : textIn(members, "reason");
  const json = action === "edit" ? editedBody(members["body"]) : undefined;
  const errors = {
    ...("errors" in named ? named.errors : {}),
    ...(reason === null ? { reason: textExpected } : {}),
    ...(json === null ? { body: ["must be the new body: a JSON object, or its text"] } : {}),
  };
  if ("errors" in named || reason === null || json === null) return { errors };
  const { operator } = named;
  if (action === "retry") return { decision: { action }, operator };
  if (action !== "edit") return { decision: { action, reason }, operator };
  return json === undefined ? { errors } : { decision: { action, reason, body: json }, operator };
}

export function readOperator(members: Members): { readonly operator: string } | { readonly errors: QueryErrors } {
  const operator = textIn(members, "operator");
  return operator === null ? { errors: { operator: textExpected } } : { operator };
}

/** Who decided and why, for what is decided with nothing more. */
export function readReason(
  body: unknown,
): { readonly operator: string; readonly reason: string } | { readonly errors: QueryErrors } {
  const members = (typeof body === "object" && body !== null ? body : {}) as Members;
  const operator = textIn(members, "operator");
  const reason = textIn(members, "reason");
  if (operator !== null && reason !== null) return { operator, reason };
  return {
    errors: {
      ...(operator === null ? { operator: textExpected } : {}),
      ...(reason === null ? { reason: textExpected } : {}),
    },
  };
}

const textExpected = [`must be a text of 1 to ${maxCharacters} characters`];

function textIn(members: Members, name: string): string | null {
  const value = members[name];
  return typeof value === "string" && value.trim() !== "" && value.length <= maxCharacters ? value.trim() : null;
}

/** A text is taken as it is, so that long numbers survive; an object is for those who have none. */
function editedBody(body: unknown): EditedBody | null {
  const json = readJson(Buffer.from(typeof body === "string" ? body : (JSON.stringify(body) ?? "")));
  return "value" in json ? json : null;
}

export const isBulk = (decision: Decision): decision is BulkDecision => decision.action !== "edit";
