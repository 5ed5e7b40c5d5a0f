import { useEffect, useRef, useState } from "preact/hooks";
import { languages } from "../src/messages/languages.ts";
import { address, go, pathTo, routeUrl } from "./address.ts";
import { lostSince } from "./live.ts";
import { Connect } from "./pages/connect.tsx";
import { Connection } from "./pages/connection.tsx";
import { Deliveries } from "./pages/deliveries.tsx";
import { Floor } from "./pages/floor.tsx";
import { Import } from "./pages/import.tsx";
import { Order } from "./pages/order.tsx";
import { Orders } from "./pages/orders.tsx";
import { Overview } from "./pages/overview.tsx";
import { Quarantine } from "./pages/quarantine.tsx";
import { Settings } from "./pages/settings.tsx";
import { SignedIn, SignInForm, signedInPage } from "./pages/sign-in.tsx";
import { Wall } from "./pages/wall.tsx";
import { Dialog } from "./parts/dialog.tsx";
import { EntryPanel } from "./parts/entry-panel.tsx";
import { Link } from "./parts/link.tsx";
import { Empty, Guarded } from "./parts/resource.tsx";
import { isNewConnection } from "./parts/workshop/connection-form.ts";
import { language, remember, say, sayTime, speak, theme } from "./say.ts";
import { may, resumeSession, session, signOut, wasSignedIn } from "./session.ts";

const sections = [
  ...(["overview", "orders", "deliveries", "quarantine"] as const),
  ...(["import", "connect", "floor", "settings"] as const),
] as const;
/** Pages that a viewer cannot open: reading or changing the configuration needs a higher role. */
const forOperators: readonly string[] = ["import", "connect", "settings"];

export function App() {
  useEffect(() => {
    void resumeSession();
  }, []);
  const now = session.value;
  if (now === undefined) return <p class="loading">{say("state.loading")}</p>;
  if (now === null && !wasSignedIn.value) {
    return (
      <main class="front">
        <h1>{say("signIn.title")}</h1>
        <SignInForm />
        <Preferences />
      </main>
    );
  }
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        {say("nav.skip")}
      </button>
      {address.value.path[0] === "wall" ? null : <TopBar />}
      <main id="main" tabIndex={-1}>
        <Stale />
        <Guarded key={address.value.path.join("/")}>
          <Page />
        </Guarded>
      </main>
      {address.value.path[0] === "wall" ? null : (
        <footer class="foot">
          <a href={routeUrl("docs").href}>{say("nav.docs")}</a>
        </footer>
      )}
      {/* Shown over the page and not in place of it, so that text typed there is not lost. */}
      {now === null && address.value.path[0] !== "wall" ? (
        <Dialog title={say("signIn.again")}>
          <SignInForm isOverPage />
        </Dialog>
      ) : null}
    </>
  );
}

/** One line for the whole page: each part of it would say the same. The wall says it in its own large letters. */
function Stale() {
  const lost = lostSince.value;
  if (lost === null || address.value.path[0] === "wall") return null;
  return (
    <p class="stale" role="status">
      {say("state.stale", { time: sayTime(new Date(lost).toISOString()) })}
    </p>
  );
}

function TopBar() {
  const [first = "overview"] = address.value.path;
  const [isOpen, setOpen] = useState(false);
  const strip = useRef<HTMLElement>(null);
  // On a narrow screen the sections are one line that scrolls.
  useEffect(() => {
    const [nav, current] = [strip.current, strip.current?.querySelector<HTMLElement>("[aria-current]")];
    if (nav == null || current == null) return;
    const left = current.offsetLeft - nav.offsetLeft;
    // A piece of the one before it shows that there are more.
    nav.scrollLeft = left + current.offsetWidth > nav.clientWidth ? left - 40 : 0;
  }, [first]);
  return (
    <header class="top">
      <nav aria-label={say("nav.title")} ref={strip}>
        <span class="mark" aria-hidden="true">
          Crossdock
        </span>
        {sections.filter(isShown).map((one) => (
          <Link key={one} to={one === "overview" ? "" : one} isCurrent={first === one}>
            {say(`nav.${one}`)}
          </Link>
        ))}
      </nav>
      <search class="jump">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const text = new FormData(event.currentTarget).get("q");
            go(`${pathTo("orders")}?${new URLSearchParams({ q: String(text ?? "").trim() })}`);
          }}
        >
          <label>
            <span class="hidden">{say("nav.find")}</span>
            <input name="q" type="search" placeholder={say("nav.find")} />
          </label>
        </form>
      </search>
      <button
        type="button"
        class="account-button"
        aria-label={say("nav.account")}
        aria-expanded={isOpen}
        aria-controls="account"
        onClick={() => setOpen((before) => !before)}
      >
        {isOpen ? "✕" : "⋯"}
      </button>
      <div id="account" class={isOpen ? "account open" : "account"}>
        <Preferences />
        <Who />
      </div>
    </header>
  );
}

function Who() {
  const now = session.value;
  const [isRefused, setRefused] = useState(false);
  if (now == null) return null;
  return (
    <span class="who">
      {now.name} <span class="badge none">{say(`role.${now.role}`)}</span>
      <button
        type="button"
        class="small"
        onClick={() => {
          void signOut().then((isDone) => setRefused(!isDone));
        }}
      >
        {say("signIn.out")}
      </button>
      {isRefused ? (
        <span class="error" role="alert">
          {say("signIn.still")}
        </span>
      ) : null}
    </span>
  );
}

function Preferences() {
  return (
    <span class="preferences">
      <select
        aria-label={say("nav.language")}
        value={language.value}
        onChange={(event) => {
          const chosen = languages.find((one) => one === event.currentTarget.value) ?? "en";
          void speak(chosen);
          remember("language", chosen);
        }}
      >
        {languages.map((one) => (
          <option key={one} value={one}>
            {new Intl.DisplayNames(one, { type: "language" }).of(one)}
          </option>
        ))}
      </select>
      <select
        aria-label={say("nav.theme")}
        value={theme.value}
        onChange={(event) => {
          const { value } = event.currentTarget;
          theme.value = value === "light" || value === "dark" ? value : "auto";
          remember("theme", theme.value);
        }}
      >
        <option value="auto">{say("theme.auto")}</option>
        <option value="light">{say("theme.light")}</option>
        <option value="dark">{say("theme.dark")}</option>
      </select>
    </span>
  );
}

function Page() {
  const [first = "overview", second] = address.value.path;
  const title = titleOf(first, second);
  useEffect(() => {
    document.title = `${title} · Crossdock`;
  }, [title]);
  if (!isShown(first)) {
    return (
      <>
        <h1>{title}</h1>
        <div class="notice" role="alert">
          <h2>{say("state.forbidden")}</h2>
          <p>{say("state.askAdmin")}</p>
        </div>
      </>
    );
  }
  if (first === "overview") return <Overview />;
  if (first === "orders") return second === undefined ? <Orders /> : <Order key={second} number={second} />;
  if (first === "deliveries") return <Deliveries />;
  if (first === "entries" && second !== undefined) {
    return (
      <>
        <h1>
          {say("entry.title")} #{second}
        </h1>
        <EntryPanel key={second} seq={second} isPage />
      </>
    );
  }
  if (first === "quarantine") return <Quarantine />;
  if (first === "import") return <Import />;
  if (first === "connect") return second === undefined ? <Connect /> : <Connection key={second} name={second} />;
  if (first === "floor") return <Floor />;
  if (first === "settings") return <Settings />;
  if (first === "wall") return <Wall />;
  if (first === signedInPage) return <SignedIn />;
  return (
    <>
      <h1>{say("state.notFound")}</h1>
      <Empty text={say("state.noPage")} />
    </>
  );
}

/** The name of the tab in the browser, also of one among twenty. */
function titleOf(first: string, second: string | undefined): string {
  if (first === "entries" && second !== undefined) return `${say("entry.title")} #${second}`;
  if (first === "connect" && isNewConnection(second ?? "", address.value.query)) return say("connect.choose");
  if (second !== undefined) return second;
  const section = sections.find((one) => one === first);
  if (section !== undefined) return say(`nav.${section}`);
  if (first === "wall") return say("nav.wall");
  return say(first === signedInPage ? "signIn.done" : "state.notFound");
}

const isShown = (name: string) => may("operator") || !forOperators.includes(name);
