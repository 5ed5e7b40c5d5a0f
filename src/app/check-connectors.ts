import { connectors } from "../connectors/catalogue.ts";
import { validator } from "../contract/validator.ts";
import { localise } from "../messages/localise.ts";
import { problemText } from "../sdk/problem-text.ts";
import type { Objection } from "./check-config.ts";
import type { Config } from "./config-schema.ts";
import { configShape, unknownKeys, withDefaults } from "./config-shape.ts";
import { nearestName } from "./nearest-name.ts";

/** Each connector's options against its own schema, and the names by which they are referred to. */
export function checkConnectors({ connectors: named, events }: Config): Objection[] {
  const names = Object.keys(named);
  const objections = Object.entries(named).flatMap(([name, given]) => checkOne(name, given));
  if (events.to !== undefined && !Object.hasOwn(named, events.to)) {
    const near = nearestName(events.to, names);
    const hint = near === undefined ? "Describe it under `connectors`." : `Did you mean ${near}?`;
    objections.push({ path: ["events", "to"], text: `there is no connector named ${JSON.stringify(events.to)}`, hint });
  }
  return objections;
}

function checkOne(name: string, { type, ...options }: Config["connectors"][string]): Objection[] {
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
