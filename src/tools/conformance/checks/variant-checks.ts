import { type OperationId, operationIds, operationRow } from "../../../contract/operations.ts";
import type { Check } from "../conformance-check.ts";
import { type CallHow, expectRead, expectSame, skipUnlessServed, type Trial } from "../harness/knowledge.ts";
import { type Exchange, statusOf } from "../harness/recorded-exchange.ts";
import { levelOf, type SampleName, sampleInput } from "../harness/sample-input.ts";
import { type Basis, sentences } from "../sentences.ts";

/** An equivalent form of a request; it must be answered like the plain form. */
interface Variant {
  readonly id: string;
  readonly title: string;
  readonly hint: string;
  readonly basis: Basis;
  readonly appliesTo: (operation: OperationId) => boolean;
  readonly forms: readonly { readonly what: string; readonly sample?: SampleName; readonly how?: CallHow }[];
}

const everyRow = (operation: OperationId) => operation !== "getStatus";
const hasBody = (operation: OperationId) => operationRow(operation).body !== undefined;
const literalPart = (path: string) => /^[^?]*/.exec(path)?.[0] ?? "";

/** Path and query names in another letter case; the values in the path stay unchanged. */
const respelt = (operation: OperationId, spell: (text: string) => string): CallHow => ({
  change: (request) => {
    const { path } = operationRow(operation);
    const fixed = path.replace(/\{\w+\}$/, "").length;
    return { ...request, path: spell(request.path.slice(0, fixed)) + request.path.slice(fixed) };
  },
});

const jsonOf = (body: string | Uint8Array | undefined): unknown => JSON.parse(String(body));
const inUpperCase = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inUpperCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    // Keys of maps are values, not names: an item number must keep its letter case.
    Object.entries(value).map(([name, inner]) => [
      name.toUpperCase(),
      name === "remainingRequests" ? inner : inUpperCase(inner),
    ]),
  );
};

const languages = ["de", "fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5", "*", "tlh", "xx-invalid-;q=", ""];

const variantsOf = (operation: OperationId): readonly Variant[] => [
  {
    id: "route-case",
    title: "the route is found in any letter case",
    hint: "Compare routes without letter case.",
    basis: sentences.liberalNames,
    appliesTo: everyRow,
    forms: [
      { what: "the route in lower case", how: respelt(operation, (text) => text.toLowerCase()) },
      { what: "the route in upper case", how: respelt(operation, (text) => text.toUpperCase()) },
    ],
  },
  {
    id: "trailing-slash",
    title: "a slash at the end of the route makes no difference",
    hint: "Cut a slash at the end before matching.",
    basis: sentences.liberalNames,
    appliesTo: (id) => everyRow(id) && operationRow(id).params === undefined,
    forms: [
      {
        what: "a slash at the end",
        how: {
          change: (request) => {
            const path = literalPart(request.path);
            return { ...request, path: `${path}/${request.path.slice(path.length)}` };
          },
        },
      },
    ],
  },
  {
    id: "query-case",
    title: "query names are read in any letter case",
    hint: "Compare the names of query parameters without letter case.",
    basis: sentences.liberalNames,
    appliesTo: (id) => operationRow(id).query !== undefined,
    forms: [
      {
        what: "query names in lower case",
        how: {
          change: (request) => ({
            ...request,
            path: request.path.replace(
              /([?&])(\w+)=/g,
              (_, mark: string, name: string) => `${mark}${name.toLowerCase()}=`,
            ),
          }),
        },
      },
    ],
  },
  {
    id: "language",
    title: "any Accept-Language is read, and none is needed",
    hint: "Unknown, empty and broken values mean the default language.",
    basis: sentences.languageHeader,
    appliesTo: everyRow,
    forms: languages.map((language) => ({
      what: `Accept-Language: ${language}`,
      how: { headers: { "accept-language": language } },
    })),
  },
  {
    id: "minimal",
    title: "the identifying members of an event or query are enough",
    hint: "Ask for identity only: a strict adapter stops the floor.",
    basis: sentences.identityOnly,
    appliesTo: hasBody,
    forms: [{ what: "a body with required members only", sample: "minimal" }],
  },
  {
    id: "nulls",
    title: "null is accepted for every optional member",
    hint: "The platform writes explicit nulls for what it does not know.",
    basis: sentences.nulls,
    appliesTo: hasBody,
    forms: [{ what: "a body with nulls", sample: "with nulls" }],
  },
  {
    id: "unknown-members",
    title: "unknown members are accepted",
    hint: "Do not reject additional properties: the platform's next version may send more.",
    basis: sentences.unknownMembers,
    appliesTo: hasBody,
    forms: [{ what: "a body with unknown members", sample: "with unknown members" }],
  },
  {
    id: "member-case",
    title: "member names are read in any letter case",
    hint: "Make the deserialiser ignore the letter case of names.",
    basis: sentences.liberalNames,
    appliesTo: hasBody,
    forms: [
      {
        what: "a body with names in upper case",
        how: { change: (request) => ({ ...request, body: JSON.stringify(inUpperCase(jsonOf(request.body))) }) },
      },
    ],
  },
  {
    id: "byte-order-mark",
    title: "a byte order mark before the body is accepted",
    hint: "Skip the three bytes EF BB BF before parsing.",
    basis: sentences.byteOrderMark,
    appliesTo: hasBody,
    forms: [
      {
        what: "a byte order mark",
        how: { change: (request) => ({ ...request, body: `\uFEFF${request.body ?? ""}` }) },
      },
    ],
  },
];

async function baseline(trial: Trial, operation: OperationId): Promise<Exchange> {
  const plain = await trial.call(operation, sampleInput(operation, trial.runId));
  skipUnlessServed(trial, plain);
  if (statusOf(plain) !== 200) trial.skip("the plain request was not answered properly either");
  return plain;
}

const accepts = (operation: OperationId): Check => ({
  id: `${operation}.accepts`,
  group: operation,
  title: "a complete request of the contract is not refused as invalid",
  level: levelOf(operation),
  basis: operationRow(operation).kind === "event" ? sentences.acknowledged : sentences.answers200,
  hint: "Compare your model with the contract's: names, types, and what may be missing.",
  run: async (trial) => {
    expectRead(trial, await trial.call(operation, sampleInput(operation, trial.runId)), "a complete request");
  },
});

export const variantChecks: readonly Check[] = operationIds.filter(everyRow).flatMap((operation) => [
  ...(hasBody(operation) ? [accepts(operation)] : []),
  ...variantsOf(operation)
    .filter(({ appliesTo }) => appliesTo(operation))
    .map(
      ({ id, title, hint, basis, forms }): Check => ({
        id: `${operation}.${id}`,
        group: operation,
        title,
        hint,
        basis,
        level: levelOf(operation),
        run: async (trial) => {
          const plain = await baseline(trial, operation);
          for (const { what, sample = "full", how = {} } of forms) {
            expectSame(
              trial,
              await trial.call(operation, sampleInput(operation, trial.runId, sample), how),
              plain,
              what,
            );
          }
        },
      }),
    ),
]);
