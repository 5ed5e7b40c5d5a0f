import type { Static, TObject } from "typebox";
import type { AskId, InputOf, OfferedId, TellId } from "../contract/operations.ts";
import type { Clock } from "../kit/clock.ts";
import type { Log } from "../kit/log.ts";
import type { Language } from "../messages/languages.ts";
import type { Outcome } from "./outcome.ts";

/** What an operation may use while it answers one call. */
export interface CallContext {
  readonly language: Language;
  readonly signal: AbortSignal;
  /** The journal entry's id: the idempotency key towards the external system. Absent on asks. */
  readonly entryId?: string;
}

export type Operate<Id extends OfferedId> = (
  input: InputOf<Id>,
  context: CallContext,
) => Outcome<Id> | Promise<Outcome<Id>>;

export type Asks = { readonly [Id in AskId]?: Operate<Id> };
export type Tells = { readonly [Id in TellId]?: Operate<Id> };

/** The opened form of a connector: the operations it offers, and nothing it does not. */
export interface OpenConnector {
  readonly operations: Asks & Tells;
  /** Whether the external system can be reached and would let us work; throws a Fault that says what to do. */
  readonly check: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface OpenContext {
  readonly clock: Clock;
  readonly log: Log;
  /** The adapter's own database file, for connectors that live inside it. */
  readonly databaseFile: string;
}

/** A connector is data: a name, the options it takes, and how it is opened. */
export interface ConnectorDefinition<Options extends TObject = TObject> {
  readonly type: string;
  readonly summary: string;
  readonly options: Options;
  /**
   * For a connector whose state lives in the adapter's own database: the module whose `openResident`
   * applies tells inside the journal's transaction, so that entry and effect exist both or not at all.
   */
  readonly residentModule?: URL;
  readonly open: (options: Static<Options>, context: OpenContext) => OpenConnector | Promise<OpenConnector>;
}

export const defineConnector = <Options extends TObject>(
  definition: ConnectorDefinition<Options>,
): ConnectorDefinition<Options> => definition;
