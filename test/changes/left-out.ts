/** What is not played or not compared, named by CROSSDOCK_MODEL_LEAVE_OUT: to look behind a difference already known. */
const names: ReadonlySet<string> = new Set((process.env["CROSSDOCK_MODEL_LEAVE_OUT"] ?? "").split(","));

export const isLeftOut = (
  what:
    | "put-aside"
    | "receipts"
    | "scans"
    | "early-steps"
    | "models-of-unchanged"
    | "mixed-lines"
    | "sorting"
    | "begun-cancelled"
    | "put-wall",
): boolean => names.has(what);
