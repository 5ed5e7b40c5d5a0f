/** One log message. Its code never changes, so that monitoring rules and notes can refer to it. */
export interface LogLine {
  readonly code: string;
  readonly room: LogRoom;
  /** The text as it is logged. Everything that differs from line to line is in the fields beside it. */
  readonly text: string;
  /** What a reader of the message should do. */
  readonly todo: string;
}

/** The rooms whose log level can be set separately. Here, each folder of `engine` is a room of its own. */
export const logRooms = {
  app: "Start and stop of the parts, several processes and deployments, certificates, alerts; requests of a watched order",
  cli: "The program itself: signals, reloads",
  kit: "Files of the data folder",
  journal: "Free disk space",
  sdk: "Full comparisons of polled systems",
  store: "The embedded system: stored records, export columns",
  connectors: "External systems: polls, files, databases, webhooks, and modules of your own",
  engine: "Deleting old entries",
  delivery: "Deliveries to external systems",
  queries: "Queries of the platform that an external system answers",
  fallback: "Fallback data while an external system does not answer",
  intake: "Records that come from external systems",
  quarantine: "Records that cannot be used",
  alarms: "Alarms",
  figures: "Figures of the console",
  runtime: "Reloads of the configuration",
  server: "Requests, senders, sign-in, actions of people",
} as const;
export type LogRoom = keyof typeof logRooms;
// The table has only these members; Object.keys loses their type.
export const logRoomNames = Object.keys(logRooms) as LogRoom[];

/** The lines of one room, by their codes. */
export const linesOf = (room: LogRoom, lines: Readonly<Record<string, readonly [text: string, todo: string]>>) =>
  Object.entries(lines).map(([code, [text, todo]]): LogLine => ({ code, room, text, todo }));

export const nothingToDo = "Nothing.";
