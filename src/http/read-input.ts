import { decodeValue, type RouteMatch, readQuery } from "../contract/derive/match-route.ts";
import { jsonLimitsOf } from "../contract/json-limits.ts";
import { type OperationId, operationRow } from "../contract/operations.ts";
import { type Problem, type Validator, validator } from "../contract/validator.ts";
import type { JsonLimits } from "../kit/scan-json.ts";
import { hasLongIds, withLongIds, withStandIns } from "../sdk/platform-ids.ts";
import { readJson } from "./read-json.ts";

export type InputReading =
  | {
      readonly input: unknown;
      readonly text: string;
      /** JSON text with the documented spelling where the sent one differs. */
      readonly payload: string | null;
      /** Ids of the platform are in it that no number holds: the answer has to name them as they were sent. */
      readonly hasLongIds?: true;
    }
  | { readonly problems: readonly Problem[]; readonly problemCount: number };

export interface InputReader {
  readonly fromAddress: (match: RouteMatch) => InputReading;
  readonly fromBody: (id: OperationId, bytes: Uint8Array | undefined) => InputReading;
}

function longIds(text: string, canonical: Validator["canonical"]): InputReading {
  const input = withLongIds(text, canonical);
  if (input === null) return { problems: [{ field: "requestId", expected: "whole-number" }], problemCount: 1 };
  const payload = JSON.stringify(withStandIns(withLongIds(text, canonical)));
  return { input, text, payload, hasLongIds: true };
}

interface QueryName {
  readonly name: string;
  readonly lowerCase: string;
}

/** Turns what was sent into what the row's schema describes, or into everything that is wrong with it. */
export function inputReader(): InputReader {
  const validators = new Map<OperationId, Validator>();
  // Compiled on first use: twenty schemas at once would cost a third of the start-up time.
  const validatorOf = (id: OperationId): Validator => {
    let known = validators.get(id);
    if (known === undefined) {
      const { body, query, params } = operationRow(id);
      const schema = body ?? query ?? params;
      if (schema === undefined) throw new Error(`${id} takes no input`);
      known = validator(schema);
      validators.set(id, known);
    }
    return known;
  };

  const jsonLimits = new Map<OperationId, JsonLimits>();
  const limitsOf = (id: OperationId): JsonLimits => {
    let known = jsonLimits.get(id);
    if (known === undefined) {
      known = jsonLimitsOf(operationRow(id).body);
      jsonLimits.set(id, known);
    }
    return known;
  };

  const queryNames = new Map<OperationId, readonly QueryName[]>();
  const queryNamesOf = (id: OperationId, query: { readonly properties: object }): readonly QueryName[] => {
    let known = queryNames.get(id);
    if (known === undefined) {
      known = Object.keys(query.properties).map((name) => ({ name, lowerCase: name.toLowerCase() }));
      queryNames.set(id, known);
    }
    return known;
  };

  const checked = (id: OperationId, value: unknown, text: string): InputReading => {
    const { canonical, isValid, problems, problemCount } = validatorOf(id);
    const input = canonical(value);
    if (!isValid(input)) {
      const told = problems(input);
      return { problems: told, problemCount: problemCount(input, told) };
    }
    if (operationRow(id).kind === "tell" && hasLongIds(input)) return longIds(text, canonical);
    return { input, text, payload: input === value ? null : JSON.stringify(input) };
  };

  return {
    fromAddress: (match) => {
      const { params, query } = operationRow(match.id);
      if (params !== undefined) {
        const [name = ""] = Object.keys(params.properties);
        return { input: { [name]: decodeValue(match.rawValue ?? "") }, text: "", payload: null };
      }
      if (query === undefined) return { input: {}, text: "", payload: null };
      const sent = readQuery(match.rawQuery);
      const value: Record<string, string> = {};
      for (const { name, lowerCase } of queryNamesOf(match.id, query)) {
        const member = sent.get(lowerCase);
        if (member !== undefined) value[name] = member;
      }
      return checked(match.id, value, "");
    },
    fromBody: (id, bytes) => {
      const json = readJson(bytes, limitsOf(id));
      return "problem" in json ? { problems: [json.problem], problemCount: 1 } : checked(id, json.value, json.text);
    },
  };
}
