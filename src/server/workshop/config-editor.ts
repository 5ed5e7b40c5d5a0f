import type { Language } from "../../messages/languages.ts";
import type { Message } from "../../messages/message.ts";

/** One member of the configuration and its new value, which may be given as YAML; without a value it is removed. */
export interface GivenChange {
  readonly path: readonly string[];
  readonly value?: unknown;
  readonly yaml?: string;
}

/** A problem with its position in the changed file. */
export interface ShownProblem {
  readonly line?: number;
  readonly column?: number;
  readonly text: string;
  readonly hint?: string;
  /** The languages of both, where they are not in English. */
  readonly language?: Language;
  readonly hintLanguage?: Language;
}

/** The same before the reader's language is known. */
export interface FoundProblem extends Omit<ShownProblem, "language" | "hintLanguage"> {
  readonly message?: Message;
}

/** The configuration file as it is now. None of these texts contains a secret. */
export interface ShownConfig {
  /** Absolute path; null if the adapter was started by code, without a file. */
  readonly file: string | null;
  readonly text: string;
  /** Changes with every change of the file. A change names the version it was made for. */
  readonly version: string;
  /** Why the console cannot write the file; null if it can. */
  readonly readOnlyBecause: "started-by-code" | "no-permission" | "kept-in-git" | null;
  readonly values: readonly ShownValue[];
  /** Why the file cannot be read. Then there are no values. */
  readonly problems: readonly ShownProblem[];
}

/**
 * A setting that is in effect. What is neither in the file nor a default was given at the start: by the program that
 * started the adapter, or by an earlier text of the file.
 */
export interface ShownValue {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly from: "file" | "code" | "default";
  readonly line?: number;
}

/** What a change would do to the file. Nothing is written yet. */
export interface ProposedChange {
  readonly version: string;
  /** Lines that start with `-`, `+` or a blank, and `@@ line` above each group. */
  readonly diff: readonly string[];
  /** The whole changed text, for people who keep the file elsewhere. */
  readonly text: string;
  readonly problems: readonly ShownProblem[];
}

export interface ConfigChangeRequest {
  readonly changes: readonly GivenChange[];
  /** The version that the changes were made for. */
  readonly version: string;
  readonly operator: string;
  readonly reason: string;
}

export interface AppliedChange {
  readonly version: string;
  readonly opened: readonly string[];
  readonly closed: readonly string[];
  /** Changed settings that take effect only after a restart. */
  readonly needsRestart: readonly string[];
}

/** An earlier state of the file that can be restored. */
export interface EarlierConfig {
  readonly id: string;
  readonly replacedAt: string;
  readonly operator: string;
  readonly reason: string;
}

/** What can be connected: kinds of connectors with the schemas of their options, and presets for known systems. */
export interface Connectable {
  readonly kinds: readonly { readonly type: string; readonly summary: string; readonly options: object }[];
  readonly presets: readonly {
    readonly name: string;
    readonly title: string;
    readonly summary: string;
    readonly type: string;
    readonly queries: readonly object[];
    readonly serves: readonly string[];
    readonly takesEvents: boolean;
  }[];
  /** The capabilities that a connector can have, for `serve`. */
  readonly capabilities: readonly string[];
}

export type Refusal = { readonly refused: string } | { readonly problems: readonly ShownProblem[] };

/** Shows the configuration and changes it. The file stays the only source: every change is a change of the file. */
export interface ConfigEditor {
  readonly show: () => Promise<ShownConfig>;
  readonly connectable: () => Promise<Connectable>;
  readonly propose: (changes: readonly GivenChange[]) => Promise<ProposedChange | Refusal>;
  /** Opens one connector of the changed configuration. Shows a few of its records and what would be sent to it. */
  readonly tryConnector: (
    changes: readonly GivenChange[],
    asked: { readonly name: string; readonly records: number },
  ) => Promise<object | Refusal>;
  /** Opens every connector of the configuration in effect. */
  readonly check: (asked: { readonly records: number }) => Promise<object>;
  readonly apply: (request: ConfigChangeRequest) => Promise<AppliedChange | Refusal>;
  readonly history: () => Promise<readonly EarlierConfig[]>;
  /** Restores the state before the last change. The replaced state can then be restored in the same way. */
  readonly back: (request: Omit<ConfigChangeRequest, "changes">) => Promise<AppliedChange | Refusal>;
  /** Stores a secret in a separate file. Returns the text that refers to it in the configuration. */
  readonly keepSecret: (name: string, value: string) => Promise<{ readonly reference: string } | Refusal>;
}
