import type { Shape } from "../../contract/derive/shape.ts";
import { isObject } from "../exchange.ts";

const maxElements = 200;

/** Members that differ from a documented one in letter case only. */
export function misspelt(shape: Shape, value: unknown, at = "data"): readonly string[] {
  if (shape.items !== undefined && Array.isArray(value)) {
    const { items } = shape;
    return value.slice(0, maxElements).flatMap((element, index) => misspelt(items, element, `${at}[${index}]`));
  }
  if (shape.properties === undefined || !isObject(value)) return [];
  const documented = new Map(Object.keys(shape.properties).map((name) => [name.toLowerCase(), name]));
  return Object.entries(value).flatMap(([name, inner]) => {
    const right = documented.get(name.toLowerCase());
    if (right === undefined) return [];
    const below = shape.properties?.[right];
    return [
      ...(right === name ? [] : [`${at}.${right}, not ${name}`]),
      ...(below === undefined ? [] : misspelt(below, inner, `${at}.${right}`)),
    ];
  });
}
