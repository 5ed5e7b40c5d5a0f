/** One coloured dot as a GIF file, which is small enough to be written down by hand. */
export function picture(itemNumber: string): Buffer {
  const colour = Number.parseInt(itemNumber.replace(/\D/g, "").slice(-6) || "0", 10) * 2654435761;
  const head = [...Buffer.from("GIF89a"), 1, 0, 1, 0, 0x80, 0, 0];
  const palette = [colour & 255, (colour >>> 8) & 255, (colour >>> 16) & 255, 0, 0, 0];
  return Buffer.from([...head, ...palette, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b]);
}
