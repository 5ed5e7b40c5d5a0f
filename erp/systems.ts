import type { RealSystem } from "./harness/real-system.ts";
import { medusaAtTheEnd, medusaPerStep } from "./medusa/medusa.ts";
import { tryton } from "./tryton/tryton.ts";

/** The real systems that a day can be simulated on. */
export const realSystems: readonly RealSystem[] = [tryton, medusaPerStep, medusaAtTheEnd];
