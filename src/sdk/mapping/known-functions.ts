import { nearestName } from "../../kit/nearest-name.ts";

/** JSONata's own functions. `$eval` is not among them: it is refused by its name. */
export const ownFunctions = (
  "sum count max min average string substring substringBefore substringAfter lowercase uppercase length trim pad match " +
  "contains replace split join formatNumber formatBase formatInteger parseInteger number floor ceil round abs sqrt power " +
  "random boolean not map zip filter single reduce sift keys lookup append exists spread merge reverse each error assert " +
  "type sort shuffle distinct base64encode base64decode encodeUrlComponent encodeUrl decodeUrlComponent decodeUrl toMillis " +
  "fromMillis clone now millis"
).split(" ");

interface Node {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly position?: number;
  readonly procedure?: Node;
  readonly lhs?: Node;
  readonly rhs?: Node;
  readonly arguments?: readonly Node[];
  readonly focus?: unknown;
  readonly index?: unknown;
}

/** A call of a function that is neither JSONata's, nor ours, nor made in the expression itself. */
export function unknownFunction(
  ast: unknown,
  added: readonly string[],
): { readonly message: string; readonly position: number | undefined; readonly token: string } | undefined {
  const called: Node[] = [];
  const bound = new Set<unknown>();
  const visit = (given: unknown): void => {
    if (typeof given !== "object" || given === null) return;
    // A node of the parsed expression; every member of it is optional.
    const node = given as Node;
    if (node.type === "bind") bound.add(node.lhs?.value);
    if (node.type === "lambda") for (const { value } of node.arguments ?? []) bound.add(value);
    if (typeof node.focus === "string") bound.add(node.focus);
    if (typeof node.index === "string") bound.add(node.index);
    if ((node.type === "function" || node.type === "partial") && node.procedure?.type === "variable") {
      called.push(node.procedure);
    }
    if (node.type === "apply" && node.rhs?.type === "variable") called.push(node.rhs);
    for (const child of Object.values(given)) visit(child);
  };
  visit(ast);
  const known = [...ownFunctions, ...added];
  const stranger = called.find(({ value }) => !bound.has(value) && !known.includes(String(value)));
  if (stranger === undefined) return undefined;
  const name = String(stranger.value);
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : `; did you mean $${near}?`;
  return { message: `there is no function $${name}${hint}`, position: stranger.position, token: name };
}
