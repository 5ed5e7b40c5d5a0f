import { isDeepStrictEqual } from "node:util";
import { configSchema } from "../config-schema.ts";
import type { Objection } from "../document/config-error.ts";
import { configShape, isPlainObject, withDefaults } from "../document/config-shape.ts";

/**
 * The settings that a configuration with `deployments` may also have. Everything else belongs to one of the
 * deployments.
 */
const ofProcess = ["deployments", "logLevel", "logging", "timeZone", "platform", "store"];

/** Reports settings of a single deployment in a file that names deployments: there they would have no effect. */
export function checkProcess(value: unknown): Objection[] {
  if (!isPlainObject(value) || value["deployments"] === undefined) return [];
  const plain = withDefaults(configShape(configSchema), {});
  if (!isPlainObject(plain)) return [];
  const { tls: _ofProcess, ...platform } = isPlainObject(value["platform"]) ? value["platform"] : {};
  const members: [path: string[], given: unknown, fallback: unknown][] = [
    ...Object.entries(value)
      .filter(([name]) => !ofProcess.includes(name))
      .map(([name, given]): [string[], unknown, unknown] => [[name], given, plain[name]]),
    ...Object.entries(platform).map(([name, given]): [string[], unknown, unknown] => [
      ["platform", name],
      given,
      isPlainObject(plain["platform"]) ? plain["platform"][name] : undefined,
    ]),
  ];
  return members
    .filter(([, given, fallback]) => !isDeepStrictEqual(given, fallback))
    .map(([path]) => ({
      path,
      text: "this has no effect beside `deployments`",
      hint: "Move it into the configurations of the deployments it is meant for.",
    }));
}
