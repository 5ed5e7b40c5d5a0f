export { Type } from "typebox";
export type { DataOf, EventId, InputOf, OfferedId, QueryId, RefusalOf } from "../contract/operations.ts";
export {
  compileMapping,
  type Mapped,
  type Mapping,
  MappingError,
  type MappingOptions,
  mappingSchema,
} from "../mapping/compile-mapping.ts";
export type { Message, OperatorText } from "../messages/message.ts";
export type { EventSubject, FindSubject, LineView, OrderView } from "../operation/event-subject.ts";
export { Fault } from "../operation/fault.ts";
export type { OptionProblem } from "../operation/option-problem.ts";
export {
  type Fact,
  ListInParts,
  type Ok,
  type Outcome,
  ok,
  ReadyJson,
  ReadyJsonList,
  type Refusal,
  refuse,
} from "../operation/outcome.ts";
export type { Received, RecordSent, Sent } from "../operation/record-sent.ts";
export {
  type CallContext,
  type ConnectorDefinition,
  type ConnectorState,
  type DeliveryProgress,
  type DerivedEvents,
  defineConnector,
  type Events,
  type Offer,
  type OpenConnector,
  type OpenContext,
  type Preview,
  type ProgressMark,
  type Queries,
} from "./connector.ts";
export type {
  Batch,
  BatchResult,
  CompletePoll,
  Intake,
  PushSource,
  Rereads,
  RunningSource,
  SourceResult,
} from "./intake.ts";
