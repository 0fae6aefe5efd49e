"""English nouns that an object must be among for its phrase to state a fact."""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LANGUAGES: Final = _words(
    """
    english italian french german spanish portuguese dutch polish czech slovak russian ukrainian greek
    turkish arabic hebrew persian farsi hindi urdu bengali tamil chinese mandarin cantonese japanese
    korean vietnamese thai indonesian malay swedish norwegian danish finnish hungarian romanian
    bulgarian serbian croatian slovenian albanian irish welsh scottish catalan basque galician latin
    esperanto swahili yoruba amharic afrikaans icelandic estonian latvian lithuanian maltese punjabi
    gujarati tagalog gaelic sardinian neapolitan sicilian venetian friulian hausa igbo zulu xhosa somali
    tigrinya wolof fula bambara lingala shona sesotho tswana twi akan ewe oromo berber kabyle malagasy
    kinyarwanda luganda marathi telugu kannada malayalam sinhala nepali pashto dari kurdish armenian
    georgian azerbaijani azeri kazakh uzbek turkmen tajik kyrgyz mongolian tibetan burmese khmer lao
    hmong javanese sundanese filipino cebuano ilocano hawaiian maori samoan tongan fijian quechua aymara
    guarani nahuatl navajo cherokee inuktitut belarusian macedonian bosnian montenegrin luxembourgish
    frisian flemish breton cornish manx occitan corsican romansh ladin yiddish ladino romani faroese
    sami greenlandic moldovan asl bsl lsf taiwanese hokkien shanghainese uyghur creole patois pidgin
    papiamento swiss-german bavarian provençal asturian aragonese castilian
    """
)
FIELDS: Final = _words(
    """
    law medicine engineering physics maths math mathematics biology chemistry economics psychology philosophy
    nursing architecture geography politics sociology linguistics classics pharmacy dentistry statistics
    anthropology archaeology theology accounting
    """
)
"""What is studied, and done for nothing else: "she's doing law"."""
CONDITIONS: Final = _words(
    """
    asthma diabetes migraine migraines epilepsy anxiety depression adhd autism insomnia arthritis
    hypertension anemia anaemia eczema psoriasis celiac coeliac hypothyroidism hyperthyroidism
    endometriosis fibromyalgia scoliosis tinnitus dyslexia ptsd ocd copd ibs reflux sciatica glaucoma
    vertigo osteoporosis lupus allergies cancer leukemia parkinson's alzheimer's dementia asthmatic
    diabetic epileptic dyslexic autistic colour-blind colorblind anemic anaemic deaf sclerosis apnea
    apnoea disease syndrome disorder disease's pressure rhinitis gout parkinson crohn's colitis
    diverticulitis gastritis gerd hernia ulcer ulcers hemorrhoids gallstones lymphoma melanoma tumour
    tumor hiv hepatitis cirrhosis thalassemia haemophilia hemophilia sickle-cell psoriatic hashimoto's
    hyperthyroid hypothyroid pcos menopause narcolepsy bipolar schizophrenia bpd anorexia bulimia
    dyspraxia dyscalculia asperger's stutter stammer rosacea vitiligo alopecia urticaria angina
    arrhythmia afib tachycardia cataracts astigmatism short-sighted nearsighted myopia near-sighted
    farsighted presbyopia colour-blindness color-blind blind hearing-loss hard-of-hearing tendonitis
    tendinitis bursitis spondylitis stenosis lordosis carpal-tunnel neuropathy ms als meniere's
    raynaud's sjögren's hayfever hay-fever sinusitis bronchitis emphysema sleep-apnea anaphylaxis
    eosinophilic lipedema lymphedema lactose-intolerance celiac's coeliac's cholesterol pots me/cfs mcas
    fibro hypermobility ehlers-danlos prediabetes pre-diabetic prediabetic paraplegic claustrophobia
    claustrophobic agoraphobia arachnophobia dysphagia neuralgia narcoleptic crohn hashimoto alzheimer
    huntington hodgkin meniere raynaud
    """
)
OWNABLES: Final = _words(
    """
    car cars bike bikes bicycle motorcycle motorbike scooter house flat apartment boat sailboat van
    campervan camper truck guitar piano violin telescope camera drone farm shop store bakery restaurant
    café cafe bookshop bar cabin cottage vineyard land garden greenhouse kayak canoe synthesizer
    saxophone laptop tablet printer 3d-printer record-player turntable tractor vespa tesla motorhome
    caravan jeep keyboard e-bike skateboard surfboard snowboard console typewriter kindle villa studio
    garage narrowboat houseboat barge dinghy yacht rowboat speedboat motorboat catamaran jetski jet-ski
    moped roadster convertible hatchback suv minivan minibus pickup 4x4 estate-car hybrid ev bmw audi
    volvo unicycle tricycle tandem cargo-bike brompton roller-skates rollerblades skis paddleboard cello
    drums drumkit drum-kit ukulele banjo mandolin trumpet clarinet flute accordion harp synth bungalow
    penthouse condo townhouse duplex loft farmhouse chalet shed barn allotment orchard plot pub hotel
    b&b guesthouse gym salon workshop bookstore barbershop laundrette brewery stall desktop pc mac
    macbook iphone ipad smartphone smartwatch projector playstation xbox nintendo ps5 sewing-machine
    loom kiln lathe microscope binoculars gramophone jukebox aquarium sauna hot-tub hammock grill
    trailer airplane plane glider helicopter hearse sled ducati harley yamaha kawasaki honda toyota
    subaru mazda skoda renault peugeot citroen ford porsche ferrari beehive beehives hive hives
    lawnmower chainsaw tv telly television lighthouse mill windmill castle manor island
    """
)
INSTRUMENTS: Final = _words(
    """
    piano guitar violin cello drums bass flute clarinet saxophone trumpet harp ukulele banjo accordion
    organ viola oboe mandolin fiddle double-bass contrabass ukelele keyboard keyboards synth synthesizer
    harmonica bassoon tuba trombone horn cornet recorder piccolo lute bagpipes sitar tabla bongos djembe
    cajon marimba xylophone vibraphone harpsichord theremin kalimba didgeridoo concertina melodica
    zither lyre bouzouki oud erhu koto shamisen gamelan timpani drum percussion handpan dulcimer
    euphonium sax
    """
)
ROLES: Final = _words(
    """
    vegetarian vegan pescatarian introvert extrovert introverted extroverted perfectionist pacifist
    feminist environmentalist atheist agnostic buddhist catholic christian muslim jew jewish hindu
    protestant orthodox widow widower orphan twin parent mother father mum mom dad grandmother
    grandfather immigrant expat refugee veteran minimalist optimist pessimist cyclist runner climber
    swimmer gamer bookworm foodie romantic dreamer left-handed lefthanded pensioner beginner smoker
    non-smoker teetotaler collector birdwatcher hiker surfer skier insomniac workaholic nerd geek
    polyglot owl bird person lover italian english french german spanish american british irish scottish
    welsh canadian australian polish portuguese dutch swiss austrian greek turkish russian ukrainian
    romanian brazilian argentinian mexican peruvian chilean colombian indian chinese japanese korean
    moroccan egyptian nigerian kenyan swedish norwegian danish finnish hungarian czech albanian croatian
    serbian pescetarian flexitarian omnivore carnivore quaker mormon methodist baptist anglican
    presbyterian lutheran evangelical sikh jain zoroastrian pagan wiccan bahai taoist shinto
    spiritualist humanist stoic anarchist socialist communist libertarian marxist republican democrat
    capitalist royalist monarchist ambivert night-owl morning-person cat-person dog-person homebody
    stepmother stepfather stepmum stepdad single-mother godmother godfather aunt uncle grandma grandpa
    granny great-grandmother great-grandfather only-child middle-child firstborn adoptee triplet
    bachelor divorcee newlywed vegan-ish marathoner rower sailor diver scuba-diver triathlete
    weightlifter bodybuilder yogi dancer skater bibliophile cinephile audiophile philatelist numismatist
    stargazer birder angler gardener photographer-hobby ex-smoker survivor amputee conscript migrant
    nomad belgian icelandic estonian latvian lithuanian belarusian moldovan bulgarian slovak slovenian
    bosnian macedonian montenegrin kosovar maltese cypriot lebanese syrian iraqi iranian israeli
    palestinian jordanian saudi yemeni afghan pakistani bangladeshi nepali thai vietnamese cambodian
    laotian malaysian singaporean indonesian filipino filipina taiwanese mongolian kazakh uzbek georgian
    armenian azerbaijani ghanaian senegalese ethiopian eritrean somali sudanese ugandan tanzanian
    rwandan congolese cameroonian ivorian zimbabwean south-african tunisian algerian libyan namibian
    venezuelan ecuadorian bolivian paraguayan uruguayan cuban dominican jamaican haitian puerto-rican
    costa-rican guatemalan honduran salvadoran nicaraguan panamanian aussie texan londoner new-yorker
    parisian berliner scouser geordie brummie mancunian glaswegian scot englishman englishwoman irishman
    irishwoman frenchman frenchwoman dutchman dutchwoman dane swede finn pole turk croat serb slovene
    argentine aries taurus gemini virgo scorpio sagittarius capricorn aquarius pisces bisexual gay
    lesbian trans nonbinary non-binary queer bi asexual pansexual lefty southpaw morning-lark
    """
)
BREEDS: Final = _words(
    """
    labrador beagle dachshund poodle terrier retriever corgi spaniel greyhound collie shepherd husky
    chihuahua pug boxer bulldog mutt mongrel siamese persian tabby dog cat puppy kitten rabbit hamster
    parrot tortoise turtle horse pony bracco pinscher schnauzer rottweiler doberman dalmatian setter
    pointer whippet pekingese pomeranian chow akita shiba malamute samoyed newfoundland mastiff
    labradoodle cockapoo goldendoodle sheepdog cocker lurcher coon ragdoll birman sphynx bengal burmese
    shorthair longhair angora manx tomcat calico tortoiseshell cockatiel budgie budgerigar canary macaw
    cockatoo lovebird finch gecko iguana chameleon python bearded-dragon axolotl mare stallion gelding
    foal donkey mule arabian haflinger clydesdale guinea-pig chinchilla gerbil rat mouse ferret hen
    rooster duck goose goat sheep pig lizard snake crossbreed
    """
)
ROLE_ENDINGS: Final = ("ese",)
ORGANISATIONS: Final = _words(
    """
    shelter hospice foundation centre center kitchen troop crew hospital clinic school university
    college bakery restaurant bank library museum factory startup start-up supermarket hotel café cafe
    bar pub shop store bookshop bookstore pharmacy office agency studio theatre theater cinema
    kindergarten nursery farm lab laboratory institute church club team choir band gym orchestra
    association union party society league company firm cooperative charity ngo airport garage salon
    newspaper magazine publisher ministry court council polytechnic academy conservatory group troupe
    winery vineyard dairy workshop ltd inc airline railway zoo embassy consultancy brewery distillery
    lodge federation wholesaler warehouse depot plant mill quarry shipyard dockyard harbour ferry marina
    butcher's baker's greengrocer's chippy takeaway diner bistro canteen cafeteria brasserie patisserie
    deli greengrocer garden-centre nursery-school preschool crèche creche daycare playgroup highschool
    gymnasium lycée surgery practice morgue dentist's vet's hairdresser's barbershop laundrette
    laundromat dry-cleaner's post-office courthouse prison fire-station town-hall municipality
    parliament senate multinational corporation co-op coop nonprofit non-profit trust guild chapter
    fraternity sorority squadron regiment navy army airforce marines scouts brigade ensemble quartet
    trio duo chorus choral collective commune congregation parish mosque synagogue temple monastery
    convent seminary kibbutz ranch orchard stables stable kennel kennels cattery aquarium observatory
    gallery archive archives auction-house bookmaker's casino arcade spa resort hostel campsite
    broadcaster radio-station printworks foundry smelter refinery dealership insurer brokerage bureau
    consulate committee
    """
)
VAGUE_ORGANISATIONS: Final = _words("company firm place office home night club-night job time")
AREAS: Final = _words(
    """
    countryside suburbs mountains coast seaside woods outskirts hills
    """
)
MONTHS: Final = _words(
    """
    january february march april may june july august september october november december jan feb mar
    apr jun jul aug sep sept oct nov dec
    """
)
_UNITS = "one two three four five six seven eight nine".split()
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
NUMBERS: Final = {
    **{word: str(n) for n, word in enumerate(_UNITS, 1)},
    **{word: str(n) for n, word in enumerate(_TEENS, 10)},
    **{ten: str(10 * t) for t, ten in enumerate(_TENS, 2)},
    **{
        f"{ten}-{unit}": str(10 * t + u) for t, ten in enumerate(_TENS, 2) for u, unit in enumerate(_UNITS, 1)
    },
}
