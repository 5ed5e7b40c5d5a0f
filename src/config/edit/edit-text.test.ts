import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { editText, NotEditable } from "./edit-text.ts";

const file = `# Our adapter
timeZone: Europe/Vienna   # the site

connectors:
  # the ERP of the group
  erp:
    type: http
    baseUrl: http://erp.example   # old address
    headers: { X-Site: main }

serve:
  workOrders: erp
`;

describe("a change touches only the lines of its member", () => {
  test("a value is replaced, and the comment after it stays", () => {
    expect(editText(file, [{ path: ["connectors", "erp", "baseUrl"], value: "https://erp.example/v2" }])).toBe(
      file.replace("http://erp.example ", "https://erp.example/v2 "),
    );
  });

  test("a member is added after the last one of its section", () => {
    expect(editText(file, [{ path: ["serve", "items"], value: "erp" }])).toBe(`${file}  items: erp\n`);
    expect(editText(file, [{ path: ["connectors", "erp", "timeoutMs"], value: 5000 }])).toBe(
      file.replace("{ X-Site: main }\n", "{ X-Site: main }\n    timeoutMs: 5000\n"),
    );
  });

  test("missing sections are written with the member", () => {
    expect(editText(file, [{ path: ["events", "by", "attachWorkOrder"], value: "erp" }])).toBe(
      `${file}events:\n  by:\n    attachWorkOrder: erp\n`,
    );
  });

  test("a member is removed with its lines", () => {
    expect(editText(file, [{ path: ["connectors", "erp", "headers"], value: undefined }])).toBe(
      file.replace("    headers: { X-Site: main }\n", ""),
    );
  });

  test("a member inside braces is changed there", () => {
    const edited = editText(file, [{ path: ["connectors", "erp", "headers", "X-Site"], value: "north" }]);
    expect(edited).toContain("headers: { X-Site: north }");
    expect(edited).toContain("# the ERP of the group");
  });

  test("an empty section is filled, and an empty file gets its first lines", () => {
    expect(editText("connectors:\n", [{ path: ["connectors", "erp", "type"], value: "http" }])).toBe(
      "connectors:\n  erp:\n    type: http\n",
    );
    expect(editText("# nothing yet\n", [{ path: ["serve", "items"], value: "erp" }])).toBe(
      "# nothing yet\nserve:\n  items: erp\n",
    );
  });
});

describe("a file in JSON keeps its order and its indentation", () => {
  const config = {
    timeZone: "Europe/Vienna",
    connectors: { erp: { type: "http", headers: {} } },
    serve: { items: "erp" },
  };
  const json = `${JSON.stringify(config, null, 4)}\n`;
  const changed = (path: readonly string[], value: unknown) => editText(json, [{ path, value }]);

  test("a member is changed, added and removed in its own lines", () => {
    expect(changed(["serve", "items"], "shop")).toBe(json.replace('"items": "erp"', '"items": "shop"'));
    expect(changed(["serve", "images"], "erp")).toBe(
      json.replace('"items": "erp"', '"items": "erp",\n        "images": "erp"'),
    );
    expect(changed(["serve"], undefined)).toBe(json.replace(/,\n {4}"serve": \{[^}]*\}/, ""));
    expect(changed(["timeZone"], undefined)).toBe(json.replace('"timeZone": "Europe/Vienna",\n    ', ""));
    expect(changed(["connectors", "erp", "headers", "X-Site"], "main")).toBe(
      json.replace('"headers": {}', '"headers": {\n                "X-Site": "main"\n            }'),
    );
  });

  test("several changes at once touch nothing else", () => {
    const changes = [
      { path: ["connectors", "shop", "type"], value: "webhook" },
      { path: ["connectors", "shop", "url"], value: "https://shop.example" },
      { path: ["events", "to"], value: "shop" },
    ];
    const shop = { type: "webhook", url: "https://shop.example" };
    const wanted = { ...config, connectors: { ...config.connectors, shop }, events: { to: "shop" } };
    expect(editText(json, changes)).toBe(`${JSON.stringify(wanted, null, 4)}\n`);
  });

  test("a comment stays beside its member", () => {
    const noted = '{\n  "a": 1, # one\n  "b": 2 # two\n}\n';
    expect(editText(noted, [{ path: ["c"], value: 3 }])).toBe('{\n  "a": 1, # one\n  "b": 2, # two\n  "c": 3\n}\n');
    expect(editText(noted, [{ path: ["b"], value: 4 }])).toBe(noted.replace("2 #", "4 #"));
  });
});

describe("a list keeps the elements that stay", () => {
  const listed =
    "profiles:\n  # of the shop\n  - name: shop   # daily\n    delimiter: ;\n  # of the ERP\n  - name: erp\nafter: 1\n";
  const [shop, erp] = [{ name: "shop", delimiter: ";" }, { name: "erp" }];
  const withList = (value: readonly object[]) => editText(listed, [{ path: ["profiles"], value }]);

  test("an element is added behind them, before them and between them", () => {
    const added = { name: "new", encoding: "utf-8" };
    const lines = "  - name: new\n    encoding: utf-8\n";
    expect(withList([shop, erp, added])).toBe(listed.replace("after:", `${lines}after:`));
    expect(withList([shop, added, erp])).toBe(listed.replace("  # of the ERP", `${lines}  # of the ERP`));
    expect(withList([added, shop, erp])).toBe(listed.replace("  - name: shop", `${lines}  - name: shop`));
  });

  test("an element is changed and removed in its own lines", () => {
    expect(withList([shop, { name: "erp", delimiter: "," }])).toBe(
      listed.replace("- name: erp\n", '- name: erp\n    delimiter: ","\n'),
    );
    expect(withList([shop])).toBe(listed.replace("  - name: erp\n", ""));
  });
});

test("a file with the line ends of Windows keeps them", () => {
  const onWindows = file.replaceAll("\n", "\r\n");
  const changes = [
    { path: ["serve", "items"], value: "erp" },
    { path: ["connectors", "erp", "headers"], value: { "X-Site": "north", "X-Two": "2" } },
  ];
  expect(editText(onWindows, changes)).toBe(editText(file, changes).replaceAll("\n", "\r\n"));
});

test("what is not there can be removed, and nothing changes", () => {
  expect(editText(file, [{ path: ["connectors", "shop"], value: undefined }])).toBe(file);
  expect(editText("{}", [{ path: ["connectors"], value: undefined }])).toBe("{}");
});

test("many changes give the same as one after the other, and keep every comment", () => {
  const names = Array.from({ length: 300 }, (_, index) => `k${index}`);
  const text = `all:\n${names.map((one) => `  # about ${one}.\n  ${one}: 1\n`).join("")}`;
  const changes = [
    ...names.map((one, index) => ({ path: ["all", one], value: index % 3 === 0 ? undefined : `now ${index}` })),
    { path: ["all", "new"], value: { a: [1, 2] } },
    { path: ["all", "newer"], value: 3 },
    { path: ["other", "first"], value: 1 },
  ];
  const edited = editText(text, changes);
  const few = changes.slice(0, 12);
  expect(editText(text, few)).toBe(few.reduce((now, change) => editText(now, [change]), text));
  const kept = Object.fromEntries(names.flatMap((one, index) => (index % 3 === 0 ? [] : [[one, `now ${index}`]])));
  expect(parse(edited)).toEqual({ all: { ...kept, new: { a: [1, 2] }, newer: 3 }, other: { first: 1 } });
  for (const one of names) expect(edited).toContain(`# about ${one}.`);
});

test("changes that depend on each other are made one after the other", () => {
  const changes = ["a", "b", "c"].map((one) => ({ path: ["events", "by", one], value: "erp" }));
  expect(editText("# ours\n", changes)).toBe("# ours\nevents:\n  by:\n    a: erp\n    b: erp\n    c: erp\n");
});

test("a value that is defined by an anchor elsewhere is not changed silently", () => {
  const shared = "a: &a\n  x: 1\nb: *a\n";
  expect(() => editText(shared, [{ path: ["b", "x"], value: 2 }])).toThrow(NotEditable);
});

const name = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const scalar = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.stringMatching(/^[\w:#@ -]{0,12}$/),
  fc.constant("two\nlines\n"),
);
const { section } = fc.letrec<{ section: Record<string, unknown>; member: unknown }>((tie) => ({
  section: fc.dictionary(name, tie("member"), { minKeys: 1, maxKeys: 4 }),
  member: fc.oneof({ maxDepth: 3 }, scalar, fc.array(scalar, { maxLength: 3 }), tie("section")),
}));

/** Writes the sections with a comment above every line that can have one. */
const commented = (value: object): string =>
  stringify(value)
    .split("\n")
    .flatMap((line, index) =>
      /^\s*[a-z]\w*:( |$)/.test(line) ? [`${/^\s*/.exec(line)?.[0]}# note ${index}.`, line] : [line],
    )
    .join("\n");

test("any change of any file gives just that change, and no comment of another member is lost", () => {
  fc.assert(
    fc.property(section, fc.array(name, { minLength: 1, maxLength: 4 }), member(), (before, path, value) => {
      // A text of several lines can contain what looks like a comment. Then there is nothing to compare.
      const text = commented(before);
      fc.pre(isDeepStrictEqual(parse(text), before));
      fc.pre(isSection(before, path));
      const edited = editText(text, [{ path, value }]);
      expect(parse(edited)).toEqual(withMember(before, path, value));
      const kept = text.split("\n").filter((line) => /# note \d+\.$/.test(line));
      const replaced = JSON.stringify(valueAt(before, path) ?? null);
      if (!replaced.startsWith("{")) for (const comment of kept) expect(edited).toContain(comment.trim());
    }),
    { numRuns: 500 },
  );
});

test("any change of any file in JSON gives the file that JSON would write", () => {
  const styles = [undefined, 2, 4] as const;
  fc.assert(
    fc.property(
      ...([section, fc.array(name, { minLength: 1, maxLength: 4 }), fc.option(member(), { nil: undefined })] as const),
      fc.constantFrom(...styles),
      (before, path, value, indent) => {
        const text = JSON.stringify(before, null, indent);
        fc.pre(isDeepStrictEqual(parse(text), before));
        fc.pre(isSection(before, path));
        fc.pre(value !== undefined || isRecord(valueAt(before, path.slice(0, -1))));
        const wanted = value === undefined ? without(before, path) : withMember(before, path, value);
        expect(editText(text, [{ path, value }])).toBe(JSON.stringify(wanted, null, indent));
      },
    ),
    { numRuns: 500 },
  );
});

const without = (owner: unknown, [first = "", ...rest]: readonly string[]): unknown => {
  if (!isRecord(owner) || !Object.hasOwn(owner, first)) return owner;
  if (rest.length > 0) return { ...owner, [first]: without(owner[first], rest) };
  return Object.fromEntries(Object.entries(owner).filter(([key]) => key !== first));
};

function member() {
  return fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), section);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether each owner on the path is a section, empty or missing. */
const isSection = (value: unknown, [first = "", ...rest]: readonly string[]): boolean => {
  if (!isRecord(value)) return value === null || value === undefined;
  return rest.length === 0 || isSection(value[first], rest);
};

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((owner, key) => (isRecord(owner) ? owner[key] : undefined), value);

const withMember = (owner: unknown, [first = "", ...rest]: readonly string[], value: unknown): unknown => {
  const known = isRecord(owner) ? owner : {};
  return { ...known, [first]: rest.length === 0 ? value : withMember(known[first], rest, value) };
};
