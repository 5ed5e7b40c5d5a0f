import { expect, test } from "vitest";
import { answered, type ErpAnswer, httpErp } from "../../../../test/support/receivers/http-erp.ts";
import { receiver } from "../../../../test/support/receivers/receiver.ts";
import { ok, refuse } from "../../../operation/outcome.ts";
import type { QueryOptions } from "../options/operation-options.ts";

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array.from({ length: 120 }, (_, n) => n)]);
const base64 = png.toString("base64");
const inLines = base64.replace(/.{40}/g, "$&\r\n");

const imageErp = (own: Partial<QueryOptions>, answer: ErpAnswer, imageHosts: string[] = []) =>
  httpErp({ imageHosts, operations: { getItemImage: { path: "/items/{number}", ...own } } }, answer);

test.each([
  ["line breaks", inLines],
  ["a prefix", `data:image/png;base64,${base64}`],
  ["a prefix and line breaks", `data:image/png;charset=utf-8;base64,\n${inLines}\n`],
  ["the alphabet of addresses, without padding", png.toString("base64url")],
  ["an object around it", { __class__: "bytes", base64: inLines }],
])("Base64 with %s becomes plain Base64", async (_name, image) => {
  const { query } = await imageErp({ records: "result[0].image" }, () => ({ result: [{ image }] }));
  expect(await query("getItemImage", { number: "7" })).toEqual(ok(base64));
});

test("Base64 as plain text is an image as well", async () => {
  const { query } = await imageErp({}, (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(inLines);
    return answered;
  });
  expect(await query("getItemImage", { number: "7" })).toEqual(ok(base64));
});

test("an address in the answer is followed on the same host, with the login", async () => {
  const { query, requests } = await httpErp(
    {
      auth: { kind: "bearer", token: "secret-token" },
      operations: { getItemImage: { path: "/items/{number}", records: "image_url" } },
    },
    ({ pathname }, response) => {
      if (pathname !== "/files/7.png") return { image_url: "/files/7.png" };
      response.writeHead(200, { "content-type": "image/png" }).end(png);
      return answered;
    },
  );
  expect(await query("getItemImage", { number: "7" })).toEqual(ok(base64));
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill("Bearer secret-token"));
});

test("an address of another host is followed only if that host is allowed, and without the login", async () => {
  const store = await receiver((response) => {
    response.writeHead(200, { "content-type": "image/png" }).end(png);
  });
  const image = new URL("/7.png", store.url).href;
  const refused = await imageErp({ records: "url" }, () => ({ url: image }));
  const fault = await refused.faultOf(refused.query("getItemImage", { number: "7" }));
  expect(fault.message).toMatch(/which is not one of `imageHosts`/);
  expect(store.requests).toHaveLength(0);
  const allowed = await imageErp({ records: "url" }, () => ({ url: image }), [new URL(image).host]);
  expect(await allowed.query("getItemImage", { number: "7" })).toEqual(ok(base64));
  expect(store.requests[0]?.headers.authorization).toBeUndefined();
});

test("an image at an address that is gone does not exist", async () => {
  const { query } = await imageErp({ records: "url" }, ({ pathname }, response) => {
    if (pathname.endsWith(".png")) response.statusCode = 404;
    return { url: "/gone.png" };
  });
  expect(await query("getItemImage", { number: "7" })).toEqual(refuse("ImageDoesNotExist"));
});

test("with `detail` the first answer tells where to ask, and the second has the image", async () => {
  const own: Partial<QueryOptions> = {
    records: "result",
    detail: { path: "/attachments/{record.id}", records: "data" },
  };
  const { query, requests } = await imageErp(own, ({ pathname }) => {
    if (pathname === "/attachments/12") return { data: inLines };
    return { result: pathname.endsWith("7") ? [{ id: 12 }, { id: 13 }] : [] };
  });
  expect(await query("getItemImage", { number: "7" })).toEqual(ok(base64));
  expect(requests.map(({ pathname }) => pathname)).toEqual(["/items/7", "/attachments/12"]);
  expect(await query("getItemImage", { number: "8" })).toEqual(refuse("ImageDoesNotExist"));
});

test("`detail` may also answer with the bytes", async () => {
  const { query } = await imageErp({ detail: { path: "/raw/{record.id}" } }, ({ pathname }, response) => {
    if (pathname !== "/raw/1") return { id: 1 };
    response.writeHead(200, { "content-type": "image/png" }).end(png);
    return answered;
  });
  expect(await query("getItemImage", { number: "7" })).toEqual(ok(base64));
});
