import { operations } from "../../../src/contract/operations.ts";

const lines = Array.from({ length: 9_900 }, (_, index) => ({
  itemNumber: `ITEM-${index}`,
  itemName: `Item number ${index}, ${"with a long name ".repeat(15)}`,
  requestedAmount: (index % 9) + 1,
  requestExternalIdentifier: `line-${index}`,
}));
const rows = Array.from({ length: 30_000 }, (_, index) => ({ id: index, text: `row ${index}`, values: [1, 2, 3] }));
const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(4_000_000, 7)]);

/** An answer of an external system, and the request of the platform that fetches it. */
interface LongAnswer {
  readonly path: string;
  readonly get: string;
  readonly body: Buffer;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const getItem = (number: string) => operations.getItem.path.replace("{number}", number);
const getImage = (number: string) => operations.getItemImage.path.replace("{number}", number);

/** Single records of several megabytes, as an external system may send them. */
export const longAnswers: Readonly<Record<string, LongAnswer>> = {
  "an order of 9,900 lines": {
    path: "/orders/LONG",
    get: `${operations.findWorkOrderByCode.path}?Code=LONG&StorageName=A`,
    body: json({ number: "LONG", dueDate: "2030-01-01T00:00:00Z", requests: lines }),
  },
  "an item with thousands of unknown members": {
    path: "/items/ROWS",
    get: getItem("ROWS"),
    body: json({ number: "ROWS", name: "Rows", rows }),
  },
  "an item with one long text": {
    path: "/items/TEXT",
    get: getItem("TEXT"),
    body: json({ number: "TEXT", name: "Text", text: "ä".repeat(2_500_000) }),
  },
  "an image in JSON": {
    path: "/images/PICTURE",
    get: getImage("PICTURE"),
    body: json({ image: png.toString("base64") }),
  },
};

/** An answer of several megabytes to an event. */
export const longEventAnswer = json({ rows });

export const longAnswerOf = (path: string): Buffer =>
  Object.values(longAnswers).find((one) => one.path === path)?.body ?? longEventAnswer;

/** The configuration of an adapter that fetches these answers. */
export const longAnswersConfig = (baseUrl: string) => ({
  connectors: {
    erp: {
      type: "http",
      baseUrl,
      operations: {
        findWorkOrderByCode: { path: "/orders/{code}" },
        getItem: { path: "/items/{number}" },
        getItemImage: { path: "/images/{number}", records: "image" },
        attachWorkOrder: { path: "/attached" },
        confirmStep: {
          path: "/steps",
          map: {
            ...{ no: "workOrderNumber", model: "updateWorkOrderRequest" },
            lines: { each: "updateWorkOrderRequest.itemRequests", map: { id: "requestId", sku: "itemNumber" } },
          },
        },
      },
    },
  },
  serve: { codeLookup: "erp", items: "erp", images: "erp" },
  events: { to: "erp", modes: { attachWorkOrder: "direct", confirmStep: "durable" } },
  // Long enough that no answer comes too late, however busy the machine is.
  budgets: { eventMs: 60_000, scanMs: 60_000 },
});
