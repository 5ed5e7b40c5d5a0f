import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileStatement } from "./compile-statement.ts";
import { type DriverName, dialects, driverNames } from "./dialect.ts";

const compiled = (sql: string, driver: DriverName = "postgres") => compileStatement(sql, dialects[driver]);

describe("parameters of a statement", () => {
  test("are written in the syntax of each database", () => {
    const sql = "SELECT :a, :b.c, :a";
    expect(compiled(sql, "postgres")).toEqual({ text: "SELECT $1, $2, $1", names: ["a", "b.c"] });
    expect(compiled(sql, "sqlserver")).toEqual({ text: "SELECT @p1, @p2, @p1", names: ["a", "b.c"] });
    expect(compiled(sql, "mysql")).toEqual({ text: "SELECT ?, ?, ?", names: ["a", "b.c", "a"] });
    expect(compiled(sql, "sqlite")).toEqual({ text: "SELECT ?, ?, ?", names: ["a", "b.c", "a"] });
  });

  test.each<[string, DriverName]>([
    ["SELECT ':a', 'it''s :a'", "postgres"],
    ["SELECT E'\\' :a'", "postgres"],
    ['SELECT ":a" FROM "x"":b"', "postgres"],
    ["SELECT $$ :a $$, $tag$ $$ :b $tag$", "postgres"],
    ["SELECT 1 -- :a", "postgres"],
    ["SELECT 1 /* :a /* :b */ :c */", "postgres"],
    ["SELECT x::int, '1'::text", "postgres"],
    ["SELECT arr[1:2], arr[lo:hi]", "postgres"],
    ["SELECT data ? 'key'", "postgres"],
    ["SELECT '\\' :a', \"\\\" :b\"", "mysql"],
    ["SELECT `:a` # :b", "mysql"],
    ["SELECT @x := 1", "mysql"],
    ["SELECT [:a]]:b] FROM t", "sqlserver"],
    ["SELECT [:a], `:b`, ':c?'", "sqlite"],
    ["SELECT '\\', 1, '\\'", "sqlite"],
  ])("are not found where there are none: %s on %s", (sql, driver) => {
    expect(compiled(sql, driver)).toEqual({ text: sql, names: [] });
  });

  test("in a MySQL comment are text; the comment ends at its first end mark, and parameters after it are found", () => {
    expect(compiled("SELECT /* /* :a */ :b", "mysql").names).toEqual(["b"]);
  });

  test.each<[string, DriverName, RegExp]>([
    ["SELECT 'open", "postgres", /never closed \(column 8\)/],
    ["SELECT 1\nFROM /* x", "sqlite", /never closed \(line 2, column 6\)/],
    ["SELECT $a$ b", "postgres", /\$a\$ here is never closed/],
    ["SELECT ?", "mysql", /write parameters as :name/],
    ["SELECT $1", "postgres", /write parameters as :name/],
    ["SELECT @p1", "sqlserver", /write parameters as :name/],
    ["SELECT @name", "sqlite", /write parameters as :name/],
    ["DELETE FROM a; DELETE FROM b", "sqlite", /only one statement.*column 16/],
    ["DELETE FROM a; 'b'", "postgres", /only one statement/],
  ])("and mistakes are named with their place: %s on %s", (sql, driver, text) => {
    expect(() => compiled(sql, driver)).toThrow(text);
  });

  test("a final semicolon and a comment after it are not a second statement", () => {
    expect(compiled("SELECT :a;  ").text).toBe("SELECT $1");
    expect(compiled("SELECT :a; -- done").names).toEqual(["a"]);
    expect(compiled("SET NOCOUNT ON; EXEC p :a", "sqlserver").text).toBe("SET NOCOUNT ON; EXEC p @p1");
  });

  test("text in quotes is passed on unchanged, and parameters around it are found", () => {
    const quoted = fc.string({ unit: "binary" }).map((text) => `'${text.replaceAll("\\", "").replaceAll("'", "''")}'`);
    fc.assert(
      fc.property(fc.constantFrom(...driverNames), quoted, quoted, (driver, one, other) => {
        const { text, names } = compiled(`SELECT ${one}, :a, ${other}`, driver);
        expect(names).toEqual(["a"]);
        expect(text).toBe(`SELECT ${one}, ${dialects[driver].placeholder(1)}, ${other}`);
      }),
    );
  });
});
