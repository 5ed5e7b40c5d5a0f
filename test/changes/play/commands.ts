import fc from "fast-check";

export interface LineSpec {
  /** 0 and 1 are counted in pieces, 2 is measured in metres. */
  readonly item: number;
  readonly hasExternalId: boolean;
  /** 0: none. */
  readonly lot: number;
  readonly amount: number;
}

/**
 * What happens next, as plain numbers, so that a failing sequence can be made smaller: what does not fit the state of
 * the platform at that moment is left out. `order` and `member` choose the order or one of its follow-ups.
 */
export type Command =
  | { readonly kind: "push"; readonly order: number; readonly amounts: readonly number[] }
  | { readonly kind: "push-same"; readonly order: number }
  /** Under the number of a follow-up order. */
  | {
      readonly kind: "push-follow-up";
      readonly order: number;
      readonly member: number;
      readonly amounts: readonly number[];
    }
  | {
      readonly kind: "cancel";
      readonly order: number;
      readonly line: number;
      readonly scope: "line" | "item" | "order" | "unknown-line" | "unknown-order";
      readonly amount: number;
      /** Of a follow-up order, under its own number. */
      readonly member?: number;
    }
  | { readonly kind: "fetch"; readonly order: number; readonly member: number }
  | {
      readonly kind: "step";
      readonly order: number;
      readonly member: number;
      readonly line: number;
      readonly amount: number;
      readonly how: "some" | "all" | "too-many" | "half";
      readonly hasModel: boolean;
      /** The model lists the line of the step and no other. */
      readonly isPartial?: boolean;
      readonly isCart: boolean;
      readonly isStale: boolean;
      readonly offer: "apply" | "replace" | "later" | "ignore";
    }
  | { readonly kind: "retry"; readonly order: number; readonly member: number }
  | { readonly kind: "apply-offer"; readonly order: number; readonly member: number }
  | { readonly kind: "scan-again"; readonly order: number; readonly member: number; readonly isCarriedOver: boolean }
  | { readonly kind: "short-pick"; readonly order: number; readonly member: number; readonly line: number }
  | {
      readonly kind: "place";
      readonly order: number;
      readonly member: number;
      readonly line: number;
      readonly amount: number;
    }
  | { readonly kind: "cancel-wall"; readonly order: number; readonly member: number; readonly line: number }
  | {
      readonly kind: "attach" | "release";
      readonly order: number;
      readonly member: number;
      readonly container: number;
    }
  | { readonly kind: "status"; readonly order: number; readonly member: number; readonly status: number }
  | { readonly kind: "wait"; readonly minutes: number }
  | { readonly kind: "restart" };

export interface Sequence {
  readonly orders: readonly (readonly LineSpec[])[];
  readonly commands: readonly Command[];
}

const order = fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(2) });
const member = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(2) });
const line = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(2) });
const at = { order, member };
const amount = fc.integer({ min: 1, max: 9 });

const lineSpec = fc.record<LineSpec>({
  item: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constant(1) },
    { weight: 2, arbitrary: fc.constant(2) },
  ),
  hasExternalId: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  lot: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) }),
  amount: fc.integer({ min: 2, max: 9 }),
});
const lineSpecs = fc.oneof(
  { weight: 6, arbitrary: fc.array(lineSpec, { minLength: 1, maxLength: 1 }) },
  { weight: 4, arbitrary: fc.array(lineSpec, { minLength: 2, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(lineSpec, { minLength: 3, maxLength: 3 }) },
);

const step = fc.record({
  kind: fc.constant("step" as const),
  ...at,
  line,
  amount: fc.integer({ min: 0, max: 4 }),
  how: fc.oneof(
    { weight: 6, arbitrary: fc.constant("some" as const) },
    { weight: 3, arbitrary: fc.constant("all" as const) },
    { weight: 1, arbitrary: fc.constantFrom("too-many" as const, "half" as const) },
  ),
  hasModel: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  isPartial: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  isCart: fc.boolean(),
  isStale: fc.boolean(),
  offer: fc.constantFrom("apply" as const, "replace" as const, "later" as const, "ignore" as const),
});

const amounts = fc.array(fc.oneof({ weight: 8, arbitrary: amount }, { weight: 1, arbitrary: fc.constant(0) }), {
  minLength: 3,
  maxLength: 3,
});

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("push" as const), order, amounts }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("push-follow-up" as const), ...at, amounts }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("push-same" as const), order }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant("cancel" as const),
      ...{ order, line },
      scope: fc.oneof(
        { weight: 5, arbitrary: fc.constant("line" as const) },
        { weight: 2, arbitrary: fc.constant("item" as const) },
        { weight: 2, arbitrary: fc.constant("order" as const) },
        { weight: 1, arbitrary: fc.constantFrom("unknown-line" as const, "unknown-order" as const) },
      ),
      amount: fc.integer({ min: 0, max: 9 }),
      member: fc.oneof(
        { weight: 6, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("fetch" as const), ...at }) },
  { weight: 13, arbitrary: step },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("retry" as const), ...at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("apply-offer" as const), ...at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("scan-again" as const), ...at, isCarriedOver: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("short-pick" as const), ...at, line }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("place" as const), ...at, line, amount: fc.integer({ min: 1, max: 5 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel-wall" as const), ...at, line }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("attach" as const, "release" as const), ...at, container: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("status" as const), ...at, status: fc.constantFrom(2, 3, 5, 5, 6, 7) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), minutes: fc.constantFrom(90, 180) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);

const opening = fc.oneof(
  { weight: 9, arbitrary: fc.constant<Command[]>([{ kind: "push-same", order: 0 }]) },
  { weight: 1, arbitrary: fc.constant<Command[]>([]) },
);

/** Most sequences: one order with one or two lines, four to fourteen commands. */
export const sequences: fc.Arbitrary<Sequence> = fc.record({
  orders: fc.oneof(
    { weight: 7, arbitrary: fc.array(lineSpecs, { minLength: 1, maxLength: 1 }) },
    { weight: 3, arbitrary: fc.array(lineSpecs, { minLength: 2, maxLength: 3 }) },
  ),
  commands: fc
    .tuple(opening, fc.array(command, { minLength: 4, maxLength: 14, size: "max" }))
    .map(([first, rest]) => [...first, ...rest]),
});
