import { type PushTopic, pushRow } from "../../contract/pushes.ts";
import { readElements } from "../../engine/read-push.ts";
import type { DateSettings } from "../../sdk/dates.ts";
import { columnsOf } from "../../sdk/documents/columns-of.ts";
import { csvRecords } from "../../sdk/documents/csv-records.ts";
import { identityMap } from "../../sdk/documents/identity-map.ts";
import { recordsAt } from "../../sdk/documents/records-at.ts";
import { all, type SourceRecords } from "../../sdk/documents/source-records.ts";
import { tableRecords } from "../../sdk/documents/table-records.ts";
import { xmlRecords } from "../../sdk/documents/xml-records.ts";
import { compileMapping, type Mapping } from "../../sdk/mapping/compile-mapping.ts";
import { problemText } from "../../sdk/problem-text.ts";
import type { Encoding } from "../../sdk/records/encoding.ts";
import type { FileProfile } from "../../sdk/records/file-settings.ts";
import { readJson } from "../read-json.ts";
import { formRecords } from "./form-records.ts";
import type { InboundOptions } from "./inbound-options.ts";
import type { InboundProblem, InboundReading, RefusedElement } from "./inbound-reading.ts";

export interface ReaderNeeds {
  readonly dates: DateSettings;
  /** CSV files with headings of their own, as the deployment knows them. */
  readonly profiles: readonly FileProfile[];
  readonly encoding?: Encoding;
}

export type InboundReader = (bytes: Uint8Array | undefined) => Promise<InboundReading>;

/** Reads the bodies of one route: bytes, records, mapping, checks. Throws a MappingError where the rules are wrong. */
export function inboundReader(options: InboundOptions, needs: ReaderNeeds): InboundReader {
  const { topic, map, records: path, groupBy, format } = options;
  const { profiles, encoding } = needs;
  const target = pushRow(topic).element;
  const given = map === undefined ? undefined : compileMapping(map, { dates: needs.dates, target });
  // Made when a body first needs it: most routes have rules of their own, or JSON in the form of the table.
  let plain: Mapping | undefined;
  const asNamed = () => (plain ??= compileMapping(identityMap(target), { dates: needs.dates, target }));
  const columns = [...columnsOf(map), ...(groupBy === undefined ? [] : [groupBy])];

  const sourceOf = (bytes: Uint8Array): { found: SourceRecords; isList: boolean } | { problem: InboundProblem } => {
    if (format === "form") return { found: formRecords(bytes, path), isList: path !== undefined };
    if (format === "xml") return { found: xmlRecords(bytes, path), isList: true };
    if (format === "csv") {
      const settings = {
        ...{ dates: needs.dates, profiles: [...profiles], partial: options.onBad === "partial" },
        ...(encoding === undefined ? {} : { encoding }),
      };
      const found =
        map === undefined ? csvRecords(bytes, topic, settings) : tableRecords(bytes, { columns, groupBy, settings });
      return { found, isList: true };
    }
    const json = readJson(bytes);
    if ("problem" in json) return { problem: { field: json.problem.field, text: problemText(json.problem) } };
    if (path !== undefined) return { found: recordsAt(json.value, path), isList: true };
    const isList = Array.isArray(json.value);
    const elements: readonly unknown[] = isList ? (json.value as unknown[]) : [json.value];
    return {
      found: all(
        elements.map((value, index) => ({ row: index + 1, value })),
        true,
      ),
      isList,
    };
  };

  return async (bytes = new Uint8Array()) => {
    const source = sourceOf(bytes);
    if ("problem" in source) return { unreadable: [source.problem], problemCount: 1 };
    const { found, isList } = source;
    if ("refusal" in found) {
      const unreadable = found.refusal.map((one) =>
        typeof one === "string" ? { field: "", text: one } : { field: placeOf(one), text: one.text },
      );
      return { unreadable, problemCount: found.count };
    }
    const mapping = given ?? (found.isReady ? undefined : asNamed());
    return readRecords(found, { topic, mapping, isList, dates: needs.dates });
  };
}

const placeOf = ({ row, column }: { row: number; column: string }) =>
  row === 0 ? column : column === "" ? `row ${row}` : `row ${row}, ${column}`;

async function readRecords(
  { records, withheld }: Extract<SourceRecords, { records: unknown }>,
  how: { topic: PushTopic; mapping: Mapping | undefined; isList: boolean; dates: DateSettings },
): Promise<InboundReading> {
  const { topic, mapping, isList, dates } = how;
  const refused: RefusedElement[] = [];
  const elements: unknown[] = [];
  const places: number[] = [];
  for (const [index, { value }] of records.entries()) {
    const mapped = mapping === undefined ? { value, problems: [] } : await mapping.apply(value);
    if (mapped.problems.length > 0) refused.push({ index: isList ? index : null, problems: mapped.problems });
    else {
      elements.push(mapped.value);
      places.push(index);
    }
  }
  const { good, bad } = readElements(topic, elements, dates);
  for (const { index, problems } of bad) {
    refused.push({
      index: isList ? (places[index] ?? index) : null,
      problems: problems.map((problem) => {
        const source = mapping?.sourceOf(problem.field);
        return { field: problem.field, text: problemText(problem), ...(source === undefined ? {} : { source }) };
      }),
    });
  }
  refused.sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  for (const one of withheld) {
    refused.push({ index: null, row: one.row, problems: [{ field: one.column, text: one.text }] });
  }
  const entries = good.map(({ entry }) => entry);
  return { entries, refused, count: records.length + withheld.length, isList };
}
