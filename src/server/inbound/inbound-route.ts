import { type PushTopic, pushRow, pushTopics } from "../../contract/pushes.ts";
import type { AnswerOptions, InboundOptions } from "./inbound-options.ts";
import { type InboundReader, inboundReader, type ReaderNeeds } from "./inbound-reader.ts";

/** A route for pushes: what it accepts, from whom, and how it answers. */
export interface InboundRoute extends InboundReader {
  /** Method and path, which identify the route. */
  readonly name: string;
  readonly topic: PushTopic;
  /** Who may use it; null: every sender that may push its topic. */
  readonly senders: ReadonlySet<string> | null;
  readonly isPartial: boolean;
  readonly limitBytes: number | null;
  readonly answer: AnswerOptions | null;
}

/** Letter case and a trailing slash do not matter, as on all other routes. */
export const routeName = (method: string, path: string): string =>
  `${method} ${(path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path).toLowerCase()}`;

function inboundRoute(options: InboundOptions, needs: ReaderNeeds): InboundRoute {
  const { method, path, topic, sender, badRecords, limitMiB, answer } = options;
  return {
    name: routeName(method, path),
    topic,
    senders: sender === undefined ? null : new Set([sender].flat()),
    isPartial: badRecords === "quarantine",
    limitBytes: limitMiB === undefined ? null : Math.floor(limitMiB * 2 ** 20),
    answer: answer ?? null,
    ...inboundReader(options, needs),
  };
}

/** The routes that are always there. */
const defaultOptions = (topic: PushTopic): InboundOptions => ({
  ...{ path: pushRow(topic).path, method: "POST", topic, format: "json", badRecords: "refuse" },
});

export type InboundTable = ReadonlyMap<string, InboundRoute>;

export function defaultTable(needs: ReaderNeeds): InboundTable {
  return tableOf(pushTopics.map(defaultOptions), needs);
}

export function tableOf(routes: readonly InboundOptions[], needs: ReaderNeeds): InboundTable {
  return new Map(routes.map((options) => [routeName(options.method, options.path), inboundRoute(options, needs)]));
}
