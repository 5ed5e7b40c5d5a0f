import type { Door } from "./doors.ts";

export type Stability = "stable" | "experimental";

interface Rule {
  readonly usual: Stability;
  readonly why: string;
  /** Exports whose stability differs from the usual one of the entry point, each with its reason. */
  readonly other: Readonly<Record<string, string>>;
}

const follows = "follows the configuration file, which may still change";
const speed = "made for speed; its form may change with the next measurement";
const tool = "a tool for tests of your own; may grow";

/** The stability of each export. A name that is no longer exported makes the generation fail. */
const stabilityRules: Readonly<Record<string, Rule>> = {
  ".": {
    usual: "stable",
    why: "start the adapter from your own code",
    other: { Config: follows, LoadedConfig: follows, Settings: follows },
  },
  "./contract": {
    usual: "stable",
    why: "follows the platform's contract; changes only when that does",
    other: {
      openApi: "its output is the interface, not its options",
      Sample: tool,
      SampleId: tool,
      SpoiledSample: tool,
      spoiledSamples: tool,
      validSamples: tool,
    },
  },
  "./sdk": {
    usual: "stable",
    why: "what a connector is made of",
    other: { ListInParts: speed, ReadyJson: speed, ReadyJsonList: speed },
  },
  "./conformance": {
    usual: "experimental",
    why: "new checks are added with every version, so a suite that passed may find something new",
    other: {
      runConformance: "its options and the form of its report stay",
      conformanceSuite: "its options stay",
      connectorSuite: "its options stay",
    },
  },
};

export function stabilityOf(door: string, name: string): { readonly stability: Stability; readonly why: string } {
  const rule = stabilityRules[door];
  if (rule === undefined)
    throw new Error(`the stability of the exports of ${door} is not defined in scripts/api/stability.ts`);
  const reason = rule.other[name];
  if (reason === undefined) return { stability: rule.usual, why: "" };
  return { stability: rule.usual === "stable" ? "experimental" : "stable", why: reason };
}

/** Text of docs/reference/stability.md. */
export function stabilityPage(doors: readonly Door[]): string {
  for (const [path, { other }] of Object.entries(stabilityRules)) {
    const names = doors.find((door) => door.path === path)?.exports.map(({ name }) => name) ?? [];
    const gone = Object.keys(other).filter((name) => !names.includes(name));
    if (gone.length > 0)
      throw new Error(`scripts/api/stability.ts names what ${path} does not export: ${gone.join(", ")}`);
  }
  const sections = doors.map(({ path, specifier, exports }) => {
    const rows = exports.map(({ name }) => {
      const { stability, why } = stabilityOf(path, name);
      return `| \`${name}\` | ${stability} | ${why} |`;
    });
    const rule = stabilityRules[path];
    return [
      `## ${specifier}`,
      `Usually ${rule?.usual}: ${rule?.why}.`,
      ["| Export | Stability | Why |", "|---|---|---|", ...rows].join("\n"),
    ];
  });
  return `${[
    "# Stability",
    "Which exports of the package you may rely on. This page is made from the types and from `scripts/api/stability.ts`.",
    [
      "| Level | Promise |",
      "|---|---|",
      "| stable | Changes that break your code come only with a new minor version as long as it is 0.x, later with a new major version. The [changelog](../../CHANGELOG.md) names each with what to write instead. |",
      "| experimental | May change with every version. The changelog names it. |",
    ].join("\n"),
    "Not part of the interface: files that are imported by a path inside the package, the tables of the database, and the wording of log messages. Data folders of a released version are always read by the next.",
    "The HTTP interface and the command line are stable as described in [behaviour](behaviour.md) and [configuration](configuration.md).",
    ...sections.flat(),
  ].join("\n\n")}\n`;
}
