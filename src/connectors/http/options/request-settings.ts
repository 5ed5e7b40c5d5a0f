import { type AnswerRules, type RefusalRule, ruleDefaults } from "../../../http-client/answers/judge-answer.ts";
import { defaultTimeouts, type Timeouts } from "../../../http-client/network/connection-pool.ts";
import { presets } from "../../../presets/catalogue.ts";
import { type HttpOptions, limitDefaults } from "./options.ts";
import type { RequestOptions } from "./request-options.ts";

export interface HttpSettings extends Omit<HttpOptions, "timeouts" | "limits" | "preset"> {
  readonly timeouts: Timeouts;
  readonly limits: { readonly maxAnswerMiB: number; readonly maxPages: number; readonly maxRecords: number };
}

/** The options merged over their preset. Merged before the check, because a preset may provide required options. */
export function withPreset(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const preset = presets.find(({ name }) => name === given["preset"]);
  const { auth, ...rest } = preset?.options ?? {};
  // Members of the preset's kind would be foreign to another one.
  const under = hasOtherKind(auth, given["auth"]) ? rest : (preset?.options ?? {});
  // Merging two objects gives an object.
  return mergeOptions(under, given) as Record<string, unknown>;
}

const hasOtherKind = (under: unknown, over: unknown): boolean =>
  isObject(under) && isObject(over) && over["kind"] !== undefined && over["kind"] !== under["kind"];

/** The options on top of their preset, with everything that has a default filled in. */
export function settingsOf(given: HttpOptions): HttpSettings {
  // A test checks each preset against the same schema, and merging keeps the type of each member.
  const { timeouts, limits, preset: _name, ...rest } = withPreset(given) as HttpOptions;
  return { ...rest, timeouts: { ...defaultTimeouts, ...timeouts }, limits: { ...limitDefaults, ...limits } };
}

export interface RuleNeeds {
  readonly settings: Pick<HttpSettings, "success" | "errorText">;
  readonly request: Pick<RequestOptions, "success" | "errorText">;
  readonly refusals?: readonly RefusalRule[] | undefined;
  readonly alreadyProcessed?: readonly number[] | undefined;
  readonly alreadyProcessedWhen?: AnswerRules["alreadyProcessedWhen"];
  readonly tryLaterWhen?: AnswerRules["tryLaterWhen"];
}

/** The rules for answers to one request: its own rules override the connector's. */
export function rulesOf({ settings, request, refusals, alreadyProcessed, ...when }: RuleNeeds): AnswerRules {
  const { mediaType, allowEmpty, messagePaths, targetTrouble, passing } = ruleDefaults;
  const errorText = request.errorText ?? settings.errorText;
  return {
    success: { mediaType, allowEmpty, ...settings.success, ...request.success },
    refusals: refusals ?? [],
    alreadyProcessed: alreadyProcessed ?? [],
    alreadyProcessedWhen: when.alreadyProcessedWhen,
    tryLaterWhen: when.tryLaterWhen,
    targetTrouble: [...targetTrouble],
    passing: [...passing],
    messagePaths: errorText === undefined ? [...messagePaths] : [errorText, ...messagePaths],
  };
}

/** Merges the options over a preset's: objects member by member, everything else as a whole. */
export function mergeOptions(under: unknown, over: unknown): unknown {
  if (over === undefined) return under;
  if (!isObject(under) || !isObject(over)) return over;
  const names = new Set([...Object.keys(under), ...Object.keys(over)]);
  return Object.fromEntries([...names].map((name) => [name, mergeOptions(own(under, name), own(over, name))]));
}

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
