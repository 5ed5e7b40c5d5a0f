import fc from "fast-check";
import { expect, test } from "vitest";
import { manualClock } from "../../kit/time/clock.ts";
import { failureDelays } from "./failure-delays.ts";

const here = { address: "192.0.2.1" };

test("the first five failures are refused at once, then each wait is twice as long as the one before, up to 5 minutes", () => {
  const clock = manualClock();
  const { failed } = failureDelays({ clock });
  const waits = Array.from({ length: 16 }, () => {
    const seconds = failed(here);
    clock.advance({ seconds });
    return seconds;
  });
  expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
});

test("a failure during the wait does not make it longer: a client that tries again and again is let in in the end", () => {
  const clock = manualClock();
  const { failed, waitSeconds } = failureDelays({ clock });
  for (let count = 0; count < 9; count++) {
    clock.advance({ seconds: failed(here) });
  }
  expect(failed(here)).toBe(16);
  clock.advance({ seconds: 6 });
  expect(failed(here)).toBe(10);
  expect(waitSeconds(here)).toBe(10);
  clock.advance({ seconds: 10 });
  expect(waitSeconds(here)).toBe(0);
});

test("setting the clock back makes no wait longer", () => {
  const clock = manualClock();
  const { failed, waitSeconds } = failureDelays({ clock });
  for (let count = 0; count < 9; count++) clock.advance({ seconds: failed(here) });
  expect(failed(here)).toBe(16);
  clock.advance({ days: -8 });
  expect(failed(here)).toBe(16);
  clock.advance({ days: -8 });
  expect(waitSeconds(here)).toBe(16);
  clock.advance({ seconds: 16 });
  expect(waitSeconds(here)).toBe(0);
});

test("nobody waits for what others do: another address, or another user from the same one", () => {
  const { failed, waitSeconds } = failureDelays({ clock: manualClock() });
  const place = fc.record({ address: fc.ipV4(), claimed: fc.constantFrom("erp", "shop") });
  fc.assert(
    fc.property(fc.array(place, { maxLength: 50 }), fc.ipV4(), (others, address) => {
      for (const other of others) for (let count = 0; count < 10; count++) failed(other);
      const me = { address, claimed: "me" };
      return waitSeconds(me) === 0 && waitSeconds({ address: `${address}0` }) === 0;
    }),
  );
});

test("all addresses of one IPv6 network count as one place", () => {
  const { failed } = failureDelays({ clock: manualClock() });
  for (let host = 1; host <= 5; host++) failed({ address: `2001:db8:0:7::${host}` });
  expect(failed({ address: "2001:db8:0:7:1:2:3:4" })).toBe(1);
  expect(failed({ address: "2001:db8:0:8::1" })).toBe(0);
});

test("however many addresses fail, only so many are kept in mind", () => {
  const { failed, waitSeconds } = failureDelays({ clock: manualClock(), maxPlaces: 3 });
  for (let count = 0; count < 6; count++) failed(here);
  expect(waitSeconds(here)).toBe(1);
  for (let other = 1; other <= 3; other++) failed({ address: `198.51.100.${other}` });
  expect(waitSeconds(here)).toBe(0);
});

test("after a quarter of an hour without failures all is forgotten", () => {
  const clock = manualClock();
  const { failed } = failureDelays({ clock });
  for (let count = 0; count < 8; count++) clock.advance({ seconds: failed(here) });
  clock.advance({ minutes: 16 });
  expect(failed(here)).toBe(0);
});
