import { beforeAll, describe, expect, test } from "vitest";
import { validSamples } from "../../src/contract/derive/samples.ts";
import { type OperationId, operationIds, operationRow } from "../../src/contract/operations.ts";
import { pushes, pushTopics } from "../../src/contract/pushes.ts";
import { apiKey, startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";

/** A name in another spelling. */
type Twice = (name: string) => string;
const ways: Record<string, Twice> = {
  exactly: (name) => name,
  "by an escape": (name) => `\\u${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}`,
  "in another letter case": (name) => name.toUpperCase(),
};

const pushed = {
  workOrders: '{"number":"1","dueDate":"2030-01-01","requests":[{"itemNumber":"A","requestedAmount":1}]}',
  cancellations: '{"workOrderNumber":"1"}',
  items: '{"number":"A"}',
  stock: '{"itemNumber":"A","amount":1}',
  indexableValues: '{"workOrderNumber":"1","value":"x"}',
};

/** The text with its last name given twice. */
function withTwice(text: string, again: Twice): string {
  const end = text.lastIndexOf('":');
  const start = text.lastIndexOf('"', end - 1);
  return `${text.slice(0, start)}"${again(text.slice(start + 1, end))}":null,${text.slice(start)}`;
}

const withBody = operationIds.filter((id) => operationRow(id).body !== undefined) as Exclude<
  OperationId,
  "getStatus"
>[];

describe.each(Object.entries(ways))("a member given twice %s, at any depth,", (_way, again) => {
  let adapter: Awaited<ReturnType<typeof startAdapter>>;
  beforeAll(async () => {
    adapter = await startAdapter({ onFinished: () => {} });
    return adapter.close;
  });
  const post = (path: string, body: string) =>
    fetch(adapter.url + path, {
      method: "POST",
      body,
      headers: { "content-type": "application/json", authorization: `Bearer ${apiKey}` },
    });

  test.each(withBody)("is invalid input of %s", async (id) => {
    const [sample] = validSamples(id);
    const body = withTwice(JSON.stringify(sample?.body), again);
    const envelope = await envelopeOf(await post(operationRow(id).path, body));
    expect(envelope).toMatchObject({ isResultSuccess: false, validationStatus: { errorCount: 1 } });
    expect(envelope.validationStatus?.errorMessages[0]).toMatch(/given twice/);
  });

  test("is invalid input in the query of an address", async () => {
    const name = again("code").replace(/\\u00(..)/, "%$1");
    const envelope = await envelopeOf(await fetch(`${adapter.url}/WorkOrders/Code?Code=P2&StorageName=x&${name}=P3`));
    expect(envelope).toMatchObject({ isResultSuccess: false, result: 0, data: null });
    expect(envelope.validationStatus?.errorMessages).toEqual([expect.stringMatching(/^Code.*given twice/)]);
    const other = await envelopeOf(await fetch(`${adapter.url}/WorkOrders/Code?Code=P2&_=1&_=2`));
    expect(other.validationStatus).toBeNull();
  });

  test("is refused in the queries of administrators", async () => {
    const name = again("limit").replace(/\\u00(..)/, "%$1");
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const path of ["/admin/journal", "/admin/quarantine"]) {
      const answer = await fetch(`${adapter.url}${path}?limit=1&${name}=2`, { headers });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("given twice")]);
      expect((await fetch(`${adapter.url}${path}?limit=1`, { headers })).status).toBe(200);
    }
  });

  test("is refused by the routes for administrators", async () => {
    const answer = await post("/admin/journal/1/retry", withTwice('{"operator":"kim"}', again));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("given twice")]);
    const edit = { operator: "kim", reason: "x", body: withTwice('{"itemNumber":"A"}', again) };
    expect((await post("/admin/journal/1/edit", JSON.stringify(edit))).status).toBe(400);
  });

  test.each(pushTopics)("is refused in a push of %s", async (topic) => {
    for (const body of [pushed[topic], `[${pushed[topic]},${pushed[topic]}]`]) {
      const answer = await post(pushes[topic].path, withTwice(body, again));
      expect(answer.status).toBe(400);
      expect(await answer.text()).toMatch(/given twice/);
    }
  });
});
