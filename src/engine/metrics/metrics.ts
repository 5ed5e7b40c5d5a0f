import { monitorEventLoopDelay } from "node:perf_hooks";
import type { JournalReader } from "../../journal/journal.ts";
import type { DiskWatch } from "../../journal/watch-disk.ts";
import type { Clock } from "../../kit/time/clock.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { Quarantine } from "../quarantine/quarantine.ts";
import { countSamples, histogramSamples, type Metric, type Sample } from "./exposition.ts";
import type { Histogram, Tally } from "./tally.ts";

/** Where the values of the metrics come from. */
export interface MetricSources {
  readonly tally: Tally;
  readonly outbox: Pick<Outbox, "overview">;
  readonly read: Pick<JournalReader, "counts">;
  readonly quarantine: Pick<Quarantine, "count">;
  readonly disk: Pick<DiskWatch, "freeBytes">;
  readonly alarms: () => readonly { readonly alarm: string; readonly subject: string }[];
  readonly clock: Clock;
}

const breakerNumber = { closed: 0, "half-open": 1, open: 2 };
const quantiles = [0.5, 0.9, 0.99];
const loopResolutionMs = 10;

/** All metrics of the adapter, without those of the process: their names, texts, labels and values. */
export const ownMetrics = (sources: MetricSources): Metric[] => [
  ...counted(sources.tally),
  ...targetMetrics(sources),
  ...adapterMetrics(sources),
];

/**
 * In seconds since 1970. Not the start of what the process serves: an owner that becomes a standby and owner again was
 * not restarted.
 */
const processStartedAt = performance.timeOrigin / 1000;

/** The metrics of the process, whatever it serves. */
export function openProcessMetrics({ version }: { readonly version: string }): {
  readonly metrics: () => Metric[];
  readonly close: () => void;
} {
  const loop = monitorEventLoopDelay({ resolution: loopResolutionMs });
  loop.enable();
  return { metrics, close: () => loop.disable() };

  function metrics(): Metric[] {
    // The timer itself waits this long; the excess is the delay.
    const seconds = (ns: number) => (Number.isNaN(ns) ? 0 : Math.max(0, ns / 1e9 - loopResolutionMs / 1000));
    const delays = quantiles.map((quantile) => ({
      labels: { percentile: String(quantile * 100) },
      value: seconds(loop.percentile(quantile * 100)),
    }));
    const longest = { labels: { percentile: "100" }, value: loop.count === 0 ? 0 : seconds(loop.max) };
    // Each scrape covers only the time since the previous one.
    loop.reset();
    return [
      gauge("crossdock_event_loop_delay_seconds", "Delay of the event loop since the last scrape.", [
        ...delays,
        longest,
      ]),
      gauge("process_resident_memory_bytes", "Resident memory.", one(process.memoryUsage.rss())),
      gauge("process_start_time_seconds", "Start time of the process, in seconds since 1970.", one(processStartedAt)),
      gauge("crossdock_info", "The running version.", [{ labels: { version }, value: 1 }]),
    ];
  }
}

/** The role of this process among those that share its PostgreSQL. An adapter that serves is the owner. */
export const roleMetrics = (standby: { readonly behind: number } | null): Metric[] => [
  gauge("crossdock_owner", "1 if this process owns the deployment, 0 if it is a standby.", one(standby ? 0 : 1)),
  gauge(
    "crossdock_standby_behind",
    "Changesets that a standby has not yet applied; 0 for the owner.",
    one(standby?.behind ?? 0),
  ),
];

const one = (value: number): Sample[] => [{ value }];
export const gauge = (name: string, help: string, samples: readonly Sample[]): Metric => ({
  name,
  help,
  type: "gauge",
  samples,
});

const eachSeconds = (byName: ReadonlyMap<string, Histogram>, label: string): Sample[] =>
  [...byName].flatMap(([name, histogram]) => histogramSamples(histogram, { [label]: name }));

const counted = ({
  answers,
  attempts,
  pushes,
  batchCommands,
  commitSeconds,
  commitWaitSeconds,
  ...times
}: Tally): Metric[] => [
  {
    name: "crossdock_answers_total",
    help: "Answers to the platform by operation and result.",
    type: "counter",
    samples: countSamples(answers, ["operation", "result"]),
  },
  {
    name: "crossdock_answer_seconds",
    help: "Time from a request of the platform to its answer, by operation.",
    type: "histogram",
    samples: eachSeconds(times.answerSeconds, "operation"),
  },
  {
    name: "crossdock_pushes_total",
    help: "Stored pushes by topic.",
    type: "counter",
    samples: countSamples(pushes, ["topic", ""]),
  },
  {
    name: "crossdock_delivery_attempts_total",
    help: "Delivery attempts by target and outcome.",
    type: "counter",
    samples: countSamples(attempts, ["target", "outcome"]),
  },
  {
    name: "crossdock_delivery_seconds",
    help: "Time that a target took for a delivery attempt.",
    type: "histogram",
    samples: eachSeconds(times.callSeconds, "target"),
  },
  {
    name: "crossdock_commit_seconds",
    help: "Duration of a journal commit.",
    type: "histogram",
    samples: histogramSamples(commitSeconds),
  },
  {
    name: "crossdock_commit_wait_seconds",
    help: "How long the first command of a commit waited for it to begin.",
    type: "histogram",
    samples: histogramSamples(commitWaitSeconds),
  },
  {
    name: "crossdock_commit_batch",
    help: "Number of commands per commit.",
    type: "histogram",
    samples: histogramSamples(batchCommands),
  },
];

function targetMetrics({ outbox, clock }: MetricSources): Metric[] {
  const targets = outbox.overview().filter(({ target }) => target !== "");
  const now = clock.now();
  type Target = (typeof targets)[number];
  const each = (value: (target: Target) => number): Sample[] =>
    targets.map((target) => ({ labels: { target: target.target }, value: value(target) }));
  const age = ({ oldestAt }: Target) => (oldestAt == null ? 0 : Math.max(0, (now - oldestAt) / 1000));
  return [
    gauge("crossdock_oldest_waiting_seconds", "Age of the oldest entry that waits for a target; 0: none.", each(age)),
    gauge(
      "crossdock_waiting_entries",
      "Entries that wait for a target; of entries from before the last start only those loaded into memory.",
      each(({ waiting }) => waiting),
    ),
    gauge(
      "crossdock_inflight_entries",
      "Deliveries in progress.",
      each(({ inFlight }) => inFlight),
    ),
    gauge(
      "crossdock_breaker_state",
      "Circuit of a target: 0 closed, 1 half-open, 2 open.",
      each(({ breaker }) => breakerNumber[breaker]),
    ),
    gauge(
      "crossdock_target_paused",
      "Whether deliveries are held back.",
      each(({ isPaused }) => (isPaused ? 1 : 0)),
    ),
  ];
}

function adapterMetrics({ read, quarantine, disk, alarms }: MetricSources): Metric[] {
  const freeBytes = disk.freeBytes();
  return [
    gauge(
      "crossdock_journal_entries",
      "Entries of the journal by state.",
      Object.entries(read.counts()).map(([state, value]) => ({ labels: { state }, value })),
    ),
    gauge("crossdock_quarantine_records", "Records in quarantine.", one(quarantine.count())),
    gauge("crossdock_disk_free_bytes", "Free space of the data folder.", freeBytes === null ? [] : one(freeBytes)),
    gauge(
      "crossdock_alarm_raised",
      "Raised alarms.",
      alarms().map(({ alarm, subject }) => ({ labels: { alarm, subject }, value: 1 })),
    ),
  ];
}
