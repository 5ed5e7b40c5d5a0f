import { seededRandom } from "../../kit/seeded-random.ts";
import type { Books } from "../books/books.ts";
import type { Caller, CallerNeeds } from "../calls/open-caller.ts";
import { aisles, baysPerAisle, type FloorItem } from "../orders/generate-items.ts";
import { type Desk, type DeskPlace, floorTime } from "./desk.ts";

interface DeskNeeds extends Pick<CallerNeeds, "rates" | "tally" | "timers" | "now"> {
  readonly index: number;
  readonly seed: number;
  readonly caller: Caller;
  readonly faultRandom: Desk["faultRandom"];
  readonly at: DeskPlace;
  readonly books: Books;
  readonly items: ReadonlyMap<string, FloorItem>;
  readonly families: Desk["families"];
  readonly isChanging: boolean;
  readonly canPush: boolean;
  readonly storage: string;
  /** How many times faster than real; null does not wait at all. */
  readonly speed: number | null;
}

export function openDesk(needs: DeskNeeds): Desk {
  const { index, seed, caller, items, canPush } = needs;
  const random = seededRandom(seed, `operator ${index}`);
  return {
    ...caller,
    ...needs,
    random,
    itemList: [...items.values()],
    email: operatorEmail(index),
    locationOf: (item) => items.get(item)?.location ?? guessedLocation(item),
    isOwnItem: (item) => canPush && items.has(item),
    // Times have a source of their own: they must not move what is decided.
    work: floorTime({ ...needs, random: seededRandom(seed, `times of operator ${index}`) }),
  };
}

const operatorEmail = (index: number): string => `op-${index + 1}@floor.example`;

/** Items we did not make lie somewhere too, always in the same place. */
function guessedLocation(item: string): string {
  const random = seededRandom(0, item);
  return `${random.oneOf(aisles)}-${String(random.whole(1, baysPerAisle)).padStart(2, "0")}`;
}
