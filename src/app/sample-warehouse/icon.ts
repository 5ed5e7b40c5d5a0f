import { png } from "./png.ts";

/** Whether a point is part of the drawing; both coordinates run from -1 to 1, y downwards. */
export type Shape = (x: number, y: number) => boolean;
export type Colour = readonly [red: number, green: number, blue: number];

const size = 48;
/** Looked at per pixel and direction: edges become smooth without any drawing library. */
const samples = 3;

export const disc =
  (radius: number, x0 = 0, y0 = 0): Shape =>
  (x, y) =>
    Math.hypot(x - x0, y - y0) <= radius;
export const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x <= right && y >= top && y <= bottom;
export const both =
  (...shapes: readonly Shape[]): Shape =>
  (x, y) =>
    shapes.some((shape) => shape(x, y));
export const without =
  (shape: Shape, hole: Shape): Shape =>
  (x, y) =>
    shape(x, y) && !hole(x, y);
/** Turned clockwise by a number of degrees. */
export const turned = (shape: Shape, degrees: number): Shape => {
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  return (x, y) => shape(x * cos + y * sin, y * cos - x * sin);
};

const tile = both(
  box(-0.95, -0.7, 0.95, 0.7),
  box(-0.7, -0.95, 0.7, 0.95),
  disc(0.25, -0.7, -0.7),
  disc(0.25, 0.7, -0.7),
  disc(0.25, -0.7, 0.7),
  disc(0.25, 0.7, 0.7),
);

/** White drawings on coloured tiles, each as plain Base64 of a PNG file. */
export function icons(drawings: readonly { colour: Colour; shape: Shape }[]): string[] {
  const opacity = coverage(tile);
  return drawings.map(({ colour, shape }) => drawing(colour, coverage(shape), opacity));
}

function drawing(colour: Colour, ink: Float64Array, opacity: Float64Array): string {
  const pixels = new Uint8Array(size * size * 4);
  for (let at = 0; at < size * size; at++) {
    for (const [channel, value] of colour.entries()) {
      pixels[at * 4 + channel] = Math.round(value + (255 - value) * (ink[at] ?? 0));
    }
    pixels[at * 4 + 3] = Math.round(255 * (opacity[at] ?? 0));
  }
  return png({ width: size, height: size, pixels }).toString("base64");
}

/** How much of each pixel the shape fills, from 0 to 1. */
function coverage(shape: Shape): Float64Array {
  const filled = new Float64Array(size * size);
  const resolution = size * samples;
  for (let row = 0; row < resolution; row++) {
    const y = ((row + 0.5) / resolution) * 2 - 1;
    for (let column = 0; column < resolution; column++) {
      const x = ((column + 0.5) / resolution) * 2 - 1;
      if (!shape(x, y)) continue;
      const at = Math.floor(row / samples) * size + Math.floor(column / samples);
      filled[at] = (filled[at] ?? 0) + 1 / samples ** 2;
    }
  }
  return filled;
}
