import { render } from "preact";
import { App } from "./app.tsx";
import { keepFocus } from "./focus.ts";
import "./style.css";

const place = document.getElementById("console");
if (place !== null) {
  keepFocus(place);
  render(<App />, place);
}
