import {
  JournalBusy,
  JournalClosed,
  JournalDoubtful,
  JournalFailed,
  type JournalTrouble,
  noTrouble,
} from "../../journal.ts";
import { pushPace } from "../bulk/push-pace.ts";
import type { WriterPort } from "../prepare-writer.ts";
import type { Refusal } from "./writer.ts";
import {
  type Command,
  type CommandName,
  dense,
  type Mark,
  type PackedResult,
  packCommand,
  type Results,
  unpackResult,
} from "./writer-command.ts";
import type { FromWriter } from "./writer-messages.ts";

export interface GroupCommit {
  readonly run: <Name extends CommandName>(
    command: Extract<Command, { readonly name: Name }>,
    weight: Weight,
  ) => Promise<Results[Name]>;
  /** Adds a mark that is stored with the next batch, but does not cause one. */
  readonly addMark: (seq: number, at: number, isBack?: boolean) => void;
  /** Why the writer has ended; null while it runs. */
  readonly failure: () => string | null;
  readonly trouble: () => JournalTrouble;
  /**
   * Hands over everything that has arrived, even if the writer is busy, so that the next message to the writer comes
   * after it.
   */
  readonly flush: () => void;
  readonly onBatch: (listener: (batch: Batch) => void) => void;
  /** Settles when everything that was begun is stored. */
  readonly drain: () => Promise<void>;
}

export interface Batch {
  readonly commands: number;
  /** How long the writer took for the batch. */
  readonly tookMs: number;
  /** How long its first command waited for the writer; null if all are pushes, which wait on purpose. */
  readonly waitedMs: number | null;
}

interface Weight {
  readonly entries: number;
  readonly bytes: number;
  /** A push is counted separately from events of the floor, and those go first. */
  readonly isPush?: boolean;
}

interface Waiting {
  readonly command: Command;
  readonly weight: Weight;
  /** Null: no caller waits for it. */
  readonly sinceMs: number | null;
  readonly resolve: (done: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * When this many commands have arrived, they are handed over without waiting for the writer's answer: otherwise this
 * thread would be idle during a commit.
 */
const handOverAt = 24;

/** Limit of marks in a batch: they are cheap, but must not pile up if nothing else is written. */
const marksPerBatch = 500;
/**
 * Marks must not wait longer than this: after a power cut, a real repeat of an event whose mark was lost would count as
 * a retry.
 */
const longestMarkMs = 20;
const nothing: Weight = { entries: 0, bytes: 0 };

/**
 * Group commit: the writer commits everything it was handed together. The slower the disk, the larger the batches, so
 * throughput hardly depends on the disk. An idle writer gets the commands of a turn at its end. A busy one gets the
 * rest when it answers: a hand-over and a commit cost both threads the same for one command as for twenty.
 */
export function groupCommit(
  worker: WriterPort,
  limits: { maxEntries: number; maxBytes: number },
  nowMs: () => number = () => performance.now(),
): GroupCommit {
  let arrived: Waiting[] = [];
  /** How many of the arrived commands came in earlier turns. */
  let arrivedEarlier = 0;
  let isTurnRequested = false;
  /** Commands that are handed over and not settled yet, oldest first: the writer answers in this order. */
  let handedOver: Waiting[] = [];
  let marks: Mark[] = [];
  let markTimer: NodeJS.Timeout | undefined;
  /** Pushes that are not handed over yet; a few at a time go with the events of the floor. */
  let pushes: Waiting[] = [];
  /** Whether the writer has some pushes. */
  let isPushOut = false;
  const pace = pushPace();
  const waitingFloor = { entries: 0, bytes: 0 };
  const waitingPushes = { entries: 0, bytes: 0 };
  const waitingOf = ({ isPush }: Weight) => (isPush === true ? waitingPushes : waitingFloor);
  let drained: (() => void) | null = null;
  let dead: JournalFailed | null = null;
  let trouble = noTrouble;
  let onCommitted: (batch: Batch) => void = () => {};

  /**
   * Puts the marks before the commands of their turn: an event that came after its answer was sent must find the mark
   * when it is compared. But they go after earlier commands: an event that came before the answer must not find the
   * mark.
   */
  const placeMarks = () => {
    clearTimeout(markTimer);
    markTimer = undefined;
    if (marks.length > 0) {
      const command = { name: "markAnswered", marks } as const;
      arrived.splice(arrivedEarlier, 0, {
        command,
        weight: nothing,
        sinceMs: null,
        // The writer keeps marks that it cannot store.
        resolve: () => {},
        reject: () => {},
      });
      marks = [];
    }
    arrivedEarlier = arrived.length;
  };

  /** Takes at least one push, and no more than fit a short commit. */
  const takePushes = () => {
    if (isPushOut || pushes.length === 0) return;
    isPushOut = true;
    let entries = 0;
    let count = 0;
    for (const { weight } of pushes) {
      entries += weight.entries;
      if (count > 0 && entries > pace.most()) break;
      count++;
    }
    arrived.push(...pushes.splice(0, count));
  };

  const handOver = () => {
    if (dead !== null) return;
    placeMarks();
    takePushes();
    if (arrived.length === 0) return;
    worker.postMessage({ commands: dense(arrived, ({ command }) => packCommand(command)) });
    handedOver.push(...arrived);
    arrived = [];
    arrivedEarlier = 0;
  };

  /** Hands over if the writer is idle. Marks alone do not cause a commit. */
  const handOverIfIdle = () => {
    if (handedOver.length === 0 && arrived.length + pushes.length > 0) handOver();
  };

  const endTurn = () => {
    isTurnRequested = false;
    handOverIfIdle();
    if (arrived.length > 0) placeMarks();
  };

  const settle = (results: readonly PackedResult[], tookMs: number, refusal: Refusal | null) => {
    const settled = handedOver.splice(0, results.length);
    const pushed = isPushOut ? settled.filter(({ weight }) => weight.isPush) : [];
    if (pushed.length > 0) {
      pace.stored(
        pushed.reduce((sum, { weight }) => sum + weight.entries, 0),
        tookMs,
      );
      isPushOut = handedOver.some(({ weight }) => weight.isPush);
      if (!isPushOut && pushes.length === 0) pace.end();
    }
    // Done first, because the writer should work while the callers continue.
    handOverIfIdle();
    for (const [index, { command, weight, resolve, reject }] of settled.entries()) {
      const waiting = waitingOf(weight);
      waiting.entries -= weight.entries;
      waiting.bytes -= weight.bytes;
      const packed = results[index];
      const result = packed && unpackResult(command, packed);
      // The writer answers each command with a result of the command's type.
      if (result !== undefined && "done" in result) resolve(result.done as never);
      else {
        const reason = result?.error ?? "the writer returned no result";
        reject(refusal?.isDoubtful === true ? new JournalDoubtful(reason) : new JournalFailed(reason));
      }
    }
    finishDraining();
  };

  const finishDraining = () => {
    if (handedOver.length + arrived.length + pushes.length === 0) drained?.();
  };

  const die = (reason: string) => {
    dead ??= new JournalFailed(reason);
    // The writer may have stored these before it ended, and so may a second place.
    const unknown = new JournalDoubtful(reason);
    for (const one of handedOver) one.reject(unknown);
    for (const one of [...arrived, ...pushes]) one.reject(dead);
    handedOver = [];
    arrived = [];
    pushes = [];
    arrivedEarlier = 0;
    drained?.();
  };

  const note = (refusal: Refusal | null) => {
    if (refusal === null && trouble === noTrouble) return;
    trouble = {
      refused: refusal?.reason ?? null,
      damage: refusal?.isDamage === true ? refusal.reason : trouble.damage,
    };
  };

  const eventOf = (commands: number, tookMs: number) => {
    let waitedMs: number | null = null;
    for (const { sinceMs } of handedOver.slice(0, commands)) {
      if (sinceMs !== null) waitedMs = Math.max(waitedMs ?? 0, nowMs() - sinceMs - tookMs);
    }
    onCommitted({ commands, tookMs, waitedMs });
  };

  worker.on("message", (message: FromWriter) => {
    if ("probed" in message) note(message.probed);
    if (!("results" in message)) return;
    note(message.refusal);
    eventOf(message.results.length, message.tookMs);
    settle(message.results, message.tookMs, message.refusal);
  });
  worker.on("error", (error) => die(`the journal's writer failed: ${error.message}`));
  worker.on("exit", () => die("the journal's writer has stopped"));

  return {
    run: (command, weight) => {
      if (dead !== null) return Promise.reject(dead);
      if (drained !== null) return Promise.reject(new JournalClosed());
      const { entries, bytes, isPush } = weight;
      const waiting = waitingOf(weight);
      // A single large push may exceed the limits by itself; it is refused only if something waits before it.
      const isOverLimit = waiting.entries + entries > limits.maxEntries || waiting.bytes + bytes > limits.maxBytes;
      if (entries > 0 && isOverLimit && waiting.entries > 0) return Promise.reject(new JournalBusy());
      waiting.entries += entries;
      waiting.bytes += bytes;
      return new Promise((resolve, reject) => {
        // The first command of a turn schedules the hand-over of all commands of that turn.
        if (!isTurnRequested) setImmediate(endTurn);
        isTurnRequested = true;
        if (isPush === true) pushes.push({ command, weight, sinceMs: null, resolve, reject });
        else arrived.push({ command, weight, sinceMs: nowMs(), resolve, reject });
        if (arrived.length >= handOverAt) handOver();
      });
    },
    addMark: (seq, at, isBack = false) => {
      if (dead !== null) return;
      marks.push(isBack ? [seq, at, true] : [seq, at]);
      if (marks.length === marksPerBatch) setImmediate(handOver);
      else markTimer ??= setTimeout(handOver, longestMarkMs).unref();
    },
    failure: () => dead?.message ?? null,
    trouble: () => trouble,
    flush: handOver,
    onBatch: (listener) => {
      onCommitted = listener;
    },
    drain: () =>
      new Promise<void>((resolve) => {
        drained = resolve;
        handOver();
        if (dead === null) finishDraining();
        else resolve();
      }),
  };
}
