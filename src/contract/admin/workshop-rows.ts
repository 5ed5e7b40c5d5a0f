import { Type } from "typebox";
import { choice, dateTime, flag, list, record } from "../schemas/parts.ts";
import { type AdminRow, operator, reason } from "./admin-row.ts";
import { count, orNull, words } from "./journal-answers.ts";

const anything = (description: string) => Type.Unsafe<unknown>({ description });
const anyObject = (description: string) => Type.Unsafe<object>({ type: "object", description });
const names = (description: string) => list(words("One name."), description);

const problem = record("ConfigurationProblem", {
  line: Type.Optional(count("Line of the changed file.")),
  column: Type.Optional(count("Column of the changed file.")),
  text: words("What is wrong."),
  hint: Type.Optional(words("What to write instead.")),
  language: Type.Optional(words("Language of the text; absent: English.")),
  hintLanguage: Type.Optional(words("Language of the hint; absent: English.")),
});
const problems = list(problem, "What is wrong with the changed configuration; then nothing was done.");
const change = record("ConfigurationChange", {
  path: names("The member, from the top of the file."),
  value: Type.Optional(anything("Its new value; without one, and without `yaml`, it is removed.")),
  yaml: Type.Optional(words("Its new value as YAML.")),
});
const changes = list(change, "At most 100 changes.");
const version = words("Version of the file that the change was made for.");
const applied = record("AppliedChange", {
  version: Type.Optional(words("New version of the file.")),
  opened: Type.Optional(names("Connectors that were opened.")),
  closed: Type.Optional(names("Connectors that were closed.")),
  needsRestart: Type.Optional(names("Changed settings that take effect after a restart.")),
  problems: Type.Optional(problems),
});
const records = Type.Optional(count("How many sample records, from 0 to 20."));
const kind = Type.Optional(choice(["workOrders", "items"] as const, "What the file contains."));

const run = Type.Unsafe<object | null>({
  type: ["object", "null"],
  description: "The last run; null if there was none.",
  properties: {
    kind: choice(["simulate", "conform"] as const, "The tool."),
    startedAt: dateTime("When it was started."),
    startedBy: words("Who started it."),
    state: choice(["running", "passed", "findings", "failed", "stopped"] as const, "What became of it."),
    output: names("The last lines that it has printed."),
    report: orNull(anyObject("Its report, when it has ended.")),
  },
});
const floorState = record("FloorState", { isProduction: flag("Whether a real floor works with this adapter."), run });

/** The configuration, files and tools, for people who set the adapter up. */
export const workshopRows = {
  "GET /admin/config": {
    summary: "The configuration in effect, without secrets.",
    role: "operator",
    answer: record("ShownConfiguration", {
      file: orNull(words("Path of the file; null if the adapter was started by code.")),
      text: words("Its text, with secrets masked."),
      version: words("Version of the file."),
      readOnlyBecause: orNull(
        choice(["started-by-code", "no-permission", "kept-in-git"] as const, "Why it cannot be changed here."),
      ),
      values: list(
        record("ShownValue", {
          path: names("The setting."),
          value: anything("Its value, with secrets masked."),
          from: choice(
            ["file", "code", "default"] as const,
            "Where it comes from: the file, the program that started the adapter, or the defaults.",
          ),
          line: Type.Optional(count("Line of the file.")),
        }),
        "Every setting in effect.",
      ),
      problems: list(problem, "Why the file cannot be read; then there are no values."),
    }),
  },
  "GET /admin/config/connectable": {
    summary: "What can be connected, with the schema of its options.",
    role: "operator",
    answer: record("Connectable", {
      kinds: list(anyObject("A kind of connector: type, summary and options as JSON Schema."), "Kinds of connectors."),
      presets: list(anyObject("A known system, and what it has to be told."), "Presets."),
      capabilities: names("What a connector can answer."),
    }),
  },
  "GET /admin/config/history": {
    summary: "Earlier states of the configuration file, newest first.",
    role: "operator",
    answer: record("ConfigurationHistory", {
      earlier: list(
        record("EarlierConfiguration", {
          id: words("Id of the state."),
          replacedAt: dateTime("When it was replaced."),
          operator: words("By whom."),
          reason: words("Why."),
        }),
        "Earlier states.",
      ),
    }),
  },
  "POST /admin/config/propose": {
    summary: "What a change would do to the file; nothing is changed.",
    role: "admin",
    body: record("ProposeChange", { changes }),
    answer: record("ProposedChange", {
      version: Type.Optional(words("Version of the file now.")),
      diff: Type.Optional(names("Lines with `-`, `+` or a blank before them.")),
      text: Type.Optional(words("The whole changed text, with secrets masked.")),
      problems,
    }),
  },
  "POST /admin/config/try": {
    summary: "Try one connector of a changed configuration: sample records, and what it would be sent.",
    role: "admin",
    body: record("TryConnector", { changes, connector: words("Name of the connector."), records }),
    answer: anyObject("What was found, as `crossdock check --json` prints it."),
  },
  "POST /admin/config/check": {
    summary: "Check all connectors of the configuration in effect.",
    role: "admin",
    body: record("CheckConfiguration", { records }),
    answer: anyObject("What was found, as `crossdock check --json` prints it."),
  },
  "POST /admin/config/apply": {
    summary: "Change the file and take it into effect; refused as a whole if it is not valid.",
    role: "admin",
    body: record("ApplyChange", { changes, version, operator, reason }),
    answer: applied,
  },
  "POST /admin/config/back": {
    summary: "Return to the state before the last change.",
    role: "admin",
    body: record("ReturnToEarlier", { version, operator, reason }),
    answer: applied,
  },
  "POST /admin/config/secrets": {
    summary: "Keep a secret in a file of its own, beside the configuration.",
    role: "admin",
    body: record("KeepSecret", { name: words("Name of the file."), value: words("The secret.") }),
    answer: record("KeptSecret", { reference: words("What to write into the configuration.") }),
  },
  "GET /admin/access": {
    summary: "People, senders and how the platform proves who it is, without keys.",
    role: "operator",
    answer: record("AccessView", {
      people: list(
        record("PersonView", {
          name: words("Name for the audit."),
          role: choice(["viewer", "operator", "admin"] as const, "Role."),
          isKeyUsable: flag("Whether the key is long enough to be accepted."),
        }),
        "People with a key of their own.",
      ),
      oidc: orNull(
        record("CompanyAccountView", {
          issuer: words("Address of the provider."),
          claim: words("What of a person decides, such as `groups`."),
          roles: list(
            record("CompanyRoleView", {
              role: choice(["viewer", "operator", "admin"] as const, "Role."),
              values: names("Values of the claim that give it."),
            }),
            "All roles.",
          ),
        }),
      ),
      senders: list(
        record("SenderView", {
          name: words("Name."),
          kind: words("How it proves who it is."),
          topics: Type.Unsafe<string[] | null>({
            type: ["array", "null"],
            items: { type: "string" },
            description: "What it may push; null: everything.",
          }),
          isEnabled: flag("Whether it may push now."),
        }),
        "Who may push in addition to holders of the adapter's key.",
      ),
      platform: words("How the platform proves who it is; `none`: it does not have to."),
    }),
  },
  "GET /admin/alarms": {
    summary: "Which alarms are on, and where they are sent.",
    role: "operator",
    answer: record("AlarmsView", {
      kinds: list(
        record("AlarmKindView", { kind: words("Kind."), isOn: flag("Whether it is watched.") }),
        "All alarms.",
      ),
      channels: list(
        record("AlarmChannelView", { name: words("`webhook` or `email`."), to: words("Receiver, without secrets.") }),
        "Where alarms are sent.",
      ),
    }),
  },
  "POST /admin/alarms/test": {
    summary: "Send a test alarm over every channel.",
    role: "admin",
    body: record("TestAlarms", { operator, reason }),
    answer: record("TestedAlarms", {
      results: list(
        record("TestedChannel", {
          channel: words("The channel."),
          isSent: flag("Whether its receiver accepted the alarm."),
          detail: orNull(words("Why not.")),
        }),
        "One per channel.",
      ),
    }),
  },
  "POST /admin/files/preview": {
    summary: "How the file endpoints would read a file; nothing is imported. The body is the file itself.",
    role: "operator",
    query: Type.Object({ kind, name: Type.Optional(words("Name of the file.")) }),
    answer: anyObject("What was detected, the first records, every problem with its row and column, and the cells."),
  },
  "GET /admin/files/template": {
    summary: "An empty CSV file to fill in.",
    role: "viewer",
    query: Type.Object({ kind }),
    types: ["text/csv"],
  },
  "GET /admin/floor": {
    summary: "The last run of the simulator or of the conformance checks.",
    role: "viewer",
    answer: floorState,
  },
  "GET /admin/floor/report": { summary: "Its report as a page.", role: "viewer", types: ["text/html"] },
  "POST /admin/floor/simulate": {
    summary: "Start a simulated floor against this adapter; refused on a productive one.",
    role: "admin",
    body: record("StartSimulation", {
      orders: Type.Optional(count("Orders to push, from 0 to 5000.")),
      operators: Type.Optional(count("Operators, from 1 to 64.")),
      speed: Type.Optional(count("Times faster than real time; absent: as fast as possible.")),
      minutes: Type.Optional(count("Length of the shift in simulated minutes.")),
      faultPercent: Type.Optional(count("Share of calls with each fault, from 0 to 20.")),
      changePercent: Type.Optional(count("Share of orders with each change, from 0 to 20.")),
      seed: Type.Optional(count("The same seed makes the same calls.")),
      operator,
    }),
    answer: anyObject("The run."),
  },
  "POST /admin/floor/conform": {
    summary: "Start the conformance checks against this adapter.",
    role: "admin",
    body: record("StartConformance", {
      full: Type.Optional(flag("Also send events and import files; refused on a productive adapter.")),
      operator,
    }),
    answer: anyObject("The run."),
  },
  "POST /admin/floor/stop": {
    summary: "Stop the run.",
    role: "admin",
    body: record("StopRun", { operator }),
    answer: floorState,
  },
} as const satisfies Record<string, AdminRow>;
