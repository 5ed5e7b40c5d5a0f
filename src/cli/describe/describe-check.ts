import { styleText } from "node:util";
import type {
  CheckedConnector,
  CheckedDeployment,
  CheckedForward,
  CheckedRecord,
} from "../../runtime/check/check-deployment.ts";
import type { CheckedEvent } from "../../runtime/check/dry-run-events.ts";

const maxShown = 1_500;

/** The text of a check result; with `isWhole` it also lists what is in order. */
export function describeCheck(
  { connectors, forward, problems, switchedOff, warnings }: CheckedDeployment,
  { isWhole, colour }: { isWhole: boolean; colour: boolean },
): string[] {
  const paint = painter(colour);
  const bad = (text: string) => `${paint("red", "✗")} ${text}`;
  const good = (text: string) => (isWhole ? [`${paint("green", "✓")} ${text}`] : []);
  return [
    ...problems.map(({ source, line, column, text, hint }) =>
      bad(
        `${source}${line === undefined ? "" : `:${line}:${column}`}: ${text}${hint === undefined ? "" : `\n    ${hint}`}`,
      ),
    ),
    ...connectors.flatMap((one) => connectorLines(one)),
    ...forward.flatMap((one) => forwardLines(one)),
    ...switchedOff.flatMap((name) => good(`serve.${name} is switched off: the platform gets AdapterNotDefined`)),
    ...warnings.map((text) => `${paint("yellow", "!")} ${text}`),
  ];

  function connectorLines(connector: CheckedConnector): string[] {
    const { name, type, queries, takes, bringsIn, errors, records, notes, events } = connector;
    const offers = [
      queries.length === 0 ? [] : [`answers ${queries.join(", ")}`],
      takes.length === 0 ? [] : [`takes ${takes.length} ${takes.length === 1 ? "kind" : "kinds"} of events`],
      bringsIn ? ["brings data in by itself"] : [],
    ].flat();
    const head = `${name} (${type})`;
    return [
      ...(errors.length === 0
        ? good(`${head} is reachable; it ${offers.join(", ") || "offers nothing"}`)
        : errors.map((text) => bad(`${head}: ${text}`))),
      ...records.flatMap((record) => recordLines(name, record)),
      ...events.flatMap((event) => describeEvent(name, event, { isWhole, colour })),
      ...notes.map((text) => `${paint("yellow", "!")} ${head}: ${text}`),
    ];
  }

  function forwardLines({ topic, mode, method, url, body, errors }: CheckedForward): string[] {
    const head = `platform.forward.${topic}`;
    const kept = mode === "serve" ? "; new pushes are only served, waiting ones are still sent" : "";
    return [
      ...errors.map((text) => bad(`${head}: ${text}`)),
      ...(errors.length === 0 ? good(`${head}: a push would be sent to the platform as${kept}`) : []),
      ...(isWhole ? [`    ${method} ${url}`, ...(body === undefined ? [] : [indented(body)])] : []),
    ];
  }

  function recordLines(name: string, { serves, raw, record, problems }: CheckedRecord): string[] {
    if (problems.length === 0) {
      return isWhole ? [...good(`${name}, ${serves}: the platform would get`), indented(record)] : [];
    }
    return [
      bad(`${name}, ${serves}: this record would be quarantined`),
      ...problems.map(({ field, source, text }) => {
        const from = source === undefined ? "" : ` (from ${source})`;
        return `    ${text.startsWith(field) ? text : `${field}: ${text}`}${from}`;
      }),
      paint("dim", indented(raw)),
    ];
  }
}

/** The request for an event; without `isWhole` only if it has an error. */
export function describeEvent(
  name: string,
  { event, requests, error }: CheckedEvent,
  { isWhole, colour }: { isWhole: boolean; colour: boolean },
): string[] {
  const paint = painter(colour);
  const mark = (isGood: boolean) => (isGood ? paint("green", "✓") : paint("red", "✗"));
  if (error !== undefined) return [`${mark(false)} ${name}, ${event}: cannot be sent: ${error}`];
  if (!isWhole) return [];
  if (requests.length === 0)
    return [`${mark(true)} ${name}, ${event}: nothing would be sent, because its condition is not met`];
  return [
    `${mark(true)} ${name}, ${event}: would be sent as`,
    ...requests.flatMap(({ to, headers = {}, body }) => [
      `    ${to}`,
      ...Object.entries(headers).map(([header, value]) => `    ${paint("dim", `${header}: ${value}`)}`),
      ...(body === undefined ? [] : [typeof body === "string" ? body.replaceAll(/^/gm, "    ") : indented(body)]),
    ]),
  ];
}

const painter = (colour: boolean) => (style: Parameters<typeof styleText>[0], text: string) =>
  colour ? styleText(style, text, { validateStream: false }) : text;

function indented(value: unknown): string {
  const text = JSON.stringify(value, null, 2) ?? "nothing";
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}\n…` : text;
  return shown.replaceAll(/^/gm, "    ");
}
