import { elementShape, memberShapes, type SourceShape, shapesBelow, stepShape } from "../source/source-shape.ts";
import { lookedUpShape, parameterShapes, returnedShape } from "./called-shapes.ts";
import { boundVariables, isNode, type Node } from "./expression-node.ts";

/** A name in an expression that can never have a value. */
export interface UnknownName {
  readonly name: string;
  readonly text: string;
  /** Where it starts, counted from 0. */
  readonly position: number | undefined;
}

export interface KnownVariables {
  readonly here: SourceShape;
  /** The shapes of `$root`, `$parent` and similar variables. */
  readonly variables: Readonly<Record<string, SourceShape>>;
}

/** Where a node is evaluated: the shape of its input, and those of the variables it can read. */
interface Scope {
  readonly input: SourceShape;
  readonly variables: Map<string, SourceShape>;
}

/** Members that an expression reads from a record and that the contract does not have. */
export function unknownNames(ast: unknown, { here, variables }: KnownVariables): UnknownName[] {
  const found = new Map<string, UnknownName>();
  // A node of the library's own parser.
  const root = ast as Node;
  const bound = boundVariables(root, Object.keys(variables));
  const sure = Object.entries(variables).filter(([name]) => !bound.unsure.has(name));
  visit(root, { input: here, variables: new Map(sure) });
  return [...found.values()];

  /** Checks a node of the expression; returns the known shape of its value. */
  function visit(node: Node | undefined, scope: Scope): SourceShape {
    if (node === undefined) return null;
    if (node.type === "path") return followed(node, scope);
    const shape = shapeOf(node, scope);
    for (const { expr } of node.predicate ?? []) visit(expr, inside(scope, shape));
    return node.group === undefined ? shape : grouped(node, inside(scope, shape));
  }

  function shapeOf(node: Node, scope: Scope): SourceShape {
    switch (node.type) {
      case "name":
        return member(node, scope.input);
      case "variable":
        return variable(node, scope);
      case "wildcard":
        return memberShapes(scope.input);
      case "descendant":
        return shapesBelow(scope.input);
      // Transforms change records on the way, so their shape is no longer the contract's.
      case "transform":
        return null;
      case "sort":
        for (const term of node.terms ?? []) visit(term.expression, inside(scope, scope.input));
        return scope.input;
      case "block": {
        const own = inside(scope, scope.input);
        return (node.expressions ?? []).map((one) => visit(one, own)).at(-1) ?? null;
      }
      case "bind":
        return assigned(node, scope);
      case "condition":
        return either(node, scope);
      case "lambda":
        return lambda(node, [], scope);
      case "function":
        return called(node, scope);
      case "apply":
        return applied(node, scope);
      default:
        visitAll(node, scope);
        return null;
    }
  }

  function visitAll({ lhs, rhs, procedure, expression, expressions = [], arguments: given = [] }: Node, scope: Scope) {
    const left = isNode(lhs) ? [lhs] : (lhs?.flat() ?? []);
    for (const one of [...left, rhs, procedure, expression, ...expressions, ...given]) visit(one, scope);
  }

  function followed(path: Node, scope: Scope): SourceShape {
    let own = scope;
    for (const step of path.steps ?? []) {
      // Passes through lists, as JSONata does.
      const shape = visit(step, inside(own, own.input));
      // `Lines@$line` binds each line; the next step reads from the same place as this one.
      own = inside(own, step.focus === undefined ? shape : own.input);
      if (step.focus !== undefined) bind(own, step.focus, elementShape(shape));
      if (step.index !== undefined) bind(own, step.index, null);
      for (const { type, value, expr } of step.stages ?? []) {
        if (type === "index") bind(own, String(value), null);
        visit(expr, inside(own, own.input));
      }
    }
    return path.group === undefined ? own.input : grouped(path, own);
  }

  /** The members of a grouped object are named by the data. */
  function grouped({ group }: Node, scope: Scope): SourceShape {
    for (const one of group?.lhs?.flat() ?? []) visit(one, scope);
    return null;
  }

  function member({ value, position }: Node, context: SourceShape): SourceShape {
    const name = String(value);
    const step = stepShape(elementShape(context), name);
    if ("shape" in step) return step.shape;
    const text = step.problem.startsWith("is ")
      ? `nothing can be read below a value that ${step.problem}`
      : step.problem;
    const start = position === undefined ? undefined : Math.max(0, position - name.length);
    // Once: `a ?: b` contains `a` twice, as condition and as value.
    found.set(`${start} ${text}`, { name, text, position: start });
    return null;
  }

  function variable({ value }: Node, scope: Scope): SourceShape {
    if (value === "") return scope.input;
    return value === "$" ? here : (scope.variables.get(String(value)) ?? null);
  }

  function assigned({ lhs, rhs }: Node, scope: Scope): SourceShape {
    const shape = visit(rhs, scope);
    if (isNode(lhs)) bind(scope, String(lhs.value), shape);
    return shape;
  }

  function bind({ variables: known }: Scope, name: string, shape: SourceShape): void {
    known.set(name, bound.unsure.has(name) ? null : shape);
  }

  function either(node: Node, scope: Scope): SourceShape {
    visit(node.condition, scope);
    const [shape, other] = [visit(node.then, scope), visit(node.else, scope)];
    return node.else === undefined || shape === other ? shape : null;
  }

  /** The body of a function reads the record where the function is written, and its parameters. */
  function lambda(node: Node, given: readonly SourceShape[], scope: Scope): SourceShape {
    const own = { input: scope.input, variables: new Map(scope.variables) };
    for (const [index, { value }] of (node.arguments ?? []).entries()) bind(own, String(value), given[index] ?? null);
    const shape = visit(node.body, own);
    // The value of a function that is not called here is the function.
    return node.thunk === true || given.length > 0 ? shape : null;
  }

  /** A call; with `~>`, its first argument stands before it. */
  function called({ procedure, arguments: given = [] }: Node, scope: Scope, before?: SourceShape): SourceShape {
    const leading = before === undefined ? [] : [before];
    if (procedure?.type === "lambda") {
      return lambda(procedure, [...leading, ...given.map((one) => visit(one, scope))], scope);
    }
    const name = ownFunction(procedure, scope);
    const [first = null, next] = before === undefined ? [visit(given[0], scope), given[1]] : [before, given[0]];
    const isLambda = next?.type === "lambda";
    const result = isLambda ? lambda(next, parameterShapes(name, first), scope) : visit(next, scope);
    for (const one of given.slice(2 - leading.length)) visit(one, scope);
    if (name === "lookup" && next?.type === "string") return lookedUpShape(first, next.value);
    return returnedShape(name, first, isLambda ? result : null);
  }

  function applied({ lhs, rhs }: Node, scope: Scope): SourceShape {
    const before = isNode(lhs) ? visit(lhs, scope) : null;
    if (rhs?.type === "function") return called(rhs, scope, before);
    if (rhs?.type === "lambda") return lambda(rhs, [before], scope);
    if (rhs?.type === "variable") return returnedShape(ownFunction(rhs, scope), before, null);
    visit(rhs, scope);
    return null;
  }

  /** The name of JSONata's own function; undefined if the expression has one of this name. */
  function ownFunction(procedure: Node | undefined, scope: Scope): unknown {
    if (procedure?.type !== "variable") {
      visit(procedure, scope);
      return undefined;
    }
    return bound.all.has(String(procedure.value)) ? undefined : procedure.value;
  }
}

/** Inside a value: for each element if it is a list. Variables bound there are not visible outside. */
const inside = ({ variables }: Scope, shape: SourceShape): Scope => ({
  input: elementShape(shape),
  variables: new Map(variables),
});
