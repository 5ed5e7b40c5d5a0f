import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { HttpOptions } from "../../src/connectors/http/options/options.ts";
import type { DeliveryProgress } from "../../src/sdk/connector.ts";
import { deliveryContext } from "../support/connectors/delivery.ts";
import { answered, httpErp } from "../support/receivers/http-erp.ts";

const page = readFileSync(new URL("../../docs/how-to/recipes.md", import.meta.url), "utf8");

/** The configuration that follows these words on the page of recipes. */
function recipe(after: string): Partial<HttpOptions> {
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(page.slice(page.indexOf(after))) ?? [];
  const { connectors } = parse(yaml ?? "") as { connectors: { erp: Record<string, unknown> } };
  const { type: _http, baseUrl: _example, ...options } = connectors.erp;
  return options as Partial<HttpOptions>;
}

/** What the journal keeps of an entry between its attempts. */
function keptProgress(): DeliveryProgress {
  const kept = new Map<string, string>();
  return {
    noted: () => kept,
    wasTried: () => kept.size > 0,
    note: async (marks) => {
      for (const { key, value } of marks) kept.set(key, value);
    },
    restart: () => {},
  };
}

test.each([
  ["the booking arrives and its answer is lost", true, 2],
  ["the booking does not arrive", false, 5],
])(
  "asking first books nothing twice if %s, also if more is picked by the second attempt",
  async (_, arrives, booked) => {
    const bookings: { amount: number }[] = [];
    let isCut = true;
    const { connector, requests } = await httpErp(recipe("**Ask first.**"), ({ method, json }, response) => {
      if (method === "GET") return { items: bookings };
      if (!isCut || arrives) bookings.push(json as { amount: number });
      if (!isCut) return {};
      isCut = false;
      response.destroy();
      return answered;
    });
    const progress = keptProgress();
    const step = (pickedAmount: number, attempt: number, own = progress) =>
      connector.operations.confirmStep?.({ workOrderNumber: "4711" } as never, {
        ...deliveryContext({ topic: "confirmStep", attempt }),
        progress: own,
        findSubject: async () => ({
          order: { number: "4711", externalIdentifier: "A1", dueDate: "2030-01-01", requests: [] },
          line: { requestExternalIdentifier: "L1", pickedAmount },
        }),
      });
    await expect(step(2, 1)).rejects.toThrow(/could not be reached/);
    await step(5, 2);
    expect(bookings.reduce((sum, { amount }) => sum + amount, 0)).toBe(booked);
    // The next event brings the rest.
    await step(5, 1, keptProgress());
    expect(bookings.reduce((sum, { amount }) => sum + amount, 0)).toBe(5);
    expect(requests.length).toBeLessThan(10);
  },
);
