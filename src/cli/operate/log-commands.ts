import { pathSegment } from "../../contract/admin/path-segment.ts";
import type { LoggedExchange, WatchedOrder } from "../../server/admin/log-routes.ts";
import { actingPerson, personOptions } from "../admin-client.ts";
import { CommandFailure, type CommandGroup, defineCommand } from "../command.ts";
import { indentedJson, oneLine, shownTimeHere, textTable } from "../describe/terminal-text.ts";
import { adapterOptions, withAdapter } from "../find-adapter.ts";

interface LogView {
  readonly levels: readonly { readonly room: string; readonly level: string; readonly until: string | null }[];
  readonly orders: readonly WatchedOrder[];
}

const forOption = { value: "TIME", description: "how long, such as 15m or 2h (15m); at most 24h" } as const;

const logShowCommand = defineCommand({
  name: "show",
  summary: "show how much each room logs, and which orders are watched",
  arguments: [],
  options: { json: { description: "print JSON" }, ...adapterOptions },
  examples: [{ command: "crossdock log show", does: "shows the level of every room" }],
  run: async ({ options, terminal }) => {
    const view = await withAdapter(options, terminal, (client) => client.get<LogView>("/admin/log"));
    const shown = await shownTimeHere(terminal);
    const until = (time: string | null) => (time === null ? "" : `until ${shown(time)}`);
    const rooms = view.levels.map(({ room, level, until: time }) => [room, level, until(time)]);
    const orders = view.orders.map(({ order, until: time, exchanges }) => [order, until(time), `${exchanges} kept`]);
    const text = [textTable([["Room", "Level", ""], ...rooms])];
    if (orders.length > 0) text.push(textTable([["Order", "", ""], ...orders]));
    terminal.print(options.json ? JSON.stringify(view, null, 2) : text.join("\n\n"));
    return "ok";
  },
});

const logLevelCommand = defineCommand({
  name: "level",
  summary: "let one room log more or less for a while",
  details:
    "Takes effect at once and ends by itself; `normal` ends it now. The rooms are in docs/reference/log-messages.md. For a level that " +
    "stays, set logging.rooms in the configuration.",
  arguments: [
    { name: "room", description: "such as delivery or connectors" },
    { name: "level", description: "debug, info, warn, error, silent or normal" },
  ],
  options: { for: forOption, ...personOptions, ...adapterOptions },
  examples: [
    { command: "crossdock log level delivery debug --for 15m", does: "logs every delivery for a quarter of an hour" },
    { command: "crossdock log level delivery normal", does: "returns to the configuration" },
  ],
  run: async ({ arguments: { room, level }, options, terminal }) => {
    const body = { room, level, minutes: minutesOf(options.for), operator: actingPerson(options.as) };
    const view = await withAdapter(options, terminal, (client) => client.post<LogView>("/admin/log/level", body));
    const now = view.levels.find((one) => one.room === room);
    const shown = await shownTimeHere(terminal);
    const until = now?.until == null ? "as configured" : `until ${shown(now.until)}`;
    terminal.print(`${room} logs at ${now?.level ?? level}, ${until}.`);
    return "ok";
  },
});

const logOrderCommand = defineCommand({
  name: "order",
  summary: "log every request and delivery that names one order, for a while",
  details:
    "Requests, answers and deliveries are written to the log with their bodies; secrets, names and addresses are masked. The last 200 are " +
    "kept in memory and printed by --show. Queries that the adapter sends to external systems are not among them.",
  arguments: [{ name: "number", description: "number of the order" }],
  options: {
    for: forOption,
    show: { description: "print what was logged so far, and change nothing" },
    json: { description: "with --show: print JSON" },
    ...personOptions,
    ...adapterOptions,
  },
  examples: [
    { command: "crossdock log order 4711 --for 15m", does: "logs what touches order 4711" },
    { command: "crossdock log order 4711 --show", does: "prints it" },
  ],
  run: async ({ arguments: { number }, options, terminal }) => {
    const shown = await shownTimeHere(terminal);
    if (options.show) {
      const path = `/admin/log/orders/${pathSegment(number)}`;
      const { exchanges } = await withAdapter(options, terminal, (client) =>
        client.get<{ exchanges: readonly LoggedExchange[] }>(path),
      );
      if (options.json) terminal.print(JSON.stringify(exchanges, null, 2));
      else if (exchanges.length === 0) terminal.complain("Nothing has touched it so far.");
      else terminal.print(exchanges.map((one) => exchangeText(one, shown)).join("\n\n"));
      return "ok";
    }
    const body = { order: number, minutes: minutesOf(options.for), operator: actingPerson(options.as) };
    const view = await withAdapter(options, terminal, (client) => client.post<LogView>("/admin/log/orders", body));
    const until = view.orders.find(({ order }) => order === number)?.until;
    terminal.print(`What touches order ${number} is logged until ${until === undefined ? "then" : shown(until)}.`);
    terminal.complain(`See it with: crossdock log order ${number} --show`);
    return "ok";
  },
});

export const logCommands: CommandGroup = {
  name: "log",
  summary: "change how much is logged, for a while",
  details: "Needs a running adapter. Every message and what to do about it: docs/reference/log-messages.md.",
  commands: [logShowCommand, logLevelCommand, logOrderCommand],
};

function exchangeText(exchange: LoggedExchange, shown: (time: string) => string): string {
  const { at, what, status, ms, request, answer } = exchange;
  const body = (mark: string, text: string) =>
    text === ""
      ? []
      : indentedJson(text)
          .split("\n")
          .map((line) => `  ${mark} ${printable(line)}`);
  const head = `${shown(at)}  ${oneLine(what)}  ${status ?? "no answer"}  ${ms} ms`;
  return [head, ...body(">", request), ...body("<", answer)].join("\n");
}

const printable = (line: string) => `${/^\s*/.exec(line)?.[0] ?? ""}${oneLine(line.trimStart())}`;

function minutesOf(given: string | undefined): number {
  const [, amount = "", unit = "m"] = /^(\d{1,4})(m|h|min)?$/.exec(given ?? "15m") ?? [];
  const minutes = Number(amount) * (unit === "h" ? 60 : 1);
  if (amount !== "" && minutes > 0) return minutes;
  throw new CommandFailure(`${given} is not a time`, { next: "write it like 15m or 2h" });
}
