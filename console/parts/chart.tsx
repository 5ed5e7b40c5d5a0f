import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { FigureSeries } from "../../src/engine/figures/figure.ts";
import { language, say, sayClock, sayDate, sayDuration, sayNumber, theme } from "../say.ts";

const drawn = ["answers", "pushes", "delivered", "failed"] as const;

/** Steps of the axis. Only whole numbers, because half an answer makes no sense. */
const wholeSteps = [1, 2, 5]
  .flatMap((first) => [0, 1, 2, 3, 4, 5, 6].map((power) => first * 10 ** power))
  .sort((a, b) => a - b);

/** Draws counts over time. A table with the same numbers is there for people who cannot see the drawing. */
export function Chart({ series }: { readonly series: FigureSeries }) {
  const place = useRef<HTMLDivElement>(null);
  const look = theme.value;
  const words = language.value;
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const label = series.range === "7d" ? sayDate : sayClock;
    const times = series.points.map(({ at }) => Date.parse(at) / 1000);
    const chart = new uPlot(
      {
        ...{
          width: current.clientWidth,
          height: 180,
          padding: [8, 8, 0, 0] satisfies uPlot.Padding,
          legend: { show: false },
          cursor: { show: false },
        },
        scales: {
          y: { range: (_chart, _least, most) => [0, Math.max(4, most * 1.1)] },
          ms: { range: (_chart, _least, most) => [0, Math.max(10, most * 1.1)] },
        },
        axes: [
          { ...axis, size: 32, values: (_chart, ticks) => ticks.map((seconds) => label(new Date(seconds * 1000))) },
          { ...axis, size: 44, incrs: wholeSteps },
          {
            ...{ ...axis, scale: "ms", side: 1, size: 64, incrs: wholeSteps, grid: { show: false } },
            values: (_chart, ticks) => ticks.map((ms) => sayDuration(ms)),
          },
        ],
        series: [
          {},
          ...drawn.map((name) => ({ stroke: colour(`--chart-${name}`), width: 2, points: { show: false } })),
          // A span between two without answers has no neighbour to draw a line to.
          { stroke: colour("--chart-p95"), width: 2, dash: [6, 4], scale: "ms", points: { show: true, size: 4 } },
        ],
      },
      [
        times,
        ...drawn.map((name) => series.points.map((point) => point[name])),
        series.points.map(({ p95Ms }) => p95Ms),
      ],
      current,
    );
    const resize = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height: 180 }));
    resize.observe(current);
    return () => {
      resize.disconnect();
      chart.destroy();
    };
  }, [series, look, words]);
  const sums = drawn.map((name) => series.points.reduce((sum, point) => sum + point[name], 0));
  return (
    <figure class="chart">
      <figcaption>
        {drawn.map((name, index) => (
          <span key={name} class="legend">
            <i class={name} aria-hidden="true" />
            {say(`chart.${name}`)}: <b>{sayNumber(sums[index] ?? 0)}</b>
          </span>
        ))}
        <span class="legend">
          <i class="p95" aria-hidden="true" />
          {say("chart.p95")} <b>{series.total.p95Ms === null ? "–" : sayDuration(series.total.p95Ms)}</b>
        </span>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  );
}
