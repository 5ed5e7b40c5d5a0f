import type { Series } from "./query-prometheus.ts";

/** What a panel of the dashboard has to show of the bad day. */
interface Sign {
  /** The number of the query, if the panel has several. */
  readonly query?: number;
  /** Only series with these labels. */
  readonly labels?: Readonly<Record<string, RegExp>>;
  /** What a reader sees. */
  readonly says: string;
  /** Whether the values of one series show it. */
  readonly isSeen: (values: readonly number[]) => boolean;
}

const reaches = (least: number) => (values: readonly number[]) => values.some((value) => value >= least);
const rises = (values: readonly number[]) => values.some((value) => value > 0);
const falls = (most: number) => (values: readonly number[]) => values.some((value) => value <= most);
const restarts = (values: readonly number[]) => values.some((value, index) => value < (values[index - 1] ?? 0));
const mib = 2 ** 20;

/** One list per panel: a panel that shows nothing of a bad day needs no place on the dashboard. */
export const panelSigns: Readonly<Record<string, readonly Sign[]>> = {
  "Processes that answer": [
    { says: "both processes answer", isSeen: reaches(2) },
    { says: "one of them is gone", isSeen: falls(1) },
  ],
  "Failed deliveries": [{ says: "an event was refused", isSeen: reaches(1) }],
  "Oldest waiting event": [{ says: "events wait for the ERP", isSeen: reaches(1) }],
  "Targets that do not answer": [{ says: "the ERP does not answer", isSeen: reaches(1) }],
  "Records in quarantine": [{ says: "an order is not valid", isSeen: reaches(1) }],
  "Raised alarms": [{ says: "an alarm is raised", isSeen: reaches(1) }],
  "Answers to the platform": [
    { labels: { operation: /^confirmPutWallPlacement$/ }, says: "the floor works", isSeen: rises },
  ],
  "Answers that are no success": [
    { labels: { result: /^ItemDoesNotExist$/ }, says: "an item is not known", isSeen: rises },
  ],
  "Time to the answer": [{ says: "answers wait for PostgreSQL", isSeen: reaches(0.5) }],
  "Delivery attempts": [
    { labels: { outcome: /^delivered$/ }, says: "events are delivered", isSeen: rises },
    { labels: { outcome: /^(?!delivered$)/ }, says: "attempts fail", isSeen: rises },
  ],
  "Waiting events": [
    { query: 0, says: "events wait for the ERP", isSeen: reaches(1) },
    { query: 1, says: "an event is being delivered to a slow ERP", isSeen: reaches(1) },
  ],
  Circuit: [
    { query: 0, says: "the ERP does not answer", isSeen: reaches(2) },
    { query: 1, says: "somebody has paused the ERP", isSeen: reaches(1) },
  ],
  "Time of the target": [{ says: "the ERP is slow", isSeen: reaches(1) }],
  "Stored pushes": [{ labels: { topic: /^items$/ }, says: "an item was pushed", isSeen: rises }],
  "Entries by state": [{ labels: { state: /^dead$/ }, says: "an event was refused", isSeen: reaches(1) }],
  Alarms: [{ labels: { alarm: /^refused$/, subject: /^erp$/ }, says: "the ERP refused an event", isSeen: reaches(1) }],
  Commit: [
    { query: 0, says: "PostgreSQL is slow", isSeen: reaches(0.5) },
    { query: 1, says: "events wait for the commit before theirs", isSeen: rises },
  ],
  "Commands per commit": [{ says: "commits have commands", isSeen: reaches(1) }],
  "Event loop": [{ labels: { percentile: /^100$/ }, says: "the process had no processor", isSeen: reaches(0.5) }],
  Memory: [{ says: "a process has memory", isSeen: reaches(50 * mib) }],
  "Free disk": [{ says: "the disk is nearly full", isSeen: falls(512 * mib) }],
  "Running for": [{ says: "a process was started again", isSeen: restarts }],
  Version: [{ labels: { version: /^\d+\.\d+\.\d+$/ }, says: "two processes run", isSeen: reaches(2) }],
  Owner: [
    { says: "one owns the deployment", isSeen: reaches(1) },
    { says: "another process has taken over", isSeen: (values) => reaches(1)(values) && values[0] === 0 },
  ],
  "Standby behind": [{ says: "the standby has everything", isSeen: falls(0) }],
};

/** What should be seen on a panel and is not; empty if everything is. */
export function unseenOn(title: string, byQuery: readonly (readonly Series[])[]): string[] {
  const unseen = (panelSigns[title] ?? []).filter(({ query = 0, labels = {}, isSeen }) => {
    const own = (byQuery[query] ?? []).filter(({ metric }) =>
      Object.entries(labels).every(([name, wanted]) => wanted.test(metric[name] ?? "")),
    );
    return !own.some(({ values }) => isSeen(values));
  });
  return unseen.map(({ says }) => `${title}: ${says}`);
}
