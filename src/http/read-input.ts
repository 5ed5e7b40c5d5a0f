import { decodeValue, type RouteMatch, readQuery } from "../contract/derive/match-route.ts";
import { type OperationId, operationRow } from "../contract/operations.ts";
import { type Problem, type Validator, validator } from "../contract/validator.ts";
import { readJson } from "./read-json.ts";

export type InputReading =
  | {
      readonly input: unknown;
      readonly text: string;
      /** JSON text with the documented spelling where the sent one differs. */
      readonly payload: string | null;
    }
  | { readonly problems: readonly Problem[]; readonly problemCount: number };

export interface InputReader {
  readonly fromAddress: (match: RouteMatch) => InputReading;
  readonly fromBody: (id: OperationId, bytes: Uint8Array | undefined) => InputReading;
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
    if (!isValid(input)) return { problems: problems(input), problemCount: problemCount(input) };
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
      const json = readJson(bytes);
      return "problem" in json ? { problems: [json.problem], problemCount: 1 } : checked(id, json.value, json.text);
    },
  };
}
