import { type Carrier, type Family, pickedOf, wantedOf } from "./family.ts";

/** Who holds how much of a group, in base units. */
export interface Shares {
  readonly targets: ReadonlyMap<Carrier, number>;
  /** What an order that nobody has begun is to hold: the order itself, or one follow-up. */
  readonly waiting: number;
}

/**
 * What the adapter has to make of what is wanted, shown and picked. Whoever was begun keeps what it shows, the order
 * first, as far as that is wanted; the rest waits. What has shown nothing yet may hold everything.
 */
export function shareOut(family: Family, group: string): Shares {
  const targets = new Map<Carrier, number>();
  const [main] = family.carriers;
  if (main.state === "waiting") return { targets, waiting: Math.max(0, wantedOf(family, group)) };
  let spare = wantedOf(family, group) - pickedOf(family, group);
  for (const carrier of family.carriers) {
    if (carrier.state === "waiting") continue;
    const picked = carrier.picked.get(group) ?? 0;
    const hold = Math.max(0, Math.min(openIn(carrier, group), spare));
    targets.set(carrier, picked + hold);
    spare -= hold;
  }
  return { targets, waiting: Math.max(0, spare) };
}

/** How much more the platform would pick of it, as far as the adapter can know. */
export function openIn(carrier: Carrier, group: string): number {
  if (carrier.state !== "running") return 0;
  if (!carrier.isShown) return Number.POSITIVE_INFINITY;
  const picked = carrier.picked.get(group) ?? 0;
  return Math.max(0, (carrier.shown.get(group) ?? picked) - picked);
}
