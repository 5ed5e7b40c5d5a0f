import type { Texts } from "../languages.ts";

/** What can go wrong with an external system's web interface, for the operator who waits for its answer. */
export const httpTexts = {
  "http.unreadable": {
    en: "The connected system gave an answer that cannot be read. Please try again; if it stays, inform IT.",
    de: "Die Antwort des angebundenen Systems ist nicht lesbar. Bitte erneut versuchen; sonst die IT informieren.",
    fr: "La réponse du système connecté est illisible. Réessayez, sinon prévenez le service informatique.",
    it: "La risposta del sistema collegato non è leggibile. Riprovare; altrimenti avvisare l’IT.",
    es: "La respuesta del sistema conectado no se puede leer. Vuelva a intentarlo; si no, avise a informática.",
    nl: "Het antwoord van het gekoppelde systeem is onleesbaar. Probeer het opnieuw; waarschuw anders IT.",
    pl: "Nie można odczytać odpowiedzi podłączonego systemu. Spróbuj ponownie lub powiadom dział IT.",
  },
  "http.refused": {
    en: "The connected system refused this without a reason. Please inform IT.",
    de: "Das angebundene System hat dies ohne Begründung abgelehnt. Bitte die IT informieren.",
    fr: "Le système connecté a refusé sans donner de raison. Prévenez le service informatique.",
    it: "Il sistema collegato ha rifiutato senza indicare un motivo. Avvisare l’IT.",
    es: "El sistema conectado lo ha rechazado sin dar un motivo. Avise a informática.",
    nl: "Het gekoppelde systeem heeft dit zonder reden geweigerd. Waarschuw IT.",
    pl: "Podłączony system odrzucił to bez podania przyczyny. Powiadom dział IT.",
  },
  "http.endless": {
    en: "The connected system sends more than can be taken. Please inform IT; the settings need a look.",
    de: "Das angebundene System sendet mehr, als angenommen wird. Bitte die IT informieren; die Einstellungen müssen geprüft werden.",
    fr: "Le système connecté envoie plus que ce qui peut être accepté. Prévenez le service informatique ; les réglages sont à vérifier.",
    it: "Il sistema collegato invia più dati di quanti se ne possano accettare. Avvisare l’IT; le impostazioni vanno controllate.",
    es: "El sistema conectado envía más de lo que se puede aceptar. Avise a informática; hay que revisar los ajustes.",
    nl: "Het gekoppelde systeem stuurt meer dan kan worden aangenomen. Waarschuw IT; de instellingen moeten worden nagekeken.",
    pl: "Podłączony system wysyła więcej, niż można przyjąć. Powiadom dział IT; trzeba sprawdzić ustawienia.",
  },
} as const satisfies Record<string, Texts>;

/** What can go wrong with any request. The operator reads these on the device, so each says what to do next. */
export const generalTexts = {
  "general.internal": {
    en: "Something went wrong. Please try again; if it stays, tell IT the reference {reference}.",
    de: "Etwas ist schiefgegangen. Bitte erneut versuchen; bleibt es dabei, der IT die Referenz {reference} nennen.",
    fr: "Une erreur est survenue. Réessayez ; si elle persiste, donnez la référence {reference} au service informatique.",
    it: "Si è verificato un errore. Riprovare; se persiste, comunicare all’IT il riferimento {reference}.",
    es: "Algo ha fallado. Vuelva a intentarlo; si continúa, dé a informática la referencia {reference}.",
    nl: "Er ging iets mis. Probeer het opnieuw; blijft het zo, geef IT dan referentie {reference} door.",
    pl: "Wystąpił błąd. Spróbuj ponownie; jeśli się powtarza, podaj działowi IT numer {reference}.",
  },
  "general.not-offered": {
    en: "The connected system does not offer this function. Please ask IT to set it up.",
    de: "Das angebundene System bietet diese Funktion nicht. Bitte die IT um Einrichtung bitten.",
    fr: "Le système connecté ne propose pas cette fonction. Demandez au service informatique de la configurer.",
    it: "Il sistema collegato non offre questa funzione. Chiedere all’IT di configurarla.",
    es: "El sistema conectado no ofrece esta función. Pida a informática que la configure.",
    nl: "Het gekoppelde systeem biedt deze functie niet. Vraag IT om die in te richten.",
    pl: "Podłączony system nie oferuje tej funkcji. Poproś dział IT o jej skonfigurowanie.",
  },
  "general.unreachable": {
    en: "The connected system does not answer. Please try again in a minute; if it stays, inform IT.",
    de: "Das angebundene System antwortet nicht. Bitte in einer Minute erneut versuchen; sonst die IT informieren.",
    fr: "Le système connecté ne répond pas. Réessayez dans une minute, sinon prévenez le service informatique.",
    it: "Il sistema collegato non risponde. Riprovare tra un minuto; altrimenti avvisare l’IT.",
    es: "El sistema conectado no responde. Vuelva a intentarlo en un minuto; si no, avise a informática.",
    nl: "Het gekoppelde systeem antwoordt niet. Probeer het over een minuut opnieuw; waarschuw anders IT.",
    pl: "Podłączony system nie odpowiada. Spróbuj ponownie za minutę; w przeciwnym razie powiadom dział IT.",
  },
  "general.busy": {
    en: "Too much is going on at the moment. Please try again in a few seconds.",
    de: "Im Moment ist zu viel los. Bitte in ein paar Sekunden erneut versuchen.",
    fr: "Le système est surchargé pour l’instant. Réessayez dans quelques secondes.",
    it: "Il sistema è sovraccarico in questo momento. Riprovare tra qualche secondo.",
    es: "El sistema está saturado en este momento. Vuelva a intentarlo en unos segundos.",
    nl: "Het is op dit moment te druk. Probeer het over een paar seconden opnieuw.",
    pl: "System jest chwilowo przeciążony. Spróbuj ponownie za kilka sekund.",
  },
  "general.taking-over": {
    en: "Another server is taking over. Please try again in a few seconds.",
    de: "Ein anderer Server übernimmt gerade. Bitte in ein paar Sekunden erneut versuchen.",
    fr: "Un autre serveur prend le relais. Réessayez dans quelques secondes.",
    it: "Un altro server sta subentrando. Riprovare tra qualche secondo.",
    es: "Otro servidor está tomando el relevo. Vuelva a intentarlo en unos segundos.",
    nl: "Een andere server neemt het over. Probeer het over een paar seconden opnieuw.",
    pl: "Inny serwer przejmuje pracę. Spróbuj ponownie za kilka sekund.",
  },
  "general.not-stored": {
    en: "This was not saved. Please confirm it again; if it stays, inform IT (reference {reference}).",
    de: "Das wurde nicht gespeichert. Bitte erneut bestätigen; sonst die IT informieren (Referenz {reference}).",
    fr: "Ceci n’a pas été enregistré. Confirmez à nouveau, sinon prévenez le service informatique (référence {reference}).",
    it: "L’operazione non è stata salvata. Confermare di nuovo; altrimenti avvisare l’IT (riferimento {reference}).",
    es: "No se ha guardado. Confírmelo de nuevo; si no funciona, avise a informática (referencia {reference}).",
    nl: "Dit is niet opgeslagen. Bevestig het opnieuw; waarschuw anders IT (referentie {reference}).",
    pl: "Nie zapisano. Potwierdź ponownie; jeśli to nie pomoże, powiadom dział IT (numer {reference}).",
  },
  "general.disk-full": {
    en: "The adapter's disk is full, so nothing can be saved. Please tell IT; confirm again afterwards.",
    de: "Die Festplatte des Adapters ist voll, es kann nichts gespeichert werden. Bitte die IT informieren und danach erneut bestätigen.",
    fr: "Le disque de l’adaptateur est plein, rien ne peut être enregistré. Prévenez le service informatique, puis confirmez à nouveau.",
    it: "Il disco dell’adattatore è pieno, non si può salvare nulla. Avvisare l’IT e poi confermare di nuovo.",
    es: "El disco del adaptador está lleno y no se puede guardar nada. Avise a informática y confirme después de nuevo.",
    nl: "De schijf van de adapter is vol, er kan niets worden opgeslagen. Waarschuw IT en bevestig daarna opnieuw.",
    pl: "Dysk adaptera jest pełny, nic nie można zapisać. Powiadom dział IT, a potem potwierdź ponownie.",
  },
  "general.withheld": {
    en: "{count, plural, one {# work order is} other {# work orders are}} withheld because of wrong data: {numbers}. Please tell the office.",
    de: "{count, plural, one {# Auftrag wird} other {# Aufträge werden}} wegen falscher Daten zurückgehalten: {numbers}. Bitte dem Büro melden.",
    fr: "{count, plural, one {# ordre est retenu} other {# ordres sont retenus}} à cause de données erronées : {numbers}. Prévenez le bureau.",
    it: "{count, plural, one {# ordine è trattenuto} other {# ordini sono trattenuti}} per dati errati: {numbers}. Avvisare l’ufficio.",
    es: "{count, plural, one {# orden está retenida} other {# órdenes están retenidas}} por datos incorrectos: {numbers}. Avise a la oficina.",
    nl: "{count, plural, one {# order wordt} other {# orders worden}} achtergehouden wegens foute gegevens: {numbers}. Meld het aan kantoor.",
    pl: "{count, plural, one {Wstrzymano # zlecenie} few {Wstrzymano # zlecenia} many {Wstrzymano # zleceń} other {Wstrzymano # zlecenia}} z powodu błędnych danych: {numbers}. Proszę zgłosić to w biurze.",
  },
} as const satisfies Record<string, Texts>;

/** Texts for a request body that cannot be read at all. Problems inside a readable body are in `input.ts`. */
export const unreadableBodyTexts = {
  "input.json": {
    en: "The request body is not valid JSON; see position {detail}.",
    de: "Der Inhalt der Anfrage ist kein gültiges JSON; siehe Position {detail}.",
    fr: "Le corps de la requête n’est pas du JSON valide ; voir la position {detail}.",
    it: "Il corpo della richiesta non è JSON valido; vedere la posizione {detail}.",
    es: "El cuerpo de la petición no es JSON válido; véase la posición {detail}.",
    nl: "De inhoud van het verzoek is geen geldige JSON; zie positie {detail}.",
    pl: "Treść żądania nie jest poprawnym JSON; patrz pozycja {detail}.",
  },
  "input.utf-8": {
    en: "The request body is not UTF-8 text; send it in that encoding.",
    de: "Der Inhalt der Anfrage ist kein UTF-8-Text; bitte in dieser Kodierung senden.",
    fr: "Le corps de la requête n’est pas un texte UTF-8 ; l’envoyer dans cet encodage.",
    it: "Il corpo della richiesta non è testo UTF-8; inviarlo in questa codifica.",
    es: "El cuerpo de la petición no es texto UTF-8; envíelo en esa codificación.",
    nl: "De inhoud van het verzoek is geen UTF-8-tekst; stuur die in deze codering.",
    pl: "Treść żądania nie jest tekstem UTF-8; należy wysłać ją w tym kodowaniu.",
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
