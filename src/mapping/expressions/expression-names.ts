import { elementShape, type SourceShape, stepShape } from "../source/source-shape.ts";

/** A name in an expression that can never have a value. */
export interface UnknownName {
  readonly text: string;
  /** Where it starts, counted from 0. */
  readonly position: number | undefined;
}

export interface KnownVariables {
  readonly here: SourceShape;
  /** The shapes of `$root`, `$parent` and similar variables. */
  readonly variables: Readonly<Record<string, SourceShape>>;
}

/** A node of a JSONata expression; the library's own types are incomplete. */
interface Node {
  readonly type?: string;
  readonly value?: unknown;
  readonly position?: number;
  readonly steps?: readonly Node[];
  readonly stages?: readonly Node[];
  readonly predicate?: readonly Node[];
  readonly group?: { readonly lhs?: readonly (readonly Node[])[] };
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

/** Members that an expression reads from a record and that the contract does not have. */
export function unknownNames(ast: unknown, { here, variables }: KnownVariables): UnknownName[] {
  const found: UnknownName[] = [];
  // A node of the library's own parser.
  visit(ast as Node, here);
  return found;

  /** Checks a node of the expression; returns the known shape of its value. */
  function visit(node: Node | undefined, context: SourceShape): SourceShape {
    if (node === undefined) return null;
    switch (node.type) {
      case "path":
        return followed(node, context);
      case "name":
        return member(node, context);
      case "variable":
        return variable(node, context);
      // Transforms change records on the way, so their shape is no longer the contract's.
      case "transform":
        return null;
      case "sort":
        for (const term of node.terms ?? []) visit(term.expression, elementShape(context));
        return context;
      case "block": {
        const shapes = (node.expressions ?? []).map((one) => visit(one, context));
        return shapes.at(-1) ?? null;
      }
      default:
        visitAll(node, context);
        return null;
    }
  }

  function visitAll(node: Node, context: SourceShape): void {
    const { lhs } = node;
    const pairs = isPairs(lhs) ? lhs.flat() : [lhs];
    const parts = [node.rhs, node.body, node.procedure, node.condition, node.then, node.else, node.expression];
    for (const one of [...pairs, ...parts, ...(node.expressions ?? []), ...(node.arguments ?? [])]) {
      // Binding a variable reads no member.
      if (one?.type !== "variable") visit(one, context);
    }
  }

  function followed({ steps = [] }: Node, context: SourceShape): SourceShape {
    let shape = context;
    for (const step of steps) {
      // Passes through lists, as JSONata does.
      shape = visit(step, elementShape(shape));
      for (const { expr } of [...(step.stages ?? []), ...(step.predicate ?? [])]) visit(expr, elementShape(shape));
      for (const one of step.group?.lhs?.flat() ?? []) visit(one, elementShape(shape));
      if (step.group !== undefined) shape = null;
    }
    return shape;
  }

  function member({ value, position }: Node, context: SourceShape): SourceShape {
    const name = String(value);
    const step = stepShape(elementShape(context), name);
    if ("shape" in step) return step.shape;
    const text = step.problem.startsWith("is ")
      ? `nothing can be read below a value that ${step.problem}`
      : step.problem;
    found.push({ text, position: position === undefined ? undefined : Math.max(0, position - name.length) });
    return null;
  }

  function variable({ value }: Node, context: SourceShape): SourceShape {
    if (value === "") return context;
    if (value === "$") return here;
    const name = String(value);
    return Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
  }
}

const isPairs = (lhs: Node["lhs"]): lhs is readonly (readonly Node[])[] => Array.isArray(lhs);
