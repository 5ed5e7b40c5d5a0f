import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasFileModes } from "../../test/support/test-if.ts";
import { ConfigError } from "../config/document/config-error.ts";
import { apiKey } from "./api-key.ts";

let folder = "";
let dataFolder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "crossdock-key-"));
  dataFolder = join(folder, "data");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("the first start makes a key that only its owner can read", () => {
  const { key, isNew, file } = apiKey({ given: undefined, dataFolder });
  expect(key).toMatch(/^cd_[A-Za-z0-9_-]{32}$/);
  expect(isNew).toBe(true);
  expect(file).toBe(join(dataFolder, "api-key"));
  expect(readFileSync(join(dataFolder, "api-key"), "utf8")).toBe(`${key}\n`);
  if (!hasFileModes) return;
  expect(statSync(join(dataFolder, "api-key")).mode & 0o777).toBe(0o600);
  expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
});

test("the next start uses the same key and does not call it new", () => {
  const first = apiKey({ given: undefined, dataFolder });
  expect(apiKey({ given: undefined, dataFolder })).toEqual({ ...first, isNew: false });
});

test("a key from the environment wins and is not written to disk", () => {
  expect(apiKey({ given: "mine", dataFolder })).toEqual({ key: "mine", isNew: false });
  expect(() => statSync(join(dataFolder, "api-key"))).toThrow(/ENOENT/);
});

test("two first starts at once agree on one key", () => {
  // The other start finishes while this one generates its random bytes.
  const rival = { key: "" };
  const { key, isNew } = apiKey({
    given: undefined,
    dataFolder,
    random: (size) => {
      if (rival.key === "") rival.key = apiKey({ given: undefined, dataFolder }).key;
      return Buffer.alloc(size, 7);
    },
  });
  expect({ key, isNew }).toEqual({ key: rival.key, isNew: false });
});

test("an empty key file is reported and never replaced automatically", () => {
  apiKey({ given: undefined, dataFolder });
  writeFileSync(join(dataFolder, "api-key"), "");
  expect(() => apiKey({ given: undefined, dataFolder })).toThrow(ConfigError);
  expect(readFileSync(join(dataFolder, "api-key"), "utf8")).toBe("");
});

test("the error about a data folder that cannot be created names the setting to change", () => {
  writeFileSync(dataFolder, "a file in the way");
  expect(() => apiKey({ given: undefined, dataFolder: join(dataFolder, "inner") })).toThrow(/CROSSDOCK_DATA_DIR/);
});

test("a folder in the place of the key is named as such", () => {
  mkdirSync(join(dataFolder, "api-key"), { recursive: true });
  expect(() => apiKey({ given: undefined, dataFolder })).toThrow("it is a folder, but must be a file");
});
