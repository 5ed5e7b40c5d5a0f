import { readFileSync } from "node:fs";
import { resolve } from "node:path";

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

/** Every query of the dashboard, with the values that Grafana fills in. */
export function dashboardQueries(): readonly { readonly title: string; readonly query: string }[] {
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
  const ask = async (query: string): Promise<readonly Sample[]> => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
    // The members of Prometheus' answer that are used.
    const { status, data, error } = (await answer.json()) as {
      status: string;
      error?: string;
      data?: { result: readonly Sample[] };
    };
    if (status !== "success" || data === undefined) throw new Error(`${query}: ${error}`);
    return data.result;
  };
  return {
    ask,
    /** The sum of what a panel's first query shows; 0 if it shows nothing. */
    panel: async (title: string): Promise<number> => {
      const query = dashboardQueries().find((one) => one.title === title)?.query;
      if (query === undefined) throw new Error(`the dashboard has no panel ${title}`);
      return (await ask(query)).reduce((sum, { value }) => sum + Number(value[1]), 0);
    },
  };
}
