/**
 * What random sequences do not play or compare, named by CROSSDOCK_MODEL_LEAVE_OUT. When exactly a receipt is told, and
 * steps before the first push, have answers of their own in the named sequences; in random ones they would be compared with
 * guesses. An empty value plays and compares all.
 */
const given = process.env["CROSSDOCK_MODEL_LEAVE_OUT"] ?? "receipts,early-steps";
let names: ReadonlySet<string> = new Set();

/** Holds while random sequences are played; the named ones are played and compared whole. */
export async function leavingOut<Result>(run: () => Promise<Result>): Promise<Result> {
  names = new Set(given.split(","));
  try {
    return await run();
  } finally {
    names = new Set();
  }
}

export const isLeftOut = (
  what:
    | "put-aside"
    | "receipts"
    | "lines-at-wall"
    | "scans"
    | "early-steps"
    | "models-of-unchanged"
    | "mixed-lines"
    | "sorting"
    | "begun-cancelled"
    | "put-wall",
): boolean => names.has(what);
