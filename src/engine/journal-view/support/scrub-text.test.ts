import fc from "fast-check";
import { expect, test } from "vitest";
import { scrubText } from "./support-bundle.ts";

test("names, addresses and free texts are masked in JSON, XML and query strings; numbers, codes and amounts stay", () => {
  const json =
    '{"number":"4711","Customer_Name":"Jo Doe","ship":{"street" : "Elm 1","qty":9007199254740993},"item":"A-1"}';
  expect(scrubText(json)).toBe(
    '{"number":"4711","Customer_Name":"*** (6)","ship":{"street" : "*** (5)","qty":9007199254740993},"item":"A-1"}',
  );
  expect(scrubText("<o:Name lang='en'>Jo</o:Name><Qty>3</Qty>")).toBe("<o:Name lang='en'>*** (2)</o:Name><Qty>3</Qty>");
  expect(scrubText("POST https://erp/x?contact=jo&order=4711")).toBe("POST https://erp/x?contact=*** (2)&order=4711");
  expect(scrubText("the order of jo.doe@example.com is closed")).toBe("the order of ***@*** is closed");
});

test("whoever did the work is masked, by the names that platforms and external systems have for it", () => {
  const names = ["operator", "Operator_Name", "pickerId", "worker", "employeeName", "createdBy", "pickedBy"];
  for (const name of names) expect(scrubText(`{"${name}":"Jo Doe"}`), name).toBe(`{"${name}":"*** (6)"}`);
  for (const name of ["pickerType", "standby", "workerCount"])
    expect(scrubText(`{"${name}":"two"}`), name).toContain("two");
});

test("secrets are masked by the name of their member, and nothing tells how long they are", () => {
  const json =
    '{"order":"4711","access_token":"abc","sessionId":"s-1","userPwd":"p","tokenUrl":"https://erp/t","customerId":"7"}';
  expect(scrubText(json)).toBe(
    '{"order":"4711","access_token":"***","sessionId":"***","userPwd":"***","tokenUrl":"https://erp/t","customerId":"*** (1)"}',
  );
  expect(scrubText("<Login><Passwort>geheim</Passwort></Login>")).toBe("<Login><Passwort>***</Passwort></Login>");
  expect(scrubText("GET /x?api_key=abc&order=4711")).toBe("GET /x?api_key=***&order=4711");
  expect(scrubText('url: "https://erp/x?key=abc&sig=def"')).toBe('url: "https://erp/x?key=***&sig=***"');
});

test("external data, which is JSON inside JSON, is masked as well", () => {
  const data = JSON.stringify({ password: "abc", street: "Elm 1", bin: "A-1" });
  expect(scrubText(JSON.stringify({ order: "4711", externalData: data }))).toBe(
    JSON.stringify({
      order: "4711",
      externalData: JSON.stringify({ password: "***", street: "*** (5)", bin: "A-1" }),
    }),
  );
});

test("a text that was cut in the middle of a value is masked as well", () => {
  expect(scrubText('{"recipient":"Jo D')).toBe('{"recipient":"*** (4)');
});

test("no address is left in any JSON, and JSON stays JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.emailAddress(), (value, address) => {
      const clean = scrubText(JSON.stringify({ a: value, userEmail: address, said: `for ${address}` }));
      expect(() => JSON.parse(clean)).not.toThrow();
      expect(clean).not.toContain(address);
    }),
  );
});

test("a long hostile text is gone through once, and does not hold up the adapter", () => {
  const parts = ['"', "<a", "a@", "&a=", '"a":"', "\\", "a", "<a ", "a:"];
  for (const part of parts) expect(scrubText(part.repeat(2 ** 18 / part.length)).length).toBeGreaterThan(0);
});
