import { expect, test } from "vitest";
import { operations } from "../../src/contract/operations.ts";
import { startAdapter } from "../support/adapter/adapter.ts";
import { envelopeOf } from "../support/adapter/envelope-of.ts";

test("a file of another kind has no validation status: nothing in it was validated", async () => {
  const { url } = await startAdapter();
  const send = async (id: "parseWorkOrderFile" | "parseItemFile", content: string) => {
    const body = JSON.stringify({ fileType: 1, fileContent: Buffer.from(content, "latin1").toString("base64") });
    const headers = { "content-type": "application/json" };
    return envelopeOf(await fetch(url + operations[id].path, { method: "POST", body, headers }));
  };
  for (const id of ["parseWorkOrderFile", "parseItemFile"] as const) {
    const result = (name: "FileNotSupported" | "InvalidInput") => operations[id].results.indexOf(name);
    expect(await send(id, "%PDF-1.7\n1 0 obj")).toMatchObject({
      ...{ isResultSuccess: false, result: result("FileNotSupported"), validationStatus: null, data: null },
      externalMessage: expect.stringContaining("PDF"),
    });
    expect(await send(id, "number;weight\n1;heavy")).toMatchObject({
      ...{ result: result("InvalidInput"), validationStatus: { isValid: false } },
    });
  }
});
