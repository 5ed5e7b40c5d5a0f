export { Type } from "typebox";
export type { AskId, DataOf, InputOf, OfferedId, RefusalOf, TellId } from "../contract/operations.ts";
export type { Message, OperatorText } from "../messages/message.ts";
export {
  type Asks,
  type CallContext,
  type ConnectorDefinition,
  defineConnector,
  type Notebook,
  type OpenConnector,
  type OpenContext,
  type OptionProblem,
  type Tells,
} from "./connector.ts";
export { Fault } from "./fault.ts";
export type { Found, Intake, PushSource, Rereads, RunningSource, Taken, WholeLook } from "./intake.ts";
export { ListInParts } from "./list-in-parts.ts";
export {
  compileMapping,
  type Mapped,
  type Mapping,
  MappingError,
  type MappingOptions,
  mappingSchema,
} from "./mapping/compile-mapping.ts";
export type { Offer } from "./offer.ts";
export { type Fact, type Ok, type Outcome, ok, type Refusal, refuse } from "./outcome.ts";
export type { Preview } from "./preview.ts";
export { ReadyJson, ReadyJsonList } from "./ready-json.ts";
export type { Received, RecordSent, Sent } from "./record-sent.ts";
