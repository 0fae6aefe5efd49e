"""How Italian asks for a way to do something."""

from ricordo.language.query_analysis.languages.patterns import ProcedurePatterns, beginning, one_of, words

_SORT = (
    r"(?:ricett[ae]|istruzion[ei]|passagg[io]+|passi|procedur[ae]|procediment[oi]|guid[ae]|metod[oi]"
    r"|tutorial|manuale)"
)
# With "si", these tell how something or somebody is, or how a word is said.
_BEING = (
    r"(?:chiam\w+|sent\w+|sta|stava|trov\w+|è|er[ao]\w*|comport\w+|conclu\w+|vest\w+|mangia|dice|scrive"
    r"|pronuncia|svolge|presenta|vede|vedono|conosc\w+|spiega|tratta|muove|sveglia|intitol\w+|arrabbi\w+"
    r"|sono|erano|fosse\w*)\b"
)
# What somebody does every day, or is, is no way to do anything.
_EVERYDAY = (
    r"(?:vado|prendo|sto|mi|ci|ti|passo|trovo|vivo|dormo|mangio|bevo|vedo|preferisco|tengo|sono|ho|conosco"
    r"|penso|chiamo|faccio colazione|faccio di solito)\b"
)
_ONE_DOES = rf"si (?!{_BEING})\w+"
_I_DO = rf"(?!{_EVERYDAY})\w{{3,}}(?<!nn)(?<!on)o"  # but not "they do": vanno, sono
_TO_DO = (
    r"(?:fare|dare|\w{2,}(?:are|ere|ire|rre|ar[lmcsgv]\w{1,2}|er[lmcsgv]\w{1,2}|ir[lmcsgv]\w{1,2}))\b"
    r"(?! bene)"
)

PROCEDURES = ProcedurePatterns(
    explained=beginning(
        r"(?:mi )?(?:(?:puoi|potresti|sai) )?(?:spieg\w+|mostr\w+|insegn\w+|dimmi|dirmi|ricordami"
        r"|fammi vedere|vorrei sapere|voglio sapere)(?: di nuovo)? come "
        rf"(?:{_ONE_DOES}|{_TO_DO}|devo|posso|faccio)",
        r"insegnami a|spiegami (?:il modo|la maniera|il metodo)",
    ),
    asked=beginning(
        # the thing may stand first: "il ragù come si cucina?"
        r"(?:.{1,40}[\s,:] ?)?(?:come|cm|com'è che|in (?:che|quale) modo)"
        r"(?: avevamo detto che| si diceva che)? "
        + one_of(
            _ONE_DOES,
            r"(?:posso|possiamo|potrei|devo|dobbiamo|dovrei|bisogna|conviene)\b|faccio (?:a|ad|per)\b",
            r"(?:va|vanno|viene|vengono) \w+[aiou]t[oaie]\b",
            _TO_DO,
            rf"{_I_DO} (?:il|lo|la|l'|i|gli|le|un|una|uno)\b|(?:lo|la|li|le) \w{{3,}}o\b",
        ),
        r"(?:che|cosa|che cosa) (?:bisogna|devo|si deve|dobbiamo|occorre|serve) (?:fare )?(?:per|ad?)\b",
    ),
    told=beginning(
        # "quali passaggi", "la ricetta delle lasagne", "mi servono le istruzioni per"
        rf"(?:(?:con|in base a) )?(?:che|qual[ei]?)(?: è| sono| erano)?(?: i| la| le| il)? {_SORT}\b",
        r"qual è il modo (?:di|per|giusto)|passo passo",
        r"(?:(?:dammi|mi dai|mostrami|trovami|trova|ricordami|dimmi|mi servono|mi serve|ho bisogno del\w*) )?"
        rf"(?:(?:la|le|il|i|una|un|delle|dei) )?{_SORT}"
        r"(?: (?:per|di|del\w*|dell'\w+|a|su)\b.{1,80}|[\W_]*$)",
    ),
    habit=words(
        r"di solito|solitamente|normalmente|generalmente|in genere|ogni (?:giorno|mattina|sera)|spesso",
        rf"come (?:si {_BEING}|{_EVERYDAY})",
    ),
    in_case=words(
        r"(?:che|cosa|che cosa) (?:faccio|facciamo|devo|dobbiamo|bisogna|si deve|si fa|conviene)"
        r"(?: fare)? (?:se|quando|in caso)",
        r"in caso d[i']",
    ),
)
