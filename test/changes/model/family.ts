/**
 * The facts of one order and its follow-ups, as the reference model keeps them. Every amount is in the platform's base
 * unit: the model is told the factor of each item, the implementation has to find it out.
 */
export interface WantedLine {
  readonly key: string;
  readonly externalId: string | null;
  readonly item: string;
  readonly lot: string | null;
  readonly factor: number;
  /** The external system's latest word. */
  wanted: number;
  /** What the floor cut short since that word changed. */
  cut: number;
}

/** One line as one carrier holds it, over all request ids. */
export interface CarrierLine {
  /** Booked under each request id; -1 stands for the put wall, which names none. */
  readonly picks: Map<number, number>;
  /** Of what was booked before, so much the platform counts again under this request id. */
  readonly carried: Map<number, number>;
  /** What the platform shows now: request ids with their amounts. Undefined until it has shown the line. */
  shown: Map<number, number> | undefined;
  /** The put wall shows no amounts: the largest one it may have fetched. */
  wallShown: number | undefined;
  /** What the wall is to bring before it is done: the content when it began, and what was wanted of it since. */
  wallAsked: number;
  largestShown: number;
  /** The same without what was picked beyond an amount, which the platform never showed as an amount. */
  largestAmount: number;
  /** Of what the floor cut short since the latest word: what it gave up here. */
  cut: number;
  /** What it had when that was last looked at: shown or picked, whichever is more. */
  hadWhenCut: number;
  /** Distinct amounts that had been served when the line was first shown. */
  amountsAtFirstShow: ReadonlySet<number> | undefined;
  /** Other orders had shown the factor of its item when the line was shown. */
  isFactorCarried: boolean;
}

/** The latest word on several lines of an item together: how they share it follows from what is picked of each. */
export interface ItemWord {
  readonly target: number;
  readonly lines: readonly { readonly key: string; readonly before: number }[];
  /** Gets what is more than all of them had: the last one that something is wanted of. */
  readonly raised: string | undefined;
}

/** The put wall names no request id. */
export const wallId = -1;

export type Content = ReadonlyMap<string, number>;

/** The order itself, or one of its follow-ups. */
export interface Carrier {
  readonly number: string;
  state: "waiting" | "running" | "ended";
  readonly lines: Map<string, CarrierLine>;
  /** Every content with lines that it ever had, in turn. */
  readonly served: Content[];
  /** What scans and lists give now; empty: nothing of it is wanted. */
  content: Content;
  /** How many of them there were at the first sign of work. */
  servedAtBegin: number;
  steps: number;
  /** The latest step of each request id, word for word: the same again is a retry. */
  readonly lastSteps: Map<number, string>;
  /** By item: what operators were told to put aside here. */
  readonly toldAside: Map<string, number>;
  /** The offer that went out with its last step, and when. */
  lastOffer: { readonly at: number; readonly amounts: ReadonlyMap<number, number> } | undefined;
}

export interface Family {
  readonly number: string;
  readonly lines: Map<string, WantedLine>;
  readonly carriers: Carrier[];
  isPushed: boolean;
  /** Its lines as they were pushed first: all that a scan can return of an order that nothing was ever left of. */
  firstPush: Content;
  /** The lines of the latest push. */
  pushedKeys: ReadonlySet<string>;
  /** More than one word or content, or worked on before it was pushed. */
  isChanged: boolean;
  /** The whole order was cancelled before lines of it were known. */
  isCalledOffUnseen: boolean;
  /** By item, for as long as no line of it has got a newer word. */
  readonly itemWords: Map<string, ItemWord>;
  /** Words on lines that nobody has shown yet, by external id or item; they count once the platform shows such a line. */
  readonly keptWords: Map<string, number>;
  /** Something came up that behaviour.md leaves open: from then on only what is always true is compared. */
  openQuery: string | undefined;
  /** Lines of one item cannot be told apart any more: amounts are compared by item. */
  isByItem: boolean;
}

export const newCarrier = (number: string, state: Carrier["state"]): Carrier => ({
  ...{
    number,
    state,
    lines: new Map(),
    served: [],
    content: new Map(),
    servedAtBegin: 0,
    steps: 0,
    lastOffer: undefined,
    lastSteps: new Map(),
    toldAside: new Map(),
  },
});

export const newFamily = (number: string): Family => ({
  ...{ number, lines: new Map(), carriers: [newCarrier(number, "waiting")], isPushed: false, isChanged: false },
  ...{ firstPush: new Map(), pushedKeys: new Set() },
  ...{ isCalledOffUnseen: false, itemWords: new Map(), keptWords: new Map(), openQuery: undefined },
  isByItem: false,
});

export function carrierLine(carrier: Carrier, key: string): CarrierLine {
  const known = carrier.lines.get(key);
  if (known !== undefined) return known;
  const line: CarrierLine = {
    ...{ picks: new Map(), carried: new Map(), shown: undefined, wallShown: undefined },
    ...{ largestShown: 0, largestAmount: 0, cut: 0, hadWhenCut: 0, amountsAtFirstShow: undefined },
    ...{ isFactorCarried: false, wallAsked: 0 },
  };
  carrier.lines.set(key, line);
  return line;
}

/** Sorted at the put wall, which shows no amounts. */
export const isAtWall = ({ lines }: Carrier): boolean =>
  [...lines.values()].some(({ wallShown }) => wallShown !== undefined);

/** What a scan returns where nothing is left of the order: the last content that had lines. */
export const lastContent = ({ carriers, firstPush }: Family, carrier: Carrier): Content | undefined =>
  carrier.served.at(-1) ?? (carrier === carriers[0] ? firstPush : undefined);

/** Whether only what is always true can be compared. */
export const isOpen = ({ openQuery }: Family): boolean => openQuery !== undefined;

export const sum = (amounts: Iterable<number>): number => [...amounts].reduce((total, amount) => total + amount, 0);

export const pickedOf = (carrier: Carrier, key: string): number => sum(carrier.lines.get(key)?.picks.values() ?? []);

export const pickedInFamily = (family: Family, key: string): number =>
  sum(family.carriers.map((carrier) => pickedOf(carrier, key)));

/** What is counted for a request id: booked under it, or booked before and carried over. */
export const countedFor = (line: CarrierLine, requestId: number): number =>
  (line.picks.get(requestId) ?? 0) + (line.carried.get(requestId) ?? 0);

/** Whether the platform may have fetched it: some content had it. */
export const mayHold = (carrier: Carrier, key: string): boolean =>
  carrier.lines.has(key) || carrier.served.some((content) => content.has(key));

/** The order itself, begun and nothing of it shown: it may be fetched as it is wanted now (33a). */
const isUnseen = ({ number, lines }: Carrier): boolean =>
  !/-F\d+$/.test(number) &&
  [...lines.values()].every(({ shown, wallShown }) => shown === undefined && wallShown === undefined);

/** Latest amounts plus what was picked under other request ids of the line; undefined: unknown. */
export function shownOf(carrier: Carrier, key: string): number | undefined {
  const line = carrier.lines.get(key);
  if (carrier.state === "ended") return pickedOf(carrier, key);
  // In no content it ever had: it cannot hold the line.
  if (carrier.state === "running" && carrier.served.length > 0 && !mayHold(carrier, key) && !isUnseen(carrier))
    return 0;
  if (line === undefined) return undefined;
  if (line.shown === undefined) return line.wallShown;
  // What was counted under an id beyond its amount is there all the same, and leaves the other ids as much to do as before.
  const shown = new Map([...line.shown].map(([id, amount]) => [id, Math.max(amount, countedFor(line, id))]));
  const beside = sum([...line.picks].filter(([id]) => !shown.has(id)).map(([, amount]) => amount));
  const carried = sum([...line.carried].filter(([id]) => shown.has(id)).map(([, amount]) => amount));
  return sum(shown.values()) + beside - carried;
}

/** What the platform's amounts come to, and no more, whatever was picked beyond them. */
export function amountOf(carrier: Carrier, key: string): number {
  const line = carrier.lines.get(key);
  if (line?.shown === undefined) return shownOf(carrier, key) ?? 0;
  const { shown } = line;
  const beside = sum([...line.picks].filter(([id]) => !shown.has(id)).map(([, amount]) => amount));
  const carried = sum([...line.carried].filter(([id]) => shown.has(id)).map(([, amount]) => amount));
  return sum(shown.values()) + beside - carried;
}

const hasOf = (carrier: Carrier, key: string): number => Math.max(shownOf(carrier, key) ?? 0, pickedOf(carrier, key));

/** To be called when the floor has given up the rest of a line. */
export function noteGivenUp(carrier: Carrier, key: string): void {
  carrierLine(carrier, key).hadWhenCut = hasOf(carrier, key);
}

/** What the floor had given up, and the platform shows again or goods came for after all, was not cut short. */
export function takeBackCuts({ lines }: Family, carrier: Carrier): void {
  for (const [key, line] of carrier.lines) {
    const wanted = lines.get(key);
    if (line.cut === 0 || wanted === undefined) continue;
    const has = hasOf(carrier, key);
    const back = Math.min(line.cut, Math.max(0, has - line.hadWhenCut));
    line.hadWhenCut = Math.max(line.hadWhenCut, has);
    line.cut -= back;
    wanted.cut -= back;
  }
}

export const isInEveryContent = (contents: readonly Content[], key: string): boolean =>
  contents.length > 0 && contents.every((content) => content.has(key));

export const largestServed = (carrier: Carrier, key: string): number =>
  Math.max(0, ...carrier.served.map((content) => content.get(key) ?? 0));
