import type { Log } from "../../../kit/log.ts";
import { Fault } from "../../../sdk/fault.ts";
import { cellText } from "./cell-text.ts";
import { isInexact, parseExact } from "./exact-number.ts";
import { expression, isTimeOut } from "./expression.ts";
import { type PlainPath, plainPath, readPath } from "./plain-path.ts";
import type { Material, SourceName } from "./sources.ts";

type Cell = string | undefined;

interface Named {
  readonly key: string;
  readonly sources: readonly SourceName[];
}
export interface PlainColumn extends Named {
  readonly isPlain: true;
  readonly cell: (material: Material) => Cell;
}
interface ComputedColumn extends Named {
  readonly isPlain: false;
  /** Begins one export: an expression that runs into its time limit is not tried on the rows that follow. */
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
    // Assigned to an object it would vanish without a word.
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
    isPlain: true,
    cell: (material) => {
      const found = material[source];
      if (found === undefined) return undefined;
      const value = readPath(found.value, steps);
      return cellText(isInexact(value) ? readPath(parseExact(found.text), steps) : value);
    },
  };
}

async function computedColumn(key: string, text: string, log: Log): Promise<ComputedColumn> {
  const { sources, evaluate } = await expression(key, text);
  let warned = false;

  const compute = async (material: Material): Promise<Cell> => {
    const input: Partial<Record<SourceName, unknown>> = {};
    for (const name of sources) input[name] = material[name]?.value;
    return cellText(await evaluate(input));
  };

  const begin = () => {
    let isStopped = false;
    return async (material: Material): Promise<Cell> => {
      // At the full time limit for each of a hundred thousand rows, one column would hold up everything for a day.
      if (isStopped) return undefined;
      try {
        return await compute(material);
      } catch (error) {
        isStopped = isTimeOut(error);
        if (isStopped) {
          log.warn({ err: error, column: key }, "an export column took too long; the rest of its cells stay empty");
        } else if (!warned) {
          // Said once: the same slip repeats on every row, and an export has a hundred thousand of them.
          log.warn({ err: error, column: key }, "an export column could not be computed; its cell stays empty");
          warned = true;
        }
        return undefined;
      }
    };
  };
  return { key, sources, isPlain: false, begin };
}
