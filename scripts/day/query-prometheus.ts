import { readFileSync } from "node:fs";
import { resolve } from "node:path";

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

/** One line of a panel over time, without gaps. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly number[];
}

/** Every query of the dashboard, with the values that Grafana fills in. */
function dashboardQueries(): readonly { readonly title: string; readonly query: string }[] {
  const file = resolve(import.meta.dirname, "../../deploy/grafana/crossdock.json");
  // Our own file, whose form a test checks.
  const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
    panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      title,
      query: expr.replaceAll("$job", "crossdock").replaceAll("$instance", ".*").replaceAll("$__rate_interval", "1m"),
    })),
  );
}

/** A client for Prometheus that sends queries as Grafana does. */
export function queryPrometheus(url: string) {
  const get = async <Result>(path: string, query: string, given = ""): Promise<readonly Result[]> => {
    const answer = await fetch(`${url}/api/v1/${path}?query=${encodeURIComponent(query)}${given}`);
    // The members of Prometheus' answer that are used.
    const { status, data, error } = (await answer.json()) as {
      status: string;
      error?: string;
      data?: { result: readonly Result[] };
    };
    if (status !== "success" || data === undefined) throw new Error(`${query}: ${error}`);
    return data.result;
  };
  const ask = (query: string) => get<Sample>("query", query);
  type Range = Pick<Sample, "metric"> & { readonly values: readonly Sample["value"][] };
  return {
    ask,
    /** What each query of a panel has shown since then, one value per second. */
    history: async (title: string, sinceMs: number): Promise<(readonly Series[])[]> => {
      const given = `&start=${sinceMs / 1000}&end=${Date.now() / 1000}&step=1`;
      const queries = dashboardQueries().filter((one) => one.title === title);
      const all = await Promise.all(queries.map(({ query }) => get<Range>("query_range", query, given)));
      return all.map((list) =>
        list.map(({ metric, values }) => ({
          metric,
          values: values.map(([, value]) => Number(value)).filter((value) => !Number.isNaN(value)),
        })),
      );
    },
    /** The sum of what a panel's first query shows; 0 if it shows nothing. */
    panel: async (title: string): Promise<number> => {
      const query = dashboardQueries().find((one) => one.title === title)?.query;
      if (query === undefined) throw new Error(`the dashboard has no panel ${title}`);
      return (await ask(query)).reduce((sum, { value }) => sum + Number(value[1]), 0);
    },
  };
}
