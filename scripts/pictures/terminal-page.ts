/** The lines of a terminal as an HTML page. */
export function terminalPage(lines: readonly string[]): string {
  const text = lines.join("\n").replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return `<!doctype html><meta charset="utf-8"><style>
body { margin:0; background:#12161c } pre { margin:1rem 1.25rem; color:#d7dde6; font:14px/1.35 "DejaVu Sans Mono",ui-monospace,monospace }
</style><pre>${text}</pre>`;
}
