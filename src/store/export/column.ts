import type { Log } from "../../kit/log.ts";
import { Fault } from "../../operation/fault.ts";
import { expression, isTimeOut, type Material, type SourceName } from "./column-expression.ts";
import { type PlainPath, plainPath, readPath } from "./plain-path.ts";

type Cell = string | undefined;

interface Named {
  readonly key: string;
  readonly sources: readonly SourceName[];
  /** Whether it reads inside the order's external data. */
  readonly opensData: boolean;
}
export interface PlainColumn extends Named {
  readonly isPlain: true;
  readonly cell: (material: Material) => Cell;
}
interface ComputedColumn extends Named {
  readonly isPlain: false;
  /** Called once per export: an expression that runs into its time limit is not tried on the rows that follow. */
  readonly begin: () => (material: Material) => Promise<Cell>;
}
export type Column = PlainColumn | ComputedColumn;

export async function openColumns(
  definitions: readonly { readonly key: string; readonly value: string }[],
  log: Log,
): Promise<Column[]> {
  const keys = new Set<string>();
  for (const { key } of definitions) {
    if (keys.has(key)) throw new Fault("broken", `export column ${key} is defined twice; every key must be its own`);
    // Assigned to an object, this key would be lost silently.
    if (key === "__proto__") throw new Fault("broken", "no export column can have the key __proto__");
    keys.add(key);
  }
  return await Promise.all(
    definitions.map(({ key, value }) => {
      const path = plainPath(value);
      return path === null ? computedColumn(key, value, log) : plainColumn(key, path);
    }),
  );
}

function plainColumn(key: string, { source, steps }: PlainPath): PlainColumn {
  return {
    key,
    sources: [source],
    opensData: source === "order" && steps[0] === "externalData" && steps.length > 1,
    isPlain: true,
    cell: (material) => {
      const found = material[source];
      if (found === undefined) return undefined;
      try {
        const value = readPath(found.value, steps);
        return cellText(isInexact(value) ? (readPath(parseExact(found.text), steps) ?? value) : value);
      } catch (error) {
        // Nested so deep that the stack ends: unreadable, like external data that is not JSON.
        if (error instanceof RangeError) return undefined;
        throw error;
      }
    },
  };
}

async function computedColumn(key: string, text: string, log: Log): Promise<ComputedColumn> {
  const { sources, opensData, evaluate } = await expression(key, text);
  let warned = false;

  const compute = async (material: Material): Promise<Cell> => {
    const input: Partial<Record<SourceName, unknown>> = {};
    for (const name of sources) input[name] = material[name]?.value;
    return cellText(await evaluate(input));
  };

  const begin = () => {
    let isStopped = false;
    return async (material: Material): Promise<Cell> => {
      // If every one of a hundred thousand rows took the full time limit, one column would block everything for a day.
      if (isStopped) return undefined;
      try {
        return await compute(material);
      } catch (error) {
        isStopped = isTimeOut(error);
        if (isStopped) {
          log.warn({ err: error, column: key }, "an export column took too long; the rest of its cells stay empty");
        } else if (!warned) {
          // Logged once: the same mistake repeats on every row, and an export has a hundred thousand rows.
          log.warn({ err: error, column: key }, "an export column could not be computed; its cell stays empty");
          warned = true;
        }
        return undefined;
      }
    };
  };
  return { key, sources, opensData, isPlain: false, begin };
}

/** A value as the text of a cell; undefined leaves the cell out. */
export function cellText(value: unknown): string | undefined {
  // An expression may cut a text inside a character; strict clients cannot read half a character.
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === "boolean") return String(value);
  // A JSONata expression may return a function; it has no text.
  return typeof value === "object" && value !== null ? JSON.stringify(value) : undefined;
}

/**
 * Whether a number lost digits when it was parsed: customer numbers of 17 and more digits are often written without
 * quotes.
 */
const isInexact = (value: unknown): boolean => typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER;

// JavaScript has the third argument since 2025; the type library does not have it yet.
type Parse = (text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown) => unknown;

/**
 * Parses JSON again and returns such numbers as the text they were written in. Several times slower, so only on demand.
 */
const parseExact = (text: string): unknown =>
  (JSON.parse as Parse)(text, (_key, value, { source }) => (isInexact(value) ? source : value));
