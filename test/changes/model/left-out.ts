/**
 * What random sequences do not play or compare, named by CROSSDOCK_MODEL_LEAVE_OUT: nothing, unless somebody looks for one
 * kind of difference among others.
 */
const given = process.env["CROSSDOCK_MODEL_LEAVE_OUT"] ?? "";
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
