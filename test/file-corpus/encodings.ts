import { type CorpusFile, csv, encoded, header, order, withItem, withNumber } from "./case.ts";

const offices: readonly { readonly language: string; readonly text: string; readonly read: readonly string[] }[] = [
  {
    language: "German",
    text: "Auftragsnummer;Fälligkeit;Artikelnummer;Menge\nÄ1;31.01.2030;Größe-7;5\nÖ1;31.01.2030;Schlüssel;2\n",
    read: ["Ä1 2030-01-31: Größe-7 × 5", "Ö1 2030-01-31: Schlüssel × 2"],
  },
  {
    language: "French",
    text: "N° de commande;Échéance;Code article;Quantité\n1;31/01/2030;pièce détachée;5\n",
    read: ["1 2030-01-31: pièce détachée × 5"],
  },
  {
    language: "Italian",
    text: "Numero ordine;Scadenza;Codice articolo;Quantità\n1;31/01/2030;caffè;5\n",
    read: ["1 2030-01-31: caffè × 5"],
  },
  {
    language: "Spanish",
    text: "Número de pedido;Vencimiento;Código de artículo;Cantidad\n1;31/01/2030;señal;5\n",
    read: ["1 2030-01-31: señal × 5"],
  },
  {
    language: "Dutch",
    text: "Ordernummer;Vervaldatum;Artikelnummer;Aantal\n1;31-01-2030;geïsoleerd één;5\n",
    read: ["1 2030-01-31: geïsoleerd één × 5"],
  },
  {
    language: "Polish",
    text: "Numer zamówienia;Termin;Numer artykułu;Ilość\n1;31.01.2030;książka żółta;5\n",
    read: ["1 2030-01-31: książka żółta × 5"],
  },
];
const western = ["windows-1252", "iso-8859-15", "cp850", "macintosh"];
const central = ["windows-1250", "iso-8859-2", "cp852"];
const unicode = { "UTF-8": "utf8", "UTF-16 LE": "utf16le", "UTF-16 BE": "utf16be" };

const ofOffices = offices.flatMap(({ language, text, read }): CorpusFile[] => [
  ...(language === "Polish" ? central : western).map((encoding) => ({
    ...{ name: `${language} in ${encoding}`, bytes: encoded(text, encoding), read },
  })),
  ...Object.entries(unicode).flatMap(([name, encoding]) => [
    { name: `${language} in ${name}`, bytes: encoded(text, encoding), read },
    { name: `${language} in ${name} with a mark`, bytes: encoded(`\ufeff${text}`, encoding), read },
  ]),
]);

const foreign: CorpusFile[] = (
  [
    ["windows-1251", "Болт М8"],
    ["koi8-r", "Болт М8 оцинкованный"],
    ["shift_jis", "テスト商品のねじ"],
    ["gb18030", "测试产品螺丝刀"],
    ["euc-kr", "테스트 제품 나사"],
    ["windows-1253", "παραγγελία βίδα"],
  ] as const
).flatMap(([encoding, item]) => {
  const bytes = encoded(`${header}\n1;2030-01-31;${item};5\n`, encoding);
  return [
    {
      name: `${encoding} that nobody named`,
      bytes,
      refused: new RegExp(`not certain.*${encoding} \\(.*files\\.encoding`),
    },
    { name: `${encoding} named by the setting`, bytes, settings: { encoding }, read: [`1 2030-01-31: ${item} × 5`] },
  ];
});

const ofItem = (item: string, encoding: string) => encoded(`${header}\n1;2030-01-31;${item};5\n`, encoding);

/** Items of neighbouring countries: read if the letters are certain, otherwise refused, never read as other letters. */
const ofNeighbours: CorpusFile[] = [
  ...(
    [
      ["windows-1250", "Šroub-1 ocelový"],
      ["iso-8859-2", "Fűtőszál"],
      ["windows-1252", "Škoda Žižkov"],
      ["iso-8859-2", "Škoda Žižkov"],
      ["macintosh", "Rørbøjle æske"],
    ] as const
  ).map(([encoding, item]) => ({
    ...{ name: `the item ${item} in ${encoding}`, bytes: ofItem(item, encoding), read: [`1 2030-01-31: ${item} × 5`] },
  })),
  ...(
    [
      ["windows-1250", "Gyűrű", /not certain.*windows-1250 \(Gyűrű\)/],
      ["windows-1250", "Skrutka oceľová", /not certain.*windows-1250 \(oceľová\).*files\.encoding/],
      ["windows-1250", "Žiarovka", /not certain.*windows-1252 \(Žiarovka\)/],
      ["windows-1250", "Kľúč", /not certain.*windows-1250 \(Kľúč\)/],
      ["windows-1250", "Čerpadlo", /not certain.*windows-1250 \(Čerpadlo\)/],
      ["macintosh", "Bøjle", /not certain.*macintosh \(Bøjle\)/],
      ["macintosh", "Rør", /not certain.*macintosh \(Rør\)/],
      ["windows-1257", "Varžtas", /not certain.*windows-1257 \(Varžtas\)/],
    ] as const
  ).flatMap(([encoding, item, refused]) => [
    { name: `the item ${item} in ${encoding}`, bytes: ofItem(item, encoding), refused },
    {
      name: `the item ${item} in ${encoding} with the setting`,
      bytes: ofItem(item, encoding),
      settings: { encoding },
      read: [`1 2030-01-31: ${item} × 5`],
    },
  ]),
];

const latin1 = (text: string) => Buffer.from(text, "latin1");

export const encodingFiles: readonly CorpusFile[] = [
  ...["M+APw-ller", "Gr+APYA3w-e", "Krak+APM-w"].map((name) => ({
    name: `UTF-7, as in ${name}`,
    bytes: Buffer.from(`number;dueDate;itemNumber;requestedAmount;itemName\n1;2030-01-31;A;5;${name}\n`),
    refused: /written in UTF-7: row 2 has/,
  })),
  {
    name: "UTF-7 in JSON",
    bytes: Buffer.from(
      '[{"number":"M+APw-ller","dueDate":"2030-01-31","requests":[{"itemNumber":"A","requestedAmount":5}]}]',
    ),
    refused: /written in UTF-7: row 1 has “\+APw-” where “ü” is meant/,
  },
  ...["A+B-C", "A+ABC-1", "X+12-3", "A+AAA-1", "C++-Kurs", "+APw-"].map((number) => ({
    name: `a number ${number}, which only looks like UTF-7`,
    bytes: Buffer.from(`number;dueDate;itemNumber;requestedAmount\n${number};2030-01-31;A;5\n`),
    read: [`${number} 2030-01-31: A × 5`],
  })),
  ...ofOffices,
  ...foreign,
  ...ofNeighbours,
  {
    name: "JSON in Windows-1252",
    bytes: latin1(`[${order('"number":"Ä1"')},${order('"number":"Ö1"')}]`),
    read: ["Ä1 2030-01-31: A × 5", "Ö1 2030-01-31: A × 5"],
  },
  {
    name: "JSON in Windows-1250",
    bytes: encoded(`[${order('"number":"Łódź-1"')}]`, "windows-1250"),
    read: ["Łódź-1 2030-01-31: A × 5"],
  },
  {
    name: "JSON in UTF-16 without a mark",
    bytes: Buffer.from(`[${order('"number":"Ä1"')}]`, "utf16le"),
    read: ["Ä1 2030-01-31: A × 5"],
  },
  {
    name: "JSON with a byte that is no UTF-8 behind a mark",
    bytes: Buffer.concat([Buffer.from("\ufeff"), latin1(`[${order('"number":"Ä1"')}]`)]),
    refused: /Row 1 has bytes that are no characters in utf-8/,
  },
  {
    name: "JSON in which a letter was lost as an escape",
    bytes: Buffer.from(`[${order('"number":"\\ufffd1"')}]`),
    refused: /Row 1 holds the sign � in place of a letter/,
  },
  {
    name: "a mark with bytes that are no UTF-8",
    bytes: Buffer.concat([Buffer.from(`\ufeff${header}\n1;2030-01-31;M`), Buffer.from([0xfc]), Buffer.from("ller;5")]),
    refused: /Row 2 has bytes that are no characters in utf-8 \(at “.*M·ller/,
  },
  {
    name: "UTF-8 and Windows-1252 in one file",
    bytes: Buffer.concat([csv("1;2030-01-31;Müller;5\n"), latin1("2;2030-01-31;Schlüssel;5\n")]),
    refused: /mixes two encodings: row 2 is UTF-8 \(“ü”\), row 3 is not/,
  },
  {
    name: "code page 850 and Windows-1252 in one file",
    bytes: Buffer.concat([
      encoded(`${header}\n1;2030-01-31;Mörtel;5\n`, "cp850"),
      latin1("2;2030-01-31;Schlüssel für Öl;5"),
    ]),
    refused: /not certain/,
  },
  { name: "a letter lost before", bytes: withItem("M\ufffdller"), refused: /Row 2 holds the sign �.*M·ller/ },
  { name: "letters converted twice", bytes: withItem("MÃ¼ller"), refused: /twice: row 2 has “Ã¼” where “ü” is meant/ },
  ...["Stra├ƒe", "Gr├╢├ƒe", "M√ºller", "MĂĽller"].map((item) => ({
    ...{
      name: `letters converted twice, as in ${item}`,
      bytes: withItem(item),
      refused: /twice: row 2 has .* is meant/,
    },
  })),
  {
    name: "letters converted twice in UTF-16",
    bytes: Buffer.from(`\ufeff${header}\n1;2030-01-31;MÃ¼ller;5`, "utf16le"),
    refused: /twice: row 2 has “Ã¼” where “ü” is meant/,
  },
  ...["AMANHÃ“", "CÂŞTIGAT", "ENSIMMÄ…", "├─1", "√2", "f≈5", "Ăştia"].map((item) => ({
    ...{
      name: `${item}, which only looks converted twice`,
      bytes: withItem(item),
      read: [`1 2030-01-31: ${item} × 5`],
    },
  })),
  { name: "a degree sign converted twice", bytes: withItem("90Â° Bogen"), refused: /“Â°” where “°” is meant/ },
  {
    name: "half a character at the end of UTF-16",
    bytes: Buffer.from(`\ufeff${header}\n1;2030-01-31;A;5`, "utf16le").subarray(0, -1),
    refused: /no characters in utf-16le/,
  },
  {
    name: "a setting that the bytes contradict",
    bytes: Buffer.concat([Buffer.from(`${header}\n1;2030-01-31;M`), Buffer.from([0x81]), Buffer.from("ller;5")]),
    settings: { encoding: "windows-1252" },
    refused: /Row 2 has bytes that are no characters in windows-1252/,
  },
  {
    name: "UTF-8 where the setting names a code page",
    bytes: withItem("Müller"),
    settings: { encoding: "cp850" },
    read: ["1 2030-01-31: Müller × 5"],
  },
  {
    name: "one letter that two encodings read differently",
    bytes: latin1(`${header}\n1;2030-01-31;fen\u00eatre;5`),
    refused: /not certain.*windows-1250 \(fenętre\).*windows-1252 \(fenêtre\)/,
  },
  {
    name: "the same letter with the setting",
    bytes: latin1(`${header}\n1;2030-01-31;fen\u00eatre;5`),
    settings: { encoding: "windows-1252" },
    read: ["1 2030-01-31: fenêtre × 5"],
  },
  {
    name: "Hungarian in windows-1250, which looks like Portuguese",
    bytes: encoded(`${header}\n1;2030-01-31;Csőtű őrző;5`, "windows-1250"),
    read: ["1 2030-01-31: Csőtű őrző × 5"],
  },
  {
    name: "Hungarian with the setting",
    bytes: encoded(`${header}\n1;2030-01-31;Csőtű őrző;5`, "windows-1250"),
    settings: { encoding: "windows-1250" },
    read: ["1 2030-01-31: Csőtű őrző × 5"],
  },
  {
    name: "UTF-32",
    bytes: Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), encoded(`${header}\n1;2030-01-31;A;5`, "utf-32le")]),
    refused: /not a text file|no text/,
  },
  {
    name: "half of UTF-16 and half of UTF-8",
    bytes: Buffer.concat([
      Buffer.from(`\ufeff${header}\n1;2030-01-31;A;5\n`, "utf16le"),
      Buffer.from("2;2030-01-31;B;6\n"),
    ]),
    refused: /no characters in utf-16le/,
  },
  {
    name: "Japanese in escapes",
    bytes: latin1(`${header}\n1;2030-01-31;\u001b$B%F%9%H\u001b(B;5`),
    refused: /characters that are no text/,
  },
  {
    name: "Japanese in escapes, in a name only",
    bytes: latin1("number;dueDate;itemNumber;requestedAmount;itemName\n1;2030-01-31;A;5;\u001b$B9)6q\u001b(B"),
    refused: /characters that are no text/,
  },
  { name: "a no-break space in a number", bytes: withNumber("47\u00a011"), refused: /cannot be seen \(U\+00A0\)/ },
  { name: "a line separator in an item number", bytes: withItem("A\u2028B"), refused: /cannot be seen \(U\+2028\)/ },
  { name: "a zero-width space in a number", bytes: withNumber("4711\u200b"), refused: /cannot be seen \(U\+200B\)/ },
  { name: "a direction mark before a number", bytes: withNumber("\u202a4711"), refused: /cannot be seen \(U\+202A\)/ },
  {
    name: "a sign of a single font in an item number",
    bytes: withItem("A\ue000"),
    refused: /cannot be seen \(U\+E000\)/,
  },
  {
    name: "a sign that is no character in a number",
    bytes: withNumber("47\uffff"),
    refused: /cannot be seen \(U\+FFFF\)/,
  },
  { name: "a soft hyphen in an item number", bytes: withItem("AB\u00adC"), refused: /cannot be seen \(U\+00AD\)/ },
];
