import type { Outbox } from "../../src/engine/delivery/outbox.ts";

/** For a server that delivers nothing. */
export const noOutbox: Outbox = {
  add: () => {},
  replace: () => {},
  announce: () => () => {},
  reserve: () => null,
  act: async () => null,
  pause: () => {},
  retarget: () => {},
  resume: () => {},
  overview: () => [],
  abandon: () => {},
  stop: async () => {},
};
