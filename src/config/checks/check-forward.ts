import type { TObject } from "typebox";
import type { HttpOptions } from "../../connectors/http/options/options.ts";
import { validateOptions } from "../../connectors/http/options/validate-options.ts";
import { pathProblem } from "../../connectors/http/placeholder-scope.ts";
import { type PushTopic, pushRow, pushTopics } from "../../contract/pushes.ts";
import { template } from "../../http-client/answers/template.ts";
import { isOneOf } from "../../kit/narrow.ts";
import { meantSentence, nearestName } from "../../kit/nearest-name.ts";
import { mappingProblems } from "../../mapping/compile-mapping.ts";
import { shapeOfSchema } from "../../mapping/source/source-shape.ts";
import type { OptionProblem } from "../../operation/option-problem.ts";
import { type ConfigPath, didYouMean, type Objection, pathOf, pathText } from "../document/config-error.ts";
import { configShape, isPlainObject, unknownKeys, withDefaults } from "../document/config-shape.ts";
import { resolveTexts, type Surroundings } from "../document/resolve-text.ts";
import { httpOptionsOf } from "../sections/forward-connectors.ts";
import { type ForwardTopic, forwardLimits, forwardTopic, limitsName } from "../sections/forward-options.ts";
import { fitOptions, wrongOptions } from "./fit-options.ts";

export interface ReadForward {
  /** With secrets and defaults filled in. */
  readonly forward: Record<string, unknown>;
  readonly secrets: readonly string[];
  readonly objections: readonly Objection[];
}

const at: ConfigPath = ["platform", "forward"];

/**
 * Reads `platform.forward`: fills in secrets and checks it with its schema and with the connector that sends the
 * requests.
 */
export async function readForward(given: Record<string, unknown>, surroundings: Surroundings): Promise<ReadForward> {
  const { value, secrets, paths, objections } = resolveTexts(given, at, surroundings);
  const fromOutside = new Set(paths.map(pathText));
  const unresolved = new Set(objections.map(({ path }) => pathText(path)));
  const forward: Record<string, unknown> = {};
  const found: Objection[] = [];
  // Resolving changes only texts, so an object stays an object.
  for (const [name, member] of Object.entries(value as Record<string, unknown>)) {
    const path = [...at, name];
    const isTopic = isOneOf(pushTopics, name);
    if (!isTopic && name !== limitsName) {
      const names = [...pushTopics, limitsName];
      const hint = `${didYouMean(nearestName(name, names))}Known here: ${names.join(", ")}.`;
      found.push({ path, text: "there is no such topic", hint });
      continue;
    }
    const read = readMember(isTopic ? forwardTopic : forwardLimits, member, path, { fromOutside, ...surroundings });
    forward[name] = read.value;
    found.push(...read.objections);
    // Only without schema errors, which are reported first.
    if (isTopic && read.objections.length === 0) found.push(...(await requestObjections(read.value, path)));
  }
  return {
    forward,
    secrets,
    objections: [...objections, ...found.filter(({ path }) => !unresolved.has(pathText(path)))],
  };
}

function readMember(
  schema: TObject,
  given: unknown,
  path: ConfigPath,
  { fromOutside, folder }: Surroundings & { fromOutside: ReadonlySet<string> },
): { value: unknown; objections: readonly Objection[] } {
  if (!isPlainObject(given)) return { value: given, objections: [{ path, text: "must be a section with members" }] };
  const shape = configShape(schema);
  const isFromOutside = (inner: ConfigPath) => fromOutside.has(pathText([...path, ...inner]));
  const value = withDefaults(shape, fitOptions(shape, given, { isFromOutside, folder }));
  const extra = unknownKeys(shape, value);
  const unknown = extra.map(({ path: inner, allowed }) => ({
    path: [...path, ...inner],
    text: "there is no such member",
    hint: `${meantSentence(String(inner.at(-1)), allowed)}Known here: ${allowed.join(", ")}.`,
  }));
  const wrong = wrongOptions(schema, value, isFromOutside, extra).map((one) => ({
    ...one,
    path: [...path, ...one.path],
  }));
  return { value, objections: [...unknown, ...wrong] };
}

async function requestObjections(value: unknown, path: ConfigPath): Promise<Objection[]> {
  // Just checked against the schema.
  const { mode, request } = value as ForwardTopic;
  if (request === undefined) {
    if (mode === "serve") return [];
    const topic = String(path.at(-1));
    const hint = "Name at least its url, or set mode: serve.";
    return [{ path: [...path, "request"], text: `no request is configured that sends ${topic} to the platform`, hint }];
  }
  // Built from members of the connector's own schema.
  const options = httpOptionsOf(request) as unknown as HttpOptions;
  // Pushes, not receipts.
  const problems = validateOptions(options, null);
  const { body, url } = request;
  // The caller passes only paths that end with a topic.
  const topic = String(path.at(-1)) as PushTopic;
  const element = shapeOfSchema(pushRow(topic).element);
  // Checked here because the connector does not know the form of these pushes.
  const read = mappingProblems(body, { source: element, path: ["notices", "map"] });
  const scope = { input: element, ...element?.properties };
  const unfilled = template(url).names.flatMap((name) => {
    const problem = name.toLowerCase().startsWith("input.") ? pathProblem(name, scope) : undefined;
    return problem === undefined ? [] : [{ path: ["baseUrl"], text: `{${name}} has no value: ${problem}` }];
  });
  const known = new Set(problems.map(({ text }) => text));
  const all: readonly OptionProblem[] = [...problems, ...[...read, ...unfilled].filter(({ text }) => !known.has(text))];
  return all.map(({ path: inner, text, hint }) => ({
    path: [...path, "request", ...placeOf(typeof inner === "string" ? pathOf(inner) : inner)],
    text,
    ...(hint === undefined ? {} : { hint }),
  }));
}

/** Translates a path in the connector's options back to the path in the file. */
function placeOf([first = "", ...rest]: ConfigPath): ConfigPath {
  if (first === "baseUrl") return ["url"];
  if (first !== "notices") return [first, ...rest];
  const [member = "url", ...inner] = rest;
  return [member === "map" ? "body" : member === "path" ? "url" : member, ...inner];
}
