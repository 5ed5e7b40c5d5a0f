import type { Readable, Writable } from "node:stream";
import { cancel, intro, isCancel, select, text } from "@clack/prompts";
import {
  defaultAddress,
  type SqlDriver,
  type StarterAnswers,
  type StarterKind,
  sqlDrivers,
  starterKinds,
  starterPresets,
  starterTitles,
  wrongAddress,
  wrongTimeZone,
} from "./starter-config.ts";

class Stopped extends Error {}

/** The streams on which prompts are shown and keys are read. */
export interface Streams {
  readonly input: Readable;
  readonly output: Writable;
}

/** Prompts for what is not known yet. Null if the user cancels. */
export async function promptStarter(
  known: Omit<StarterAnswers, "kind"> & { readonly kind: StarterKind | undefined },
  streams: Streams,
): Promise<StarterAnswers | null> {
  intro("crossdock init", streams);
  try {
    const kind =
      known.kind ??
      (await answer(
        select<StarterKind>({
          ...streams,
          message: "What do you want to connect?",
          options: starterKinds.map((value) => ({ value, label: starterTitles[value] })),
        }),
      ));
    const preset = known.preset ?? (kind === "rest" ? await promptPreset(streams) : undefined);
    const driver =
      known.driver ??
      (kind === "sql"
        ? await answer(
            select<SqlDriver>({
              ...streams,
              message: "Which database?",
              options: sqlDrivers.map((value) => ({ value })),
            }),
          )
        : undefined);
    const address =
      known.address ?? (kind === "embedded" ? undefined : await promptAddress({ kind, driver, preset }, streams));
    const timeZone = await answer(
      text({
        ...streams,
        message: "Which time zone applies to dates without offset?",
        initialValue: known.timeZone,
        validate: (given = "") => wrongTimeZone(given),
      }),
    );
    return { kind, preset, driver, address, timeZone };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    cancel("Nothing was written.", streams);
    return null;
  }
}

async function promptPreset(streams: Streams): Promise<string | undefined> {
  if (starterPresets.length === 0) return undefined;
  const chosen = await answer(
    select<string>({
      ...streams,
      message: "Which ERP?",
      options: [
        { value: "", label: "another system" },
        ...starterPresets.map(({ name, title }) => ({ value: name, label: title })),
      ],
    }),
  );
  return chosen === "" ? undefined : chosen;
}

const queries: Readonly<Record<StarterKind, string>> = {
  embedded: "",
  rest: "Address of its web interface?",
  sql: "Host of the database, or its file?",
  files: "Folder that both sides use?",
};

const promptAddress = (known: Parameters<typeof defaultAddress>[0], streams: Streams): Promise<string> =>
  answer(
    text({
      ...streams,
      message: queries[known.kind],
      // A placeholder instead of a value, so that the user does not have to delete it first.
      placeholder: defaultAddress(known),
      defaultValue: defaultAddress(known),
      validate: (given = "") => (given === "" ? undefined : wrongAddress(known.kind, given)),
    }),
  );

async function answer<Given>(asked: Promise<Given>): Promise<Exclude<Given, symbol>> {
  const given = await asked;
  if (isCancel(given)) throw new Stopped();
  // Every value that is not the cancel symbol is an answer.
  return given as Exclude<Given, symbol>;
}
