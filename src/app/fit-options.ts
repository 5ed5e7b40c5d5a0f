import { resolve } from "node:path";
import type { ConfigPath } from "./config-error.ts";
import { type ConfigShape, isPlainObject } from "./config-shape.ts";

/**
 * Options in the form their schema wants: the environment has texts only, so a port from there is made a number, and a
 * path is meant from the folder of the configuration, wherever the adapter was started.
 */
export function fitOptions(
  shape: ConfigShape | undefined,
  value: unknown,
  needs: { isFromOutside: (path: ConfigPath) => boolean; folder: string },
  path: ConfigPath = [],
): unknown {
  if (typeof value === "string") {
    if (shape?.relativeTo === "configuration") return isAddress(value) ? value : resolve(needs.folder, value);
    return needs.isFromOutside(path) ? plain(shape, value) : value;
  }
  if (Array.isArray(value)) return value.map((one, index) => fitOptions(shape?.items, one, needs, [...path, index]));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      fitOptions(here(shape?.properties?.[name], value), member, needs, [...path, name]),
    ]),
  );
}

const isAddress = (text: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(text);

/** A path of another machine is none of this one's: what stands beside it says so. */
function here(shape: ConfigShape | undefined, owner: Record<string, unknown>): ConfigShape | undefined {
  if (shape?.unlessBeside === undefined || owner[shape.unlessBeside] === undefined) return shape;
  const { relativeTo: _, ...elsewhere } = shape;
  return elsewhere;
}

function plain(shape: ConfigShape | undefined, text: string): unknown {
  const type = shape?.type;
  if ((type === "integer" || type === "number") && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return type === "boolean" && /^(true|false)$/.test(text) ? text === "true" : text;
}
