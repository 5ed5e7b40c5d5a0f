import { decodeValue, type RouteMatch, readQuery } from "../../contract/derive/match-route.ts";
import { maxErrorMessages } from "../../contract/envelope.ts";
import { jsonLimitsOf, limits } from "../../contract/limits.ts";
import { type EventId, type OperationId, operationRow, type QueryId } from "../../contract/operations.ts";
import { withPlacedNothing } from "../../contract/validate/canonical-names.ts";
import type { Problem } from "../../contract/validate/problem.ts";
import { type Validator, validator } from "../../contract/validate/validator.ts";
import { type EventFacts, eventFacts } from "../../engine/events/repeat-rule.ts";
import { mayHoldLongNumbers, parseJsonKeepingDigits } from "../../kit/json/exact-number.ts";
import type { JsonLimits } from "../../kit/json/scan-json.ts";
import { type BadId, hasLongIds, sentIds, withLongIds, withSubstituteIds } from "../../operation/platform-ids.ts";
import { readJson } from "./parse-json-body.ts";

export type InputReading =
  | {
      readonly input: unknown;
      readonly text: string;
      /** The JSON text with the documented spelling; null if that is what was sent. */
      readonly payload: string | null;
      /**
       * Ids that do not fit a JavaScript number, by their substitutes: the answer has to repeat them as they were sent.
       */
      readonly longIds?: ReadonlyMap<number, string>;
    }
  | { readonly problems: readonly Problem[]; readonly problemCount: number };

export interface InputReader {
  readonly fromAddress: (match: RouteMatch) => InputReading;
  readonly fromBody: (id: OperationId, bytes: Uint8Array | undefined) => InputReading;
  /** Like `fromBody`, but returns null if collecting all problems, or keeping the digits of long ids, would take long. */
  readonly fromBodySoon: (id: OperationId, bytes: Uint8Array) => InputReading | null;
  /** Compiles the checks of an operation. Otherwise its first request would wait for that. */
  readonly prepare: (id: OperationId) => void;
}

function longIds(text: string, canonical: Validator["canonical"]): InputReading {
  const { input, badIds } = withLongIds(text, canonical);
  if (badIds.length > 0) return { problems: badIds.map(problemOfId), problemCount: badIds.length };
  const payload = JSON.stringify(withSubstituteIds(text, canonical));
  return { input, text, payload, longIds: sentIds(text) };
}

function problemOfId({ field, digits: found }: BadId): Problem {
  // As a number, the first id beyond the limit is equal to the limit.
  if (Number(found) >= limits.id) return { field, expected: "at-most", detail: String(limits.id), found };
  if (Number(found) <= -limits.id) return { field, expected: "at-least", detail: String(-limits.id - 1n), found };
  return { field, expected: "whole-number", found };
}

/** An event with long ids is parsed three times. A longer one is read in the other thread. */
const longIdsLength = 8 * 1024;

interface QueryName {
  readonly name: string;
  readonly lowerCase: string;
}

/** Turns a request into the input of the row's schema, or into all of its problems. */
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

  const allProblems = (id: OperationId, value: unknown, text: string): InputReading => {
    const { canonical, problems, problemCount } = validatorOf(id);
    const input = withPlacedNothing(id, canonical(value));
    // A number is reported as it was sent, and not as the nearest one that JavaScript holds.
    const asSent = mayHoldLongNumbers(text) ? canonical(parseJsonKeepingDigits(text)) : input;
    const found = problems(input, asSent);
    return { problems: found, problemCount: problemCount(input, found) };
  };
  const ifValid = (id: OperationId, value: unknown, text: string, mostLong = Infinity): InputReading | null => {
    const checks = validatorOf(id);
    const input = withPlacedNothing(id, checks.canonical(value));
    if (!checks.isValid(input)) return null;
    if (operationRow(id).kind === "event" && (hasLongIds(input) || mayHoldLongNumbers(text))) {
      if (text.length > mostLong) return null;
      return longIds(text, (sent) => withPlacedNothing(id, checks.canonical(sent)));
    }
    return { input, text, payload: input === value ? null : JSON.stringify(input) };
  };
  const checked = (id: OperationId, value: unknown, text: string): InputReading =>
    ifValid(id, value, text) ?? allProblems(id, value, text);

  /** Members of an address already have their documented names, so nothing has to be renamed. */
  const checkedAddress = (id: OperationId, input: unknown): InputReading =>
    validatorOf(id).isValid(input) ? { input, text: "", payload: null } : allProblems(id, input, "");

  return {
    prepare: (id) => {
      limitsOf(id);
      validatorOf(id).isValid(null);
    },
    fromAddress: (match) => {
      const { params, query } = operationRow(match.id);
      if (params !== undefined) {
        const [name = ""] = Object.keys(params.properties);
        return checkedAddress(match.id, { [name]: decodeValue(match.rawValue ?? "") });
      }
      if (query === undefined) return { input: {}, text: "", payload: null };
      const twice = new Set<string>();
      const sent = readQuery(match.rawQuery, (name) => twice.add(name));
      const value: Record<string, string> = {};
      const problems: Problem[] = [];
      for (const { name, lowerCase } of queryNamesOf(match.id, query)) {
        const member = sent.get(lowerCase);
        if (member !== undefined) value[name] = member;
        if (twice.has(lowerCase)) problems.push({ field: name, expected: "duplicate-member" });
      }
      if (problems.length > 0) return { problems, problemCount: problems.length };
      return checkedAddress(match.id, value);
    },
    fromBody: (id, bytes) => {
      const json = readJson(bytes, limitsOf(id));
      return "problem" in json ? { problems: [json.problem], problemCount: 1 } : checked(id, json.value, json.text);
    },
    fromBodySoon: (id, bytes) => {
      const json = readJson(bytes, limitsOf(id));
      return "problem" in json
        ? { problems: [json.problem], problemCount: 1 }
        : ifValid(id, json.value, json.text, longIdsLength);
    },
  };
}

/**
 * An event's body that was read in another thread: its text, and the facts that the engine needs. The parsed value
 * stays in that thread.
 */
export type EventReading =
  | (Omit<Extract<InputReading, { text: string }>, "input"> & { readonly facts: EventFacts })
  | Extract<InputReading, { problems: unknown }>;

/** Reads large bodies of events in another thread. Parsing them in this one would block all other requests. */
export interface EventReader {
  readonly read: (id: EventId, body: Uint8Array) => Promise<EventReading>;
  /** Returns all problems of a body that is known to be invalid. A few kilobytes may have thousands of errors. */
  readonly problems: (id: QueryId, body: Uint8Array) => Promise<Extract<InputReading, { problems: unknown }>>;
  readonly close: () => Promise<void>;
}

/** Whether a text is a usable key: not empty, not longer than the limit, and visible ASCII characters only. */
export const isIdempotencyKey = (text: string): boolean =>
  text.length <= limits.idempotencyKeyLength && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text);

/** The reading of an event whose key cannot be used, as of any other invalid input. */
export function withKeyChecked<Reading extends InputReading | EventReading>(
  reading: Reading,
  key: string | undefined,
): Reading | Extract<InputReading, { problems: unknown }> {
  if (key === undefined || "problems" in reading || isIdempotencyKey(key)) return reading;
  const detail = String(limits.idempotencyKeyLength);
  const isLong = key.length > limits.idempotencyKeyLength;
  const field = "Idempotency-Key";
  const problem: Problem = isLong ? { field, expected: "length", detail } : { field, expected: "visible-text" };
  return { problems: [problem], problemCount: 1 };
}

/** Larger events are read in the other thread. Usual ones have about two thousand bytes. */
const largeBytes = 64 * 1024;
/** The problems of larger bodies are collected in the other thread. */
const manyProblemsBytes = 2 * 1024;

export function readEvent(reader: InputReader, id: EventId | QueryId, bytes: Uint8Array): EventReading {
  const reading = reader.fromBody(id, bytes);
  // Only the problems that are shown: taking over thousands of them from the other thread takes as long as parsing the
  // body.
  if ("problems" in reading) return { ...reading, problems: reading.problems.slice(0, maxErrorMessages) };
  const { input, ...rest } = reading;
  return { ...rest, facts: isEvent(id) ? eventFacts(id, input) : noFacts };
}

const isEvent = (id: EventId | QueryId): id is EventId => operationRow(id).kind === "event";
const noFacts: EventFacts = { lanes: [], rule: { when: "always" } };

interface Readers {
  readonly reader: InputReader;
  readonly events: EventReader | null;
}

/** Reads the body of an event, in this thread if that is quick. */
export function readEventInput(
  { reader, events }: Readers,
  id: EventId,
  body: Uint8Array | undefined,
): InputReading | Promise<EventReading> {
  if (events === null || body === undefined || body.length <= manyProblemsBytes) return reader.fromBody(id, body);
  const reading = body.length > largeBytes ? null : reader.fromBodySoon(id, body);
  return reading ?? events.read(id, body);
}

/**
 * Reads the body of a query, which is not large. Its problems are collected in another thread if that may take long.
 */
export function readQueryInput(
  { reader, events }: Readers,
  id: QueryId,
  body: Uint8Array | undefined,
): InputReading | Promise<InputReading> {
  if (events === null || body === undefined || body.length <= manyProblemsBytes) return reader.fromBody(id, body);
  return reader.fromBodySoon(id, body) ?? events.problems(id, body);
}
