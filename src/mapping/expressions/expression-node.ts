/** A node of a JSONata expression; the library's own types are incomplete. */
export interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly position?: number;
  readonly steps?: readonly Node[];
  readonly stages?: readonly Node[];
  readonly predicate?: readonly Node[];
  readonly group?: { readonly lhs?: readonly (readonly Node[])[] };
  /** The variable of `Lines@$line`. */
  readonly focus?: string;
  /** The variable of `Lines#$index`. */
  readonly index?: string;
  /** A lambda that the parser puts around a call at the end of a function. */
  readonly thunk?: boolean;
  readonly expr?: Node;
  readonly expression?: Node;
  readonly expressions?: readonly Node[];
  readonly arguments?: readonly Node[];
  readonly procedure?: Node;
  readonly body?: Node;
  readonly condition?: Node;
  readonly then?: Node;
  readonly else?: Node;
  readonly terms?: readonly Node[];
  readonly lhs?: Node | readonly (readonly Node[])[];
  readonly rhs?: Node;
}

/** All variables that an expression binds, and those of them whose value depends on the order of evaluation. */
export interface BoundVariables {
  readonly all: ReadonlySet<string>;
  /** Assigned with `:=` and bound a second time, such as in both branches of a condition. */
  readonly unsure: ReadonlySet<string>;
}

export function boundVariables(ast: Node, given: readonly string[]): BoundVariables {
  const assigned = new Set<string>();
  const counts = new Map<string, number>(given.map((name) => [name, 1]));
  const all = new Set<string>();
  const bind = (name: unknown) => {
    if (typeof name !== "string") return;
    all.add(name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    // It is a node of the parsed expression, or a list of nodes; all members of a node are optional.
    const node = part as Node;
    if (node.type === "bind" && isNode(node.lhs)) {
      bind(node.lhs.value);
      assigned.add(String(node.lhs.value));
    }
    if (node.type === "lambda") for (const { value } of node.arguments ?? []) bind(value);
    // The variable of an index after a filter is a stage of its own.
    if (node.type === "index") bind(node.value);
    bind(node.focus);
    bind(node.index);
    for (const child of Object.values(part)) visit(child);
  };
  visit(ast);
  return { all, unsure: new Set([...assigned].filter((name) => (counts.get(name) ?? 0) > 1)) };
}

export const isNode = (side: Node["lhs"]): side is Node => side !== undefined && !Array.isArray(side);
