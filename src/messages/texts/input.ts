import { type Language, languages, type Texts } from "../languages.ts";

/**
 * What is wrong with an input, member by member: `requests[0].itemNumber: must be text, not 12`.
 * Values: `field` (a path; left empty it is the whole body), `detail` (what is allowed), `found` (may be left out).
 */
const subject: Texts = {
  en: "{field, select, _absent {Request body} other {{field}}}: ",
  de: "{field, select, _absent {Inhalt der Anfrage} other {{field}}}: ",
  fr: "{field, select, _absent {Corps de la requête} other {{field}}} : ",
  it: "{field, select, _absent {Corpo della richiesta} other {{field}}}: ",
  es: "{field, select, _absent {Cuerpo de la petición} other {{field}}}: ",
  nl: "{field, select, _absent {Inhoud van het verzoek} other {{field}}}: ",
  pl: "{field, select, _absent {Treść żądania} other {{field}}}: ",
};

const instead: Texts = {
  en: "{found, select, _absent {} other {, not {found}}}",
  de: "{found, select, _absent {} other {, nicht {found}}}",
  fr: "{found, select, _absent {} other {, pas {found}}}",
  it: "{found, select, _absent {} other {, non {found}}}",
  es: "{found, select, _absent {} other {, no {found}}}",
  nl: "{found, select, _absent {} other {, niet {found}}}",
  pl: "{found, select, _absent {} other {, a nie {found}}}",
};

const inEach = (write: (language: Language) => string): Texts =>
  // Built from the list of languages itself, so every language is there.
  Object.fromEntries(languages.map((language) => [language, write(language)])) as Texts;

const about = (texts: Texts): Texts => inEach((language) => subject[language] + texts[language]);
const aboutFound = (texts: Texts): Texts =>
  inEach((language) => subject[language] + texts[language] + instead[language]);

export const inputTexts = {
  "input.text": aboutFound({
    en: "must be text in quotes",
    de: "muss ein Text in Anführungszeichen sein",
    fr: "doit être un texte entre guillemets",
    it: "deve essere un testo tra virgolette",
    es: "debe ser un texto entre comillas",
    nl: "moet een tekst tussen aanhalingstekens zijn",
    pl: "wymagany tekst w cudzysłowie",
  }),
  "input.filled-text": about({
    en: "must not be empty",
    de: "darf nicht leer sein",
    fr: "ne doit pas être vide",
    it: "non deve essere vuoto",
    es: "no debe estar vacío",
    nl: "mag niet leeg zijn",
    pl: "nie może być puste",
  }),
  "input.whole-number": aboutFound({
    en: "must be a whole number",
    de: "muss eine ganze Zahl sein",
    fr: "doit être un nombre entier",
    it: "deve essere un numero intero",
    es: "debe ser un número entero",
    nl: "moet een geheel getal zijn",
    pl: "wymagana liczba całkowita",
  }),
  "input.number": aboutFound({
    en: "must be a number",
    de: "muss eine Zahl sein",
    fr: "doit être un nombre",
    it: "deve essere un numero",
    es: "debe ser un número",
    nl: "moet een getal zijn",
    pl: "wymagana liczba",
  }),
  "input.flag": aboutFound({
    en: "must be true or false",
    de: "muss true oder false sein",
    fr: "doit être true ou false",
    it: "deve essere true o false",
    es: "debe ser true o false",
    nl: "moet true of false zijn",
    pl: "wymagane true lub false",
  }),
  "input.list": aboutFound({
    en: "must be a list [ … ]",
    de: "muss eine Liste [ … ] sein",
    fr: "doit être une liste [ … ]",
    it: "deve essere un elenco [ … ]",
    es: "debe ser una lista [ … ]",
    nl: "moet een lijst [ … ] zijn",
    pl: "wymagana lista [ … ]",
  }),
  "input.filled-list": about({
    en: "needs at least one element",
    de: "braucht mindestens ein Element",
    fr: "doit contenir au moins un élément",
    it: "deve contenere almeno un elemento",
    es: "debe contener al menos un elemento",
    nl: "moet minstens één element bevatten",
    pl: "wymagany co najmniej jeden element",
  }),
  "input.object": aboutFound({
    en: "must be a JSON object",
    de: "muss ein JSON-Objekt sein",
    fr: "doit être un objet JSON",
    it: "deve essere un oggetto JSON",
    es: "debe ser un objeto JSON",
    nl: "moet een JSON-object zijn",
    pl: "wymagany obiekt JSON",
  }),
  "input.present": about({
    en: "is missing; please add it",
    de: "fehlt; bitte ergänzen",
    fr: "manque ; à compléter",
    it: "manca; da aggiungere",
    es: "falta; hay que añadirlo",
    nl: "ontbreekt; vul dit aan",
    pl: "brak wartości; należy ją dodać",
  }),
  "input.one-of": aboutFound({
    en: "must be one of {detail}",
    de: "muss einer dieser Werte sein: {detail}",
    fr: "doit être l’une de ces valeurs : {detail}",
    it: "deve essere uno di questi valori: {detail}",
    es: "debe ser uno de estos valores: {detail}",
    nl: "moet een van deze waarden zijn: {detail}",
    pl: "dozwolone wartości: {detail}",
  }),
  "input.at-least": aboutFound({
    en: "must be {detail} or more",
    de: "muss mindestens {detail} sein",
    fr: "doit être au moins {detail}",
    it: "deve essere almeno {detail}",
    es: "debe ser como mínimo {detail}",
    nl: "moet minstens {detail} zijn",
    pl: "musi wynosić co najmniej {detail}",
  }),
  "input.one-member-of": about({
    en: "needs at least one of these members: {detail}",
    de: "braucht mindestens eine dieser Angaben: {detail}",
    fr: "doit contenir au moins un de ces champs : {detail}",
    it: "deve contenere almeno uno di questi campi: {detail}",
    es: "debe contener al menos uno de estos campos: {detail}",
    nl: "moet minstens een van deze velden bevatten: {detail}",
    pl: "wymagane co najmniej jedno z pól: {detail}",
  }),
  "input.valid": about({
    en: "is not accepted{found, select, _absent {} other {: {found}}} ({detail}); please correct it",
    de: "wird nicht angenommen{found, select, _absent {} other {: {found}}} ({detail}); bitte korrigieren",
    fr: "n’est pas accepté{found, select, _absent {} other { : {found}}} ({detail}) ; à corriger",
    it: "non è accettato{found, select, _absent {} other {: {found}}} ({detail}); da correggere",
    es: "no se acepta{found, select, _absent {} other {: {found}}} ({detail}); hay que corregirlo",
    nl: "wordt niet geaccepteerd{found, select, _absent {} other {: {found}}} ({detail}); verbeter dit",
    pl: "wartość niedozwolona{found, select, _absent {} other {: {found}}} ({detail}); należy ją poprawić",
  }),
  "input.date": aboutFound({
    en: "must be a date or date-time such as 2026-03-01T08:00:00+01:00",
    de: "muss ein Datum oder ein Zeitpunkt sein, z. B. 2026-03-01T08:00:00+01:00",
    fr: "doit être une date ou une date avec heure, par ex. 2026-03-01T08:00:00+01:00",
    it: "deve essere una data o una data con ora, ad es. 2026-03-01T08:00:00+01:00",
    es: "debe ser una fecha o una fecha con hora, p. ej. 2026-03-01T08:00:00+01:00",
    nl: "moet een datum of tijdstip zijn, bijv. 2026-03-01T08:00:00+01:00",
    pl: "wymagana data lub data z godziną, np. 2026-03-01T08:00:00+01:00",
  }),
  "input.image": about({
    en: "must be the plain Base64 of a PNG, JPEG, WebP or GIF image",
    de: "muss ein PNG-, JPEG-, WebP- oder GIF-Bild als reines Base64 sein",
    fr: "doit être une image PNG, JPEG, WebP ou GIF en Base64 simple",
    it: "deve essere un’immagine PNG, JPEG, WebP o GIF in Base64 semplice",
    es: "debe ser una imagen PNG, JPEG, WebP o GIF en Base64 simple",
    nl: "moet een PNG-, JPEG-, WebP- of GIF-afbeelding als kale Base64 zijn",
    pl: "wymagany obraz PNG, JPEG, WebP lub GIF jako czysty Base64",
  }),
  "input.unique": about({
    en: "another element bears this number with other content ({detail}); send one of them",
    de: "ein anderes Element trägt diese Nummer mit anderem Inhalt ({detail}); nur eines senden",
    fr: "un autre élément porte ce numéro avec un autre contenu ({detail}) ; n’en envoyer qu’un",
    it: "un altro elemento ha questo numero con un contenuto diverso ({detail}); inviarne uno solo",
    es: "otro elemento lleva este número con otro contenido ({detail}); enviar solo uno",
    nl: "een ander element heeft dit nummer met andere inhoud ({detail}); stuur er maar één",
    pl: "inny element ma ten numer z inną treścią ({detail}); należy wysłać tylko jeden",
  }),
  "input.duplicate-member": about({
    en: "is given twice; keep one",
    de: "ist doppelt angegeben; nur eine Angabe stehen lassen",
    fr: "est indiqué deux fois ; n’en garder qu’un",
    it: "è indicato due volte; lasciarne uno solo",
    es: "aparece dos veces; hay que dejar solo uno",
    nl: "staat er dubbel; laat er één staan",
    pl: "podano dwukrotnie; należy zostawić jedno",
  }),
  "input.json": {
    en: "The request body is not valid JSON; see position {detail}.",
    de: "Der Inhalt der Anfrage ist kein gültiges JSON; siehe Position {detail}.",
    fr: "Le corps de la requête n’est pas du JSON valide ; voir la position {detail}.",
    it: "Il corpo della richiesta non è JSON valido; vedere la posizione {detail}.",
    es: "El cuerpo de la petición no es JSON válido; véase la posición {detail}.",
    nl: "De inhoud van het verzoek is geen geldige JSON; zie positie {detail}.",
    pl: "Treść żądania nie jest poprawnym JSON; patrz pozycja {detail}.",
  },
  "input.depth": {
    en: "The request body is nested more than {detail} levels deep; please flatten it.",
    de: "Der Inhalt der Anfrage ist tiefer als {detail} Ebenen verschachtelt; bitte flacher aufbauen.",
    fr: "Le corps de la requête est imbriqué sur plus de {detail} niveaux ; réduire l’imbrication.",
    it: "Il corpo della richiesta ha più di {detail} livelli annidati; ridurre la profondità.",
    es: "El cuerpo de la petición tiene más de {detail} niveles anidados; hay que reducirlos.",
    nl: "De inhoud van het verzoek is meer dan {detail} niveaus diep genest; maak die vlakker.",
    pl: "Treść żądania ma więcej niż {detail} poziomów zagnieżdżenia; należy je ograniczyć.",
  },
} as const satisfies Record<string, Texts>;
