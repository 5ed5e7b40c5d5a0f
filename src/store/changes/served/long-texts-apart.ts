/**
 * SQLite writes a row whole whenever one of its columns changes. So what changes with every step stands apart from the
 * long texts, and each content that was served is a row of its own: a step on an order of ten thousand lines that was
 * changed often would otherwise write sixty megabytes.
 */
export const longTextsApart = [
  // JSON: the order as last pushed, or null, and lines that a later push no longer had.
  `CREATE TABLE wanted_push (
    order_number TEXT PRIMARY KEY,
    pushed TEXT NOT NULL,
    gone TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  "CREATE TABLE wanted_lines (order_number TEXT PRIMARY KEY, lines TEXT NOT NULL) STRICT, WITHOUT ROWID",
  `CREATE TABLE served_content (
    order_number TEXT NOT NULL,
    -- Ascending with time. One of the middle may be missing.
    number INTEGER NOT NULL,
    -- A list of lines; [place, lines] stands for so many lines of the content before, from that place on.
    lines TEXT NOT NULL,
    PRIMARY KEY (order_number, number)
  ) STRICT, WITHOUT ROWID`,
  `INSERT INTO wanted_push (order_number, pushed, gone)
   SELECT order_number, coalesce(wanted -> '$.pushed', 'null'), coalesce(wanted -> '$.gone', '[]') FROM wanted`,
  "INSERT INTO wanted_lines (order_number, lines) SELECT order_number, wanted -> '$.lines' FROM wanted",
  `INSERT INTO served_content (order_number, number, lines)
   SELECT order_number, content.key, content.value FROM wanted, json_each(wanted.served) AS content`,
  // NULL unless an entry has cancelled the whole order: the number of that entry.
  "ALTER TABLE wanted ADD COLUMN cancelled_seq INTEGER",
  "UPDATE wanted SET cancelled_seq = wanted ->> '$.cancelledSeq'",
  "ALTER TABLE wanted DROP COLUMN wanted",
  "ALTER TABLE wanted DROP COLUMN served",
  // 1 if all lines of the order are there; 0: only [place, line] for those that have changed since the step before.
  "ALTER TABLE step_amounts ADD COLUMN whole INTEGER NOT NULL DEFAULT 1",
  "CREATE INDEX step_amounts_whole ON step_amounts (order_number) WHERE whole = 1",
];
