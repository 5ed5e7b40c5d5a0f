export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const [width, height, left, bottom, top] = [720, 220, 56, 28, 14];

/** Lines over time as SVG, from nothing but numbers and names of our own. */
export function linePlot(title: string, unit: string, series: readonly Series[]): string {
  const points = series.flatMap((one) => one.points);
  const mostX = Math.max(1, ...points.map(([x]) => x));
  const mostY = niceTop(Math.max(...points.map(([, y]) => y), 0));
  const x = (value: number) => left + (value / mostX) * (width - left - 10);
  const y = (value: number) => height - bottom - (value / mostY) * (height - bottom - top);
  const lines = series.map(({ colour, points }) => {
    const places = points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`);
    const line = `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${places.join(" ")}"/>`;
    // A line needs two ends: of a shift of seconds there would be nothing to see.
    const dots = places.length > 3 ? [] : places.map((place) => dot(place, colour));
    return line + dots.join("");
  });
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = y(mostY * share).toFixed(1);
    return `<line x1="${left}" x2="${width - 10}" y1="${at}" y2="${at}" class="grid"/><text x="${left - 6}" y="${at}" text-anchor="end" dy="4">${short(mostY * share)}</text>`;
  });
  const legend = series.map(
    ({ name, colour }, index) =>
      `<rect x="${left + 8 + index * 110}" y="${top}" width="10" height="10" fill="${colour}"/><text x="${left + 22 + index * 110}" y="${top + 9}">${name}</text>`,
  );
  const ends = `<text x="${left}" y="${height - 8}">0 s</text><text x="${width - 10}" y="${height - 8}" text-anchor="end">${short(mostX)} s</text>`;
  return `<figure><figcaption>${title} (${unit})</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${[...grid, ...lines, ...legend, ends].join("")}</svg></figure>`;
}

const dot = (place: string, colour: string): string => {
  const [cx, cy] = place.split(",");
  return `<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`;
};

/** How many calls took how long, on an axis that grows by tens. */
export function histogramPlot(title: string, buckets: readonly { upToMs: number; count: number }[]): string {
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const logs = buckets.map(({ upToMs }) => Math.log10(upToMs));
  const [from, to] = [Math.floor(Math.min(0, ...logs)), Math.ceil(Math.max(1, ...logs))];
  const x = (value: number) => left + ((value - from) / (to - from)) * (width - left - 10);
  const barWidth = Math.max(1, x(from + Math.log10(1.05)) - x(from) - 0.5);
  const bars = buckets.map(({ upToMs, count }) => {
    const barHeight = (count / most) * (height - bottom - top);
    return `<rect x="${(x(Math.log10(upToMs)) - barWidth).toFixed(1)}" y="${(height - bottom - barHeight).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${barHeight.toFixed(1)}" fill="var(--mark)"/>`;
  });
  const marks = Array.from({ length: to - from + 1 }, (_, index) => {
    const at = x(from + index).toFixed(1);
    const text = `${short(10 ** (from + index))} ms`;
    // In the middle under the last line, half of it would be cut off at the edge of the picture.
    const label =
      index === to - from
        ? `<text x="${width - 1}" y="${height - 8}" text-anchor="end">${text}</text>`
        : `<text x="${at}" y="${height - 8}" text-anchor="middle">${text}</text>`;
    return `<line x1="${at}" x2="${at}" y1="${top}" y2="${height - bottom}" class="grid"/>${label}`;
  });
  return `<figure><figcaption>${title}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">${[...marks, ...bars].join("")}</svg></figure>`;
}

const niceTop = (most: number): number => {
  if (most <= 0) return 1;
  const tens = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * tens >= most) ?? 10) * tens;
};
const short = (value: number): string =>
  value >= 10 || value === 0 ? String(Math.round(value)) : String(Number(value.toFixed(2)));
