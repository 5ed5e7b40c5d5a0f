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
  /** The external system's latest change. */
  wanted: number;
  /** What the floor cut short since that amount changed. */
  shortPicked: number;
}

/** One line as one member holds it, over all request ids. */
export interface MemberLine {
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
  /** Of what the floor cut short since the latest change: what it gave up here. */
  shortPicked: number;
  /** What it had when that was last looked at: shown or picked, whichever is more. */
  hadWhenShortPicked: number;
  /** Distinct amounts that had been served when the line was first shown. */
  amountsAtFirstShow: ReadonlySet<number> | undefined;
  /** Other orders had shown the factor of its item when the line was shown. */
  isFactorCarried: boolean;
}

/** The latest change of several lines of an item together: how they share it follows from what is picked of each. */
export interface ItemAmount {
  readonly target: number;
  readonly lines: readonly { readonly key: string; readonly before: number }[];
  /** Gets what is more than all of them had: the last one that something is wanted of. */
  readonly raised: string | undefined;
}

/** The put wall names no request id. */
export const wallId = -1;

export type Content = ReadonlyMap<string, number>;

/** The order itself, or one of its follow-ups. */
export interface MemberOrder {
  readonly number: string;
  state: "waiting" | "running" | "ended";
  readonly lines: Map<string, MemberLine>;
  /** Every content with lines that it ever had, in turn. */
  readonly served: Content[];
  /** What scans and lists give now; empty: nothing of it is wanted. */
  content: Content;
  /** How many of them there were at the first sign of work. */
  servedAtBegin: number;
  steps: number;
  /** The latest step of each request id, character by character: the same again is a retry. */
  readonly lastSteps: Map<number, string>;
  /** By item: what operators were told to put aside here. */
  readonly toldAside: Map<string, number>;
  /** The offer that went out with its last step, and when. */
  lastOffer: { readonly at: number; readonly amounts: ReadonlyMap<number, number> } | undefined;
}

export interface OrderGroup {
  readonly number: string;
  readonly lines: Map<string, WantedLine>;
  readonly members: MemberOrder[];
  isPushed: boolean;
  /** Its lines as they were pushed first: all that a scan can return of an order that nothing was ever left of. */
  firstPush: Content;
  /** The lines of the latest push. */
  pushedKeys: ReadonlySet<string>;
  /** More than one change or content, or worked on before it was pushed. */
  isChanged: boolean;
  /** The whole order was cancelled before lines of it were known. */
  isCalledOffUnseen: boolean;
  /** By item, for as long as no line of it has got a newer change. */
  readonly itemAmounts: Map<string, ItemAmount>;
  /** Changes of lines that nobody has shown yet, by external id or item; they count once the platform shows such a line. */
  readonly keptAmounts: Map<string, number>;
  /** Something came up that behaviour.md leaves open: from then on only what is always true is compared. */
  undecided: string | undefined;
  /** Lines of one item cannot be told apart any more: amounts are compared by item. */
  isByItem: boolean;
}

export const newMember = (number: string, state: MemberOrder["state"]): MemberOrder => ({
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

export const newGroup = (number: string): OrderGroup => ({
  ...{ number, lines: new Map(), members: [newMember(number, "waiting")], isPushed: false, isChanged: false },
  ...{ firstPush: new Map(), pushedKeys: new Set() },
  ...{ isCalledOffUnseen: false, itemAmounts: new Map(), keptAmounts: new Map(), undecided: undefined },
  isByItem: false,
});

export function memberLine(member: MemberOrder, key: string): MemberLine {
  const known = member.lines.get(key);
  if (known !== undefined) return known;
  const line: MemberLine = {
    ...{ picks: new Map(), carried: new Map(), shown: undefined, wallShown: undefined },
    ...{ largestShown: 0, largestAmount: 0, shortPicked: 0, hadWhenShortPicked: 0, amountsAtFirstShow: undefined },
    ...{ isFactorCarried: false, wallAsked: 0 },
  };
  member.lines.set(key, line);
  return line;
}

/** Sorted at the put wall, which shows no amounts. */
export const isAtWall = ({ lines }: MemberOrder): boolean =>
  [...lines.values()].some(({ wallShown }) => wallShown !== undefined);

/** What a scan returns where nothing is left of the order: the last content that had lines. */
export const lastContent = ({ members, firstPush }: OrderGroup, member: MemberOrder): Content | undefined =>
  member.served.at(-1) ?? (member === members[0] ? firstPush : undefined);

/** Whether only what is always true can be compared. */
export const isOpen = ({ undecided }: OrderGroup): boolean => undecided !== undefined;

export const sum = (amounts: Iterable<number>): number => [...amounts].reduce((total, amount) => total + amount, 0);

export const pickedOf = (member: MemberOrder, key: string): number => sum(member.lines.get(key)?.picks.values() ?? []);

export const pickedInGroup = (group: OrderGroup, key: string): number =>
  sum(group.members.map((member) => pickedOf(member, key)));

/** What is counted for a request id: booked under it, or booked before and carried over. */
export const countedFor = (line: MemberLine, requestId: number): number =>
  (line.picks.get(requestId) ?? 0) + (line.carried.get(requestId) ?? 0);

/** Whether the platform may have fetched it: some content had it. */
export const mayHold = (member: MemberOrder, key: string): boolean =>
  member.lines.has(key) || member.served.some((content) => content.has(key));

/** The order itself, begun and nothing of it shown: it may be fetched as it is wanted now (33a). */
const isUnseen = ({ number, lines }: MemberOrder): boolean =>
  !/-F\d+$/.test(number) &&
  [...lines.values()].every(({ shown, wallShown }) => shown === undefined && wallShown === undefined);

/** Latest amounts plus what was picked under other request ids of the line; undefined: unknown. */
export function shownOf(member: MemberOrder, key: string): number | undefined {
  const line = member.lines.get(key);
  if (member.state === "ended") return pickedOf(member, key);
  // In no content it ever had: it cannot hold the line.
  if (member.state === "running" && member.served.length > 0 && !mayHold(member, key) && !isUnseen(member)) return 0;
  if (line === undefined) return undefined;
  if (line.shown === undefined) return line.wallShown;
  // What was counted under an id beyond its amount is there all the same, and leaves the other ids as much to do as before.
  const shown = new Map([...line.shown].map(([id, amount]) => [id, Math.max(amount, countedFor(line, id))]));
  const beside = sum([...line.picks].filter(([id]) => !shown.has(id)).map(([, amount]) => amount));
  const carried = sum([...line.carried].filter(([id]) => shown.has(id)).map(([, amount]) => amount));
  return sum(shown.values()) + beside - carried;
}

/** What the platform's amounts come to, and no more, whatever was picked beyond them. */
export function amountOf(member: MemberOrder, key: string): number {
  const line = member.lines.get(key);
  if (line?.shown === undefined) return shownOf(member, key) ?? 0;
  const { shown } = line;
  const beside = sum([...line.picks].filter(([id]) => !shown.has(id)).map(([, amount]) => amount));
  const carried = sum([...line.carried].filter(([id]) => shown.has(id)).map(([, amount]) => amount));
  return sum(shown.values()) + beside - carried;
}

const hasOf = (member: MemberOrder, key: string): number => Math.max(shownOf(member, key) ?? 0, pickedOf(member, key));

/** To be called when the floor has given up the rest of a line. */
export function noteGivenUp(member: MemberOrder, key: string): void {
  memberLine(member, key).hadWhenShortPicked = hasOf(member, key);
}

/** What the floor had given up, and the platform shows again or goods came for after all, was not cut short. */
export function takeBackCuts({ lines }: OrderGroup, member: MemberOrder): void {
  for (const [key, line] of member.lines) {
    const wanted = lines.get(key);
    if (line.shortPicked === 0 || wanted === undefined) continue;
    const has = hasOf(member, key);
    const back = Math.min(line.shortPicked, Math.max(0, has - line.hadWhenShortPicked));
    line.hadWhenShortPicked = Math.max(line.hadWhenShortPicked, has);
    line.shortPicked -= back;
    wanted.shortPicked -= back;
  }
}

export const isInEveryContent = (contents: readonly Content[], key: string): boolean =>
  contents.length > 0 && contents.every((content) => content.has(key));

export const largestServed = (member: MemberOrder, key: string): number =>
  Math.max(0, ...member.served.map((content) => content.get(key) ?? 0));
