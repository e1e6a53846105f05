<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>AddCatalogue</name>
    <message>
        <source>Add a list of runs…</source>
        <translation>Liste von Läufen hinzufügen&#xa0;…</translation>
    </message>
    <message>
        <source>Address of the list</source>
        <translation>Adresse der Liste</translation>
    </message>
    <message>
        <source>Read the list</source>
        <translation>Liste lesen</translation>
    </message>
    <message>
        <source>Choose a file…</source>
        <translation>Datei wählen …</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>An https address, or the path of a file. Its server sees your IP address.</source>
        <translation>Eine https-Adresse oder der Pfad einer Datei. Der Server sieht Ihre IP-Adresse.</translation>
    </message>
    <message>
        <source>Reading the list…</source>
        <translation>Liste wird gelesen&#xa0;…</translation>
    </message>
    <message>
        <source>This list cannot be added.</source>
        <translation>Diese Liste kann nicht hinzugefügt werden.</translation>
    </message>
    <message>
        <source>Open a list of runs</source>
        <translation>Liste von Läufen öffnen</translation>
    </message>
    <message>
        <source>Lists of runs (*.toml)</source>
        <translation>Listen von Läufen (*.toml)</translation>
    </message>
</context>
<context>
    <name>Address</name>
    <message numerus="yes">
        <source>%n address(es)</source>
        <translation>
            <numerusform>%n Adresse</numerusform>
            <numerusform>%n Adressen</numerusform>
        </translation>
    </message>
    <message>
        <source>This can be read: %1.</source>
        <translation>Das ist lesbar: %1.</translation>
    </message>
    <message>
        <source>This can be read: %1 of the run “%2”.</source>
        <translation>Das ist lesbar: %1 des Laufs „%2“.</translation>
    </message>
    <message>
        <source>An invitation comes with it.</source>
        <translation>Eine Einladung ist dabei.</translation>
    </message>
    <message>
        <source>“%1”: %2.</source>
        <translation>„%1“: %2.</translation>
    </message>
    <message>
        <source>A good one looks like %1</source>
        <translation>Richtig sieht zum Beispiel so aus: %1</translation>
    </message>
</context>
<context>
    <name>AddressField</name>
    <message>
        <source>Address of the run</source>
        <translation>Adresse des Laufs</translation>
    </message>
    <message>
        <source>workerbee://join?peer=…   or   /ip4/…/tcp/…/p2p/12D3KooW…</source>
        <translation>workerbee://join?peer=…   oder   /ip4/…/tcp/…/p2p/12D3KooW…</translation>
    </message>
</context>
<context>
    <name>AddressForm</name>
    <message>
        <source>Show me the run</source>
        <translation>Lauf ansehen</translation>
    </message>
    <message>
        <source>Open a run file…</source>
        <translation>Laufdatei öffnen&#xa0;…</translation>
    </message>
    <message>
        <source>Forget the old key…</source>
        <translation>Den alten Schlüssel vergessen&#xa0;…</translation>
    </message>
    <message>
        <source>The run is described by your file %1: “%2”.</source>
        <translation>Ihre Datei %1 beschreibt den Lauf: „%2“.</translation>
    </message>
    <message>
        <source>Paste what the organiser posted: a link, or a line with /ip4/… in it.</source>
        <translation>Fügen Sie ein, was der Organisator veröffentlicht hat: einen Link oder eine Zeile, in der /ip4/… vorkommt.</translation>
    </message>
    <message>
        <source>Now paste a peer&apos;s address.</source>
        <translation>Fügen Sie nun die Adresse eines Teilnehmers ein.</translation>
    </message>
    <message>
        <source>Open a run file</source>
        <translation>Laufdatei öffnen</translation>
    </message>
    <message>
        <source>Run files (*.toml)</source>
        <translation>Laufdateien (*.toml)</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Einfügen</translation>
    </message>
    <message>
        <source>Join without this file</source>
        <translation>Ohne diese Datei beitreten</translation>
    </message>
</context>
<context>
    <name>AddressIntake</name>
    <message>
        <source>An address was handed over.</source>
        <translation>Eine Adresse wurde übergeben.</translation>
    </message>
    <message>
        <source>It waits on the first page until this run is left.</source>
        <translation>Sie wartet auf der ersten Seite, bis Sie diesen Lauf verlassen.</translation>
    </message>
    <message>
        <source>A run file was handed over.</source>
        <translation>Eine Laufdatei wurde übergeben.</translation>
    </message>
    <message>
        <source>It was not opened: that is possible on the first page, once this run is left.</source>
        <translation>Sie wurde nicht geöffnet: Das geht auf der ersten Seite, sobald Sie diesen Lauf verlassen haben.</translation>
    </message>
</context>
<context>
    <name>Alert</name>
    <message>
        <source>Workerbee tries again by itself; what you have given is counted.</source>
        <translation>Workerbee versucht es von selbst wieder; was Sie beigetragen haben, zählt.</translation>
    </message>
    <message>
        <source>The GPU&apos;s driver does not answer.</source>
        <translation>Der GPU-Treiber antwortet nicht.</translation>
    </message>
    <message>
        <source>If it stays so, restart the computer; the log tells what training makes of it.</source>
        <translation>Bleibt es so, starten Sie den Computer neu; das Protokoll sagt, wie das Training damit zurechtkommt.</translation>
    </message>
    <message>
        <source>If it stays so, try another network mode.</source>
        <translation>Bleibt es so, versuchen Sie eine andere Art der Verbindung.</translation>
    </message>
</context>
<context>
    <name>AnswersCard</name>
    <message>
        <source>What the model answers to questions that nobody trains on</source>
        <translation>Was das Modell auf Fragen antwortet, mit denen niemand trainiert</translation>
    </message>
    <message>
        <source>at epoch %1</source>
        <translation>in Epoche %1</translation>
    </message>
    <message>
        <source>now, at epoch %1</source>
        <translation>jetzt, in Epoche %1</translation>
    </message>
    <message>
        <source>question</source>
        <translation>Frage</translation>
    </message>
    <message>
        <source>Picture of: %1</source>
        <translation>Bild von: %1</translation>
    </message>
</context>
<context>
    <name>Availability</name>
    <message>
        <source>Paused: %1</source>
        <translation>Pausiert: %1</translation>
    </message>
    <message numerus="yes">
        <source>%n more reason(s)</source>
        <translation>
            <numerusform>%n weiterer Grund</numerusform>
            <numerusform>%n weitere Gründe</numerusform>
        </translation>
    </message>
    <message>
        <source>Slowed to %1: the GPU cannot be measured any more, your limit is %3 °C</source>
        <translation>Gebremst auf %1: die GPU lässt sich nicht mehr messen, Ihre Grenze ist %3 °C</translation>
    </message>
    <message>
        <source>Slowed to %1: the GPU cannot be measured any more, your limit is %3 W</source>
        <translation>Gebremst auf %1: die GPU lässt sich nicht mehr messen, Ihre Grenze ist %3 W</translation>
    </message>
    <message>
        <source>Slowed to %1: the fan cannot be measured any more, your limit is %3 %</source>
        <translation>Gebremst auf %1: der Lüfter lässt sich nicht mehr messen, Ihre Grenze ist %3 %</translation>
    </message>
    <message>
        <source>Slowed to %1: GPU at %2 °C, your limit is %3</source>
        <translation>Gebremst auf %1: GPU bei %2 °C, Ihre Grenze ist %3</translation>
    </message>
    <message>
        <source>Slowed to %1: GPU at %2 W, your limit is %3</source>
        <translation>Gebremst auf %1: GPU bei %2 W, Ihre Grenze ist %3</translation>
    </message>
    <message>
        <source>Slowed to %1: somebody is using this computer</source>
        <translation>Gebremst auf %1: Jemand benutzt diesen Computer</translation>
    </message>
    <message>
        <source>Slowed to %1: fan at %2 %, your limit is %3</source>
        <translation>Gebremst auf %1: Lüfter bei %2 %, Ihre Grenze ist %3</translation>
    </message>
    <message>
        <source>ignored until it is over, or until %2: %1</source>
        <translation>nicht beachtet, bis es vorbei ist, oder bis %2: %1</translation>
    </message>
    <message>
        <source>ignored until %2: %1</source>
        <translation>nicht beachtet bis %2: %1</translation>
    </message>
    <message>
        <source>free disk space</source>
        <translation>freier Speicherplatz</translation>
    </message>
    <message>
        <source>battery</source>
        <translation>Akku</translation>
    </message>
    <message>
        <source>power saver</source>
        <translation>Energiesparmodus</translation>
    </message>
    <message>
        <source>metered connection</source>
        <translation>getaktete Verbindung</translation>
    </message>
    <message>
        <source>data volume</source>
        <translation>Datenvolumen</translation>
    </message>
    <message>
        <source>games</source>
        <translation>Spiele</translation>
    </message>
    <message>
        <source>programs</source>
        <translation>Programme</translation>
    </message>
    <message>
        <source>use of the GPU</source>
        <translation>Nutzung der GPU</translation>
    </message>
    <message>
        <source>films</source>
        <translation>Filme</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>use of the CPU</source>
        <translation>Nutzung der CPU</translation>
    </message>
    <message>
        <source>your presence</source>
        <translation>Ihre Anwesenheit</translation>
    </message>
    <message>
        <source>hours</source>
        <translation>Uhrzeiten</translation>
    </message>
    <message>
        <source>price of electricity</source>
        <translation>Strompreis</translation>
    </message>
    <message>
        <source>the file of prices is missing</source>
        <translation>die Datei mit den Preisen fehlt</translation>
    </message>
    <message>
        <source>the prices have not been fetched yet</source>
        <translation>die Preise sind noch nicht abgerufen</translation>
    </message>
    <message>
        <source>the file of prices says nothing of this hour</source>
        <translation>die Datei mit den Preisen sagt nichts über diese Stunde</translation>
    </message>
    <message>
        <source>the file of prices cannot be read</source>
        <translation>die Datei mit den Preisen ist nicht lesbar</translation>
    </message>
    <message numerus="yes">
        <source>Waiting until nobody has used this computer for %n minute(s)</source>
        <translation>
            <numerusform>Wartet, bis dieser Computer %n Minute unbenutzt ist</numerusform>
            <numerusform>Wartet, bis dieser Computer %n Minuten unbenutzt ist</numerusform>
        </translation>
    </message>
    <message>
        <source>Waiting for %1 (your hours)</source>
        <translation>Wartet auf %1 (Ihre Uhrzeiten)</translation>
    </message>
    <message>
        <source>Waiting for %1 (cheap electricity)</source>
        <translation>Wartet auf %1 (günstiger Strom)</translation>
    </message>
    <message>
        <source>the disk is almost full</source>
        <translation>der Datenträger ist fast voll</translation>
    </message>
    <message>
        <source>this computer runs on its battery</source>
        <translation>dieser Computer läuft mit Akku</translation>
    </message>
    <message>
        <source>the desktop saves power</source>
        <translation>der Energiesparmodus ist an</translation>
    </message>
    <message>
        <source>this connection is metered</source>
        <translation>diese Verbindung ist getaktet</translation>
    </message>
    <message>
        <source>this month&apos;s data volume is used up</source>
        <translation>die Datenmenge dieses Monats ist aufgebraucht</translation>
    </message>
    <message>
        <source>today&apos;s data volume is used up</source>
        <translation>das Datenvolumen für heute ist verbraucht</translation>
    </message>
    <message>
        <source>a full-screen program is in front</source>
        <translation>ein Vollbildprogramm ist im Vordergrund</translation>
    </message>
    <message>
        <source>memory is short</source>
        <translation>der Arbeitsspeicher ist knapp</translation>
    </message>
    <message>
        <source>other programs need the CPU</source>
        <translation>andere Programme brauchen die CPU</translation>
    </message>
    <message>
        <source>outside your hours</source>
        <translation>außerhalb Ihrer Uhrzeiten</translation>
    </message>
    <message>
        <source>another user is at this computer</source>
        <translation>ein anderer Benutzer ist an diesem Computer</translation>
    </message>
    <message>
        <source>it cannot be seen here whether you are away</source>
        <translation>hier ist nicht zu erkennen, ob Sie weg sind</translation>
    </message>
    <message>
        <source>you are using this computer</source>
        <translation>Sie benutzen diesen Computer</translation>
    </message>
    <message>
        <source>electricity is expensive at this hour</source>
        <translation>Strom ist in dieser Stunde teuer</translation>
    </message>
    <message>
        <source>seen last, and cannot be seen now</source>
        <translation>zuletzt gesehen und jetzt nicht zu sehen</translation>
    </message>
    <message>
        <source>%1 is using this GPU</source>
        <translation>%1 nutzt diese GPU</translation>
    </message>
    <message>
        <source>%1 is playing</source>
        <translation>%1 spielt etwas ab</translation>
    </message>
    <message>
        <source>%1 is running</source>
        <translation>%1 läuft</translation>
    </message>
    <message>
        <source>another program</source>
        <translation>ein anderes Programm</translation>
    </message>
    <message>
        <source>the disk has room again</source>
        <translation>der Datenträger hat wieder Platz</translation>
    </message>
    <message>
        <source>this computer is back on mains power</source>
        <translation>dieser Computer hat wieder Netzstrom</translation>
    </message>
    <message>
        <source>the desktop no longer saves power</source>
        <translation>der Energiesparmodus ist wieder aus</translation>
    </message>
    <message>
        <source>this connection is no longer metered</source>
        <translation>diese Verbindung ist nicht mehr getaktet</translation>
    </message>
    <message>
        <source>there is data volume again</source>
        <translation>es gibt wieder Datenvolumen</translation>
    </message>
    <message>
        <source>no full-screen program is in front any more</source>
        <translation>kein Vollbildprogramm ist mehr im Vordergrund</translation>
    </message>
    <message>
        <source>memory is no longer short</source>
        <translation>der Arbeitsspeicher ist nicht mehr knapp</translation>
    </message>
    <message>
        <source>other programs no longer need the CPU</source>
        <translation>andere Programme brauchen die CPU nicht mehr</translation>
    </message>
    <message>
        <source>your hours have begun</source>
        <translation>Ihre Uhrzeiten haben begonnen</translation>
    </message>
    <message>
        <source>you are away</source>
        <translation>Sie sind weg</translation>
    </message>
    <message>
        <source>electricity is cheap again</source>
        <translation>Strom ist wieder günstig</translation>
    </message>
    <message>
        <source>no other program is using this GPU any more</source>
        <translation>kein anderes Programm nutzt diese GPU mehr</translation>
    </message>
    <message>
        <source>the other program</source>
        <translation>das andere Programm</translation>
    </message>
    <message>
        <source>%1 has ended</source>
        <translation>%1 ist beendet</translation>
    </message>
    <message numerus="yes">
        <source>goes on when nobody has used it for %n minute(s)</source>
        <translation>
            <numerusform>weiter, wenn er %n Minute unbenutzt ist</numerusform>
            <numerusform>weiter, wenn er %n Minuten unbenutzt ist</numerusform>
        </translation>
    </message>
    <message>
        <source>goes on tomorrow at 00:00</source>
        <translation>geht morgen um 0:00 Uhr weiter</translation>
    </message>
    <message>
        <source>goes on %1</source>
        <translation>weiter %1</translation>
    </message>
    <message>
        <source>goes on when %1 are free</source>
        <translation>weiter, sobald %1 frei sind</translation>
    </message>
    <message>
        <source>your week has no free hour</source>
        <translation>Ihre Woche hat keine freie Stunde</translation>
    </message>
    <message numerus="yes">
        <source>goes on %n minute(s) after that ends</source>
        <translation>
            <numerusform>weiter %n Minute danach</numerusform>
            <numerusform>weiter %n Minuten danach</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, %2 at the earliest</source>
        <translation>%1, frühestens %2</translation>
    </message>
</context>
<context>
    <name>AvailabilitySettings</name>
    <message>
        <source>When to help</source>
        <translation>Wann dieser Computer hilft</translation>
    </message>
    <message>
        <source>Ignore this until midnight</source>
        <translation>Bis Mitternacht nicht beachten</translation>
    </message>
    <message>
        <source>Heed it again</source>
        <translation>Wieder beachten</translation>
    </message>
    <message>
        <source>Sent a day</source>
        <translation>Gesendet am Tag</translation>
    </message>
    <message>
        <source>Received a day</source>
        <translation>Empfangen am Tag</translation>
    </message>
    <message>
        <source>Sent a month</source>
        <translation>Gesendet im Monat</translation>
    </message>
    <message>
        <source>Received a month</source>
        <translation>Empfangen im Monat</translation>
    </message>
    <message>
        <source>The last days:</source>
        <translation>Die letzten Tage:</translation>
    </message>
    <message>
        <source>Right now this computer is free for training</source>
        <translation>Im Moment ist dieser Computer frei fürs Training</translation>
    </message>
    <message>
        <source>by the rules below</source>
        <translation>nach den Regeln unten</translation>
    </message>
    <message>
        <source>Pause on battery</source>
        <translation>Im Akkubetrieb pausieren</translation>
    </message>
    <message>
        <source>Pause while the desktop saves power</source>
        <translation>Pausieren, solange der Desktop Strom spart</translation>
    </message>
    <message>
        <source>Pause on a metered connection</source>
        <translation>Bei getakteter Verbindung pausieren</translation>
    </message>
    <message>
        <source>Pause while a game or a full-screen program runs</source>
        <translation>Pausieren, solange ein Spiel oder ein Vollbildprogramm läuft</translation>
    </message>
    <message>
        <source>Pause while a film plays</source>
        <translation>Pausieren, solange ein Film läuft</translation>
    </message>
    <message>
        <source>Share of the GPU</source>
        <translation>Anteil an der GPU</translation>
    </message>
    <message>
        <source>Share of the time</source>
        <translation>Anteil an der Zeit</translation>
    </message>
    <message>
        <source>Share of the CPU</source>
        <translation>Anteil an der CPU</translation>
    </message>
    <message>
        <source>Pause when other programs use</source>
        <translation>Pausieren, wenn andere Programme</translation>
    </message>
    <message>
        <source>%1 %2 of the GPU</source>
        <translation>%1 %2 der GPU nutzen</translation>
    </message>
    <message>
        <source>Pause when programs wait for memory</source>
        <translation>Pausieren, wenn Programme</translation>
    </message>
    <message>
        <source>%1 %2 of the time</source>
        <translation>%1 %2 der Zeit auf Speicher warten</translation>
    </message>
    <message>
        <source>%1 %2 of the CPU</source>
        <translation>%1 %2 der CPU nutzen</translation>
    </message>
    <message>
        <source>Minutes without input</source>
        <translation>Minuten ohne Eingabe</translation>
    </message>
    <message>
        <source>Wait until nobody has used it for</source>
        <translation>Warten, bis ihn seit</translation>
    </message>
    <message>
        <source>%1 %2 minutes</source>
        <translation>%1 %2 Minuten niemand benutzt hat</translation>
    </message>
    <message>
        <source>any amount</source>
        <translation>beliebig viel</translation>
    </message>
    <message>
        <source>This computer helps %1</source>
        <translation>Er hilft %1</translation>
    </message>
    <message>
        <source>Pause always while the disk is nearly full:</source>
        <translation>Immer pausieren, solange der Datenträger fast voll ist:</translation>
    </message>
    <message>
        <source>Pause while one of these programs runs:</source>
        <translation>Pausieren, solange eines dieser Programme läuft:</translation>
    </message>
    <message>
        <source>A day, send %1 and receive %2</source>
        <translation>Am Tag %1 senden und %2 empfangen</translation>
    </message>
    <message>
        <source>A month, send %1 and receive %2</source>
        <translation>Im Monat %1 senden und %2 empfangen</translation>
    </message>
    <message>
        <source>Train only in these hours of the week:</source>
        <translation>Nur in diesen Stunden der Woche trainieren:</translation>
    </message>
</context>
<context>
    <name>Callout</name>
    <message>
        <source>What can I do?</source>
        <translation>Was kann ich tun?</translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message>
        <source>A list without a title</source>
        <translation>Eine Liste ohne Titel</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>%1 to download</source>
        <translation>%1 zu laden</translation>
    </message>
    <message>
        <source>%1: needs about %2 of memory</source>
        <translation>%1: braucht etwa %2 Speicher</translation>
    </message>
    <message>
        <source>paused by its organiser</source>
        <translation>vom Organisator angehalten</translation>
    </message>
    <message>
        <source>finished by its organiser</source>
        <translation>vom Organisator beendet</translation>
    </message>
    <message>
        <source>This is neither an https:// address nor the whole path of a file.</source>
        <translation>Das ist weder eine https://-Adresse noch der ganze Pfad einer Datei.</translation>
    </message>
    <message>
        <source>The list could not be read: %1</source>
        <translation>Die Liste konnte nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>nobody answers.</source>
        <translation>niemand antwortet.</translation>
    </message>
    <message>
        <source>The list was refused: it has more than %1.</source>
        <translation>Die Liste wurde abgelehnt: Sie hat mehr als %1.</translation>
    </message>
    <message>
        <source>The list was refused: it names %1 runs, and %2 are the most.</source>
        <translation>Die Liste wurde abgelehnt: Sie nennt %1 Läufe, und höchstens %2 sind erlaubt.</translation>
    </message>
    <message>
        <source>The list was refused: nobody has signed it, or it is something else.</source>
        <translation>Die Liste wurde abgelehnt: Niemand hat sie signiert, oder es ist keine Liste.</translation>
    </message>
    <message>
        <source>The list was refused: its signature is wrong, so it was changed by others.</source>
        <translation>Die Liste wurde abgelehnt: Ihre Signatur ist falsch, also haben andere sie geändert.</translation>
    </message>
    <message>
        <source>The list was refused: %1</source>
        <translation>Die Liste wurde abgelehnt: %1</translation>
    </message>
    <message>
        <source>The list was made by a newer Workerbee. Update Workerbee to read it.</source>
        <translation>Die Liste stammt von einem neueren Workerbee. Aktualisieren Sie Workerbee, um sie zu lesen.</translation>
    </message>
    <message>
        <source>The list was refused: it was valid until %1.</source>
        <translation>Die Liste wurde abgelehnt: Sie galt bis %1.</translation>
    </message>
    <message>
        <source>The list was refused: it is now signed with another key, %1.</source>
        <translation>Die Liste wurde abgelehnt: Sie ist jetzt mit einem anderen Schlüssel signiert, %1.</translation>
    </message>
    <message>
        <source>The list was refused: it is of %1, and a newer one was seen before.</source>
        <translation>Die Liste wurde abgelehnt: Sie ist vom %1, und eine neuere ist schon bekannt.</translation>
    </message>
    <message>
        <source>The list cannot be verified before the training engine is made.</source>
        <translation>Die Liste kann erst geprüft werden, wenn das Trainingsprogramm eingerichtet ist.</translation>
    </message>
    <message>
        <source>There are too many lists already; remove one of them first.</source>
        <translation>Es gibt schon zu viele Listen; entfernen Sie zuerst eine davon.</translation>
    </message>
</context>
<context>
    <name>CatalogueSettings</name>
    <message>
        <source>Lists of runs</source>
        <translation>Listen von Läufen</translation>
    </message>
    <message>
        <source>Their runs are on the first page. Removing a list forgets its key, too.</source>
        <translation>Ihre Läufe stehen auf der ersten Seite. Mit einer Liste wird auch ihr Schlüssel entfernt.</translation>
    </message>
    <message>
        <source>Remove “%1” from %2</source>
        <translation>„%1“ von %2 entfernen</translation>
    </message>
</context>
<context>
    <name>CatalogueSource</name>
    <message>
        <source>Reading it…</source>
        <translation>Wird gelesen&#xa0;…</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>Aktualisieren</translation>
    </message>
    <message>
        <source>Remove the list</source>
        <translation>Liste entfernen</translation>
    </message>
    <message>
        <source>From “%1”, signed by %2, as of %3.</source>
        <translation>Aus „%1“, signiert von %2, Stand %3.</translation>
    </message>
    <message>
        <source>Until it is right again, the list of that day is shown for two weeks.</source>
        <translation>Bis sie wieder stimmt, wird zwei Wochen lang die zuletzt gelesene Liste gezeigt.</translation>
    </message>
    <message>
        <source>Its runs are no longer shown, since nothing newer has come for two weeks.</source>
        <translation>Ihre Läufe werden nicht mehr gezeigt, da seit zwei Wochen nichts Neueres gekommen ist.</translation>
    </message>
    <message>
        <source>Trust the new key…</source>
        <translation>Neuem Schlüssel vertrauen&#xa0;…</translation>
    </message>
</context>
<context>
    <name>ClipboardOffer</name>
    <message>
        <source>Use the address on the clipboard</source>
        <translation>Adresse aus der Zwischenablage verwenden</translation>
    </message>
    <message>
        <source>No, thanks</source>
        <translation>Nein, danke</translation>
    </message>
    <message>
        <source>It leads to the run “%1”.</source>
        <translation>Sie führt zum Lauf „%1“.</translation>
    </message>
    <message>
        <source>It leads to the peer %1.</source>
        <translation>Sie führt zum Teilnehmer %1.</translation>
    </message>
</context>
<context>
    <name>ComputerSettings</name>
    <message>
        <source>CPU threads</source>
        <translation>CPU-Threads</translation>
    </message>
    <message>
        <source>all</source>
        <translation>allen</translation>
    </message>
    <message>
        <source>How to connect to others</source>
        <translation>Art der Verbindung zu anderen</translation>
    </message>
    <message>
        <source>Port to listen on</source>
        <translation>Port für eingehende Verbindungen</translation>
    </message>
    <message>
        <source>any</source>
        <translation>beliebig</translation>
    </message>
    <message>
        <source>Data folder</source>
        <translation>Datenordner</translation>
    </message>
    <message>
        <source>Back to the usual folder</source>
        <translation>Zurück zum üblichen Ordner</translation>
    </message>
    <message>
        <source>as much as it needs</source>
        <translation>beliebig viel</translation>
    </message>
    <message>
        <source>Limit of the data folder</source>
        <translation>Obergrenze für den Datenordner</translation>
    </message>
    <message>
        <source>as much as is free</source>
        <translation>so viel, wie frei ist</translation>
    </message>
    <message>
        <source>Limit of the device&apos;s memory</source>
        <translation>Obergrenze für den Speicher des Geräts</translation>
    </message>
    <message>
        <source>Upload</source>
        <translation>Hochladen</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Public name</source>
        <translation>Öffentlicher Name</translation>
    </message>
    <message>
        <source>no name, only my peer id</source>
        <translation>kein Name, nur meine Peer-ID</translation>
    </message>
    <message>
        <source>Model cards of runs that I help may name me</source>
        <translation>Modellkarten von Läufen, denen ich helfe, dürfen mich nennen</translation>
    </message>
    <message>
        <source>My country</source>
        <translation>Mein Land</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>the usual folder</source>
        <translation>dem üblichen Ordner</translation>
    </message>
    <message>
        <source>A new folder is used from the next start on; what is in the old one stays there.</source>
        <translation>Ein neuer Ordner gilt ab dem nächsten Start; was im alten liegt, bleibt dort.</translation>
    </message>
    <message>
        <source>automatically</source>
        <translation>automatisch</translation>
    </message>
    <message>
        <source>directly, because others can reach me</source>
        <translation>direkt (andere erreichen mich)</translation>
    </message>
    <message>
        <source>by outgoing connections only</source>
        <translation>nur über ausgehende Verbindungen</translation>
    </message>
    <message>
        <source>Choose the data folder</source>
        <translation>Datenordner wählen</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Dieser Computer</translation>
    </message>
    <message>
        <source>Use %1 with %2 CPU threads</source>
        <translation>%1 mit %2 CPU-Threads verwenden</translation>
    </message>
    <message>
        <source>Take %1 of its memory for training</source>
        <translation>Vom Speicher des Geräts %1 belegen</translation>
    </message>
    <message>
        <source>Connect to others %1 and listen on port %2</source>
        <translation>Mit anderen %1 verbinden und Port %2 nutzen</translation>
    </message>
    <message>
        <source>My line sends %1 and receives %2</source>
        <translation>Meine Leitung sendet %1 und empfängt %2</translation>
    </message>
    <message>
        <source>Keep data in %1 and take %2 of the disk for it</source>
        <translation>Daten in %1 ablegen und dafür %2 belegen</translation>
    </message>
    <message>
        <source>Others in a swarm see me as %1</source>
        <translation>Andere im Schwarm sehen mich als %1</translation>
    </message>
    <message>
        <source>I tell them that my country is %1</source>
        <translation>Ich teile ihnen mein Land mit: %1</translation>
    </message>
    <message>
        <source>What others are told of you changes when you next start a run.</source>
        <translation>Was andere von Ihnen erfahren, ändert sich, wenn Sie das nächste Mal bei einem Lauf auf Start klicken.</translation>
    </message>
</context>
<context>
    <name>Confinement</name>
    <message>
        <source>The training process reaches nothing but the data of its runs.</source>
        <translation>Der Trainingsprozess erreicht nichts als die Daten seiner Läufe.</translation>
    </message>
    <message>
        <source>The training process is not confined here: it can do what you can.</source>
        <translation>Der Trainingsprozess ist hier nicht eingeschränkt: er kann, was Sie können.</translation>
    </message>
    <message>
        <source>This system does not keep the training process from: %1.</source>
        <translation>Dieses System hält vom Trainingsprozess nicht fern: %1.</translation>
    </message>
    <message>
        <source>everything that you can do</source>
        <translation>alles, was Sie können</translation>
    </message>
    <message>
        <source>your other files</source>
        <translation>Ihre übrigen Dateien</translation>
    </message>
    <message>
        <source>emptying your other files</source>
        <translation>das Leeren Ihrer übrigen Dateien</translation>
    </message>
    <message>
        <source>connecting to other computers by itself</source>
        <translation>eigene Verbindungen zu anderen Computern</translation>
    </message>
    <message>
        <source>ending your other programs</source>
        <translation>das Beenden Ihrer übrigen Programme</translation>
    </message>
    <message>
        <source>the sockets of your session and of SSH agents</source>
        <translation>die Sockets Ihrer Sitzung und von SSH-Agenten</translation>
    </message>
    <message>
        <source>rarely used functions of the system</source>
        <translation>selten gebrauchte Funktionen des Systems</translation>
    </message>
    <message>
        <source>programs that run with more rights</source>
        <translation>Programme, die mit mehr Rechten laufen</translation>
    </message>
</context>
<context>
    <name>Consent</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>und %n weitere Änderung</numerusform>
            <numerusform>und %n weitere Änderungen</numerusform>
        </translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>State to download</source>
        <translation>Zustand, der geladen wird</translation>
    </message>
    <message>
        <source>Files to download</source>
        <translation>Dateien, die geladen werden</translation>
    </message>
    <message>
        <source>Downloads from</source>
        <translation>Geladen wird von</translation>
    </message>
    <message>
        <source>%1: %2 → %3</source>
        <translation>%1: %2 → %3</translation>
    </message>
    <message>
        <source>nowhere</source>
        <translation>nirgendwo</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>nichts</translation>
    </message>
</context>
<context>
    <name>ConsentBar</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Help it later</source>
        <translation>Später helfen</translation>
    </message>
    <message>
        <source>Agree to it now, and help it after the other runs of your order</source>
        <translation>Jetzt zustimmen und nach den anderen Läufen Ihrer Reihenfolge helfen</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Start all the same</source>
        <translation>Trotzdem starten</translation>
    </message>
</context>
<context>
    <name>ContributionBars</name>
    <message>
        <source>hours of training</source>
        <translation>Trainingsstunden</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>energy</source>
        <translation>Energie</translation>
    </message>
    <message>
        <source>traffic</source>
        <translation>Datenverkehr</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
</context>
<context>
    <name>ContributionCard</name>
    <message>
        <source>samples given</source>
        <translation>Beispiele beigetragen</translation>
    </message>
    <message>
        <source>epochs helped</source>
        <translation>Epochen mitgeholfen</translation>
    </message>
    <message>
        <source>of training</source>
        <translation>trainiert</translation>
    </message>
    <message>
        <source>energy used</source>
        <translation>verbrauchte Energie</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>nicht gemessen</translation>
    </message>
    <message>
        <source>of the last step</source>
        <translation>des letzten Schritts</translation>
    </message>
    <message>
        <source>In all runs together: %1 samples, %2 epochs, %3 of training</source>
        <translation>In allen Läufen zusammen: %1 Beispiele, %2 Epochen, %3 trainiert</translation>
    </message>
</context>
<context>
    <name>ContributionPicture</name>
    <message>
        <source>of training</source>
        <translation>Trainingszeit</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>of energy</source>
        <translation>Energie</translation>
    </message>
    <message numerus="yes">
        <source>run(s)</source>
        <translation>
            <numerusform>Lauf</numerusform>
            <numerusform>Läufe</numerusform>
        </translation>
    </message>
    <message>
        <source>What %1 has given</source>
        <translation>Was %1 beigetragen hat</translation>
    </message>
    <message>
        <source>What my computer has given</source>
        <translation>Was mein Computer beigetragen hat</translation>
    </message>
    <message>
        <source>To models that many people train together, with Workerbee</source>
        <translation>Zu Modellen, die viele gemeinsam trainieren, mit Workerbee</translation>
    </message>
</context>
<context>
    <name>ContributionTable</name>
    <message>
        <source>Day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>Month</source>
        <translation>Monat</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>Energie</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>Früher</translation>
    </message>
    <message>
        <source>The energy is the device&apos;s alone: the rest of the computer is not in it.</source>
        <translation>Die Energie ist die des Geräts allein: der übrige Computer ist nicht enthalten.</translation>
    </message>
    <message>
        <source>%1 of it (~) are estimated: %2 at %3 W, since nothing measured it.</source>
        <translation>%1 davon (~) sind geschätzt: %2 mit %3 W, weil nichts sie gemessen hat.</translation>
    </message>
    <message>
        <source>Earlier: from before days, bytes and shares were recorded; only sums remain.</source>
        <translation>Früher: aus der Zeit, bevor Tage, Bytes und Anteile aufgezeichnet wurden; davon gibt es nur Summen.</translation>
    </message>
</context>
<context>
    <name>ContributionsPage</name>
    <message>
        <source>A row for each</source>
        <translation>Eine Zeile für jeden</translation>
    </message>
    <message>
        <source>What the bars show</source>
        <translation>Was die Balken zeigen</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>Als CSV speichern&#xa0;…</translation>
    </message>
    <message>
        <source>Picture…</source>
        <translation>Bild&#xa0;…</translation>
    </message>
    <message>
        <source>Price of electricity…</source>
        <translation>Strompreis&#xa0;…</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>This computer has not given anything yet: join a run first.</source>
        <translation>Dieser Computer hat noch nichts beigetragen: treten Sie erst einem Lauf bei.</translation>
    </message>
    <message>
        <source>day</source>
        <translation>Tag</translation>
    </message>
    <message>
        <source>month</source>
        <translation>Monat</translation>
    </message>
    <message>
        <source>run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Save the table</source>
        <translation>Tabelle speichern</translation>
    </message>
    <message>
        <source>Contributions</source>
        <translation>Beiträge</translation>
    </message>
    <message>
        <source>Show %1 by %2</source>
        <translation>%1 nach %2 zeigen</translation>
    </message>
</context>
<context>
    <name>ContributionsTable</name>
    <message>
        <source>What was given</source>
        <translation>Was beigetragen wurde</translation>
    </message>
</context>
<context>
    <name>Countries</name>
    <message>
        <source>not told</source>
        <translation>keine Angabe</translation>
    </message>
    <message>
        <source>AD</source>
        <translation>Andorra</translation>
    </message>
    <message>
        <source>AE</source>
        <translation>Vereinigte Arabische Emirate</translation>
    </message>
    <message>
        <source>AF</source>
        <translation>Afghanistan</translation>
    </message>
    <message>
        <source>AG</source>
        <translation>Antigua und Barbuda</translation>
    </message>
    <message>
        <source>AI</source>
        <translation>Anguilla</translation>
    </message>
    <message>
        <source>AL</source>
        <translation>Albanien</translation>
    </message>
    <message>
        <source>AM</source>
        <translation>Armenien</translation>
    </message>
    <message>
        <source>AO</source>
        <translation>Angola</translation>
    </message>
    <message>
        <source>AQ</source>
        <translation>Antarktis</translation>
    </message>
    <message>
        <source>AR</source>
        <translation>Argentinien</translation>
    </message>
    <message>
        <source>AS</source>
        <translation>Amerikanisch-Samoa</translation>
    </message>
    <message>
        <source>AT</source>
        <translation>Österreich</translation>
    </message>
    <message>
        <source>AU</source>
        <translation>Australien</translation>
    </message>
    <message>
        <source>AW</source>
        <translation>Aruba</translation>
    </message>
    <message>
        <source>AX</source>
        <translation>Ålandinseln</translation>
    </message>
    <message>
        <source>AZ</source>
        <translation>Aserbaidschan</translation>
    </message>
    <message>
        <source>BA</source>
        <translation>Bosnien und Herzegowina</translation>
    </message>
    <message>
        <source>BB</source>
        <translation>Barbados</translation>
    </message>
    <message>
        <source>BD</source>
        <translation>Bangladesch</translation>
    </message>
    <message>
        <source>BE</source>
        <translation>Belgien</translation>
    </message>
    <message>
        <source>BF</source>
        <translation>Burkina Faso</translation>
    </message>
    <message>
        <source>BG</source>
        <translation>Bulgarien</translation>
    </message>
    <message>
        <source>BH</source>
        <translation>Bahrain</translation>
    </message>
    <message>
        <source>BI</source>
        <translation>Burundi</translation>
    </message>
    <message>
        <source>BJ</source>
        <translation>Benin</translation>
    </message>
    <message>
        <source>BL</source>
        <translation>St. Barthélemy</translation>
    </message>
    <message>
        <source>BM</source>
        <translation>Bermuda</translation>
    </message>
    <message>
        <source>BN</source>
        <translation>Brunei</translation>
    </message>
    <message>
        <source>BO</source>
        <translation>Bolivien</translation>
    </message>
    <message>
        <source>BQ</source>
        <translation>Karibische Niederlande</translation>
    </message>
    <message>
        <source>BR</source>
        <translation>Brasilien</translation>
    </message>
    <message>
        <source>BS</source>
        <translation>Bahamas</translation>
    </message>
    <message>
        <source>BT</source>
        <translation>Bhutan</translation>
    </message>
    <message>
        <source>BV</source>
        <translation>Bouvetinsel</translation>
    </message>
    <message>
        <source>BW</source>
        <translation>Botsuana</translation>
    </message>
    <message>
        <source>BY</source>
        <translation>Belarus</translation>
    </message>
    <message>
        <source>BZ</source>
        <translation>Belize</translation>
    </message>
    <message>
        <source>CA</source>
        <translation>Kanada</translation>
    </message>
    <message>
        <source>CC</source>
        <translation>Kokosinseln</translation>
    </message>
    <message>
        <source>CD</source>
        <translation>Demokratische Republik Kongo</translation>
    </message>
    <message>
        <source>CF</source>
        <translation>Zentralafrikanische Republik</translation>
    </message>
    <message>
        <source>CG</source>
        <translation>Republik Kongo</translation>
    </message>
    <message>
        <source>CH</source>
        <translation>Schweiz</translation>
    </message>
    <message>
        <source>CI</source>
        <translation>Elfenbeinküste</translation>
    </message>
    <message>
        <source>CK</source>
        <translation>Cookinseln</translation>
    </message>
    <message>
        <source>CL</source>
        <translation>Chile</translation>
    </message>
    <message>
        <source>CM</source>
        <translation>Kamerun</translation>
    </message>
    <message>
        <source>CN</source>
        <translation>China</translation>
    </message>
    <message>
        <source>CO</source>
        <translation>Kolumbien</translation>
    </message>
    <message>
        <source>CR</source>
        <translation>Costa Rica</translation>
    </message>
    <message>
        <source>CU</source>
        <translation>Kuba</translation>
    </message>
    <message>
        <source>CV</source>
        <translation>Kap Verde</translation>
    </message>
    <message>
        <source>CW</source>
        <translation>Curaçao</translation>
    </message>
    <message>
        <source>CX</source>
        <translation>Weihnachtsinsel</translation>
    </message>
    <message>
        <source>CY</source>
        <translation>Zypern</translation>
    </message>
    <message>
        <source>CZ</source>
        <translation>Tschechien</translation>
    </message>
    <message>
        <source>DE</source>
        <translation>Deutschland</translation>
    </message>
    <message>
        <source>DJ</source>
        <translation>Dschibuti</translation>
    </message>
    <message>
        <source>DK</source>
        <translation>Dänemark</translation>
    </message>
    <message>
        <source>DM</source>
        <translation>Dominica</translation>
    </message>
    <message>
        <source>DO</source>
        <translation>Dominikanische Republik</translation>
    </message>
    <message>
        <source>DZ</source>
        <translation>Algerien</translation>
    </message>
    <message>
        <source>EC</source>
        <translation>Ecuador</translation>
    </message>
    <message>
        <source>EE</source>
        <translation>Estland</translation>
    </message>
    <message>
        <source>EG</source>
        <translation>Ägypten</translation>
    </message>
    <message>
        <source>EH</source>
        <translation>Westsahara</translation>
    </message>
    <message>
        <source>ER</source>
        <translation>Eritrea</translation>
    </message>
    <message>
        <source>ES</source>
        <translation>Spanien</translation>
    </message>
    <message>
        <source>ET</source>
        <translation>Äthiopien</translation>
    </message>
    <message>
        <source>FI</source>
        <translation>Finnland</translation>
    </message>
    <message>
        <source>FJ</source>
        <translation>Fidschi</translation>
    </message>
    <message>
        <source>FK</source>
        <translation>Falklandinseln</translation>
    </message>
    <message>
        <source>FM</source>
        <translation>Mikronesien</translation>
    </message>
    <message>
        <source>FO</source>
        <translation>Färöer</translation>
    </message>
    <message>
        <source>FR</source>
        <translation>Frankreich</translation>
    </message>
    <message>
        <source>GA</source>
        <translation>Gabun</translation>
    </message>
    <message>
        <source>GB</source>
        <translation>Vereinigtes Königreich</translation>
    </message>
    <message>
        <source>GD</source>
        <translation>Grenada</translation>
    </message>
    <message>
        <source>GE</source>
        <translation>Georgien</translation>
    </message>
    <message>
        <source>GF</source>
        <translation>Französisch-Guayana</translation>
    </message>
    <message>
        <source>GG</source>
        <translation>Guernsey</translation>
    </message>
    <message>
        <source>GH</source>
        <translation>Ghana</translation>
    </message>
    <message>
        <source>GI</source>
        <translation>Gibraltar</translation>
    </message>
    <message>
        <source>GL</source>
        <translation>Grönland</translation>
    </message>
    <message>
        <source>GM</source>
        <translation>Gambia</translation>
    </message>
    <message>
        <source>GN</source>
        <translation>Guinea</translation>
    </message>
    <message>
        <source>GP</source>
        <translation>Guadeloupe</translation>
    </message>
    <message>
        <source>GQ</source>
        <translation>Äquatorialguinea</translation>
    </message>
    <message>
        <source>GR</source>
        <translation>Griechenland</translation>
    </message>
    <message>
        <source>GS</source>
        <translation>Südgeorgien und die Südlichen Sandwichinseln</translation>
    </message>
    <message>
        <source>GT</source>
        <translation>Guatemala</translation>
    </message>
    <message>
        <source>GU</source>
        <translation>Guam</translation>
    </message>
    <message>
        <source>GW</source>
        <translation>Guinea-Bissau</translation>
    </message>
    <message>
        <source>GY</source>
        <translation>Guyana</translation>
    </message>
    <message>
        <source>HK</source>
        <translation>Hongkong</translation>
    </message>
    <message>
        <source>HM</source>
        <translation>Heard und McDonaldinseln</translation>
    </message>
    <message>
        <source>HN</source>
        <translation>Honduras</translation>
    </message>
    <message>
        <source>HR</source>
        <translation>Kroatien</translation>
    </message>
    <message>
        <source>HT</source>
        <translation>Haiti</translation>
    </message>
    <message>
        <source>HU</source>
        <translation>Ungarn</translation>
    </message>
    <message>
        <source>ID</source>
        <translation>Indonesien</translation>
    </message>
    <message>
        <source>IE</source>
        <translation>Irland</translation>
    </message>
    <message>
        <source>IL</source>
        <translation>Israel</translation>
    </message>
    <message>
        <source>IM</source>
        <translation>Isle of Man</translation>
    </message>
    <message>
        <source>IN</source>
        <translation>Indien</translation>
    </message>
    <message>
        <source>IO</source>
        <translation>Britisches Territorium im Indischen Ozean</translation>
    </message>
    <message>
        <source>IQ</source>
        <translation>Irak</translation>
    </message>
    <message>
        <source>IR</source>
        <translation>Iran</translation>
    </message>
    <message>
        <source>IS</source>
        <translation>Island</translation>
    </message>
    <message>
        <source>IT</source>
        <translation>Italien</translation>
    </message>
    <message>
        <source>JE</source>
        <translation>Jersey</translation>
    </message>
    <message>
        <source>JM</source>
        <translation>Jamaika</translation>
    </message>
    <message>
        <source>JO</source>
        <translation>Jordanien</translation>
    </message>
    <message>
        <source>JP</source>
        <translation>Japan</translation>
    </message>
    <message>
        <source>KE</source>
        <translation>Kenia</translation>
    </message>
    <message>
        <source>KG</source>
        <translation>Kirgisistan</translation>
    </message>
    <message>
        <source>KH</source>
        <translation>Kambodscha</translation>
    </message>
    <message>
        <source>KI</source>
        <translation>Kiribati</translation>
    </message>
    <message>
        <source>KM</source>
        <translation>Komoren</translation>
    </message>
    <message>
        <source>KN</source>
        <translation>St. Kitts und Nevis</translation>
    </message>
    <message>
        <source>KP</source>
        <translation>Nordkorea</translation>
    </message>
    <message>
        <source>KR</source>
        <translation>Südkorea</translation>
    </message>
    <message>
        <source>KW</source>
        <translation>Kuwait</translation>
    </message>
    <message>
        <source>KY</source>
        <translation>Kaimaninseln</translation>
    </message>
    <message>
        <source>KZ</source>
        <translation>Kasachstan</translation>
    </message>
    <message>
        <source>LA</source>
        <translation>Laos</translation>
    </message>
    <message>
        <source>LB</source>
        <translation>Libanon</translation>
    </message>
    <message>
        <source>LC</source>
        <translation>St. Lucia</translation>
    </message>
    <message>
        <source>LI</source>
        <translation>Liechtenstein</translation>
    </message>
    <message>
        <source>LK</source>
        <translation>Sri Lanka</translation>
    </message>
    <message>
        <source>LR</source>
        <translation>Liberia</translation>
    </message>
    <message>
        <source>LS</source>
        <translation>Lesotho</translation>
    </message>
    <message>
        <source>LT</source>
        <translation>Litauen</translation>
    </message>
    <message>
        <source>LU</source>
        <translation>Luxemburg</translation>
    </message>
    <message>
        <source>LV</source>
        <translation>Lettland</translation>
    </message>
    <message>
        <source>LY</source>
        <translation>Libyen</translation>
    </message>
    <message>
        <source>MA</source>
        <translation>Marokko</translation>
    </message>
    <message>
        <source>MC</source>
        <translation>Monaco</translation>
    </message>
    <message>
        <source>MD</source>
        <translation>Moldau</translation>
    </message>
    <message>
        <source>ME</source>
        <translation>Montenegro</translation>
    </message>
    <message>
        <source>MF</source>
        <translation>St. Martin</translation>
    </message>
    <message>
        <source>MG</source>
        <translation>Madagaskar</translation>
    </message>
    <message>
        <source>MH</source>
        <translation>Marshallinseln</translation>
    </message>
    <message>
        <source>MK</source>
        <translation>Nordmazedonien</translation>
    </message>
    <message>
        <source>ML</source>
        <translation>Mali</translation>
    </message>
    <message>
        <source>MM</source>
        <translation>Myanmar</translation>
    </message>
    <message>
        <source>MN</source>
        <translation>Mongolei</translation>
    </message>
    <message>
        <source>MO</source>
        <translation>Macau</translation>
    </message>
    <message>
        <source>MP</source>
        <translation>Nördliche Marianen</translation>
    </message>
    <message>
        <source>MQ</source>
        <translation>Martinique</translation>
    </message>
    <message>
        <source>MR</source>
        <translation>Mauretanien</translation>
    </message>
    <message>
        <source>MS</source>
        <translation>Montserrat</translation>
    </message>
    <message>
        <source>MT</source>
        <translation>Malta</translation>
    </message>
    <message>
        <source>MU</source>
        <translation>Mauritius</translation>
    </message>
    <message>
        <source>MV</source>
        <translation>Malediven</translation>
    </message>
    <message>
        <source>MW</source>
        <translation>Malawi</translation>
    </message>
    <message>
        <source>MX</source>
        <translation>Mexiko</translation>
    </message>
    <message>
        <source>MY</source>
        <translation>Malaysia</translation>
    </message>
    <message>
        <source>MZ</source>
        <translation>Mosambik</translation>
    </message>
    <message>
        <source>NA</source>
        <translation>Namibia</translation>
    </message>
    <message>
        <source>NC</source>
        <translation>Neukaledonien</translation>
    </message>
    <message>
        <source>NE</source>
        <translation>Niger</translation>
    </message>
    <message>
        <source>NF</source>
        <translation>Norfolkinsel</translation>
    </message>
    <message>
        <source>NG</source>
        <translation>Nigeria</translation>
    </message>
    <message>
        <source>NI</source>
        <translation>Nicaragua</translation>
    </message>
    <message>
        <source>NL</source>
        <translation>Niederlande</translation>
    </message>
    <message>
        <source>NO</source>
        <translation>Norwegen</translation>
    </message>
    <message>
        <source>NP</source>
        <translation>Nepal</translation>
    </message>
    <message>
        <source>NR</source>
        <translation>Nauru</translation>
    </message>
    <message>
        <source>NU</source>
        <translation>Niue</translation>
    </message>
    <message>
        <source>NZ</source>
        <translation>Neuseeland</translation>
    </message>
    <message>
        <source>OM</source>
        <translation>Oman</translation>
    </message>
    <message>
        <source>PA</source>
        <translation>Panama</translation>
    </message>
    <message>
        <source>PE</source>
        <translation>Peru</translation>
    </message>
    <message>
        <source>PF</source>
        <translation>Französisch-Polynesien</translation>
    </message>
    <message>
        <source>PG</source>
        <translation>Papua-Neuguinea</translation>
    </message>
    <message>
        <source>PH</source>
        <translation>Philippinen</translation>
    </message>
    <message>
        <source>PK</source>
        <translation>Pakistan</translation>
    </message>
    <message>
        <source>PL</source>
        <translation>Polen</translation>
    </message>
    <message>
        <source>PM</source>
        <translation>St. Pierre und Miquelon</translation>
    </message>
    <message>
        <source>PN</source>
        <translation>Pitcairninseln</translation>
    </message>
    <message>
        <source>PR</source>
        <translation>Puerto Rico</translation>
    </message>
    <message>
        <source>PS</source>
        <translation>Palästinensische Gebiete</translation>
    </message>
    <message>
        <source>PT</source>
        <translation>Portugal</translation>
    </message>
    <message>
        <source>PW</source>
        <translation>Palau</translation>
    </message>
    <message>
        <source>PY</source>
        <translation>Paraguay</translation>
    </message>
    <message>
        <source>QA</source>
        <translation>Katar</translation>
    </message>
    <message>
        <source>RE</source>
        <translation>Réunion</translation>
    </message>
    <message>
        <source>RO</source>
        <translation>Rumänien</translation>
    </message>
    <message>
        <source>RS</source>
        <translation>Serbien</translation>
    </message>
    <message>
        <source>RU</source>
        <translation>Russland</translation>
    </message>
    <message>
        <source>RW</source>
        <translation>Ruanda</translation>
    </message>
    <message>
        <source>SA</source>
        <translation>Saudi-Arabien</translation>
    </message>
    <message>
        <source>SB</source>
        <translation>Salomonen</translation>
    </message>
    <message>
        <source>SC</source>
        <translation>Seychellen</translation>
    </message>
    <message>
        <source>SD</source>
        <translation>Sudan</translation>
    </message>
    <message>
        <source>SE</source>
        <translation>Schweden</translation>
    </message>
    <message>
        <source>SG</source>
        <translation>Singapur</translation>
    </message>
    <message>
        <source>SH</source>
        <translation>St. Helena</translation>
    </message>
    <message>
        <source>SI</source>
        <translation>Slowenien</translation>
    </message>
    <message>
        <source>SJ</source>
        <translation>Spitzbergen und Jan Mayen</translation>
    </message>
    <message>
        <source>SK</source>
        <translation>Slowakei</translation>
    </message>
    <message>
        <source>SL</source>
        <translation>Sierra Leone</translation>
    </message>
    <message>
        <source>SM</source>
        <translation>San Marino</translation>
    </message>
    <message>
        <source>SN</source>
        <translation>Senegal</translation>
    </message>
    <message>
        <source>SO</source>
        <translation>Somalia</translation>
    </message>
    <message>
        <source>SR</source>
        <translation>Suriname</translation>
    </message>
    <message>
        <source>SS</source>
        <translation>Südsudan</translation>
    </message>
    <message>
        <source>ST</source>
        <translation>São Tomé und Príncipe</translation>
    </message>
    <message>
        <source>SV</source>
        <translation>El Salvador</translation>
    </message>
    <message>
        <source>SX</source>
        <translation>Sint Maarten</translation>
    </message>
    <message>
        <source>SY</source>
        <translation>Syrien</translation>
    </message>
    <message>
        <source>SZ</source>
        <translation>Eswatini</translation>
    </message>
    <message>
        <source>TC</source>
        <translation>Turks- und Caicosinseln</translation>
    </message>
    <message>
        <source>TD</source>
        <translation>Tschad</translation>
    </message>
    <message>
        <source>TF</source>
        <translation>Französische Süd- und Antarktisgebiete</translation>
    </message>
    <message>
        <source>TG</source>
        <translation>Togo</translation>
    </message>
    <message>
        <source>TH</source>
        <translation>Thailand</translation>
    </message>
    <message>
        <source>TJ</source>
        <translation>Tadschikistan</translation>
    </message>
    <message>
        <source>TK</source>
        <translation>Tokelau</translation>
    </message>
    <message>
        <source>TL</source>
        <translation>Timor-Leste</translation>
    </message>
    <message>
        <source>TM</source>
        <translation>Turkmenistan</translation>
    </message>
    <message>
        <source>TN</source>
        <translation>Tunesien</translation>
    </message>
    <message>
        <source>TO</source>
        <translation>Tonga</translation>
    </message>
    <message>
        <source>TR</source>
        <translation>Türkei</translation>
    </message>
    <message>
        <source>TT</source>
        <translation>Trinidad und Tobago</translation>
    </message>
    <message>
        <source>TV</source>
        <translation>Tuvalu</translation>
    </message>
    <message>
        <source>TW</source>
        <translation>Taiwan</translation>
    </message>
    <message>
        <source>TZ</source>
        <translation>Tansania</translation>
    </message>
    <message>
        <source>UA</source>
        <translation>Ukraine</translation>
    </message>
    <message>
        <source>UG</source>
        <translation>Uganda</translation>
    </message>
    <message>
        <source>UM</source>
        <translation>Kleinere Amerikanische Überseeinseln</translation>
    </message>
    <message>
        <source>US</source>
        <translation>Vereinigte Staaten</translation>
    </message>
    <message>
        <source>UY</source>
        <translation>Uruguay</translation>
    </message>
    <message>
        <source>UZ</source>
        <translation>Usbekistan</translation>
    </message>
    <message>
        <source>VA</source>
        <translation>Vatikanstadt</translation>
    </message>
    <message>
        <source>VC</source>
        <translation>St. Vincent und die Grenadinen</translation>
    </message>
    <message>
        <source>VE</source>
        <translation>Venezuela</translation>
    </message>
    <message>
        <source>VG</source>
        <translation>Britische Jungferninseln</translation>
    </message>
    <message>
        <source>VI</source>
        <translation>Amerikanische Jungferninseln</translation>
    </message>
    <message>
        <source>VN</source>
        <translation>Vietnam</translation>
    </message>
    <message>
        <source>VU</source>
        <translation>Vanuatu</translation>
    </message>
    <message>
        <source>WF</source>
        <translation>Wallis und Futuna</translation>
    </message>
    <message>
        <source>WS</source>
        <translation>Samoa</translation>
    </message>
    <message>
        <source>YE</source>
        <translation>Jemen</translation>
    </message>
    <message>
        <source>YT</source>
        <translation>Mayotte</translation>
    </message>
    <message>
        <source>ZA</source>
        <translation>Südafrika</translation>
    </message>
    <message>
        <source>ZM</source>
        <translation>Sambia</translation>
    </message>
    <message>
        <source>ZW</source>
        <translation>Simbabwe</translation>
    </message>
</context>
<context>
    <name>Device</name>
    <message>
        <source>GPU without a name</source>
        <translation>GPU ohne Namen</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>CPU · %1</source>
        <translation>CPU · %1</translation>
    </message>
    <message>
        <source>GPU %1 · %2</source>
        <translation>GPU %1 · %2</translation>
    </message>
    <message>
        <source>%1: Workerbee has no engine for it yet, so it stays idle.</source>
        <translation>%1: Dafür hat Workerbee noch kein Trainingsprogramm; sie bleibt ungenutzt.</translation>
    </message>
    <message>
        <source>%1: Workerbee has no engine for it yet, so the CPU trains.</source>
        <translation>%1: Dafür hat Workerbee noch kein Trainingsprogramm; deshalb rechnet die CPU.</translation>
    </message>
    <message>
        <source>%1 has no working driver, so the CPU trains.</source>
        <translation>%1 hat keinen funktionierenden Treiber; deshalb rechnet die CPU.</translation>
    </message>
    <message>
        <source>%1: NVIDIA&apos;s driver is loaded, but tells of no GPU, so the CPU trains.</source>
        <translation>%1: Der NVIDIA-Treiber ist geladen, nennt aber keine GPU; deshalb rechnet die CPU.</translation>
    </message>
    <message>
        <source>There is nothing to install for it.</source>
        <translation>Sie müssen dafür nichts installieren.</translation>
    </message>
    <message>
        <source>Install NVIDIA&apos;s driver from your system&apos;s packages, then restart the computer.</source>
        <translation>Installieren Sie den NVIDIA-Treiber aus den Paketen Ihres Systems, und starten Sie dann den Computer neu.</translation>
    </message>
    <message>
        <source>Install NVIDIA&apos;s driver from your system&apos;s packages. Secure Boot is on, so the system loads it only once its key is enrolled: mokutil --import, confirmed at the next restart.</source>
        <translation>Installieren Sie den NVIDIA-Treiber aus den Paketen Ihres Systems. Secure Boot ist eingeschaltet; deshalb lädt das System ihn erst, wenn sein Schlüssel eingetragen ist: mokutil --import, beim nächsten Neustart bestätigt.</translation>
    </message>
    <message>
        <source>Restart the computer, which an update of the driver needs; if it stays so, install the driver anew. A container needs NVIDIA&apos;s container toolkit.</source>
        <translation>Starten Sie den Computer neu; das ist nach einer Aktualisierung des Treibers nötig. Bleibt es so, installieren Sie den Treiber neu. Ein Container braucht NVIDIAs Container-Toolkit.</translation>
    </message>
</context>
<context>
    <name>DeviceCard</name>
    <message>
        <source>What you can lend</source>
        <translation>Was Sie beisteuern können</translation>
    </message>
    <message>
        <source>Looking for a GPU…</source>
        <translation>Suche nach einer GPU&#xa0;…</translation>
    </message>
    <message>
        <source>The device that you chose is not there now. Choose another one, or plug it in.</source>
        <translation>Das gewählte Gerät ist gerade nicht da. Wählen Sie ein anderes oder schließen Sie es an.</translation>
    </message>
    <message>
        <source>The training engine on this computer is none for %1, which you chose. Choose another device.</source>
        <translation>Das Trainingsprogramm auf diesem Computer ist keines für das gewählte Gerät (%1). Wählen Sie ein anderes.</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver does not answer. Workerbee goes on asking; restart if it stays so.</source>
        <translation>Der NVIDIA-Treiber antwortet nicht. Workerbee fragt weiter; starten Sie den Computer neu, wenn es so bleibt.</translation>
    </message>
    <message>
        <source>%1 stays idle: the training engine on this computer is none for it. Workerbee offers another at its start, once there is one for this GPU and its driver.</source>
        <translation>%1 bleibt unbenutzt: Das Trainingsprogramm auf diesem Computer ist keines für sie. Workerbee bietet beim Start ein anderes an, sobald es eines für diese GPU und ihren Treiber gibt.</translation>
    </message>
    <message>
        <source>No NVIDIA GPU: the CPU can help, slowly.</source>
        <translation>Keine NVIDIA-GPU: Die CPU kann mithelfen, aber langsam.</translation>
    </message>
    <message>
        <source>You chose the CPU: it helps more slowly than the GPU would.</source>
        <translation>Sie haben die CPU gewählt: Sie hilft langsamer mit, als es die GPU könnte.</translation>
    </message>
    <message>
        <source>How much memory is free is not known.</source>
        <translation>Wie viel Speicher frei ist, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>%1 of %2 memory free</source>
        <translation>%1 von %2 Arbeitsspeicher frei</translation>
    </message>
    <message>
        <source>%1 of %2 GPU memory free</source>
        <translation>%1 von %2 Grafikspeicher frei</translation>
    </message>
    <message>
        <source>driver %1</source>
        <translation>Treiber %1</translation>
    </message>
    <message>
        <source>%1 °C</source>
        <translation>%1 °C</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver does not tell here what else is using it.</source>
        <translation>NVIDIAs Treiber sagt hier nicht, wer sie sonst nutzt.</translation>
    </message>
    <message>
        <source>Nothing else is using it.</source>
        <translation>Sonst nutzt sie niemand.</translation>
    </message>
    <message>
        <source>a program</source>
        <translation>ein Programm</translation>
    </message>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n weiteres</numerusform>
            <numerusform>%n weitere</numerusform>
        </translation>
    </message>
    <message>
        <source>Also using it: %1</source>
        <translation>Außerdem nutzen sie: %1</translation>
    </message>
</context>
<context>
    <name>DeviceList</name>
    <message>
        <source>GPUs in this run</source>
        <translation>GPUs in diesem Lauf</translation>
    </message>
    <message>
        <source>The page shows the one that is chosen, and its buttons are for that; the tray pauses all.</source>
        <translation>Die Seite zeigt die gewählte GPU, und die Knöpfe gelten nur für diese; das Menü im Infobereich pausiert alle.</translation>
    </message>
</context>
<context>
    <name>DeviceSelector</name>
    <message>
        <source>Device to train on</source>
        <translation>Gerät zum Trainieren</translation>
    </message>
    <message>
        <source>automatically chosen device</source>
        <translation>automatisch gewähltes Gerät</translation>
    </message>
    <message>
        <source>missing: %1</source>
        <translation>fehlt: %1</translation>
    </message>
</context>
<context>
    <name>ElectricitySettings</name>
    <message>
        <source>Price of a kilowatt-hour</source>
        <translation>Preis einer Kilowattstunde</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>Currency</source>
        <translation>Währung</translation>
    </message>
    <message>
        <source>%1 W, as a processor</source>
        <translation>%1 W, wie ein Prozessor</translation>
    </message>
    <message>
        <source>Power of a device that does not tell its own</source>
        <translation>Leistung eines Geräts, das seine nicht nennt</translation>
    </message>
    <message>
        <source>Electricity</source>
        <translation>Strom</translation>
    </message>
    <message>
        <source>A kilowatt-hour costs %1 %2</source>
        <translation>Eine Kilowattstunde kostet %1 %2</translation>
    </message>
    <message>
        <source>A device that does not tell its power draws %1</source>
        <translation>Ein Gerät, das seine Leistung nicht nennt, zieht %1</translation>
    </message>
    <message>
        <source>From these the page of contributions reckons what training has cost.</source>
        <translation>Daraus berechnet die Seite „Beiträge“, was das Training gekostet hat.</translation>
    </message>
</context>
<context>
    <name>Engine</name>
    <message>
        <source>There is a newer training engine.</source>
        <translation>Es gibt ein neueres Trainingsprogramm.</translation>
    </message>
    <message>
        <source>The one that is here works until the new one is made.</source>
        <translation>Das vorhandene läuft, bis das neue fertig ist.</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>for NVIDIA GPUs (CUDA 13)</source>
        <translation>für NVIDIA-GPUs (CUDA 13)</translation>
    </message>
    <message>
        <source>for AMD GPUs (ROCm)</source>
        <translation>für AMD-GPUs (ROCm)</translation>
    </message>
    <message>
        <source>for the CPU</source>
        <translation>für die CPU</translation>
    </message>
    <message>
        <source>There is an AMD GPU, but no engine for it yet, so the CPU computes.</source>
        <translation>Eine AMD-GPU ist vorhanden, aber noch kein Trainingsprogramm für sie; deshalb rechnet die CPU.</translation>
    </message>
    <message>
        <source>The NVIDIA driver is %1.</source>
        <translation>Der NVIDIA-Treiber ist %1.</translation>
    </message>
    <message>
        <source>The NVIDIA driver %1 is too old for any build: update it to 580 or newer to use the GPU.</source>
        <translation>Der NVIDIA-Treiber %1 ist für jede Ausführung zu alt: Mit 580 oder neuer kann die GPU benutzt werden.</translation>
    </message>
    <message>
        <source>The NVIDIA GPU&apos;s compute capability is %1.</source>
        <translation>Die NVIDIA-GPU hat die Compute Capability %1.</translation>
    </message>
    <message>
        <source>for NVIDIA GPUs with older drivers (CUDA 12.8)</source>
        <translation>für NVIDIA-GPUs mit älteren Treibern (CUDA 12.8)</translation>
    </message>
    <message>
        <source>for older NVIDIA GPUs (CUDA 12.6)</source>
        <translation>für ältere NVIDIA-GPUs (CUDA 12.6)</translation>
    </message>
    <message>
        <source>for Intel GPUs (XPU)</source>
        <translation>für Intel-GPUs (XPU)</translation>
    </message>
    <message>
        <source>There is an AMD GPU.</source>
        <translation>Eine AMD-GPU ist vorhanden.</translation>
    </message>
    <message>
        <source>There is an Intel GPU.</source>
        <translation>Eine Intel-GPU ist vorhanden.</translation>
    </message>
    <message>
        <source>No GPU with a driver was found.</source>
        <translation>Keine GPU mit Treiber gefunden.</translation>
    </message>
    <message>
        <source>Whoever reaches a package index with PyTorch for it can list the engine&apos;s files, in a checkout: %1</source>
        <translation>Wer einen Paketindex mit PyTorch dafür erreicht, kann dessen Dateien auflisten, in einer Kopie des Quelltexts: %1</translation>
    </message>
    <message>
        <source>The NVIDIA GPU is too old for any build, so the CPU computes: its compute capability is %1, and %2 is the least (%3).</source>
        <translation>Die NVIDIA-GPU ist für jede Ausführung zu alt, deshalb rechnet die CPU: Ihre Compute Capability ist %1, nötig ist mindestens %2 (%3).</translation>
    </message>
    <message>
        <source>The build for an NVIDIA GPU of compute capability %1 is for Python %2 to %3, and this is %4, so the CPU computes.</source>
        <translation>Die Ausführung für eine NVIDIA-GPU mit Compute Capability %1 gibt es für Python %2 bis %3, und dies ist %4, deshalb rechnet die CPU.</translation>
    </message>
    <message>
        <source>%1 needed, %2 free</source>
        <translation>%1 nötig, %2 frei</translation>
    </message>
    <message>
        <source>Build</source>
        <translation>Ausführung</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>Herunterladen</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Festplatte</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>Ordner</translation>
    </message>
    <message>
        <source>Looking for the files …</source>
        <translation>Sucht die Dateien …</translation>
    </message>
    <message>
        <source>Putting it together …</source>
        <translation>Setzt es zusammen …</translation>
    </message>
    <message>
        <source>Trying it out …</source>
        <translation>Probiert es aus …</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>noch %1</translation>
    </message>
</context>
<context>
    <name>EnginePage</name>
    <message>
        <source>&amp;Download and set up</source>
        <translation>Herunter&amp;laden und einrichten</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>&amp;Go on</source>
        <translation>&amp;Weiter</translation>
    </message>
    <message>
        <source>&amp;Try again</source>
        <translation>&amp;Noch einmal</translation>
    </message>
    <message>
        <source>Paused. What was downloaded is kept.</source>
        <translation>Angehalten. Was heruntergeladen ist, bleibt.</translation>
    </message>
    <message>
        <source>One step before the first run</source>
        <translation>Ein Schritt vor dem ersten Lauf</translation>
    </message>
    <message>
        <source>Training needs an engine that suits this computer: PyTorch, hivemind and what belongs to them. It is downloaded once, into a folder of yours; nothing else is changed.</source>
        <translation>Zum Trainieren braucht es ein Trainingsprogramm, das zu diesem Computer passt: PyTorch, hivemind und was dazugehört. Es wird einmal heruntergeladen, in einen Ihrer Ordner; sonst wird nichts verändert.</translation>
    </message>
</context>
<context>
    <name>EpochProgressBar</name>
    <message>
        <source>Progress to the next step</source>
        <translation>Fortschritt bis zum nächsten Schritt</translation>
    </message>
    <message>
        <source>%1 of %2 samples, %3 of them mine</source>
        <translation>%1 von %2 Beispielen, davon %3 von mir</translation>
    </message>
</context>
<context>
    <name>EpochProgressCard</name>
    <message>
        <source>The swarm&apos;s next step</source>
        <translation>Der nächste Schritt des Schwarms</translation>
    </message>
    <message>
        <source>not known at rest</source>
        <translation>unbekannt in der Pause</translation>
    </message>
    <message>
        <source>%1 of %2 samples, %3 of them mine</source>
        <translation>%1 von %2 Beispielen, davon %3 von mir</translation>
    </message>
    <message numerus="yes">
        <source>%n peers</source>
        <translation>
            <numerusform>%n Teilnehmer</numerusform>
            <numerusform>%n Teilnehmer</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them outgoing only</source>
        <translation>
            <numerusform>davon %n nur ausgehend</numerusform>
            <numerusform>davon %n nur ausgehend</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 together</source>
        <translation>zusammen&#xa0;%1</translation>
    </message>
</context>
<context>
    <name>EventLog</name>
    <message>
        <source>Looking for the run.</source>
        <translation>Der Lauf wird gesucht.</translation>
    </message>
    <message>
        <source>Asked to train on %1.</source>
        <translation>Training auf %1 angefordert.</translation>
    </message>
    <message>
        <source>Asked to publish a run.</source>
        <translation>Veröffentlichung eines Laufs angefordert.</translation>
    </message>
    <message>
        <source>Asked how much fits on this computer.</source>
        <translation>Gefragt, wie viel auf diesen Computer passt.</translation>
    </message>
    <message>
        <source>Asked to export the model.</source>
        <translation>Gebeten, das Modell zu exportieren.</translation>
    </message>
    <message>
        <source>Asked to push the model to the hub.</source>
        <translation>Gebeten, das Modell zum Hub hochzuladen.</translation>
    </message>
    <message>
        <source>Asked whether the engine works.</source>
        <translation>Prüfung des Trainingsprogramms angefordert.</translation>
    </message>
    <message>
        <source>Asked to stop.</source>
        <translation>Ende angefordert.</translation>
    </message>
    <message>
        <source>Asked whether others can reach this computer.</source>
        <translation>Gefragt, ob andere diesen Computer erreichen.</translation>
    </message>
    <message>
        <source>Asked to work at another pace.</source>
        <translation>Gebeten, in einem anderen Tempo zu arbeiten.</translation>
    </message>
    <message>
        <source>Pausing: the computer goes to sleep.</source>
        <translation>Pause: Der Computer geht in den Ruhezustand.</translation>
    </message>
    <message>
        <source>Pausing: the epoch is finished.</source>
        <translation>Pause: Die Epoche ist abgeschlossen.</translation>
    </message>
    <message>
        <source>Asked to pause until %1.</source>
        <translation>Pause bis %1 angefordert.</translation>
    </message>
    <message>
        <source>Asked to pause.</source>
        <translation>Pause angefordert.</translation>
    </message>
    <message>
        <source>Only outgoing connections</source>
        <translation>Nur ausgehende Verbindungen</translation>
    </message>
    <message numerus="yes">
        <source>Caught up with %n round(s) of the others:</source>
        <translation>
            <numerusform>%n Runde der anderen nachgeholt:</numerusform>
            <numerusform>%n Runden der anderen nachgeholt:</numerusform>
        </translation>
    </message>
    <message>
        <source>what this computer has learned meanwhile goes into the next round.</source>
        <translation>Was dieser Computer unterdessen gelernt hat, geht in die nächste Runde ein.</translation>
    </message>
    <message>
        <source>what this computer has learned meanwhile fits them no more, and was dropped.</source>
        <translation>Was dieser Computer unterdessen gelernt hat, passt nicht mehr dazu und wurde verworfen.</translation>
    </message>
    <message>
        <source>Training goes on after the pause.</source>
        <translation>Das Training geht nach der Pause weiter.</translation>
    </message>
    <message>
        <source>Asked to stop after this epoch.</source>
        <translation>Anhalten nach dieser Epoche angefordert.</translation>
    </message>
    <message>
        <source>Not stopping after this epoch after all.</source>
        <translation>Nach dieser Epoche wird doch nicht angehalten.</translation>
    </message>
    <message>
        <source>By your rules, this computer is free for training</source>
        <translation>Nach Ihren Regeln ist dieser Computer frei fürs Training</translation>
    </message>
    <message>
        <source>The engine has started, version %1.</source>
        <translation>Das Trainingsprogramm ist gestartet, Version %1.</translation>
    </message>
    <message numerus="yes">
        <source>Connected: %n peer(s) known; this computer is %1.</source>
        <translation>
            <numerusform>Verbunden: %n Teilnehmer bekannt; dieser Computer ist %1.</numerusform>
            <numerusform>Verbunden: %n Teilnehmer bekannt; dieser Computer ist %1.</numerusform>
        </translation>
    </message>
    <message>
        <source>Found the run “%1”, revision %2.</source>
        <translation>Lauf „%1“ gefunden, Fassung %2.</translation>
    </message>
    <message numerus="yes">
        <source>The search found %n run(s).</source>
        <translation>
            <numerusform>Die Suche hat %n Lauf gefunden.</numerusform>
            <numerusform>Die Suche hat %n Läufe gefunden.</numerusform>
        </translation>
    </message>
    <message>
        <source>Published, revision %1.</source>
        <translation>Veröffentlicht, Fassung %1.</translation>
    </message>
    <message>
        <source>This computer listens for others</source>
        <translation>Dieser Computer nimmt Verbindungen anderer an</translation>
    </message>
    <message>
        <source>Others can reach this computer directly</source>
        <translation>Andere können diesen Computer direkt erreichen</translation>
    </message>
    <message>
        <source>Training starts on %1 at epoch %2: %3 parameters.</source>
        <translation>Das Training beginnt auf %1 in Epoche %2: %3 Parameter.</translation>
    </message>
    <message>
        <source>Epoch %1: accuracy %2 on what nobody trains on, loss %3.</source>
        <translation>Epoche %1: Genauigkeit %2 bei nicht trainierten Beispielen, Loss %3.</translation>
    </message>
    <message>
        <source>Epoch %1: not measured, as nobody answered for a layer&apos;s experts.</source>
        <translation>Epoche %1: nicht gemessen, da niemand für die Experten einer Schicht geantwortet hat.</translation>
    </message>
    <message>
        <source>The organiser measured a loss of %1 after epoch %2.</source>
        <translation>Der Organisator hat nach Epoche %2 einen Loss von %1 gemessen.</translation>
    </message>
    <message>
        <source>Epoch %1: checkpoint saved as %2</source>
        <translation>Epoche %1: Checkpoint gespeichert als %2</translation>
    </message>
    <message>
        <source>Connected, but no round moves the run.</source>
        <translation>Verbunden, aber keine Runde bringt den Lauf voran.</translation>
    </message>
    <message>
        <source>Round %1: changes not averaged: %2.</source>
        <translation>Runde %1: Änderungen nicht gemittelt: %2.</translation>
    </message>
    <message numerus="yes">
        <source>Round %1: changes averaged with %n peer(s), but no step taken: %2.</source>
        <translation>
            <numerusform>Runde %1: Änderungen mit %n Teilnehmer gemittelt, aber kein Schritt getan: %2.</numerusform>
            <numerusform>Runde %1: Änderungen mit %n Teilnehmern gemittelt, aber kein Schritt getan: %2.</numerusform>
        </translation>
    </message>
    <message>
        <source>Your change was left out: it was far larger than is usual, or against all others&apos;.</source>
        <translation>Ihre Änderung wurde ausgelassen: Sie war viel größer als üblich oder denen aller anderen entgegengesetzt.</translation>
    </message>
    <message>
        <source>Your change counted for %1: it was larger than the others&apos;, or of more samples.</source>
        <translation>Ihre Änderung zählte zu %1: Sie war größer als die der anderen oder beruhte auf mehr Beispielen.</translation>
    </message>
    <message>
        <source>What %1 sent was far from what the others sent, and was cut down or left out.</source>
        <translation>Was %1 gesendet hat, lag weit außerhalb dessen, was die anderen gesendet haben, und wurde gekürzt oder weggelassen.</translation>
    </message>
    <message>
        <source>%1 cannot be reached from here, or does not answer; for ten minutes your groups do without its work.</source>
        <translation>%1 ist von hier aus nicht erreichbar oder antwortet nicht; zehn Minuten lang kommen Ihre Gruppen ohne seine Arbeit aus.</translation>
    </message>
    <message numerus="yes">
        <source>According to %n peer(s), %1 has sent what cannot be right.</source>
        <translation>
            <numerusform>%n Teilnehmer sagt, dass %1 etwas gesendet hat, was nicht stimmen kann.</numerusform>
            <numerusform>%n Teilnehmer sagen, dass %1 etwas gesendet hat, was nicht stimmen kann.</numerusform>
        </translation>
    </message>
    <message>
        <source>What %1 changes makes the model worse on held-out samples.</source>
        <translation>Was %1 ändert, macht das Modell schlechter, gemessen an Beispielen, mit denen niemand trainiert.</translation>
    </message>
    <message numerus="yes">
        <source>Round %1: changes averaged with %n peer(s) in %2.</source>
        <translation>
            <numerusform>Runde %1: Änderungen in %2 mit %n Teilnehmer gemittelt.</numerusform>
            <numerusform>Runde %1: Änderungen in %2 mit %n Teilnehmern gemittelt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Epoch %1: state averaged with %n peer(s) in %2.</source>
        <translation>
            <numerusform>Epoche %1: Stand in %2 mit %n Teilnehmer gemittelt.</numerusform>
            <numerusform>Epoche %1: Stand in %2 mit %n Teilnehmern gemittelt.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Epoch %1: gradients averaged with %n peer(s) in %2.</source>
        <translation>
            <numerusform>Epoche %1: Gradienten in %2 mit %n Teilnehmer gemittelt.</numerusform>
            <numerusform>Epoche %1: Gradienten in %2 mit %n Teilnehmern gemittelt.</numerusform>
        </translation>
    </message>
    <message>
        <source>Epoch %1: state not averaged: %2.</source>
        <translation>Epoche %1: Stand nicht gemittelt: %2.</translation>
    </message>
    <message>
        <source>Epoch %1: gradients not averaged: %2.</source>
        <translation>Epoche %1: Gradienten nicht gemittelt: %2.</translation>
    </message>
    <message>
        <source>nobody else took part</source>
        <translation>niemand sonst hat teilgenommen</translation>
    </message>
    <message>
        <source>The run goes on that was interrupted when Workerbee ended.</source>
        <translation>Der Lauf geht weiter, der unterbrochen wurde, als Workerbee endete.</translation>
    </message>
    <message>
        <source>Epoch %1: exported, %2.</source>
        <translation>Epoche %1: exportiert, %2.</translation>
    </message>
    <message>
        <source>%1 has signed for %2 samples of yours, up to epoch %3.</source>
        <translation>%1 hat für %2 Beispiele von Ihnen unterschrieben, bis Epoche %3.</translation>
    </message>
    <message>
        <source>The line uploads %1 Mbit/s, as last measured here.</source>
        <translation>Die Leitung sendet %1 Mbit/s, wie hier zuletzt gemessen.</translation>
    </message>
    <message>
        <source>Pushed to the hub: %1</source>
        <translation>Zum Hub hochgeladen: %1</translation>
    </message>
    <message>
        <source>This computer lets no program limit the uploads of another.</source>
        <translation>Dieser Computer lässt kein Programm begrenzen, was ein anderes hochlädt.</translation>
    </message>
    <message>
        <source>%1 returns false averages, as the organiser or a keeper has found.</source>
        <translation>%1 gibt falsche Mittelwerte zurück, wie der Organisator oder jemand festgestellt hat, den er dazu benannt hat.</translation>
    </message>
    <message>
        <source>Your computer is helping.</source>
        <translation>Ihr Computer hilft mit.</translation>
    </message>
    <message>
        <source>The line downloads at least %1 Mbit/s, as measured here.</source>
        <translation>Die Leitung empfängt mindestens %1 Mbit/s, wie hier gemessen.</translation>
    </message>
    <message>
        <source>Connected, but alone.</source>
        <translation>Verbunden, aber allein.</translation>
    </message>
    <message>
        <source>Behind the others; their state is being downloaded.</source>
        <translation>Hinter den anderen zurück; deren Stand wird heruntergeladen.</translation>
    </message>
    <message>
        <source>Waiting for the first averaging with others.</source>
        <translation>Warten auf die erste Mittelung mit anderen.</translation>
    </message>
    <message>
        <source>Goodbye was said.</source>
        <translation>Beim Schwarm abgemeldet.</translation>
    </message>
    <message>
        <source>%1; attempt %2 starts in %3.</source>
        <translation>%1; Versuch %2 beginnt in %3.</translation>
    </message>
    <message>
        <source>Starting the engine again.</source>
        <translation>Das Trainingsprogramm wird neu gestartet.</translation>
    </message>
    <message>
        <source>The engine has ended; nothing of it is left on this computer.</source>
        <translation>Das Trainingsprogramm ist beendet; auf diesem Computer läuft nichts mehr davon.</translation>
    </message>
    <message>
        <source>Nothing has happened yet</source>
        <translation>Noch ist nichts geschehen</translation>
    </message>
    <message>
        <source>What has happened</source>
        <translation>Ereignisse</translation>
    </message>
</context>
<context>
    <name>ExpandableText</name>
    <message>
        <source>Read all of it</source>
        <translation>Alles lesen</translation>
    </message>
</context>
<context>
    <name>Experts</name>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Sent to experts</source>
        <translation>An Experten gesendet</translation>
    </message>
    <message>
        <source>Who hosts</source>
        <translation>Wer beherbergt</translation>
    </message>
    <message>
        <source>computes for whoever asks; all trainers of the run change its experts, each a little. No code is sent</source>
        <translation>rechnet für jeden, der fragt; alle, die im Lauf trainieren, ändern die Experten, jeder ein wenig. Programme werden nicht gesendet</translation>
    </message>
    <message>
        <source>trains: this run has no experts to host</source>
        <translation>trainiert: dieser Lauf hat keine Experten zu beherbergen</translation>
    </message>
    <message>
        <source>trains; it hosts no experts (workerbee join --role both would)</source>
        <translation>trainiert; er beherbergt keine Experten (mit workerbee join --role both täte er es)</translation>
    </message>
    <message>
        <source>hosts experts, and hardly trains</source>
        <translation>beherbergt Experten und trainiert kaum</translation>
    </message>
    <message>
        <source>trains and hosts experts</source>
        <translation>trainiert und beherbergt Experten</translation>
    </message>
    <message>
        <source>%1; as many as a quarter of the free memory holds</source>
        <translation>%1; so viele, wie in ein Viertel des freien Speichers passen</translation>
    </message>
    <message>
        <source>%1; at most %2</source>
        <translation>%1; höchstens %2</translation>
    </message>
    <message>
        <source>%1 of %2 experts present, %3 of them here</source>
        <translation>%1 von %2 Experten da, davon %3 hier</translation>
    </message>
    <message>
        <source>%1 tokens/s sent</source>
        <translation>%1 Token/s gesendet</translation>
    </message>
    <message>
        <source>%1 tokens/s received</source>
        <translation>%1 Token/s empfangen</translation>
    </message>
    <message>
        <source>%1 of the tokens sent found their expert</source>
        <translation>%1 der gesendeten Token fanden ihren Experten</translation>
    </message>
    <message numerus="yes">
        <source>%n more expert(s) not shown</source>
        <translation>
            <numerusform>%n weiterer Experte nicht gezeigt</numerusform>
            <numerusform>%n weitere Experten nicht gezeigt</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Token/s</translation>
    </message>
    <message>
        <source>%1 on volunteers&apos; computers, each with %2 parameters and %3 of memory</source>
        <translation>%1 auf Computern von Freiwilligen, jeder mit %2 Parametern und %3 Speicher</translation>
    </message>
    <message>
        <source>%1 for each sample, and two thirds of it come back</source>
        <translation>%1 für jedes Beispiel, und zwei Drittel davon kommen zurück</translation>
    </message>
    <message>
        <source>about %1 an hour, as fast as others train</source>
        <translation>etwa %1 in der Stunde, so schnell wie andere trainieren</translation>
    </message>
</context>
<context>
    <name>ExpertsCard</name>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
</context>
<context>
    <name>ExpertsGrid</name>
    <message>
        <source>Experts of the run</source>
        <translation>Experten des Laufs</translation>
    </message>
    <message>
        <source>The arrow keys move from expert to expert.</source>
        <translation>Die Pfeiltasten führen von Experte zu Experte.</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>Dieser Computer</translation>
    </message>
    <message>
        <source>Nobody answers</source>
        <translation>Niemand antwortet</translation>
    </message>
    <message>
        <source>Layer %1 · expert %2</source>
        <translation>Schicht %1 · Experte %2</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Token</translation>
    </message>
    <message>
        <source>answers in %1</source>
        <translation>antwortet in %1</translation>
    </message>
    <message>
        <source>trained with %1 tokens there, optimizer steps in all: %2</source>
        <translation>dort mit %1 Token trainiert, Optimierungsschritte insgesamt: %2</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>not known yet</source>
        <translation>noch unbekannt</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 Byte</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 h %2 min</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1 W</source>
        <translation>%1 W</translation>
    </message>
    <message>
        <source>%1 kW</source>
        <translation>%1 kW</translation>
    </message>
    <message>
        <source>at %1</source>
        <translation>um %1</translation>
    </message>
    <message>
        <source>%1 at %2</source>
        <translation>am %1 um %2</translation>
    </message>
</context>
<context>
    <name>FirstQuestions</name>
    <message>
        <source>When to help</source>
        <translation>Wann dieser Computer hilft</translation>
    </message>
    <message>
        <source>When I log in</source>
        <translation>Beim Anmelden</translation>
    </message>
    <message>
        <source>waits for me</source>
        <translation>auf mich warten</translation>
    </message>
    <message>
        <source>starts in the tray</source>
        <translation>im Infobereich starten</translation>
    </message>
    <message>
        <source>Sent a day</source>
        <translation>Gesendet am Tag</translation>
    </message>
    <message>
        <source>any amount</source>
        <translation>beliebig viel</translation>
    </message>
    <message>
        <source>by my own rules</source>
        <translation>nach meinen eigenen Regeln</translation>
    </message>
    <message>
        <source>This computer helps %1</source>
        <translation>Dieser Computer hilft %1</translation>
    </message>
    <message>
        <source>When I log in, Workerbee %1</source>
        <translation>Beim Anmelden soll Workerbee %1</translation>
    </message>
    <message>
        <source>It sends %1 a day</source>
        <translation>Am Tag sendet es %1</translation>
    </message>
    <message>
        <source>All this can be changed at any time in the settings.</source>
        <translation>All das lässt sich in den Einstellungen jederzeit ändern.</translation>
    </message>
</context>
<context>
    <name>Fit</name>
    <message>
        <source>fits</source>
        <translation>passt</translation>
    </message>
    <message>
        <source>tight</source>
        <translation>knapp</translation>
    </message>
    <message>
        <source>does not fit</source>
        <translation>passt nicht</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>The organiser asks for none.</source>
        <translation>Der Organisator verlangt keinen.</translation>
    </message>
    <message>
        <source>Needs about %1; how much is free is not known.</source>
        <translation>Braucht etwa %1; wie viel frei ist, ist nicht bekannt.</translation>
    </message>
    <message>
        <source>Needs about %1; %2 are left of the limit that is set.</source>
        <translation>Braucht etwa %1; von der gesetzten Obergrenze sind noch %2 übrig.</translation>
    </message>
    <message>
        <source>Needs about %1; %2 are free.</source>
        <translation>Braucht etwa %1; frei sind %2.</translation>
    </message>
    <message>
        <source>Needs about %1; only %2 are free.</source>
        <translation>Braucht etwa %1; frei sind nur %2.</translation>
    </message>
    <message>
        <source>Needs about %1; only %2 are free now. Closing other programs may help.</source>
        <translation>Braucht etwa %1; frei sind gerade nur %2. Es kann helfen, andere Programme zu schließen.</translation>
    </message>
    <message>
        <source>How much fits could not be measured; you may start all the same.</source>
        <translation>Wie viel passt, ließ sich nicht messen; Sie können trotzdem starten.</translation>
    </message>
    <message>
        <source>Measuring how much fits… You need not wait for it.</source>
        <translation>Es wird gemessen, wie viel passt … Sie müssen nicht darauf warten.</translation>
    </message>
    <message>
        <source>Does not fit: there is no memory for even one sample</source>
        <translation>Passt nicht: Der Speicher reicht nicht einmal für ein Beispiel</translation>
    </message>
    <message>
        <source>Fits with micro-batch %1</source>
        <translation>Passt mit Mikro-Batch %1</translation>
    </message>
    <message>
        <source>about %1 samples/s</source>
        <translation>etwa %1 Beispiele/s</translation>
    </message>
    <message>
        <source>%1 of the swarm</source>
        <translation>%1 des Schwarms</translation>
    </message>
    <message>
        <source>It fits. You can stop at any moment.</source>
        <translation>Es passt. Sie können jederzeit aufhören.</translation>
    </message>
    <message>
        <source>It just fits. Close programs that need much memory; stop at any moment.</source>
        <translation>Es passt knapp. Schließen Sie Programme, die viel Speicher brauchen; aufhören können Sie jederzeit.</translation>
    </message>
    <message>
        <source>It does not fit: training will probably end with an error. You may still try.</source>
        <translation>Es passt nicht: Das Training endet wahrscheinlich mit einem Fehler. Versuchen dürfen Sie es trotzdem.</translation>
    </message>
    <message>
        <source>Whether it fits is not known. You may try, and stop at any moment.</source>
        <translation>Ob es passt, ist nicht bekannt. Sie können es versuchen und jederzeit aufhören.</translation>
    </message>
</context>
<context>
    <name>FleetFacts</name>
    <message>
        <source>Peers</source>
        <translation>Teilnehmer</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>Verfahren</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>To the next step</source>
        <translation>Zum nächsten Schritt</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>Runden</translation>
    </message>
    <message>
        <source>Why not whole</source>
        <translation>Warum nicht ganz</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>Datenverkehr</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>Energie</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>Geräte</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>Versionen</translation>
    </message>
    <message>
        <source>Countries</source>
        <translation>Länder</translation>
    </message>
    <message>
        <source>Suspects</source>
        <translation>Verdächtige</translation>
    </message>
    <message>
        <source>Blocked</source>
        <translation>Gesperrt</translation>
    </message>
    <message>
        <source>%1: %2 direct, %3 outgoing only</source>
        <translation>%1: %2 direkt, %3 nur ausgehend</translation>
    </message>
    <message>
        <source>%1 in an earlier epoch</source>
        <translation>%1 in einer früheren Epoche</translation>
    </message>
    <message>
        <source>local SGD: the changes of many steps are averaged</source>
        <translation>Local SGD: die Änderungen vieler Schritte werden gemittelt</translation>
    </message>
    <message>
        <source>the gradients of every step are averaged</source>
        <translation>die Gradienten jedes Schritts werden gemittelt</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>the run ends in about %1 at this speed</source>
        <translation>der Lauf endet bei diesem Tempo in etwa %1</translation>
    </message>
    <message>
        <source>%1 of %2 samples</source>
        <translation>%1 von %2 Beispielen</translation>
    </message>
    <message>
        <source>about %1 to go</source>
        <translation>noch etwa %1</translation>
    </message>
    <message>
        <source>%1, as the peers report it</source>
        <translation>%1, wie die Teilnehmer ihn melden</translation>
    </message>
    <message>
        <source>%1 on unseen examples, signed at epoch %2</source>
        <translation>%1 bei ungesehenen Beispielen, unterschrieben in Epoche %2</translation>
    </message>
    <message>
        <source>%1 whole, %2 partial, %3 failed, as each peer counts its own</source>
        <translation>%1 ganz, %2 teilweise, %3 gescheitert, von jedem Teilnehmer selbst gezählt</translation>
    </message>
    <message numerus="yes">
        <source>%1: %n peer(s)</source>
        <translation>
            <numerusform>%1: %n Teilnehmer</numerusform>
            <numerusform>%1: %n Teilnehmer</numerusform>
        </translation>
    </message>
    <message>
        <source>nobody has tried yet whether newcomers reach the organiser’s peer</source>
        <translation>noch hat niemand versucht, ob Neue den Organisator erreichen</translation>
    </message>
    <message>
        <source>%1 of %2 peers that tried could connect to the organiser’s peer</source>
        <translation>%1 von %2 Teilnehmern, die es versucht haben, konnten sich mit dem Organisator verbinden</translation>
    </message>
    <message>
        <source>Let newcomers in: allow its TCP port in the firewall, forward it on the router, and publish with --announce and the address that leads to it from outside.</source>
        <translation>Lassen Sie Neue herein: Geben Sie den TCP-Port in der Firewall frei, leiten Sie ihn am Router weiter, und veröffentlichen Sie mit --announce und der Adresse, die von außen dorthin führt.</translation>
    </message>
    <message>
        <source>%1 sent, %2 received</source>
        <translation>%1 gesendet, %2 empfangen</translation>
    </message>
    <message>
        <source>%1 of the %2 of %3 peers that tell, %4 so far</source>
        <translation>%1 bei den %2 von %3 Teilnehmern, die es angeben, bisher %4</translation>
    </message>
    <message numerus="yes">
        <source>of %n peer(s), less counts than is told</source>
        <translation>
            <numerusform>bei %n Teilnehmer zählt weniger, als er angibt</numerusform>
            <numerusform>bei %n Teilnehmern zählt weniger, als sie angeben</numerusform>
        </translation>
    </message>
    <message>
        <source>about %1 by the end of the run, at this power and speed</source>
        <translation>etwa %1 bis zum Ende des Laufs, bei dieser Leistung und Geschwindigkeit</translation>
    </message>
    <message>
        <source>%1 × %2, %3</source>
        <translation>%1 × %2, %3</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>unbekannt</translation>
    </message>
    <message>
        <source>others</source>
        <translation>andere</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message numerus="yes">
        <source>%n do(es) not say</source>
        <translation>
            <numerusform>%n sagt es nicht</numerusform>
            <numerusform>%n sagen es nicht</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: named by %2, rounds in which it was cut down or left out: %3, refused states: %4</source>
        <translation>%1: genannt von %2, Runden, in denen er gekürzt oder ausgelassen wurde: %3, abgelehnte Stände: %4</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
</context>
<context>
    <name>FleetTable</name>
    <message>
        <source>Search: name, device, version, peer id</source>
        <translation>Suche: Name, Gerät, Version, Peer-ID</translation>
    </message>
    <message>
        <source>Search the peers</source>
        <translation>Teilnehmer suchen</translation>
    </message>
    <message>
        <source>Peers of the run</source>
        <translation>Teilnehmer des Laufs</translation>
    </message>
    <message>
        <source>%1 of %2 peers are shown.</source>
        <translation>%1 von %2 Teilnehmern werden gezeigt.</translation>
    </message>
    <message>
        <source>behind</source>
        <translation>zurück</translation>
    </message>
    <message>
        <source>named by %1, cut down in %2 rounds</source>
        <translation>von %1 genannt, in %2 Runden gekürzt</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Teilnehmer</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>Version</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>Beispiele</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Tempo</translation>
    </message>
    <message>
        <source>Norm ÷ median</source>
        <translation>Norm ÷ Median</translation>
    </message>
    <message>
        <source>Whole / partial / failed</source>
        <translation>Ganz / teils / gescheitert</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Bemerkungen</translation>
    </message>
</context>
<context>
    <name>ForgetKey</name>
    <message>
        <source>Forget who signed the run “%1” until now?</source>
        <translation>Vergessen, wer den Lauf „%1“ bisher unterschrieben hat?</translation>
    </message>
    <message>
        <source>It was signed by %1. Whoever signs it next will be trusted in its place, and decides what this computer trains. Ask the organiser, by another way than the run&apos;s address, whether the key was changed.</source>
        <translation>Er war von %1 unterschrieben. Wer ihn als Nächstes unterschreibt, dem wird an dessen Stelle vertraut, und er bestimmt, was dieser Computer trainiert. Fragen Sie den Organisator auf einem anderen Weg als über die Adresse des Laufs, ob der Schlüssel geändert wurde.</translation>
    </message>
    <message>
        <source>Forget the key</source>
        <translation>Den Schlüssel vergessen</translation>
    </message>
</context>
<context>
    <name>FurtherDevices</name>
    <message>
        <source>Each trains beside the first, as another peer of the run, and pauses by itself while others need it. All take memory, disk and traffic of their own.</source>
        <translation>Jede trainiert neben der ersten, als weiterer Teilnehmer des Laufs, und pausiert für sich, solange andere sie brauchen. Alle nehmen eigenen Speicher, Plattenplatz und Datenverkehr.</translation>
    </message>
    <message>
        <source>Train on more GPUs</source>
        <translation>Auf weiteren GPUs trainieren</translation>
    </message>
</context>
<context>
    <name>Graphs</name>
    <message>
        <source>d MMM</source>
        <comment>as QDate&apos;s toString has it</comment>
        <translation>d. MMM</translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>%1 Beispiele</translation>
    </message>
    <message>
        <source>%1 °C</source>
        <translation>%1 °C</translation>
    </message>
    <message>
        <source>%1 W</source>
        <translation>%1 W</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Loss by samples of the run</source>
        <translation>Loss nach Beispielen des Laufs</translation>
    </message>
    <message>
        <source>Accuracy on unseen examples</source>
        <translation>Genauigkeit bei neuen Beispielen</translation>
    </message>
    <message>
        <source>GPU utilisation</source>
        <translation>GPU-Auslastung</translation>
    </message>
    <message>
        <source>Epochs of the swarm</source>
        <translation>Epochen des Schwarms</translation>
    </message>
    <message>
        <source>Progress to the next step</source>
        <translation>Fortschritt bis zum nächsten Schritt</translation>
    </message>
    <message>
        <source>Peers in the run</source>
        <translation>Teilnehmer am Lauf</translation>
    </message>
    <message>
        <source>Traffic per second</source>
        <translation>Datenverkehr je Sekunde</translation>
    </message>
    <message>
        <source>GPU memory in use</source>
        <translation>Belegter Grafikspeicher</translation>
    </message>
    <message>
        <source>GPU temperature</source>
        <translation>GPU-Temperatur</translation>
    </message>
    <message>
        <source>GPU power</source>
        <translation>GPU-Leistungsaufnahme</translation>
    </message>
    <message>
        <source>Loss by samples</source>
        <translation>Loss nach Beispielen</translation>
    </message>
    <message>
        <source>Throughput: mine</source>
        <translation>Durchsatz: meiner</translation>
    </message>
    <message>
        <source>Throughput: swarm</source>
        <translation>Durchsatz: Schwarm</translation>
    </message>
    <message>
        <source>Loss: mine, in training</source>
        <translation>Loss: meiner, beim Training</translation>
    </message>
    <message>
        <source>Loss: the run’s, on unseen examples</source>
        <translation>Loss: der des Laufs, bei nicht trainierten Beispielen</translation>
    </message>
    <message>
        <source>Traffic: sent</source>
        <translation>Datenverkehr: gesendet</translation>
    </message>
    <message>
        <source>Traffic: received</source>
        <translation>Datenverkehr: empfangen</translation>
    </message>
    <message>
        <source>mine</source>
        <translation>meiner</translation>
    </message>
    <message>
        <source>swarm</source>
        <translation>Schwarm</translation>
    </message>
    <message>
        <source>training</source>
        <translation>Training</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>Validierung</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>gesendet</translation>
    </message>
    <message>
        <source>received</source>
        <translation>empfangen</translation>
    </message>
    <message>
        <source>No evaluation has come in yet</source>
        <translation>Noch keine Auswertung eingetroffen</translation>
    </message>
    <message>
        <source>No NVIDIA GPU has told this yet</source>
        <translation>Noch keine Angabe einer NVIDIA-GPU</translation>
    </message>
    <message>
        <source>Nothing is known yet</source>
        <translation>Noch ist nichts bekannt</translation>
    </message>
    <message>
        <source>5 min</source>
        <translation>5 min</translation>
    </message>
    <message>
        <source>30 min</source>
        <translation>30 min</translation>
    </message>
    <message>
        <source>6 h</source>
        <translation>6 h</translation>
    </message>
    <message>
        <source>24 h</source>
        <translation>24 h</translation>
    </message>
    <message>
        <source>All</source>
        <translation>Alles</translation>
    </message>
    <message>
        <source>the last 5 minutes</source>
        <translation>die letzten 5 Minuten</translation>
    </message>
    <message>
        <source>the last 30 minutes</source>
        <translation>die letzten 30 Minuten</translation>
    </message>
    <message>
        <source>the last 6 hours</source>
        <translation>die letzten 6 Stunden</translation>
    </message>
    <message>
        <source>the last 24 hours</source>
        <translation>die letzten 24 Stunden</translation>
    </message>
    <message>
        <source>everything since the beginning</source>
        <translation>alles seit dem Beginn</translation>
    </message>
</context>
<context>
    <name>GraphsPanel</name>
    <message>
        <source>No curve is chosen; “Curves” has the list.</source>
        <translation>Keine Kurve ist gewählt; die Liste steht unter „Kurven“.</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>Live</translation>
    </message>
</context>
<context>
    <name>Header</name>
    <message>
        <source>&amp;Organise</source>
        <translation>&amp;Organisieren</translation>
    </message>
    <message>
        <source>Organise</source>
        <translation>Organisieren</translation>
    </message>
    <message>
        <source>Runs published from here, and who takes part (Ctrl+O)</source>
        <translation>Von hier veröffentlichte Läufe, und wer mitmacht (Strg+O)</translation>
    </message>
    <message>
        <source>&amp;Contributions</source>
        <translation>&amp;Beiträge</translation>
    </message>
    <message>
        <source>Contributions</source>
        <translation>Beiträge</translation>
    </message>
    <message>
        <source>What this computer has given (Ctrl+B)</source>
        <translation>Was dieser Computer beigetragen hat (Strg+B)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Hilfe</translation>
    </message>
    <message>
        <source>Help (F1)</source>
        <translation>Hilfe (F1)</translation>
    </message>
    <message>
        <source>&amp;Settings</source>
        <translation>&amp;Einstellungen</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Settings (Ctrl+,)</source>
        <translation>Einstellungen (Strg+,)</translation>
    </message>
</context>
<context>
    <name>HelpPage</name>
    <message>
        <source>Co&amp;ntents</source>
        <translation>&amp;Inhalt</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Make a &amp;report…</source>
        <translation>Be&amp;richt erstellen&#xa0;…</translation>
    </message>
    <message>
        <source>This help is in English only.</source>
        <translation>Diese Hilfe gibt es nur auf Englisch.</translation>
    </message>
</context>
<context>
    <name>JoinPage</name>
    <message>
        <source>You will see what the run is and needs before anything is computed.</source>
        <translation>Bevor irgendetwas gerechnet wird, sehen Sie, was der Lauf ist und was er braucht.</translation>
    </message>
    <message>
        <source>Help a run</source>
        <translation>Bei einem Lauf mithelfen</translation>
    </message>
</context>
<context>
    <name>LiveDevice</name>
    <message>
        <source>%1 busy</source>
        <translation>%1 ausgelastet</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 °C</source>
        <translation>%1 °C</translation>
    </message>
    <message>
        <source>%1 W</source>
        <translation>%1 W</translation>
    </message>
</context>
<context>
    <name>NetworkCard</name>
    <message>
        <source>Others connect to this computer.</source>
        <translation>Andere verbinden sich mit diesem Computer.</translation>
    </message>
    <message>
        <source>Only outgoing connections.</source>
        <translation>Nur ausgehende Verbindungen.</translation>
    </message>
    <message>
        <source>Being tested…</source>
        <translation>Wird geprüft …</translation>
    </message>
    <message>
        <source>Test again</source>
        <translation>Erneut prüfen</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>The organiser has changed the run</source>
        <translation>Der Organisator hat den Lauf geändert</translation>
    </message>
    <message>
        <source>Nothing is computed before you have looked at it and agreed again.</source>
        <translation>Es wird nichts gerechnet, bevor Sie ihn angesehen und neu zugestimmt haben.</translation>
    </message>
    <message>
        <source>Helping another run</source>
        <translation>Ein anderer Lauf ist dran</translation>
    </message>
    <message>
        <source>The pause is over; your computer goes back to work.</source>
        <translation>Die Pause ist vorbei; Ihr Computer arbeitet weiter.</translation>
    </message>
    <message>
        <source>Training again</source>
        <translation>Das Training geht weiter</translation>
    </message>
    <message>
        <source>The organiser brings the run to a stop</source>
        <translation>Der Organisator hält den Lauf an</translation>
    </message>
    <message>
        <source>Your computer finishes this epoch of “%1”, and then leaves it.</source>
        <translation>Ihr Computer beendet diese Epoche von „%1“ und verlässt ihn dann.</translation>
    </message>
    <message>
        <source>The organiser has paused the run</source>
        <translation>Der Organisator hat den Lauf pausiert</translation>
    </message>
    <message>
        <source>“%1” takes a rest. Your computer has nothing to do for it now.</source>
        <translation>„%1“ ruht. Ihr Computer hat gerade nichts dafür zu tun.</translation>
    </message>
    <message>
        <source>The run is finished</source>
        <translation>Der Lauf ist abgeschlossen</translation>
    </message>
    <message>
        <source>“%1” has ended. Thank you for helping.</source>
        <translation>„%1“ ist zu Ende. Danke für Ihre Hilfe.</translation>
    </message>
</context>
<context>
    <name>NoticeBar</name>
    <message>
        <source>Dis&amp;miss</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>Put this notice away</source>
        <translation>Diesen Hinweis schließen</translation>
    </message>
</context>
<context>
    <name>OrderCard</name>
    <message>
        <source>Order of runs</source>
        <translation>Reihenfolge der Läufe</translation>
    </message>
    <message>
        <source>Where a run has ended or cannot be helped, the next one begins.</source>
        <translation>Ist ein Lauf zu Ende oder kann ihm nicht geholfen werden, beginnt der nächste.</translation>
    </message>
    <message>
        <source>Add a run</source>
        <translation>Lauf hinzufügen</translation>
    </message>
    <message>
        <source>Help in this order</source>
        <translation>In dieser Reihenfolge helfen</translation>
    </message>
    <message>
        <source>Show all changes</source>
        <translation>Alle Wechsel zeigen</translation>
    </message>
    <message>
        <source>Go back to an earlier run</source>
        <translation>Zu einem früheren Lauf zurück</translation>
    </message>
    <message>
        <source>When to go back to an earlier run</source>
        <translation>Wann es zu einem früheren Lauf zurückgeht</translation>
    </message>
    <message>
        <source>when the present one ends</source>
        <translation>wenn der jetzige endet</translation>
    </message>
    <message>
        <source>after half an hour</source>
        <translation>nach einer halben Stunde</translation>
    </message>
    <message>
        <source>after 2 hours</source>
        <translation>nach 2 Stunden</translation>
    </message>
    <message>
        <source>after 8 hours</source>
        <translation>nach 8 Stunden</translation>
    </message>
    <message>
        <source>%1. %2</source>
        <translation>%1. %2</translation>
    </message>
    <message>
        <source>Move “%1” up</source>
        <translation>„%1“ nach oben</translation>
    </message>
    <message>
        <source>Move “%1” down</source>
        <translation>„%1“ nach unten</translation>
    </message>
    <message>
        <source>Remove “%1” from the order</source>
        <translation>„%1“ aus der Reihenfolge nehmen</translation>
    </message>
    <message>
        <source>Look at it</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>helped now</source>
        <translation>jetzt dran</translation>
    </message>
</context>
<context>
    <name>OrganisePage</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Stop watching</source>
        <translation>Nicht mehr beobachten</translation>
    </message>
    <message>
        <source>Looking for the run and its peers…</source>
        <translation>Der Lauf und seine Teilnehmer werden gesucht …</translation>
    </message>
    <message>
        <source>Seen %1, and every few seconds again.</source>
        <translation>Gesehen %1, und alle paar Sekunden wieder.</translation>
    </message>
    <message>
        <source>Last seen %1.</source>
        <translation>Zuletzt gesehen %1.</translation>
    </message>
    <message>
        <source>No run is watched. Choose one that was published from here, or paste the address of any run on the first page, and choose “Watch its peers” beside what is found there.</source>
        <translation>Kein Lauf wird beobachtet. Wählen Sie einen, der von hier veröffentlicht wurde, oder fügen Sie auf der ersten Seite die Adresse irgendeines Laufs ein und wählen Sie dort „Teilnehmer beobachten“.</translation>
    </message>
    <message>
        <source>Notice to the volunteers: %1</source>
        <translation>Nachricht an die Freiwilligen: %1</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>beendet</translation>
    </message>
    <message>
        <source>Watch again</source>
        <translation>Wieder beobachten</translation>
    </message>
    <message>
        <source>It is looked for again by itself.</source>
        <translation>Er wird von selbst wieder gesucht.</translation>
    </message>
    <message>
        <source>Organise</source>
        <translation>Organisieren</translation>
    </message>
</context>
<context>
    <name>OrganisePresenter</name>
    <message>
        <source>The address is on the clipboard.</source>
        <translation>Die Adresse ist in der Zwischenablage.</translation>
    </message>
    <message>
        <source>The folder to make</source>
        <translation>Der Ordner, der angelegt wird</translation>
    </message>
    <message>
        <source>The model is being written…</source>
        <translation>Das Modell wird geschrieben …</translation>
    </message>
    <message>
        <source>The model of epoch %1 is in %2; README.md there says how to load it.</source>
        <translation>Das Modell der Epoche %1 ist in %2; README.md darin sagt, wie man es lädt.</translation>
    </message>
</context>
<context>
    <name>Pace</name>
    <message>
        <source>%1 °C now</source>
        <translation>jetzt %1 °C</translation>
    </message>
    <message>
        <source>%1 W now</source>
        <translation>jetzt %1 W</translation>
    </message>
    <message>
        <source>%1 % now</source>
        <translation>jetzt %1 %</translation>
    </message>
    <message>
        <source>cannot be measured here</source>
        <translation>lässt sich hier nicht messen</translation>
    </message>
    <message>
        <source>cannot be seen here: somebody may always be there</source>
        <translation>hier nicht zu erkennen: es könnte immer jemand da sein</translation>
    </message>
    <message>
        <source>cannot limit here: this system lets no program pace the connections of another</source>
        <translation>hier nicht möglich: Dieses System lässt kein Programm die Verbindungen eines anderen bremsen</translation>
    </message>
    <message>
        <source>no limit now</source>
        <translation>jetzt ohne Grenze</translation>
    </message>
    <message>
        <source>at most %1 a second now</source>
        <translation>jetzt höchstens %1 pro Sekunde</translation>
    </message>
</context>
<context>
    <name>PaceSettings</name>
    <message>
        <source>Share of the time</source>
        <translation>Anteil an der Zeit</translation>
    </message>
    <message>
        <source>While somebody uses this computer compute in</source>
        <translation>Während jemand diesen Computer benutzt, nur in</translation>
    </message>
    <message>
        <source>%1 %2 of the time</source>
        <comment>share</comment>
        <translation>%1 %2 der Zeit rechnen</translation>
    </message>
    <message>
        <source>Upload while somebody uses this computer</source>
        <translation>Hochladen, während jemand diesen Computer benutzt</translation>
    </message>
    <message>
        <source>Upload at other times</source>
        <translation>Hochladen zu anderen Zeiten</translation>
    </message>
    <message>
        <source>Download while somebody uses this computer</source>
        <translation>Herunterladen, während jemand diesen Computer benutzt</translation>
    </message>
    <message>
        <source>Download at other times</source>
        <translation>Herunterladen zu anderen Zeiten</translation>
    </message>
    <message>
        <source>Temperature of the GPU</source>
        <translation>Temperatur der GPU</translation>
    </message>
    <message>
        <source>Power of the GPU</source>
        <translation>Leistung der GPU</translation>
    </message>
    <message>
        <source>Speed of the fan</source>
        <translation>Drehzahl des Lüfters</translation>
    </message>
    <message>
        <source>Slow down to keep the GPU at</source>
        <translation>Bremsen, damit die GPU bei</translation>
    </message>
    <message>
        <source>%1 %2 or less</source>
        <comment>temperature</comment>
        <translation>%1 %2 oder darunter bleibt</translation>
    </message>
    <message>
        <source>Slow down until the GPU takes</source>
        <translation>Bremsen, bis die GPU</translation>
    </message>
    <message>
        <source>%1 %2 or less</source>
        <comment>power</comment>
        <translation>%1 %2 oder weniger aufnimmt</translation>
    </message>
    <message>
        <source>Slow down to keep its fan at</source>
        <translation>Bremsen, damit ihr Lüfter bei</translation>
    </message>
    <message>
        <source>%1 %2 or less</source>
        <comment>fan</comment>
        <translation>%1 %2 oder darunter bleibt</translation>
    </message>
    <message>
        <source>as much as it can</source>
        <translation>so viel wie möglich</translation>
    </message>
    <message>
        <source>How fast to help</source>
        <translation>Wie schnell geholfen wird</translation>
    </message>
    <message>
        <source>While somebody uses this computer send %1 and at other times %2</source>
        <translation>Während jemand ihn benutzt, %1 senden, sonst %2</translation>
    </message>
    <message>
        <source>While somebody uses this computer receive %1 and at other times %2</source>
        <translation>Während jemand ihn benutzt, %1 empfangen, sonst %2</translation>
    </message>
</context>
<context>
    <name>PauseButton</name>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Resume now</source>
        <translation>Jetzt fortsetzen</translation>
    </message>
    <message>
        <source>Pausing…</source>
        <translation>Wird pausiert&#xa0;…</translation>
    </message>
    <message>
        <source>Leaving…</source>
        <translation>Wird verlassen&#xa0;…</translation>
    </message>
    <message>
        <source>Back to the start</source>
        <translation>Zurück zum Anfang</translation>
    </message>
    <message>
        <source>More ways to pause, finish or leave</source>
        <translation>Weitere Arten zu pausieren, abzuschließen oder zu verlassen</translation>
    </message>
    <message>
        <source>Ignore this reason until midnight</source>
        <translation>Diesen Grund bis Mitternacht nicht beachten</translation>
    </message>
    <message>
        <source>Finish this epoch, then stop</source>
        <translation>Diese Epoche abschließen, dann anhalten</translation>
    </message>
    <message>
        <source>Leave the run</source>
        <translation>Lauf verlassen</translation>
    </message>
</context>
<context>
    <name>Pauses</name>
    <message>
        <source>since %1</source>
        <translation>seit %1</translation>
    </message>
    <message>
        <source>free for training</source>
        <translation>frei für Training</translation>
    </message>
    <message>
        <source>paused: %1 (%2)</source>
        <translation>pausiert: %1 (%2)</translation>
    </message>
    <message>
        <source>paused: %1</source>
        <translation>pausiert: %1</translation>
    </message>
    <message>
        <source>another user</source>
        <translation>ein anderer Benutzer</translation>
    </message>
    <message>
        <source>a full-screen program</source>
        <translation>ein Vollbildprogramm</translation>
    </message>
    <message>
        <source>this month&apos;s</source>
        <translation>dieses Monats</translation>
    </message>
    <message>
        <source>paused by you</source>
        <translation>von Ihnen pausiert</translation>
    </message>
    <message>
        <source>paused by you, after an epoch</source>
        <translation>von Ihnen pausiert, nach einer Epoche</translation>
    </message>
    <message>
        <source>asleep</source>
        <translation>im Ruhezustand</translation>
    </message>
    <message>
        <source>slowed to %1: somebody at this computer</source>
        <translation>gebremst auf %1: jemand an diesem Computer</translation>
    </message>
    <message>
        <source>slowed to %1: the GPU could not be measured</source>
        <translation>gebremst auf %1: die GPU ließ sich nicht messen</translation>
    </message>
    <message>
        <source>slowed to %1: GPU at %2 °C</source>
        <translation>gebremst auf %1: GPU bei %2 °C</translation>
    </message>
    <message>
        <source>slowed to %1: GPU at %2 W</source>
        <translation>gebremst auf %1: GPU bei %2 W</translation>
    </message>
    <message>
        <source>slowed to %1: fan at %2 %</source>
        <translation>gebremst auf %1: Lüfter bei %2 %</translation>
    </message>
</context>
<context>
    <name>Peers</name>
    <message>
        <source>Outgoing only</source>
        <translation>Nur ausgehend</translation>
    </message>
    <message>
        <source>Direct</source>
        <translation>Direkt</translation>
    </message>
</context>
<context>
    <name>PeersTable</name>
    <message>
        <source>Peers in the run</source>
        <translation>Teilnehmer am Lauf</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Teilnehmer</translation>
    </message>
    <message>
        <source>Samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>Verbindung</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>Epoche</translation>
    </message>
    <message>
        <source>This computer, %1</source>
        <translation>Dieser Computer, %1</translation>
    </message>
</context>
<context>
    <name>PictureDialog</name>
    <message>
        <source>Picture to share</source>
        <translation>Bild zum Teilen</translation>
    </message>
    <message>
        <source>Preview of the picture</source>
        <translation>Vorschau des Bilds</translation>
    </message>
    <message>
        <source>With my public name</source>
        <translation>Mit meinem öffentlichen Namen</translation>
    </message>
    <message>
        <source>With the names of the runs</source>
        <translation>Mit den Namen der Läufe</translation>
    </message>
    <message>
        <source>Nothing is sent: save it, and share it where you like.</source>
        <translation>Nichts wird gesendet: speichern Sie es, und teilen Sie es, wo Sie mögen.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern&#xa0;…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Save the picture</source>
        <translation>Bild speichern</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>always</source>
        <translation>immer</translation>
    </message>
    <message>
        <source>when nobody needs it</source>
        <translation>wenn niemand ihn braucht</translation>
    </message>
    <message>
        <source>when I am away</source>
        <translation>wenn ich weg bin</translation>
    </message>
    <message>
        <source>at night</source>
        <translation>nachts</translation>
    </message>
</context>
<context>
    <name>PriceRow</name>
    <message>
        <source>Highest price of electricity</source>
        <translation>Höchster Strompreis</translation>
    </message>
    <message>
        <source>any</source>
        <translation>egal</translation>
    </message>
    <message>
        <source>File of prices</source>
        <translation>Datei mit Preisen</translation>
    </message>
    <message>
        <source>Address of a file of prices</source>
        <translation>Adresse einer Preisdatei</translation>
    </message>
    <message>
        <source>Train while electricity costs at most %1 according to %2</source>
        <translation>Trainieren, solange Strom höchstens %1 kostet, nach %2</translation>
    </message>
    <message>
        <source>or according to the file at %1</source>
        <translation>oder laut der Datei unter %1</translation>
    </message>
    <message>
        <source>a file of prices …</source>
        <translation>einer Datei mit Preisen …</translation>
    </message>
    <message>
        <source>An address of prices begins with https://</source>
        <translation>Eine Adresse für Preise beginnt mit https://</translation>
    </message>
    <message>
        <source>Choose the file of prices</source>
        <translation>Datei mit Preisen wählen</translation>
    </message>
</context>
<context>
    <name>PrivacyCard</name>
    <message>
        <source>What strangers will see of you</source>
        <translation>Was Fremde von Ihnen sehen</translation>
    </message>
    <message>
        <source>how many samples you compute, and how fast</source>
        <translation>wie viele Beispiele Sie rechnen und wie schnell</translation>
    </message>
    <message>
        <source>your IP address</source>
        <translation>Ihre IP-Adresse</translation>
    </message>
    <message>
        <source>how fast your line uploads, and your traffic, rounds and version</source>
        <translation>wie schnell Ihre Leitung sendet, dazu Datenmenge, Runden und Version</translation>
    </message>
    <message>
        <source>what kind of GPU you lend, and the power that it draws where its driver tells it</source>
        <translation>welche Art GPU Sie beisteuern, und welche Leistung sie aufnimmt, sofern ihr Treiber das angibt</translation>
    </message>
    <message>
        <source>They will not see your files, or who you are.</source>
        <translation>Ihre Dateien und wer Sie sind, sehen sie nicht.</translation>
    </message>
    <message>
        <source>the peer id %1, made up for this computer</source>
        <translation>die Peer-ID %1, eigens für diesen Computer erzeugt</translation>
    </message>
    <message>
        <source>a peer id, made up for this computer</source>
        <translation>eine Peer-ID, eigens für diesen Computer erzeugt</translation>
    </message>
    <message>
        <source>the name that you chose: “%1”</source>
        <translation>der Name, den Sie gewählt haben: „%1“</translation>
    </message>
    <message>
        <source>your country, as you tell it: %1</source>
        <translation>Ihr Land, wie Sie es angeben: %1</translation>
    </message>
    <message>
        <source>that model cards of this run may call you by your name</source>
        <translation>dass Modellkarten dieses Laufs Sie mit Ihrem Namen nennen dürfen</translation>
    </message>
</context>
<context>
    <name>Problem</name>
    <message>
        <source>Nobody answers just now</source>
        <translation>Gerade antwortet niemand</translation>
    </message>
    <message>
        <source>The run is not published just now</source>
        <translation>Der Lauf ist gerade nicht veröffentlicht</translation>
    </message>
    <message>
        <source>Others reach this computer in another way now</source>
        <translation>Andere erreichen diesen Computer jetzt auf anderem Weg</translation>
    </message>
    <message>
        <source>The run&apos;s state could not be downloaded just now</source>
        <translation>Der Stand des Laufs konnte gerade nicht heruntergeladen werden</translation>
    </message>
    <message>
        <source>The run&apos;s model has become worse</source>
        <translation>Das Modell des Laufs ist schlechter geworden</translation>
    </message>
    <message>
        <source>The run has changed</source>
        <translation>Der Lauf ist geändert</translation>
    </message>
    <message>
        <source>The organiser has gone back to an earlier epoch</source>
        <translation>Der Organisator ist zu einer früheren Epoche zurückgegangen</translation>
    </message>
    <message>
        <source>The GPU cannot compute just now</source>
        <translation>Die GPU kann gerade nicht rechnen</translation>
    </message>
    <message>
        <source>The disk is full</source>
        <translation>Die Festplatte ist voll</translation>
    </message>
    <message>
        <source>The connection to the other computers was lost</source>
        <translation>Die Verbindung zu den anderen Computern ging verloren</translation>
    </message>
    <message>
        <source>The training process ended unexpectedly</source>
        <translation>Der Trainingsprozess wurde unerwartet beendet</translation>
    </message>
    <message>
        <source>That cannot be done.</source>
        <translation>Das geht nicht.</translation>
    </message>
    <message>
        <source>Try it in another way; the reason is named above.</source>
        <translation>Versuchen Sie es anders; was falsch ist, steht darüber.</translation>
    </message>
    <message>
        <source>The run file has a mistake.</source>
        <translation>Die Laufdatei enthält einen Fehler.</translation>
    </message>
    <message>
        <source>Ask its author to correct what is named above, or choose another file.</source>
        <translation>Bitten Sie den Verfasser, das oben Genannte zu beheben, oder wählen Sie eine andere Datei.</translation>
    </message>
    <message>
        <source>There are several runs at that address.</source>
        <translation>Unter dieser Adresse gibt es mehrere Läufe.</translation>
    </message>
    <message>
        <source>Choose one of them.</source>
        <translation>Wählen Sie einen davon.</translation>
    </message>
    <message>
        <source>This computer does not have the device that you chose.</source>
        <translation>Dieser Computer hat das Gerät nicht, das Sie gewählt haben.</translation>
    </message>
    <message>
        <source>Choose another one, or let Workerbee choose.</source>
        <translation>Wählen Sie ein anderes oder lassen Sie Workerbee wählen.</translation>
    </message>
    <message>
        <source>The device that you chose cannot train this run.</source>
        <translation>Das Gerät, das Sie gewählt haben, kann diesen Lauf nicht trainieren.</translation>
    </message>
    <message>
        <source>Choose another one in the settings, or look for another run to help.</source>
        <translation>Wählen Sie in den Einstellungen ein anderes, oder suchen Sie sich einen anderen Lauf.</translation>
    </message>
    <message>
        <source>This address cannot be read.</source>
        <translation>Diese Adresse ist nicht lesbar.</translation>
    </message>
    <message>
        <source>Copy the whole line that the organiser posted.</source>
        <translation>Kopieren Sie die ganze Zeile, die der Organisator veröffentlicht hat.</translation>
    </message>
    <message>
        <source>Nobody answers at that address.</source>
        <translation>Unter dieser Adresse antwortet niemand.</translation>
    </message>
    <message>
        <source>Check that you are online, then ask the organiser whether the run is up, and its address right.</source>
        <translation>Prüfen Sie Ihre Internetverbindung und fragen Sie dann den Organisator, ob der Lauf in Betrieb ist und die Adresse stimmt.</translation>
    </message>
    <message>
        <source>Somebody answers there, but publishes no such run.</source>
        <translation>Dort antwortet jemand, veröffentlicht aber keinen solchen Lauf.</translation>
    </message>
    <message>
        <source>Ask the organiser for a new address; or, if they gave you a run file (.toml), open it here.</source>
        <translation>Fragen Sie den Organisator nach einer neuen Adresse; oder öffnen Sie hier die Laufdatei (.toml), falls Sie eine bekommen haben.</translation>
    </message>
    <message>
        <source>This run takes no volunteers now.</source>
        <translation>Dieser Lauf nimmt gerade niemanden auf.</translation>
    </message>
    <message>
        <source>Nothing is wrong here; look for another run to help.</source>
        <translation>Bei Ihnen ist alles in Ordnung; suchen Sie sich einen anderen Lauf zum Mithelfen.</translation>
    </message>
    <message>
        <source>What the swarm says about the run was refused.</source>
        <translation>Was der Schwarm über den Lauf sagt, wurde abgelehnt.</translation>
    </message>
    <message>
        <source>Do not join before the organiser has explained it: the description may be damaged or forged.</source>
        <translation>Machen Sie nicht mit, bevor der Organisator es erklärt hat: Die Beschreibung kann beschädigt oder gefälscht sein.</translation>
    </message>
    <message>
        <source>The run was described by a newer Workerbee.</source>
        <translation>Der Lauf wurde mit einem neueren Workerbee beschrieben.</translation>
    </message>
    <message>
        <source>Update Workerbee, then join again.</source>
        <translation>Aktualisieren Sie Workerbee und machen Sie dann wieder mit.</translation>
    </message>
    <message>
        <source>The swarm shows an older description of this run than the one you have seen before.</source>
        <translation>Der Schwarm zeigt eine ältere Beschreibung dieses Laufs als die, die Sie schon gesehen haben.</translation>
    </message>
    <message>
        <source>Try again in a few minutes; if it stays, ask the organiser.</source>
        <translation>Versuchen Sie es in ein paar Minuten noch einmal; bleibt es so, fragen Sie den Organisator.</translation>
    </message>
    <message>
        <source>This run is now signed by somebody else than before.</source>
        <translation>Dieser Lauf ist jetzt von jemand anderem signiert als zuvor.</translation>
    </message>
    <message>
        <source>Ask the organiser, by another way than this address, whether the key was changed.</source>
        <translation>Fragen Sie den Organisator auf einem anderen Weg als über diese Adresse, ob der Schlüssel gewechselt wurde.</translation>
    </message>
    <message>
        <source>This computer&apos;s clock and the swarm&apos;s differ by more than 3 seconds.</source>
        <translation>Die Uhr dieses Computers weicht um mehr als 3 Sekunden von der des Schwarms ab.</translation>
    </message>
    <message>
        <source>Have the system set the clock from the network, then try again.</source>
        <translation>Lassen Sie das System die Uhr über das Netzwerk stellen und versuchen Sie es dann noch einmal.</translation>
    </message>
    <message>
        <source>A folder of Workerbee cannot be written.</source>
        <translation>In einen Ordner von Workerbee kann nicht geschrieben werden.</translation>
    </message>
    <message>
        <source>Give yourself write access to it, or choose another one in the settings.</source>
        <translation>Geben Sie sich Schreibrechte dafür oder wählen Sie in den Einstellungen einen anderen.</translation>
    </message>
    <message>
        <source>The disk is full.</source>
        <translation>Die Festplatte ist voll.</translation>
    </message>
    <message>
        <source>Free some space; what was saved before is still whole.</source>
        <translation>Schaffen Sie Platz; was schon gespeichert war, ist unversehrt.</translation>
    </message>
    <message>
        <source>The one before it is taken; if you named this one, name another.</source>
        <translation>Der davor wird genommen; wenn Sie diesen genannt haben, nennen Sie einen anderen.</translation>
    </message>
    <message>
        <source>Others do not reach this computer: it serves nobody.</source>
        <translation>Andere erreichen diesen Computer nicht: Er dient niemandem.</translation>
    </message>
    <message>
        <source>Training waits, or skips that layer, as the run says.</source>
        <translation>Das Training wartet oder lässt diese Schicht aus, wie es der Lauf vorsieht.</translation>
    </message>
    <message>
        <source>Let only one computer with a copy of its data run.</source>
        <translation>Lassen Sie nur einen der Computer mit einer Kopie seiner Daten laufen.</translation>
    </message>
    <message>
        <source>The run&apos;s model has become worse.</source>
        <translation>Das Modell des Laufs ist schlechter geworden.</translation>
    </message>
    <message>
        <source>Tell its organiser; Workerbee looks again by itself.</source>
        <translation>Sagen Sie es dem Organisator; Workerbee sieht von selbst wieder nach.</translation>
    </message>
    <message>
        <source>Raise target_batch_size, by `run edit` or in the run file.</source>
        <translation>Erhöhen Sie target_batch_size, mit `run edit` oder in der Laufdatei.</translation>
    </message>
    <message>
        <source>Something that this run needs cannot be fetched just now.</source>
        <translation>Etwas, das dieser Lauf braucht, lässt sich gerade nicht laden.</translation>
    </message>
    <message>
        <source>Workerbee tries again by itself; if it stays, check that you are online, then ask the organiser.</source>
        <translation>Workerbee versucht es von selbst wieder; bleibt es so, prüfen Sie die Verbindung, und fragen Sie dann den Organisator.</translation>
    </message>
    <message>
        <source>Something that this run names was refused.</source>
        <translation>Etwas, das dieser Lauf nennt, wurde abgelehnt.</translation>
    </message>
    <message>
        <source>It is not what the run says, or could run foreign code: tell the organiser what is named above.</source>
        <translation>Es ist nicht, was der Lauf sagt, oder könnte fremden Code ausführen: Sagen Sie dem Organisator, was oben genannt ist.</translation>
    </message>
    <message>
        <source>Some images of this run cannot be used.</source>
        <translation>Einige Bilder dieses Laufs sind nicht zu gebrauchen.</translation>
    </message>
    <message>
        <source>They are left out, and training goes on; the organiser may like to know what is named above.</source>
        <translation>Sie werden ausgelassen, und das Training geht weiter; was oben steht, weiß der Organisator vielleicht gern.</translation>
    </message>
    <message>
        <source>There is not enough room for what this run needs.</source>
        <translation>Für das, was dieser Lauf braucht, ist nicht genug Platz.</translation>
    </message>
    <message>
        <source>Free some space, or raise the limit for Workerbee&apos;s data in the settings.</source>
        <translation>Schaffen Sie Platz, oder erhöhen Sie in den Einstellungen die Grenze für Workerbees Daten.</translation>
    </message>
    <message>
        <source>A checkpoint could not be read.</source>
        <translation>Ein Checkpoint ist nicht lesbar.</translation>
    </message>
    <message>
        <source>A folder of Workerbee is not yours alone.</source>
        <translation>Ein Ordner von Workerbee gehört nicht Ihnen allein.</translation>
    </message>
    <message>
        <source>The organiser has changed this run since you agreed to it.</source>
        <translation>Der Organisator hat diesen Lauf geändert, seit Sie ihm zugestimmt haben.</translation>
    </message>
    <message>
        <source>The driver knows this GPU, but it cannot compute.</source>
        <translation>Der Treiber kennt diese GPU, aber sie kann nicht rechnen.</translation>
    </message>
    <message>
        <source>Restart the computer, which an update of the driver needs. If it stays so, install NVIDIA&apos;s driver anew, or choose the CPU.</source>
        <translation>Starten Sie den Computer neu; nach einer Aktualisierung braucht der Treiber das. Bleibt es dabei, installieren Sie NVIDIAs Treiber neu, oder wählen Sie die CPU.</translation>
    </message>
    <message>
        <source>The organiser of this run has blocked this computer.</source>
        <translation>Der Organisator hat diesen Computer von diesem Lauf ausgeschlossen.</translation>
    </message>
    <message>
        <source>Ask the organiser why. If what this computer has sent was wrong, its memory or its GPU may be faulty.</source>
        <translation>Fragen Sie den Organisator nach dem Grund. Wenn falsch war, was dieser Computer gesendet hat, sind vielleicht sein Speicher oder seine GPU defekt.</translation>
    </message>
    <message>
        <source>This run is closed: it takes only those whom its organiser has invited.</source>
        <translation>Dieser Lauf ist geschlossen: Er nimmt nur auf, wen sein Organisator eingeladen hat.</translation>
    </message>
    <message>
        <source>Ask the organiser for an invitation, and paste it with the address.</source>
        <translation>Bitten Sie den Organisator um eine Einladung, und fügen Sie sie mit der Adresse ein.</translation>
    </message>
    <message>
        <source>Your invitation to this run has ended.</source>
        <translation>Ihre Einladung zu diesem Lauf ist abgelaufen.</translation>
    </message>
    <message>
        <source>Ask the organiser for a new one, if you wish to go on.</source>
        <translation>Bitten Sie den Organisator um eine neue, wenn Sie weitermachen möchten.</translation>
    </message>
    <message>
        <source>Nobody is there to redeem your invitation.</source>
        <translation>Niemand ist da, der Ihre Einladung einlöst.</translation>
    </message>
    <message>
        <source>Try again when the run&apos;s organiser, or one of its keepers, is online.</source>
        <translation>Versuchen Sie es noch einmal, wenn der Organisator des Laufs oder ein Helfer, der für ihn signiert, online ist.</translation>
    </message>
    <message>
        <source>This list of runs was refused.</source>
        <translation>Diese Liste von Läufen wurde abgelehnt.</translation>
    </message>
    <message>
        <source>Ask its publisher what is wrong with it.</source>
        <translation>Fragen Sie, wer sie veröffentlicht, was daran falsch ist.</translation>
    </message>
    <message>
        <source>Some of the receipts are refused.</source>
        <translation>Einige der Quittungen werden abgelehnt.</translation>
    </message>
    <message>
        <source>Ask whoever sent them; each has its reason.</source>
        <translation>Fragen Sie, wer sie gesandt hat; bei jeder steht der Grund.</translation>
    </message>
    <message>
        <source>The organiser asks for a newer Workerbee.</source>
        <translation>Der Organisator verlangt ein neueres Workerbee.</translation>
    </message>
    <message>
        <source>Look at what has changed, and press Start if you agree to that, too.</source>
        <translation>Sehen Sie an, was sich geändert hat, und drücken Sie Starten, wenn Sie auch dem zustimmen.</translation>
    </message>
    <message>
        <source>Own it yourself and let nobody else write in it: your keys are there. Or choose another folder.</source>
        <translation>Er muss Ihnen gehören, und niemand sonst darf darin schreiben: Ihre Schlüssel liegen dort. Oder wählen Sie einen anderen Ordner.</translation>
    </message>
    <message>
        <source>It was renamed and kept; training goes on without it.</source>
        <translation>Er wurde unter einem anderen Namen aufgehoben; das Training geht ohne ihn weiter.</translation>
    </message>
    <message>
        <source>A checkpoint of the run is damaged.</source>
        <translation>Ein Checkpoint des Laufs ist beschädigt.</translation>
    </message>
    <message>
        <source>There is no checkpoint to export.</source>
        <translation>Es gibt keinen Checkpoint, der exportiert werden kann.</translation>
    </message>
    <message>
        <source>Publish the run until it has saved one.</source>
        <translation>Veröffentlichen Sie den Lauf, bis er einen gespeichert hat.</translation>
    </message>
    <message>
        <source>States of experts are old or missing.</source>
        <translation>Zustände von Experten sind alt oder fehlen.</translation>
    </message>
    <message>
        <source>Publish the run while they are hosted.</source>
        <translation>Veröffentlichen Sie den Lauf, während jemand sie beherbergt.</translation>
    </message>
    <message>
        <source>The model was not pushed to the hub.</source>
        <translation>Das Modell wurde nicht zum Hub hochgeladen.</translation>
    </message>
    <message>
        <source>What is there is unchanged; the next push takes what is new then.</source>
        <translation>Was dort ist, bleibt unverändert; das nächste Hochladen nimmt, was dann neu ist.</translation>
    </message>
    <message>
        <source>A settings file could not be read.</source>
        <translation>Eine Einstellungsdatei ist nicht lesbar.</translation>
    </message>
    <message>
        <source>It was renamed and kept; the defaults are used.</source>
        <translation>Sie wurde unter einem anderen Namen aufgehoben; es gelten die Voreinstellungen.</translation>
    </message>
    <message>
        <source>The history of runs cannot be written to disk at the moment.</source>
        <translation>Was Workerbee sich von den Läufen merkt, lässt sich gerade nicht auf der Festplatte sichern.</translation>
    </message>
    <message>
        <source>Workerbee tries again by itself; if it persists, repair what is named above.</source>
        <translation>Workerbee versucht es von selbst weiter; bleibt es so, beheben Sie das oben Genannte.</translation>
    </message>
    <message>
        <source>The history of runs could not be read.</source>
        <translation>Was Workerbee sich von den Läufen gemerkt hat, ist nicht lesbar.</translation>
    </message>
    <message>
        <source>It was renamed and kept, and a new file was started.</source>
        <translation>Es wurde unter einem anderen Namen aufgehoben und eine neue Datei begonnen.</translation>
    </message>
    <message>
        <source>A key file of yours is damaged.</source>
        <translation>Eine Ihrer Schlüsseldateien ist beschädigt.</translation>
    </message>
    <message>
        <source>Put back a copy of it if you have one; or move it away, and a new identity is made.</source>
        <translation>Spielen Sie eine Kopie zurück, falls Sie eine haben; oder verschieben Sie die Datei, dann wird eine neue Identität angelegt.</translation>
    </message>
    <message>
        <source>This run is already being published from this computer.</source>
        <translation>Dieser Lauf wird von diesem Computer aus schon veröffentlicht.</translation>
    </message>
    <message>
        <source>End the other program that publishes it first.</source>
        <translation>Beenden Sie zuerst das andere Programm, das ihn veröffentlicht.</translation>
    </message>
    <message>
        <source>The port to listen on is taken by another program.</source>
        <translation>Der Port für eingehende Verbindungen ist von einem anderen Programm belegt.</translation>
    </message>
    <message>
        <source>Choose another one in the settings, or end the other program.</source>
        <translation>Wählen Sie in den Einstellungen einen anderen oder beenden Sie das andere Programm.</translation>
    </message>
    <message>
        <source>Others cannot reach this computer.</source>
        <translation>Andere können diesen Computer nicht erreichen.</translation>
    </message>
    <message>
        <source>Choose outgoing connections only in the settings: they are enough to help.</source>
        <translation>Wählen Sie in den Einstellungen „nur über ausgehende Verbindungen“: Zum Mithelfen genügt das.</translation>
    </message>
    <message>
        <source>Let it train instead, or open a port for it.</source>
        <translation>Lassen Sie ihn stattdessen trainieren, oder öffnen Sie einen Port für ihn.</translation>
    </message>
    <message>
        <source>Nobody answers for a layer&apos;s experts now.</source>
        <translation>Für die Experten einer Schicht antwortet gerade niemand.</translation>
    </message>
    <message>
        <source>The way in which others reach this computer has changed.</source>
        <translation>Der Weg, auf dem andere diesen Computer erreichen, hat sich geändert.</translation>
    </message>
    <message>
        <source>Nothing to do: training goes on in a moment.</source>
        <translation>Nichts zu tun: Das Training geht gleich weiter.</translation>
    </message>
    <message>
        <source>The organiser has gone back to an earlier epoch.</source>
        <translation>Der Organisator ist zu einer früheren Epoche zurückgegangen.</translation>
    </message>
    <message>
        <source>Training goes on from there.</source>
        <translation>Das Training geht von dort weiter.</translation>
    </message>
    <message>
        <source>Another computer takes part with this one&apos;s key.</source>
        <translation>Ein anderer Computer nimmt mit dem Schlüssel von diesem hier teil.</translation>
    </message>
    <message>
        <source>Another computer leads this run now.</source>
        <translation>Ein anderer Computer leitet diesen Lauf jetzt.</translation>
    </message>
    <message>
        <source>Volunteers need not do anything.</source>
        <translation>Freiwillige brauchen nichts zu tun.</translation>
    </message>
    <message>
        <source>The run&apos;s current state could not be downloaded from any peer.</source>
        <translation>Der aktuelle Stand des Laufs konnte von keinem Teilnehmer heruntergeladen werden.</translation>
    </message>
    <message>
        <source>Try again in a few minutes; a slow or blocked connection is the usual cause.</source>
        <translation>Versuchen Sie es in ein paar Minuten noch einmal; meist liegt es an einer langsamen oder gesperrten Verbindung.</translation>
    </message>
    <message>
        <source>A state of the run was refused because it cannot be right.</source>
        <translation>Ein Stand des Laufs wurde abgelehnt, weil er nicht stimmen kann.</translation>
    </message>
    <message>
        <source>Another computer is asked for one; you need not do anything.</source>
        <translation>Ein anderer Computer wird darum gebeten; Sie müssen nichts tun.</translation>
    </message>
    <message>
        <source>The run&apos;s mirror is of no use just now.</source>
        <translation>Der Spiegel des Laufs nützt gerade nichts.</translation>
    </message>
    <message>
        <source>You need not do anything: the state comes from another computer instead.</source>
        <translation>Sie müssen nichts tun: Der Stand kommt stattdessen von einem anderen Computer.</translation>
    </message>
    <message>
        <source>This computer&apos;s results are not always finite numbers.</source>
        <translation>Was dieser Computer berechnet, ist nicht immer eine Zahl.</translation>
    </message>
    <message>
        <source>They are never sent to others; if it persists, update the GPU&apos;s driver, or lend another device.</source>
        <translation>Das bekommt niemand sonst; bleibt es so, aktualisieren Sie den Treiber der GPU, oder stellen Sie ein anderes Gerät zur Verfügung.</translation>
    </message>
    <message>
        <source>Epochs are too short for their averaging.</source>
        <translation>Die Epochen sind zu kurz für ihr Mitteln.</translation>
    </message>
    <message>
        <source>The connection to the other computers was lost.</source>
        <translation>Die Verbindung zu den anderen Computern ging verloren.</translation>
    </message>
    <message>
        <source>Workerbee joins them again by itself; if that fails, check that you are online.</source>
        <translation>Workerbee verbindet sich von selbst wieder; gelingt das nicht, prüfen Sie, ob Sie online sind.</translation>
    </message>
    <message>
        <source>The device ran out of memory.</source>
        <translation>Dem Gerät ist der Speicher ausgegangen.</translation>
    </message>
    <message>
        <source>Close programs that use it, or choose another.</source>
        <translation>Schließen Sie andere Programme, die es nutzen, oder wählen Sie ein anderes Gerät.</translation>
    </message>
    <message>
        <source>How much fits on this computer cannot be measured beforehand.</source>
        <translation>Wie viel auf diesen Computer passt, lässt sich nicht vorher messen.</translation>
    </message>
    <message>
        <source>You may start all the same: training takes fewer samples at a time where memory runs out.</source>
        <translation>Sie können trotzdem starten: Wo der Speicher ausgeht, nimmt das Training weniger Beispiele auf einmal.</translation>
    </message>
    <message>
        <source>The training engine is not installed or does not start.</source>
        <translation>Das Trainingsprogramm ist nicht installiert oder startet nicht.</translation>
    </message>
    <message>
        <source>Make it anew, or install Workerbee again; the log tells what it lacks.</source>
        <translation>Richten Sie es neu ein oder installieren Sie Workerbee neu; das Protokoll sagt, was fehlt.</translation>
    </message>
    <message>
        <source>Make it anew, so that both are of the same age.</source>
        <translation>Richten Sie es neu ein, damit beide gleich alt sind.</translation>
    </message>
    <message>
        <source>The training engine has not been made yet.</source>
        <translation>Das Trainingsprogramm ist noch nicht eingerichtet.</translation>
    </message>
    <message>
        <source>Workerbee makes it for you as soon as you agree.</source>
        <translation>Workerbee richtet es ein, sobald Sie zustimmen.</translation>
    </message>
    <message>
        <source>This Workerbee has no training engine for this computer&apos;s Python.</source>
        <translation>Dieses Workerbee hat kein Trainingsprogramm für das Python dieses Computers.</translation>
    </message>
    <message>
        <source>Update Workerbee; it is made for Python 3.11 to 3.14.</source>
        <translation>Aktualisieren Sie Workerbee; es ist für Python 3.11 bis 3.14 gemacht.</translation>
    </message>
    <message>
        <source>The training engine is in use, or is just being made.</source>
        <translation>Das Trainingsprogramm wird gerade benutzt oder eingerichtet.</translation>
    </message>
    <message>
        <source>Wait until that is over, then try again.</source>
        <translation>Warten Sie, bis das vorbei ist, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>The training engine could not be put together.</source>
        <translation>Das Trainingsprogramm ließ sich nicht zusammensetzen.</translation>
    </message>
    <message>
        <source>Try again: what was downloaded is kept. If it stays so, please report the log.</source>
        <translation>Versuchen Sie es noch einmal: Was heruntergeladen ist, bleibt. Wenn es so bleibt, melden Sie bitte das Protokoll.</translation>
    </message>
    <message>
        <source>Workerbee is still training.</source>
        <translation>Workerbee trainiert noch.</translation>
    </message>
    <message>
        <source>Leave the run and quit first, then try again.</source>
        <translation>Verlassen Sie zuerst den Lauf, beenden Sie Workerbee und versuchen Sie es dann noch einmal.</translation>
    </message>
    <message>
        <source>The download was cut off.</source>
        <translation>Das Herunterladen wurde unterbrochen.</translation>
    </message>
    <message>
        <source>Check that you are online and try again: it goes on where it stopped.</source>
        <translation>Prüfen Sie die Verbindung und versuchen Sie es noch einmal: Es geht weiter, wo es aufgehört hat.</translation>
    </message>
    <message>
        <source>A downloaded file is not what it should be.</source>
        <translation>Eine heruntergeladene Datei ist nicht die, die sie sein soll.</translation>
    </message>
    <message>
        <source>The training engine is of another version than this program.</source>
        <translation>Das Trainingsprogramm hat eine andere Version als dieses Programm.</translation>
    </message>
    <message>
        <source>The run keeps its data.</source>
        <translation>Der Lauf behält seine Daten.</translation>
    </message>
    <message>
        <source>Put right what is named above, then ask again.</source>
        <translation>Bringen Sie in Ordnung, was oben genannt ist, und versuchen Sie es noch einmal.</translation>
    </message>
    <message>
        <source>It was thrown away. Try again; if it stays so, somebody on the way changes files, or an update is needed.</source>
        <translation>Sie wurde verworfen. Versuchen Sie es noch einmal; bleibt es so, verändert jemand unterwegs Dateien, oder ein Update ist nötig.</translation>
    </message>
    <message>
        <source>No signed notice of a newer version came.</source>
        <translation>Es kam kein signierter Hinweis auf eine neuere Version.</translation>
    </message>
    <message>
        <source>Try again when you are online.</source>
        <translation>Versuchen Sie es noch einmal, wenn Sie online sind.</translation>
    </message>
    <message>
        <source>The newer version was not installed.</source>
        <translation>Die neuere Version wurde nicht installiert.</translation>
    </message>
    <message>
        <source>The one that is installed is as it was.</source>
        <translation>Die installierte ist unverändert.</translation>
    </message>
    <message>
        <source>The training process ended unexpectedly.</source>
        <translation>Der Trainingsprozess wurde unerwartet beendet.</translation>
    </message>
    <message>
        <source>The log tells more; joining again often helps.</source>
        <translation>Das Protokoll sagt mehr; oft hilft es, noch einmal mitzumachen.</translation>
    </message>
    <message>
        <source>The training process sent a message that is not valid.</source>
        <translation>Der Trainingsprozess hat eine ungültige Nachricht gesendet.</translation>
    </message>
    <message>
        <source>It was stopped; please report the log.</source>
        <translation>Er wurde angehalten; bitte melden Sie das Protokoll.</translation>
    </message>
    <message>
        <source>Workerbee&apos;s window is not open.</source>
        <translation>Das Fenster von Workerbee ist nicht offen.</translation>
    </message>
    <message>
        <source>Open it from the menu of programs.</source>
        <translation>Öffnen Sie es aus dem Programmmenü.</translation>
    </message>
    <message>
        <source>Workerbee&apos;s window is open, but does not answer.</source>
        <translation>Das Fenster von Workerbee ist offen, antwortet aber nicht.</translation>
    </message>
    <message>
        <source>Wait a little. If it stays so, end its process and start it again.</source>
        <translation>Warten Sie etwas. Bleibt es so, beenden Sie den Prozess und starten Sie Workerbee neu.</translation>
    </message>
    <message>
        <source>Nothing here can run Workerbee as a service.</source>
        <translation>Hier kann nichts Workerbee als Dienst betreiben.</translation>
    </message>
    <message>
        <source>Let the window start at login instead, or have `workerbee join ADDRESS --yes` started in another way.</source>
        <translation>Lassen Sie stattdessen das Fenster beim Anmelden starten, oder starten Sie `workerbee join ADRESSE --yes` auf andere Weise.</translation>
    </message>
    <message>
        <source>The service manager has refused.</source>
        <translation>Die Dienstverwaltung hat abgelehnt.</translation>
    </message>
    <message>
        <source>What it says is named above; `systemctl --user status workerbee` may tell more.</source>
        <translation>Was sie sagt, steht oben; `systemctl --user status workerbee` verrät vielleicht mehr.</translation>
    </message>
    <message>
        <source>An unexpected error occurred.</source>
        <translation>Etwas ist schiefgegangen, das Workerbee nicht vorhergesehen hat.</translation>
    </message>
    <message>
        <source>Please report the log.</source>
        <translation>Bitte melden Sie das Protokoll.</translation>
    </message>
</context>
<context>
    <name>ProgramList</name>
    <message>
        <source>Another program</source>
        <translation>Ein weiteres Programm</translation>
    </message>
    <message>
        <source>add a program</source>
        <translation>Programm hinzufügen</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>%1 entfernen</translation>
    </message>
</context>
<context>
    <name>PublishedCard</name>
    <message>
        <source>Published from this computer</source>
        <translation>Von diesem Computer veröffentlicht</translation>
    </message>
    <message>
        <source>Watch the peers of this run</source>
        <translation>Die Teilnehmer dieses Laufs beobachten</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>Export the model…</source>
        <translation>Modell exportieren …</translation>
    </message>
    <message>
        <source>Copy the address of “%1”</source>
        <translation>Die Adresse von „%1“ kopieren</translation>
    </message>
    <message>
        <source>Export the model of “%1”</source>
        <translation>Das Modell von „%1“ exportieren</translation>
    </message>
    <message>
        <source>published now</source>
        <translation>jetzt veröffentlicht</translation>
    </message>
    <message>
        <source>not published now</source>
        <translation>zurzeit nicht veröffentlicht</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>Loss %1</translation>
    </message>
    <message numerus="yes">
        <source>%n checkpoint(s)</source>
        <translation>
            <numerusform>%n Checkpoint</numerusform>
            <numerusform>%n Checkpoints</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReceiptsCard</name>
    <message>
        <source>Save receipts…</source>
        <translation>Quittungen speichern&#xa0;…</translation>
    </message>
    <message>
        <source>With a receipt an organiser can thank you: it names nobody but your key.</source>
        <translation>Mit einer Quittung kann ein Organisator Ihnen danken: sie nennt nur Ihren Schlüssel.</translation>
    </message>
    <message numerus="yes">
        <source>Organisers have signed for %1 samples of yours in %n run(s).</source>
        <translation>
            <numerusform>Organisatoren haben in %n Lauf für %1 Beispiele von Ihnen unterschrieben.</numerusform>
            <numerusform>Organisatoren haben in %n Läufen für %1 Beispiele von Ihnen unterschrieben.</numerusform>
        </translation>
    </message>
    <message>
        <source>Save the receipts</source>
        <translation>Quittungen speichern</translation>
    </message>
</context>
<context>
    <name>RecentRunsList</name>
    <message>
        <source>The runs that you help will be listed here.</source>
        <translation>Hier stehen später die Läufe, bei denen Sie mithelfen.</translation>
    </message>
    <message>
        <source>Recent runs</source>
        <translation>Letzte Läufe</translation>
    </message>
    <message>
        <source>Look at this run again</source>
        <translation>Diesen Lauf noch einmal ansehen</translation>
    </message>
    <message>
        <source>Take it off this list</source>
        <translation>Von dieser Liste nehmen</translation>
    </message>
    <message>
        <source>Take “%1” off this list</source>
        <translation>„%1“ von dieser Liste nehmen</translation>
    </message>
    <message>
        <source>you left it</source>
        <translation>von Ihnen verlassen</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>ended with a problem</source>
        <translation>mit einem Problem beendet</translation>
    </message>
    <message>
        <source>refused: not joined</source>
        <translation>abgelehnt: nicht mitgemacht</translation>
    </message>
    <message>
        <source>finished by its organiser</source>
        <translation>vom Organisator abgeschlossen</translation>
    </message>
</context>
<context>
    <name>Remedy</name>
    <message>
        <source>Try again</source>
        <translation>Noch einmal versuchen</translation>
    </message>
    <message>
        <source>Back to the start</source>
        <translation>Zurück zum Anfang</translation>
    </message>
    <message>
        <source>Open the settings</source>
        <translation>Einstellungen öffnen</translation>
    </message>
    <message>
        <source>Make the engine anew</source>
        <translation>Neu einrichten</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>Protokoll zeigen</translation>
    </message>
</context>
<context>
    <name>Removal</name>
    <message>
        <source>Delete what Workerbee keeps of you, and quit?</source>
        <translation>Löschen, was Workerbee von Ihnen aufhebt, und beenden?</translation>
    </message>
    <message>
        <source>Counting what is kept…</source>
        <translation>Was gespeichert ist, wird gezählt&#xa0;…</translation>
    </message>
    <message>
        <source>This computer&apos;s keys, too: swarms will not know it again</source>
        <translation>Auch die Schlüssel dieses Computers: Schwärme erkennen ihn dann nicht wieder</translation>
    </message>
    <message>
        <source>Delete and quit</source>
        <translation>Löschen und beenden</translation>
    </message>
    <message>
        <source>Delete downloads only, and quit</source>
        <translation>Nur Heruntergeladenes löschen und beenden</translation>
    </message>
    <message>
        <source>The training engine</source>
        <translation>Das Trainingsprogramm</translation>
    </message>
    <message>
        <source>Downloaded models and data sets</source>
        <translation>Heruntergeladene Modelle und Datensätze</translation>
    </message>
    <message>
        <source>Runs that you published, and their checkpoints</source>
        <translation>Läufe, die Sie veröffentlicht haben, und ihre Sicherungen</translation>
    </message>
    <message>
        <source>Curves, and what you have given</source>
        <translation>Kurven, und was Sie beigetragen haben</translation>
    </message>
    <message>
        <source>Caches</source>
        <translation>Zwischenspeicher</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Logs</source>
        <translation>Protokolle</translation>
    </message>
    <message>
        <source>This computer&apos;s keys</source>
        <translation>Die Schlüssel dieses Computers</translation>
    </message>
</context>
<context>
    <name>ReportDialog</name>
    <message>
        <source>Report of a problem</source>
        <translation>Bericht über ein Problem</translation>
    </message>
    <message>
        <source>This helps others to find a problem. Names, computers, addresses, paths, peer ids, runs and keys were replaced by numbers; read it all the same. Nothing is sent: save it, and attach it where you ask for help.</source>
        <translation>Das hilft anderen, ein Problem zu finden. Namen, Rechner, Adressen, Pfade, Kennungen von Teilnehmern, Läufe und Schlüssel wurden durch Nummern ersetzt; lesen Sie es trotzdem. Nichts wird gesendet: Speichern Sie es und hängen Sie es dort an, wo Sie um Hilfe bitten.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>Speichern&#xa0;…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Saved as %1. Nothing was sent.</source>
        <translation>Gespeichert als %1. Nichts wurde gesendet.</translation>
    </message>
    <message>
        <source>Save the report</source>
        <translation>Bericht speichern</translation>
    </message>
</context>
<context>
    <name>RequirementsCard</name>
    <message>
        <source>GPU memory</source>
        <translation>Grafikspeicher</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Festplatte</translation>
    </message>
    <message>
        <source>What it needs</source>
        <translation>Was der Lauf braucht</translation>
    </message>
    <message>
        <source>The device that you chose is not there now.</source>
        <translation>Das gewählte Gerät ist gerade nicht da.</translation>
    </message>
    <message>
        <source>On %1</source>
        <translation>Auf %1</translation>
    </message>
</context>
<context>
    <name>ReviewPage</name>
    <message>
        <source>Other runs at this address</source>
        <translation>Andere Läufe unter dieser Adresse</translation>
    </message>
    <message>
        <source>&amp;Watch its peers</source>
        <translation>&amp;Teilnehmer beobachten</translation>
    </message>
    <message>
        <source>First choose a device that is there.</source>
        <translation>Wählen Sie zuerst ein Gerät, das vorhanden ist.</translation>
    </message>
    <message>
        <source>Tell the settings how fast your line is, to see what it leaves of the computing; its upload is measured when training has begun.</source>
        <translation>Nennen Sie in den Einstellungen die Geschwindigkeit Ihrer Leitung, um zu sehen, was sie vom Rechnen übrig lässt; wie schnell sie sendet, wird gemessen, sobald das Training läuft.</translation>
    </message>
    <message>
        <source>The training process ended unexpectedly; it is started again…</source>
        <translation>Der Trainingsprozess wurde unerwartet beendet; er wird neu gestartet&#xa0;…</translation>
    </message>
    <message>
        <source>The connection to this run has ended. Go back, and join again.</source>
        <translation>Die Verbindung zu diesem Lauf ist beendet. Gehen Sie zurück und machen Sie noch einmal mit.</translation>
    </message>
</context>
<context>
    <name>Rules</name>
    <message>
        <source>idle for %1</source>
        <translation>unbenutzt seit %1</translation>
    </message>
    <message>
        <source>%1 are free</source>
        <translation>%1 sind frei</translation>
    </message>
    <message>
        <source>another user is at this computer</source>
        <translation>ein anderer Benutzer ist an diesem Computer</translation>
    </message>
    <message>
        <source>told by %1</source>
        <translation>laut %1</translation>
    </message>
    <message>
        <source>today %1 sent and %2 received</source>
        <translation>heute %1 gesendet und %2 empfangen</translation>
    </message>
    <message>
        <source>today %1 sent and %2 received, this month %3 and %4</source>
        <translation>heute %1 gesendet und %2 empfangen, in diesem Monat %3 und %4</translation>
    </message>
    <message>
        <source>there is no file of prices</source>
        <translation>es gibt keine Datei mit Preisen</translation>
    </message>
    <message>
        <source>cannot see, so it waits</source>
        <translation>nicht zu erkennen, daher wird gewartet</translation>
    </message>
    <message>
        <source>cannot see</source>
        <translation>nicht zu erkennen</translation>
    </message>
    <message>
        <source>on battery: yes, %1 left</source>
        <translation>Akkubetrieb: ja, noch %1</translation>
    </message>
    <message>
        <source>on battery: yes</source>
        <translation>Akkubetrieb: ja</translation>
    </message>
    <message>
        <source>on battery: no</source>
        <translation>Akkubetrieb: nein</translation>
    </message>
    <message>
        <source>saves power: yes</source>
        <translation>Energiesparmodus: ja</translation>
    </message>
    <message>
        <source>saves power: no</source>
        <translation>Energiesparmodus: nein</translation>
    </message>
    <message>
        <source>metered: yes</source>
        <translation>getaktet: ja</translation>
    </message>
    <message>
        <source>metered: no</source>
        <translation>getaktet: nein</translation>
    </message>
    <message>
        <source>full screen: yes</source>
        <translation>Vollbild: ja</translation>
    </message>
    <message>
        <source>full screen: no</source>
        <translation>Vollbild: nein</translation>
    </message>
    <message>
        <source>full screen: cannot see</source>
        <translation>Vollbild: nicht zu erkennen</translation>
    </message>
    <message>
        <source>playing: %1</source>
        <translation>spielt ab: %1</translation>
    </message>
    <message>
        <source>nothing is playing</source>
        <translation>nichts wird abgespielt</translation>
    </message>
    <message>
        <source>no game is running</source>
        <translation>kein Spiel läuft</translation>
    </message>
    <message>
        <source>running: %1</source>
        <translation>läuft: %1</translation>
    </message>
    <message>
        <source>none is running</source>
        <translation>keines läuft</translation>
    </message>
    <message>
        <source>%2 uses %1 of the GPU</source>
        <translation>%2 nutzt %1 der GPU</translation>
    </message>
    <message>
        <source>other programs use %1 of the GPU</source>
        <translation>andere Programme nutzen %1 der GPU</translation>
    </message>
    <message>
        <source>programs wait for memory %1 of the time</source>
        <translation>Programme warten %1 der Zeit auf Arbeitsspeicher</translation>
    </message>
    <message>
        <source>other programs use %1 of the CPU</source>
        <translation>andere Programme nutzen %1 der CPU</translation>
    </message>
    <message>
        <source>free at this hour: yes</source>
        <translation>jetzt frei: ja</translation>
    </message>
    <message>
        <source>free at this hour: no, and never in the week</source>
        <translation>jetzt frei: nein, und nie in der Woche</translation>
    </message>
    <message>
        <source>free at this hour: no, again %1</source>
        <translation>jetzt frei: nein, wieder %1</translation>
    </message>
    <message>
        <source>the price is %1 now, and low enough %2</source>
        <translation>der Preis ist jetzt %1, niedrig genug %2</translation>
    </message>
    <message>
        <source>the price is %1 now</source>
        <translation>der Preis ist jetzt %1</translation>
    </message>
</context>
<context>
    <name>Run</name>
    <message>
        <source>nobody: it is your own file</source>
        <translation>niemand: Es ist Ihre eigene Datei</translation>
    </message>
    <message>
        <source>This description is your own file.</source>
        <translation>Diese Beschreibung ist Ihre eigene Datei.</translation>
    </message>
    <message>
        <source>Nobody has signed it; the swarm has to agree with it for the run to work.</source>
        <translation>Niemand hat sie signiert; der Schwarm muss mit ihr übereinstimmen, damit der Lauf funktioniert.</translation>
    </message>
    <message>
        <source>Vouched for by the address.</source>
        <translation>Die Adresse bürgt für diesen Lauf.</translation>
    </message>
    <message>
        <source>Whoever made the address that you pasted has signed this description.</source>
        <translation>Wer die eingefügte Adresse erstellt hat, hat auch diese Beschreibung signiert.</translation>
    </message>
    <message>
        <source>The address does not vouch for this run.</source>
        <translation>Die Adresse bürgt nicht für diesen Lauf.</translation>
    </message>
    <message>
        <source>Anybody in the swarm may have signed it. Ask whoever gave you the address whether the organiser below is the right one.</source>
        <translation>Jeder im Schwarm kann ihn signiert haben. Fragen Sie, wer Ihnen die Adresse gegeben hat, ob der unten genannte Organisator der richtige ist.</translation>
    </message>
    <message>
        <source>The organiser brings this run to a stop; it takes nobody new for the time being.</source>
        <translation>Der Organisator hält diesen Lauf an; er nimmt vorerst niemanden auf.</translation>
    </message>
    <message>
        <source>The organiser has paused this run; it takes nobody new for the time being.</source>
        <translation>Der Organisator hat diesen Lauf pausiert; er nimmt vorerst niemanden auf.</translation>
    </message>
    <message>
        <source>The organiser has finished this run; it takes nobody new.</source>
        <translation>Der Organisator hat diesen Lauf abgeschlossen; er nimmt niemanden mehr auf.</translation>
    </message>
    <message>
        <source>Closed run: only those whom the organiser has invited</source>
        <translation>Geschlossener Lauf: nur für die, die der Organisator eingeladen hat</translation>
    </message>
    <message>
        <source>Closed run: this computer is one of those that lead it</source>
        <translation>Geschlossener Lauf: dieser Computer ist einer von denen, die ihn leiten</translation>
    </message>
    <message>
        <source>Closed run: your invitation is valid until %1</source>
        <translation>Geschlossener Lauf: Ihre Einladung gilt bis %1</translation>
    </message>
    <message>
        <source>The invitation that you pasted last is for another run.</source>
        <translation>Die Einladung, die Sie zuletzt eingefügt haben, gilt für einen anderen Lauf.</translation>
    </message>
    <message>
        <source>The invitation that you pasted is for another computer.</source>
        <translation>Die Einladung, die Sie eingefügt haben, gilt für einen anderen Computer.</translation>
    </message>
    <message>
        <source>The invitation that you pasted is damaged, or nobody of this run has signed it.</source>
        <translation>Die Einladung, die Sie eingefügt haben, ist beschädigt, oder niemand aus diesem Lauf hat sie signiert.</translation>
    </message>
    <message>
        <source>This run is closed; you need an invitation. Send the organiser your key: %1</source>
        <translation>Dieser Lauf ist geschlossen; Sie brauchen eine Einladung. Schicken Sie dem Organisator Ihren Schlüssel: %1</translation>
    </message>
    <message>
        <source>The organiser brings the run to a stop: everybody finishes the epoch and leaves</source>
        <translation>Der Organisator hält den Lauf an: alle beenden die Epoche und verlassen ihn</translation>
    </message>
    <message>
        <source>The organiser has ended the run. Thank you for helping</source>
        <translation>Der Organisator hat den Lauf beendet. Danke für Ihre Hilfe</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>learning rate %1</source>
        <translation>Lernrate %1</translation>
    </message>
    <message>
        <source>%1 samples a step</source>
        <translation>%1 Beispiele pro Schritt</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>From epoch %1 on</source>
        <translation>Ab Epoche %1</translation>
    </message>
    <message>
        <source>learning rate, samples of a step and longest round may become up to %1 times higher or lower</source>
        <translation>Lernrate, Beispiele eines Schritts und längste Runde dürfen bis zu %1-mal höher oder niedriger werden</translation>
    </message>
    <message numerus="yes">
        <source>%n peer(s)</source>
        <translation>
            <numerusform>%n Teilnehmer</numerusform>
            <numerusform>%n Teilnehmer</numerusform>
        </translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>samples %1</source>
        <translation>Beispiele %1</translation>
    </message>
    <message>
        <source>loss %1</source>
        <translation>Loss %1</translation>
    </message>
    <message>
        <source>vouched for by the address</source>
        <translation>die Adresse bürgt dafür</translation>
    </message>
    <message>
        <source>not vouched for by the address</source>
        <translation>die Adresse bürgt nicht dafür</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>von %1</translation>
    </message>
    <message>
        <source>Organiser</source>
        <translation>Organisator</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>Zugang</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>nicht angegeben</translation>
    </message>
    <message>
        <source>Web page</source>
        <translation>Webseite</translation>
    </message>
    <message>
        <source>Contact</source>
        <translation>Kontakt</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>%1, revision %2</source>
        <translation>%1, Fassung %2</translation>
    </message>
    <message>
        <source>Trains</source>
        <translation>Trainiert</translation>
    </message>
    <message>
        <source>%1 with %2 parameters</source>
        <translation>%1 mit %2 Parametern</translation>
    </message>
    <message>
        <source>While it goes on</source>
        <translation>Während er läuft</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>Geändert</translation>
    </message>
    <message>
        <source>Other data</source>
        <translation>Andere Daten</translation>
    </message>
    <message>
        <source>Taken back</source>
        <translation>Zurückgesetzt</translation>
    </message>
    <message>
        <source>coming to a stop</source>
        <translation>wird angehalten</translation>
    </message>
    <message>
        <source>Learns from</source>
        <translation>Lernt aus</translation>
    </message>
    <message>
        <source>Begins with</source>
        <translation>Beginnt mit</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>Hub</source>
        <translation>Hub</translation>
    </message>
    <message>
        <source>Base weights from</source>
        <translation>Grundgewichte von</translation>
    </message>
    <message>
        <source>%1, split %2, commit %3</source>
        <translation>%1, Teil (Split) %2, Commit %3</translation>
    </message>
    <message>
        <source>the files that it learns from may be exchanged for others of at most %1 from %2</source>
        <translation>die Dateien, aus denen er lernt, dürfen gegen andere mit höchstens %1 von %2 ausgetauscht werden</translation>
    </message>
    <message>
        <source>another part of the data set %1 may take the place of what it learns from</source>
        <translation>ein anderer Teil des Datensatzes %1 darf an die Stelle dessen treten, woraus er lernt</translation>
    </message>
    <message>
        <source>%1 of the hub</source>
        <translation>%1 des Hubs</translation>
    </message>
    <message>
        <source>At the moment</source>
        <translation>Im Moment</translation>
    </message>
    <message>
        <source>Your invitation to this run ended %1; ask the organiser for a new one.</source>
        <translation>Ihre Einladung zu diesem Lauf ist %1 abgelaufen; bitten Sie den Organisator um eine neue.</translation>
    </message>
    <message>
        <source>The organiser paused the run %1</source>
        <translation>Der Organisator hat den Lauf %1 pausiert</translation>
    </message>
    <message>
        <source>to epoch %1 (%2)</source>
        <translation>auf Epoche %1 (%2)</translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) of %1 from %2</source>
        <translation>
            <numerusform>%n Datei mit %1 von %2</numerusform>
            <numerusform>%n Dateien mit %1 von %2</numerusform>
        </translation>
    </message>
    <message>
        <source>the data set %1 of the hub, as a stream</source>
        <translation>dem Datensatz %1 des Hubs, als Strom</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>pausiert</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>abgeschlossen</translation>
    </message>
</context>
<context>
    <name>RunCatalogue</name>
    <message>
        <source>Filter, such as a word or a name</source>
        <translation>Filter, etwa ein Wort oder ein Name</translation>
    </message>
    <message>
        <source>Filter the runs</source>
        <translation>Läufe filtern</translation>
    </message>
    <message>
        <source>Look at this run</source>
        <translation>Diesen Lauf ansehen</translation>
    </message>
    <message numerus="yes">
        <source>%n more run(s): type a word above to find them.</source>
        <translation>
            <numerusform>%n weiterer Lauf: Geben Sie oben ein Wort ein, um ihn zu finden.</numerusform>
            <numerusform>%n weitere Läufe: Geben Sie oben ein Wort ein, um sie zu finden.</numerusform>
        </translation>
    </message>
    <message>
        <source>No run has these words.</source>
        <translation>Kein Lauf enthält diese Wörter.</translation>
    </message>
    <message>
        <source>No run on your lists is open now.</source>
        <translation>Kein Lauf Ihrer Listen ist gerade offen.</translation>
    </message>
    <message>
        <source>Organisers publish lists of runs. Add one by its address, and its runs are shown here.</source>
        <translation>Organisatoren veröffentlichen Listen von Läufen. Fügen Sie eine über ihre Adresse hinzu, dann stehen ihre Läufe hier.</translation>
    </message>
    <message>
        <source>Runs that need you</source>
        <translation>Läufe, die Hilfe suchen</translation>
    </message>
</context>
<context>
    <name>RunDetails</name>
    <message>
        <source>Open its page in the browser</source>
        <translation>Seite des Laufs im Browser öffnen</translation>
    </message>
    <message>
        <source>About this run</source>
        <translation>Über diesen Lauf</translation>
    </message>
    <message>
        <source>The organiser has changed this run since you agreed to it.</source>
        <translation>Der Organisator hat diesen Lauf geändert, seit Sie ihm zugestimmt haben.</translation>
    </message>
    <message>
        <source>Nothing of it is downloaded or trained before you agree again.</source>
        <translation>Nichts davon wird geladen oder trainiert, bevor Sie neu zustimmen.</translation>
    </message>
    <message>
        <source>You have agreed to this run before; it has not changed since.</source>
        <translation>Sie haben diesem Lauf schon zugestimmt; seitdem hat er sich nicht geändert.</translation>
    </message>
    <message>
        <source>The organiser says: %1</source>
        <translation>Der Organisator teilt mit: %1</translation>
    </message>
</context>
<context>
    <name>RunOrder</name>
    <message>
        <source>“%1” has changed since you agreed to it.</source>
        <translation>„%1“ hat sich geändert, seit Sie zugestimmt haben.</translation>
    </message>
    <message>
        <source>It is skipped until you have looked at it. What is helped now is left for that.</source>
        <translation>Er wird übersprungen, bis Sie ihn angesehen haben. Der jetzige Lauf wird dafür verlassen.</translation>
    </message>
    <message>
        <source>Look at it</source>
        <translation>Ansehen</translation>
    </message>
    <message>
        <source>Helping “%1” again: it can be helped again</source>
        <translation>Wieder für „%1“: Ihm kann wieder geholfen werden</translation>
    </message>
    <message>
        <source>Helping “%1” again: it comes before “%2” in your order</source>
        <translation>Wieder für „%1“: Er steht in Ihrer Reihenfolge vor „%2“</translation>
    </message>
    <message>
        <source>Helping “%1”: %2</source>
        <translation>Jetzt für „%1“: %2</translation>
    </message>
    <message>
        <source>“%1” has ended</source>
        <translation>„%1“ ist zu Ende</translation>
    </message>
    <message>
        <source>“%1” is paused by its organiser</source>
        <translation>„%1“ pausiert auf Wunsch des Organisators</translation>
    </message>
    <message>
        <source>“%1” cannot be reached</source>
        <translation>„%1“ ist nicht erreichbar</translation>
    </message>
    <message>
        <source>“%1” does not fit this computer</source>
        <translation>„%1“ passt nicht auf diesen Computer</translation>
    </message>
    <message>
        <source>“%1” has changed and waits for your answer</source>
        <translation>„%1“ hat sich geändert und wartet auf Ihre Antwort</translation>
    </message>
    <message>
        <source>“%1” has ended with a problem</source>
        <translation>„%1“ endete mit einem Problem</translation>
    </message>
    <message>
        <source>“%1” can be helped again: it follows when this run ends</source>
        <translation>Dem Lauf „%1“ kann wieder geholfen werden; er folgt, wenn dieser endet</translation>
    </message>
    <message>
        <source>“%1” can be helped again: it follows %2, or when this run ends</source>
        <translation>Dem Lauf „%1“ kann wieder geholfen werden; er folgt %2, oder wenn dieser endet</translation>
    </message>
    <message>
        <source>finished by its organiser</source>
        <translation>vom Organisator beendet</translation>
    </message>
    <message>
        <source>paused by its organiser</source>
        <translation>vom Organisator angehalten</translation>
    </message>
    <message>
        <source>cannot be reached</source>
        <translation>nicht erreichbar</translation>
    </message>
    <message>
        <source>does not fit this computer</source>
        <translation>passt nicht auf diesen Computer</translation>
    </message>
    <message>
        <source>changed: skipped until you have looked at it</source>
        <translation>geändert: wird übersprungen, bis Sie ihn ansehen</translation>
    </message>
    <message>
        <source>ended with a problem</source>
        <translation>endete mit einem Problem</translation>
    </message>
</context>
<context>
    <name>RunSelector</name>
    <message>
        <source>Which run would you like to see?</source>
        <translation>Welchen Lauf möchten Sie sehen?</translation>
    </message>
    <message>
        <source>Several runs can be reached at this address.</source>
        <translation>Unter dieser Adresse sind mehrere Läufe erreichbar.</translation>
    </message>
</context>
<context>
    <name>SaveDialog</name>
    <message>
        <source>Saved as %1.</source>
        <translation>Gespeichert als %1.</translation>
    </message>
</context>
<context>
    <name>SearchBar</name>
    <message>
        <source>Search this page</source>
        <translation>Auf dieser Seite suchen</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>Vorige Fundstelle</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>Nächste Fundstelle</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>Nichts gefunden</translation>
    </message>
</context>
<context>
    <name>SearchStatus</name>
    <message>
        <source>Looking for the run</source>
        <translation>Suche nach dem Lauf</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>%1; it is started again…</source>
        <translation>%1; es folgt ein neuer Versuch&#xa0;…</translation>
    </message>
    <message>
        <source>Starting the training process…</source>
        <translation>Der Trainingsprozess startet&#xa0;…</translation>
    </message>
    <message>
        <source>Calling the peers at this address; that can take a minute…</source>
        <translation>Die Teilnehmer unter dieser Adresse werden gerufen; das kann eine Minute dauern&#xa0;…</translation>
    </message>
    <message>
        <source>Somebody answers; asking which run it is…</source>
        <translation>Jemand antwortet; welcher Lauf es ist, wird gerade erfragt&#xa0;…</translation>
    </message>
</context>
<context>
    <name>SeriesMenu</name>
    <message>
        <source>Curves</source>
        <translation>Kurven</translation>
    </message>
    <message>
        <source>Which curves are drawn</source>
        <translation>Welche Kurven gezeichnet werden</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Remove my data …</source>
        <translation>Meine Daten löschen …</translation>
    </message>
</context>
<context>
    <name>ShutdownWindow</name>
    <message>
        <source>Workerbee</source>
        <translation>Workerbee</translation>
    </message>
    <message>
        <source>Saying goodbye…</source>
        <translation>Abmeldung&#xa0;…</translation>
    </message>
    <message>
        <source>The others are told, so that nobody waits for this computer.</source>
        <translation>Die anderen erfahren davon, damit niemand auf diesen Computer wartet.</translation>
    </message>
    <message>
        <source>Quit at &amp;once</source>
        <translation>&amp;Sofort beenden</translation>
    </message>
    <message>
        <source>Quit at once, without a goodbye</source>
        <translation>Sofort und ohne Abmeldung beenden</translation>
    </message>
</context>
<context>
    <name>Snooze</name>
    <message>
        <source>Pause for 30 minutes</source>
        <translation>30 Minuten pausieren</translation>
    </message>
    <message>
        <source>Pause for 1 hour</source>
        <translation>1 Stunde pausieren</translation>
    </message>
    <message>
        <source>Pause for 3 hours</source>
        <translation>3 Stunden pausieren</translation>
    </message>
    <message>
        <source>Pause until I resume</source>
        <translation>Pausieren, bis ich fortsetze</translation>
    </message>
    <message>
        <source>Pause for 30 minutes from now</source>
        <translation>Ab jetzt 30 Minuten pausieren</translation>
    </message>
    <message>
        <source>Pause for 1 hour from now</source>
        <translation>Ab jetzt 1 Stunde pausieren</translation>
    </message>
    <message>
        <source>Pause for 3 hours from now</source>
        <translation>Ab jetzt 3 Stunden pausieren</translation>
    </message>
</context>
<context>
    <name>Start</name>
    <message>
        <source>Workerbee is running already, but does not answer.</source>
        <translation>Workerbee läuft bereits, antwortet aber nicht.</translation>
    </message>
    <message>
        <source>Wait a little. If it stays so, end the process %1 and start again.</source>
        <translation>Warten Sie ein wenig. Bleibt es so, beenden Sie den Prozess %1 und starten Sie neu.</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>The organiser has changed the run; nothing is computed before you agree again</source>
        <translation>Der Organisator hat den Lauf geändert; es wird nichts gerechnet, bevor Sie neu zustimmen</translation>
    </message>
    <message>
        <source>The run is found; nothing is computed before you press Start</source>
        <translation>Der Lauf ist gefunden; gerechnet wird erst, wenn Sie „Starten“ drücken</translation>
    </message>
    <message>
        <source>Nothing is running</source>
        <translation>Nichts läuft</translation>
    </message>
    <message>
        <source>starting again…</source>
        <translation>startet neu&#xa0;…</translation>
    </message>
    <message>
        <source>attempt %1 starts in %2</source>
        <translation>Versuch %1 beginnt in %2</translation>
    </message>
    <message>
        <source>attempt %1 of %2 starts in %3</source>
        <translation>Versuch %1 von %2 beginnt in %3</translation>
    </message>
    <message>
        <source>Connecting to the run again…</source>
        <translation>Die Verbindung zum Lauf wird wieder aufgebaut&#xa0;…</translation>
    </message>
    <message>
        <source>Looking for the run…</source>
        <translation>Der Lauf wird gesucht&#xa0;…</translation>
    </message>
    <message>
        <source>Starting the engine…</source>
        <translation>Das Trainingsprogramm startet&#xa0;…</translation>
    </message>
    <message>
        <source>Getting ready to train…</source>
        <translation>Das Training wird vorbereitet&#xa0;…</translation>
    </message>
    <message>
        <source>Downloading the rest of the state from a peer · %1</source>
        <translation>Der Rest des Standes wird von einem Teilnehmer heruntergeladen · %1</translation>
    </message>
    <message>
        <source>Downloading the run&apos;s state · %1</source>
        <translation>Der Stand des Laufs wird heruntergeladen · %1</translation>
    </message>
    <message>
        <source>Downloading the run&apos;s data and model · %1</source>
        <translation>Daten und Modell des Laufs werden geladen · %1</translation>
    </message>
    <message>
        <source>Downloading the run&apos;s state · %1 of %2 · %3</source>
        <translation>Der Stand des Laufs wird heruntergeladen · %1 von %2 · %3</translation>
    </message>
    <message>
        <source>Downloading the run&apos;s data and model · %1 of %2 · %3</source>
        <translation>Daten und Modell des Laufs werden geladen · %1 von %2 · %3</translation>
    </message>
    <message>
        <source>Keeping the run published</source>
        <translation>Der Lauf bleibt veröffentlicht</translation>
    </message>
    <message>
        <source>Training begins…</source>
        <translation>Das Training beginnt&#xa0;…</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>Epoche %1</translation>
    </message>
    <message>
        <source>round %1</source>
        <translation>Runde %1</translation>
    </message>
    <message>
        <source>waiting for the last step</source>
        <translation>wartet auf den letzten Schritt</translation>
    </message>
    <message numerus="yes">
        <source>all %n step(s) taken, waiting for the others</source>
        <translation>
            <numerusform>der eine Schritt ist getan, die anderen rechnen noch</numerusform>
            <numerusform>alle %n Schritte sind getan, die anderen rechnen noch</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n Schritt</numerusform>
            <numerusform>%n Schritte</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of ~%2 steps</source>
        <translation>%1 von ~%2 Schritten</translation>
    </message>
    <message>
        <source>exchanging (%1) while training goes on</source>
        <translation>tauscht aus (%1), während das Training weitergeht</translation>
    </message>
    <message>
        <source>Finishing this epoch, then stopping</source>
        <translation>Schließt diese Epoche ab und hält dann an</translation>
    </message>
    <message>
        <source>Training alone</source>
        <translation>Trainiert allein</translation>
    </message>
    <message>
        <source>Training, but nothing counts at present</source>
        <translation>Trainiert, aber zurzeit zählt nichts</translation>
    </message>
    <message>
        <source>Catching up with the others</source>
        <translation>Holt die anderen ein</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Trainiert</translation>
    </message>
    <message>
        <source>not averaged with others yet</source>
        <translation>noch nicht mit anderen gemittelt</translation>
    </message>
    <message numerus="yes">
        <source>averaged with %n peer(s) %1 ago</source>
        <translation>
            <numerusform>vor %1 mit %n Teilnehmer gemittelt</numerusform>
            <numerusform>vor %1 mit %n Teilnehmern gemittelt</numerusform>
        </translation>
    </message>
    <message>
        <source>stops in ~%1</source>
        <translation>hält in ca. %1 an</translation>
    </message>
    <message>
        <source>next round any moment now</source>
        <translation>nächste Runde jeden Moment</translation>
    </message>
    <message>
        <source>next round in ~%1</source>
        <translation>nächste Runde in ca. %1</translation>
    </message>
    <message>
        <source>Pausing · saying goodbye to the swarm…</source>
        <translation>Geht in die Pause · Abmeldung beim Schwarm&#xa0;…</translation>
    </message>
    <message>
        <source>Leaving · saying goodbye to the swarm…</source>
        <translation>Verlässt den Lauf · Abmeldung beim Schwarm&#xa0;…</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Paused after the epoch, as you asked · Resume goes on</source>
        <translation>Wie gewünscht nach der Epoche pausiert · mit „Fortsetzen“ geht es weiter</translation>
    </message>
    <message>
        <source>Paused while the computer sleeps · goes on when it wakes</source>
        <translation>Pausiert, solange der Computer ruht · geht beim Aufwachen weiter</translation>
    </message>
    <message>
        <source>Paused by you until %1</source>
        <translation>Von Ihnen pausiert bis %1</translation>
    </message>
    <message>
        <source>Paused by you until you resume</source>
        <translation>Von Ihnen pausiert, bis Sie fortsetzen</translation>
    </message>
    <message>
        <source>Stopped · %1</source>
        <translation>Angehalten · %1</translation>
    </message>
    <message>
        <source>You have left the run · goodbye was said</source>
        <translation>Sie haben den Lauf verlassen · beim Schwarm abgemeldet</translation>
    </message>
</context>
<context>
    <name>StatusIcon</name>
    <message>
        <source>All is well</source>
        <translation>Alles in Ordnung</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>Warnung</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>Fehler</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Hinweis</translation>
    </message>
    <message>
        <source>Not known</source>
        <translation>Nicht bekannt</translation>
    </message>
</context>
<context>
    <name>SummaryCard</name>
    <message numerus="yes">
        <source>samples in %n run(s)</source>
        <translation>
            <numerusform>Beispiele in %n Lauf</numerusform>
            <numerusform>Beispiele in %n Läufen</numerusform>
        </translation>
    </message>
    <message>
        <source>of training</source>
        <translation>Trainingszeit</translation>
    </message>
    <message>
        <source>energy used</source>
        <translation>verbrauchte Energie</translation>
    </message>
    <message>
        <source>no price set</source>
        <translation>kein Preis eingestellt</translation>
    </message>
    <message>
        <source>cost of electricity</source>
        <translation>Stromkosten</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>gesendet</translation>
    </message>
    <message>
        <source>received</source>
        <translation>empfangen</translation>
    </message>
</context>
<context>
    <name>ThroughputCard</name>
    <message>
        <source>This computer</source>
        <translation>Dieser Computer</translation>
    </message>
    <message>
        <source>at rest</source>
        <translation>ruht</translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation>Beispiele/s</translation>
    </message>
</context>
<context>
    <name>Traffic</name>
    <message>
        <source>Sends about %1 in a round and receives as much</source>
        <translation>Sendet in einer Runde etwa %1 und empfängt ebenso viel</translation>
    </message>
    <message>
        <source>Sends about %1 in an epoch and receives as much</source>
        <translation>Sendet in einer Epoche etwa %1 und empfängt ebenso viel</translation>
    </message>
    <message>
        <source>about %1 an hour each way</source>
        <translation>etwa %1 je Stunde und Richtung</translation>
    </message>
    <message>
        <source>about %1 sent and up to %2 received an hour</source>
        <translation>in der Stunde etwa %1 gesendet und bis zu %2 empfangen</translation>
    </message>
    <message>
        <source>Sends about %1 in a round and receives as much of each other peer, up to %2</source>
        <translation>Sendet in einer Runde etwa %1 und empfängt ebenso viel von jedem anderen Teilnehmer, bis zu %2</translation>
    </message>
    <message>
        <source>Downloads %1 at the start.</source>
        <translation>Lädt am Anfang %1 herunter.</translation>
    </message>
    <message>
        <source>Downloads %1 at the start: about %2 at %3 Mbit/s.</source>
        <translation>Lädt am Anfang %1 herunter: etwa %2 bei %3 Mbit/s.</translation>
    </message>
    <message>
        <source>the upload last measured here, %1 Mbit/s, leaves at least %2 of the time for computing</source>
        <translation>Ihre Leitung, die hier zuletzt %1 Mbit/s sendete, lässt mindestens %2 der Zeit zum Rechnen</translation>
    </message>
    <message>
        <source>an upload of %1 Mbit/s leaves at least %2 of the time for computing</source>
        <translation>eine Leitung, die %1 Mbit/s sendet, lässt mindestens %2 der Zeit zum Rechnen</translation>
    </message>
    <message>
        <source>a line of %1/%2 Mbit/s, as last measured here, leaves at least %3 of the time for computing</source>
        <translation>eine Leitung von %1/%2 Mbit/s (hier zuletzt gemessen) lässt mindestens %3 der Zeit zum Rechnen</translation>
    </message>
    <message>
        <source>a line of %1/%2 Mbit/s, its upload as last measured here, leaves %3 of the time for computing</source>
        <translation>eine Leitung von %1/%2 Mbit/s (Senden: hier zuletzt gemessen) lässt %3 der Zeit zum Rechnen</translation>
    </message>
    <message>
        <source>a line of %1/%2 Mbit/s, its download as last measured here, leaves at least %3 of the time for computing</source>
        <translation>eine Leitung von %1/%2 Mbit/s (Empfangen: hier zuletzt gemessen) lässt mindestens %3 der Zeit zum Rechnen</translation>
    </message>
    <message>
        <source>a line of %1/%2 Mbit/s leaves %3 of the time for computing</source>
        <translation>eine Leitung von %1/%2 Mbit/s lässt %3 der Zeit zum Rechnen</translation>
    </message>
    <message>
        <source>Sent %1 and received %2 in the last hour</source>
        <translation>In der letzten Stunde %1 gesendet und %2 empfangen</translation>
    </message>
    <message>
        <source>about %1 each expected</source>
        <translation>erwartet je etwa %1</translation>
    </message>
    <message>
        <source>about %1 and up to %2 expected</source>
        <translation>etwa %1 und bis zu %2 erwartet</translation>
    </message>
    <message>
        <source>This run: %1 of this computer&apos;s traffic in the last %2</source>
        <translation>Dieser Lauf: %1 des Datenverkehrs dieses Computers in den letzten %2</translation>
    </message>
</context>
<context>
    <name>TrainingPage</name>
    <message>
        <source>The organiser says: %1</source>
        <translation>Der Organisator teilt mit: %1</translation>
    </message>
    <message>
        <source>Peers (%1)</source>
        <translation>Teilnehmer (%1)</translation>
    </message>
    <message>
        <source>Peers</source>
        <translation>Teilnehmer</translation>
    </message>
    <message>
        <source>What has happened</source>
        <translation>Ereignisse</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Nothing is running</source>
        <translation>Nichts läuft</translation>
    </message>
    <message>
        <source>Run: %1</source>
        <translation>Lauf: %1</translation>
    </message>
    <message>
        <source>&amp;Open Workerbee</source>
        <translation>Workerbee &amp;öffnen</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>&amp;Pause</translation>
    </message>
    <message>
        <source>&amp;Resume now</source>
        <translation>&amp;Jetzt fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>&amp;Fortsetzen</translation>
    </message>
    <message>
        <source>&amp;Finish this epoch, then stop</source>
        <translation>&amp;Diese Epoche abschließen, dann anhalten</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
</context>
<context>
    <name>TrayController</name>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Pause for an hour</source>
        <translation>Eine Stunde pausieren</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>This desktop has no tray, so the window was only minimised.</source>
        <translation>Dieser Desktop hat keinen Infobereich; das Fenster wurde deshalb nur minimiert.</translation>
    </message>
    <message>
        <source>Workerbee goes on meanwhile.</source>
        <translation>Workerbee läuft unterdessen weiter.</translation>
    </message>
    <message>
        <source>Quit Workerbee</source>
        <translation>Workerbee beenden</translation>
    </message>
    <message>
        <source>Workerbee is still here</source>
        <translation>Workerbee läuft weiter</translation>
    </message>
    <message>
        <source>This desktop has no tray; these buttons, the menu of programs and the terminal (workerbee pause) reach it.</source>
        <translation>Dieser Desktop hat keinen Infobereich; diese Knöpfe, das Programmmenü und das Terminal (workerbee pause) erreichen es.</translation>
    </message>
    <message>
        <source>Its icon in the panel opens the window again, pauses and quits.</source>
        <translation>Mit dem Symbol im Infobereich öffnen Sie das Fenster wieder, pausieren oder beenden Workerbee.</translation>
    </message>
    <message>
        <source>This desktop has no tray.</source>
        <translation>Dieser Desktop hat keinen Infobereich.</translation>
    </message>
    <message>
        <source>Closing the window minimises it, and Workerbee goes on. To pause, resume and quit, use its notifications, a right click on Workerbee in the menu of programs, or a terminal: workerbee pause.</source>
        <translation>Schließen minimiert das Fenster, und Workerbee läuft weiter. Zum Pausieren, Fortsetzen und Beenden dienen die Benachrichtigungen, ein Rechtsklick auf Workerbee im Programmmenü oder ein Terminal: workerbee pause.</translation>
    </message>
</context>
<context>
    <name>TrustCatalogue</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n Lauf</numerusform>
            <numerusform>%n Läufen</numerusform>
        </translation>
    </message>
    <message>
        <source>Add the list “%1” with %2?</source>
        <translation>Die Liste „%1“ mit %2 hinzufügen?</translation>
    </message>
    <message>
        <source>Until now it was signed with the key %1, which will be forgotten.</source>
        <translation>Bisher war sie mit dem Schlüssel %1 signiert, der dann vergessen wird.</translation>
    </message>
    <message>
        <source>It is signed with the key %1. Compare it with the one that its publisher posts elsewhere: from now on, only lists with this key are shown. A list never starts anything; you see each run before you agree.</source>
        <translation>Sie ist mit dem Schlüssel %1 signiert. Vergleichen Sie ihn mit dem, der anderswo veröffentlicht ist: Von nun an werden nur Listen mit diesem Schlüssel gezeigt. Eine Liste startet nie etwas; Sie sehen jeden Lauf, bevor Sie zustimmen.</translation>
    </message>
    <message>
        <source>Add the list</source>
        <translation>Liste hinzufügen</translation>
    </message>
</context>
<context>
    <name>UnobservedRules</name>
    <message>
        <source>The rule “idle_minutes” cannot see here whether you are away, so nothing is trained until the screen is locked or nobody is logged in. Resume now (r in the terminal of `workerbee join`) trains all the same. A service has no such key: remove idle_minutes from [availability] in settings.toml, and name hours instead.</source>
        <translation>Die Regel „idle_minutes“ kann hier nicht sehen, ob Sie weg sind; darum wird nichts trainiert, bis der Bildschirm gesperrt oder niemand angemeldet ist. „Jetzt fortsetzen“ (r im Terminal von `workerbee join`) trainiert trotzdem. Ein Dienst hat keine solche Taste: Entfernen Sie idle_minutes aus [availability] in settings.toml, und nennen Sie stattdessen Stunden.</translation>
    </message>
    <message>
        <source>The limits for while somebody is at this computer hold all the time: nobody tells here whether that is so.</source>
        <translation>Die Grenzen für die Zeit, in der jemand an diesem Computer ist, gelten immer: Niemand sagt hier, ob das so ist.</translation>
    </message>
    <message>
        <source>The rule about %1 cannot see anything here, and asks for no pause. It is told by %2.</source>
        <translation>Die Regel „%1“ kann hier nichts sehen und verlangt keine Pause. Sie erführe es von: %2.</translation>
    </message>
    <message>
        <source>UPower, or the kernel in /sys/class/power_supply</source>
        <translation>UPower oder dem Kernel in /sys/class/power_supply</translation>
    </message>
    <message>
        <source>power-profiles-daemon, TLP 1.9, tuned, or the desktop&apos;s portal</source>
        <translation>power-profiles-daemon, TLP 1.9, tuned oder dem Portal der Arbeitsumgebung</translation>
    </message>
    <message>
        <source>NetworkManager, or the desktop&apos;s portal</source>
        <translation>NetworkManager oder dem Portal der Arbeitsumgebung</translation>
    </message>
    <message>
        <source>GameMode, on your session&apos;s bus, or an X server that shows your session</source>
        <translation>GameMode auf dem Bus Ihrer Sitzung oder einem X-Server, der Ihre Sitzung zeigt</translation>
    </message>
    <message>
        <source>media players (MPRIS) and GNOME&apos;s session manager, on your session&apos;s bus</source>
        <translation>Medienspielern (MPRIS) und der Sitzungsverwaltung von GNOME auf dem Nachrichtenbus Ihrer Sitzung</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver, but not in WSL 2 and not with MIG, or for another GPU by Linux 5.19 or newer</source>
        <translation>NVIDIAs Treiber, aber nicht in WSL 2 und nicht mit MIG, bei einer anderen GPU Linux ab 5.19</translation>
    </message>
    <message>
        <source>the kernel in /proc/pressure, unless it was started with psi=0</source>
        <translation>dem Kernel in /proc/pressure, außer er wurde mit psi=0 gestartet</translation>
    </message>
    <message>
        <source>GNOME, Cinnamon, KDE on X11, or a desktop that tells logind</source>
        <translation>GNOME, Cinnamon, KDE unter X11 oder einer Arbeitsumgebung, die es logind sagt</translation>
    </message>
    <message>
        <source>the list of processes</source>
        <translation>der Liste der Prozesse</translation>
    </message>
</context>
<context>
    <name>UpdateSettings</name>
    <message>
        <source>Look for a newer version every two weeks</source>
        <translation>Alle zwei Wochen nach einer neueren Version sehen</translation>
    </message>
    <message>
        <source>Newer versions</source>
        <translation>Neuere Versionen</translation>
    </message>
    <message>
        <source>Whoever built this Workerbee has named nobody who announces newer ones.</source>
        <translation>Wer dieses Workerbee gebaut hat, hat niemanden genannt, der neuere ankündigt.</translation>
    </message>
    <message>
        <source>%1 is asked, and sees your IP address. Nothing is downloaded by itself.</source>
        <translation>Gefragt wird %1, wo dann die eigene IP-Adresse zu sehen ist. Von selbst wird nichts heruntergeladen.</translation>
    </message>
    <message>
        <source>Workerbee %1 is there: open its page</source>
        <translation>Workerbee %1 ist da: Seite öffnen</translation>
    </message>
</context>
<context>
    <name>Updates</name>
    <message>
        <source>Workerbee %1 is there.</source>
        <translation>Workerbee %1 ist da.</translation>
    </message>
    <message>
        <source>This is %1. Nothing is downloaded by itself.</source>
        <translation>Dies ist %1. Von selbst wird nichts heruntergeladen.</translation>
    </message>
    <message>
        <source>To install it, quit Workerbee and type workerbee update in a terminal.</source>
        <translation>Zum Installieren beenden Sie Workerbee und geben Sie in einem Terminal workerbee update ein.</translation>
    </message>
    <message>
        <source>Open its page</source>
        <translation>Seite öffnen</translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message>
        <source>Paused: your computer is all yours.</source>
        <translation>Pausiert: Ihr Computer gehört ganz Ihnen.</translation>
    </message>
    <message>
        <source>Nothing is being computed on this computer.</source>
        <translation>Auf diesem Computer wird nichts gerechnet.</translation>
    </message>
    <message>
        <source>Whether your computer helps is not known yet.</source>
        <translation>Ob Ihr Computer hilft, ist noch nicht bekannt.</translation>
    </message>
    <message>
        <source>Yes, your computer is helping: the first round was averaged with others.</source>
        <translation>Ja, Ihr Computer hilft: Die erste Runde wurde mit anderen gemittelt.</translation>
    </message>
    <message numerus="yes">
        <source>Yes, your computer is helping: %1 of the last %n round(s) averaged with others.</source>
        <translation>
            <numerusform>Ja, Ihr Computer hilft: %1 der letzten %n Runde wurde mit anderen gemittelt.</numerusform>
            <numerusform>Ja, Ihr Computer hilft: %1 der letzten %n Runden wurden mit anderen gemittelt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>WeekGrid</name>
    <message>
        <source>%1, %2: free for training</source>
        <translation>%1, %2: frei fürs Training</translation>
    </message>
    <message>
        <source>%1, %2: not free for training</source>
        <translation>%1, %2: nicht frei fürs Training</translation>
    </message>
    <message>
        <source>Hours of the week</source>
        <translation>Stunden der Woche</translation>
    </message>
    <message>
        <source>The arrow keys move, Space switches an hour, Shift and Space a day, and Ctrl and Space an hour of all days. Shift and an arrow key carry what an hour is on to the next.</source>
        <translation>Die Pfeiltasten bewegen, die Leertaste schaltet eine Stunde um, Umschalt und Leertaste einen Tag, Strg und Leertaste eine Stunde aller Tage. Umschalt und eine Pfeiltaste machen die nächste Stunde so, wie diese ist.</translation>
    </message>
</context>
<context>
    <name>WindowSettings</name>
    <message>
        <source>When I log in</source>
        <translation>Beim Anmelden</translation>
    </message>
    <message>
        <source>How Workerbee opens</source>
        <translation>Wie Workerbee sich öffnet</translation>
    </message>
    <message>
        <source>When I close the window</source>
        <translation>Beim Schließen des Fensters</translation>
    </message>
    <message>
        <source>When a run ends or needs me</source>
        <translation>Wenn ein Lauf endet oder mich braucht</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farbschema</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>do nothing</source>
        <translation>nichts tun</translation>
    </message>
    <message>
        <source>start Workerbee in the tray</source>
        <translation>Workerbee im Infobereich starten</translation>
    </message>
    <message>
        <source>with its window</source>
        <translation>mit seinem Fenster</translation>
    </message>
    <message>
        <source>hidden in the tray</source>
        <translation>versteckt im Infobereich</translation>
    </message>
    <message>
        <source>go on in the tray</source>
        <translation>im Infobereich weiterlaufen</translation>
    </message>
    <message>
        <source>leave the run and quit</source>
        <translation>den Lauf verlassen und beenden</translation>
    </message>
    <message>
        <source>show a notification</source>
        <translation>eine Benachrichtigung zeigen</translation>
    </message>
    <message>
        <source>show nothing</source>
        <translation>nichts zeigen</translation>
    </message>
    <message>
        <source>like the system</source>
        <translation>wie das System</translation>
    </message>
    <message>
        <source>light</source>
        <translation>hell</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>dunkel</translation>
    </message>
    <message>
        <source>the system&apos;s language</source>
        <translation>wie das System</translation>
    </message>
    <message>
        <source>This window</source>
        <translation>Dieses Fenster</translation>
    </message>
    <message>
        <source>When I log in, %1</source>
        <translation>Beim Anmelden %1</translation>
    </message>
    <message>
        <source>Open Workerbee %1</source>
        <translation>Workerbee %1 öffnen</translation>
    </message>
    <message>
        <source>When I close the window, %1</source>
        <translation>Beim Schließen des Fensters %1</translation>
    </message>
    <message>
        <source>When a run ends or needs me, %1</source>
        <translation>Wenn ein Lauf endet oder mich braucht, %1</translation>
    </message>
    <message>
        <source>Look %1 and speak %2</source>
        <translation>Aussehen %1 und Sprache %2</translation>
    </message>
</context>
<context>
    <name>WindowTitle</name>
    <message>
        <source>Starting again</source>
        <translation>Startet neu</translation>
    </message>
    <message>
        <source>Searching</source>
        <translation>Sucht</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>Startet</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>The run has changed</source>
        <translation>Der Lauf ist geändert</translation>
    </message>
    <message>
        <source>Ready to start</source>
        <translation>Bereit zum Start</translation>
    </message>
    <message>
        <source>Leaving</source>
        <translation>Verlässt den Lauf</translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation>Geht in die Pause</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>Pausiert</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Paused by the organiser</source>
        <translation>Vom Organisator pausiert</translation>
    </message>
    <message>
        <source>Finishing</source>
        <translation>Schließt die Epoche ab</translation>
    </message>
    <message>
        <source>Training alone</source>
        <translation>Trainiert allein</translation>
    </message>
    <message>
        <source>Nothing counts</source>
        <translation>Nichts zählt</translation>
    </message>
    <message>
        <source>Catching up</source>
        <translation>Holt auf</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>Trainiert</translation>
    </message>
</context>
<context>
    <name>Worker</name>
    <message>
        <source>Outgoing connections are enough to help.</source>
        <translation>Ausgehende Verbindungen genügen, um zu helfen.</translation>
    </message>
    <message>
        <source>You chose it; whether it is so is being tested.</source>
        <translation>So haben Sie es gewählt; ob es zutrifft, wird geprüft.</translation>
    </message>
    <message>
        <source>Others reached it at %1 the last time.</source>
        <translation>Beim letzten Mal haben andere ihn unter %1 erreicht.</translation>
    </message>
    <message>
        <source>Whether others can reach it is being tested.</source>
        <translation>Ob andere ihn erreichen können, wird geprüft.</translation>
    </message>
    <message>
        <source>Nobody could tell whether others reach it.</source>
        <translation>Niemand konnte sagen, ob andere ihn erreichen.</translation>
    </message>
    <message>
        <source>Another program on this computer uses the port.</source>
        <translation>Ein anderes Programm auf diesem Computer benutzt den Port.</translation>
    </message>
    <message>
        <source>Others could not reach this computer.</source>
        <translation>Andere konnten diesen Computer nicht erreichen.</translation>
    </message>
    <message>
        <source>That counts from the moment training begins.</source>
        <translation>Das gilt, sobald das Training beginnt.</translation>
    </message>
    <message>
        <source>You chose it, although it does not work:</source>
        <translation>So haben Sie es gewählt, obwohl es nicht geht:</translation>
    </message>
    <message>
        <source>port %1 of your VPN</source>
        <translation>Port %1 Ihres VPNs</translation>
    </message>
    <message>
        <source>port %1 of your router</source>
        <translation>Port %1 Ihres Routers</translation>
    </message>
    <message>
        <source>The one peer that tried failed to connect to %1.</source>
        <translation>Der eine Teilnehmer, der es versucht hat, bekam keine Verbindung zu %1.</translation>
    </message>
    <message>
        <source>%1 of %2 peers failed to connect to %3.</source>
        <translation>%1 von %2 Teilnehmern bekamen keine Verbindung zu %3.</translation>
    </message>
    <message>
        <source>This computer goes out through a VPN (%1), by which nobody comes in. To carry more of the averaging, switch it off, or let it leave Workerbee out.</source>
        <translation>Dieser Computer geht durch ein VPN (%1) nach außen, durch das niemand hereinkommt. Um mehr zum Mitteln beizutragen, schalten Sie es ab, oder nehmen Sie Workerbee davon aus.</translation>
    </message>
    <message>
        <source>To carry more of the averaging, allow incoming TCP port %1 in this computer&apos;s firewall.</source>
        <translation>Um mehr zum Mitteln beizutragen, erlauben Sie in der Firewall dieses Computers den eingehenden TCP-Port %1.</translation>
    </message>
    <message>
        <source>To carry more of the averaging, forward TCP port %1 on your router to this computer%2, or switch on UPnP there.</source>
        <translation>Um mehr zum Mitteln beizutragen, leiten Sie im Router den TCP-Port %1 an diesen Computer%2 weiter, oder schalten Sie dort UPnP ein.</translation>
    </message>
    <message>
        <source>IPv6 leads nowhere from this computer: %1 does not answer, and IPv4 is used instead. If connecting takes long, let this computer prefer IPv4, or switch IPv6 off.</source>
        <translation>IPv6 führt von diesem Computer aus nirgendwohin: %1 antwortet nicht, und stattdessen wird IPv4 benutzt. Wenn das Verbinden lange dauert, lassen Sie diesen Computer IPv4 bevorzugen, oder schalten Sie IPv6 ab.</translation>
    </message>
    <message>
        <source>The one peer that tried could connect to %1.</source>
        <translation>Der eine Teilnehmer, der es versucht hat, konnte sich mit %1 verbinden.</translation>
    </message>
    <message>
        <source>%1 of %2 peers could connect to %3.</source>
        <translation>%1 von %2 Teilnehmern konnten sich mit %3 verbinden.</translation>
    </message>
    <message>
        <source>Waiting for the others&apos; progress: training begins where the run is.</source>
        <translation>Wartet auf den Fortschritt der anderen: Das Training beginnt dort, wo der Lauf steht.</translation>
    </message>
    <message>
        <source>The organiser&apos;s peer is the one that others connect to.</source>
        <translation>Mit dem Computer des Organisators verbinden sich die anderen.</translation>
    </message>
    <message>
        <source>It is now %1.</source>
        <translation>Sie ist jetzt %1.</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1.</translation>
    </message>
    <message>
        <source>The log is %1.</source>
        <translation>Das Protokoll ist %1.</translation>
    </message>
    <message>
        <source>%1, looked for again after a crash.</source>
        <translation>%1, nach einem Absturz wieder gesucht.</translation>
    </message>
    <message>
        <source>The system killed it, as it does where memory runs out.</source>
        <translation>Das System hat ihn beendet, wie es das tut, wenn der Speicher ausgeht.</translation>
    </message>
    <message>
        <source>It was killed by signal %1.</source>
        <translation>Er wurde durch das Signal %1 beendet.</translation>
    </message>
    <message>
        <source>Its exit code was %1.</source>
        <translation>Sein Exit-Code war %1.</translation>
    </message>
    <message>
        <source>Its answer cannot be read; it may be of another version.</source>
        <translation>Seine Antwort ist nicht lesbar; vielleicht hat es eine andere Version.</translation>
    </message>
    <message>
        <source>This is Python %1.</source>
        <translation>Dies ist Python %1.</translation>
    </message>
    <message>
        <source>The log is in %1.</source>
        <translation>Das Protokoll liegt in %1.</translation>
    </message>
    <message>
        <source>The program uv is not there.</source>
        <translation>Das Programm uv fehlt.</translation>
    </message>
    <message>
        <source>%1: %2 GB more are needed.</source>
        <translation>%1: Es fehlen noch %2 GB.</translation>
    </message>
    <message>
        <source>Nobody offers %1.</source>
        <translation>Niemand bietet %1 an.</translation>
    </message>
    <message>
        <source>It did not answer in time.</source>
        <translation>Es hat nicht rechtzeitig geantwortet.</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2.</translation>
    </message>
    <message>
        <source>A training process runs from it.</source>
        <translation>Ein Trainingsprozess benutzt es gerade.</translation>
    </message>
    <message>
        <source>It has not said a word since it was started.</source>
        <translation>Es hat sich seit dem Start nicht gemeldet.</translation>
    </message>
    <message>
        <source>It speaks protocol %1, this program speaks %2.</source>
        <translation>Es spricht das Protokoll %1, dieses Programm spricht %2.</translation>
    </message>
    <message>
        <source>Its line has more than %1 bytes, and began with %2.</source>
        <translation>Seine Zeile hat mehr als %1 Bytes und begann mit %2.</translation>
    </message>
    <message>
        <source>Its line began with %1.</source>
        <translation>Seine Zeile begann mit %1.</translation>
    </message>
    <message>
        <source>There is no help on “%1”; the topics are %2.</source>
        <translation>Zu „%1“ gibt es keine Hilfe; die Themen sind %2.</translation>
    </message>
    <message>
        <source>%1 belongs to another user.</source>
        <translation>%1 gehört jemand anderem.</translation>
    </message>
    <message>
        <source>%1 may be written by other users.</source>
        <translation>In %1 dürfen auch andere schreiben.</translation>
    </message>
    <message>
        <source>%1: another process holds its folder.</source>
        <translation>%1: Ein anderer Prozess belegt den Ordner.</translation>
    </message>
    <message>
        <source>Metrics cannot be served at %1.</source>
        <translation>Unter %1 lassen sich keine Metriken anbieten.</translation>
    </message>
    <message>
        <source>“%1” is none of %2.</source>
        <translation>„%1“ ist nichts von %2.</translation>
    </message>
    <message>
        <source>must be %1, or &quot;none&quot;</source>
        <translation>muss %1 sein, oder &quot;none&quot;</translation>
    </message>
    <message>
        <source>must be %1</source>
        <translation>muss %1 sein</translation>
    </message>
    <message>
        <source>is not allowed (%1)</source>
        <translation>ist nicht erlaubt (%1)</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>eine ganze Zahl</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>eine Zahl</translation>
    </message>
    <message>
        <source>text in quotes</source>
        <translation>Text in Anführungszeichen</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true oder false</translation>
    </message>
    <message>
        <source>a list in brackets</source>
        <translation>eine Liste in eckigen Klammern</translation>
    </message>
    <message>
        <source>a table in braces</source>
        <translation>eine Tabelle in geschweiften Klammern</translation>
    </message>
    <message>
        <source>must not be empty</source>
        <translation>darf nicht leer sein</translation>
    </message>
    <message>
        <source>must have at least %1 characters</source>
        <translation>muss mindestens %1 Zeichen haben</translation>
    </message>
    <message>
        <source>must have at most %1 characters</source>
        <translation>darf höchstens %1 Zeichen haben</translation>
    </message>
    <message>
        <source>must be at most %1</source>
        <translation>darf höchstens %1 sein</translation>
    </message>
    <message>
        <source>must be at least %1</source>
        <translation>muss mindestens %1 sein</translation>
    </message>
    <message>
        <source>must be less than %1</source>
        <translation>muss kleiner als %1 sein</translation>
    </message>
    <message>
        <source>must be more than %1</source>
        <translation>muss größer als %1 sein</translation>
    </message>
    <message>
        <source>must have at least %1 entries</source>
        <translation>muss mindestens %1 Einträge haben</translation>
    </message>
    <message>
        <source>must have at most %1 entries</source>
        <translation>darf höchstens %1 Einträge haben</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 bytes are no %2 × %3 pixels</source>
        <translation>%1 Bytes sind nicht %2 × %3 Pixel</translation>
    </message>
    <message>
        <source>%1 is of a newer Workerbee.</source>
        <translation>%1 stammt von einem neueren Workerbee.</translation>
    </message>
    <message>
        <source>%1 is held by another program.</source>
        <translation>%1 wird von einem anderen Programm belegt.</translation>
    </message>
    <message>
        <source>A worker runs from the engine.</source>
        <translation>Ein Trainingsprozess benutzt das Trainingsprogramm.</translation>
    </message>
    <message>
        <source>%1 is held by a worker.</source>
        <translation>%1 wird von einem Trainingsprozess belegt.</translation>
    </message>
    <message>
        <source>The service runs: `workerbee service remove` stops and removes it.</source>
        <translation>Der Dienst läuft: `workerbee service remove` beendet und entfernt ihn.</translation>
    </message>
    <message>
        <source>%1 exists already and was left as it is.</source>
        <translation>%1 gibt es schon und blieb, wie es ist.</translation>
    </message>
    <message>
        <source>The run comes to its end: `workerbee steer RUN resume` first.</source>
        <translation>Der Lauf geht zu Ende: zuerst `workerbee steer RUN resume`.</translation>
    </message>
    <message>
        <source>No run was published from the folder %1.</source>
        <translation>Aus dem Ordner %1 wurde kein Lauf veröffentlicht.</translation>
    </message>
    <message>
        <source>These were: %1.</source>
        <translation>Es waren diese: %1.</translation>
    </message>
    <message>
        <source>No other was, either.</source>
        <translation>Auch kein anderer.</translation>
    </message>
    <message>
        <source>No run “%1” was published from here. %2</source>
        <translation>Von hier wurde kein Lauf „%1“ veröffentlicht. %2</translation>
    </message>
    <message>
        <source>%1 trained this run before.</source>
        <translation>Bisher hat %1 diesen Lauf trainiert.</translation>
    </message>
    <message>
        <source>“%1”: %2</source>
        <translation>„%1“: %2</translation>
    </message>
    <message>
        <source>%1; a good one looks like %2</source>
        <translation>%1; richtig sieht zum Beispiel so aus: %2</translation>
    </message>
    <message>
        <source>this is %1 characters long, and that is not an address</source>
        <translation>das ist %1 Zeichen lang und damit keine Adresse</translation>
    </message>
    <message>
        <source>these are %1 addresses, and %2 are the most; the first few are enough</source>
        <translation>das sind %1 Adressen, erlaubt sind höchstens %2; die ersten paar genügen</translation>
    </message>
    <message>
        <source>this is not a run&apos;s name</source>
        <translation>das ist nicht der Name eines Laufs</translation>
    </message>
    <message>
        <source>these are several runs; join one of them</source>
        <translation>das sind mehrere Läufe; machen Sie bei einem davon mit</translation>
    </message>
    <message>
        <source>these are %1 invitations; paste one of them</source>
        <translation>das sind %1 Einladungen; fügen Sie eine davon ein</translation>
    </message>
    <message>
        <source>the invitation in it is damaged; copy the whole link again</source>
        <translation>die Einladung darin ist beschädigt; kopieren Sie den ganzen Link noch einmal</translation>
    </message>
    <message>
        <source>this link is none to join a run</source>
        <translation>mit diesem Link kann man bei keinem Lauf mitmachen</translation>
    </message>
    <message>
        <source>this link names no peer</source>
        <translation>dieser Link nennt keinen Teilnehmer</translation>
    </message>
    <message>
        <source>nobody can dial %1, which means every address of the organiser&apos;s own computer</source>
        <translation>%1 ist von außen nicht erreichbar, denn es bedeutet jede Adresse des Computers, auf dem der Organisator arbeitet</translation>
    </message>
    <message>
        <source>%1 is not the address of one computer</source>
        <translation>%1 ist nicht die Adresse eines einzelnen Computers</translation>
    </message>
    <message>
        <source>it ends without /p2p/ and the peer id, so it does not say who is there</source>
        <translation>sie endet ohne /p2p/ und die Peer-ID und sagt also nicht, wer dort ist</translation>
    </message>
    <message>
        <source>nothing was pasted</source>
        <translation>es wurde nichts eingefügt</translation>
    </message>
    <message>
        <source>this is a web link, not where a peer of the run is</source>
        <translation>das ist ein Web-Link und nicht der Ort eines Teilnehmers</translation>
    </message>
    <message>
        <source>this is a peer id alone, and does not say where the peer is</source>
        <translation>das ist nur eine Peer-ID und sagt nicht, wo der Teilnehmer ist</translation>
    </message>
    <message>
        <source>this does not say which peer is there: the peer id is missing</source>
        <translation>hier steht nicht, welcher Teilnehmer dort ist: Die Peer-ID fehlt</translation>
    </message>
    <message>
        <source>this is not an address</source>
        <translation>das ist keine Adresse</translation>
    </message>
    <message>
        <source>letters, digits, - and _; a letter or digit first; at most 64 characters</source>
        <translation>aus Buchstaben, Ziffern, - und _; zuerst ein Buchstabe oder eine Ziffer; höchstens 64 Zeichen</translation>
    </message>
    <message>
        <source>a peer id of 52 letters and digits that begins with 12D3KooW</source>
        <translation>eine Peer-ID aus 52 Buchstaben und Ziffern, die mit 12D3KooW beginnt</translation>
    </message>
    <message>
        <source>the %1 schedule needs total_epochs</source>
        <translation>der Plan %1 braucht total_epochs</translation>
    </message>
    <message>
        <source>average_opt_statistics: this optimizer has no %1</source>
        <translation>average_opt_statistics: dieser Optimierer hat kein %1</translation>
    </message>
    <message>
        <source>optimizer &quot;%1&quot; computes where the model is: it needs [collaboration] offload_optimizer = false, and so delay_optimizer_step and delay_grad_averaging = false</source>
        <translation>der Optimierer &quot;%1&quot; rechnet dort, wo das Modell ist: Er braucht [collaboration] offload_optimizer = false, und deshalb delay_optimizer_step und delay_grad_averaging = false</translation>
    </message>
    <message>
        <source>reuse_grad_buffers needs [recipe] precision = &quot;fp32&quot;: in fp16 gradients cannot add up where they are computed</source>
        <translation>reuse_grad_buffers braucht [recipe] precision = &quot;fp32&quot;: In fp16 können sich Gradienten nicht dort aufsummieren, wo sie berechnet werden</translation>
    </message>
    <message>
        <source>tokenizer &quot;bytes&quot; has %1 tokens, and vocab_size is %2</source>
        <translation>der Tokenizer &quot;bytes&quot; hat %1 Token, und vocab_size ist %2</translation>
    </message>
    <message>
        <source>there are %1 class_names, and num_labels is %2</source>
        <translation>es gibt %1 class_names, und num_labels ist %2</translation>
    </message>
    <message>
        <source>recipe kind &quot;%1&quot; cannot learn from data kind &quot;%2&quot;; it needs %3</source>
        <translation>ein Rezept der Art &quot;%1&quot; kann nicht aus Daten der Art &quot;%2&quot; lernen; es braucht %3</translation>
    </message>
    <message>
        <source>&quot;sums&quot;</source>
        <translation>&quot;sums&quot;</translation>
    </message>
    <message>
        <source>&quot;text-files&quot; or &quot;hub&quot;</source>
        <translation>&quot;text-files&quot; oder &quot;hub&quot;</translation>
    </message>
    <message>
        <source>&quot;image-files&quot; or &quot;hub-images&quot;</source>
        <translation>&quot;image-files&quot; oder &quot;hub-images&quot;</translation>
    </message>
    <message>
        <source>It has %1 bytes; at most %2 are allowed.</source>
        <translation>Sie hat %1 Bytes; höchstens %2 sind erlaubt.</translation>
    </message>
    <message>
        <source>an address begins with where the peer is: /ip4/, /ip6/ or /dns/</source>
        <translation>eine Adresse beginnt damit, wo der Teilnehmer ist: /ip4/, /ip6/ oder /dns/</translation>
    </message>
    <message>
        <source>“%1” follows where the address should end</source>
        <translation>wo die Adresse enden müsste, folgt noch „%1“</translation>
    </message>
    <message>
        <source>“%1” is not a host name</source>
        <translation>„%1“ ist kein Rechnername</translation>
    </message>
    <message>
        <source>“%1” is not an IPv%2 address (a name goes with /dns4/ or /dns6/)</source>
        <translation>„%1“ ist keine IPv%2-Adresse (vor einem Namen steht /dns4/ oder /dns6/)</translation>
    </message>
    <message>
        <source>it ends where the port should be</source>
        <translation>sie endet dort, wo der Port stehen müsste</translation>
    </message>
    <message>
        <source>“%1” stands where the port should be</source>
        <translation>wo der Port stehen müsste, steht „%1“</translation>
    </message>
    <message>
        <source>“%1” is not a port, which is a number from 1 to 65535</source>
        <translation>„%1“ ist kein Port; ein Port ist eine Zahl von 1 bis 65535</translation>
    </message>
    <message>
        <source>the old /quic is dead, and no peer speaks it any more</source>
        <translation>das alte /quic ist überholt, kein Teilnehmer spricht es mehr</translation>
    </message>
    <message>
        <source>a udp port must be followed by /quic-v1</source>
        <translation>nach einem UDP-Port muss /quic-v1 folgen</translation>
    </message>
    <message>
        <source>“%1” stands where /p2p/ and the peer id should be</source>
        <translation>wo /p2p/ und die Peer-ID stehen müssten, steht „%1“</translation>
    </message>
    <message>
        <source>the peer id %1</source>
        <translation>die Peer-ID %1</translation>
    </message>
    <message>
        <source>%1
%2</source>
        <translation>%1
%2</translation>
    </message>
    <message>
        <source>It is of format %1.</source>
        <translation>Sie hat das Format %1.</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>%1 kann nicht geschrieben werden: %2.</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>%1 kann nicht gelesen werden: %2.</translation>
    </message>
    <message>
        <source>%1 is not UTF-8 text (line %2).</source>
        <translation>%1 ist kein Text in UTF-8 (Zeile %2).</translation>
    </message>
    <message>
        <source>It is not TOML: %1.</source>
        <translation>Sie ist kein TOML: %1.</translation>
    </message>
    <message>
        <source>[run] description: too long; the manifest has %1 bytes, and at most %2 are allowed.</source>
        <translation>[run] description: zu lang; das Manifest hat %1 Bytes, höchstens %2 sind erlaubt.</translation>
    </message>
    <message>
        <source>There are more.</source>
        <translation>Es gibt noch mehr.</translation>
    </message>
    <message>
        <source>[%1] is missing.</source>
        <translation>[%1] fehlt.</translation>
    </message>
    <message>
        <source>%1 = %2: must be a section, [%1].</source>
        <translation>%1 = %2: muss ein Abschnitt sein, [%1].</translation>
    </message>
    <message>
        <source>%1 = %2: %3.</source>
        <translation>%1 = %2: %3.</translation>
    </message>
    <message>
        <source>%1 %2: is missing.</source>
        <translation>%1 %2: fehlt.</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 oder %2</translation>
    </message>
    <message>
        <source>Its record has %1 bytes.</source>
        <translation>Ihr Eintrag hat %1 Bytes.</translation>
    </message>
    <message>
        <source>Its signature is wrong.</source>
        <translation>Ihre Signatur ist falsch.</translation>
    </message>
    <message>
        <source>min_, default_ and max_refresh_period must not be in another order</source>
        <translation>min_, default_ und max_refresh_period müssen in dieser Reihenfolge größer werden</translation>
    </message>
    <message>
        <source>target_batch_size must be at least batch_size_per_step</source>
        <translation>target_batch_size muss mindestens batch_size_per_step sein</translation>
    </message>
    <message>
        <source>averaging_timeout must be longer than matchmaking_time</source>
        <translation>averaging_timeout muss länger sein als matchmaking_time</translation>
    </message>
    <message>
        <source>delay_optimizer_step needs offload_optimizer</source>
        <translation>delay_optimizer_step braucht offload_optimizer</translation>
    </message>
    <message>
        <source>powersgd_rank is about gradients, which use_local_updates never sends</source>
        <translation>powersgd_rank betrifft Gradienten, die bei use_local_updates nie gesendet werden</translation>
    </message>
    <message>
        <source>powersgd_rank needs grad_compression in halves at least: in 8 bits every peer would look in other directions</source>
        <translation>powersgd_rank braucht eine grad_compression von mindestens 16 Bit: In 8 Bit suchte jeder Teilnehmer in anderen Richtungen</translation>
    </message>
    <message>
        <source>use_local_updates averages no gradients: it needs delay_optimizer_step, delay_grad_averaging and reuse_grad_buffers = false</source>
        <translation>use_local_updates mittelt keine Gradienten: Es braucht delay_optimizer_step, delay_grad_averaging und reuse_grad_buffers = false</translation>
    </message>
    <message>
        <source>hivemind does not accept this combination of delay_state_averaging, delay_optimizer_step, delay_grad_averaging and reuse_grad_buffers</source>
        <translation>hivemind nimmt diese Verbindung von delay_state_averaging, delay_optimizer_step, delay_grad_averaging und reuse_grad_buffers nicht an</translation>
    </message>
    <message>
        <source>state_averaging_compression = &quot;float16&quot; would make zeros of small average_opt_statistics</source>
        <translation>state_averaging_compression = &quot;float16&quot; machte aus kleinen average_opt_statistics Nullen</translation>
    </message>
    <message>
        <source>average_opt_statistics with &quot;exp_avg_sq&quot; needs state_averaging_compression = &quot;none&quot;: rounding would make some of these squares negative, and the model&apos;s weights no numbers</source>
        <translation>average_opt_statistics mit &quot;exp_avg_sq&quot; braucht state_averaging_compression = &quot;none&quot;: Durch Runden würden einige dieser Quadrate negativ, und die Gewichte des Modells keine Zahlen mehr</translation>
    </message>
    <message>
        <source>%1 needs mode = &quot;%2&quot;</source>
        <translation>%1 braucht mode = &quot;%2&quot;</translation>
    </message>
    <message>
        <source>max_round_seconds must be longer than matchmaking_time</source>
        <translation>max_round_seconds muss länger sein als matchmaking_time</translation>
    </message>
    <message>
        <source>inner_steps_max must be at least inner_steps_min</source>
        <translation>inner_steps_max muss mindestens inner_steps_min sein</translation>
    </message>
    <message>
        <source>inner_steps_max needs max_round_seconds: where everybody has taken so many steps, nothing else ends the round</source>
        <translation>inner_steps_max braucht max_round_seconds: Haben alle so viele Schritte gemacht, beendet sonst nichts die Runde</translation>
    </message>
    <message>
        <source>mirror: %1</source>
        <translation>mirror: %1</translation>
    </message>
    <message>
        <source>owner/name; letters, digits, dots, - and _ in each</source>
        <translation>Besitzer/Name; in beiden Buchstaben, Ziffern, Punkte, - und _</translation>
    </message>
    <message>
        <source>a commit: 40 hexadecimal digits in lower case</source>
        <translation>ein Commit: 40 hexadezimale Ziffern, klein geschrieben</translation>
    </message>
    <message>
        <source>letters, digits, -, _, . and spaces; at most 100 characters</source>
        <translation>aus Buchstaben, Ziffern, -, _, . und Leerzeichen; höchstens 100 Zeichen</translation>
    </message>
    <message>
        <source>64 hexadecimal digits in lower case</source>
        <translation>64 hexadezimale Ziffern lang, klein geschrieben</translation>
    </message>
    <message>
        <source>url: %1</source>
        <translation>url: %1</translation>
    </message>
    <message>
        <source>class_names must be different from each other</source>
        <translation>class_names müssen sich voneinander unterscheiden</translation>
    </message>
    <message>
        <source>top_k %1 is more than the %2 experts of a layer</source>
        <translation>top_k %1 ist mehr als die %2 Experten einer Schicht</translation>
    </message>
    <message>
        <source>hidden_size %1 cannot be shared evenly by %2 heads</source>
        <translation>hidden_size %1 ist nicht gleichmäßig auf %2 Köpfe zu verteilen</translation>
    </message>
    <message>
        <source>image_size %1 must be a multiple of patch_size %2</source>
        <translation>image_size %1 muss ein Vielfaches von patch_size %2 sein</translation>
    </message>
    <message>
        <source>an image would have %1 patches; at most %2 are allowed</source>
        <translation>ein Bild hätte %1 Stücke; erlaubt sind höchstens %2</translation>
    </message>
    <message>
        <source>num_attention_heads must be a multiple of num_key_value_heads</source>
        <translation>num_attention_heads muss ein Vielfaches von num_key_value_heads sein</translation>
    </message>
    <message>
        <source>hidden_size must be an even number for every head</source>
        <translation>hidden_size muss für jeden Kopf eine gerade Zahl sein</translation>
    </message>
    <message>
        <source>num_hidden_groups must not be more than num_hidden_layers</source>
        <translation>num_hidden_groups darf nicht mehr sein als num_hidden_layers</translation>
    </message>
    <message>
        <source>nesterov needs a momentum</source>
        <translation>nesterov braucht ein momentum</translation>
    </message>
    <message>
        <source>width %1 cannot be shared evenly by %2 heads</source>
        <translation>width %1 ist nicht gleichmäßig auf %2 Köpfe zu verteilen</translation>
    </message>
    <message>
        <source>sequence_length must be at most %1 with this config</source>
        <translation>sequence_length darf mit dieser config höchstens %1 sein</translation>
    </message>
    <message>
        <source>quantization needs lora and pretrained: weights in few bits cannot be trained</source>
        <translation>quantization braucht lora und pretrained: Gewichte in wenigen Bits lassen sich nicht trainieren</translation>
    </message>
    <message>
        <source>target_modules: this model has no %1; it has %2</source>
        <translation>target_modules: Dieses Modell hat kein %1; es hat %2</translation>
    </message>
    <message>
        <source>num_hidden_layers must be at most %1 in a model with experts</source>
        <translation>num_hidden_layers darf bei einem Modell mit Experten höchstens %1 sein</translation>
    </message>
    <message>
        <source>every_layers %1 is more than the %2 layers: none has experts</source>
        <translation>every_layers %1 ist mehr als die %2 Schichten: Keine hat Experten</translation>
    </message>
    <message>
        <source>it may have no spaces and only ASCII characters</source>
        <translation>sie darf keine Leerzeichen enthalten und nur ASCII-Zeichen</translation>
    </message>
    <message>
        <source>%1</source>
        <translation>%1</translation>
    </message>
    <message>
        <source>it must begin with http:// or https:// and a host</source>
        <translation>sie muss mit http:// oder https:// und einem Rechnernamen beginnen</translation>
    </message>
    <message>
        <source>it may hold no name and no password</source>
        <translation>sie darf weder Namen noch Passwort enthalten</translation>
    </message>
    <message>
        <source>it may have no part after #</source>
        <translation>sie darf nichts nach einem # haben</translation>
    </message>
    <message>
        <source>it must begin with https://</source>
        <translation>sie muss mit https:// beginnen</translation>
    </message>
    <message>
        <source>it may have no part after ?</source>
        <translation>sie darf kein Fragezeichen haben, und nichts danach: kein ?</translation>
    </message>
    <message>
        <source>sums cannot be exchanged for other data, nor other data for sums</source>
        <translation>Summen lassen sich nicht gegen andere Daten austauschen, und andere Daten nicht gegen Summen</translation>
    </message>
    <message>
        <source>the data may not be exchanged while this run goes on ([steering] data is false)</source>
        <translation>die Daten dürfen nicht ausgetauscht werden, während dieser Lauf weitergeht ([steering] data ist false)</translation>
    </message>
    <message>
        <source>data stay of the kind that they are</source>
        <translation>die Daten bleiben von der Art, von der sie sind</translation>
    </message>
    <message>
        <source>data.%1 stays what it is while the run goes on</source>
        <translation>data.%1 bleibt, was es ist, während der Lauf weitergeht</translation>
    </message>
    <message>
        <source>the names of its files take %1 bytes, and at most %2 are allowed</source>
        <translation>die Namen der Dateien brauchen %1 Bytes, und höchstens %2 sind erlaubt</translation>
    </message>
    <message>
        <source>%1 is not of a host, with its port, that the run names</source>
        <translation>%1 ist von keinem Host mit seinem Port, den der Lauf nennt</translation>
    </message>
    <message>
        <source>its files may have %1 times as many bytes as those that the run names at the most ([steering] max_change), which is %2, and have %3</source>
        <translation>die Dateien dürfen höchstens %1-mal so viele Bytes haben wie die, die der Lauf nennt ([steering] max_change), also %2, und haben %3</translation>
    </message>
    <message>
        <source>As many changes wait for their epoch as can be signed at once. Ask again when epoch %1 has begun.</source>
        <translation>Es warten so viele Änderungen auf ihre Epoche, wie auf einmal unterschrieben werden können. Versuchen Sie es wieder, wenn Epoche %1 begonnen hat.</translation>
    </message>
    <message>
        <source>%1 cannot be set or left out while the run goes on</source>
        <translation>%1 kann nicht gesetzt oder weggelassen werden, während der Lauf weitergeht</translation>
    </message>
    <message>
        <source>it leads to %1, into your own network, where files that others name have no business</source>
        <translation>sie führt zu %1, in Ihr eigenes Netz, wo Dateien nichts zu suchen haben, die andere nennen</translation>
    </message>
    <message>
        <source>A key has more than %1 parts (at line %2)</source>
        <translation>Ein Schlüssel hat mehr als %1 Teile (in Zeile %2)</translation>
    </message>
    <message>
        <source>its brackets are nested too deeply</source>
        <translation>seine Klammern sind zu tief verschachtelt</translation>
    </message>
    <message>
        <source>it redirects from %1 to %2</source>
        <translation>sie leitet von %1 nach %2 um</translation>
    </message>
    <message>
        <source>the address does not begin with https://</source>
        <translation>die Adresse beginnt nicht mit https://</translation>
    </message>
    <message>
        <source>%1 is not an Ed25519 key as libp2p writes them.</source>
        <translation>%1 ist kein Ed25519-Schlüssel, wie libp2p sie schreibt.</translation>
    </message>
    <message>
        <source>Run %1: It was %2, it is %3.</source>
        <translation>Lauf %1: Es war %2, jetzt ist es %3.</translation>
    </message>
    <message>
        <source>Revision %1 is shown, revision %2 was seen.</source>
        <translation>Gezeigt wird Revision %1, bekannt war schon Revision %2.</translation>
    </message>
    <message>
        <source>contains “%1”, which no peer id contains</source>
        <translation>enthält „%1“, was in keiner Peer-ID vorkommt</translation>
    </message>
    <message>
        <source>is %1 characters long, and none has more than %2</source>
        <translation>ist %1 Zeichen lang, und keine hat mehr als %2</translation>
    </message>
    <message>
        <source>is %1 characters long, and one that begins with %2 has %3</source>
        <translation>ist %1 Zeichen lang, und eine, die mit %2 beginnt, hat %3</translation>
    </message>
    <message>
        <source>is damaged, or no peer id</source>
        <translation>ist beschädigt, oder keine Peer-ID</translation>
    </message>
    <message>
        <source>%1 is not an RSA key.</source>
        <translation>%1 ist kein RSA-Schlüssel.</translation>
    </message>
    <message>
        <source>%1 is not an RSA key of %2 bits.</source>
        <translation>%1 ist kein RSA-Schlüssel mit %2 Bit.</translation>
    </message>
    <message>
        <source>it sends another part of the file than was asked for</source>
        <translation>sie sendet einen anderen Teil der Datei, als erbeten war</translation>
    </message>
    <message>
        <source>its digest is %1, and should be %2</source>
        <translation>ihre Prüfsumme ist %1 und müsste %2 sein</translation>
    </message>
    <message>
        <source>the server answers %1 %2</source>
        <translation>der Server antwortet %1 %2</translation>
    </message>
    <message>
        <source>it leads to a port from which this computer lets nothing be fetched</source>
        <translation>sie führt zu einem Port, von dem dieser Computer nichts holen lässt</translation>
    </message>
    <message>
        <source>it has %1 bytes, and should have %2</source>
        <translation>sie hat %1 Bytes und müsste %2 haben</translation>
    </message>
    <message>
        <source>it has more than the %1 bytes that it may have</source>
        <translation>sie hat mehr als die %1 Bytes, die sie haben darf</translation>
    </message>
    <message>
        <source>cut after %1 of %2 bytes</source>
        <translation>abgebrochen nach %1 von %2 Bytes</translation>
    </message>
    <message>
        <source>On macOS it would be launchd, which Workerbee does not use yet: have `workerbee join ADDRESS --yes` started by it.</source>
        <translation>Unter macOS wäre es launchd, das Workerbee noch nicht benutzt: Lassen Sie es `workerbee join ADRESSE --yes` starten.</translation>
    </message>
    <message>
        <source>This system was not started by systemd.</source>
        <translation>Dieses System wurde nicht von systemd gestartet.</translation>
    </message>
    <message>
        <source>This is no login of its own (XDG_RUNTIME_DIR is not set): log in directly, or by ssh, not with su or sudo.</source>
        <translation>Dies ist keine eigene Anmeldung (XDG_RUNTIME_DIR ist nicht gesetzt): Melden Sie sich direkt oder per ssh an, nicht mit su oder sudo.</translation>
    </message>
    <message>
        <source>`systemctl --user` does not answer.</source>
        <translation>`systemctl --user` antwortet nicht.</translation>
    </message>
    <message>
        <source>`systemctl --user %1`: %2</source>
        <translation>`systemctl --user %1`: %2</translation>
    </message>
    <message>
        <source>A worker cannot begin with %1.</source>
        <translation>Ein Trainingsprozess kann nicht mit %1 beginnen.</translation>
    </message>
    <message>
        <source>The module %1 is missing.</source>
        <translation>Das Modul %1 fehlt.</translation>
    </message>
    <message>
        <source>The GPU has failed: %1.</source>
        <translation>Die GPU hat versagt: %1.</translation>
    </message>
    <message>
        <source>%1: see the log.</source>
        <translation>%1: Das Protokoll sagt mehr.</translation>
    </message>
    <message>
        <source>The organiser&apos;s computer has refused the invitation.</source>
        <translation>Der Computer des Organisators hat die Einladung abgelehnt.</translation>
    </message>
    <message>
        <source>This invitation has been used as often as its organiser allows.</source>
        <translation>Diese Einladung wurde so oft benutzt, wie ihr Organisator erlaubt.</translation>
    </message>
    <message>
        <source>The organiser&apos;s computer cannot note it down at the moment.</source>
        <translation>Der Computer des Organisators kann sie im Augenblick nicht vermerken.</translation>
    </message>
    <message>
        <source>A closed run is joined by the description that its organiser has signed.</source>
        <translation>An einem geschlossenen Lauf nimmt man mit der Beschreibung teil, die sein Organisator signiert hat.</translation>
    </message>
    <message>
        <source>Your key: %1.</source>
        <translation>Ihr Schlüssel: %1.</translation>
    </message>
    <message>
        <source>What the organiser&apos;s computer has signed is no ticket.</source>
        <translation>Was der Computer des Organisators signiert hat, ist keine Zulassung.</translation>
    </message>
    <message>
        <source>An optimizer in 8 bits</source>
        <translation>Ein Optimizer in 8 Bit</translation>
    </message>
    <message>
        <source>A model in few bits (%1)</source>
        <translation>Ein Modell in wenigen Bits (%1)</translation>
    </message>
    <message>
        <source>%1 needs an NVIDIA GPU.</source>
        <translation>%1 braucht eine NVIDIA-GPU.</translation>
    </message>
    <message>
        <source>%1 needs bitsandbytes, which the engine for NVIDIA GPUs has; elsewhere: %2.</source>
        <translation>%1 braucht bitsandbytes, das im Trainingsprogramm für NVIDIA-GPUs ist; sonst: %2.</translation>
    </message>
    <message>
        <source>%1: the engine sees %2 GPUs.</source>
        <translation>%1: Das Trainingsprogramm sieht %2 GPUs.</translation>
    </message>
    <message>
        <source>this computer catches up with a peer that is ahead</source>
        <translation>dieser Computer holt einen Teilnehmer ein, der voraus ist</translation>
    </message>
    <message>
        <source>this computer&apos;s weights are not those of the others, whose weights it gets now</source>
        <translation>die Gewichte dieses Computers sind nicht die der anderen; er holt sich jetzt deren Gewichte</translation>
    </message>
    <message>
        <source>no peer of the group can share its weights, as one has to</source>
        <translation>kein Teilnehmer der Gruppe kann seine Gewichte weitergeben, und einer muss es können</translation>
    </message>
    <message>
        <source>a part of the average was lost; this computer asks the others for the outcome</source>
        <translation>ein Teil des Mittels ging verloren; dieser Computer fragt die anderen nach dem Ergebnis</translation>
    </message>
    <message>
        <source>the others of the group are behind this computer</source>
        <translation>die anderen der Gruppe liegen hinter diesem Computer zurück</translation>
    </message>
    <message>
        <source>what was learned is kept for the next round</source>
        <translation>das Gelernte bleibt für die nächste Runde erhalten</translation>
    </message>
    <message>
        <source>only %1 of %2 peers took part with the latest weights, and a step takes more than half; %3</source>
        <translation>mit den neuesten Gewichten waren nur %1 von %2 Teilnehmern dabei, und ein Schritt braucht mehr als die Hälfte; %3</translation>
    </message>
    <message>
        <source>Averaging takes %1 s of an epoch of %2 s, and each computer waits for %3 s, as half of its samples at the most may lack the last step. With about %4 samples in an epoch, averaging would be a fifth, with no wait.</source>
        <translation>Das Mitteln dauert %1 s von %2 s einer Epoche, und jeder Computer wartet %3 s, da höchstens der Hälfte seiner Beispiele der letzte Schritt fehlen darf. Mit etwa %4 Beispielen in einer Epoche wäre es ein Fünftel, und niemand würde warten.</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>lacks the field %1</source>
        <translation>fehlt das Feld %1</translation>
    </message>
    <message>
        <source>has the unknown field %1</source>
        <translation>hat das unbekannte Feld %1</translation>
    </message>
    <message>
        <source>unknown section</source>
        <translation>unbekannter Abschnitt</translation>
    </message>
    <message>
        <source>unknown field</source>
        <translation>unbekanntes Feld</translation>
    </message>
    <message>
        <source>%1: %2 here; it belongs in [%3].</source>
        <translation>%1: hier %2; es gehört in [%3].</translation>
    </message>
    <message>
        <source>%1: %2; did you mean %3?</source>
        <translation>%1: %2; meinten Sie %3?</translation>
    </message>
    <message>
        <source>%1: %2; did you mean %3 in [%4]?</source>
        <translation>%1: %2; meinten Sie %3 in [%4]?</translation>
    </message>
    <message>
        <source>the file</source>
        <translation>Die Datei</translation>
    </message>
    <message>
        <source>%1: %2; %3 may have %4.</source>
        <translation>%1: %2. Möglich sind in %3: %4.</translation>
    </message>
    <message>
        <source>%1 may not be changed while this run goes on ([steering] max_change is 1)</source>
        <translation>%1 darf nicht geändert werden, während dieser Lauf weitergeht ([steering] max_change ist 1)</translation>
    </message>
    <message>
        <source>%1 may become %2 times higher or lower at the most ([steering] max_change), from %3</source>
        <translation>%1 darf höchstens %2-mal so hoch oder so niedrig werden ([steering] max_change), von %3 an</translation>
    </message>
    <message>
        <source>its card cannot be read</source>
        <translation>seine Karte ist nicht lesbar</translation>
    </message>
    <message>
        <source>%1 is too large</source>
        <translation>%1 ist zu groß</translation>
    </message>
    <message>
        <source>its card is too long</source>
        <translation>seine Karte ist zu lang</translation>
    </message>
    <message>
        <source>%1: it has aliases</source>
        <translation>%1: Sie enthält Aliase</translation>
    </message>
    <message>
        <source>the run must name a configuration</source>
        <translation>der Lauf muss eine Konfiguration nennen</translation>
    </message>
    <message>
        <source>it has no configuration “%1”</source>
        <translation>es hat keine Konfiguration „%1“</translation>
    </message>
    <message>
        <source>%1; there are: %2</source>
        <translation>%1; es gibt: %2</translation>
    </message>
    <message>
        <source>it has no split “%1”; there are: %2</source>
        <translation>es hat keine Aufteilung „%1“; es gibt: %2</translation>
    </message>
    <message>
        <source>its card names “%1” as data, which is not in the repository</source>
        <translation>seine Karte nennt als Daten „%1“, was nicht im Repository ist</translation>
    </message>
    <message>
        <source>there are no files in it</source>
        <translation>es enthält keine Dateien</translation>
    </message>
    <message>
        <source>its card has more than %1 patterns for a split</source>
        <translation>seine Karte hat mehr als %1 Muster für eine Aufteilung</translation>
    </message>
    <message>
        <source>its format, %1, is none of %2</source>
        <translation>sein Format, %1, ist keines von %2</translation>
    </message>
    <message>
        <source>it has no files in any of %1</source>
        <translation>es hat keine Dateien in einem von %1</translation>
    </message>
    <message>
        <source>its card names a separator of more than one character</source>
        <translation>seine Karte nennt ein Trennzeichen aus mehreren Zeichen</translation>
    </message>
    <message>
        <source>it is not in the data itself</source>
        <translation>es ist nicht in den Daten selbst</translation>
    </message>
    <message>
        <source>it has %1 bytes, and at most %2 are allowed</source>
        <translation>es hat %1 Bytes, höchstens %2 sind erlaubt</translation>
    </message>
    <message>
        <source>it cannot be read: %1</source>
        <translation>es ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>it has %1 × %2 pixels, and at most %3 are allowed</source>
        <translation>es hat %1 × %2 Pixel, höchstens %3 sind erlaubt</translation>
    </message>
    <message>
        <source>The label %1 of an image is none of the run&apos;s %2 classes.</source>
        <translation>Das Label %1 eines Bildes ist keine der %2 Klassen des Laufs.</translation>
    </message>
    <message>
        <source>So far %1 of %2; of the last one, %3.</source>
        <translation>Bisher %1 von %2; beim letzten: %3.</translation>
    </message>
    <message>
        <source>There is no image in it to train on.</source>
        <translation>Es ist kein Bild darin, mit dem trainiert werden kann.</translation>
    </message>
    <message>
        <source>it has no label</source>
        <translation>es hat kein Label</translation>
    </message>
    <message>
        <source>There is no image in it that can be used.</source>
        <translation>Es ist kein brauchbares Bild darin.</translation>
    </message>
    <message>
        <source>Training has waited %1 s for data.</source>
        <translation>Das Training hat %1 s auf Daten gewartet.</translation>
    </message>
    <message>
        <source>There is no text in it to train on.</source>
        <translation>Es ist kein Text darin, mit dem trainiert werden kann.</translation>
    </message>
    <message>
        <source>There is no text in it.</source>
        <translation>Es ist kein Text darin.</translation>
    </message>
    <message>
        <source>tokenizer.json cannot be read</source>
        <translation>tokenizer.json ist nicht lesbar</translation>
    </message>
    <message>
        <source>The tokenizer has no token for the end of a text.</source>
        <translation>Der Tokenizer hat kein Token für das Ende eines Textes.</translation>
    </message>
    <message>
        <source>tokenizer.json fails with a text of this run</source>
        <translation>tokenizer.json scheitert an einem Text dieses Laufs</translation>
    </message>
    <message>
        <source>tokenizer.json fails with tokens of this run</source>
        <translation>tokenizer.json scheitert an Tokens dieses Laufs</translation>
    </message>
    <message>
        <source>%1 cannot be read.</source>
        <translation>%1 ist nicht lesbar.</translation>
    </message>
    <message>
        <source>it cannot be passed on: %1</source>
        <translation>es lässt sich nicht weitergeben: %1</translation>
    </message>
    <message>
        <source>%1 bytes at once are too many</source>
        <translation>%1 Bytes auf einmal sind zu viel</translation>
    </message>
    <message>
        <source>The column “%1” holds no text in the first %2 rows.</source>
        <translation>Die Spalte „%1“ enthält in den ersten %2 Zeilen keinen Text.</translation>
    </message>
    <message>
        <source>The process “%1” has ended.</source>
        <translation>Der Prozess „%1“ ist beendet.</translation>
    </message>
    <message>
        <source>There is none of epoch %1. Those that are kept: %2.</source>
        <translation>Von Epoche %1 gibt es keinen. Aufgehoben sind: %2.</translation>
    </message>
    <message>
        <source>Its recipe cannot learn from its data.</source>
        <translation>Ihr Rezept kann aus ihren Daten nicht lernen.</translation>
    </message>
    <message>
        <source>The export needs %1 MB, and %2 MB are free.</source>
        <translation>Der Export braucht %1 MB, frei sind %2 MB.</translation>
    </message>
    <message>
        <source>No expert of layer %1 was ever collected: nobody hosted one meanwhile.</source>
        <translation>Von Schicht %1 wurde nie ein Experte eingesammelt: Niemand hat währenddessen einen beherbergt.</translation>
    </message>
    <message>
        <source>layer %1, expert %2 (epoch %3)</source>
        <translation>Schicht %1, Experte %2 (Epoche %3)</translation>
    </message>
    <message>
        <source>layer %1, expert %2</source>
        <translation>Schicht %1, Experte %2</translation>
    </message>
    <message>
        <source>Nobody has hosted these yet, and tokens go to the others of their layer: %1.</source>
        <translation>Diese hat noch niemand beherbergt, und Token gehen an die anderen ihrer Schicht: %1.</translation>
    </message>
    <message>
        <source>No host of these answered at epoch %1; their last known states are used: %2.</source>
        <translation>Von diesen antwortete in Epoche %1 kein Gastgeber; ihre zuletzt bekannten Zustände werden benutzt: %2.</translation>
    </message>
    <message>
        <source>%1; %2</source>
        <translation>%1; %2</translation>
    </message>
    <message>
        <source>%1; and %2 more</source>
        <translation>%1; und %2 weitere</translation>
    </message>
    <message>
        <source>its tensors are not those of this run&apos;s model</source>
        <translation>seine Tensoren sind nicht die des Modells dieses Laufs</translation>
    </message>
    <message>
        <source>%1 needs %2 GB; %3 GB of your limit are left.</source>
        <translation>%1 braucht %2 GB; von Ihrer Obergrenze sind noch %3 GB übrig.</translation>
    </message>
    <message>
        <source>%1 needs %2 GB; %3 GB are free in %4.</source>
        <translation>%1 braucht %2 GB; in %4 sind %3 GB frei.</translation>
    </message>
    <message>
        <source>its weights are only there as %1, which could run foreign code</source>
        <translation>seine Gewichte gibt es nur als %1, was fremden Code ausführen könnte</translation>
    </message>
    <message>
        <source>it has no weights in the format safetensors</source>
        <translation>es hat keine Gewichte im Format safetensors</translation>
    </message>
    <message>
        <source>it has no tokenizer.json</source>
        <translation>es hat keine tokenizer.json</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>%1 ist nicht lesbar</translation>
    </message>
    <message>
        <source>%1 asks for code of its own (auto_map)</source>
        <translation>%1 verlangt eigenen Code (auto_map)</translation>
    </message>
    <message>
        <source>the hub answers %1 for revision %2</source>
        <translation>der Hub antwortet %1 für die Revision %2</translation>
    </message>
    <message>
        <source>the hub redirects in a circle</source>
        <translation>der Hub leitet im Kreis weiter</translation>
    </message>
    <message>
        <source>it has more than %1 files</source>
        <translation>es hat mehr als %1 Dateien</translation>
    </message>
    <message>
        <source>the hub answers %1</source>
        <translation>der Hub antwortet %1</translation>
    </message>
    <message>
        <source>it does not know the token</source>
        <translation>er kennt das Token nicht</translation>
    </message>
    <message>
        <source>the token may not write there, or the organisation has no room left</source>
        <translation>das Token darf dort nicht schreiben, oder die Organisation hat keinen Platz mehr</translation>
    </message>
    <message>
        <source>there is no such repository, or the token may not see it</source>
        <translation>dieses Repository gibt es nicht, oder das Token darf es nicht sehen</translation>
    </message>
    <message>
        <source>the model is too large for it</source>
        <translation>das Modell ist ihm zu groß</translation>
    </message>
    <message>
        <source>it has no room left</source>
        <translation>er hat keinen Platz mehr</translation>
    </message>
    <message>
        <source>it answers %1</source>
        <translation>er antwortet %1</translation>
    </message>
    <message>
        <source>the connection failed (%1)</source>
        <translation>die Verbindung schlug fehl (%1)</translation>
    </message>
    <message>
        <source>it answers what cannot be understood</source>
        <translation>er antwortet Unverständliches</translation>
    </message>
    <message>
        <source>%1 names “%2”, which is none of its weights</source>
        <translation>%1 nennt „%2“, was nicht zu seinen Gewichten gehört</translation>
    </message>
    <message>
        <source>its index cannot be read: %1</source>
        <translation>sein Verzeichnis ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>its index names a file of another version than it tells</source>
        <translation>sein Verzeichnis nennt eine Datei einer anderen Version, als es angibt</translation>
    </message>
    <message>
        <source>%1: no round leads from its state to the present one.</source>
        <translation>%1: Keine Runde führt von seinem Stand zum jetzigen.</translation>
    </message>
    <message>
        <source>it is that of another run</source>
        <translation>er gehört zu einem anderen Lauf</translation>
    </message>
    <message>
        <source>its state has %1 bytes, more than any of this run has</source>
        <translation>sein Stand hat %1 Bytes, mehr als jeder dieses Laufs</translation>
    </message>
    <message>
        <source>its weights are of another version than its index tells</source>
        <translation>seine Gewichte sind von einer anderen Version, als sein Verzeichnis angibt</translation>
    </message>
    <message>
        <source>The others&apos; model was refused: %1.</source>
        <translation>Das Modell der anderen wurde abgelehnt: %1.</translation>
    </message>
    <message>
        <source>They answer again.</source>
        <translation>Sie antworten wieder.</translation>
    </message>
    <message>
        <source>They are there, and do not answer us.</source>
        <translation>Sie sind da und antworten uns nicht.</translation>
    </message>
    <message>
        <source>This computer had gone on without the others, %1 epochs.</source>
        <translation>Dieser Computer hatte ohne die anderen weitergemacht, %1 Epochen lang.</translation>
    </message>
    <message>
        <source>The last rounds were averaged with nobody.</source>
        <translation>Die letzten Runden wurden mit niemandem gemittelt.</translation>
    </message>
    <message>
        <source>The posted addresses lead to it only from this very computer.</source>
        <translation>Die veröffentlichten Adressen führen nur von diesem Computer selbst dorthin.</translation>
    </message>
    <message>
        <source>The posted addresses lead to it only from within its own network.</source>
        <translation>Die veröffentlichten Adressen führen nur aus dem eigenen Netz dorthin.</translation>
    </message>
    <message>
        <source>For newcomers, allow incoming TCP port %1 in this computer&apos;s firewall.</source>
        <translation>Geben Sie für Neue den eingehenden TCP-Port %1 in der Firewall dieses Computers frei.</translation>
    </message>
    <message>
        <source>For newcomers from outside, forward TCP port %1 on your router to this computer%2, and publish with --listen /ip4/0.0.0.0/tcp/%1 --announce and the address that leads to it from outside.</source>
        <translation>Leiten Sie für Neue von außen den TCP-Port %1 am Router an diesen Computer%2 weiter, und veröffentlichen Sie mit --listen /ip4/0.0.0.0/tcp/%1 --announce und der Adresse, die von außen dorthin führt.</translation>
    </message>
    <message>
        <source>Others reach it at %1, where no posted address leads.</source>
        <translation>Andere erreichen ihn unter %1; dorthin führt keine veröffentlichte Adresse.</translation>
    </message>
    <message>
        <source>For newcomers, publish again with --announce %1.</source>
        <translation>Veröffentlichen Sie für Neue noch einmal mit --announce %1.</translation>
    </message>
    <message>
        <source>The background thread “%1” failed %2 times; the last error was %3.</source>
        <translation>Der Hintergrund-Thread „%1“ ist %2-mal gescheitert; der letzte Fehler war %3.</translation>
    </message>
    <message>
        <source>%1 has ended.</source>
        <translation>%1 ist beendet.</translation>
    </message>
    <message>
        <source>Its weights are needed for that, in fewer bits.</source>
        <translation>Dafür werden seine Gewichte gebraucht, in weniger Bits.</translation>
    </message>
    <message>
        <source>its %1 has another shape than the run says</source>
        <translation>sein %1 hat eine andere Form, als der Lauf angibt</translation>
    </message>
    <message>
        <source>it holds adapters of another model</source>
        <translation>es enthält Adapter eines anderen Modells</translation>
    </message>
    <message>
        <source>it is of the family %1, and the run says %2</source>
        <translation>es gehört zur Familie %1, und der Lauf sagt %2</translation>
    </message>
    <message>
        <source>its config names a file of weights, which “transformers” would look for anywhere</source>
        <translation>seine config nennt eine Datei mit Gewichten, die „transformers“ überall suchen würde</translation>
    </message>
    <message>
        <source>its weights are quantized already</source>
        <translation>seine Gewichte sind schon quantisiert</translation>
    </message>
    <message>
        <source>its %1 is %2, and the run says %3</source>
        <translation>sein %1 ist %2, und der Lauf sagt %3</translation>
    </message>
    <message>
        <source>The tokenizer has %1 tokens, and the model&apos;s vocab_size is %2.</source>
        <translation>Der Tokenizer hat %1 Tokens, und vocab_size des Modells ist %2.</translation>
    </message>
    <message>
        <source>The tokenizer has no mask, which masked-lm needs.</source>
        <translation>Der Tokenizer hat keine Maske, die masked-lm braucht.</translation>
    </message>
    <message>
        <source>It took more than %1 s.</source>
        <translation>Es dauerte länger als %1 s.</translation>
    </message>
    <message>
        <source>%1: nobody was seen for %2 s.</source>
        <translation>%1: Seit %2 s war niemand zu sehen.</translation>
    </message>
    <message>
        <source>%1 holds no token.</source>
        <translation>In %1 steht kein Token.</translation>
    </message>
    <message>
        <source>All go on from epoch %1.</source>
        <translation>Alle machen bei Epoche %1 weiter.</translation>
    </message>
    <message>
        <source>It needs %1; this is %2.</source>
        <translation>Er braucht %1; dies ist %2.</translation>
    </message>
    <message>
        <source>Its key: %1.</source>
        <translation>Sein Schlüssel: %1.</translation>
    </message>
    <message>
        <source>A change of the run is not what was agreed to: %1.</source>
        <translation>Eine Änderung des Laufs ist nicht, was vereinbart war: %1.</translation>
    </message>
    <message>
        <source>The run names other keys than this one under [succession]: %1.</source>
        <translation>Der Lauf nennt unter [succession] andere Schlüssel als diesen: %1.</translation>
    </message>
    <message>
        <source>Whoever leads the run was there %1 s ago; this key may take over after %2 s.</source>
        <translation>Wer den Lauf leitet, war vor %1 s da; dieser Schlüssel darf nach %2 s übernehmen.</translation>
    </message>
    <message>
        <source>Run %1: it is revision %2 now.</source>
        <translation>Lauf %1: Es ist jetzt Revision %2.</translation>
    </message>
    <message>
        <source>An averaging process</source>
        <translation>Ein Prozess zum Mitteln</translation>
    </message>
    <message>
        <source>%1 offers one, but %2.</source>
        <translation>%1 bietet einen an, aber %2.</translation>
    </message>
    <message>
        <source>it says no epoch</source>
        <translation>er nennt keine Epoche</translation>
    </message>
    <message>
        <source>its tensors are not those of the run&apos;s model</source>
        <translation>seine Tensoren sind nicht die des Modells dieses Laufs</translation>
    </message>
    <message>
        <source>it holds a value that is not a number</source>
        <translation>er enthält einen Wert, der keine Zahl ist</translation>
    </message>
    <message>
        <source>It stands under another run&apos;s name.</source>
        <translation>Sie steht unter dem Namen eines anderen Laufs.</translation>
    </message>
    <message>
        <source>Its record does not decode.</source>
        <translation>Ihr Eintrag ist nicht lesbar.</translation>
    </message>
    <message>
        <source>Its record is not a signed manifest.</source>
        <translation>Ihr Eintrag ist kein signiertes Manifest.</translation>
    </message>
    <message>
        <source>The process of the DHT</source>
        <translation>Der Prozess der DHT</translation>
    </message>
    <message>
        <source>its base weights after %1 outer steps are not those that were signed</source>
        <translation>seine Grundgewichte nach %1 äußeren Schritten sind nicht die, die unterschrieben wurden</translation>
    </message>
    <message>
        <source>its number of outer steps is none</source>
        <translation>seine Zahl der äußeren Schritte ist keine</translation>
    </message>
    <message>
        <source>%1 is %2, and must be float32 or bfloat16</source>
        <translation>%1 ist %2, und muss float32 oder bfloat16 sein</translation>
    </message>
    <message>
        <source>it is no file of safetensors: %1</source>
        <translation>es ist keine Datei von safetensors: %1</translation>
    </message>
    <message>
        <source>It has hivemind %1; this program works with %2 only.</source>
        <translation>Es hat hivemind %1; dieses Programm arbeitet nur mit %2.</translation>
    </message>
    <message>
        <source>There is no checkpoint of epoch %1. Those that are kept: %2.</source>
        <translation>Von Epoche %1 gibt es keinen Checkpoint. Aufgehoben sind: %2.</translation>
    </message>
    <message>
        <source>no run has come to epoch %1</source>
        <translation>kein Lauf ist bis Epoche %1 gekommen</translation>
    </message>
    <message>
        <source>the run cannot have come to epoch %1, but to %2 at the most</source>
        <translation>der Lauf kann nicht bis Epoche %1 gekommen sein, höchstens bis %2</translation>
    </message>
    <message>
        <source>it is of epoch %1, and the others report %2</source>
        <translation>er ist von Epoche %1, und die anderen melden %2</translation>
    </message>
    <message>
        <source>epoch %1 is not signed, and %2 of those who were known before have come to it</source>
        <translation>Epoche %1 ist nicht unterschrieben, und nur %2 der schon vorher Bekannten sind bei ihr angekommen</translation>
    </message>
    <message>
        <source>The checkpoint of epoch %1, to which the run is to go back, is gone or another one. `workerbee run rollback` takes another epoch&apos;s.</source>
        <translation>Der Checkpoint von Epoche %1, zu dem der Lauf zurückkehren soll, ist nicht mehr da oder ein anderer. `workerbee run rollback` nimmt den Checkpoint einer anderen Epoche.</translation>
    </message>
    <message>
        <source>%1: %2; it is now %3.</source>
        <translation>%1: %2; jetzt heißt er %3.</translation>
    </message>
    <message>
        <source>%1 was saved with another model, optimizer or mode than the run file describes: its tensors have other names or shapes. Give the run another id; or move the checkpoints out of that folder, and the run begins anew.</source>
        <translation>%1 wurde mit einem anderen Modell, Optimierer oder Modus gespeichert, als die Laufdatei beschreibt: Seine Tensoren haben andere Namen oder Formen. Geben Sie dem Lauf eine andere ID; oder verschieben Sie die Checkpoints aus diesem Ordner, und der Lauf beginnt neu.</translation>
    </message>
    <message>
        <source>it belongs to another run</source>
        <translation>er gehört zu einem anderen Lauf</translation>
    </message>
    <message>
        <source>it holds numbers that are not finite</source>
        <translation>er enthält Zahlen, die nicht endlich sind</translation>
    </message>
    <message>
        <source>We are behind the others and download their state.</source>
        <translation>Wir liegen hinter den anderen zurück und laden ihren Stand herunter.</translation>
    </message>
    <message>
        <source>Nobody else is training in this run right now.</source>
        <translation>Gerade trainiert sonst niemand in diesem Lauf.</translation>
    </message>
    <message>
        <source>nobody else came</source>
        <translation>niemand sonst kam</translation>
    </message>
    <message>
        <source>Connected, but the last %1 rounds were averaged with nobody: %2.</source>
        <translation>Verbunden, aber die letzten %1 Runden wurden mit niemandem gemittelt: %2.</translation>
    </message>
    <message>
        <source>The last %1 rounds counted nothing of this computer: it took fewer steps than the run asks for.</source>
        <translation>Von diesem Computer zählte in den letzten %1 Runden nichts: Er hat weniger Schritte getan, als der Lauf verlangt.</translation>
    </message>
    <message>
        <source>The last %1 rounds left out what this computer has changed: it is against what all others have, or far larger. If that goes on, pause and resume: training then begins with the run&apos;s state.</source>
        <translation>In den letzten %1 Runden wurde ausgelassen, was dieser Computer geändert hat: Es ist dem entgegengesetzt, was alle anderen geändert haben, oder viel größer. Hält das an, pausieren Sie und setzen Sie fort: Das Training beginnt dann mit dem Zustand des Laufs.</translation>
    </message>
    <message>
        <source>The last %1 rounds took no step, so nothing counts at present: %2.</source>
        <translation>Die letzten %1 Runden brachten keinen Schritt, deshalb zählt zurzeit nichts: %2.</translation>
    </message>
    <message>
        <source>The first averaging did not come about: %1.</source>
        <translation>Die erste Mittelung kam nicht zustande: %1.</translation>
    </message>
    <message>
        <source>%1 of the last %2 rounds were averaged with others.</source>
        <translation>%1 der letzten %2 Runden wurden mit anderen gemittelt.</translation>
    </message>
    <message>
        <source>Connected with 1 other peer; the first averaging comes with the next step.</source>
        <translation>Mit einem anderen Teilnehmer verbunden; die erste Mittelung kommt mit dem nächsten Schritt.</translation>
    </message>
    <message>
        <source>Connected with %1 other peers; the first averaging comes with the next step.</source>
        <translation>Mit %1 anderen Teilnehmern verbunden; die erste Mittelung kommt mit dem nächsten Schritt.</translation>
    </message>
    <message>
        <source>its loss is %1, and what the organiser has signed allows no more than %2</source>
        <translation>sein Loss ist %1, und was der Organisator unterschrieben hat, erlaubt höchstens %2</translation>
    </message>
    <message>
        <source>its loss is %1, and our own were no more than %2</source>
        <translation>sein Loss ist %1, und unsere eigenen waren höchstens %2</translation>
    </message>
    <message>
        <source>its loss is not a number</source>
        <translation>sein Loss ist keine Zahl</translation>
    </message>
    <message>
        <source>its loss is %1, far beyond that of a model that has learned nothing</source>
        <translation>sein Loss ist %1, weit über dem eines Modells, das nichts gelernt hat</translation>
    </message>
    <message>
        <source>It goes on with %1 samples at a time.</source>
        <translation>Es geht mit %1 Beispielen auf einmal weiter.</translation>
    </message>
    <message>
        <source>A micro-batch was dropped.</source>
        <translation>Ein Mikro-Batch wurde verworfen.</translation>
    </message>
    <message>
        <source>%1 micro-batches in a row were not.</source>
        <translation>%1 Mikro-Batches hintereinander waren es nicht.</translation>
    </message>
    <message>
        <source>Our own, of epoch %1: %2.</source>
        <translation>Unser eigener, aus Epoche %1: %2.</translation>
    </message>
    <message>
        <source>You chose it: this computer only connects outwards.</source>
        <translation>So haben Sie es gewählt: Dieser Computer verbindet sich nur nach außen.</translation>
    </message>
    <message>
        <source>Under WSL, switch systemd on: `%1`, then `%2` in Windows.</source>
        <translation>Schalten Sie unter WSL systemd ein: `%1`, dann `%2` in Windows.</translation>
    </message>
    <message>
        <source>The connection to the others is lost: none of %1 known addresses answers. Computing goes on as soon as one does.</source>
        <translation>Die Verbindung zu den anderen ist unterbrochen: Keine von %1 bekannten Adressen antwortet. Gerechnet wird weiter, sobald eine antwortet.</translation>
    </message>
    <message>
        <source>The swarm is on this computer.</source>
        <translation>Der Schwarm ist auf diesem Computer.</translation>
    </message>
    <message>
        <source>a peer was lost in the middle of it</source>
        <translation>mittendrin ging ein Teilnehmer verloren</translation>
    </message>
    <message>
        <source>a peer sent numbers that cannot be right</source>
        <translation>ein Teilnehmer hat Zahlen geschickt, die nicht stimmen können</translation>
    </message>
    <message>
        <source>our own numbers were not finite</source>
        <translation>die eigenen Zahlen waren nicht endlich</translation>
    </message>
    <message>
        <source>the others were ahead by an epoch</source>
        <translation>die anderen waren eine Epoche weiter</translation>
    </message>
    <message>
        <source>no other peer was found in time</source>
        <translation>kein anderer Teilnehmer wurde rechtzeitig gefunden</translation>
    </message>
    <message>
        <source>it took longer than the run allows</source>
        <translation>es dauerte länger, als der Lauf erlaubt</translation>
    </message>
    <message>
        <source>the connection to a peer failed</source>
        <translation>die Verbindung zu einem Teilnehmer schlug fehl</translation>
    </message>
</context>
</TS>
