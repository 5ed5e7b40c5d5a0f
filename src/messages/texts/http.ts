import type { Texts } from "../languages.ts";

/** What an external system with a web interface can do wrong, for the operator who waits for its answer. */
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
