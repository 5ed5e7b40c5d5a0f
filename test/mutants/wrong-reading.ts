import type { Mutant } from "./mutant.ts";

const json = { "content-type": "application/json; charset=utf-8" };
const isFlat = (text: string) => !text.includes("x_member_of_tomorrow");

/** Wrong in how a request is read. */
export const wrongReading: readonly Mutant[] = [
  {
    name: "compares routes with their letter case",
    by: "listWorkOrders.route-case",
    change: () => ({ fold: (path) => path.replace(/(.)\/$/, "$1") }),
  },
  {
    name: "knows no route with a slash at its end",
    by: "listWorkOrders.trailing-slash",
    change: () => ({ fold: (path) => path.toLowerCase() }),
  },
  {
    name: "reads query names with their letter case",
    by: "findWorkOrderByCode.listed",
    change: () => ({
      query: (search) => {
        const given = new URLSearchParams(search);
        return { Code: given.get("code") ?? "", StorageName: given.get("storageName") ?? "" };
      },
    }),
  },
  {
    name: "decodes path values twice",
    by: "getItem.decoded-once",
    change: ({ decode }) => ({ decode: (value) => decode(decode(value)) }),
  },
  {
    name: "does not decode path values",
    by: "getItem.encoded",
    change: () => ({ decode: (value) => value }),
  },
  {
    name: "reads a plus in the path as a blank",
    by: "getItem.plus",
    change: ({ decode }) => ({ decode: (value) => decode(value.replaceAll("+", " ")) }),
  },
  {
    name: "decodes codes in the query twice",
    by: "findWorkOrderByCode.encoded",
    change: ({ query, decode }) => ({
      query: (search) => ({ ...query(search), Code: decode(query(search)["Code"] ?? "") }),
    }),
  },
  {
    name: "answers 404 to an encoded slash",
    by: "getItem.http-200",
    change: ({ decode, answer, edge }) => {
      let hasSlash = false;
      return {
        decode: (value) => {
          hasSlash = decode(value).includes("/");
          return decode(value);
        },
        answer: (id, body) => (hasSlash ? edge(404) : answer(id, body)),
      };
    },
  },
  {
    name: "does not trim scanned codes",
    by: "findWorkOrderByCode.blanks",
    change: ({ operate }) => ({
      operate: (id, input, request) => {
        const code: unknown = Object(input)["Code"];
        const isPadded = typeof code === "string" && code !== code.trim();
        return isPadded ? { result: "WorkOrderDoesNotExist" } : operate(id, input, request);
      },
    }),
  },
  {
    name: "finds orders of any storage",
    by: "findWorkOrderByCode.other-storage",
    change: ({ operate }) => ({
      operate: (id, input, request) =>
        operate(id, id === "findWorkOrderByCode" ? { ...Object(input), StorageName: "Main" } : input, request),
    }),
  },
  {
    name: "compares storage names with their letter case",
    by: "findWorkOrderByCode.storage-case",
    change: ({ operate }) => ({
      operate: (id, input, request) => {
        const storage: unknown = Object(input)["StorageName"];
        const isOtherCase = typeof storage === "string" && storage !== "Main" && storage.toLowerCase() === "main";
        return isOtherCase ? { result: "WorkOrderDoesNotExist" } : operate(id, input, request);
      },
    }),
  },
  {
    name: "reads member names with their letter case",
    by: "getReport.member-case",
    change: () => ({ spell: (_, body) => body }),
  },
  {
    name: "refuses unknown members",
    by: "getReport.unknown-members",
    change: ({ problems }) => ({
      problems: (id, body) => (isFlat(JSON.stringify(body)) ? problems(id, body) : ["unknown member"]),
    }),
  },
  {
    name: "refuses nulls",
    by: "confirmStep.nulls",
    isFull: true,
    change: ({ problems }) => ({
      problems: (id, body) => [
        ...problems(id, body),
        ...Object.entries(Object(body)).flatMap(([name, value]) =>
          value === null && id === "confirmStep" ? [`${name}: is null`] : [],
        ),
      ],
    }),
  },
  {
    name: "asks for more than identity",
    by: "attachWorkOrder.minimal",
    isFull: true,
    change: ({ problems }) => ({
      problems: (id, body) => [
        ...problems(id, body),
        ...(id === "attachWorkOrder" && Object(body)["isAbandonedOrCancelled"] === undefined
          ? ["isAbandonedOrCancelled: is missing"]
          : []),
      ],
    }),
  },
  {
    name: "trips over a byte order mark",
    by: "getReport.byte-order-mark",
    change: () => ({ parse: (text) => JSON.parse(text) }),
  },
  {
    name: "answers 500 to malformed JSON",
    by: "getReport.malformed-json",
    change: ({ refuse }) => ({
      refuse: (id, problems) =>
        problems[0] === "$: no JSON" ? { status: 500, headers: json, body: "{}" } : refuse(id, problems),
    }),
  },
  {
    name: "takes malformed JSON for an empty object",
    by: "getExportValues.malformed-json",
    change: ({ parse }) => ({
      parse: (text) => {
        try {
          return parse(text);
        } catch {
          return [];
        }
      },
    }),
  },
  {
    name: "validates nothing",
    by: "attachWorkOrder.required",
    isFull: true,
    change: ({ floor }) => ({
      problems: () => [],
      operate: (id, input) => {
        try {
          return floor.operations[id as "attachWorkOrder"](input as never);
        } catch {
          return { result: "OperationFailed" };
        }
      },
    }),
  },
  {
    name: "does not ask for the members a report needs",
    by: "getReport.required",
    change: ({ problems }) => ({
      problems: (id, body) => (id === "getReport" && Object(body) === body ? [] : problems(id, body)),
      operate: () => ({ result: "WorkOrderDoesNotExist" }),
    }),
  },
  {
    name: "refuses invalid input without saying why",
    by: "getReport.required",
    change: ({ envelope }) => ({ envelope: (id, said) => ({ ...Object(envelope(id, said)), validationStatus: null }) }),
  },
  {
    name: "refuses with 400 and a plain text",
    by: "getReport.problem-details",
    change: () => ({ refuse: () => ({ status: 400, headers: { "content-type": "text/plain" }, body: "bad request" }) }),
  },
  {
    name: "refuses with 400 and no errors by field",
    by: "getReport.problem-errors",
    change: ({ edge }) => ({ refuse: () => edge(400) }),
  },
  {
    name: "refuses with 400 on one endpoint and in the envelope on another",
    by: "adapter.one-validation-mode",
    change: ({ refuse, edge }) => ({
      refuse: (id, problems) =>
        id === "getReport"
          ? { ...edge(400), body: JSON.stringify({ title: "No", status: 400, errors: { $: problems } }) }
          : refuse(id, problems),
    }),
  },
  {
    name: "refuses with 422",
    by: "getReport.http-200",
    change: ({ edge }) => ({ refuse: () => edge(422) }),
  },
  {
    name: "trips over a language it does not know",
    by: "listWorkOrders.language",
    change: ({ operate }) => ({
      operate: (id, input, request) =>
        request.headers["accept-language"] === "tlh" ? { result: "OperationFailed" } : operate(id, input, request),
    }),
  },
  {
    name: "answers 200 to unknown routes",
    by: "adapter.unknown-route",
    change: ({ edge }) => ({
      edge: (status, headers) => ({ ...edge(status, headers), status: status === 404 ? 200 : status }),
    }),
  },
  {
    name: "answers 404 to a wrong method",
    by: "getReport.wrong-method",
    change: ({ edge }) => ({ edge: (status) => edge(status === 405 ? 404 : status) }),
  },
  {
    name: "takes XML for JSON",
    by: "getExportValues.media-type",
    change: ({ parse }) => ({ mediaTypes: /./, parse: (text) => (text.startsWith("<a") ? [] : parse(text)) }),
  },
  {
    name: "refuses large bodies",
    by: "getExportValues.big",
    change: ({ operate, answer, edge }) => {
      let isLarge = false;
      return {
        operate: (id, input, request) => {
          isLarge = Number(request.headers["content-length"]) > 100_000;
          return operate(id, input, request);
        },
        answer: (id, body) => (isLarge ? edge(413) : answer(id, body)),
      };
    },
  },
  {
    name: "does not know the route of a cart step",
    by: "confirmCartStep.wrong-method",
    change: ({ path }) => ({ path: (id) => (id === "confirmCartStep" ? "/Cart/ConfirmWorkOrderStep" : path(id)) }),
  },
];
