import fc from "fast-check";
import { expect, test } from "vitest";
import { maskAddresses, maskBodyByName, maskTextByName } from "./mask-by-name.ts";

test.each([
  ['{"password":"a \\"b\\" c","n":1}', '{"password":"***","n":1}'],
  ['{"pwd":12345678,"amount":5}', '{"pwd":"***","amount":5}'],
  ['{"authorization":["Bearer a","b"],"list":["x"]}', '{"authorization":["***","***"],"list":["x"]}'],
  ['{"password":"","token":null,"hasToken":true}', '{"password":"","token":null,"hasToken":true}'],
  ['{"tokenUrl":"https://erp/t","order_key":"7"}', '{"tokenUrl":"https://erp/t","order_key":"7"}'],
  ['{"body":"{\\"password\\":\\"abc\\"}"}', '{"body":"{\\"password\\":\\"***\\"}"}'],
  ["<s:Passwort xml:lang='de'>abc</s:Passwort>", "<s:Passwort xml:lang='de'>***</s:Passwort>"],
  ["<pwd><![CDATA[a<b]]></pwd><n>1</n>", "<pwd><![CDATA[***]]></pwd><n>1</n>"],
  [`<login user="jo" password="a b" token='c d'/>`, `<login user="jo" password="***" token='***'/>`],
  ["user=jo&password=a%20b&code=409&key=7", "user=jo&password=***&code=409&key=7"],
  ['{"access_token":"cut in the mid', '{"access_token":"***'],
])("of a body, only what its name marks as a secret is masked: %s", (body, shown) => {
  expect(maskBodyByName(body)).toBe(shown);
});

test.each([
  [
    'refused (401): {"error":"wrong","login":{"user":"jo","password":"a"}}',
    'refused (401): {"error":"wrong","login":{"user":"jo","password":"***"}}',
  ],
  [
    "GET https://jo:pw@erp/x?key=a&n=1&sig=b was not found",
    "GET https://jo:***@erp/x?key=***&n=1&sig=*** was not found",
  ],
  ['no such file: "https://erp/x?token=a", see n=1', 'no such file: "https://erp/x?token=***", see n=1'],
  ["login failed for user=jo, password=a", "login failed for user=jo, password=***"],
  ["Unexpected token '<' at position 5", "Unexpected token '<' at position 5"],
  ['{"url":"https://erp/x?token=","name":"jo"}', '{"url":"https://erp/x?token=","name":"jo"}'],
])("in a sentence, JSON and addresses are masked the same way: %s", (sentence, shown) => {
  expect(maskTextByName(sentence)).toBe(shown);
});

test("no value of a secret is left in any JSON, and JSON stays JSON", () => {
  const secret = fc.oneof(fc.string({ minLength: 1 }), fc.integer(), fc.array(fc.string({ minLength: 1 })));
  fc.assert(
    fc.property(fc.jsonValue(), secret, (other, password) => {
      const shown: unknown = JSON.parse(maskBodyByName(JSON.stringify({ password, other: "x", more: other })));
      const expected = Array.isArray(password) ? password.map(() => "***") : "***";
      expect(shown).toMatchObject({ password: expected, other: "x" });
    }),
  );
});

test("of an address only the password and secret parameters are hidden; a reference and what stands beside it are shown", () => {
  const shown = (text: string) => maskAddresses(text);
  expect(shown("url: http://jo:s3cret@erp/hook?sig=abc&order=4711#x")).toBe(
    "url: http://jo:***@erp/hook?sig=***&order=4711#x",
  );
  const kept = [
    `http://jo:\${ERP_PASSWORD}@erp/hook?key=\${ERP_KEY}`,
    '{"url":"http://127.0.0.1:8100","mail":"jo@example.com","token":"file:./token"}',
    "http://erp/x?Code=4711&order=1",
  ];
  expect(kept.map(shown)).toEqual(kept);
  expect(JSON.parse(shown('{"url":"http://erp/?key=abc\\"d","next":1}'))).toMatchObject({ next: 1 });
});

test("an address without a login does not reach into the next member", () => {
  const text = '{"url":"http://127.0.0.1:8100","mail":"jo@example.com"}';
  expect(maskTextByName(text)).toBe(text);
});
