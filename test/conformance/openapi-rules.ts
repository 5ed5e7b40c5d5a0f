import { Type } from "typebox";

/**
 * The rules of OpenAPI 3.1 for the parts that we write, closed: a misspelled keyword is an error here,
 * where most tools would quietly ignore it.
 */
const closed = { additionalProperties: false };
const text = Type.String({ minLength: 1 });
const reference = Type.Object(
  { $ref: Type.String({ pattern: "^#/components/" }), description: Type.Optional(text) },
  closed,
);
const schema = Type.Record(Type.String(), Type.Unknown());
const examples = Type.Record(
  Type.String({ pattern: "^\\w[\\w .-]*$" }),
  Type.Object({ value: Type.Unknown() }, closed),
);

const parameter = Type.Object(
  {
    name: text,
    in: Type.Enum(["path", "query", "header"]),
    required: Type.Optional(Type.Boolean()),
    description: text,
    schema,
    example: Type.Optional(Type.Unknown()),
  },
  closed,
);

const content = Type.Record(
  Type.String({ pattern: "^(application/((problem\\+)?json|x-ndjson)|text/(event-stream|csv|plain))$" }),
  Type.Object({ schema, examples: Type.Optional(examples) }, closed),
);
const response = Type.Object({ description: text, content: Type.Optional(content) }, closed);

const operation = Type.Object(
  {
    operationId: Type.String({ pattern: "^[a-z][A-Za-z]+$" }),
    tags: Type.Array(text, { minItems: 1, maxItems: 1 }),
    summary: text,
    description: Type.Optional(text),
    security: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Array(Type.String())))),
    parameters: Type.Array(Type.Union([reference, parameter])),
    requestBody: Type.Optional(Type.Object({ required: Type.Literal(true), content }, closed)),
    responses: Type.Record(
      Type.String({ pattern: "^([1-5]\\d\\d|[1-5]XX|default)$" }),
      Type.Union([reference, response]),
    ),
  },
  closed,
);

export const openApiRules = Type.Object(
  {
    openapi: Type.String({ pattern: "^3\\.1\\.\\d$" }),
    info: Type.Object(
      {
        title: text,
        version: text,
        summary: text,
        description: text,
        license: Type.Object({ name: text, identifier: text }, closed),
      },
      closed,
    ),
    servers: Type.Array(Type.Object({ url: text }, closed), { minItems: 1 }),
    tags: Type.Array(Type.Object({ name: text, description: text }, closed)),
    paths: Type.Record(
      Type.String({ pattern: "^/" }),
      Type.Object(
        { get: Type.Optional(operation), post: Type.Optional(operation), delete: Type.Optional(operation) },
        closed,
      ),
    ),
    webhooks: Type.Record(Type.String({ pattern: "^[a-z][A-Za-z]+$" }), Type.Object({ post: operation }, closed)),
    components: Type.Object(
      {
        schemas: Type.Record(Type.String({ pattern: "^[A-Za-z0-9._-]+$" }), schema),
        parameters: Type.Record(Type.String(), parameter),
        responses: Type.Record(Type.String(), response),
        securitySchemes: Type.Record(
          Type.String(),
          Type.Union([
            Type.Object({ type: Type.Literal("http"), scheme: Type.Literal("bearer"), description: text }, closed),
            Type.Object(
              { type: Type.Literal("apiKey"), in: Type.Literal("header"), name: text, description: text },
              closed,
            ),
          ]),
        ),
      },
      closed,
    ),
  },
  closed,
);
