/** The counts of one span of time. */
export interface Figure {
  /** Beginning of the span, in milliseconds since 1970. */
  readonly at: number;
  readonly answers: number;
  /** How many of these answers were not a success. */
  readonly refusals: number;
  readonly pushes: number;
  readonly delivered: number;
  /** Attempts that did not deliver. */
  readonly failed: number;
  /** Answers by duration; see `durationBounds`. */
  readonly durations: readonly number[];
}

/** Upper bounds in milliseconds. There is one more count than bounds: the answers above all of them. */
export const durationBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000] as const;

export const figureRanges = ["15m", "24h", "7d"] as const;
export type FigureRange = (typeof figureRanges)[number];

/** A point of a chart. */
export interface FigurePoint {
  readonly at: string;
  readonly answers: number;
  readonly refusals: number;
  readonly pushes: number;
  readonly delivered: number;
  readonly failed: number;
  /** Half of the answers took at most this long, and 95 of 100; null without answers. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface FigureSeries {
  readonly range: FigureRange;
  readonly secondsPerPoint: number;
  readonly points: readonly FigurePoint[];
  /** The whole range as one point. */
  readonly total: FigurePoint;
}

export const emptyFigure = (at: number): Figure => ({
  ...{ at, answers: 0, refusals: 0, pushes: 0, delivered: 0, failed: 0 },
  durations: durationBounds.map(() => 0).concat(0),
});

export const sumFigures = (at: number, figures: readonly Figure[]): Figure =>
  figures.reduce(
    (sum, one) => ({
      at,
      answers: sum.answers + one.answers,
      refusals: sum.refusals + one.refusals,
      pushes: sum.pushes + one.pushes,
      delivered: sum.delivered + one.delivered,
      failed: sum.failed + one.failed,
      durations: sum.durations.map((count, index) => count + (one.durations[index] ?? 0)),
    }),
    emptyFigure(at),
  );

export function figurePoint({ at, durations, ...counts }: Figure): FigurePoint {
  return { at: new Date(at).toISOString(), ...counts, p50Ms: share(durations, 0.5), p95Ms: share(durations, 0.95) };
}

/** Returns the lowest bound that this share of the answers did not exceed. */
function share(durations: readonly number[], part: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  const place = durations.findIndex((count) => {
    below += count;
    return below >= total * part;
  });
  return durationBounds[place] ?? durationBounds[durationBounds.length - 1] ?? null;
}
