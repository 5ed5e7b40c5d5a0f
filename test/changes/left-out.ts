/**
 * What is not played or not compared, named by CROSSDOCK_MODEL_LEAVE_OUT: to look behind a difference already known. When
 * exactly a receipt is told, and what it says where lines have no ids of their own, is compared in the named sequences; in
 * random ones not. Steps before the first push are played in the named ones too. An empty value plays and compares all.
 */
const names: ReadonlySet<string> = new Set(
  (process.env["CROSSDOCK_MODEL_LEAVE_OUT"] ?? "receipts,early-steps").split(","),
);

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
