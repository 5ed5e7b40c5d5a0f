import type { Config } from "../../../config/config-schema.ts";
import { configSchema } from "../../../config/config-schema.ts";
import { configDocument, describeProblem } from "../../../config/document/config-document.ts";
import {
  ConfigError,
  type ConfigProblem,
  inFileOrder,
  type Objection,
  pathText,
} from "../../../config/document/config-error.ts";
import { configShape } from "../../../config/document/config-shape.ts";
import { secretMask } from "../../../config/document/resolve-text.ts";
import { editText, NotEditable } from "../../../config/edit/edit-text.ts";
import { lineDiff } from "../../../config/edit/line-diff.ts";
import { type LoadedConfig, plainDescription } from "../../../config/load-config.ts";
import { maskAddresses } from "../../../operation/secrets/mask-by-name.ts";
import { checkDeployment, checkOneConnector } from "../../../runtime/check/check-deployment.ts";
import type {
  FoundProblem,
  GivenChange,
  ProposedChange,
  Refusal,
  ShownConfig,
} from "../../../server/workshop/config-editor.ts";
import { configValues, smallestChanges, valueAt } from "../config-values.ts";
import { type ConfigSource, loadFrom } from "./config-source.ts";
import { deploymentDrafts } from "./deployment-drafts.ts";
import { withHiddenSecrets } from "./hidden-secrets.ts";
import { type PlainConfig, plainOf } from "./plain-config.ts";
import { shownProblems } from "./shown-problems.ts";

/** What a changed text would be, and what was loaded from it. */
export interface Changed {
  readonly after: string;
  /** Null if there are problems. */
  readonly loaded: PlainConfig | null;
  readonly problems: readonly FoundProblem[];
}

/** A change of the text of a file. */
export interface TextChange {
  readonly text: string;
  readonly changes: readonly GivenChange[];
}

/** More differences of a section are not made one by one: the section is written as a whole. */
const mostDifferences = 500;

/** The part of the configuration editor that takes long: parsing, comparing, loading and trying. Writes nothing. */
export function configDrafts(source: ConfigSource) {
  /** Describes the problems of the configuration that was read last. */
  let describeLast = plainDescription;
  /** The changed text, and what would be loaded from it. */
  const changed = async ({
    text,
    changes,
  }: TextChange): Promise<(Changed & { own: LoadedConfig | null }) | Refusal> => {
    try {
      const { value } = configDocument(text, "");
      const mask = maskFor(text, null);
      const whole = changes.map(withValue).map((one) => withHiddenSecrets(one, valueAt(value, one.path), mask));
      const smallest = smallestChanges(value, whole);
      const wanted = smallest.length > mostDifferences ? whole : smallest;
      const after = editText(
        text,
        wanted.map(({ path, value: to }) => ({ path, value: to })),
      );
      return { after, ...(await loaded(after)) };
    } catch (error) {
      if (error instanceof NotEditable) return { refused: error.message };
      if (error instanceof ConfigError) return { problems: shownProblems(error.problems) };
      throw error;
    }
  };

  const loaded = async (text: string | undefined) => {
    try {
      const own = await loadFrom(source, text);
      return { own, loaded: plainOf(own), problems: [] };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { own: null, loaded: null, problems: shownProblems(error.problems) };
    }
  };

  return {
    ...deploymentDrafts(),
    show: ({
      text,
      config,
    }: {
      readonly text: string;
      readonly config: Config;
    }): Pick<ShownConfig, "text" | "values" | "problems"> => {
      // Also masks secrets of the configuration in effect, which has values that no file contains, such as those given
      // by code.
      const mask = maskFor(text, { config });
      try {
        return { text: mask(text), values: configValues(text, config, mask), problems: [] };
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        return { text: mask(text), values: [], problems: shownProblems(error.problems) };
      }
    },
    propose: async (change: TextChange): Promise<Omit<ProposedChange, "version"> | Refusal> => {
      const result = await changed(change);
      if (!("after" in result)) return result;
      const { after, problems, own } = result;
      const mask = maskFor(after, own);
      return { diff: lineDiff(change.text, after).map(mask), text: mask(after), problems };
    },
    tryConnector: async ({
      name,
      records,
      ...change
    }: TextChange & { readonly name: string; readonly records: number }): Promise<object | Refusal> => {
      const result = await changed(change);
      if (!("after" in result)) return result;
      if (result.own === null) return { problems: result.problems };
      const checked = await checkOneConnector(result.own, { name, records });
      if (checked === null) return { refused: `There is no connector ${JSON.stringify(name)}.` };
      return masked(checked, maskFor(result.after, result.own));
    },
    check: async ({ text, records }: { readonly text: string; readonly records: number }): Promise<object> => {
      const { own, problems } = await loaded(text === "" ? undefined : text);
      // The file was changed by hand and is invalid now; the adapter continues with what it read before.
      if (own === null) return { ok: false, problems, warnings: [], connectors: [] };
      return masked(await checkDeployment(own, { records }), maskFor(text, own));
    },
    change: async (change: TextChange): Promise<Changed | Refusal> => {
      const result = await changed(change);
      if (!("after" in result)) return result;
      const { after, problems, loaded: plain } = result;
      return { after, problems, loaded: plain };
    },
    load: async ({ text }: { readonly text: string }): Promise<Changed> => {
      const { problems, loaded: plain } = await loaded(text);
      return { after: text, problems, loaded: plain };
    },
    /** Reads the file itself, for a reload. */
    read: async (): Promise<{ readonly loaded: PlainConfig } | { readonly problems: readonly ConfigProblem[] }> => {
      try {
        const own = await loadFrom(source, undefined);
        describeLast = own.describe;
        return { loaded: plainOf(own) };
      } catch (error) {
        if (error instanceof ConfigError) return { problems: error.problems };
        throw error;
      }
    },
    describe: (objections: readonly Objection[]): readonly ConfigProblem[] => describeLast(objections),
    /** Adds their positions to problems that showed when the configuration was put into effect. */
    place: ({
      text,
      objections,
    }: {
      readonly text: string;
      readonly objections: readonly Objection[];
    }): readonly FoundProblem[] => {
      const words = describeProblem({
        document: configDocument(text, ""),
        source: "",
        shape: configShape(configSchema),
      });
      return shownProblems(inFileOrder(objections.map(words.objection)));
    },
  };
}

export type ConfigDrafts = ReturnType<typeof configDrafts>;

/** Returns the change with its YAML as a value. Throws a ConfigError if the YAML cannot be read. */
const withValue = ({ path, value, yaml }: GivenChange): GivenChange =>
  yaml === undefined ? { path, value } : { path, value: configDocument(yaml, pathText(path)).value ?? undefined };

/** Returns a function that masks the secrets that a text contains or refers to. */
function maskFor(
  text: string,
  loaded: (Pick<LoadedConfig, "config"> & Partial<Pick<LoadedConfig, "redact">>) | null,
): (shown: string) => string {
  const secrets = secretMask();
  try {
    secrets.learn(configDocument(text, "").value, loaded?.redact);
  } catch {
    // A text that is not YAML cannot be searched for secrets, so nothing of it is shown.
    return () => "";
  }
  if (loaded !== null) secrets.learn(loaded.config, loaded.redact);
  // The password in an address has no name of its own.
  return (shown) => maskAddresses(secrets.mask(shown));
}

// Masked as text, so that no member is missed. The text is JSON before and after.
const masked = (value: object, mask: (text: string) => string): object =>
  JSON.parse(mask(JSON.stringify(value))) as object;
