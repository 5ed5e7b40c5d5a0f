import { type AskId, operationRow, type TellId } from "../contract/operations.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kit/clock.ts";
import type { Log } from "../kit/log.ts";
import type { Language } from "../messages/languages.ts";
import type { OperatorText } from "../messages/message.ts";
import type { AnyOutcome, Fact } from "../sdk/outcome.ts";
import { type Budgets, budgetMs } from "./budgets.ts";
import { call } from "./call.ts";
import { checkServed, type ServedSettings } from "./check-served.ts";
import { lanesOfTell } from "./lanes.ts";
import type { PushedEntry } from "./read-push.ts";
import type { Routing } from "./routing.ts";
import { notOffered, notStoredText, settleFault } from "./settle-fault.ts";

export interface EngineNeeds {
  readonly routing: Routing;
  /** Absent where only questions are answered: in the thread for large bodies. */
  readonly journal?: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly budgets: Budgets;
  readonly served: ServedSettings;
  readonly newEntryId: () => string;
  readonly newReference: () => string;
  /** Called after a commit that changed what readers may have cached. */
  readonly onTouched: () => void;
}

/** A tell on its way in: what it says, and the text it was said with. */
export interface Told {
  readonly input: unknown;
  readonly body: string;
  /** The text to apply where the spelling of the body was not the documented one. */
  readonly payload: string | null;
  readonly language: Language;
  readonly acceptLanguage: string | null;
}

export interface Engine {
  readonly ask: (id: AskId, input: unknown, language: Language) => AnyOutcome | Promise<AnyOutcome>;
  readonly tell: (id: TellId, told: Told) => Promise<AnyOutcome>;
  /** Writes down facts that came with an answer, before the answer goes out. */
  readonly record: (facts: readonly Fact[]) => Promise<void>;
  /** Stores pushed entries, all or none. */
  readonly accept: (entries: readonly PushedEntry[]) => Promise<Acceptance>;
}

/** The ids of what was stored, or why nothing was. */
export type Acceptance = { readonly ids: readonly string[] } | { readonly notStored: OperatorText };

/** The one road every operation takes, whoever serves it. */
export function createEngine(needs: EngineNeeds): Engine {
  const { routing, journal, clock, budgets } = needs;

  const append = async (entries: readonly PushedEntry[]) => {
    if (journal === undefined) throw new Error("nothing can be written down here: this engine only answers questions");
    const receivedAt = clock.now();
    const appended = await journal.append(entries.map((entry) => ({ ...entry, id: needs.newEntryId(), receivedAt })));
    if (appended.some((entry) => entry.touched)) needs.onTouched();
    return appended;
  };

  const ask = (id: AskId, input: unknown, language: Language): AnyOutcome | Promise<AnyOutcome> => {
    const row = operationRow(id);
    const operate = routing.operate(id);
    if (operate === undefined) return notOffered(row);
    try {
      const outcome = call({ operate, input, language, deadlineMs: budgetMs(row, budgets) });
      if (!(outcome instanceof Promise)) return checkServed(row, outcome, needs.served);
      return outcome
        .then((settled) => checkServed(row, settled, needs.served))
        .catch((error: unknown) => settleFault(row, error, needs));
    } catch (error) {
      return settleFault(row, error, needs);
    }
  };

  const tell = async (id: TellId, told: Told): Promise<AnyOutcome> => {
    const row = operationRow(id);
    const resident = routing.isResident(id);
    const operate = routing.operate(id);
    if (!resident && operate === undefined) return notOffered(row);
    try {
      const { body, payload, acceptLanguage, language, input } = told;
      const lanes = lanesOfTell(id, input);
      const [entry] = await append([{ direction: "out", topic: id, lanes, body, payload, acceptLanguage }]);
      if (entry === undefined) throw new Error("the journal gave no entry back");
      // What a resident returns is its outcome; the journal knows no more of it than `ok`.
      if (resident || operate === undefined) return entry.outcome as AnyOutcome;
      return await call({ operate, input, language, entryId: entry.id, deadlineMs: budgetMs(row, budgets) });
    } catch (error) {
      return settleFault(row, error, needs);
    }
  };

  return {
    ask,
    tell,
    record: async (facts) => {
      await append(
        facts.map(({ topic, lane, payload }) => ({
          direction: "in",
          topic,
          lanes: lane === "" ? [] : [lane],
          body: JSON.stringify(payload),
          payload: null,
          acceptLanguage: null,
        })),
      );
    },
    accept: async (entries) => {
      try {
        return { ids: (await append(entries)).map((entry) => entry.id) };
      } catch (error) {
        return { notStored: notStoredText(error, needs) };
      }
    },
  };
}
