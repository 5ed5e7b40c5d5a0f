import { operationRow } from "../../src/contract/operations.ts";
import { type Mutant, members, without } from "./mutant.ts";

/** Wrong in how an answer is written. */
export const wrongEnvelopes: readonly Mutant[] = [
  {
    name: "says isResultSuccess true whatever happened",
    by: "findWorkOrderByCode.success-matches-result",
    change: ({ envelope }) => ({ envelope: (id, said) => members(envelope(id, said), { isResultSuccess: true }) }),
  },
  {
    name: "says isResultSuccess false on a success",
    by: "listWorkOrders.success-matches-result",
    change: ({ envelope }) => ({ envelope: (id, said) => members(envelope(id, said), { isResultSuccess: false }) }),
  },
  {
    name: "writes every success as result 0",
    by: "listWorkOrders.success-matches-result",
    change: ({ number }) => ({
      number: (id, result) => (result === operationRow(id).success ? 0 : number(id, result)),
    }),
  },
  {
    name: "writes the success of AttachWorkOrder as 1",
    by: "attachWorkOrder.success-matches-result",
    seenIn: "workflow",
    isFull: true,
    change: ({ number }) => ({
      number: (id, result) => (id === "attachWorkOrder" && result === "Success" ? 1 : number(id, result)),
    }),
  },
  {
    name: "writes results as names",
    by: "listWorkOrders.result-number",
    change: () => ({ number: (_, result) => result }),
  },
  {
    name: "writes results as texts of numbers",
    by: "getItem.result-number",
    change: ({ number }) => ({ number: (id, result) => String(number(id, result)) }),
  },
  {
    name: "uses a result number that the endpoint does not have",
    by: "getItem.result-number",
    change: ({ number }) => ({ number: (id, result) => (result === "ItemDoesNotExist" ? 42 : number(id, result)) }),
  },
  {
    name: "uses the numbers of another endpoint for the report",
    by: "getReport.success-matches-result",
    seenIn: "workflow",
    isFull: true,
    change: ({ number }) => ({
      number: (id, result) => number(id === "getReport" ? "parseWorkOrderFile" : id, result),
    }),
  },
  {
    name: "writes isResultSuccess as a number",
    by: "listWorkOrders.success-flag",
    change: ({ envelope }) => ({ envelope: (id, said) => members(envelope(id, said), { isResultSuccess: 1 }) }),
  },
  {
    name: "leaves validationStatus out when it is null",
    by: "listWorkOrders.always-there",
    change: ({ envelope }) => ({ envelope: (id, said) => without(envelope(id, said), "validationStatus") }),
  },
  {
    name: "leaves externalMessage out when it is null",
    by: "listWorkOrders.always-there",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        said.message === undefined ? without(envelope(id, said), "externalMessage") : envelope(id, said),
    }),
  },
  {
    name: "leaves data out on a failure",
    by: "getItem.always-there",
    change: ({ envelope }) => ({
      envelope: (id, said) => (said.data === undefined ? without(envelope(id, said), "data") : envelope(id, said)),
    }),
  },
  {
    name: "fills validationStatus on a success",
    by: "listWorkOrders.validation-status",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        members(envelope(id, said), { validationStatus: { errorMessages: [], isValid: true, errorCount: 0 } }),
    }),
  },
  {
    name: "counts no errors in validationStatus",
    by: "getReport.validation-status",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        said.problems === undefined
          ? envelope(id, said)
          : members(envelope(id, said), { validationStatus: { errorMessages: said.problems, isValid: false } }),
    }),
  },
  {
    name: "writes errorMessages as one text",
    by: "getReport.validation-status",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        said.problems === undefined
          ? envelope(id, said)
          : members(envelope(id, said), {
              validationStatus: { errorMessages: "wrong", isValid: false, errorCount: 1 },
            }),
    }),
  },
  {
    name: "writes externalMessage as a list",
    by: "findWorkOrderByCode.external-message",
    change: ({ envelope }) => ({
      envelope: (id, said) => members(envelope(id, said), { externalMessage: [said.message ?? ""] }),
    }),
  },
  {
    name: "writes member names in lower case",
    by: "listWorkOrders.members",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        Object.fromEntries(
          Object.entries(Object(envelope(id, said))).map(([name, value]) => [name.toLowerCase(), value]),
        ),
    }),
  },
  {
    name: "writes member names with a capital letter",
    by: "getItem.members",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        Object.fromEntries(
          Object.entries(Object(envelope(id, said))).map(([name, value]) => [
            name[0]?.toUpperCase() + name.slice(1),
            value,
          ]),
        ),
    }),
  },
  {
    name: "returns an empty list on a failure",
    by: "findWorkOrderByCode.no-data-on-failure",
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        said.data === undefined ? members(envelope(id, said), { data: [] }) : envelope(id, said),
    }),
  },
  {
    name: "returns data on events",
    by: "cancelPutWallItem.event-data",
    isFull: true,
    change: ({ envelope }) => ({
      envelope: (id, said) =>
        id === "cancelPutWallItem" ? members(envelope(id, said), { data: { ok: true } }) : envelope(id, said),
    }),
  },
  {
    name: "answers lists without an envelope",
    by: "listWorkOrders.json-object",
    change: ({ envelope }) => ({ envelope: (id, said) => (id === "listWorkOrders" ? said.data : envelope(id, said)) }),
  },
  {
    name: "leaves the charset out",
    by: "listWorkOrders.content-type",
    change: ({ answer }) => ({
      answer: (id, body) => ({ ...answer(id, body), headers: { "content-type": "application/json" } }),
    }),
  },
  {
    name: "answers JSON as text/html",
    by: "getStatus.content-type",
    change: ({ answer }) => ({
      answer: (id, body) => ({ ...answer(id, body), headers: { "content-type": "text/html; charset=utf-8" } }),
    }),
  },
  {
    name: "writes Latin-1 bytes",
    by: "findWorkOrderByCode.json-object",
    change: ({ answer, envelope }) => ({
      envelope: (id, said) => members(envelope(id, said), { externalMessage: "Größe" }),
      answer: (id, body) => ({ ...answer(id, body), body: Buffer.from(String(answer(id, body).body), "latin1") }),
    }),
  },
  {
    name: "begins every answer with a byte order mark",
    by: "listWorkOrders.json-object",
    change: ({ answer }) => ({
      answer: (id, body) => ({ ...answer(id, body), body: `\uFEFF${answer(id, body).body}` }),
    }),
  },
  {
    name: "wraps the version into an envelope",
    by: "getStatus.no-envelope",
    change: ({ version }) => ({ version: () => ({ isResultSuccess: true, result: 0, data: version() }) }),
  },
  {
    name: "tells a version with a suffix",
    by: "getStatus.version",
    change: ({ version }) => ({ version: () => members(version(), { version: "v1.2-beta" }) }),
  },
  {
    name: "tells a build date without offset",
    by: "getStatus.dates",
    change: ({ version }) => ({ version: () => members(version(), { buildDateTime: "2026-01-01T00:00:00" }) }),
  },
  {
    name: "tells no build date",
    by: "getStatus.data-shape",
    change: ({ version }) => ({ version: () => without(version(), "buildDateTime") }),
  },
];
