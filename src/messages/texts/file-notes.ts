import type { Language, Texts } from "../languages.ts";

/** Why the encoding of a file cannot be determined for certain, and what to do about it. */
export const fileEncodingTexts = {
  "files.encoding.unsure": {
    en: "It is not certain which encoding this file is written in; it could be: {candidates}. Save it as UTF-8, or set files.encoding to the right one.",
    de: "Die Zeichencodierung der Datei ist nicht sicher zu erkennen; möglich sind: {candidates}. Bitte als UTF-8 speichern oder files.encoding richtig einstellen.",
    fr: "L’encodage de ce fichier n’est pas certain ; possibles : {candidates}. Enregistrez-le en UTF-8 ou indiquez le bon dans files.encoding.",
    it: "La codifica di questo file non è certa; possibili: {candidates}. Salvarlo in UTF-8 o impostare quella giusta in files.encoding.",
    es: "La codificación de este archivo no es segura; posibles: {candidates}. Guárdelo como UTF-8 o fije la correcta en files.encoding.",
    nl: "Het is niet zeker in welke codering dit bestand is geschreven; mogelijk: {candidates}. Sla het op als UTF-8 of stel de juiste in bij files.encoding.",
    pl: "Nie ma pewności, w jakim kodowaniu zapisano plik; możliwe: {candidates}. Zapisz go jako UTF-8 albo ustaw właściwe w files.encoding.",
  },
  "files.encoding.invalid": {
    en: "Row {row} has bytes that are no characters in {encoding} (at “{sample}”). The file is damaged or is written in another encoding; export it anew as UTF-8.",
    de: "Zeile {row} enthält Bytes, die in {encoding} keine Zeichen sind (bei „{sample}“). Die Datei ist beschädigt oder anders codiert; bitte neu als UTF-8 exportieren.",
    fr: "La ligne {row} contient des octets qui ne sont pas des caractères en {encoding} (près de « {sample} »). Le fichier est endommagé ou encodé autrement ; exportez-le à nouveau en UTF-8.",
    it: "La riga {row} contiene byte che in {encoding} non sono caratteri (vicino a «{sample}»). Il file è danneggiato o ha un’altra codifica; esportarlo di nuovo in UTF-8.",
    es: "La fila {row} contiene bytes que no son caracteres en {encoding} (cerca de «{sample}»). El archivo está dañado o tiene otra codificación; expórtelo de nuevo como UTF-8.",
    nl: "Rij {row} bevat bytes die in {encoding} geen tekens zijn (bij “{sample}”). Het bestand is beschadigd of anders gecodeerd; exporteer het opnieuw als UTF-8.",
    pl: "Wiersz {row} zawiera bajty, które w {encoding} nie są znakami (przy „{sample}”). Plik jest uszkodzony albo ma inne kodowanie; wyeksportuj go ponownie jako UTF-8.",
  },
  "files.encoding.mixed": {
    en: "The file mixes two encodings: row {row} is UTF-8 (“{sample}”), row {otherRow} is not (rather {other}). It was probably put together from two files; export it anew as UTF-8.",
    de: "Die Datei mischt zwei Zeichencodierungen: Zeile {row} ist UTF-8 („{sample}“), Zeile {otherRow} nicht (eher {other}). Vermutlich wurden zwei Dateien zusammengefügt; bitte neu als UTF-8 exportieren.",
    fr: "Le fichier mélange deux encodages : la ligne {row} est en UTF-8 (« {sample} »), la ligne {otherRow} non (plutôt {other}). Deux fichiers ont sans doute été réunis ; exportez-le à nouveau en UTF-8.",
    it: "Il file mescola due codifiche: la riga {row} è in UTF-8 («{sample}»), la riga {otherRow} no (piuttosto {other}). Probabilmente è l’unione di due file; esportarlo di nuovo in UTF-8.",
    es: "El archivo mezcla dos codificaciones: la fila {row} es UTF-8 («{sample}»), la fila {otherRow} no (más bien {other}). Probablemente se unieron dos archivos; expórtelo de nuevo como UTF-8.",
    nl: "Het bestand mengt twee coderingen: rij {row} is UTF-8 (“{sample}”), rij {otherRow} niet (eerder {other}). Waarschijnlijk zijn twee bestanden samengevoegd; exporteer het opnieuw als UTF-8.",
    pl: "Plik miesza dwa kodowania: wiersz {row} jest w UTF-8 („{sample}”), wiersz {otherRow} nie (raczej {other}). Prawdopodobnie połączono dwa pliki; wyeksportuj go ponownie jako UTF-8.",
  },
  "files.encoding.lost-letter": {
    en: "Row {row} holds the sign � in place of a letter (“{sample}”): a program lost it before. Export the file anew from where it comes.",
    de: "Zeile {row} enthält das Zeichen � anstelle eines Buchstabens („{sample}“): Ein Programm hat ihn vorher verloren. Bitte an der Quelle neu exportieren.",
    fr: "La ligne {row} contient le signe � à la place d’une lettre (« {sample} ») : un programme l’a perdue auparavant. Exportez à nouveau le fichier depuis la source.",
    it: "La riga {row} contiene il segno � al posto di una lettera («{sample}»): un programma l’ha persa prima. Esportare di nuovo il file dall’origine.",
    es: "La fila {row} contiene el signo � en lugar de una letra («{sample}»): un programa la perdió antes. Exporte el archivo de nuevo desde el origen.",
    nl: "Rij {row} bevat het teken � in plaats van een letter (“{sample}”): een programma is die eerder kwijtgeraakt. Exporteer het bestand opnieuw bij de bron.",
    pl: "Wiersz {row} zawiera znak � zamiast litery („{sample}”): wcześniej utracił ją jakiś program. Wyeksportuj plik ponownie ze źródła.",
  },
  "files.encoding.utf7": {
    en: "This file is written in UTF-7: row {row} has “{found}” where “{meant}” is meant. Save it as UTF-8, or set files.encoding if the signs are meant as they are.",
    de: "Diese Datei ist in UTF-7 geschrieben: Zeile {row} enthält „{found}“ statt „{meant}“. Bitte als UTF-8 speichern, oder files.encoding einstellen, falls die Zeichen so gemeint sind.",
    fr: "Ce fichier est écrit en UTF-7 : la ligne {row} contient « {found} » au lieu de « {meant} ». Enregistrez-le en UTF-8, ou indiquez files.encoding si ces signes sont voulus.",
    it: "Questo file è scritto in UTF-7: la riga {row} contiene «{found}» invece di «{meant}». Salvarlo in UTF-8, o impostare files.encoding se i segni sono voluti.",
    es: "Este archivo está escrito en UTF-7: la fila {row} contiene «{found}» en lugar de «{meant}». Guárdelo como UTF-8, o fije files.encoding si los signos son intencionados.",
    nl: "Dit bestand is in UTF-7 geschreven: rij {row} bevat “{found}” waar “{meant}” bedoeld is. Sla het op als UTF-8, of stel files.encoding in als de tekens zo bedoeld zijn.",
    pl: "Ten plik zapisano w UTF-7: wiersz {row} zawiera „{found}” zamiast „{meant}”. Zapisz go jako UTF-8 albo ustaw files.encoding, jeśli te znaki są zamierzone.",
  },
  "files.encoding.twice": {
    en: "The letters of this file were converted to UTF-8 twice: row {row} has “{found}” where “{meant}” is meant (“{sample}”). Export it anew, with the right encoding chosen.",
    de: "Die Buchstaben dieser Datei wurden zweimal nach UTF-8 umgewandelt: Zeile {row} enthält „{found}“ statt „{meant}“ („{sample}“). Bitte mit der richtigen Codierung neu exportieren.",
    fr: "Les lettres de ce fichier ont été converties deux fois en UTF-8 : la ligne {row} contient « {found} » au lieu de « {meant} » (« {sample} »). Exportez-le à nouveau avec le bon encodage.",
    it: "Le lettere di questo file sono state convertite due volte in UTF-8: la riga {row} contiene «{found}» invece di «{meant}» («{sample}»). Esportarlo di nuovo con la codifica giusta.",
    es: "Las letras de este archivo se convirtieron dos veces a UTF-8: la fila {row} contiene «{found}» en lugar de «{meant}» («{sample}»). Expórtelo de nuevo con la codificación correcta.",
    nl: "De letters van dit bestand zijn twee keer naar UTF-8 omgezet: rij {row} bevat “{found}” waar “{meant}” bedoeld is (“{sample}”). Exporteer het opnieuw met de juiste codering.",
    pl: "Litery w tym pliku przekształcono na UTF-8 dwukrotnie: wiersz {row} zawiera „{found}” zamiast „{meant}” („{sample}”). Wyeksportuj go ponownie z właściwym kodowaniem.",
  },
} as const satisfies Record<string, Texts>;

interface Notes {
  readonly leftOut: string;
  readonly unused: string;
  readonly dates: string;
  readonly skipped: string;
  readonly split: string;
  readonly float: string;
  readonly alike: string;
}

/** Notes about a file that was read. Nothing in it is wrong, but it may not be what was meant. */
const notes: Readonly<Record<Language, Notes>> = {
  en: {
    leftOut: "one {# row was} other {# rows were}} left out by “where”.",
    unused: "Columns not used: {columns}.",
    dates: "Dates such as {date} were read with the day first ({dateRead}).",
    skipped:
      "Row {skippedRow}: the time {skipped} does not exist, because clocks go forward over it; it was read as {skippedRead}. Write another time, or an offset such as +01:00, if that is wrong.",
    split:
      "Row {splitRow}: {split} was read as two cells ({splitColumns}); put it in quotation marks if it is one number.",
    float:
      "Every number in column {floatColumn} ends like {float}: a program has written them as decimal numbers; export the column as text if that is wrong.",
    alike:
      "“{alike}” is written in two ways that look the same but are different characters (composed and decomposed letters); they were read as two different numbers.",
  },
  de: {
    leftOut: "one {# Zeile wurde} other {# Zeilen wurden}} durch „where“ ausgelassen.",
    unused: "Nicht verwendete Spalten: {columns}.",
    dates: "Datumsangaben wie {date} wurden mit dem Tag zuerst gelesen ({dateRead}).",
    skipped:
      "Zeile {skippedRow}: Die Zeit {skipped} gibt es nicht, weil die Uhren darüber vorgestellt werden; sie wurde als {skippedRead} gelesen. Bitte eine andere Zeit oder einen Versatz wie +01:00 schreiben, wenn das falsch ist.",
    split:
      "Zeile {splitRow}: {split} wurde als zwei Zellen gelesen ({splitColumns}); bitte in Anführungszeichen setzen, wenn es eine Zahl ist.",
    float:
      "Alle Nummern der Spalte {floatColumn} enden wie {float}: Ein Programm hat sie als Dezimalzahlen geschrieben; bitte die Spalte als Text exportieren, wenn das falsch ist.",
    alike:
      "„{alike}“ ist auf zwei Arten geschrieben, die gleich aussehen, aber verschiedene Zeichen sind (zusammengesetzte und zerlegte Buchstaben); sie wurden als zwei verschiedene Nummern gelesen.",
  },
  fr: {
    leftOut: "one {# ligne écartée} other {# lignes écartées}} par « where ».",
    unused: "Colonnes non utilisées : {columns}.",
    dates: "Les dates comme {date} ont été lues avec le jour en premier ({dateRead}).",
    skipped:
      "Ligne {skippedRow} : l’heure {skipped} n’existe pas, car les horloges la sautent ; elle a été lue comme {skippedRead}. Écrivez une autre heure ou un décalage comme +01:00 si c’est faux.",
    split:
      "Ligne {splitRow} : {split} a été lu comme deux cellules ({splitColumns}) ; mettez-le entre guillemets si c’est un seul nombre.",
    float:
      "Tous les numéros de la colonne {floatColumn} finissent comme {float} : un programme les a écrits comme nombres décimaux ; exportez la colonne comme texte si c’est faux.",
    alike:
      "« {alike} » est écrit de deux façons qui se ressemblent mais sont des caractères différents (lettres composées et décomposées) ; elles ont été lues comme deux numéros différents.",
  },
  it: {
    leftOut: "one {# riga esclusa} other {# righe escluse}} da «where».",
    unused: "Colonne non usate: {columns}.",
    dates: "Le date come {date} sono state lette con il giorno per primo ({dateRead}).",
    skipped:
      "Riga {skippedRow}: l’ora {skipped} non esiste, perché gli orologi la saltano; è stata letta come {skippedRead}. Scrivere un’altra ora o uno scarto come +01:00 se è sbagliato.",
    split:
      "Riga {splitRow}: {split} è stato letto come due celle ({splitColumns}); metterlo tra virgolette se è un solo numero.",
    float:
      "Tutti i numeri della colonna {floatColumn} finiscono come {float}: un programma li ha scritti come numeri decimali; esportare la colonna come testo se è sbagliato.",
    alike:
      "«{alike}» è scritto in due modi che sembrano uguali ma sono caratteri diversi (lettere composte e scomposte); sono stati letti come due numeri diversi.",
  },
  es: {
    leftOut: "one {# fila omitida} other {# filas omitidas}} por «where».",
    unused: "Columnas no usadas: {columns}.",
    dates: "Las fechas como {date} se leyeron con el día primero ({dateRead}).",
    skipped:
      "Fila {skippedRow}: la hora {skipped} no existe, porque los relojes la saltan; se leyó como {skippedRead}. Escriba otra hora o un desfase como +01:00 si no es correcto.",
    split:
      "Fila {splitRow}: {split} se leyó como dos celdas ({splitColumns}); póngalo entre comillas si es un solo número.",
    float:
      "Todos los números de la columna {floatColumn} terminan como {float}: un programa los escribió como decimales; exporte la columna como texto si no es correcto.",
    alike:
      "«{alike}» está escrito de dos formas que parecen iguales pero son caracteres distintos (letras compuestas y descompuestas); se leyeron como dos números distintos.",
  },
  nl: {
    leftOut: "one {# rij is} other {# rijen zijn}} weggelaten door “where”.",
    unused: "Niet gebruikte kolommen: {columns}.",
    dates: "Datums zoals {date} zijn gelezen met de dag eerst ({dateRead}).",
    skipped:
      "Rij {skippedRow}: de tijd {skipped} bestaat niet, omdat de klok die overslaat; die is gelezen als {skippedRead}. Schrijf een andere tijd of een verschil zoals +01:00 als dat niet klopt.",
    split:
      "Rij {splitRow}: {split} is als twee cellen gelezen ({splitColumns}); zet het tussen aanhalingstekens als het één getal is.",
    float:
      "Alle nummers in kolom {floatColumn} eindigen zoals {float}: een programma heeft ze als decimale getallen geschreven; exporteer de kolom als tekst als dat niet klopt.",
    alike:
      "“{alike}” is op twee manieren geschreven die er gelijk uitzien maar verschillende tekens zijn (samengestelde en ontlede letters); ze zijn als twee verschillende nummers gelezen.",
  },
  pl: {
    leftOut:
      "one {# wiersz pominięto} few {# wiersze pominięto} many {# wierszy pominięto} other {# wiersza pominięto}} przez „where”.",
    unused: "Nieużyte kolumny: {columns}.",
    dates: "Daty takie jak {date} odczytano z dniem na początku ({dateRead}).",
    skipped:
      "Wiersz {skippedRow}: godzina {skipped} nie istnieje, bo zegary ją przeskakują; odczytano ją jako {skippedRead}. Wpisz inną godzinę albo przesunięcie, np. +01:00, jeśli to błąd.",
    split:
      "Wiersz {splitRow}: {split} odczytano jako dwie komórki ({splitColumns}); ujmij w cudzysłów, jeśli to jedna liczba.",
    float:
      "Wszystkie numery w kolumnie {floatColumn} kończą się jak {float}: program zapisał je jako liczby dziesiętne; wyeksportuj kolumnę jako tekst, jeśli to błąd.",
    alike:
      "„{alike}” zapisano na dwa sposoby, które wyglądają tak samo, ale są różnymi znakami (litery złożone i rozłożone); odczytano je jako dwa różne numery.",
  },
};

const withNotes = (text: string, { leftOut, unused, dates, skipped, split, float, alike }: Notes): string =>
  `${text}{hasLeftOut, select, _absent {} other { {leftOut, plural, ${leftOut}}}` +
  `{columns, select, _absent {} other { ${unused}}}{date, select, _absent {} other { ${dates}}}` +
  `{skipped, select, _absent {} other { ${skipped}}}` +
  `{split, select, _absent {} other { ${split}}}{float, select, _absent {} other { ${float}}}` +
  `{alike, select, _absent {} other { ${alike}}}`;

/** Appends the notes that apply to a text about a file. */
export const noted = (texts: Texts): Texts => ({
  en: withNotes(texts.en, notes.en),
  de: withNotes(texts.de, notes.de),
  fr: withNotes(texts.fr, notes.fr),
  it: withNotes(texts.it, notes.it),
  es: withNotes(texts.es, notes.es),
  nl: withNotes(texts.nl, notes.nl),
  pl: withNotes(texts.pl, notes.pl),
});

export const fileNoteTexts = {
  "files.read": noted({
    en: "{good, plural, one {# record} other {# records}} read.",
    de: "{good, plural, one {# Datensatz} other {# Datensätze}} gelesen.",
    fr: "{good, plural, one {# enregistrement lu} other {# enregistrements lus}}.",
    it: "{good, plural, one {# record letto} other {# record letti}}.",
    es: "{good, plural, one {# registro leído} other {# registros leídos}}.",
    nl: "{good, plural, one {# record} other {# records}} gelezen.",
    pl: "Odczytano {good, plural, one {# rekord} few {# rekordy} many {# rekordów} other {# rekordu}}.",
  }),
} as const satisfies Record<string, Texts>;
