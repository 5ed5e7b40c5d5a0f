import { shapeOf } from "../../src/contract/derive/component-registry.ts";
import { type OperationId, operationRow } from "../../src/contract/operations.ts";
import { members, without } from "./mutant.ts";
import type { Change } from "./right-adapter.ts";
import { envelopes, everyObject, type Members, ofData, type RightWay, saying } from "./right-way.ts";

const rewritten =
  (write: (text: string, body: unknown) => string): Change =>
  ({ answer }) => ({
    answer: (id, body, said) => {
      const made = answer(id, body, said);
      return { ...made, body: write(String(made.body), body) };
    },
  });

const withHeaders =
  (headers: Readonly<Record<string, string>>): Change =>
  ({ answer }) => ({
    answer: (id, body, said) => {
      const made = answer(id, body, said);
      return { ...made, headers: { ...made.headers, ...headers } };
    },
  });

const backwards = (object: Members) => Object.fromEntries(Object.entries(object).toReversed());
const onlyFilled = (object: Members) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

const dated = (value: unknown, write: (date: Date) => string) =>
  everyObject(value, (object) =>
    Object.fromEntries(
      Object.entries(object).map(([name, inner]) => [
        name,
        /date/i.test(name) && typeof inner === "string" ? write(new Date(inner)) : inner,
      ]),
    ),
  );
const inDates =
  (write: (date: Date) => string): Change =>
  ({ envelope, version }) => ({
    envelope: (id, said) => dated(envelope(id, said), write),
    version: () => dated(version(), write),
  });
const indiaMs = 19_800_000;

/** A member that shows what an object is, and what else a serialiser of classes would write there. */
const nullsBeside: Readonly<Record<string, readonly string[]>> = {
  requests: ["externalIdentifier", "description", "customerRequiredDeliveryDate", "workOrderTypeName", "externalData"],
  requestedAmount: ["itemName", "itemDescription", "languageIsoCode", "lotNumber", "designatedLocationName"],
  name: ["description", "languageIsoCode", "weight", "height", "volume", "manufacturer", "externalIdentifier"],
  itemRequests: ["description", "dueDate", "customerRequiredDeliveryDate"],
  requestId: ["itemName", "lotNumber", "externalData", "designatedLocationId"],
};
const withNulls = (object: Members): object => {
  const names = Object.entries(nullsBeside).flatMap(([mark, beside]) => (mark in object ? beside : []));
  return { ...Object.fromEntries(names.map((name) => [name, null])), ...object };
};

const refusedAs =
  (type: string, more: object = {}): Change =>
  () => ({
    refuse: (_, problems) => {
      const body = { title: "One or more validation errors occurred.", status: 400, errors: { $: problems }, ...more };
      return { status: 400, headers: { "content-type": type }, body: JSON.stringify(body) };
    },
  });

const listsData = (id: OperationId) => {
  const { data } = operationRow(id);
  return data !== undefined && shapeOf(data).items !== undefined;
};

/** Right, and written as ours does not write. */
export const rightWriting: readonly RightWay[] = [
  {
    name: "writes members in another order",
    change: rewritten((_, body) => JSON.stringify(everyObject(body, backwards))),
  },
  {
    name: "writes JSON over several lines",
    change: rewritten((_, body) => `\r\n${JSON.stringify(body, null, 4)}\r\n`),
  },
  {
    name: "writes everything beyond ASCII as an escape",
    change: rewritten((text) =>
      text.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ),
  },
  {
    name: "writes whole numbers with a decimal point",
    change: rewritten((text) => text.replace(/("(?:result|requestedAmount|order|requestType)":\d+)(?=[,}])/g, "$1.0")),
  },
  {
    name: "writes members of its own into the data",
    change: ofData((object) => ("number" in object || "key" in object ? { ...object, tenant: { id: 7 } } : object)),
  },
  {
    name: "writes members of its own beside those of the contract",
    change: ({ envelope, version }) => ({
      envelope: (id, said) => members(envelope(id, said), { traceId: "4711", warnings: [] }),
      version: () => members(version(), { commit: "abc" }),
    }),
  },
  { name: "writes null for everything it does not know", change: ofData(withNulls) },
  {
    name: "leaves out what is null inside of data",
    change: ofData((object) => ("updateWorkOrderRequest" in object ? object : onlyFilled(object))),
  },
  {
    name: "leaves data out on events",
    change: envelopes((envelope, id) => (operationRow(id).data === undefined ? without(envelope, "data") : envelope)),
  },
  {
    name: "spells the content type its own way",
    change: withHeaders({ "content-type": 'Application/JSON;charset="UTF-8"' }),
  },
  { name: "closes every connection", change: withHeaders({ connection: "close" }) },
  { name: "sends in pieces of unknown length", change: withHeaders({ "transfer-encoding": "chunked" }) },
  {
    name: "writes dates with seven decimals",
    change: inDates((date) => date.toISOString().replace("Z", "4567+00:00")),
  },
  {
    name: "writes dates in the zone of the warehouse",
    change: inDates((date) => `${new Date(date.getTime() + indiaMs).toISOString().slice(0, 19)}+05:30`),
  },
  {
    name: "refuses invalid input with HTTP 400 and all members of problem details",
    change: refusedAs("application/problem+json; charset=utf-8", { type: "about:blank", traceId: "00-1" }),
  },
  { name: "refuses invalid input with HTTP 400 as plain JSON", change: refusedAs("application/json") },
  {
    name: "has something to say to the operator each time",
    change: saying((_, said) => ({ message: "Have a nice day.", ...said })),
  },
  { name: "says nothing to the operator", change: saying((_, { message: _text, ...said }) => said) },
  {
    name: "counts more errors than it names",
    change: envelopes((envelope) =>
      envelope["validationStatus"] === null
        ? envelope
        : { ...envelope, validationStatus: members(envelope["validationStatus"], { errorCount: 250 }) },
    ),
  },
  {
    name: "has no version to tell",
    change: ({ version }) => ({ version: () => members(version(), { version: null, title: null }) }),
  },
  {
    name: "leaves out all members of the envelope that are null",
    isContractOnly: true,
    change: envelopes(onlyFilled),
  },
  {
    name: "writes an empty list where it fails",
    isContractOnly: true,
    change: envelopes((envelope, id) =>
      listsData(id) && envelope["data"] === null ? { ...envelope, data: [] } : envelope,
    ),
  },
  {
    name: "writes lines without type, unit and position",
    isContractOnly: true,
    change: ofData(({ requestType, unitOfMeasure, order, ...rest }) => rest),
  },
  {
    name: "has numbers of its own for the legacy status",
    isContractOnly: true,
    change: ({ number }) => ({
      number: (id, result) => (id === "changeStatus" ? (result === "Succeed" ? 0 : 7) : number(id, result)),
    }),
  },
];
