export {
  type AnswerOf,
  type CallOptions,
  type Client,
  ClientError,
  type ClientOptions,
  createClient,
} from "./derive/client.ts";
export { openApi } from "./derive/openapi.ts";
export { type Sample, type SampleId, type SpoiledSample, spoiledSamples, validSamples } from "./derive/samples.ts";
export * from "./enums.ts";
export type { Envelope, ProblemDetails, problemDetailsSchema, ValidationStatus } from "./envelope.ts";
export type { FaultKind, Operation } from "./operation.ts";
export * from "./operations.ts";
export * from "./pushes.ts";
export type * from "./schemas/confirm-step.ts";
export type * from "./schemas/events.ts";
export type * from "./schemas/queries.ts";
export type * from "./schemas/work-order.ts";
