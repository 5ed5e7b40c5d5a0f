import { connectors } from "../connectors/catalogue.ts";
import { validator } from "../contract/validator.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "../sdk/problem-text.ts";
import type { Objection } from "./check-config.ts";
import type { Config } from "./config-schema.ts";
import { configShape, unknownKeys, withDefaults } from "./config-shape.ts";
import { nearestName } from "./nearest-name.ts";

/** Each connector's options against its own schema, and the names by which they are referred to. */
export function checkConnectors(value: unknown): Objection[] {
  // The schema may have failed elsewhere; what is not even of the right kind is named by the schema itself.
  const { connectors: given, events } = value as { connectors?: unknown; events?: { to?: unknown } };
  const named = isNamed(given) ? given : {};
  const objections = Object.entries(named).flatMap(([name, one]) => (hasType(one) ? checkOne(name, one) : []));
  const to = events?.to;
  if (typeof to === "string" && !Object.hasOwn(named, to)) {
    const near = nearestName(to, Object.keys(named));
    const hint = near === undefined ? "Describe it under `connectors`." : `Did you mean ${near}?`;
    objections.push({ path: ["events", "to"], text: `there is no connector named ${JSON.stringify(to)}`, hint });
  }
  return objections;
}

type Given = Config["connectors"][string];
const isNamed = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const hasType = (value: unknown): value is Given => isNamed(value) && typeof value["type"] === "string";

function checkOne(name: string, { type, ...options }: Given): Objection[] {
  const path = ["connectors", name];
  const definition = connectors.find((candidate) => candidate.type === type);
  if (definition === undefined) {
    const types = connectors.map((candidate) => candidate.type);
    const near = nearestName(type, types);
    const hint = `${near === undefined ? "" : `Did you mean ${near}? `}Types: ${types.join(", ")}.`;
    return [{ path: [...path, "type"], text: `there is no connector of type ${JSON.stringify(type)}`, hint }];
  }
  const shape = configShape(definition.options);
  const value = withDefaults(shape, options);
  const unknown = unknownKeys(shape, value).map(({ path: inner, allowed }) => ({
    path: [...path, ...inner],
    text: `${inner.at(-1)}: there is no such option`,
    hint: `Options: ${allowed.join(", ")}.`,
  }));
  const checks = validator(definition.options);
  const wrong = checks.isValid(value) || unknown.length > 0 ? [] : checks.problems(value);
  return [
    ...unknown,
    ...wrong.map((problem) => ({
      path: [...path, ...problem.field.split(".").filter(Boolean)],
      text: localise(problemText(problem), "en"),
    })),
  ];
}
