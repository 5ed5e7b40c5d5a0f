import fc from "fast-check";
import iconv from "iconv-lite";
import { describe, expect, test } from "vitest";
import { languages } from "../../messages/languages.ts";
import { localise } from "../../messages/localise.ts";
import { type Encoding, encodings, foreignEncodings, latinEncodings, wideEncodings } from "./encoding.ts";
import { findEncoding } from "./find-encoding.ts";

const header = "number;itemName\n";
const read = (bytes: Uint8Array, fixed?: Encoding) => {
  const found = findEncoding(bytes, fixed);
  if ("encoding" in found) return iconv.decode(Buffer.from(bytes).subarray(found.markLength), found.encoding);
  for (const language of languages) expect(localise(found.refusal, language)).not.toMatch(/\{\w|_absent/);
  return { refused: localise(found.refusal, "en"), key: found.refusal.key };
};

const words = {
  de: "Schlüssel Größe Straße Öl Müller Käse Übergröße Gerät Stück Dämmung fünf süß Maß weiß Fußmatte Ärmel KÜHLGERÄT",
  fr: "clé pièce détachée fenêtre garçon boîte à outils câble œillet hôtel créée près maïs où goût ÉCROU",
  it: "qualità caffè più perché così però metà città è piú capacità",
  es: "Señal cámara año tamaño teléfono línea número café pingüino artículo ratón ¿Qué",
  nl: "één geïsoleerd coördinatie café ideeën patiënt reünie",
  pl: "część zamówienie książka źródło żółty śruba łożysko ilość koń miesiąc gęś Łódź ćwiartka dzień",
};
const sentences = fc
  .constantFrom(...(Object.keys(words) as (keyof typeof words)[]))
  .chain((language) => fc.array(fc.constantFrom(...words[language].split(" ")), { minLength: 1, maxLength: 12 }))
  .map((some) => some.join(" "));

describe("words of the seven languages in an encoding that is not named", () => {
  test("are read right or refused, never wrong", () => {
    fc.assert(
      fc.property(sentences, fc.constantFrom(...latinEncodings), (text, encoding) => {
        const bytes = iconv.encode(header + text, encoding);
        // Skips texts with letters that the encoding does not have.
        fc.pre(iconv.decode(bytes, encoding) === header + text);
        const found = read(bytes);
        if (typeof found === "string") expect(found).toBe(header + text);
        else expect(found.key).toBe("files.encoding.unsure");
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(latinEncodings)("are nearly always read in %s where there are a few of them", (encoding) => {
    let tried = 0;
    let refused = 0;
    for (const list of Object.values(words)) {
      for (let at = 0; at + 4 <= list.split(" ").length; at++) {
        const text =
          header +
          list
            .split(" ")
            .slice(at, at + 4)
            .join(" ");
        const bytes = iconv.encode(text, encoding);
        if (iconv.decode(bytes, encoding) !== text) continue;
        tried++;
        if (typeof read(bytes) !== "string") refused++;
      }
    }
    expect(tried).toBeGreaterThan(0);
    expect(refused / tried).toBeLessThan(0.1);
  });
});

const neighbouring = {
  cs: "Šroub ocelový Matice šestihranná Těsnění Čerpadlo Ložisko kuličkové Řetěz Žárovka Hadice zahradní Příruba",
  sk: "Skrutka oceľová Žiarovka Kľúč Čerpadlo Ložisko Tesnenie Vŕtačka Hriadeľ Rúrka Škatuľa Svetlo núdzové",
  hu: "Gyűrű Fűtőszál Csőtű Hűtő Kábelkötegelő Szűrő Fúró Tömítés Csavarhúzó Kerékpár Őrző",
  da: "Bøjle Rør Rørbøjle Sæbe Tøjle Måler Skærm Fjeder på låg Øje",
  nb: "Rør Bøyle Kjøleskap Skøyte Målebånd Nøkkel Ørn Båt Støvsuger",
  sv: "Mutter för låda Skåp Höjd Lås Kåpa Fläns Rör Stång Växel",
  lt: "Varžtas Veržlė Šviestuvas Pirštinės Guolis rutulinis Žarna Dėžė Raktas veržliaraktis",
};

test("words of neighbouring languages are read right or refused, never wrong, also alone", () => {
  const wrong: string[] = [];
  for (const list of Object.values(neighbouring)) {
    for (const text of [...list.split(" "), ...(list.match(/\S+ \S+/g) ?? []), list]) {
      for (const encoding of [...latinEncodings, "windows-1257"] as const) {
        const bytes = iconv.encode(header + text, encoding);
        if (iconv.decode(bytes, encoding) !== header + text) continue;
        const found = read(bytes);
        if (typeof found === "string" && found !== header + text) wrong.push(`${encoding}: ${text}, read as ${found}`);
      }
    }
  }
  expect(wrong).toEqual([]);
});

test.each([
  ["windows-1251", "Заказ номер пять, болт"],
  ["koi8-r", "Заказ номер пять, болт"],
  ["cp866", "Заказ номер пять, болт"],
  ["windows-1253", "παραγγελία βίδα"],
  ["windows-1254", "ağaç şişe ığdır"],
  ["shift_jis", "テスト商品のねじ"],
  ["euc-jp", "テスト商品のねじ"],
  ["gb18030", "测试产品螺丝刀"],
  ["big5", "測試產品螺絲起子"],
  ["euc-kr", "테스트 제품 나사"],
] as const)("a file in %s is refused with that candidate, and read where the setting says so", (encoding, text) => {
  const bytes = iconv.encode(header + text, encoding);
  const found = read(bytes);
  expect(found).toMatchObject({ key: "files.encoding.unsure", refused: expect.stringContaining(encoding) });
  expect(read(bytes, encoding)).toBe(header + text);
});

test("the setting does not make a UTF-8 file wrong", () => {
  for (const encoding of [...latinEncodings, ...foreignEncodings]) {
    expect(read(Buffer.from(`${header}Müller`), encoding)).toBe(`${header}Müller`);
  }
  expect(encodings).toContain(wideEncodings[0]);
});

test.each([
  [
    "a byte order mark with bytes that are no UTF-8",
    Buffer.concat([Buffer.from("\ufeffnumber\nM"), Buffer.from([0xfc]), Buffer.from("ller")]),
    /Row 2 has bytes that are no characters in utf-8/,
  ],
  [
    "UTF-16 with half a character at its end",
    Buffer.from("\ufeffnumber\n1", "utf16le").subarray(0, -1),
    /no characters in utf-16le/,
  ],
  ["UTF-16 with half a pair", Buffer.from("\ufeffnumber\n\ud800;1", "utf16le"), /Row 2 .*utf-16le/],
  ["a lost letter", Buffer.from("number\nM\ufffdller"), /Row 2 holds the sign � .*M·ller/],
  ["letters converted twice", Buffer.from("number\nx\nMÃ¼ller"), /twice: row 3 has “Ã¼” where “ü” is meant/],
  [
    "two files in one",
    Buffer.concat([Buffer.from("number\nMüller\n"), Buffer.from("Schlüssel groß", "latin1")]),
    /row 2 is UTF-8 \(“ü”\), row 3 is not \(rather windows-1252\)/,
  ],
  [
    "two code pages in one",
    Buffer.concat([
      iconv.encode("number\nMörtel Käse\n", "cp850"),
      iconv.encode("Schlüssel Größe Käse für Öl", "latin1"),
    ]),
    /not certain/,
  ],
])("%s: is refused with its place", (_title, bytes, text) => {
  expect(read(bytes)).toMatchObject({ refused: expect.stringMatching(text) });
});

test.each([
  ["shift_jis", "工具"],
  ["shift_jis", "ネジ"],
  ["shift_jis", "釘"],
  ["euc-jp", "工具"],
  ["euc-kr", "렌치"],
  ["gbk", "扳手"],
  ["big5", "扳手"],
])("a file in %s whose only such text is %s is refused, not read as Latin letters", (encoding, name) => {
  const found = read(iconv.encode(`Order;Due;Item;Quantity;Name\nSO-1;2030-01-31;A-1;2;${name}\n`, encoding));
  expect(found).toMatchObject({ key: "files.encoding.unsure" });
});

test("a setting that does not fit the bytes is said", () => {
  expect(read(Buffer.from([0x31, 0x0a, 0x41, 0x81, 0x42]), "windows-1252")).toMatchObject({
    refused: expect.stringMatching(/^Row 2 has bytes that are no characters in windows-1252 \(at “A·B”\)/),
  });
  expect(read(Buffer.from("M\u00fcller", "latin1"), "utf-8")).toMatchObject({ key: "files.encoding.invalid" });
});

test("whatever the bytes, no replacement character comes out", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 60 }),
      fc.option(fc.constantFrom(...encodings), { nil: undefined }),
      (bytes, fixed) => {
        const found = findEncoding(bytes, fixed);
        if (!("encoding" in found)) return;
        expect(iconv.decode(Buffer.from(bytes).subarray(found.markLength), found.encoding)).not.toContain("\ufffd");
      },
    ),
    { numRuns: 3_000 },
  );
});
