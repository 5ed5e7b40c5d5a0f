import type { Texts } from "../languages.ts";

/** While the connected system is silent. The operator is to go on working, and to know how old the data is. */
export const islandTexts = {
  "island.orders": {
    en: "The connected system does not answer. These are the orders as of {time}; go on working, confirmations are kept.",
    de: "Das angebundene System antwortet nicht. Dies sind die Aufträge mit Stand {time}; bitte weiterarbeiten, Bestätigungen bleiben gespeichert.",
    fr: "Le système connecté ne répond pas. Voici les commandes (données : {time}) ; continuez, les confirmations sont conservées.",
    it: "Il sistema collegato non risponde. Questi sono gli ordini (dati: {time}); continuare, le conferme vengono conservate.",
    es: "El sistema conectado no responde. Estos son los pedidos (datos: {time}); siga trabajando, las confirmaciones se guardan.",
    nl: "Het gekoppelde systeem antwoordt niet. Dit zijn de orders (stand: {time}); werk door, bevestigingen blijven bewaard.",
    pl: "Podłączony system nie odpowiada. To zlecenia według stanu z {time}; pracuj dalej, potwierdzenia są zapisywane.",
  },
  "island.order": {
    en: "The connected system does not answer. Order {number} is shown as of {time}; go on working, confirmations are kept.",
    de: "Das angebundene System antwortet nicht. Auftrag {number} wird mit Stand {time} gezeigt; bitte weiterarbeiten, Bestätigungen bleiben gespeichert.",
    fr: "Le système connecté ne répond pas. Voici la commande {number} (données : {time}) ; continuez, les confirmations sont conservées.",
    it: "Il sistema collegato non risponde. Ecco l’ordine {number} (dati: {time}); continuare, le conferme vengono conservate.",
    es: "El sistema conectado no responde. Este es el pedido {number} (datos: {time}); siga trabajando, las confirmaciones se guardan.",
    nl: "Het gekoppelde systeem antwoordt niet. Dit is order {number} (stand: {time}); werk door, bevestigingen blijven bewaard.",
    pl: "Podłączony system nie odpowiada. Zlecenie {number} pokazano według stanu z {time}; pracuj dalej, potwierdzenia są zapisywane.",
  },
  "island.item": {
    en: "The connected system does not answer. Item {number} is shown as of {time}.",
    de: "Das angebundene System antwortet nicht. Artikel {number} wird mit Stand {time} gezeigt.",
    fr: "Le système connecté ne répond pas. Voici l’article {number} (données : {time}).",
    it: "Il sistema collegato non risponde. Ecco l’articolo {number} (dati: {time}).",
    es: "El sistema conectado no responde. Este es el artículo {number} (datos: {time}).",
    nl: "Het gekoppelde systeem antwoordt niet. Dit is artikel {number} (stand: {time}).",
    pl: "Podłączony system nie odpowiada. Artykuł {number} pokazano według stanu z {time}.",
  },
  "island.unknown-code": {
    en: "The connected system does not answer, and {code} is not among the orders known here. Take another order, or scan again in a minute.",
    de: "Das angebundene System antwortet nicht, und {code} ist nicht unter den hier bekannten Aufträgen. Bitte einen anderen Auftrag nehmen oder in einer Minute erneut scannen.",
    fr: "Le système connecté ne répond pas et {code} ne figure pas parmi les commandes connues ici. Prenez une autre commande ou scannez à nouveau dans une minute.",
    it: "Il sistema collegato non risponde e {code} non è tra gli ordini noti qui. Prendere un altro ordine o scansionare di nuovo tra un minuto.",
    es: "El sistema conectado no responde y {code} no está entre los pedidos conocidos aquí. Tome otro pedido o escanee de nuevo en un minuto.",
    nl: "Het gekoppelde systeem antwoordt niet en {code} is hier niet bekend. Neem een andere order of scan over een minuut opnieuw.",
    pl: "Podłączony system nie odpowiada, a {code} nie ma wśród znanych tu zleceń. Weź inne zlecenie lub zeskanuj ponownie za minutę.",
  },
} as const satisfies Record<string, Texts>;
