import { type Static, Type } from "typebox";

export const pageOptions = Type.Object(
  {
    by: Type.Unsafe<"page" | "offset" | "cursor" | "link" | "next">({
      type: "string",
      enum: ["page", "offset", "cursor", "link", "next"],
      description:
        "How the next page is asked for: by its number, by how many were read, by a mark in the answer, by the header " +
        "`Link`, or by an address in the answer (OData).",
    }),
    param: Type.Optional(
      Type.String({
        description:
          "Query parameter for page number, offset or mark; absent where `{page}`, `{offset}` or `{cursor}` stands in the request.",
        minLength: 1,
      }),
    ),
    start: Type.Optional(Type.Integer({ description: "Number of the first page; 1 where absent.", minimum: 0 })),
    size: Type.Optional(
      Type.Integer({ description: "How many records to ask for; also `{limit}`.", minimum: 1, maximum: 100_000 }),
    ),
    sizeParam: Type.Optional(Type.String({ description: "Query parameter for the size.", minLength: 1 })),
    at: Type.Optional(
      Type.String({
        description: "Where mark or address stand in the answer, such as `meta.next` or `@odata.nextLink`.",
        minLength: 1,
      }),
    ),
    total: Type.Optional(
      Type.String({ description: "Where the number of all records stands in the answer.", minLength: 1 }),
    ),
  },
  { additionalProperties: false, description: "How long lists are read page by page; absent: one answer has it all." },
);
export type PageOptions = Static<typeof pageOptions>;
