import type { Config } from "../../config/config-schema.ts";
import { type DerivedEventId, derivedEventIds, derivedEvents } from "../../contract/derived-events.ts";
import { type EventId, type OperationId, operationIds, operationRow } from "../../contract/operations.ts";
import { type SourceShape, shapeOfSchema } from "../../mapping/source/source-shape.ts";
import { presets } from "../../presets/catalogue.ts";

type Options = Readonly<Record<string, unknown>>;
type AnyEvent = EventId | DerivedEventId;

const eventIds = operationIds.filter((id: OperationId): id is EventId => operationRow(id).kind === "event");

/** Events that report an amount. Without it the external system would know that something was picked, but not how much. */
const withAmounts: ReadonlySet<string> = new Set(["confirmPutWallPlacement", "confirmStep", "confirmCartStep"]);

/**
 * Requests for events that leave out what the event is about: the order, or the amount; and constants that are written
 * like the name of a field. All are allowed, and nobody would notice them before the books differ.
 */
export function eventWarnings({ connectors, events }: Pick<Config, "connectors" | "events">): string[] {
  const ids: readonly AnyEvent[] = [...eventIds, ...derivedEventIds];
  return ids.flatMap((id) => {
    const name = events.by[id] ?? events.to;
    const options: Options | undefined = name === undefined ? undefined : connectors[name];
    const request = options === undefined ? undefined : requestFor(id, options);
    if (name === undefined || request === undefined) return [];
    const place = `connectors.${name}.${request.path}`;
    const content = contentOf(request.options);
    return [
      ...(content.isWhole || content.texts.some(namesOrder)
        ? []
        : [`${place}: nothing in it says which order it is about; send workOrderNumber, too`]),
      ...(content.isWhole ||
      !withAmounts.has(id) ||
      content.texts.some(namesAmount) ||
      content.lists.some(isExpressionOfAmount)
        ? []
        : [`${place}: nothing in it says an amount; send the confirmed amount, such as line.confirmedAmount`]),
      ...content.constants
        .filter((text) => isFieldName(text))
        .map((text) => `${place}: the constant ${JSON.stringify(text)} is the name of a field; ${fieldInstead(text)}`),
    ];
  });
}

const fieldInstead = (text: string) => `for the field itself write ${text} in \`map\`, {${text}} in a request`;

interface EventRequest {
  readonly path: string;
  readonly options: Options;
}

/** What a connector's options say about an event; undefined if nothing, or exactly what their preset says. */
function requestFor(id: AnyEvent, options: Options): EventRequest | undefined {
  const group = options["type"] === "files" ? "out" : "operations";
  const own = memberOf(options[group], id);
  if (!isObject(own)) return undefined;
  const preset = presets.find(({ name }) => name === options["preset"]);
  const isOfPreset = JSON.stringify(memberOf(preset?.options[group], id)) === JSON.stringify(own);
  return isOfPreset ? undefined : { path: `${group}.${id}`, options: own };
}

/** The parts of a request that reach the external system. */
interface SentContent {
  /** Whether the whole event is sent. */
  isWhole: boolean;
  /** Paths, expressions and texts with placeholders. */
  readonly texts: string[];
  /** Paths of lists, of which other rules send the elements. */
  readonly lists: string[];
  readonly constants: string[];
}

function contentOf(options: Options): SentContent {
  const content: SentContent = { isWhole: false, texts: [], lists: [], constants: [] };
  const { map, body, steps, statements, params, path, method } = options;
  for (const step of [options, ...listOf(steps), ...listOf(statements)].filter(isObject)) {
    const { path: address, query, headers, body: text, each, sql, map: rules, name } = step;
    for (const part of [address, query, headers, text]) addTemplates(part, content);
    if (typeof name === "string") content.texts.push(name);
    // Only its parameters: columns may have any name.
    if (typeof sql === "string") content.texts.push(...(sql.match(/:[\w.]+/g) ?? []));
    if (typeof each === "string") content.lists.push(each);
    addRules(rules, content);
  }
  addRules(params, content);
  const isBodiless = method === "GET" || method === "DELETE";
  // Without rules and without a body, the event itself is sent; so it is as a file, and by a rule such as `$`.
  const isAsItIs = map === undefined && body === undefined && steps === undefined && statements === undefined;
  content.isWhole ||= isAsItIs && (path === undefined || !isBodiless);
  content.isWhole ||=
    content.texts.some((text) => whole.test(text)) || (map === undefined && content.texts.some(isMapped));
  return content;
}

/** A placeholder, parameter or path for the whole event, or for one element of it. */
const whole = /\{\s*(?:input|element)\s*\}|:(?:body|each)\b(?!\.)|^\s*(?:\$|data)\s*$|\$\$/i;
const isMapped = (text: string) => /\{\s*mapped\s*\}/i.test(text);

/** Names of the order, and data of the order or of its line: what an ERP has put there may be its own key. */
const orderName =
  /(?<![\w$])(?:workOrderNumber|workOrderExternalIdentifier|orderNumber|workOrder|number)\b|\border\.\w|\bline\.data\b|externalData/i;
const namesOrder = (text: string) => orderName.test(text);
const namesAmount = (text: string) => /amount|containersBreakdown/i.test(text);
const isExpressionOfAmount = (text: string) => text.trimStart().startsWith("=") && namesAmount(text);

/** Texts of a request. Those without a placeholder are constants. */
function addTemplates(part: unknown, content: SentContent): void {
  if (typeof part === "string") (/\{[^{}]+\}/.test(part) ? content.texts : content.constants).push(part);
  else if (typeof part === "object" && part !== null) for (const one of Object.values(part)) addTemplates(one, content);
}

/** Field rules: a path, an expression, or an object that has some. */
function addRules(rules: unknown, content: SentContent): void {
  if (!isObject(rules)) return;
  for (const rule of Object.values(rules)) addRule(rule, content);
}

function addRule(rule: unknown, content: SentContent): void {
  if (typeof rule === "string") content.texts.push(rule);
  if (!isObject(rule)) return;
  const { value, from, join, all, each, map, members } = rule;
  if (all !== undefined) content.isWhole = true;
  if (typeof value === "string") content.constants.push(value);
  for (const text of [from, join].flat()) if (typeof text === "string") content.texts.push(text);
  if (typeof each === "string") content.lists.push(each);
  addRules(map ?? members, content);
  const isWay = [value, from, join, all, each, members].some((way) => way !== undefined);
  if (!isWay) addRules(rule, content);
}

/** Names of the contract's events that nobody uses as a word: a constant such as `number` may be meant. */
const fieldNames: ReadonlySet<string> = new Set(
  [...eventIds.map((id) => operationRow(id).body), ...derivedEventIds.map((id) => derivedEvents[id].body)]
    .flatMap((schema) => namesIn(shapeOfSchema(schema)))
    .filter((name) => /[a-z][A-Z]/.test(name)),
);
const isFieldName = (text: string) => fieldNames.has(text.trim());

function namesIn(shape: SourceShape): string[] {
  if (shape === null) return [];
  const inside = Object.entries(shape.properties ?? {}).flatMap(([name, member]) => [name, ...namesIn(member)]);
  return [...inside, ...namesIn(shape.items ?? null)];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const memberOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
const isObject = (value: unknown): value is Options =>
  typeof value === "object" && value !== null && !Array.isArray(value);
