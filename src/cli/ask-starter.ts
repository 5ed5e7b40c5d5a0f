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
} from "../app/starter/starter-config.ts";

class Stopped extends Error {}

/** Asks for what is not known yet. Null where the person has stopped. */
export async function askStarter(
  known: Omit<StarterAnswers, "kind"> & { readonly kind: StarterKind | undefined },
): Promise<StarterAnswers | null> {
  intro("crossdock init");
  try {
    const kind =
      known.kind ??
      (await answer(
        select<StarterKind>({
          message: "What is to be connected?",
          options: starterKinds.map((value) => ({ value, label: starterTitles[value] })),
        }),
      ));
    const preset = known.preset ?? (kind === "rest" ? await askPreset() : undefined);
    const driver =
      known.driver ??
      (kind === "sql"
        ? await answer(
            select<SqlDriver>({ message: "Which database?", options: sqlDrivers.map((value) => ({ value })) }),
          )
        : undefined);
    const address = known.address ?? (kind === "embedded" ? undefined : await askAddress(kind, driver));
    const timeZone = await answer(
      text({ message: "In which time zone are dates without offset meant?", initialValue: known.timeZone }),
    );
    return { kind, preset, driver, address, timeZone };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    cancel("Nothing was written.");
    return null;
  }
}

async function askPreset(): Promise<string | undefined> {
  if (starterPresets.length === 0) return undefined;
  const chosen = await answer(
    select<string>({
      message: "Which ERP?",
      options: [
        { value: "", label: "another one" },
        ...starterPresets.map(({ name, title }) => ({ value: name, label: title })),
      ],
    }),
  );
  return chosen === "" ? undefined : chosen;
}

const questions: Readonly<Record<StarterKind, string>> = {
  embedded: "",
  rest: "Address of its web interface?",
  sql: "Host of the database, or its file?",
  files: "Folder that both sides use?",
};

const askAddress = (kind: StarterKind, driver: SqlDriver | undefined): Promise<string> =>
  answer(text({ message: questions[kind], initialValue: defaultAddress(kind, driver) }));

async function answer<Given>(asked: Promise<Given>): Promise<Exclude<Given, symbol>> {
  const given = await asked;
  if (isCancel(given)) throw new Stopped();
  // Everything that is no sign of stopping is an answer.
  return given as Exclude<Given, symbol>;
}
