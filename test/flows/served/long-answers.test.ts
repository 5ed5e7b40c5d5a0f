import { request } from "node:http";
import { expect, test } from "vitest";
import { operations } from "../../../src/contract/operations.ts";
import { readAnswer } from "../../../src/http-client/answers/read-answer.ts";
import { parseExactJson } from "../../../src/kit/json/exact-number.ts";
import { startAdapter } from "../../support/adapter/adapter.ts";
import { longestStall, workedMs } from "../../support/longest-stall.ts";
import { longAnswerOf, longAnswers, longAnswersConfig, longEventAnswer } from "../../support/receivers/long-answers.ts";
import { receiver } from "../../support/receivers/receiver.ts";

/** An adapter before an external system with long answers. */
async function adapterOfLongAnswers(status = 200) {
  const erp = await receiver((response, { path }) => {
    const body = longAnswerOf(path);
    response.writeHead(status, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  return await startAdapter({ config: longAnswersConfig(new URL(erp.url).origin) });
}

/** Sends a request and reads its answer without putting it together, which would hold up this thread as well. */
function exchange(url: string, method: string, body = ""): Promise<{ start: string; bytes: number }> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers: { "content-type": "application/json" } }, (response) => {
      let start = "";
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        if (bytes === 0) start = chunk.toString("latin1", 0, 60);
        bytes += chunk.length;
      });
      response.on("end", () => resolve({ start, bytes }));
      response.on("error", reject);
    });
    sending.on("error", reject);
    sending.end(body);
  });
}

/** How long this thread would be held up by reading and writing it at once. */
function atOnceMs(body: Buffer): number {
  const startedMs = workedMs();
  const { json } = readAnswer({
    ...{ status: 200, headers: { "content-type": "application/json" }, body },
    ...{ unread: null, maxAnswerBytes: body.length },
  });
  Buffer.from(JSON.stringify(json)).toString("latin1");
  return workedMs() - startedMs;
}

const runs = 4;

test.each(Object.entries(longAnswers))("%s is served and holds up nobody", async (_what, { get, body }) => {
  const adapter = await adapterOfLongAnswers();
  const stalls: number[] = [];
  const controls: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { stallMs, result } = await longestStall(() => exchange(adapter.url + get, "GET"));
    expect(result.start).toContain('"isResultSuccess":true');
    expect(result.bytes).toBeGreaterThan(body.length * 0.9);
    stalls.push(stallMs);
    controls.push(atOnceMs(body));
  }
  // At once, it would be longer than the control, which does only a part of the work.
  expect(Math.min(...stalls)).toBeLessThan(Math.min(...controls));
});

test.each([
  ["accepts", 200, true],
  ["refuses", 400, false],
])("a long answer that %s an event holds up nobody", async (_what, status, isAccepted) => {
  const adapter = await adapterOfLongAnswers(status);
  const stalls: number[] = [];
  const controls: number[] = [];
  for (let run = 0; run < runs; run++) {
    const event = JSON.stringify({ workOrderNumber: `N-${run}`, containerCode: `C-${run}` });
    const { stallMs, result } = await longestStall(() =>
      exchange(adapter.url + operations.attachWorkOrder.path, "POST", event),
    );
    expect(result.start).toContain(`"isResultSuccess":${isAccepted}`);
    stalls.push(stallMs);
    const startedMs = workedMs();
    parseExactJson(longEventAnswer.toString());
    controls.push(workedMs() - startedMs);
  }
  // At once, it would be longer than the control, which does only a part of the work.
  expect(Math.min(...stalls)).toBeLessThan(Math.min(...controls));
});
