import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fairShares, type Share } from "./fair-shares.ts";

/** Only the parts of a response that the shares use. */
const response = () => Object.assign(new EventEmitter(), { destroyed: false }) as unknown as ServerResponse;

function begin(share: Share) {
  const own = response();
  let hasBegun = false;
  share.run(own, () => {
    hasBegun = true;
  });
  return { hasBegun: () => hasBegun, end: () => void own.emit("close") };
}

test("one deployment alone may use everything, and the rest of its requests wait", () => {
  const share = fairShares({ mostAtOnce: 4 }).open();
  const requests = Array.from({ length: 6 }, () => begin(share));
  expect(requests.map(({ hasBegun }) => hasBegun())).toEqual([true, true, true, true, false, false]);
  requests[0]?.end();
  expect([share.running(), share.waiting()]).toEqual([4, 1]);
});

test("a request of another deployment does not wait behind a flood", () => {
  const shares = fairShares({ mostAtOnce: 4 });
  const flooded = shares.open();
  const quiet = shares.open();
  const flood = Array.from({ length: 100 }, () => begin(flooded));
  expect(begin(quiet).hasBegun()).toBe(true);
  expect(begin(quiet).hasBegun()).toBe(true);
  expect(begin(quiet).hasBegun()).toBe(false);
  // Running requests are not stopped, but no new one begins above the smaller share.
  for (const one of flood.slice(0, 3)) one.end();
  expect(flooded.running()).toBe(2);
});

test("whoever hangs up while waiting is not served, and keeps nobody waiting", () => {
  const share = fairShares({ mostAtOnce: 1 }).open();
  const [first, second, third] = [begin(share), begin(share), begin(share)];
  second.end();
  first.end();
  expect([second.hasBegun(), third.hasBegun()]).toEqual([false, true]);
});

test("every request begins once all before it have ended, whatever the order", () => {
  const steps = fc.array(fc.record({ of: fc.nat(3), end: fc.boolean(), which: fc.nat(50) }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 8 }), (played, mostAtOnce) => {
      const shares = fairShares({ mostAtOnce });
      const all = Array.from({ length: 4 }, () => shares.open());
      const running: ReturnType<typeof begin>[] = [];
      for (const { of, end, which } of played) {
        const share = all[of];
        if (!end && share !== undefined) running.push(begin(share));
        else running.splice(which % Math.max(1, running.length), 1)[0]?.end();
      }
      for (let turns = 0; running.length > 0 && turns < 1_000; turns++) {
        const at = running.findIndex(({ hasBegun }) => hasBegun());
        expect(at).toBeGreaterThanOrEqual(0);
        running.splice(at, 1)[0]?.end();
      }
      expect(all.map((share) => [share.running(), share.waiting()])).toEqual(all.map(() => [0, 0]));
    }),
  );
});
