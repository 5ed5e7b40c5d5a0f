import { render } from "preact";
import { App } from "./app.tsx";
import { keepFocus } from "./focus.ts";
import { speakPreferred } from "./say.ts";
import "./style.css";

const place = document.getElementById("console");
if (place !== null) {
  keepFocus(place);
  // A page in English that changes its words while it is read would be worse than one that comes a little later.
  await speakPreferred();
  render(<App />, place);
}
