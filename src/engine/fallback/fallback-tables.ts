import { blob, integer, nullable, row, text } from "../../kit/sqlite/row.ts";

export const tables = `
  CREATE TABLE IF NOT EXISTS list (connector TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS listed_order (
    id INTEGER PRIMARY KEY, connector TEXT NOT NULL, number TEXT NOT NULL, digest TEXT NOT NULL, json TEXT NOT NULL,
    number_folded TEXT NOT NULL, alternative_folded TEXT, external_folded TEXT, delivery_folded TEXT,
    UNIQUE (connector, number)) STRICT;
  CREATE INDEX IF NOT EXISTS listed_by_connector ON listed_order (connector);
  CREATE INDEX IF NOT EXISTS listed_by_number ON listed_order (number_folded);
  CREATE INDEX IF NOT EXISTS listed_by_alternative ON listed_order (alternative_folded) WHERE alternative_folded IS NOT NULL;
  CREATE INDEX IF NOT EXISTS listed_by_external ON listed_order (external_folded) WHERE external_folded IS NOT NULL;
  CREATE INDEX IF NOT EXISTS listed_by_delivery ON listed_order (delivery_folded) WHERE delivery_folded IS NOT NULL;
  CREATE INDEX IF NOT EXISTS listed_in_parts ON listed_order (digest) WHERE octet_length(json) < 20;
  CREATE TABLE IF NOT EXISTS listed_part (
    id INTEGER PRIMARY KEY, digest TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS listed_part_by_digest ON listed_part (digest, part);
  CREATE TABLE IF NOT EXISTS answer (
    connector TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, json TEXT,
    size INTEGER NOT NULL, PRIMARY KEY (connector, operation, key)) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS answer_by_at ON answer (at)`;

export const listRow = row({ connector: text, at: integer });
export const listedOrderRow = row({
  id: integer,
  connector: text,
  number: text,
  digest: text,
  json: text,
  number_folded: text,
  alternative_folded: nullable(text),
  external_folded: nullable(text),
  delivery_folded: nullable(text),
});

export const listedPartRow = row({ id: integer, digest: text, part: integer, bytes: blob });

export const answerRow = row({
  connector: text,
  operation: text,
  key: text,
  at: integer,
  json: nullable(text),
  size: integer,
});
